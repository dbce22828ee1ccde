#pragma once
// First-order states (State::z) of a motion whose integrator knows only positions and velocities:
// their rates integrated over every step by Simpson's rule on the integrator's interpolant, in two panels
// where compliant limits make rates that change within a step. This
// serves quadratures alone, on which the motion does not depend (make_formulation refuses others).
#include "cardan/formulation/formulation.h"
#include "cardan/formulation/singular/balanced_multipliers.h"
#include "cardan/ode/integrator.h"

namespace cardan {

class StateQuadrature {
 public:
  StateQuadrature(Formulation&, Integrator&, const State& like);
  bool start(const State&);      // from its z on
  bool at(State& recovered);     // fills z of a state within the last step
  bool step(double t, CView y);  // an accepted step

  const std::vector<double>& last() const { return z_; }  // of the last accepted step

  void serialize(Archive&);

 private:
  using Rates = std::vector<double>;
  bool rates_of(double t, CView y, Rates&);
  void rates_at(const State&, Rates&);
  bool add(double t, const Rates& end, std::vector<double>& z);

  Formulation& formulation_;
  Integrator& integrator_;
  State scratch_;
  std::vector<double> y_;
  double t_ = 0;
  int parts_;  // of a step, at the ends of which rates are looked at
  BalancedMultipliers multipliers_;
  Rates rates_, middle_, inner_, end_;
  std::vector<double> z_;
};

}  // namespace cardan
