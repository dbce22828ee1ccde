#pragma once
// The law of one spring, damper and actuator: the force that resists the growth of a measure y (a
// length, an angle),
//   f = k (y - free) + S(y) + c y' + C(y') + F(t, y, y', requests),
// with the potential k (y - free)^2/2 + integral of S from free, the loss (c y' + C(y')) y', and F
// counted as power. Or that of a compliant limit lower <= y <= upper, which acts at a depth x > 0
// beyond it and never pulls: with u = x/onset,
//   N = max(0, E + c w x'),  E = k x u/2,  w = 3u^2 - 2u^3  for u < 1;  E = k (x - onset/2),  w =
//   1,
// f = N beyond upper and -N beyond lower; the potential is the integral of E, all else is loss.
#include <limits>

#include "cardan/element/formula.h"

namespace cardan {

// Integral of f from a to b by adaptive Gauss quadrature, to about 13 digits for smooth and
// piecewise smooth functions.
double integral(const Function& f, double a, double b);

struct ForceLaw {
  double stiffness = 0, damping = 0, free = 0;
  FunctionPtr spring, damper;  // S and C; null: none
  bool active = false;         // there is an F
  Expression actuator;         // F
  double actuator_sign = 1;    // -1: the formula drives the measure instead of resisting it
  double onset = 0;            // > 0: a compliant limit, and nothing else
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;

  struct Value {
    double elastic = 0, damped = 0, active = 0;  // the three parts of f
    double f_y = 0, f_rate = 0;                  // f' to the measure and its rate

    double total() const { return elastic + damped + active; }
  };

  Value at(double y, double rate, FormulaPoint& point) const {
    if (onset > 0) return limit_at(y, rate);
    Value v{stiffness * (y - free), damping * rate, 0, stiffness, damping};
    if (spring != nullptr) {
      const Jet s = spring->at(y);
      v.elastic += s.f;
      v.f_y += s.d;
    }
    if (damper != nullptr) {
      const Jet d = damper->at(rate);
      v.damped += d.f;
      v.f_rate += d.d;
    }
    if (active) {
      const FormulaPoint::Slope a = point.slope(actuator);
      v.active = actuator_sign * a.value;
      v.f_y += actuator_sign * a.measure;
      v.f_rate += actuator_sign * a.rate;
    }
    return v;
  }

  double potential(double y) const {
    if (onset > 0) return limit_potential(y);
    const double stretch = y - free;
    return 0.5 * stiffness * stretch * stretch +
           (spring != nullptr ? integral(*spring, free, y) : 0);
  }

  Dependence dependence(std::span<const int> requests, const InputDependence& inputs) const {
    Dependence d;
    if (active) d = dependence_of(actuator, requests, inputs);
    d.positions =
        d.positions || onset > 0 || stiffness != 0 || (spring != nullptr && !spring->constant());
    d.rates = d.rates || damping != 0 || (damper != nullptr && !damper->constant());
    return d;
  }

 private:
  Value limit_at(double y, double rate) const;
  double limit_potential(double y) const;
};

}  // namespace cardan
