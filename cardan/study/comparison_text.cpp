#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/json.h"
#include "cardan/study/comparison_report.h"

namespace cardan {

namespace {

using Line = std::vector<std::string>;
using Json = nlohmann::ordered_json;

std::string short_number(double x, int digits = 2) {
  return std::isnan(x) ? "-" : fmt::format("{:.{}g}", x, digits);
}

const Line head{"method",
                "setting",
                "error",
                "sup-norm",
                "variable",
                "at t [s]",
                "2-norm",
                "rel. err. %",
                "drift [m]",
                "energy [J]",
                "evaluations",
                "steps",
                "CPU [s]"};

Line line_of(const Trial& t) {
  return {t.method.name(),
          t.method.settings_text(),
          short_number(t.error.relative),
          fmt::format(
              "{}{}{}", short_number(t.error.sup), t.error.unit.empty() ? "" : " ", t.error.unit),
          t.error.channel,
          short_number(t.error.at, 4),
          short_number(t.error.two_norm),
          // Beside a reference of zero a percentage is nothing but large.
          t.error.percent > 100 && t.error.relative < 0.01 ? "-" : short_number(t.error.percent),
          short_number(t.drift),
          short_number(t.imbalance),
          fmt::format("{}", t.stats.rhs),
          fmt::format("{}", t.stats.steps),
          short_number(t.stats.cpu_seconds, 3)};
}

std::string aligned(const std::vector<Line>& lines, bool markdown) {
  std::vector<std::size_t> width(lines.front().size(), 3);
  for (const Line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  const auto is_text = [](std::size_t c) {
    return c == 0 || c == 1 || c == 4;
  };
  std::string out;
  for (std::size_t r = 0; r < lines.size(); ++r) {
    std::string row = markdown ? "|" : "";
    for (std::size_t c = 0; c < lines[r].size(); ++c) {
      const std::string cell = is_text(c) ? fmt::format("{:<{}}", lines[r][c], width[c])
                                          : fmt::format("{:>{}}", lines[r][c], width[c]);
      row += markdown ? " " + cell + " |" : (c > 0 ? "  " : "") + cell;
    }
    out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    std::string rule = markdown ? "|" : "";
    for (std::size_t c = 0; c < width.size(); ++c) {
      const std::string dashes(width[c] - (markdown && !is_text(c) ? 1 : 0), '-');
      rule += markdown ? " " + dashes + (is_text(c) ? " |" : ": |") : (c > 0 ? "  " : "") + dashes;
    }
    out += rule + "\n";
  }
  return out;
}

std::vector<Line> ranked_lines(const Comparison& c, bool winners) {
  std::vector<Line> lines{head};
  for (std::size_t k = winners ? 0 : c.winners; k < (winners ? c.winners : c.ranking.size()); ++k)
    lines.push_back(line_of(c.trials[c.ranking[k]]));
  return lines;
}

std::string value_text(const Contender& m) {
  return m.fixed ? fmt::format("{:.6g} s", m.setting) : fmt::format("{:.2g}", m.setting);
}

// A line a failing method and reason with all settings; what was not run is only counted.
std::vector<std::string> trouble(const Comparison& c) {
  std::vector<std::pair<std::string, std::string>> failed;  // method and reason, settings
  std::vector<std::pair<std::string, int>> skipped;
  for (const Trial& t : c.trials) {
    if (t.state == Trial::State::complete) continue;
    const auto add = [&](auto& list, const std::string& key) -> auto& {
      const auto same =
          std::find_if(list.begin(), list.end(), [&](const auto& f) { return f.first == key; });
      return same != list.end() ? same->second : (list.push_back({key, {}}), list.back().second);
    };
    if (t.state == Trial::State::skipped) {
      ++add(skipped, t.reason);
      continue;
    }
    std::string& settings = add(failed, t.method.name() + ": " + t.reason);
    settings += settings.empty() ? t.method.settings_text() : ", " + value_text(t.method);
  }
  std::vector<std::string> lines;
  for (const auto& [words, settings] : failed) lines.push_back(words + " (" + settings + ")");
  for (const auto& [reason, count] : skipped)
    lines.push_back(fmt::format("{} of {} runs {}", count, c.trials.size(), reason));
  return lines;
}

std::string reference_text(const Comparison& c) {
  std::string text = "Reference: " + c.reference.words;
  if (!std::isnan(c.reference.agreement))
    text += fmt::format(", which agree to {:.1g}", c.reference.agreement);
  return text + ".";
}

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json trial_json(const Trial& t) {
  static constexpr const char* states[] = {"complete", "failed", "not run"};
  Json json{{"formulation", t.method.formulation}, {"integrator", t.method.integrator}};
  if (t.method.order > 0) json["order"] = t.method.order;
  json[t.method.fixed ? "step" : "rtol"] = t.method.setting;
  json["status"] = states[static_cast<std::size_t>(t.state)];
  if (!t.reason.empty()) json["reason"] = t.reason;
  if (t.state == Trial::State::skipped) return json;
  json["error"] = {{"relative", number(t.error.relative)},
                   {"channel", t.error.channel},
                   {"unit", t.error.unit},
                   {"sup_norm", number(t.error.sup)},
                   {"at", t.error.at},
                   {"two_norm", number(t.error.two_norm)},
                   {"percent", number(t.error.percent)}};
  json["drift"] = {{"position", number(t.drift)}, {"velocity", number(t.velocity_drift)}};
  json["energy_imbalance"] = number(t.imbalance);
  json["evaluations"] = t.stats.rhs;
  json["steps"] = t.stats.steps;
  json["rejected"] = t.stats.rejected;
  json["cpu_seconds"] = number(t.stats.cpu_seconds);
  return json;
}

constexpr const char* step_definition =
    "largest given step with which every step of the run is solved, by bisection";

std::vector<Line> step_lines(const Comparison& c) {
  std::vector<Line> lines{{"method", "largest step [s]", "fails at [s]", "iterations a step"}};
  for (const StepLimit& limit : c.step_limits)
    lines.push_back({limit.method,
                     limit.found.step > 0 ? (limit.found.failed > 0 ? "" : "at least ") +
                                                short_number(limit.found.step, 3)
                                          : "none",
                     limit.found.failed > 0 ? short_number(limit.found.failed, 3) : "-",
                     short_number(limit.iterations(), 3)});
  return lines;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

}  // namespace

std::string comparison_text(const Comparison& c) {
  std::string text = reference_text(c) + "\n";
  if (c.winners > 0)
    text += fmt::format(
                "\nMethods within {:.2g}, cheapest first (of those alike, fewest evaluations "
                "first):\n\n",
                c.options.accuracy) +
            aligned(ranked_lines(c, true), false);
  if (c.winners < c.ranking.size())
    text += fmt::format("\nNot within {:.2g} with the settings tried, most exact first:\n\n",
                        c.options.accuracy) +
            aligned(ranked_lines(c, false), false);
  if (!c.step_limits.empty())
    text +=
        fmt::format("\nImplicit methods, {}:\n\n", step_definition) + aligned(step_lines(c), false);
  const auto lines = trouble(c);
  if (!lines.empty()) text += "\nFailed or not run:\n";
  for (const auto& line : lines) text += "  " + line + "\n";
  return text + "\n" + c.advice + "\n";
}

std::string comparison_markdown(const Comparison& c, const std::string& title) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}\n", title, c.advice, reference_text(c));
  text += "\n![Work and precision](work-precision.svg)\n\n![Constraint error](drift.svg)\n";
  if (c.winners > 0)
    text += fmt::format("\n## Methods within {:.2g}, cheapest first\n\n", c.options.accuracy) +
            aligned(ranked_lines(c, true), true);
  if (c.winners < c.ranking.size())
    text += fmt::format("\n## Not within {:.2g}, most exact first\n\n", c.options.accuracy) +
            aligned(ranked_lines(c, false), true);
  if (!c.step_limits.empty())
    text += fmt::format("\n## Implicit methods, {}\n\n", step_definition) +
            aligned(step_lines(c), true);
  const auto lines = trouble(c);
  if (!lines.empty()) text += "\n## Failed or not run\n\n";
  for (const auto& line : lines) text += "- " + line + "\n";
  return text;
}

std::string comparison_csv(const Comparison& c) {
  std::string out =
      "formulation,integrator,order,rtol,step [s],status,relative error,channel,sup-norm,unit,"
      "at [s],2-norm,relative error [%],position drift [m],velocity drift [m/s],"
      "energy imbalance [J],evaluations,steps,rejected,cpu [s],reason\n";
  static constexpr const char* states[] = {"complete", "failed", "not run"};
  for (const Trial& t : c.trials) {
    const Contender& m = t.method;
    out += fmt::format("{},{},{},{},{},{},",
                       m.formulation,
                       m.integrator,
                       m.order,
                       m.fixed ? "" : fmt::format("{}", m.setting),
                       m.fixed ? fmt::format("{}", m.setting) : "",
                       states[static_cast<std::size_t>(t.state)]);
    out += fmt::format("{},{},{},{},{},{},{},",
                       t.error.relative,
                       quoted(t.error.channel),
                       t.error.sup,
                       t.error.unit,
                       t.error.at,
                       t.error.two_norm,
                       t.error.percent);
    out += fmt::format("{},{},{},{},{},{},{},{}\n",
                       t.drift,
                       t.velocity_drift,
                       t.imbalance,
                       t.stats.rhs,
                       t.stats.steps,
                       t.stats.rejected,
                       t.stats.cpu_seconds,
                       quoted(t.reason));
  }
  return out;
}

Json comparison_json(const Comparison& c) {
  Json json{{"accuracy", c.options.accuracy},
            {"reference",
             {{"methods", c.reference.words},
              {"agreement", number(c.reference.agreement)},
              {"converged", c.reference.converged}}},
            {"complete", c.complete},
            {"seconds", c.seconds},
            {"advice", c.advice}};
  if (c.winners > 0) json["recommended"] = trial_json(c.trials[c.ranking.front()]);
  if (c.present) json["present"] = trial_json(*c.present);
  json["largest_steps"] = Json::array();
  for (const StepLimit& limit : c.step_limits)
    json["largest_steps"].push_back({{"method", limit.method},
                                     {"step", number(limit.found.step)},
                                     {"fails_at", number(limit.found.failed)},
                                     {"newton_iterations", limit.found.newton_iterations},
                                     {"steps", limit.found.steps}});
  json["ranking"] = Json::array();
  for (const std::size_t k : c.ranking) json["ranking"].push_back(trial_json(c.trials[k]));
  json["trials"] = Json::array();
  for (const Trial& t : c.trials) json["trials"].push_back(trial_json(t));
  return json;
}

}  // namespace cardan
