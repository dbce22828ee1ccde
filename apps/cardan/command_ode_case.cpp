// From what was written to a system that can be integrated.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "command_ode_text.h"

namespace cardan::app {

namespace {

class Maker {
 public:
  Maker(const OdeTexts& texts, OdeCase& to) : texts_(texts), case_(to) {}

  Diagnostics faults;

  void values() {
    case_.from = number(texts_.from, 0);
    if (texts_.until.text.empty()) {
      faults.push_back(usage_fault("usage.bad-value", "no end time", "give --until"));
    }
    case_.until = number(texts_.until, 0);
    case_.step = positive(texts_.step, "step", 0);
    case_.output_step = positive(texts_.output_step, "output step", 0);
    case_.tolerance.rtol = positive(texts_.rtol, "rtol", 1e-6);
    case_.max_step = positive(texts_.max_step, "max_step", std::numeric_limits<double>::infinity());
    case_.min_step = positive(texts_.min_step, "min_step", 0);
    if (case_.min_step > case_.max_step)
      faults.push_back(usage_fault("usage.bad-value",
                                   "a smallest step larger than the largest",
                                   "--min-step below --max-step"));
    case_.tolerance.norm_control = texts_.norm_control;
    case_.tolerance.atol = positive(texts_.atol, "atol", 1e-9);
    if (texts_.atol_each.empty()) return;
    case_.tolerance.atol_each.assign(case_.system->names().size(), case_.tolerance.atol);
    for (const NamedText& s : texts_.atol_each) {
      if (const int k = find(s, "a tolerance"))
        case_.tolerance.atol_each[static_cast<std::size_t>(k - 1)] = positive(s, "atol", 1e-9);
    }
  }

  void start() {
    const FormulaSystem& system = *case_.system;
    case_.y0.assign(system.names().size(), std::numeric_limits<double>::quiet_NaN());
    for (const NamedText& s : texts_.start) {
      if (const int k = find(s, "a start value"))
        case_.y0[static_cast<std::size_t>(k - 1)] = number(s, 0);
    }
    std::string missing;
    for (std::size_t k = 0; k < case_.y0.size(); ++k) {
      if (std::isnan(case_.y0[k])) missing += (missing.empty() ? "" : ", ") + system.names()[k];
    }
    if (!missing.empty() && faults.empty()) {
      faults.push_back(usage_fault("model.missing-key",
                                   fmt::format("no start value of {}", missing),
                                   "--start NAME=VALUE for every variable, and for the rate of one "
                                   "with a second-order equation \"NAME'=VALUE\""));
    }
  }

  void exact() {
    const FormulaSystem& system = *case_.system;
    case_.exact.resize(system.names().size());
    for (NamedText e : texts_.exact) {
      if (e.name.empty() && system.component(system.names()[0]) == 0 && texts_.exact.size() == 1) {
        e.name = system.names()[0];
      }
      if (const int k = find(e, "an exact solution")) {
        const Result<Expression> formula = system.formula(e, true);
        if (formula) case_.exact[static_cast<std::size_t>(k - 1)] = formula.value();
        if (!formula) add(formula.why());
      }
    }
  }

  // "g", "g rising", "g falling: x' -> -0.8*x', y -> 0", "g: stop"
  void events() {
    for (const NamedText& e : texts_.events) {
      OdeEvent event;
      const std::size_t colon = e.text.find(':');
      event.text = blanks_off(e.text.substr(0, colon));
      std::string condition = event.text;
      for (const auto& [word, way] :
           {std::pair{" rising", Crossing::rising}, std::pair{" falling", Crossing::falling}}) {
        if (!condition.ends_with(word)) continue;
        event.direction = way;
        condition = blanks_off(condition.substr(0, condition.rfind(word)));
      }
      const Result<Expression> formula = case_.system->formula({"", condition, e.where}, false);
      if (!formula) add(formula.why());
      if (formula) event.formula = formula.value();
      if (colon != std::string::npos) consequences(e, e.text.substr(colon + 1), event);
      case_.events.push_back(std::move(event));
    }
  }

  void formulas(const std::vector<NamedText>& list, std::vector<OdeFormula>& to) {
    for (const NamedText& e : list) {
      const Result<Expression> formula = case_.system->formula(e, false);
      if (formula) to.push_back({e.name.empty() ? e.text : e.name, formula.value()});
      if (!formula) add(formula.why());
    }
  }

 private:
  static std::string blanks_off(std::string s) {
    while (!s.empty() && s.back() == ' ') s.pop_back();
    s.erase(0, std::min(s.find_first_not_of(' '), s.size()));
    return s;
  }

  void consequences(const NamedText& of, const std::string& text, OdeEvent& event) {
    if (blanks_off(text) == "stop") {
      event.stop = true;
      return;
    }
    for (const std::string& part : split_list(text)) {
      const std::size_t arrow = part.find("->");
      if (arrow == std::string::npos) {
        Diagnostic d = usage_fault("usage.bad-value",
                                   fmt::format("'{}' behind an event", blanks_off(part)),
                                   "stop, or NAME -> FORMULA, several separated by commas");
        d.where = of.where;
        faults.push_back(std::move(d));
        continue;
      }
      const NamedText change{
          blanks_off(part.substr(0, arrow)), blanks_off(part.substr(arrow + 2)), of.where};
      const int k = find(change, "a change");
      const Result<Expression> formula = case_.system->formula(change, false);
      if (!formula) add(formula.why());
      if (formula && k > 0)
        event.changes.emplace_back(static_cast<std::size_t>(k - 1), formula.value());
    }
  }

  void add(const Diagnostics& more) { faults.insert(faults.end(), more.begin(), more.end()); }

  int find(const NamedText& s, const char* what) {  // component + 1; 0 and a fault if there is none
    const int k = case_.system->component(s.name);
    if (k >= 0) return k + 1;
    Diagnostic d = usage_fault("model.unknown-name", fmt::format("{} of '{}'", what, s.name), "");
    d.where = s.where;
    std::string all;
    for (const std::string& name : case_.system->names()) all += (all.empty() ? "" : ", ") + name;
    d.expected = "one of " + all;
    faults.push_back(std::move(d));
    return 0;
  }

  double number(const NamedText& s, double otherwise) {
    if (s.text.empty()) return otherwise;
    const Result<double> value = case_.system->constant(s);
    if (!value) {
      add(value.why());
      return otherwise;
    }
    if (!std::isfinite(value.value())) {
      faults.push_back(usage_fault(
          "usage.bad-value", fmt::format("{} = {}", s.text, value.value()), "a finite number"));
    }
    return value.value();
  }

  double positive(const NamedText& s, const char* what, double otherwise) {
    const double value = number(s, otherwise);
    if (value > 0 || s.text.empty()) return value;
    faults.push_back(
        usage_fault("usage.bad-value", fmt::format("{} = {}", what, value), "a positive number"));
    return otherwise;
  }

  const OdeTexts& texts_;
  OdeCase& case_;
};

// The documents' tables start these by themselves, the order rising from 1.
bool self_starting(std::string_view integrator) {
  return integrator == "ab" || integrator == "am" || integrator == "pece";
}

}  // namespace

bool OdeCase::has_exact() const {
  return std::any_of(exact.begin(), exact.end(), [](const auto& e) { return e.has_value(); });
}

std::optional<double> OdeCase::exact_value(std::size_t component, double t) const {
  if (!exact[component]) return {};
  return system->value(*exact[component], t, {});
}

MethodOptions method_options(const OdeOptions& o, Diagnostics& faults) {
  MethodOptions m;
  m.order = o.order;
  m.variant = o.variant;
  m.start = o.starter;
  const auto read = [&](const std::string& text, const char* name, double& to) {
    if (text.empty()) return;
    const Result<Expression> value = Expression::parse(text, {}, {});
    if (value && value.value().constant()) {
      to = value.value().value({});
    } else {
      faults.push_back(
          usage_fault("usage.bad-value", fmt::format("--{} {}", name, text), "a number"));
    }
  };
  read(o.alpha, "alpha", m.alpha);
  read(o.gamma, "gamma", m.gamma);
  read(o.beta, "beta", m.beta);
  read(o.rho, "rho", m.rho_infinity);
  return m;
}

Result<MethodChoice> choose_method(const std::string& word, const MethodOptions& base) {
  MethodChoice choice{word, nullptr, base};
  const std::size_t colon = word.find(':');
  const std::string name = word.substr(0, colon);
  if (colon != std::string::npos) {
    char* end = nullptr;
    choice.options.order = static_cast<int>(std::strtol(word.c_str() + colon + 1, &end, 10));
    if (*end != '\0' || end == word.c_str() + colon + 1) {
      return usage_fault(
          "usage.bad-value", fmt::format("'{}'", word), "a method and its order, as ab:3");
    }
  }
  choice.entry = find_method(name);
  if (choice.entry == nullptr) {
    const auto system = FormulaSystem::make({{"", "x' = x", {}}}, {});
    return make_method(name, {}, *system.value()).why();  // knows what to say of unknown names
  }
  return choice;
}

Result<OdeCase> make_ode_case(const OdeOptions& given) {
  OdeOptions o = given;
  if (o.system.empty()) {
    return usage_fault(
        "usage.bad-value", "no equations", "cardan ode \"x' = x\" --start x=1 --until 1");
  }
  Result<OdeTexts> texts = gather_texts(o);
  if (!texts) return texts.why();
  Result<std::unique_ptr<FormulaSystem>> system =
      FormulaSystem::make(texts.value().equations, texts.value().parameters, texts.value().start);
  if (!system) return system.why();
  OdeCase c;
  c.title = texts.value().title;
  c.system = std::move(system).value();
  Maker maker(texts.value(), c);
  maker.values();
  maker.start();
  maker.exact();
  maker.events();
  maker.formulas(texts.value().shown, c.shown);
  c.integrator = texts.value().integrator;
  if (!has_error(maker.faults))
    if (auto wrong = c.system->begin(c.from, c.y0)) maker.faults.push_back(std::move(*wrong));
  const bool differential = c.system->algebraic().empty() && !c.system->has_singular_mass();
  if (c.integrator.empty()) c.integrator = differential ? "ode45" : "radau5";
  c.method = method_options(o, maker.faults);
  if (c.method.start.empty() && self_starting(c.integrator) && !o.study) c.method.start = "self";
  if (has_error(maker.faults)) return maker.faults;
  return c;
}

}  // namespace cardan::app
