// cardan ode "T = ..." "V = ..." "0 = ...": equations of motion from energies and constraints, written
// as a model of coordinates (docs/user-guide/equations.md) and run as one. "Q_x = ..." is a force
// along x.
#include "command_ode_energy.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
#include "cardan/io/read_model.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

struct Sides {
  std::string left, right;
};

std::string stripped(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return std::string(s);
}

Sides sides_of(const std::string& equation) {
  const std::size_t at = equation.find('=');
  if (at == std::string::npos) return {stripped(equation), ""};
  return {stripped(equation.substr(0, at)), stripped(equation.substr(at + 1))};
}

// Names with a prime, in order of appearance.
void add_primed(const std::string& text, std::vector<std::string>& names) {
  for (std::size_t i = text.find('\''); i != std::string::npos; i = text.find('\'', i + 1)) {
    std::size_t from = i;
    while (from > 0 &&
           (std::isalnum(static_cast<unsigned char>(text[from - 1])) || text[from - 1] == '_'))
      --from;
    const std::string name = text.substr(from, i - from);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class EnergyModel {
 public:
  Diagnostics faults;

  std::string write(const OdeTexts& texts, const OdeOptions& o) {
    find_coordinates(texts);
    std::string out = parameters(texts) + coordinates(texts) + equations(texts);
    for (const NamedText& e : texts.events) out += event(e);
    for (std::size_t k = 0; k < texts.shown.size(); ++k) {
      const NamedText& s = texts.shown[k];
      shown.push_back(s.name.empty() ? fmt::format("shown{}", k + 1) : s.name);
      out += request(shown.back(), s.text);
    }
    return out + analysis(texts, o);
  }

  std::vector<std::string> names, constraints, shown;
  std::vector<EnergyEvent> events;

 private:
  void fault(std::string found, std::string expected) {
    faults.push_back(usage_fault("usage.bad-value", std::move(found), ""));
    faults.back().expected = std::move(expected);
  }

  void find_coordinates(const OdeTexts& texts) {
    for (const NamedText& e : texts.equations) add_primed(e.text, names);
    for (const NamedText& s : texts.start) {
      const std::string name = s.name.substr(0, s.name.find('\''));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }

  static std::string parameters(const OdeTexts& texts) {
    std::string out = "[parameters]\n";
    for (const NamedText& p : texts.parameters)
      out += fmt::format("{} = {}\n", in_quotes(p.name), in_quotes(p.text));
    return out;
  }

  std::string coordinates(const OdeTexts& texts) const {
    std::string out;
    for (const std::string& name : names) {
      out += fmt::format("[[coordinate]]\nname = {}\n", in_quotes(name));
      for (const NamedText& s : texts.start) {
        if (s.name == name) out += fmt::format("initial = {}\n", in_quotes(s.text));
        if (s.name == name + "'") out += fmt::format("rate = {}\n", in_quotes(s.text));
      }
    }
    return out;
  }

  std::string equations(const OdeTexts& texts) {
    std::string out = "[equations]\n", conditions;
    std::vector<std::string> forces(names.size(), "0");
    for (const NamedText& e : texts.equations) {
      const Sides s = sides_of(e.text);
      const auto along = s.left.starts_with("Q_")
                             ? std::find(names.begin(), names.end(), s.left.substr(2))
                             : names.end();
      if (s.left == "T") {
        out += fmt::format("kinetic = {}\n", in_quotes(s.right));
      } else if (s.left == "V") {
        out += fmt::format("potential = {}\n", in_quotes(s.right));
      } else if (s.left == "0") {
        constraints.push_back(fmt::format("constraint{}", constraints.size() + 1));
        conditions += fmt::format("[[constraint]]\nname = {}\nformula = {}\n",
                                  in_quotes(constraints.back()),
                                  in_quotes(s.right));
      } else if (along != names.end()) {
        forces[static_cast<std::size_t>(along - names.begin())] = s.right;
      } else {
        fault(fmt::format("'{}' beside energies", e.text),
              "T = ..., V = ..., 0 = ..., and Q_x = ... for a force along the coordinate x");
      }
    }
    out += "forces = [";
    for (const std::string& f : forces) out += in_quotes(f) + ", ";
    return out + "]\n" + conditions;
  }

  // "x = 1e-9", "x.rate = 1e-6", as models say it.
  static std::string each(const std::vector<NamedText>& list) {
    std::string out;
    for (const NamedText& e : list) {
      const bool rate = e.name.ends_with('\'');
      const std::string name = rate ? e.name.substr(0, e.name.size() - 1) + ".rate" : e.name;
      out += in_quotes(name + " = " + e.text) + ", ";
    }
    return out;
  }

  static std::string integrator(const std::string& name, const OdeOptions& o) {
    const std::pair<const char*, const std::string*> numbers[] = {{"alpha", &o.alpha},
                                                                  {"beta", &o.beta},
                                                                  {"gamma", &o.gamma},
                                                                  {"rho_infinity", &o.rho},
                                                                  {"variant", &o.variant},
                                                                  {"start", &o.starter}};
    std::string more;
    for (const auto& [key, text] : numbers)
      if (!text->empty()) more += fmt::format(", {} = {}", key, in_quotes(*text));
    if (o.order > 0) more += fmt::format(", order = {}", o.order);
    if (name.empty() && more.empty()) return {};
    return fmt::format(
        "integrator = {{name = {}{}}}\n", in_quotes(name.empty() ? "auto" : name), more);
  }

  static std::string request(const std::string& name, const std::string& formula) {
    return fmt::format("[[request]]\ntype = \"expression\"\nname = {}\nvalue = {}\n",
                       in_quotes(name),
                       in_quotes(formula));
  }

  // "g", "g rising", "g falling: x' -> -0.8*x', y -> 0", "g: stop"
  std::string event(const NamedText& e) {
    EnergyEvent made;
    const std::size_t colon = e.text.find(':');
    made.text = stripped(e.text.substr(0, colon));
    std::string condition = made.text;
    for (const auto& [word, way] :
         {std::pair{" rising", Crossing::rising}, std::pair{" falling", Crossing::falling}}) {
      if (!condition.ends_with(word)) continue;
      made.direction = way;
      condition = stripped(condition.substr(0, condition.rfind(word)));
    }
    const std::string value = fmt::format("event{}_value", events.size() + 1);
    made.side = fmt::format("event{}_side", events.size() + 1);
    std::string out =
        request(value, condition) +
        fmt::format("[[state]]\nname = {}\nrate = \"if({} > 0, 1, 0)\"\nerror_control = false\n",
                    in_quotes(made.side),
                    value);
    if (colon != std::string::npos) out += consequences(e.text.substr(colon + 1), made);
    events.push_back(std::move(made));
    return out;
  }

  std::string consequences(const std::string& text, EnergyEvent& event) {
    if (stripped(text) == "stop") {
      event.stop = true;
      return {};
    }
    std::string out;
    for (const std::string& part : split_list(text)) {
      const std::size_t arrow = part.find("->");
      const std::string left =
          arrow == std::string::npos ? "" : stripped(std::string_view(part).substr(0, arrow));
      const bool rate = left.ends_with('\'');
      const auto coordinate =
          std::find(names.begin(), names.end(), rate ? left.substr(0, left.size() - 1) : left);
      if (coordinate == names.end()) {
        fault(fmt::format("'{}' behind an event", stripped(part)),
              "stop, or x -> FORMULA, x' -> FORMULA with coordinates, several separated by commas");
        continue;
      }
      const std::string name =
          fmt::format("event{}_change{}", events.size() + 1, event.changes.size() + 1);
      event.changes.push_back({static_cast<std::size_t>(coordinate - names.begin()), rate, name});
      out += request(name, stripped(std::string_view(part).substr(arrow + 2)));
    }
    return out;
  }

  std::string analysis(const OdeTexts& texts, const OdeOptions& o) {
    std::string out;
    if (!texts.from.text.empty())
      out += fmt::format("[assembly]\ntime = {}\n", in_quotes(texts.from.text));
    out += "[[analysis]]\ntype = \"dynamic\"\n";
    if (texts.until.text.empty()) fault("no end time", "give --until");
    const auto say = [&](const char* key, const std::string& text) {
      if (!text.empty()) out += fmt::format("{} = {}\n", key, in_quotes(text));
    };
    say("until", texts.until.text);
    say("step", texts.step.text);
    say("max_step", texts.max_step.text);
    say("rtol", texts.rtol.text);
    say("atol", texts.atol.text);
    say("output_step", texts.output_step.text);
    say("formulation", o.formulation);
    out += integrator(texts.integrator, o);
    if (texts.norm_control) out += "norm_control = true\n";
    say("min_step", texts.min_step.text);
    if (!texts.atol_each.empty()) out += "atol_each = [" + each(texts.atol_each) + "]\n";
    const bool more = !texts.exact.empty() || o.steps || o.differences || o.study;
    if (more)
      fault(
          "an option of equations x' = ... with equations from energies",
          "--set, --start, --show, --event, --from, --until, --integrator, --formulation, --order, "
          "--step, --rtol, --atol, --norm-control, --max-step, --min-step, --output-step, --alpha, "
          "--beta, --gamma, --rho, --variant, --starter, --csv, --plot, --phase",
          "a model file of coordinates and equations can say more");
    return out;
  }

  void fault(std::string found, std::string expected, std::string hint) {
    fault(std::move(found), std::move(expected));
    faults.back().hint = std::move(hint);
  }
};

}  // namespace

namespace {

EventRun run_plain(const Model& model, EnergyTable& table) {
  const Outcome run = run_model(model, table, {});
  const Summary& s = run.summary;
  return {.diagnostics = s.diagnostics,
          .complete = ended_well(s),
          .t = s.t_end,
          .formulation = s.formulation,
          .integrator = s.integrator,
          .imbalance = s.energy.max_imbalance,
          .violation = s.constraint.max_position,
          .exit_code = run.exit_code()};
}

}  // namespace

bool has_energies(const OdeTexts& texts) {
  bool kinetic = false;
  for (const NamedText& e : texts.equations) {
    const Sides s = sides_of(e.text);
    if (s.left.ends_with('\'')) return false;
    kinetic = kinetic || (s.left == "T" && s.right.find('\'') != std::string::npos);
  }
  return kinetic;
}

int run_energies(const OdeTexts& texts, const OdeOptions& o, const Console& console) {
  EnergyModel writer;
  const std::string text = writer.write(texts, o);
  if (!writer.faults.empty()) return console.fail(writer.faults);
  auto model = read_model_text(text, "equations");
  if (!model) return console.fail(model.why());
  std::vector<std::string> wanted = writer.names;
  for (const std::string& name : writer.names) wanted.push_back(name + ".rate");
  for (const std::string& name : writer.constraints) wanted.push_back(name + ".lambda");
  wanted.insert(wanted.end(), writer.shown.begin(), writer.shown.end());
  EnergyTable table(wanted, o.csv, console);
  if (o.stop_at_event && writer.events.empty())
    return console.fail(
        {usage_fault("usage.bad-option", "--stop-at-event without an event", "--event FORMULA")});
  for (EnergyEvent& e : writer.events) e.stop = e.stop || o.stop_at_event;
  const EventRun out = writer.events.empty() ? run_plain(model.value(), table)
                                             : run_with_events(model.value(), writer.events, table);
  for (const Diagnostic& d : out.diagnostics)
    if (d.severity != Severity::error) console.report(d);
  Json events = Json::array();
  std::string text_of_events;
  for (const auto& [t, what] : out.seen) {
    events.push_back({{"t", t}, {"event", what}});
    text_of_events +=
        fmt::format("{} at t = {:.15g}\n", what.ends_with("ing") ? what : what + " = 0", t);
  }
  if (!o.csv && out.complete)
    console.print(
        text_of_events +
        fmt::format("{} with {}; largest residual of the constraints {:.3g}, imbalance of "
                    "the energy {:.3g}\n",
                    out.formulation,
                    out.integrator,
                    out.violation,
                    out.imbalance));
  Json object{{"formulation", out.formulation},
              {"integrator", out.integrator},
              {"t", out.t},
              {"final", table.last()}};
  if (!writer.events.empty()) object["events"] = events;
  object["complete"] = out.complete;
  console.print_json("ode", object);
  if (wants_plots(o) && !table.path.t.empty()) {
    if (const Diagnostics faults = show_plots({table.path}, o, console); !faults.empty())
      return console.fail(faults);
  }
  for (const Diagnostic& d : out.diagnostics)
    if (d.severity == Severity::error) return console.fail(d);
  return out.exit_code;
}

}  // namespace cardan::app
