// Multipliers as penalty forces, solved for implicitly over the time d = 1 / alpha (the step, when
// it is followed):
//   epsilon lambda = phi + d phi' + d^2 phi'',   M a = Q - phi_q^T lambda,   so that
//   (phi_q M^-1 phi_q^T + epsilon / d^2) lambda = phi_q M^-1 Q - gamma + phi' / d + phi / d^2
// The matrix is regular in any pose and for dependent equations; the multipliers are a stage of
// their own, apart from the coordinates. Reference: Park & Chiou, J. Guid. Control Dyn. 11 (1988):
// stabilization of computational procedures for constrained dynamical systems, staggered.
#include <algorithm>
#include <cmath>

#include "cardan/formulation/stabilisation.h"
#include "cardan/system/schur_assembly.h"

namespace cardan {

namespace {

constexpr double relative_penalty =
    1e-9;  // epsilon / d^2 against the entries of phi_q M^-1 phi_q^T

class Penalty final : public Stabilisation {
 public:
  Penalty(const FormulationSetting& setting, const Gains& gains)
      : system_(setting.system),
        S_(setting.system.schur_plan(), setting.system.equations(), setting.system.mass()),
        rate_(gains),
        rates_(static_cast<std::size_t>(setting.system.equations().rows())),
        weighted_(static_cast<std::size_t>(setting.system.equations().packed_size())) {
    S_.activate(setting.active);
  }

  Eval accelerate(
      MotionSolver& motion, double t, CView q, CView v, View, View a, View lambda) override {
    Workspace& work = motion.work();
    const Equations& equations = system_.equations();
    system_.rotations(q, work);
    equations.phi_q(system_.config(t, q, work), work.packed);
    motion.load(t, q, v);
    violations(motion, t, q, v, rates_);
    S_.factor(work.packed, relative_penalty * typical(work.packed), 0);
    std::copy(work.Q.begin(), work.Q.end(), a.begin());
    system_.mass().solve(a);
    equations.multiply(work.packed, a, lambda);
    for (std::size_t r = 0; r < rates_.size(); ++r)
      lambda[r] += rate_ * rates_[r] + rate_ * rate_ * work.phi[r] - work.gamma[r];
    S_.solve(lambda);
    std::copy(work.Q.begin(), work.Q.end(), a.begin());
    equations.add_transposed(work.packed, lambda, -1, a);
    system_.mass().solve(a);
    return Eval::ok;
  }

  std::optional<ConstraintFeedback> feedback() const override { return {}; }

  void accepted(double h, double, double) override { rate_.step(h); }

  void serialize(Archive& archive) override { rate_.serialize(archive); }

 private:
  double typical(CView packed) {  // mean of the diagonal of phi_q M^-1 phi_q^T
    const Equations& equations = system_.equations();
    double sum = 0;
    for (const auto& block : equations.blocks())
      for (const auto& term : equations.terms(block)) {
        const auto count = static_cast<std::size_t>(block.rows * equations.body_size());
        system_.mass().weigh(
            term.body, block.rows, packed.data() + term.offset, weighted_.data() + term.offset);
        for (std::size_t k = 0; k < count; ++k)
          sum += std::pow(weighted_[static_cast<std::size_t>(term.offset) + k], 2);
      }
    return sum / std::max(1, equations.rows());
  }

  const System& system_;
  SchurMatrix S_;
  FollowedGain rate_;
  std::vector<double> rates_, weighted_;
};

}  // namespace

std::unique_ptr<Stabilisation> make_penalty(const FormulationSetting& setting, const Gains& gains) {
  return std::make_unique<Penalty>(setting, gains);
}

}  // namespace cardan
