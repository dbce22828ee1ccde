// The hybrid of partitioning and stabilisation, steps 1 to 7 of its description, in all coordinates
// y = (q, v, z):
//   1, 2  consistent start; independent coordinates by Gauss-Jordan elimination
//   3     accelerations without feedback after a correction
//   4     all coordinates integrated, the error controlled of the independent ones only
//   5a    violation within constraint_tolerance: the state is taken as it is; the next
//         accelerations have the feedback gamma - 2 alpha phi' - beta^2 phi with small fixed alpha and beta
//   5b    violation beyond it: dependent coordinates by Newton's method, their velocities by linear
//         equations, no feedback (mass-orthogonally where the partition has just become too steep
//         to solve for them)
//   6, 7  step size from the independent coordinates; on to the next step. The partition is
//   examined after every step, also after those that need no correction: its coordinates may
//   stand still while the dependent ones move (the height of a pendulum at its lowest point).
// When the matrix of the accelerations is ill-conditioned, evaluations too are made with solved
// dependent coordinates: pure partitioning. Reference: Park, A hybrid method (1986), after Haug
// (1989), 7.3.5.
#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/explicit/chart.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/formulation/explicit/stabilisation.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/singular.h"

namespace cardan {

namespace {

constexpr double default_gain = 5;    // alpha = beta, small
constexpr double widest_stretch = 8;  // of the partition
constexpr double near_stretch = 2;    // the same on the way to a singular pose
constexpr long many_predictions = 4;

double tolerance_of(const FormulationSetting& setting) {
  const DynamicOptions& o = setting.options;
  return o.constraint_tolerance > 0 ? o.constraint_tolerance
                                    : std::max(o.atol, 0.1 * o.rtol * setting.system.length());
}

class Hybrid final : public Absolute {
 public:
  Hybrid(const FormulationSetting& setting, std::vector<int> wanted)
      : Absolute(setting),
        chart_(motion_),
        crossing_(motion_),
        watch_(setting),
        wanted_(std::move(wanted)),
        tolerance_(tolerance_of(setting)),
        alpha_(std::isnan(setting.options.alpha) ? default_gain : setting.options.alpha),
        beta_(std::isnan(setting.options.beta) ? alpha_ : setting.options.beta),
        rates_(lambda_.size()),
        p_(static_cast<std::size_t>(chart_.freedoms())),
        r_(p_) {}

  std::string_view name() const override { return "hybrid"; }

  std::optional<GainPair> gains() const override { return GainPair{alpha_, beta_}; }

  const CorrectionTally* corrections() const override { return &tally_; }

  std::vector<int> independent() const override { return chart_.selected(); }

  bool keeps_constraints() const override { return system_.equations().rows() > 0; }

  Eval f(double t, CView y, View dy) override {
    motion_.use_states(z(y));
    const CView here = pose(y);
    if (const Eval e = accelerate(t, here, v(y), q(dy), v(dy), lambda_); e != Eval::ok) return e;
    rate_states(t, pure_ ? CView(there_.q) : here, pure_ ? CView(there_.v) : v(y), dy);
    return Eval::ok;
  }

  Eval project(double t, View y, View) override {  // step 5
    renew_quaternions(y);
    if (!keeps_constraints()) return Eval::ok;
    motion_.use_states(z(y));
    const double position = motion_.position_violation(t, q(y), MotionSolver::Rows::active);
    const double velocity = motion_.velocity_violation(t, q(y), v(y), MotionSolver::Rows::active);
    if (!std::isfinite(position + velocity)) return Eval::retry;
    found_ = {position, velocity};
    corrected_ = false;
    const bool near = pivot_ratio(motion_) < near_singular_ratio;
    if (position <= tolerance_ && velocity <= 100 * tolerance_ && !near) {
      next_feedback_ = true;
      return Eval::ok;
    }
    next_feedback_ = false;
    corrected_ = true;
    if (steep(t, q(y))) return put_onto_constraints(t, q(y), v(y));
    if (const Eval e = solve_dependent(t, q(y), v(y)); e != Eval::ok) return e;
    std::copy(there_.q.begin(), there_.q.end(), q(y).begin());
    std::copy(there_.v.begin(), there_.v.end(), v(y).begin());
    return Eval::ok;
  }

  void parametrize(const State& state, View y) override {
    Absolute::parametrize(state, y);
    const std::vector<int> before = chart_.selected();
    const Eigen::MatrixXd phi_q = active_jacobian(system_, motion_.active(), state.t, state.q);
    chart_.select(wanted_first(wanted_, phi_q) ? wanted_ : independent_coordinates(phi_q), state.q);
    wanted_.clear();  // later choices follow the pose
    stale_ = feedback_ = false;
    if (before.empty() || before == chart_.selected()) return;
    std::string names;
    for (const int k : chart_.selected())
      names += (names.empty() ? "" : ", ") + system_.coordinate_label(k);
    events_.push_back({"repartition", "independent coordinates: " + names});
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long attempts) override {
    feedback_ = next_feedback_;
    stale_ = false;
    tally_.take(found_.position, found_.velocity, corrected_);
    const bool solved = chart_.tangents(t, q(y)) == Eval::ok;
    const double ratio = pivot_ratio(motion_);
    const bool crossing = ratio < crossing_ratio && crossing_.crossed();
    if (!crossing &&
        (!solved || attempts > many_predictions ||
         chart_.stretch() > (ratio < approached_ratio ? near_stretch : widest_stretch)))
      stale_ = independent_coordinates(active_jacobian(system_, motion_.active(), t, q(y))) !=
               chart_.selected();
    if (chart_.rotation(q(y)) > Chart::widest_rotation) stale_ = true;
    return watch_.step(motion_, t, q(y), v(y), z(y), events_);
  }

  double kept_violation() const override { return 10 * tolerance_; }

  bool stale() const override { return stale_; }

  Eval recover(double t, CView y, State& full) override {
    if (steep(t, q(y))) return Absolute::recover(t, y, full);
    full.t = t;
    motion_.use_states(z(y));
    if (const Eval e = solve_dependent(t, q(y), v(y)); e != Eval::ok) return e;
    full.q = there_.q;
    full.v = there_.v;
    full.a = there_.a;
    full.lambda = there_.lambda;
    std::copy_n(z(y).begin(), n_z_, full.z.begin());
    return Eval::ok;
  }

  Tolerance tolerance(const DynamicOptions& options) const override {
    Tolerance tolerance = Absolute::tolerance(options);
    if (chart_.selected().empty() && chart_.freedoms() > 0) return tolerance;  // no choice yet
    if (chart_.freedoms() == 0) return tolerance;
    std::fill(tolerance.ignored.begin(), tolerance.ignored.end(), true);
    system_.states().mark_ignored(tolerance.ignored);
    for (const int k : chart_.selected()) {
      const auto [first, count] = system_.layout().moved_by(k);
      for (int i = first; i < first + count; ++i)
        tolerance.ignored[static_cast<std::size_t>(i)] = false;
      tolerance.ignored[n_q_ + static_cast<std::size_t>(k)] = false;
    }
    return tolerance;
  }

  void serialize(Archive& archive) override {
    archive.mark("hybrid");
    chart_.serialize(archive);
    watch_.serialize(archive);
    passage_.serialize(archive);
    archive.io(feedback_);
    archive.io(next_feedback_);
    tally_.serialize(archive);
  }

 protected:
  Eval accelerate(double t, CView q, CView v, View q_dot, View a, View lambda) override {
    Eval e = motion_.linearise(t, q);
    pure_ = e != Eval::ok || pivot_ratio(motion_) < near_singular_ratio;
    if (pure_) {
      e = solve_dependent(t, q, v);
      std::copy(there_.a.begin(), there_.a.end(), a.begin());
      std::copy(there_.lambda.begin(), there_.lambda.end(), lambda.begin());
      system_.rate(there_.q, there_.v, q_dot);
    } else {
      motion_.load(t, q, v);
      if (feedback_) add_feedback(t, q, v);
      e = motion_.finish(t, q, a, lambda);
      system_.rate(q, v, q_dot);
    }
    return e;
  }

  std::optional<ConstraintFeedback> feedback() const override {
    if (pure_) return {};
    return feedback_ ? ConstraintFeedback{2 * alpha_, beta_ * beta_} : ConstraintFeedback{};
  }

 private:
  void add_feedback(double t, CView q, CView v) {
    violations(motion_, t, q, v, rates_);
    Workspace& work = motion_.work();
    for (std::size_t k = 0; k < rates_.size(); ++k)
      work.gamma[k] -= 2 * alpha_ * rates_[k] + beta_ * beta_ * work.phi[k];
  }

  // Whether errors of the independent coordinates would grow much in the dependent ones, away from
  // singular poses.
  bool steep(double t, CView q) {
    const bool solved = chart_.tangents(t, q) == Eval::ok;
    return pivot_ratio(motion_) > near_singular_ratio &&
           (!solved || chart_.stretch() > widest_stretch);
  }

  // there_: the motion with the independent coordinates of q and v.
  Eval solve_dependent(double t, CView q, CView v) {
    chart_.coordinates(q, p_);
    chart_.rates(q, v, r_);
    const Eval e = chart_.motion({t, p_, r_, q}, v, crossing_, there_);
    stats().newton += chart_.iterations();
    return e;
  }

  Chart chart_;
  SingularPoseInterpolator crossing_;
  SingularWatch watch_;
  std::vector<int> wanted_;  // independent coordinates to begin with; empty: chosen
  CorrectionTally tally_;

  struct {
    double position = 0, velocity = 0;
  } found_;  // violations of the last attempt, before it was corrected

  bool corrected_ = false;
  double tolerance_, alpha_, beta_;
  std::vector<double> rates_, p_, r_;
  bool feedback_ = false, next_feedback_ = false, stale_ = false, pure_ = false;
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_hybrid(const FormulationSetting& setting) {
  auto wanted = wanted_coordinates(setting);
  if (!wanted) return wanted.why();
  return std::unique_ptr<Formulation>(std::make_unique<Hybrid>(setting, std::move(wanted).value()));
}

}  // namespace cardan
