// Multipliers as penalty forces, solved for implicitly over the time d = 1 / alpha (the step, when
// it is followed):
//   epsilon lambda = phi + d phi' + d^2 phi'',   M a = Q - phi_q^T lambda,   so that
//   (phi_q M^-1 phi_q^T + epsilon / d^2) lambda = phi_q M^-1 Q - gamma + phi' / d + phi / d^2
// The matrix is regular in any pose and for dependent equations; the multipliers are a stage of
// their own, apart from the coordinates. What the penalty leaves of phi_q a - gamma, in proportion
// to epsilon, is taken out by a second solution with the same matrix; otherwise the motion would
// differ from the true one however small the tolerance.
// References: Park & Chiou, J. Guid. Control Dyn. 11 (1988): stabilization of computational
// procedures for constrained dynamical systems, staggered. Bayo & al., Comput. Methods Appl. Mech.
// Eng. 71 (1988): the multipliers corrected.
#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/stabilisation.h"
#include "cardan/math/elementary.h"
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
        wanted_(rates_),
        left_(rates_),
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
    for (std::size_t r = 0; r < rates_.size(); ++r)
      wanted_[r] = work.gamma[r] - rate_ * rates_[r] - rate_ * rate_ * work.phi[r];
    std::fill(lambda.begin(), lambda.end(), 0.0);
    for (int pass = 0; pass < 2; ++pass) {
      equations.multiply(work.packed, a, left_);
      for (std::size_t r = 0; r < left_.size(); ++r) left_[r] -= wanted_[r];
      S_.solve(left_);
      for (std::size_t r = 0; r < left_.size(); ++r) lambda[r] += left_[r];
      std::copy(work.Q.begin(), work.Q.end(), a.begin());
      equations.add_transposed(work.packed, lambda, -1, a);
      system_.mass().solve(a);
    }
    return Eval::ok;
  }

  std::optional<ConstraintFeedback> feedback() const override { return {}; }

  GainPair gains() const override { return {rate_, rate_}; }

  bool moves_positions() const override { return false; }

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
          sum += elementary::pow(weighted_[static_cast<std::size_t>(term.offset) + k], 2);
      }
    return sum / std::max(1, equations.rows());
  }

  const System& system_;
  SchurMatrix S_;
  FollowedGain rate_;
  std::vector<double> rates_, wanted_, left_, weighted_;
};

}  // namespace

std::unique_ptr<Stabilisation> make_penalty(const FormulationSetting& setting, const Gains& gains) {
  return std::make_unique<Penalty>(setting, gains);
}

}  // namespace cardan
