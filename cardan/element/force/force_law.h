#pragma once
// The law of one spring, damper and actuator: the force that resists the growth of a measure y (a
// length, an angle),
//   f = k (y - free) + S(y) + c y' + C(y') + F(t, y, y', requests),
// with the potential k (y - free)^2/2 + integral of S from free and the loss (c y' + C(y')) y'. F has
// a potential too where it is a function of y alone, the integral from free; else it is counted as
// power. Or that of a compliant limit lower <= y <= upper, which acts at a depth x > 0
// beyond it and never pulls: with u = x/onset,
//   N = max(0, E + c w x'),   E = k x u/2,           w = 3u^2 - 2u^3   for u < 1
//                             E = k (x - onset/2),   w = 1             else,
// f = N beyond upper and -N beyond lower; the potential is the integral of E, all else is loss.
#include <limits>
#include <optional>

#include "cardan/element/formula/formula.h"

namespace cardan {

// Integral of f from a to b by adaptive Gauss quadrature, to about 13 digits for smooth and
// piecewise smooth functions.
double integral(const Function& f, double a, double b);

struct ForceLaw {
  double stiffness = 0, damping = 0, free = 0;
  FunctionPtr spring, damper;  // S and C; null: none
  // The same as formulas of one variable, where conditions in them are located.
  std::optional<Expression> spring_formula{}, damper_formula{};
  bool active = false;       // there is an F
  Expression actuator;       // F
  double actuator_sign = 1;  // -1: the formula drives the measure instead of resisting it
  bool stored = false;       // F has a potential, see store_actuator()
  double onset = 0;          // > 0: a compliant limit, and nothing else
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;

  struct Value {
    double elastic = 0, damped = 0, active = 0;  // the three parts of f
    double f_y = 0, f_rate = 0;                  // f' to the measure and its rate

    double total() const { return elastic + damped + active; }
  };

  Value at(double y, double rate, FormulaPoint& point) const {
    if (onset > 0) return limit_at(y, rate);
    Value v{stiffness * (y - free), damping * rate, 0, stiffness, damping};
    add(spring, spring_formula, y, point, v.elastic, v.f_y);
    add(damper, damper_formula, rate, point, v.damped, v.f_rate);
    if (active) {
      const FormulaPoint::Slope a = point.slope(actuator);
      v.active = actuator_sign * a.value;
      v.f_y += actuator_sign * a.measure;
      v.f_rate += actuator_sign * a.rate;
    }
    return v;
  }

  // at().total() without slopes.
  double force(double y, double rate, FormulaPoint& point) const {
    if (spring != nullptr || damper != nullptr || onset > 0) return at(y, rate, point).total();
    const double passive = stiffness * (y - free) + damping * rate;
    return active ? passive + actuator_sign * point.value(actuator) : passive;
  }

  // Some of it has no potential; some of that is lost.
  bool loses() const { return onset > 0 || damping != 0 || damper != nullptr; }

  bool powered() const { return (active && !stored) || loses(); }

  // The parts without potential, with their own slopes.
  struct Parts {
    double damped = 0, damped_y = 0, damped_rate = 0;
    double active = 0, active_y = 0, active_rate = 0;
  };

  Parts parts(double y, double rate, FormulaPoint& point) const {
    if (onset > 0) return limit_parts(y, rate);
    Parts p{.damped = damping * rate, .damped_rate = damping};
    add(damper, damper_formula, rate, point, p.damped, p.damped_rate);
    if (active && !stored) {
      const FormulaPoint::Slope a = point.slope(actuator);
      p.active = actuator_sign * a.value;
      p.active_y = actuator_sign * a.measure;
      p.active_rate = actuator_sign * a.rate;
    }
    return p;
  }

  bool located() const { return active || spring_formula || damper_formula; }

  // Of the conditions in its formulas, into their places.
  void condition_values(double y, double rate, const FormulaPoint& point, View out) const {
    if (active) point.condition_values(actuator, out);
    if (spring_formula) point.law_condition_values(*spring_formula, y, out);
    if (damper_formula) point.law_condition_values(*damper_formula, rate, out);
  }

  double potential(double y) const {
    if (onset > 0) return limit_potential(y);
    const double stretch = y - free;
    return 0.5 * stiffness * stretch * stretch +
           (spring != nullptr ? integral(*spring, free, y) : 0) +
           (stored ? actuator_potential(y) : 0);
  }

  // F becomes part of the potential where it is a function of y alone that is flat nowhere.
  void store_actuator();

  Dependence dependence(std::span<const int> requests, const InputDependence& inputs) const {
    Dependence d;
    if (active) d = dependence_of(actuator, requests, inputs);
    d.positions =
        d.positions || onset > 0 || stiffness != 0 || (spring != nullptr && !spring->constant());
    d.rates = d.rates || damping != 0 || (damper != nullptr && !damper->constant());
    d.conditions = d.conditions || spring_formula || damper_formula;
    return d;
  }

 private:
  static void add(const FunctionPtr& law,
                  const std::optional<Expression>& formula,
                  double x,
                  const FormulaPoint& point,
                  double& force,
                  double& slope) {
    if (law == nullptr) return;
    if (formula) {
      double d = 0;
      force += point.law(*formula, x, d);
      slope += d;
      return;
    }
    const Jet j = law->at(x);
    force += j.f;
    slope += j.d;
  }

  Value limit_at(double y, double rate) const;
  Parts limit_parts(double y, double rate) const;
  double limit_potential(double y) const;
  double actuator_potential(double y) const;
};

}  // namespace cardan
