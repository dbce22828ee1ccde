// The right side of the acceleration equation with two feedback terms,
//   phi_q a = gamma - k_1 phi' - k_0 phi,
// with
//   classic    k_1 = 2 alpha,      k_0 = beta^2
//   feedback   k_1 = alpha + beta, k_0 = alpha beta: linearised from the multipliers as input to
//              phi as output, with poles at -alpha and -beta
//   adaptive   classic with alpha = beta, renewed after every step so that the violation found
//              would fall to its tolerance within one step, as far as the integrator allows
// References: classic: Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972); feedback: Chiou & Wu,
// J. Guid. Control Dyn. 21 (1998); adaptive: Chang & Nikravesh, J. Mech. Transm. Autom. Des. 107
// (1985).
#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/stabilisation.h"
#include "cardan/math/elementary.h"

namespace cardan {

void violations(MotionSolver& motion, double t, CView q, CView v, std::vector<double>& rates) {
  const System& system = motion.system();
  Workspace& work = motion.work();
  const Config here = system.config(t, q, work);
  system.equations().phi(here, work.phi);
  system.equations().nu(here, work.nu);
  system.equations().multiply(work.packed, v, rates);
  for (std::size_t r = 0; r < rates.size(); ++r) rates[r] -= work.nu[r];
}

namespace {

class Feedback final : public Stabilisation {
 public:
  Feedback(const FormulationSetting& setting, const Gains& gains)
      : poles_(setting.options.stabilization == "feedback"),
        adaptive_(setting.options.stabilization == "adaptive"),
        tolerance_(setting.options.atol * setting.system.length()),
        alpha_(gains),
        ratio_(gains.alpha > 0 ? gains.beta / gains.alpha : 1),
        rates_(static_cast<std::size_t>(setting.system.equations().rows())) {}

  Eval accelerate(
      MotionSolver& motion, double t, CView q, CView v, View, View a, View lambda) override {
    if (const Eval e = motion.linearise(t, q); e != Eval::ok) return e;
    motion.load(t, q, v);
    violations(motion, t, q, v, rates_);
    const auto [k_1, k_0] = *feedback();
    Workspace& work = motion.work();
    for (std::size_t r = 0; r < rates_.size(); ++r)
      work.gamma[r] -= k_1 * rates_[r] + k_0 * work.phi[r];
    return motion.finish(t, q, a, lambda);
  }

  GainPair gains() const override {
    const double alpha = adaptive_ ? adapted_ : double(alpha_);
    return {alpha, ratio_ * alpha};
  }

  std::optional<ConstraintFeedback> feedback() const override {
    const double alpha = adaptive_ ? adapted_ : double(alpha_), beta = ratio_ * alpha;
    if (poles_) return ConstraintFeedback{alpha + beta, alpha * beta};
    return ConstraintFeedback{2 * alpha, beta * beta};
  }

  bool moves_positions() const override { return false; }

  void accepted(double h, double position, double velocity) override {
    alpha_.step(h);
    h = std::abs(h);
    const double error = std::max(position, h * velocity);
    const double most = alpha_.follows() ? double(alpha_) : alpha_.most(h);
    adapted_ = error > tolerance_ ? std::min(most, elementary::log(error / tolerance_) / h) : 0.0;
  }

  void serialize(Archive& archive) override {
    alpha_.serialize(archive);
    archive.io(adapted_);
  }

 private:
  bool poles_, adaptive_;
  double tolerance_;
  FollowedGain alpha_;
  double ratio_, adapted_ = 0;
  std::vector<double> rates_;
};

}  // namespace

std::unique_ptr<Stabilisation> make_feedback(const FormulationSetting& setting,
                                             const Gains& gains) {
  return std::make_unique<Feedback>(setting, gains);
}

}  // namespace cardan
