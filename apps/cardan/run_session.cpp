#include "run_session.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "interrupt.h"
#include "progress.h"

namespace cardan::app {

namespace {

constexpr std::size_t most_modes_shown = 40;

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

// One line for each parameter and mode, where sensitivities were asked for.
std::string eigenvalue_slope_words(const LinearModel& x) {
  if (x.sensitivities.empty()) return "";
  std::string text = fmt::format("    {:>29}  {:>29}\n", "eigenvalue (1/s)", "its derivative");
  for (const EigenvalueSlopes& by : x.sensitivities) {
    std::size_t shown = 0;
    for (std::size_t k = 0; k < x.eigenvalues.size() && k < by.derivatives.size(); ++k) {
      const auto [re, im] = x.eigenvalues[k];
      if (im < 0 || (re == 0 && im == 0) || ++shown > most_modes_shown) continue;
      const auto [d_re, d_im] = by.derivatives[k];
      text += fmt::format(
          "    {:>29}  {:>29}  by {}{}{}\n",
          im == 0 ? fmt::format("{:.6g}", re) : fmt::format("{:.6g} + {:.6g} i", re, im),
          im == 0 ? fmt::format("{:.6g}", d_re)
                  : fmt::format("{:.6g} {} {:.6g} i", d_re, d_im < 0 ? '-' : '+', std::abs(d_im)),
          by.parameter,
          by.unit.empty() ? "" : ", per ",
          by.unit);
    }
  }
  return text;
}

// One line a mode.
std::string linear_words(const LinearModel& x) {
  std::string text = fmt::format("    about: {}", x.about);
  if (!x.stability.empty()) text += ", " + x.stability;
  text += '\n';
  if (x.modes.empty()) return text + "    no free motion, no eigenvalues\n";
  text += fmt::format(
      "    {:>29}  {:>12}  {:>12}  {:>10}\n", "eigenvalue (1/s)", "rad/s", "Hz", "damping");
  std::size_t shown = 0;
  for (const VibrationMode& mode : x.modes) {
    if (mode.omega == 0) continue;
    if (++shown > most_modes_shown) continue;
    const auto [re, im] = mode.eigenvalue;
    text +=
        fmt::format("    {:>29}  {:>12.6g}  {:>12.6g}  {:>10.4g}\n",
                    im == 0 ? fmt::format("{:.6g}", re) : fmt::format("{:.6g} +- {:.6g} i", re, im),
                    mode.omega,
                    mode.frequency,
                    mode.damping_ratio);
  }
  if (shown > most_modes_shown)
    text += fmt::format("    and {} more in summary.json\n", shown - most_modes_shown);
  if (x.neutral > 0)
    text += fmt::format("    {} eigenvalue{} zero\n", x.neutral, x.neutral == 1 ? " is" : "s are");
  return text + eigenvalue_slope_words(x);
}

constexpr std::size_t most_shown = 12;

// One line for each equilibrium and one for each body, as far as a person wants to read.
std::string equilibria_words(const std::vector<EquilibriumPoint>& list) {
  std::string text;
  std::size_t shown = 0;
  for (const EquilibriumPoint& e : list) {
    if (shown++ == most_shown) {
      text += fmt::format("    and {} more, see summary.json\n", list.size() - most_shown);
      break;
    }
    text += fmt::format("    equilibrium {}: {}", shown, e.kind);
    if (std::isfinite(e.potential)) text += fmt::format(", potential {:.9g} J", e.potential);
    text += '\n';
    for (std::size_t k = 0; k < std::min(e.coordinates.size(), most_shown); ++k) {
      text += fmt::format("      {:<16}", e.coordinates[k].body);
      for (const double x : e.coordinates[k].q)
        text += fmt::format(" {:>14.9g}", std::abs(x) < 1e-15 ? 0.0 : x);
      text += '\n';
    }
    if (e.coordinates.size() > most_shown)
      text += fmt::format("      and {} more bodies\n", e.coordinates.size() - most_shown);
  }
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
  if (s.linear) text += linear_words(*s.linear);
  return text + equilibria_words(s.equilibria) + estimate_words(s.error_estimate);
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

}  // namespace

int run_session(const std::function<Result<RunResult>(const Control&)>& run,
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
  const auto result = run(control);
  progress.clear();
  if (!result) return console.fail(result.why());
  const std::filesystem::path& folder = result.value().folder;
  const Outcome& outcome = result.value().outcome;
  if (result.value().was_complete) {
    console.print(fmt::format("{} is complete, there is nothing to do\n", folder.string()));
    console.print_json("complete", {{"folder", folder.string()}});
    return 0;
  }
  console.report(outcome.summary.diagnostics);
  console.print(outcome_words(outcome, folder));
  nlohmann::ordered_json json{{"folder", folder.string()}};
  json.update(to_json(outcome.summary));
  console.print_json("summary", std::move(json));
  return strict && outcome.doubtful() ? 6 : outcome.exit_code();
}

void add_output(CommandLine& line, OutputSetting& output) {
  line.option("-o,--output", output.folder, "The run's folder; without it runs/<model>/<number>");
  line.flag("--force", output.force, "Replace a run that is in the folder");
  line.flag("--csv", output.csv, "Write samples.csv too");
  line.flag("!--no-report", output.report, "Leave out report.html");
}

}  // namespace cardan::app
