#include "run_session.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cardan/results/run_folder.h"
#include "cardan/results/stored_statistics.h"
#include "event_words.h"
#include "interrupt.h"
#include "open_page.h"
#include "progress.h"

namespace cardan::app {

namespace {

constexpr std::size_t most_modes_shown = 40;

std::string method_text(const Summary& s) {
  if (s.formulation.empty()) return s.analysis;
  return fmt::format("{} ({} with {})", s.analysis, s.formulation, s.integrator);
}

// What stands still, as a point that is pinned to the ground, says nothing about errors of what moves.
bool stands_still(const Summary& s, const std::string& channel) {
  constexpr double round_off = 1e-12;  // of the largest value of its unit, or of 1
  const auto own = std::find_if(
      s.channels.begin(), s.channels.end(), [&](const auto& c) { return c.channel == channel; });
  if (own == s.channels.end()) return false;
  double size = 1;
  for (const auto& c : s.channels)
    if (c.unit == own->unit) size = std::max({size, std::abs(c.least), std::abs(c.largest)});
  return own->largest - own->least <= round_off * size;
}

// The channels worth a line: the largest estimates of each quantity, by unit.
std::string estimate_text(const Summary& s) {
  const ErrorEstimate& e = s.error_estimate;
  if (e.method.empty()) return {};
  std::vector<const ChannelError*> worst;  // one per unit, in the order they appear
  for (const auto& c : e.channels) {
    if (stands_still(s, c.channel)) continue;
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

// How far the eigenvalues go, and where stability changes.
std::string locus_words(const RootLocus& x) {
  const std::string unit = x.unit.empty() ? "" : " " + x.unit;
  std::string text = fmt::format("    root locus over {}: {} values", x.parameter, x.points.size());
  if (!x.points.empty())
    text += fmt::format(", {:.6g} to {:.6g}{}, {} at first and {} at last",
                        x.points.front().value,
                        x.points.back().value,
                        unit,
                        x.points.front().stability,
                        x.points.back().stability);
  text += '\n';
  for (const StabilityChange& change : x.changes)
    text += fmt::format("      {} below {} = {:.10g}{}, {} above it\n",
                        change.from,
                        x.parameter,
                        change.value,
                        unit,
                        change.to);
  return text;
}

// One line a mode.
std::string linear_text(const LinearModel& x) {
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
  text += eigenvalue_slope_words(x);
  if (!x.along.empty())
    text += fmt::format(
        "    along the motion: {} times, {:.6g} to {:.6g} s; the matrices of each are in "
        "summary.json\n",
        x.along.size(),
        x.along.front().t,
        x.along.back().t);
  return x.locus ? text + locus_words(*x.locus) : text;
}

// The largest reactions; * marks those that are not unique.
std::string peaks_words(const std::vector<ReactionPeak>& peaks) {
  if (peaks.empty()) return "";
  std::size_t wide = 0, shown = 0;
  bool open = false;
  for (const ReactionPeak& p : peaks) wide = std::max(wide, p.element.size());
  std::string text = fmt::format("    {:<{}}  {:>14}       at t / s\n", "largest", wide, "");
  for (const ReactionPeak& p : peaks) {
    if (++shown > most_modes_shown) continue;
    open = open || !p.unique;
    text += fmt::format("    {:<{}}  {:>14.7g} {:<4} {:>9.6g}{}\n",
                        p.element,
                        wide,
                        p.largest,
                        p.unit,
                        p.at,
                        p.unique ? "" : "  *");
  }
  if (shown > most_modes_shown)
    text += fmt::format("    and {} more in summary.json\n", shown - most_modes_shown);
  if (open)
    text +=
        "    * not unique: equations are redundant. Shown is the split of least size; what all "
        "joints\n      do to a body together is unique: channels BODY.joints.*\n";
  return text;
}

constexpr std::size_t most_shown = 12;

// One line for each equilibrium and one for each body, as far as a person wants to read.
std::string equilibria_text(const std::vector<EquilibriumPoint>& list) {
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

constexpr std::size_t most_columns = 5, most_branches_shown = 16;

// A line a branch with the quantities that tell them apart.
std::string branches_text(const BranchList& list) {
  const std::size_t count = list.branches.size();
  std::string text = fmt::format("    {} branch{} from {} starts{}\n",
                                 count,
                                 count == 1 ? "" : "es",
                                 list.starts,
                                 list.more ? "; there may be more" : "");
  if (!list.held.empty())
    text += fmt::format("    kept as they are: {}\n", fmt::join(list.held, ", "));
  if (count < 2) return text;
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < list.quantities.size(); ++k)
    if (list.quantities[k].differs) shown.push_back(k);
  const std::size_t telling = shown.size();
  shown.resize(std::min(telling, most_columns));
  const auto title = [&](std::size_t k) {
    const BranchQuantity& q = list.quantities[k];
    return q.unit.empty() ? q.name : fmt::format("{} ({})", q.name, q.unit);
  };
  text += "    number  ";
  for (const std::size_t k : shown) text += fmt::format("  {:>14}", title(k));
  text += '\n';
  for (const AssemblyBranch& branch : list.branches) {
    if (static_cast<std::size_t>(branch.number) > most_branches_shown) break;
    text += fmt::format("    {:<6} {}", branch.number, branch.chosen ? "*" : " ");
    for (const std::size_t k : shown) {
      const double x = branch.values[k].value;
      text += fmt::format(
          "  {:>{}.8g}", std::abs(x) < 1e-12 ? 0 : x, std::max<std::size_t>(14, title(k).size()));
    }
    text += '\n';
  }
  if (count > most_branches_shown)
    text += fmt::format("    and {} more in summary.json\n", count - most_branches_shown);
  if (telling > shown.size())
    text += fmt::format("    and {} more quantities in summary.json\n", telling - shown.size());
  return text + "    * the start of this run; [assembly] branch = number chooses another\n";
}

// Angles in degrees, as people think of them.
std::string in_degrees(double x, const std::string& unit) {
  if (!std::isfinite(x)) return "without bound";
  if (unit == "rad") return fmt::format("{:.8g} deg", x * 57.29577951308232);
  return fmt::format("{:.8g}{}{}", x, unit.empty() ? "" : " ", unit);
}

std::string end_label(const std::string& how, const std::string& joint) {
  return joint.empty() ? how : fmt::format("{}, joint '{}'", how, joint);
}

std::string output_text(const RangeOutput& o, const DriverRange& range) {
  std::string text = o.kind == "crank" ? fmt::format("      {}: turns fully\n", o.name)
                                       : fmt::format("      {}: {} from {} to {}, stroke {}\n",
                                                     o.name,
                                                     o.kind,
                                                     in_degrees(o.least.value, o.unit),
                                                     in_degrees(o.most.value, o.unit),
                                                     in_degrees(o.stroke, o.unit));
  if (!o.dead_centres.empty()) {
    text += "        dead centres with the driver at ";
    for (std::size_t k = 0; k < o.dead_centres.size(); ++k)
      text += (k > 0 ? ", " : "") + in_degrees(o.dead_centres[k].driver, range.unit);
    if (std::isfinite(o.time_ratio)) text += fmt::format("; time ratio {:.8g}", o.time_ratio);
    text += '\n';
  }
  const std::string unit = o.unit == range.unit ? "" : fmt::format("{}/{}", o.unit, range.unit);
  const auto ratio = [&](const RangePlace& place) {
    if (!std::isfinite(place.value)) return std::string("without bound");
    return fmt::format("{:.6g}", place.value);
  };
  return text + fmt::format("        velocity ratio {} (at {}) to {} (at {}){}{}\n",
                            ratio(o.least_ratio),
                            in_degrees(o.least_ratio.driver, range.unit),
                            ratio(o.most_ratio),
                            in_degrees(o.most_ratio.driver, range.unit),
                            unit.empty() ? "" : " ",
                            unit);
}

std::string range_text(const DriverRange& range) {
  std::string text = range.kind == "crank"
                         ? fmt::format("    driver '{}': crank, turns fully\n", range.driver)
                         : fmt::format("    driver '{}': {} from {} ({}) to {} ({})\n",
                                       range.driver,
                                       range.kind,
                                       in_degrees(range.from, range.unit),
                                       end_label(range.from_end, range.from_joint),
                                       in_degrees(range.to, range.unit),
                                       end_label(range.to_end, range.to_joint));
  for (const SingularPose& pose : range.singular_poses)
    text += fmt::format(
        "      {} at {}, joint '{}'\n", pose.kind, in_degrees(pose.t, range.unit), pose.joint);
  for (const RangeOutput& o : range.outputs) text += output_text(o, range);
  for (const TransmissionAngle& a : range.transmission)
    text += fmt::format(
        "      transmission angle of '{}' on '{}': {} to {}, farthest from 90 deg {} (driver at "
        "{})\n",
        a.coupler,
        a.output,
        in_degrees(a.least.value, "rad"),
        in_degrees(a.most.value, "rad"),
        in_degrees(a.worst.value, "rad"),
        in_degrees(a.worst.driver, range.unit));
  return text;
}

std::string solved_text(const SolvedSetting& x) {
  return fmt::format("    {} = {:.10g}{}{} makes this pose the equilibrium\n",
                     x.name,
                     x.value,
                     x.unit.empty() ? "" : " ",
                     x.unit);
}

std::string analysis_text(const Summary& s) {
  std::string text = fmt::format("  {}: {}, t = {:.6g} s", method_text(s), s.status, s.t_end);
  if (s.stats.steps > 0)
    text += fmt::format(
        ", {} steps, {} rejected, {:.3g} s", s.stats.steps, s.stats.rejected, s.stats.wall_seconds);
  text += '\n';
  const bool looked = s.status != "failed" || s.constraint.max_position > 0 || s.stats.steps > 0;
  if (std::isfinite(s.constraint.max_position) && looked)
    text += fmt::format("    constraints kept to {:.2g} m in position{}\n",
                        s.constraint.max_position,
                        std::isfinite(s.constraint.max_velocity)
                            ? fmt::format(", {:.2g} m/s in velocity", s.constraint.max_velocity)
                            : "");
  if (std::isfinite(s.energy.max_imbalance) && s.stats.steps > 0)
    text +=
        fmt::format("    energy {:.6g} J at the start, {:.6g} J at the end, balance to {:.2g} J\n",
                    s.energy.initial,
                    s.energy.final,
                    s.energy.max_imbalance);
  text += peaks_words(s.reaction_peaks);
  if (s.rows.error > 1.01e-3)
    text += fmt::format(
        "    {} rows: lines through them leave a channel by up to {:.2g} % of its range; more with "
        "max_rows\n",
        s.rows.stored,
        100 * s.rows.error);
  if (s.linear) text += linear_text(*s.linear);
  if (s.branches) text += branches_text(*s.branches);
  for (const DriverRange& range : s.range) text += range_text(range);
  if (s.solved) text += solved_text(*s.solved);
  return text + equilibria_text(s.equilibria) + estimate_text(s);
}

}  // namespace

std::string summary_words(const Summary& summary) {
  std::string text;
  if (const std::string changed = changed_words(summary.changed); !changed.empty())
    text += fmt::format("  changed for this run: {}\n", changed);
  for (const auto& before : summary.earlier) text += analysis_text(before);
  return text + analysis_text(summary);
}

namespace {

std::string outcome_text(const Outcome& outcome, const std::filesystem::path& folder) {
  std::string text = folder.empty() ? "" : folder.string() + "\n";
  if (outcome.summary.final.empty()) return text;
  text += summary_words(outcome.summary);
  if (!folder.empty())
    if (const auto run = RunReader::open(folder)) text += event_words(run.value());
  if (outcome.summary.status == "interrupted")
    text += fmt::format("  to go on: cardan resume {}\n", folder.string());
  return text;
}

}  // namespace

int run_session(const std::function<Result<RunResult>(const Control&)>& run,
                const Console& console,
                bool strict,
                bool open) {
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
  console.print(console.quiet() ? folder.string() + "\n" : outcome_text(outcome, folder));
  nlohmann::ordered_json json{{"folder", folder.string()}};
  json.update(to_json(outcome.summary));
  console.print_json("summary", json);
  if (const auto page = folder / report_name; open && !folder.empty()) {
    std::error_code error;
    if (std::filesystem::exists(page, error))
      if (const auto fault = open_page(page)) console.report(*fault);
  }
  return strict && outcome.doubtful() ? 6 : outcome.exit_code();
}

void add_output(CommandLine& line, OutputSetting& output) {
  const Described folder = line.option(
      "-o,--output", output.folder, "The run's folder; without it runs/<model>/<number>");
  line.flag("--force", output.force, "Replace a run that is in the folder").needs(folder);
  line.flag("--csv", output.csv, "Write samples.csv too");
  line.flag("!--no-report", output.report, "Leave out report.html");
}

}  // namespace cardan::app
