#include "cardan/formulation/singular/crossing.h"

#include "cardan/formulation/singular/friction_beside_pose.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/system/own_condition.h"

namespace cardan {

namespace {

constexpr double unsmooth =
    1e-5;  // difference of two interpolations, of the size: a branch was lost
constexpr double unsmooth_velocity = 1e-2;  // of the speed: the same
constexpr double passage_gap = 1e-10;       // of the size: violation of a pose between two branches
constexpr double own_gap = 1e-12;     // of formulas, relative to how they change over the size
constexpr double first_share = 0.02;  // of the mechanism's size: the first try for d times speed

}  // namespace

EvaluatedState::EvaluatedState(const System& system)
    : q(static_cast<std::size_t>(system.q_size())),
      v(static_cast<std::size_t>(system.v_size())),
      a(v),
      lambda(static_cast<std::size_t>(system.equations().rows())) {}

SingularPoseInterpolator::SingularPoseInterpolator(MotionSolver& motion)
    : motion_(motion), beside_(motion.system()), inner_(beside_), outer_(beside_), d_(beside_.v) {
  if (motion.friction().any()) friction_ = std::make_unique<FrictionBesidePose>(motion.system());
}

SingularPoseInterpolator::~SingularPoseInterpolator() = default;

void SingularPoseInterpolator::interpolate_friction() {
  friction_.reset();
}

bool SingularPoseInterpolator::settle_friction(double t, EvaluatedState& out) {
  return friction_->settle(motion_, t, out.q, out.v, out.a, out.lambda);
}

Eval SingularPoseInterpolator::leave_friction_out(double t, EvaluatedState& at) {
  return friction_->leave_out(motion_, t, at.q, at.v, at.a, at.lambda);
}

bool SingularPoseInterpolator::smooth(const EvaluatedState& out) {
  const System& system = motion_.system();
  system.difference(out.q, inner_.q, d_);
  if (system.largest_move(d_) > unsmooth * system.length()) return false;
  for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = out.v[k] - inner_.v[k];
  return system.largest_move(d_) <= unsmooth_velocity * system.largest_move(out.v);
}

bool SingularPoseInterpolator::on_constraints(double t, CView q) {
  const double reach = as_vector(q).cwiseAbs().maxCoeff();
  if (OwnCondition::measures(motion_.system())) {  // formulas have sizes of their own
    motion_.position_violation(t, q, MotionSolver::Rows::active);
    OwnCondition sizes(motion_.system());
    sizes.activate(motion_.active());
    return sizes.violation(motion_.work().phi) <=
           own_gap + 64 * std::numeric_limits<double>::epsilon() * std::max(1.0, reach);
  }
  return motion_.position_violation(t, q, MotionSolver::Rows::active) <=
         passage_gap * motion_.system().length() +
             64 * std::numeric_limits<double>::epsilon() * reach;
}

void VelocityPredictor::set(double t, const std::vector<double>& v, const std::vector<double>& a) {
  t_ = t;
  v_ = v;
  a_ = a;
  now_.resize(v.size());
}

CView VelocityPredictor::velocity(double t) {
  for (std::size_t k = 0; k < now_.size(); ++k) now_[k] = v_[k] + (t - t_) * a_[k];
  return now_;
}

void VelocityPredictor::serialize(Archive& archive, std::size_t size) {
  archive.io(t_);
  io_or_none(archive, v_, size);
  io_or_none(archive, a_, v_.size());
  if (a_.size() != v_.size()) archive.fail();
  now_.resize(v_.size());
}

double SingularPoseInterpolator::first_shift(CView v) const {
  const System& system = motion_.system();
  const double speed = system.largest_move(v);
  return speed > 0 ? first_share * system.length() / speed : 0;
}

void SingularPoseInterpolator::clear(EvaluatedState& out) {
  for (auto* x : {&out.q, &out.v, &out.a, &out.lambda}) std::fill(x->begin(), x->end(), 0.0);
}

void SingularPoseInterpolator::add(double weight, EvaluatedState& out) const {
  const auto sum = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += weight * from[k];
  };
  sum(beside_.q, out.q);
  sum(beside_.v, out.v);
  sum(beside_.a, out.a);
  sum(beside_.lambda, out.lambda);
}

}  // namespace cardan
