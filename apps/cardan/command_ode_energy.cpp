// cardan ode "T = ..." "V = ..." "0 = ...": equations of motion from energies and constraints, written
// as a model of coordinates (docs/user-guide/equations.md) and run as one. "Q_x = ..." is a force
// along x.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
#include "cardan/io/read_model.h"
#include "command_ode_text.h"

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
    for (std::size_t k = 0; k < texts.shown.size(); ++k) {
      const NamedText& s = texts.shown[k];
      shown.push_back(s.name.empty() ? fmt::format("shown{}", k + 1) : s.name);
      out += fmt::format("[[request]]\ntype = \"expression\"\nname = {}\nvalue = {}\n",
                         in_quotes(shown.back()),
                         in_quotes(s.text));
    }
    return out + analysis(texts, o);
  }

  std::vector<std::string> names, constraints, shown;

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
    say("integrator", texts.integrator);
    say("formulation", o.formulation);
    if (o.order > 0) out += fmt::format("order = {}\n", o.order);
    const bool more = !texts.exact.empty() || !texts.events.empty() || o.stop_at_event || o.steps ||
                      o.differences || o.study || !o.alpha.empty() || !o.gamma.empty() ||
                      !o.beta.empty() || !o.rho.empty() || !o.variant.empty() ||
                      !o.starter.empty() || !texts.atol_each.empty() || texts.norm_control ||
                      !texts.min_step.text.empty();
    if (more)
      fault("an option of equations x' = ... with equations from energies",
            "--set, --start, --show, --from, --until, --integrator, --formulation, --order, "
            "--step, --rtol, "
            "--atol, --max-step, --output-step, --csv, --plot, --phase",
            "a model file of coordinates and equations can say more");
    return out;
  }

  void fault(std::string found, std::string expected, std::string hint) {
    fault(std::move(found), std::move(expected));
    faults.back().hint = std::move(hint);
  }
};

// Prints the wanted channels as they come.
class EnergyTable final : public Sink {
 public:
  EnergyTable(std::vector<std::string> wanted, bool csv, const Console& console)
      : wanted_(std::move(wanted)), csv_(csv), console_(console) {}

  Fault open(std::span<const Channel> channels) override {
    std::vector<std::string> words{"t"};
    for (const std::string& name : wanted_)
      for (std::size_t k = 0; k < channels.size(); ++k)
        if (channels[k].name == name) {
          places_.push_back(k);
          words.push_back(name.ends_with(".rate") ? name.substr(0, name.size() - 5) + "'" : name);
        }
    names_ = words;
    path.names.assign(words.begin() + 1, words.end());
    path.values.resize(path.names.size());
    line(words);
    return {};
  }

  Fault sample(double t, std::span<const double> row) override {
    std::vector<std::string> words{text(t)};
    last_ = {t};
    for (const std::size_t k : places_) {
      words.push_back(text(row[k]));
      last_.push_back(row[k]);
    }
    line(words);
    path.t.push_back(t);
    for (std::size_t k = 0; k < places_.size(); ++k) path.values[k].push_back(last_[k + 1]);
    return {};
  }

  OdePath path;

  Json last() const {
    Json values = Json::object();
    for (std::size_t k = 1; k < last_.size(); ++k) values[names_[k]] = last_[k];
    return values;
  }

 private:
  std::string text(double v) const {
    return csv_ ? fmt::format("{}", v) : fmt::format("{:.10g}", v);
  }

  void line(const std::vector<std::string>& words) const {
    std::string out;
    for (const std::string& w : words)
      out += csv_ ? (out.empty() ? "" : ",") + w : fmt::format(" {:>17}", w);
    console_.print(out + "\n");
  }

  std::vector<std::string> wanted_, names_;
  std::vector<std::size_t> places_;
  std::vector<double> last_;
  bool csv_;
  const Console& console_;
};

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
  const Outcome out = run_model(model.value(), table, {});
  for (const Diagnostic& d : out.summary.diagnostics)
    if (d.severity != Severity::error) console.report(d);
  const Summary& s = out.summary;
  if (!o.csv && ended_well(s))
    console.print(
        fmt::format("{} with {}; largest residual of the constraints {:.3g}, imbalance of "
                    "the energy {:.3g}\n",
                    s.formulation,
                    s.integrator,
                    s.constraint.max_position,
                    s.energy.max_imbalance));
  console.print_json("ode",
                     {{"formulation", s.formulation},
                      {"integrator", s.integrator},
                      {"t", s.t_end},
                      {"final", table.last()},
                      {"complete", ended_well(s)}});
  if (wants_plots(o) && !table.path.t.empty()) {
    if (const Diagnostics faults = show_plots({table.path}, o, console); !faults.empty())
      return console.fail(faults);
  }
  for (const Diagnostic& d : out.summary.diagnostics)
    if (d.severity == Severity::error) return console.fail(d);
  return out.exit_code();
}

}  // namespace cardan::app
