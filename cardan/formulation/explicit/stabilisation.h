#pragma once
// Ways of drawing the motion back to the constraints while it is integrated, all of them feedback
// of phi and phi' = phi_q v - nu. Each is in a file of its own.
#include <memory>
#include <vector>

#include "cardan/formulation/explicit/gains.h"
#include "cardan/formulation/formulation.h"
#include "cardan/system/shifted_matrix.h"

namespace cardan {

class Stabilisation {
 public:
  virtual ~Stabilisation() = default;
  // Accelerations and multipliers at (t, q, v); q_dot is already the rate of q and may be added to.
  virtual Eval accelerate(
      MotionSolver&, double t, CView q, CView v, View q_dot, View a, View lambda) = 0;

  virtual GainPair gains() const = 0;  // as they are used now

  // Where accelerations are those of gamma - k_1 phi' - k_0 phi.
  virtual std::optional<ConstraintFeedback> feedback() const = 0;

  // q_dot is not the rate of q: no second-order integrators.
  virtual bool moves_positions() const = 0;

  // After a step of size h that ended with these violations (largest, in units of length).
  virtual void accepted(double h, double position, double velocity) = 0;

  virtual void serialize(Archive&) = 0;
};

// phi and phi' of all equations at a state whose pose was linearised last, into work().phi and
// rates.
void violations(MotionSolver&, double t, CView q, CView v, std::vector<double>& rates);

std::unique_ptr<Stabilisation> make_feedback(const FormulationSetting&,
                                             const Gains&);  // classic, adaptive, feedback
std::unique_ptr<Stabilisation> make_penalty(const FormulationSetting&, const Gains&);
std::unique_ptr<Stabilisation> make_gradient(const FormulationSetting&, const Gains&);

}  // namespace cardan
