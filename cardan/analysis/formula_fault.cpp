#include "cardan/analysis/formula_fault.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/math/expression_failure.h"
#include "cardan/math/formula_function.h"

namespace cardan {

namespace {

std::string hint_of(FormulaFailure::Kind kind, bool of_time) {
  using K = FormulaFailure::Kind;
  switch (kind) {
    case K::root:
      return "guard it, as in sqrt(max(0, ...))";
    case K::logarithm:
      return "guard it, as in log(max(1e-9, ...))";
    case K::arc:
      return "guard it, as in asin(max(-1, min(1, ...)))";
    case K::division:
      return "keep the divisor away from zero, as in x/max(1e-9, d)";
    case K::power:
      return "a negative number has only whole powers; take max(0, ...)";
    case K::curve:
      return of_time ? "extend the table to the end of the run, end the run before (`until`), or "
                       "say what it does "
                       "beyond its ends (`outside`)"
                     : "extend the table, or say what it does beyond its ends (`outside`)";
    case K::slope:
      return "keep away from where the formula is vertical, as in sqrt(1e-12 + ...)";
    default:
      return "look for a value that grows without bound";
  }
}

class Search {
 public:
  Search(const Model& model, const System& system)
      : model_(model), system_(system), work_(system.workspace()) {}

  std::optional<Diagnostic> at(const State& state) {
    t_ = state.t;
    system_.use(state, work_);
    system_.rotations(state.q, work_);
    system_.evaluate_requests(state.t, state.q, state.v, work_);
    state_ = &state;
    for (const auto* list : {&model_.drivers, &model_.joints})
      for (const Element& e : *list)
        if (auto found = of_motions(e)) return found;
    for (const Element& e : model_.requests)
      if (auto found = of_formulas(e, 0, 0)) return found;
    for (const Element& e : model_.forces) {
      double length = 0, rate = 0;
      own_variables(e, length, rate);
      if (auto found = of_formulas(e, length, rate)) return found;
    }
    return of_states();
  }

 private:
  // Functions of one variable: of time those of drivers.
  std::optional<Diagnostic> of_motions(const Element& e) {
    if (e.kind != Kind::driver) return {};
    for (const auto& [setting, value] : e.settings) {
      const auto* function = std::get_if<FunctionPtr>(&value);
      if (function == nullptr || *function == nullptr) continue;
      const Jet jet = (*function)->at(t_);
      if (std::isfinite(jet.f) && std::isfinite(jet.d) && std::isfinite(jet.dd)) continue;
      FormulaFailure failure{FormulaFailure::Kind::curve, fmt::format("its curve at {:.6g}", t_)};
      if (const Expression* formula = formula_of(**function))
        if (auto found = failure_of(*formula, CView(&t_, 1))) failure = *found;
      return told(e, setting, failure, fmt::format("t = {:.6g} s", t_), true);
    }
    return {};
  }

  // Length or angle and rate of a spring, as it shows them.
  void own_variables(const Element& e, double& length, double& rate) {
    for (const auto& force : system_.forces()) {
      if (force.name != e.name || force.type != e.type) continue;
      const ForcePool& pool = system_.force_set().pool(force.pool);
      std::vector<double> shown(pool.outputs().size());
      pool.output(system_.motion(t_, state_->q, state_->v, work_),
                  system_.inputs(work_),
                  force.element,
                  shown);
      for (std::size_t k = 0; k < shown.size(); ++k) {
        if (pool.outputs()[k] == "length" || pool.outputs()[k] == "angle") length = shown[k];
        if (pool.outputs()[k] == "rate") rate = shown[k];
      }
    }
  }

  std::vector<double> arguments(const std::vector<int>& inputs, double length, double rate) const {
    std::vector<double> all{t_, length, rate};
    for (const int k : inputs) {
      all.push_back(work_.request_value[static_cast<std::size_t>(k)]);
      all.push_back(work_.request_rate[static_cast<std::size_t>(k)]);
    }
    return all;
  }

  // The values of what the formula uses.
  std::string values_of(const Expression& formula, const std::vector<int>& inputs, CView x) const {
    std::string text;
    const auto add = [&](std::string_view name, int k, std::string_view unit) {
      if (!formula.uses(k)) return;
      text += fmt::format("{}{} = {:.6g}{}{}",
                          text.empty() ? "" : ", ",
                          name,
                          x[static_cast<std::size_t>(k)],
                          unit.empty() ? "" : " ",
                          unit);
    };
    add("t", 0, "s");
    add("length", 1, "m");
    add("rate", 2, "");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto& request = system_.requests()[static_cast<std::size_t>(inputs[i])];
      add(request.name, static_cast<int>(3 + 2 * i), request.unit);
      add(fmt::format("rate({})", request.name), static_cast<int>(4 + 2 * i), "");
    }
    return text;
  }

  std::optional<Diagnostic> of_formulas(const Element& e, double length, double rate) {
    for (const auto& [setting, value] : e.settings) {
      const auto* formula = std::get_if<Expression>(&value);
      if (formula == nullptr) continue;
      const std::vector<double> x = arguments(e.inputs, length, rate);
      const auto failure = failure_of(*formula, x);
      if (!failure || failure->kind == FormulaFailure::Kind::argument) continue;
      return told(e, setting, *failure, values_of(*formula, e.inputs, x), formula->uses(0));
    }
    return {};
  }

  std::optional<Diagnostic> of_states() {
    for (const ModelState& s : model_.states) {
      const std::vector<double> x = arguments(s.inputs, 0, 0);
      const auto failure = failure_of(s.rate, x);
      if (!failure || failure->kind == FormulaFailure::Kind::argument) continue;
      Element e;
      e.where = s.where;
      e.formulas.push_back({"rate", s.text, s.where});
      Diagnostic d = told(e, "rate", *failure, values_of(s.rate, s.inputs, x), s.rate.uses(0));
      d.element = fmt::format("state '{}'", s.name);
      return d;
    }
    return {};
  }

  Diagnostic told(const Element& e,
                  const std::string& setting,
                  const FormulaFailure& failure,
                  const std::string& values,
                  bool of_time) const {
    Diagnostic d;
    d.id = "numeric.not-finite";
    d.element = e.name.empty() ? "" : e.words();
    d.where = e.where;
    std::string text = setting;
    for (const auto& formula : e.formulas)
      if (formula.setting == setting) {
        d.where = formula.where;
        text = fmt::format("\"{}\"", formula.text);
      }
    d.found = failure.kind == FormulaFailure::Kind::slope
                  ? fmt::format("{} has {}", text, failure.words)
                  : fmt::format("{} has no finite value: {}", text, failure.words);
    if (!values.empty()) d.found += fmt::format(", where {}", values);
    d.hint = hint_of(failure.kind, of_time);
    d.t = t_;
    return d;
  }

  const Model& model_;
  const System& system_;
  Workspace work_;
  const State* state_ = nullptr;
  double t_ = 0;
};

}  // namespace

std::optional<Diagnostic> formula_without_value(const Model& model,
                                                const System& system,
                                                const State& state,
                                                double reach) {
  if (model.own != nullptr) return {};
  Search search(model, system);
  if (auto found = search.at(state)) return found;
  // Behind the last state the motion goes on with its velocity and acceleration.
  constexpr double shortest = 1e-14;  // of the time reached: the first look behind it
  State ahead = state;
  std::vector<double> d(state.v.size());
  const double first = shortest * std::max(std::abs(state.t), std::abs(reach));
  for (double h = std::max(first, std::numeric_limits<double>::min()); h <= 2 * std::abs(reach);
       h *= 4) {
    const double dt = std::copysign(std::min(h, std::abs(reach)), reach);
    for (std::size_t k = 0; k < d.size(); ++k) {
      const double a = k < state.a.size() && std::isfinite(state.a[k]) ? state.a[k] : 0;
      d[k] = dt * (state.v[k] + dt / 2 * a);
      ahead.v[k] = state.v[k] + dt * a;
    }
    system.advance(state.q, d, ahead.q);
    ahead.t = state.t + dt;
    if (auto found = search.at(ahead)) return found;
  }
  return {};
}

}  // namespace cardan
