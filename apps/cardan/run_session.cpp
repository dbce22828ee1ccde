#include "run_session.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/error_estimate.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_reader.h"
#include "interrupt.h"
#include "progress.h"

namespace cardan::app {

namespace {

std::string method_words(const Summary& s) {
  if (s.formulation.empty()) return s.analysis;
  return fmt::format("{} ({} with {})", s.analysis, s.formulation, s.integrator);
}

// The channels worth a line: the largest estimates of each quantity, by unit.
std::string estimate_words(const ErrorEstimate& e) {
  if (e.method.empty()) return {};
  std::vector<const ChannelError*> worst;  // one per unit, in the order they appear
  for (const auto& c : e.channels) {
    auto same = std::find_if(
        worst.begin(), worst.end(), [&](const ChannelError* w) { return w->unit == c.unit; });
    if (same == worst.end())
      worst.push_back(&c);
    else if (c.largest > (*same)->largest)
      *same = &c;
  }
  std::string text = fmt::format("    estimated errors ({}):\n", e.method);
  for (const auto* c : worst)
    text += fmt::format("      at most {:.2g}{}{} ({} at t = {:.6g} s)\n",
                        c->largest,
                        c->unit.empty() ? "" : " ",
                        c->unit,
                        c->channel,
                        c->at);
  return text;
}

std::string analysis_words(const Summary& s) {
  std::string text = fmt::format("  {}: {}, t = {:.6g} s", method_words(s), s.status, s.t_end);
  if (s.stats.steps > 0)
    text += fmt::format(
        ", {} steps, {} rejected, {:.3g} s", s.stats.steps, s.stats.rejected, s.stats.wall_seconds);
  text += '\n';
  if (std::isfinite(s.constraint.max_position))
    text += fmt::format("    constraints kept to {:.2g} in position{}\n",
                        s.constraint.max_position,
                        std::isfinite(s.constraint.max_velocity)
                            ? fmt::format(", {:.2g} in velocity", s.constraint.max_velocity)
                            : "");
  if (std::isfinite(s.energy.max_imbalance) && s.stats.steps > 0)
    text +=
        fmt::format("    energy {:.6g} J at the start, {:.6g} J at the end, balance to {:.2g} J\n",
                    s.energy.initial,
                    s.energy.final,
                    s.energy.max_imbalance);
  return text + estimate_words(s.error_estimate);
}

std::string outcome_words(const Outcome& outcome, const std::filesystem::path& folder) {
  std::string text = folder.empty() ? "" : folder.string() + "\n";
  if (outcome.summary.final.empty()) return text;
  for (const auto& before : outcome.summary.earlier) text += analysis_words(before);
  text += analysis_words(outcome.summary);
  if (outcome.summary.status == "interrupted")
    text += fmt::format("  to go on: cardan resume {}\n", folder.string());
  return text;
}

// For the report's page on mobility.
nlohmann::ordered_json mobility_json(const Outcome& outcome) {
  const Mobility& m = outcome.mobility;
  auto redundancies = nlohmann::ordered_json::array();
  for (const Redundancy& r : m.redundant)
    redundancies.push_back({{"any_one_of", r.words}, {"always", r.structural}});
  return {{"bodies", m.bodies},
          {"coordinates", m.coordinates},
          {"equations", m.equations},
          {"dof", m.dof},
          {"redundant", m.redundant.size()},
          {"counted_dof", m.counted_dof},
          {"free", m.free_coordinates},
          {"redundancies", redundancies},
          {"not_unique", m.not_unique},
          {"distance_to_singular", m.distance_to_singular},
          {"text", outcome.mobility_words}};
}

// The samples of the run as they were stored a moment ago.
class Samples : public StoredRows {
 public:
  explicit Samples(RunReader reader) : reader_(std::move(reader)) {}

  Sink::Fault open(int analysis) override {
    if (analysis >= static_cast<int>(reader_.segments().size()))
      return not_a_run(reader_.path(), "the samples of an analysis are not there");
    rows_.emplace(reader_, analysis);
    return {};
  }

  bool next(double& t, std::span<double> row) override { return rows_->next(t, row); }

 private:
  RunReader reader_;
  std::optional<RowCursor> rows_;
};

Sink::Fault estimate(const Model& model,
                     RunOutput& output,
                     Outcome& outcome,
                     const Control& control) {
  if (auto fault = output.publish()) return fault;
  auto reader = RunReader::open(output.folder());
  if (!reader) return reader.why().front();
  Samples samples(std::move(reader).value());
  estimate_errors(
      model,
      outcome,
      samples,
      [&](int analysis, std::span<const double> row) { return output.estimate(analysis, row); },
      control);
  return {};
}

}  // namespace

int run_session(const Model& model,
                RunOutput& output,
                std::span<const std::byte> checkpoint,
                const Console& console,
                bool strict) {
  catch_interrupt();
  Progress progress(console);
  Control control;
  control.cancelled = [] {
    return interrupted();
  };
  control.progress = [&](double t, double from, double until) {
    progress.update(t, from, until);
  };
  Outcome outcome = run_model(model, output, control, checkpoint);
  if (wants_error_estimate(model) && ended_well(outcome.summary)) {
    if (const auto fault = estimate(model, output, outcome, control))
      outcome.summary.diagnostics.push_back(*fault);
  }
  progress.clear();

  output.keep("mobility", mobility_json(outcome));
  if (const auto fault = output.finish(outcome.summary))
    outcome.summary.diagnostics.push_back(*fault);
  console.report(outcome.summary.diagnostics);
  console.print(outcome_words(outcome, output.folder()));
  nlohmann::ordered_json json{{"folder", output.folder().string()}};
  json.update(to_json(outcome.summary));
  console.print_json("summary", std::move(json));
  return strict && outcome.doubtful() ? 6 : outcome.exit_code();
}

}  // namespace cardan::app
