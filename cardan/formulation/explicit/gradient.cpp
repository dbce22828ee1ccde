// Feedback along the gradients of the constraints: positions and velocities are drawn back at the
// rate alpha each,
//   q' = v - alpha d_q,   v' = a - alpha d_v,   phi_q d_q = phi,  phi_q d_v = phi'   (smallest in
//   the mass metric),
// with unstabilised accelerations a. Then (d/dt + alpha) phi = phi' and (d/dt + alpha) phi' = 0 to
// first order. Reference: Yoon, Howe & Greenwood, J. Mech. Des. 116 and 117 (1994, 1995).
#include "cardan/formulation/explicit/stabilisation.h"

namespace cardan {

namespace {

class Gradient final : public Stabilisation {
 public:
  Gradient(const FormulationSetting& setting, const Gains& gains)
      : alpha_(gains),
        rates_(static_cast<std::size_t>(setting.system.equations().rows())),
        mu_(rates_),
        zero_(static_cast<std::size_t>(setting.system.v_size()), 0.0),
        d_(zero_),
        pull_(static_cast<std::size_t>(setting.system.q_size())) {}

  Eval accelerate(
      MotionSolver& motion, double t, CView q, CView v, View q_dot, View a, View lambda) override {
    if (const Eval e = motion.accelerations(t, q, v, a, lambda); e != Eval::ok) return e;
    violations(motion, t, q, v, rates_);
    motion.solve(zero_, rates_, d_, mu_);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] -= alpha_ * d_[k];
    motion.solve(zero_, motion.work().phi, d_, mu_);
    motion.system().rate(q, d_, pull_);
    for (std::size_t k = 0; k < q_dot.size(); ++k) q_dot[k] -= alpha_ * pull_[k];
    return Eval::ok;
  }

  std::optional<ConstraintFeedback> feedback() const override { return {}; }

  bool moves_positions() const override { return true; }

  GainPair gains() const override { return {alpha_, alpha_}; }

  void accepted(double h, double, double) override { alpha_.step(h); }

  void serialize(Archive& archive) override { alpha_.serialize(archive); }

 private:
  FollowedGain alpha_;
  std::vector<double> rates_, mu_, zero_, d_, pull_;
};

}  // namespace

std::unique_ptr<Stabilisation> make_gradient(const FormulationSetting& setting,
                                             const Gains& gains) {
  return std::make_unique<Gradient>(setting, gains);
}

}  // namespace cardan
