#include "cardan/study/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

constexpr double reference_share = 0.4;  // of the budget
constexpr double step_share = 0.15;      // of the budget, beside it: for the largest steps
constexpr double dearest = 10;           // times the reference: no method is worth more
constexpr double shortest_limit = 0.5;   // seconds that every method gets
constexpr double repeat_below = 0.02;    // processor time that is measured again
constexpr int repetitions = 3;
constexpr double hopeless = 100;  // a tolerance so much coarser than the accuracy will not do

constexpr const char* time_up = "not run: the time was up";

Diagnostic unknown_name(const char* flag,
                        const std::string& word,
                        const std::vector<std::string>& names) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = fmt::format("{} '{}'", flag, word);
  d.expected = fmt::format("{}", fmt::join(names, ", "));
  if (const std::string near = nearest_name(word, names); !near.empty())
    d.hint = fmt::format("did you mean '{}'?", near);
  return d;
}

Diagnostics unknown_names(const ComparisonOptions& o) {
  Diagnostics faults;
  std::vector<std::string> names;
  for (const auto& f : formulations()) names.emplace_back(f.name);
  for (const auto& word : o.formulations)
    if (find_formulation(word) == nullptr)
      faults.push_back(unknown_name("--formulations", word, names));
  names.clear();
  for (const auto* m : list_methods()) names.emplace_back(m->name);
  for (const auto& word : o.integrators)
    if (find_method(word.substr(0, word.find(':'))) == nullptr)
      faults.push_back(unknown_name("--integrators", word, names));
  return faults;
}

class Contest {
 public:
  Contest(const Model& model, const ComparisonOptions& options, const ComparisonControl& control)
      : model_(model), control_(control) {
    out_.options = options;
  }

  Result<Comparison> run() {
    if (Diagnostics faults = unknown_names(out_.options); !faults.empty()) return faults;
    const Checked checked = check_model(model_);
    if (checked.system == nullptr || !checked.assembly.ok) return checked.diagnostics;
    const DynamicOptions* analysis = compared_analysis(model_);
    if (analysis == nullptr) {
      Diagnostic d;
      d.id = "model.missing-key";
      d.found = "a model without a dynamic analysis";
      d.expected = "an [[analysis]] with type = \"dynamic\"";
      return d;
    }
    length_ = checked.system->length();
    out_.reference = make_reference(
        model_, out_.options, length_, reference_share * out_.options.budget, control_);
    if (out_.reference.run.rows.empty()) {
      Diagnostics why = out_.reference.failures;
      Diagnostic d;
      d.id = "numeric.comparison";
      d.found = "no method could make a reference";
      d.hint = "see the reasons above; a larger --budget, or a coarser --accuracy, may help";
      why.push_back(std::move(d));
      return why;
    }
    limit_ = std::max(dearest * spent(), shortest_limit);
    try_present(*analysis);
    try_all(contenders(*analysis, out_.options, usual_step(*analysis)));
    const double until = spent() + step_share * out_.options.budget;
    out_.step_limits = find_step_limits(checked, *analysis, out_.options, [&] {
      return spent() > until || (control_.cancelled && control_.cancelled());
    });
    rank(out_);
    out_.seconds = spent();
    out_.advice = advise(out_);
    return std::move(out_);
  }

 private:
  double spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  double left() const { return out_.options.budget - spent(); }

  bool stop() const { return left() <= 0 || (control_.cancelled && control_.cancelled()); }

  Trial attempt(const Contender& method) {
    const bool out_of_time = left() < limit_;
    TrialRun best = try_method(
        model_, method, out_.options.channels, std::min(limit_, left()), control_.cancelled);
    Trial& trial = best.trial;
    if (trial.too_slow && out_of_time) {  // its own limit was not reached
      trial.state = Trial::State::skipped;
      trial.too_slow = out_.complete = false;
      trial.reason = time_up;
    }
    if (trial.state != Trial::State::complete) return trial;
    trial.error = error_norms(out_.reference.run, best.run, length_);
    for (int k = 1; k < repetitions && trial.stats.cpu_seconds < repeat_below && !stop(); ++k) {
      const TrialRun again =
          try_method(model_, method, out_.options.channels, left(), control_.cancelled);
      if (again.trial.state == Trial::State::complete)
        trial.stats.cpu_seconds = std::min(trial.stats.cpu_seconds, again.trial.stats.cpu_seconds);
    }
    return trial;
  }

  void try_present(const DynamicOptions& o) {
    if (stop()) return;
    out_.present =
        attempt({o.formulation, o.integrator, o.order, o.step > 0, o.step > 0 ? o.step : o.rtol});
  }

  // What fixed steps are chosen from: the mean step of a method that controls it.
  double usual_step(const DynamicOptions& o) {
    if (!out_.options.steps.empty() || stop()) return std::abs(o.until) / 1000;
    const Trial t = attempt({"projected", "ode45", 0, false, 1e-6});
    if (t.state != Trial::State::complete || t.stats.steps == 0) return std::abs(o.until) / 1000;
    return std::abs(t.times.back() - t.times.front()) / static_cast<double>(t.stats.steps);
  }

  // Promising methods first, each until it is accurate enough; the other settings, which only the
  // plots need, at the end.
  void try_all(const std::vector<std::vector<Contender>>& groups) {
    std::size_t all = 0, longest = 0;
    for (const auto& g : groups) all += g.size(), longest = std::max(longest, g.size());
    std::vector<char> met(groups.size(), 0), lost(groups.size(), 0);
    const auto one = [&](std::size_t g, const Contender& method) {
      if (control_.progress)
        control_.progress(method.name() + ", " + method.settings_text(), out_.trials.size(), all);
      out_.trials.push_back(attempt(method));
      const Trial& t = out_.trials.back();
      if (t.too_slow) lost[g] = 1;
      if (t.error.relative <= out_.options.accuracy) met[g] = 1;
    };
    const auto skip = [&](const Contender& method, std::string why) {
      Trial t;
      t.method = method;
      t.reason = std::move(why);
      out_.trials.push_back(std::move(t));
    };
    const auto next = [&](std::size_t g, const Contender& method) {
      if (stop())
        out_.complete = false, skip(method, time_up);
      else if (lost[g] != 0)
        skip(method, "not run: coarser settings took too long already");
      else
        one(g, method);
    };
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const Contender& method : groups[g])
        if (met[g] == 0 && !too_coarse(method)) next(g, method);
    for (std::size_t level = 0; level < longest; ++level)
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (level < groups[g].size() && !done(groups[g][level])) next(g, groups[g][level]);
  }

  bool too_coarse(const Contender& method) const {
    return !method.fixed && method.setting > hopeless * out_.options.accuracy;
  }

  bool done(const Contender& method) const {
    return std::any_of(out_.trials.begin(), out_.trials.end(), [&](const Trial& t) {
      return t.method.same_method(method) && t.method.setting == method.setting;
    });
  }

  const Model& model_;
  const ComparisonControl& control_;
  Comparison out_;
  double limit_ = 0, length_ = 1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<Comparison> compare_methods(const Model& model,
                                   const ComparisonOptions& options,
                                   const ComparisonControl& control) {
  return Contest(model, options, control).run();
}

}  // namespace cardan
