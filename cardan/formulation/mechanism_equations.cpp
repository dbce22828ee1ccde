#include "cardan/formulation/mechanism_equations.h"

#include <algorithm>

#include "cardan/formulation/increment.h"
#include "cardan/math/rotation.h"

namespace cardan {

MechanismEquations::MechanismEquations(MotionSolver& motion)
    : system_(motion.system()),
      motion_(motion),
      work_(motion.work()),
      w_(static_cast<std::size_t>(system_.states().size())),
      x_(static_cast<std::size_t>(system_.v_size())),
      lambda_(static_cast<std::size_t>(system_.equations().rows())) {}

bool MechanismEquations::turns(int k) const {
  return system_.space() == Space::spatial && system_.layout().turns(k);
}

// The length of a quaternion e moved by e (0, d)/2 changes at the rate -d.u/4 of it.
void MechanismEquations::off_tangent(CView q, CView u, CView d, View q_dot) const {
  std::fill(q_dot.begin(), q_dot.end(), 0.0);
  if (system_.space() == Space::planar) return;
  const Layout& layout = system_.layout();
  for (int b = 0; b < system_.body_count(); ++b) {
    const double by = -0.25 * layout.rotation(d, b).dot(layout.rotation(u, b));
    for (int k = layout.q_rotation(b); k < layout.q_rotation(b) + 4; ++k)
      q_dot[static_cast<std::size_t>(k)] = by * q[static_cast<std::size_t>(k)];
  }
}

void MechanismEquations::transport(CView d, View x) const {
  if (system_.space() == Space::planar) return;
  std::copy(x.begin(), x.end(), x_.begin());
  increment_velocity(system_, d, x_, x);
}

void MechanismEquations::transport_back(CView d, View x) const {
  if (system_.space() == Space::planar) return;
  std::copy(x.begin(), x.end(), x_.begin());
  increment_rate(system_, d, x_, x);
}

void MechanismEquations::transport_bend(CView d, CView x, CView v, View out) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (system_.space() == Space::planar) return;
  const Layout& layout = system_.layout();
  for (int b = 0; b < system_.body_count(); ++b)
    layout.rotation(out, b) =
        rotation_vector_bend(layout.rotation(d, b), layout.rotation(x, b), layout.rotation(v, b));
}

void MechanismEquations::evaluate_constraints(double t, CView q) {
  (void)motion_.work();  // which is written here
  system_.rotations(q, work_);
  const Config here = system_.config(t, q, work_);
  const Equations& equations = system_.equations();
  equations.phi(here, work_.phi);
  equations.nu(here, work_.nu);
  equations.phi_q(here, work_.packed);
}

Eval MechanismEquations::evaluate(double t, CView q, CView v, CView lambda, CView z) {
  evaluate_constraints(t, q);
  motion_.use_states(z);
  system_.equations().gamma(system_.motion(t, q, v, work_), work_.gamma);
  system_.evaluate_forces(t, q, v, work_);
  if (motion_.friction().any()) {
    motion_.friction().prepare(t, q, v, work_);
    motion_.friction().add(lambda, work_.Q);
  }
  system_.state_rates(t, q, v, lambda, work_, w_);
  const auto finite = [](CView x) {
    return as_vector(x).allFinite();
  };
  return finite(work_.Q) && finite(work_.phi) && finite(work_.gamma) && finite(w_) ? Eval::ok
                                                                                   : Eval::retry;
}

bool MechanismEquations::M_depends_on_q() const {
  return !system_.constant_mass();
}

void MechanismEquations::multiply_M(CView x, View out) const {
  const Equations& equations = system_.equations();
  if (!equations.has_mass()) return system_.mass().multiply(x, out);
  const auto n = static_cast<Eigen::Index>(x.size());
  const Eigen::Map<const Eigen::MatrixXd> M(work_.packed.data() + equations.mass_offset(), n, n);
  as_vector(out) = M * as_vector(x);
}

void MechanismEquations::multiply_phi_q(CView x, View out) const {
  system_.equations().multiply(motion_.work().packed, x, out);
}

void MechanismEquations::add_phi_qT(CView lambda, double factor, View out) const {
  std::copy(lambda.begin(), lambda.end(), lambda_.begin());
  for (std::size_t r = 0; r < lambda_.size(); ++r)
    if (active()[r] == 0) lambda_[r] = 0;
  system_.equations().add_transposed(motion_.work().packed, lambda_, factor, out);
}

// Blocks of rows x velocities of a body, where the packed Jacobian has them.
void MechanismEquations::make_jacobian_pattern() {
  const Equations& of = system_.equations();
  std::vector<Eigen::Triplet<double>> entries(
      static_cast<std::size_t>(of.has_mass() ? of.mass_offset() : of.packed_size()));
  for (const auto& block : of.blocks())
    for (const auto& term : of.terms(block))
      for (int c = 0; c < of.body_size(); ++c)
        for (int r = 0; r < block.rows; ++r)
          entries[static_cast<std::size_t>(term.offset + c * block.rows + r)] = {
              block.first_row + r, system_.layout().v(term.body) + c, 0.0};
  jacobian_.resize(of.rows(), system_.v_size());
  jacobian_.setFromTriplets(entries.begin(), entries.end());
  for (const auto& entry : entries)
    place_.push_back(
        static_cast<int>(&jacobian_.coeffRef(entry.row(), entry.col()) - jacobian_.valuePtr()));
}

const MotionEquations::Matrix& MechanismEquations::constraint_jacobian() {
  if (jacobian_.cols() != system_.v_size()) make_jacobian_pattern();
  double* values = jacobian_.valuePtr();
  const CView packed = motion_.work().packed;
  std::fill_n(values, jacobian_.nonZeros(), 0.0);
  for (std::size_t k = 0; k < place_.size(); ++k) values[place_[k]] += packed[k];
  return jacobian_;
}

Eval MechanismEquations::accelerations(double t, CView q, CView v, CView z, View a, View lambda) {
  motion_.use_states(z);
  return motion_.accelerations(t, q, v, a, lambda);
}

void MechanismEquations::linearise(double t, CView q, CView v, CView a, CView lambda, CView z) {
  if (at_ == nullptr) at_ = std::make_unique<Linearisation>(system_, motion_.active());
  motion_.use_states(z);
  at_->evaluate(t, q, v, a, lambda, work_);
}

}  // namespace cardan
