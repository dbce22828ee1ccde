#include "cardan/study/mechanism_study.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/record/recorder.h"
#include "cardan/model/analysis_type.h"

namespace cardan {

namespace {

constexpr long most_for_explicit = 1'000'000;  // evaluations of the reference run

class EndValues {
 public:
  EndValues(const System& system, const Assembly& assembly, const StudyChannels& channels)
      : recorder_(system, channels.patterns, !assembly.mobility.indeterminate.empty()) {
    const auto& all = recorder_.channels();
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!channels.patterns.empty() || all[k].quantity == "position") chosen_.push_back(k);
    row_.resize(all.size());
  }

  const std::optional<Diagnostic>& fault() const { return recorder_.fault(); }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const std::size_t k : chosen_) list.push_back(recorder_.channels()[k].name);
    return list;
  }

  std::vector<double> of(const State& state) {
    recorder_.record(state, {}, row_);
    std::vector<double> values;
    for (const std::size_t k : chosen_) values.push_back(row_[k]);
    return values;
  }

 private:
  Recorder recorder_;
  std::vector<std::size_t> chosen_;
  std::vector<double> row_;
};

Result<StudyEnding> run_to_end(const System& system,
                               const Assembly& assembly,
                               const DynamicOptions& options,
                               const StudyChannels& channels,
                               long most,
                               std::vector<std::string>* names) {
  EndValues values(system, assembly, channels);
  if (values.fault()) return *values.fault();
  if (names != nullptr) *names = values.names();
  Simulation run(system, assembly.mobility, options, assembly.state);
  Simulation::Watcher watcher;
  watcher.step = [&](double) {
    return run.costs().total().f > most ? Flow::stop : Flow::go_on;
  };
  run.watch(std::move(watcher));
  if (auto fault = run.prepare()) return *fault;
  StudyEnding out;
  if (!run.start() && run.step_to(options.until).why == Simulation::Stop::Why::reached)
    out.y = values.of(run.state());
  out.evaluations = run.costs().total().f;
  return out;
}

}  // namespace

StudyTask mechanism_task(const System& system,
                         const Assembly& assembly,
                         const DynamicOptions& options,
                         const StudyChannels& channels,
                         std::vector<std::string>& names) {
  StudyTask task;
  task.span = options.until - assembly.state.t;
  const long most = task.most_evaluations;
  task.run = [&system, &assembly, options, channels, &names, most](double step, double rtol) {
    DynamicOptions changed = options;
    if (step > 0)
      changed.step = step;
    else
      changed.rtol = changed.atol = rtol;
    return run_to_end(system, assembly, changed, channels, most, &names);
  };
  return task;
}

Result<std::vector<double>> mechanism_truth(const System& system,
                                            const Assembly& assembly,
                                            const DynamicOptions& options,
                                            const StudyChannels& channels) {
  DynamicOptions exact;
  exact.where = options.where;
  exact.until = options.until;
  exact.formulation = "projected";
  exact.integrator = "dop853";
  exact.rtol = exact.atol = 3e-14;
  auto found = run_to_end(system, assembly, exact, channels, most_for_explicit, nullptr);
  if (!found) return found.why();
  if (!found.value().y.empty()) return found.value().y;
  exact.integrator = "radau5";
  exact.rtol = exact.atol = 1e-12;
  found = run_to_end(system, assembly, exact, channels, StudyTask{}.most_evaluations, nullptr);
  if (!found) return found.why();
  return found.value().y;
}

namespace {

struct Nowhere : Sink {
  Fault open(std::span<const Channel>) override { return {}; }

  Fault sample(double, std::span<const double>) override { return {}; }

  Fault checkpoint(double, std::span<const std::byte>) override { return {}; }

  bool checkpoint_due() const override { return false; }
};

}  // namespace

Result<std::vector<VariedPoint>> vary_option(const Model& model,
                                             const std::string& option,
                                             const std::vector<double>& values) {
  std::vector<VariedPoint> points;
  for (const double value : values) {
    Model varied = model;
    bool set = false;
    for (Analysis& analysis : varied.analyses) {
      if (!std::holds_alternative<DynamicOptions>(analysis)) continue;
      const OptionField* field = analysis_type(analysis).field(option);
      if (field == nullptr || field->key.kind != ValueKind::number) break;
      field->set(analysis, value, {});
      set = true;
    }
    if (!set) {
      Diagnostic d;
      d.id = "usage.bad-value";
      d.found = fmt::format("--vary {}", option);
      d.expected = "a numeric option of the model's dynamic analysis: alpha, step, rtol, ...";
      return d;
    }
    Nowhere nowhere;
    const Outcome out = run_model(varied, nowhere, {});
    const Summary& s = out.summary;
    if (s.status == "failed" && s.stats.steps == 0 && has_error(s.diagnostics))
      return s.diagnostics;
    points.push_back(
        {value, s.status, s.constraint, s.energy.max_imbalance, s.stats.rhs, s.stats.steps});
  }
  return points;
}

}  // namespace cardan
