// A half-explicit Runge-Kutta method of order 5 for the index-2 equations q' = v, M v' + phi_q^T
// lambda = Q, phi_q v = nu. Stages are explicit but for the multipliers: lambda_i is such that the
// velocity constraint holds at the next stage,
//   Q_i = q + h sum_j<i a_ij V_j,   V_i = v + h sum_j<i a_ij V'_j
//   M V'_i + phi_q(Q_i)^T lambda_i = Q(Q_i, V_i),   phi_q(Q_i+1) V_i+1 = nu(Q_i+1),  linear in V'_i
//   and lambda_i
// The first stage takes V' over from the step before; the seventh, at the new point, has its
// constraint at an eighth point t + 19/20 h. Coefficients of Dormand and Prince with one further
// row. The matrix [M phi_q(Q_i)^T; phi_q(Q_i+1) 0] is solved with the symmetric factor at Q_i+1 and
// a few corrections by phi_q(Q_i+1) - phi_q(Q_i), which is of the order of h. References: Brasey &
// Hairer, SIAM J. Numer. Anal. 30 (1993); Arnold & Murua, Appl. Numer. Math. (1998), HEDOP5.
#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/explicit/own_method.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/singular.h"

namespace cardan {

namespace {

constexpr int stages = 7;  // the last at the new point
constexpr double c[stages + 1] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1, 19.0 / 20};
constexpr double a[stages + 1][stages] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    {-18611506045861.0 / 19738176307200.0,
     59332529.0 / 14479296.0,
     -2509441598627.0 / 893904224850.0,
     2763523204159.0 / 3289696051200.0,
     -41262869588913.0 / 116235927142400.0,
     46310205821.0 / 287848404480.0,
     -3280.0 / 75413.0}};
constexpr double lower_order[stages] = {
    5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
// Between steps, for first-order states: the cubic of values and rates at both ends plus
// s^2 (1 - s)^2 h sum d_i k_i, of order 4 (Hairer, Norsett & Wanner I, II.6).
constexpr double dense[stages] = {-12715105075.0 / 11282082432.0,
                                  0,
                                  87487479700.0 / 32700410799.0,
                                  -10690763975.0 / 1880347072.0,
                                  701980252875.0 / 199316789632.0,
                                  -1453857185.0 / 822651844.0,
                                  69997945.0 / 29380423.0};
constexpr int most_corrections = 40;
constexpr double correction_aim = 1e-14;  // last correction, relative to the positions

Traits describe() {
  Traits x;
  x.name = "half-explicit";
  x.order_min = x.order_max = 5;
  x.adaptive = true;
  x.real_limit = 3.30656789263495;
  x.evaluations = stages;
  x.interpolant_order = 5;
  return x;
}

class HalfExplicitMethod final : public ConstrainedMethod {
 public:
  HalfExplicitMethod(OdeProblem& problem, MotionSolver& motion)
      : ConstrainedMethod(problem, motion, describe()),
        packed_(static_cast<std::size_t>(system_.equations().packed_size())),
        F_(n_v_),
        f_row_(n_v_),
        x_(n_v_),
        g_(lambda_.size()),
        friction_(system_) {
    controller_.exponent = 0.2;
    const StateTable& states = system_.states();
    bend_ = Eigen::VectorXd::Zero(states.size() - states.first_of_model());
    k_.resize(problem.size(), stages);
    y_stage_.resize(problem.size());
  }

  Eval start(double t, CView y, const Tolerance& tolerance) override {
    if (const Eval e = ConstrainedMethod::start(t, y, tolerance); e != Eval::ok) return e;
    motion_.use_states(z(y_));
    return motion_.accelerations(problem_.within(t), q(y_), v(y_), x_, lambda_);
  }

  Attempt attempt(double h) override {
    h_ = h;
    k_.col(0) = f_;
    stage_multipliers_ = lambda_;
    advance(1, y_stage_);
    near_pose_ = false;
    for (int i = 1; i < stages; ++i) {  // y_stage_ holds stage i
      if (i == stages - 1) y_new_ = y_stage_;
      if (const Eval e = stage(i); e != Eval::ok) return {failed(e), 0};
    }
    if (!y_new_.allFinite()) return {Attempt::Kind::retry, 0};
    error_.setZero();
    for (int i = 0; i < stages; ++i)
      error_ += h * ((i < stages - 1 ? a[stages - 1][i] : 0.0) - lower_order[i]) * k_.col(i);
    norm_.weigh(view(y_), view(y_new_));
    return {Attempt::Kind::ok, norm_(view(error_))};
  }

  Eval accept(bool) override {
    lambda_ = stage_multipliers_;
    bend_.setZero();
    for (int i = 0; i < stages; ++i) bend_ += h_ * dense[i] * k_.col(i).tail(bend_.size());
    std::copy_n(k_.col(stages - 1).data() + n_q_, n_v_, x_.begin());
    take_over(x_);
    f_ = k_.col(stages - 1);
    system_.rate(q(y_), v(y_), view(f_).first(n_q_));
    return Eval::ok;
  }

  Eval interpolate(double t, View y) override {
    if (const Eval e = ConstrainedMethod::interpolate(t, y); e != Eval::ok) return e;
    const double h = t_ - t_old_, s = h == 0 ? 1 : (t - t_old_) / h;
    as_vector(y).tail(bend_.size()) += s * s * (1 - s) * (1 - s) * bend_;
    return Eval::ok;
  }

  void serialize(Archive& archive) override {
    ConstrainedMethod::serialize(archive);
    archive.io(bend_);
  }

 private:
  void advance(int i, Eigen::VectorXd& out) const {
    out = y_;
    for (int j = 0; j < i; ++j)
      if (a[i][j] != 0) out += h_ * a[i][j] * k_.col(j);
  }

  // V'_i and lambda_i; y_stage_ becomes the argument of the next stage.
  Eval stage(int i) {
    const double t = problem_.within(t_ + c[i] * h_), t_next = problem_.within(t_ + c[i + 1] * h_);
    Workspace& work = motion_.work();
    ++problem_.stats().f;
    const CView q_i = q(y_stage_), v_i = v(y_stage_);
    system_.rotations(q_i, work);
    system_.equations().phi_q(system_.config(t, q_i, work), packed_);
    motion_.use_states(z(y_stage_));
    system_.evaluate_forces(t, q_i, v_i, work);
    F_ = work.Q;
    if (friction_.any()) friction_.prepare(t, q_i, v_i, work);
    if (friction_.holds()) return explicit_stage(t, i);
    Eigen::Ref<Eigen::VectorXd> k = k_.col(i);
    system_.rate(q_i, v_i, {k.data(), n_q_});
    k.tail(k.size() - static_cast<Eigen::Index>(n_q_)).setZero();
    Eigen::VectorXd& argument = next_stage_;
    argument = y_;
    for (int j = 0; j <= i; ++j)
      if (a[i + 1][j] != 0)
        argument += h_ * a[i + 1][j] * k_.col(j);  // velocities and states: without this stage
    if (const Eval e = motion_.linearise(t_next, q(argument)); e != Eval::ok) return e;
    ++problem_.stats().factorization;
    const bool near_here = near_pose_;
    near_pose_ = pivot_ratio(motion_) < near_singular_ratio;
    if (near_here || near_pose_) return explicit_stage(t, i);
    const double weight = h_ * a[i + 1][i];
    system_.equations().nu(system_.config(t_next, q(argument), work), work.nu);
    system_.equations().multiply(motion_.work().packed, v(argument), g_);
    for (std::size_t r = 0; r < g_.size(); ++r) g_[r] = (work.nu[r] - g_[r]) / weight;
    if (solve({k.data() + n_q_, n_v_}) != Eval::ok) return explicit_stage(t, i);
    rate_states(t, i);
    y_stage_ = argument;
    y_stage_.tail(k.size() - static_cast<Eigen::Index>(n_q_)) +=
        weight * k.tail(k.size() - static_cast<Eigen::Index>(n_q_));
    return Eval::ok;
  }

  // Near a singular pose, where phi_q may lose rank between two stages: V'_i are the accelerations
  // on the constraints, as in the Runge-Kutta method below this one.
  Eval explicit_stage(double t, int i) {
    if (const Eval e = problem_.f(t, view(y_stage_), {k_.col(i).data(), view(y_).size()});
        e != Eval::ok)
      return e;
    advance(i + 1, y_stage_);
    return Eval::ok;
  }

  Eval solve(View v_dot) {
    double before = INFINITY;
    std::copy(v_dot.begin(), v_dot.end(), x_.begin());
    for (int pass = 0; pass < most_corrections; ++pass) {
      f_row_ = F_;
      if (friction_.any()) friction_.add(stage_multipliers_, f_row_);
      system_.equations().add_transposed(motion_.work().packed, stage_multipliers_, 1, f_row_);
      system_.equations().add_transposed(packed_, stage_multipliers_, -1, f_row_);
      if (system_.equations().has_mass()) add_mass_change();
      motion_.solve(f_row_, g_, v_dot, stage_multipliers_);
      double change = 0, size = 0;
      for (std::size_t k = 0; k < v_dot.size(); ++k) {
        change = std::max(change, std::abs(v_dot[k] - x_[k]));
        size = std::max(size, std::abs(v_dot[k]));
      }
      if (!std::isfinite(size)) return Eval::retry;
      std::copy(v_dot.begin(), v_dot.end(), x_.begin());
      if (change <= correction_aim * size ||
          (pass > 1 && change > 0.9 * before && change <= 1e-9 * size))
        return Eval::ok;
      if (pass > 3 && change > before) return Eval::retry;
      before = change;
    }
    return Eval::retry;
  }

  // The factor has M of the next pose: (M_i+1 - M_i) V'_i, of the last pass.
  void add_mass_change() {
    const auto n = static_cast<Eigen::Index>(n_v_);
    const int first = system_.equations().mass_offset();
    const Eigen::Map<const Eigen::MatrixXd> next(motion_.work().packed.data() + first, n, n),
        here(packed_.data() + first, n, n);
    as_vector(View(f_row_)) += (next - here) * as_vector(CView(x_));
  }

  void rate_states(double t, int i) {
    Workspace& work = motion_.work();
    system_.rotations(q(y_stage_), work);
    system_.state_rates(t,
                        q(y_stage_),
                        v(y_stage_),
                        stage_multipliers_,
                        work,
                        {k_.col(i).data() + n_q_ + n_v_, z(y_).size()});
  }

  std::vector<double> packed_, F_, f_row_, x_, g_, stage_multipliers_;
  FrictionSolver friction_;  // of the stage
  Eigen::MatrixXd k_;
  Eigen::VectorXd y_stage_, next_stage_;
  Eigen::VectorXd bend_;    // of the states of the model in the last step
  bool near_pose_ = false;  // at the stage to come
};

class HalfExplicit final : public Absolute {
 public:
  explicit HalfExplicit(const FormulationSetting& setting) : Absolute(setting), watch_(setting) {}

  std::string_view name() const override { return "half-explicit"; }

  bool keeps_constraints() const override { return system_.equations().rows() > 0; }

  Eval project(double t, View y, View error) override {
    renew_quaternions(y);
    if (!keeps_constraints()) return Eval::ok;
    motion_.use_states(z(y));
    if (const Eval e = put_onto_constraints(t, q(y), v(y)); e != Eval::ok) return e;
    project_error(y, error);
    return Eval::ok;
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    return watch_.step(motion_, t, q(y), v(y), z(y), events_);
  }

  void serialize(Archive& archive) override {
    archive.mark("half-explicit");
    watch_.serialize(archive);
    passage_.serialize(archive);
  }

  Eval f(double t, CView y, View dy) override {
    motion_.use_states(z(y));
    if (const Eval e = accelerate_on_constraints(t, q(y), v(y), q(dy), v(dy), lambda_);
        e != Eval::ok)
      return e;
    rate_states(t, there_.q, there_.v, dy);
    return Eval::ok;
  }

  std::unique_ptr<Method> own_method(const DynamicOptions&) override {
    return std::make_unique<HalfExplicitMethod>(*this, motion_);
  }

 protected:
  std::optional<ConstraintFeedback> feedback() const override { return {}; }

 private:
  SingularWatch watch_;
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_half_explicit(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(std::make_unique<HalfExplicit>(setting));
}

}  // namespace cardan
