// Differentiable null space by Gram-Schmidt: y = (q, w, z) with v = N w + v_p. N spans the tangents,
// is orthonormal in the mass metric and a smooth function of the pose, so that multipliers vanish
// from the equations.
//   T = P E                   P projects onto the tangents, orthogonally in M; E are constant
//   T^T M T = G = C^T C       Cholesky factor, that is Gram-Schmidt
//   N = T C^-1,   v_p = phi_q^+ nu     the motion that drivers impose
//   w  = N^T M v
//   w' = C^-T (T^T Q - C'^T w - E^T M X v - Y^T M v)
// with
//   X v = phi_q^+ (phi_q)' P v,   Y = phi_q^+ (phi_q)' T,   P' = -X - M^-1 X^T M
//   C' C^-1 = upper part, with half the diagonal, of C^-T G' C^-1,   G' = -(E^T M Y) - (E^T M Y)^T
// (phi_q)' x follows from gamma, which is quadratic in the velocities:
//   (phi_q)' x = -(gamma(v + x) - gamma(v - x)) / 4
// E are the tangents of the pose where they were chosen, orthonormal in M, so G = 1 there. They are
// chosen anew when a diagonal entry of C has become small: then the vectors T are about to become
// dependent, although each of them alone may still be long.
// Positions are put back onto the constraints after every step; velocities never leave them.
// Reference: Liang & Lance, J. Mech. Transm. Autom. Des. 109 (1987) 405-411.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/coordinate_tolerances.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/passage.h"
#include "cardan/math/dense.h"

namespace cardan {

namespace {

// Of the basis chosen, in its mass, that its tangents keep: below, another one is chosen after the step. Beyond zero
// the tangents would point the other way, and the velocity with them.
constexpr double least_share = 0.5;

class NullSpace final : public Formulation {
  auto upper() const { return G_.matrixU(); }

  auto lower() const { return G_.matrixL(); }

 public:
  explicit NullSpace(const FormulationSetting& setting)
      : system_(setting.system),
        motion_(setting.system, setting.active),
        watch_(setting),
        crossing_(motion_),
        passage_(motion_),
        there_(setting.system),
        n_q_(static_cast<std::size_t>(setting.system.q_size())),
        n_v_(static_cast<std::size_t>(setting.system.v_size())),
        n_w_(n_v_ -
             static_cast<std::size_t>(std::count(setting.active.begin(), setting.active.end(), 1))),
        n_z_(static_cast<std::size_t>(setting.system.states().size())),
        rates_(static_cast<std::size_t>(setting.system.equations().rows())),
        mu_(rates_),
        zero_rows_(rates_.size(), 0.0),
        zero_(n_v_, 0.0),
        x_(n_v_),
        Mx_(n_v_),
        v_(n_v_),
        v_p_(n_v_),
        a_(n_v_),
        guess_(n_q_),
        T_(static_cast<Eigen::Index>(n_v_), static_cast<Eigen::Index>(n_w_)),
        MT_(T_),
        Y_(T_),
        G_of_T_(T_.cols(), T_.cols()),
        EM_Y_(G_of_T_),
        U_(G_of_T_),
        U_solved_(G_of_T_),
        difference_(static_cast<Eigen::Index>(n_v_)),
        Xv_(difference_),
        Q_(difference_),
        full_(difference_),
        EM_Xv_(static_cast<Eigen::Index>(n_w_)),
        U_w_(EM_Xv_),
        C_dot_w_(EM_Xv_),
        right_(EM_Xv_),
        part_(EM_Xv_) {
    crossing_.interpolate_friction();
  }

  std::string_view name() const override { return "null-space"; }

  int size() const override { return static_cast<int>(n_q_ + n_w_ + n_z_); }

  MotionSolver& motion() override { return motion_; }

  Eval f(double t, CView y, View dy) override {
    const Eval e = motion(t, y, Wanted::null_space_rates);
    if (e != Eval::ok) return e;
    std::copy_n(there_.a.begin(), n_w_, dy.begin() + static_cast<std::ptrdiff_t>(n_q_));
    system_.rate(there_.q, there_.v, dy.first(n_q_));
    system_.state_rates(t, there_.q, there_.v, there_.lambda, motion_.work(), dy.last(n_z_));
    return Eval::ok;
  }

  std::string component_name(int i) const override {
    const auto n = static_cast<int>(n_q_), w = static_cast<int>(n_w_);
    if (i < n) return system_.position_label(i);
    if (i < n + w) return fmt::format("null-space velocity {}", i - n + 1);
    return system_.states().label(i - n - w);
  }

  bool projects() const override {
    return system_.equations().rows() > 0 || system_.space() == Space::spatial;
  }

  Eval project(double t, View y, View error) override {
    std::copy_n(y.begin(), n_q_, guess_.begin());
    quaternion_drift_ = std::max(quaternion_drift_, system_.normalise(guess_));
    if (motion_.project_positions(t, guess_) != Eval::ok ||
        pivot_ratio(motion_) < near_singular_ratio) {
      if (const Eval e = motion(t, y, Wanted::accelerations); e != Eval::ok) return e;
      guess_ = there_.q;
    }
    std::copy(guess_.begin(), guess_.end(), y.begin());
    if (error.empty()) return Eval::ok;
    const View q = y.first(n_q_);
    system_.rotations(q, motion_.work());
    system_.equations().phi_q(system_.config(t, q, motion_.work()), motion_.work().packed);
    system_.tangent(q, error.first(n_q_), x_);
    motion_.project_increment(x_);
    system_.rate(q, x_, error.first(n_q_));
    return Eval::ok;
  }

  void parametrize(const State& state, View y) override {
    motion_.use_states(state.z);
    motion_.use_inputs(state.u);
    choose_basis(active_jacobian(system_, motion_.active(), state.t, state.q));
    std::copy(state.q.begin(), state.q.end(), y.begin());
    std::copy(state.v.begin(), state.v.end(), v_.begin());
    last_.set(state.t, state.v, state.a);
    stale_ = false;
    as_vector(y.subspan(n_q_, n_w_)).setZero();
    if (motion_.linearise(state.t, state.q) == Eval::ok && basis() == Eval::ok)
      as_vector(y.subspan(n_q_, n_w_)) = lower().solve(MT_.transpose() * as_vector(CView(v_)));
    std::copy_n(state.z.begin(), n_z_, y.last(n_z_).begin());
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    evaluated_ = motion(t, y, Wanted::accelerations) == Eval::ok;
    if (!evaluated_) return {};
    stale_ = share() < least_share && !crossing_.crossed();
    return watch_.step(motion_, t, there_.q, there_.v, y.last(n_z_), events_);
  }

  bool accepted_state(CView y, State& state) const override {
    state.q = there_.q;
    state.v = there_.v;
    std::copy_n(y.last(n_z_).begin(), n_z_, state.z.begin());
    return evaluated_;
  }

  double kept_violation() const override { return solved_violation * system_.length(); }

  bool stale() const override { return stale_; }

  Eval recover(double t, CView y, State& full) override {
    if (const Eval e = motion(t, y, Wanted::accelerations); e != Eval::ok) return e;
    full.t = t;
    full.q = there_.q;
    full.v = there_.v;
    full.a = there_.a;
    full.lambda = there_.lambda;
    std::copy_n(y.last(n_z_).begin(), n_z_, full.z.begin());
    return Eval::ok;
  }

  Tolerance tolerance(const DynamicOptions& options) const override {
    Tolerance tolerance;
    tolerance.rtol = options.rtol;
    tolerance.atol = options.atol;
    tolerance.norm = Tolerance::Norm::max;
    tolerance.ignored.assign(static_cast<std::size_t>(size()), false);
    system_.states().mark_ignored(tolerance.ignored);
    const auto end = tolerance.ignored.begin() + static_cast<std::ptrdiff_t>(n_q_);
    std::fill(end - system_.turn_count(), end, true);  // they only choose among whole turns
    const auto all = static_cast<std::size_t>(size());
    tolerate_each(system_, options, {all, 0, n_q_, n_q_, n_w_, all - n_z_, n_z_, false}, tolerance);
    return tolerance;
  }

  void serialize(Archive& archive) override {
    archive.mark("null-space");
    archive.io(E_);
    archive.io(ME_);
    watch_.serialize(archive);
    last_.serialize(archive, n_v_);
    passage_.serialize(archive);
  }

 private:
  enum class Wanted { accelerations, null_space_rates };  // in the place of accelerations

  // there_: the motion at (t, y), on the constraints but for evaluations away from singular poses.
  Eval motion(double t, CView y, Wanted wanted) {
    motion_.use_states(y.last(n_z_));
    const CView q = y.first(n_q_), w = y.subspan(n_q_, n_w_);
    const CView along = last_.velocity(t);
    const auto state_at = [&](double s, EvaluatedState& point) {
      return solved(t, q, along, s, w, wanted, point);
    };
    const Eval e = crossing_.consistent(t, along, state_at, there_);
    if (e == Eval::ok && wanted == Wanted::accelerations) last_.set(t, there_.v, there_.a);
    return e;
  }

  Eval solved(
      double t_0, CView q, CView along, double s, CView w, Wanted wanted, EvaluatedState& out) {
    const double t = t_0 + s;
    Eval e = Eval::ok;
    if (s == 0) e = motion_.linearise(t, q);
    std::copy(q.begin(), q.end(), out.q.begin());
    if (s != 0 || pivot_ratio(motion_) < near_singular_ratio) {
      e = passage_.pose(t_0, q, along, s, out.q);
      if (e == Eval::ok) e = motion_.linearise(t, out.q);
    } else if (e == Eval::ok && wanted == Wanted::accelerations) {
      e = motion_.project_positions(t, out.q);
      if (e == Eval::ok) e = motion_.linearise(t, out.q);
    }
    if (e == Eval::ok) e = velocity(t, out.q, w);
    if (e != Eval::ok) return e;
    out.v = v_;
    motion_.load(t, out.q, v_);
    if (wanted == Wanted::accelerations) return motion_.finish(t, out.q, out.a, out.lambda);
    if (motion_.friction().any())  // forces depend on the multipliers
      if (const Eval e_friction = motion_.finish(t, out.q, a_, out.lambda); e_friction != Eval::ok)
        return e_friction;
    acceleration(t, out.q, w, View(out.a).first(n_w_));
    if (!system_.driven()) return Eval::ok;
    motion_.load(t, out.q, v_);
    return motion_.finish(t, out.q, a_, out.lambda);
  }

  // M is the same in all poses (formulation.cpp refuses others).
  void multiply_mass(CView x, View out) const { system_.multiply_mass(0, zero_, x, out); }

  // E_: tangents of this pose, orthonormal in M.
  void choose_basis(const Eigen::MatrixXd& phi_q) {
    E_ = null_space_qr(phi_q);
    ME_.resize(E_.rows(), E_.cols());
    const auto multiply = [&] {
      for (Eigen::Index j = 0; j < E_.cols(); ++j)
        multiply_mass({E_.col(j).data(), n_v_}, {ME_.col(j).data(), n_v_});
    };
    multiply();
    G_.compute(E_.transpose() * ME_);
    if (G_.info() != Eigen::Success) return;  // basis() fails then, and says so
    E_ = lower().solve(E_.transpose()).transpose().eval();
    multiply();
  }

  // diag(C)^2: what is left of each vector when those before it are taken out.
  double share() const { return n_w_ > 0 ? G_.matrixLLT().diagonal().cwiseAbs2().minCoeff() : 1; }

  // In the pose of the factor.
  Eval basis() {  // T_, MT_ and the Cholesky factor
    if (motion_.dependent() > 0) return Eval::retry;
    for (std::size_t j = 0; j < n_w_; ++j) {
      as_vector(View(Mx_)) = ME_.col(static_cast<Eigen::Index>(j));
      motion_.solve(Mx_, zero_rows_, x_, mu_);
      multiply_mass(x_, Mx_);
      T_.col(static_cast<Eigen::Index>(j)) = as_vector(CView(x_));
      MT_.col(static_cast<Eigen::Index>(j)) = as_vector(CView(Mx_));
    }
    G_of_T_.noalias() = T_.transpose() * MT_;
    G_.compute(G_of_T_);
    return G_.info() == Eigen::Success ? Eval::ok : Eval::retry;
  }

  Eval velocity(double t, CView q, CView w) {
    if (const Eval e = basis(); e != Eval::ok) return e;
    Workspace& work = motion_.work();
    system_.equations().nu(system_.config(t, q, work), work.nu);
    motion_.solve(zero_, work.nu, v_p_, mu_);
    part_ = as_vector(w);
    upper().solveInPlace(part_);
    full_.noalias() = T_ * part_;
    as_vector(View(v_)) = full_ + as_vector(CView(v_p_));
    return Eval::ok;
  }

  using Vector = Eigen::Ref<const Eigen::VectorXd>;

  // phi_q^+ (phi_q)' x along v_.
  void turn(double t, CView q, const Vector& x, Eigen::Ref<Eigen::VectorXd> out) {
    out.setZero();
    const double speed = as_vector(CView(v_)).norm(), size = x.norm();
    if (!(speed > 0) || !(size > 0)) return;
    const double scale = speed / size;
    Workspace& work = motion_.work();
    as_vector(View(x_)) = as_vector(CView(v_)) + scale * x;
    system_.equations().gamma(system_.motion(t, q, x_, work), rates_);
    as_vector(View(x_)) = as_vector(CView(v_)) - scale * x;
    system_.equations().gamma(system_.motion(t, q, x_, work), mu_);
    for (std::size_t r = 0; r < rates_.size(); ++r) rates_[r] = -(rates_[r] - mu_[r]) / (4 * scale);
    add_bracket(x);
    motion_.solve(zero_, rates_, {out.data(), n_v_}, mu_);
  }

  // Body axes turn: (phi_q x)_q v - (phi_q v)_q x = phi_q (omega_v x omega_x), half of which is
  // missing in the mean of both.
  void add_bracket(const Vector& x) {
    if (system_.space() == Space::planar) return;
    const Layout& layout = system_.layout();
    std::fill(x_.begin(), x_.end(), 0.0);
    for (int b = 0; b < layout.bodies(); ++b)
      layout.rotation(View(x_), b) =
          0.5 * layout.rotation(CView(v_), b).cross(layout.rotation(CView(x.data(), n_v_), b));
    system_.equations().multiply(motion_.work().packed, x_, mu_);
    for (std::size_t r = 0; r < rates_.size(); ++r) rates_[r] += mu_[r];
  }

  void acceleration(double t,
                    CView q,
                    CView w,
                    View w_dot) {  // after load(): forces are in work().Q
    Q_ = as_vector(CView(motion_.work().Q));
    for (Eigen::Index j = 0; j < T_.cols(); ++j) turn(t, q, T_.col(j), Y_.col(j));
    difference_ = as_vector(CView(v_)) - as_vector(CView(v_p_));
    turn(t, q, difference_, Xv_);
    EM_Y_.noalias() = ME_.transpose() * Y_;
    EM_Xv_.noalias() = ME_.transpose() * Xv_;
    U_ = -(EM_Y_ + EM_Y_.transpose());  // C^-T G' C^-1
    lower().solveInPlace(U_);
    U_solved_ = U_.transpose();
    lower().solveInPlace(U_solved_);
    U_ = U_solved_.transpose();
    U_.triangularView<Eigen::StrictlyLower>().setZero();
    U_.diagonal() *= 0.5;
    multiply_mass(v_, Mx_);
    U_w_.noalias() = U_.transpose() * as_vector(w);
    C_dot_w_.noalias() = lower() * U_w_;  // C'^T w, with C' = U C
    right_.noalias() = T_.transpose() * Q_;
    part_.noalias() = Y_.transpose() * as_vector(CView(Mx_));
    right_ = right_ - C_dot_w_ - EM_Xv_ - part_;
    lower().solveInPlace(right_);
    as_vector(w_dot) = right_;
  }

  const System& system_;
  MotionSolver motion_;
  SingularWatch watch_;
  SingularPoseInterpolator crossing_;
  Passage passage_;
  EvaluatedState there_;
  std::size_t n_q_, n_v_, n_w_, n_z_;
  std::vector<double> rates_, mu_, zero_rows_, zero_, x_, Mx_, v_, v_p_, a_, shift_, guess_,
      shifted_;
  VelocityPredictor last_;
  Eigen::MatrixXd T_, MT_, Y_;
  Eigen::MatrixXd G_of_T_, EM_Y_, U_, U_solved_;
  Eigen::VectorXd difference_, Xv_, Q_, full_, EM_Xv_, U_w_, C_dot_w_, right_, part_;
  Eigen::LLT<Eigen::MatrixXd> G_;
  Eigen::MatrixXd E_, ME_;  // the constant vectors whose projections T_ are, and M times them
  bool stale_ = false;
  bool evaluated_ = false;  // there_ is that of the last accepted step
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_null_space(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(std::make_unique<NullSpace>(setting));
}

}  // namespace cardan
