// One run in memory for a comparison, and its distance from another.
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>

#include <fmt/format.h>

#include "cardan/results/run_reader.h"
#include "cardan/study/comparison.h"

namespace cardan {

namespace {

constexpr double same_time = 1e-9;  // relative to the distance of the samples

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Keeps the chosen variables of the analysis that was opened last.
class Keeper : public Sink {
 public:
  explicit Keeper(const std::vector<std::string>& patterns) : patterns_(patterns) {}

  Fault open(std::span<const Channel> channels) override {
    run = {};
    drifts.clear();
    chosen_.clear();
    residual_ = -1;
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (channels[k].name == "residual.position") residual_ = static_cast<int>(k);
    if (patterns_.empty()) {
      for (std::size_t k = 0; k < channels.size(); ++k)
        if (channels[k].quantity == "position") chosen_.push_back(static_cast<int>(k));
    } else {
      auto selected = select_channels(channels, patterns_);
      if (!selected) return selected.why().front();
      chosen_ = std::move(selected).value();
    }
    for (const int k : chosen_) run.channels.push_back(channels[static_cast<std::size_t>(k)]);
    started = thread_seconds();
    return {};
  }

  Fault sample(double t, std::span<const double> row) override {
    run.times.push_back(t);
    std::vector<double> kept;
    kept.reserve(chosen_.size());
    for (const int k : chosen_) kept.push_back(row[static_cast<std::size_t>(k)]);
    run.rows.push_back(std::move(kept));
    if (residual_ >= 0) drifts.push_back(row[static_cast<std::size_t>(residual_)]);
    return {};
  }

  Trajectory run;
  std::vector<double> drifts;
  double started = 0;

 private:
  const std::vector<std::string>& patterns_;
  std::vector<int> chosen_;
  int residual_ = -1;
};

// Everything after the last dynamic analysis is left out, and every channel is there.
Model prepared(const Model& given, const Contender& method) {
  Model model = given;
  while (!model.analyses.empty() && !std::holds_alternative<DynamicOptions>(model.analyses.back()))
    model.analyses.pop_back();
  for (auto& analysis : model.analyses)
    if (auto* options = std::get_if<DynamicOptions>(&analysis))
      *options = with_method(*options, method), options->rows = "grid";
  model.output_channels.clear();
  return model;
}

std::string reason_of(const Summary& summary, bool late, double seconds) {
  if (late) return fmt::format("stopped after {:.2g} s, at t = {:.4g} s", seconds, summary.t_end);
  for (auto d = summary.diagnostics.rbegin(); d != summary.diagnostics.rend(); ++d)
    if (d->severity == Severity::error) {
      std::string text = d->element.empty() ? d->found : d->element + ": " + d->found;
      if (std::isfinite(d->t)) text += fmt::format(" at t = {:.4g} s", d->t);
      return text + " [" + d->id + "]";
    }
  return summary.status;
}

}  // namespace

TrialRun try_method(const Model& given,
                    const Contender& method,
                    const std::vector<std::string>& channels,
                    double seconds,
                    const std::function<bool()>& cancelled) {
  const Model model = prepared(given, method);
  Keeper keeper(channels);
  const auto start = std::chrono::steady_clock::now();
  bool late = false;
  Control control;
  control.watch = false;  // what is compared is the cost of the method
  control.cancelled = [&] {
    const double passed =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    late = late || passed > seconds;
    return late || (cancelled && cancelled());
  };
  const Outcome outcome = run_model(model, keeper, control);
  const double cpu = thread_seconds() - keeper.started;
  TrialRun out;
  Trial& trial = out.trial;
  trial.method = method;
  trial.stats = outcome.summary.stats;
  trial.stats.cpu_seconds = cpu;
  trial.drift = outcome.summary.constraint.max_position;
  trial.velocity_drift = outcome.summary.constraint.max_velocity;
  trial.imbalance = outcome.summary.energy.max_imbalance;
  trial.times = keeper.run.times;
  trial.drifts = std::move(keeper.drifts);
  out.run = std::move(keeper.run);
  trial.too_slow = late;
  trial.state = ended_well(outcome.summary) ? Trial::State::complete : Trial::State::failed;
  if (trial.state == Trial::State::failed) trial.reason = reason_of(outcome.summary, late, seconds);
  return out;
}

ErrorNorms error_norms(const Trajectory& reference, const Trajectory& run, double length) {
  std::map<std::string, double> scale;  // of all variables of a kind and unit
  const std::size_t n = reference.channels.size();
  const auto kind = [&](std::size_t k) {
    return reference.channels[k].quantity + " " + reference.channels[k].unit;
  };
  for (std::size_t k = 0; k < n; ++k) {
    const std::string& unit = reference.channels[k].unit;
    scale[kind(k)] = unit == "m" ? length : unit == "rad" || unit.empty() ? 1 : 0;
  }
  for (const auto& row : reference.rows)
    for (std::size_t k = 0; k < n; ++k) {
      double& s = scale[kind(k)];
      s = std::max(s, std::abs(row[k]));
    }
  std::vector<double> sup(n, 0), at(n, 0), there(n, 0), squares(n, 0);
  std::size_t i = 0, matched = 0;
  for (std::size_t r = 0; r < reference.rows.size(); ++r) {
    const double t = reference.times[r];
    const double slack = same_time * std::abs(reference.times.back() - reference.times.front()) /
                         static_cast<double>(std::max<std::size_t>(1, reference.rows.size() - 1));
    const double way = reference.times.back() >= reference.times.front() ? 1 : -1;
    while (i < run.times.size() && (t - run.times[i]) * way > slack) ++i;
    if (i == run.times.size() || std::abs(run.times[i] - t) > slack) continue;
    ++matched;
    for (std::size_t k = 0; k < n; ++k) {
      const double e = std::abs(run.rows[i][k] - reference.rows[r][k]);
      squares[k] += e * e;
      if (!(e <= sup[k])) sup[k] = e, at[k] = t, there[k] = reference.rows[r][k];
    }
    ++i;
  }
  ErrorNorms worst;
  if (matched == 0 || run.channels.size() != n) return worst;
  for (std::size_t k = 0; k < n; ++k) {
    const double s = scale[kind(k)];
    const double relative = s > 0 ? sup[k] / s : sup[k];
    if (relative <= worst.relative) continue;
    worst = {reference.channels[k].name,
             reference.channels[k].unit,
             sup[k],
             at[k],
             std::sqrt(squares[k]),
             there[k] != 0 ? 100 * sup[k] / std::abs(there[k]) : Summary::unknown,
             relative};
  }
  return worst;
}

}  // namespace cardan
