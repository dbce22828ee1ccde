#pragma once
// The derivatives of a motion by parameters, integrated behind it: over the interpolant x(t) of every
// accepted step their equations (slope_equations.h)
//   s' = A(x(t)) s + b(x(t))
// are linear with known coefficients, and have an integrator of their own with the tolerance of the run,
// explicit or implicit as that of the motion is. So they need nothing of the formulation and of the
// method but the states on the way, and the motion is that of a run without them, to the last bit. An
// error of the interpolant moves s by as much as an error of the motion would.
// Reference: Caracotsios and Stewart, Comput. Chem. Eng. 9 (1985) 359 (one after the other).
#include <memory>

#include "cardan/analysis/dynamic/motion_follower.h"
#include "cardan/analysis/sensitivity/slope_equations.h"
#include "cardan/ode/integrator.h"

namespace cardan {

class FollowedSlopes final : public MotionFollower {
 public:
  // store: the derivatives at the start, then at the last state asked for.
  FollowedSlopes(const System&, const ParameterSteps&, SlopeStore& store);
  ~FollowedSlopes() override;

  std::optional<Diagnostic> begin(Piece) override;
  std::optional<Diagnostic> step() override;
  std::optional<Diagnostic> at(const State&) override;

  void jump() override { jumped_ = true; }

  void serialize(Archive&) override;

 private:
  class Problem;

  std::optional<Diagnostic> advance_to(double t);
  std::optional<Diagnostic> start_again();
  Diagnostic trouble(double t) const;

  const System& system_;
  const ParameterSteps& steps_;
  SlopeStore& store_;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Integrator> integrator_;
  std::vector<double> s_;
  bool jumped_ = false;
};

}  // namespace cardan
