// Newmark's family on the independent coordinates, Newton's method on their accelerations s:
//   d_v = h v_v + h^2 ((1/2 - beta) a_v + beta s),   v_v <- v_v + h ((1 - gamma) a_v + gamma s),
// everything else from state_space_motion.h, until |ds| <= tol (1 + |s|). Rotations in space are
// moved by q_n (+) d.
//
// With given steps every iteration has its own Jacobian. With error control the Jacobian is kept
// while corrections shrink well, and the local error
//   e_d = (beta - 1/6) h^2 (s - a_v),   e_v = (gamma - 1/2) h (s - a_v) + h^3/12 s''
// is passed through the iteration matrix, so that fast decaying parts do not rule the step.
//
// Newton's method starts from the accelerations at v + h a, q (+) (h v + h^2/2 a) ("paper"), from
// those of the last step ("previous"), from zero, or from the one of these with the least residual.
// References: Haug, Negrut & Iancu (1997); Newmark, J. Eng. Mech. Div. ASCE 85 (1959); Shampine,
// "Implementation of implicit formulas", SIAM Rev. 22 (1980), on filtered error estimates.
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "cardan/base/trace.h"
#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/explicit/local_share.h"
#include "cardan/formulation/explicit/own_method.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/implicit/state_space.h"
#include "cardan/formulation/implicit/state_space_motion.h"
#include "cardan/formulation/mechanism_equations.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/implicit/implicit_options.h"
#include "cardan/ode/newton.h"

namespace cardan {

namespace {

enum class Predictor { best, paper, previous, zero };

struct NewmarkOptions {
  std::string_view name = "newmark";
  double gamma = 0.5, beta = 0.25;
  bool adaptive = false;
  IndependentMotion::Neglect neglect = IndependentMotion::Neglect::nothing;
  Predictor predictor = Predictor::best;
  double tolerance = 0;  // 0: the method's own
  int most = 0;          // iterations; 0: the method's own
};

constexpr double usual_tolerance = 1e-8;  // of given steps, relative to the accelerations
constexpr int usual_most = 30;            // iterations in a given step
constexpr Convergence::Goal to_newmark_tolerance{.missing = 0.02, .floor = 0, .most = 8};
constexpr double slow_corrections = 0.2;  // rate beyond which a new Jacobian pays
constexpr double widest_stretch = 2;      // of the partition, beyond which another is looked for
constexpr double wider = 1.5;             // once none was better

Traits newmark_traits_of(const NewmarkOptions& o) {
  Traits t = implicit::traits(o.name, o.gamma == 0.5 ? 2 : 1, 3);
  t.adaptive = o.adaptive;
  t.weighs_errors = true;
  if (2 * o.beta < o.gamma || o.gamma < 0.5) t.real_limit = t.imaginary_limit = implicit::unknown;
  return t;
}

class StateSpaceNewmarkMethod final : public ConstrainedMethod {
 public:
  StateSpaceNewmarkMethod(OdeProblem& problem,
                          MotionSolver& motion,
                          const MotionEquations& equations,
                          IndependentMotion& motion_in,
                          const NewmarkOptions& options,
                          std::vector<FormulationEvent>& events)
      : ConstrainedMethod(problem, motion, newmark_traits_of(options)),
        o_(options),
        events_(events),
        equations_(equations),
        motion_in_(motion_in),
        convergence_(to_newmark_tolerance) {
    controller_.exponent = traits_.order_max == 2 ? 1.0 / 3 : 0.5;
    controller_.grow = 4;
  }

  Eval start(double t, CView y, const Tolerance& tolerance) override {
    if (const Eval e = ConstrainedMethod::start(t, y, tolerance); e != Eval::ok) return e;
    use(std::vector<int>(motion_in_.independent()));  // the formulation has chosen
    looked_at_ = 0;
    has_past_ = has_jacobian_ = false;
    convergence_.forget();
    return Eval::ok;
  }

  Attempt attempt(double h) override {
    h_ = h;
    trouble_.clear();
    t_new_ = problem_.within(t_ + h);
    const Attempt::Kind begun = begin(h);
    if (begun != Attempt::Kind::ok) return {begun, 0};
    const Attempt::Kind kind = o_.adaptive ? iterate_with_reuse(h) : iterate(h);
    if (kind != Attempt::Kind::ok) return {kind, 0};
    std::copy(at_.q.begin(), at_.q.end(), q(y_new_).begin());
    std::copy(at_.v.begin(), at_.v.end(), v(y_new_).begin());
    return {kind, o_.adaptive ? local_error(h) : 0};
  }

  Eval accept(bool) override {
    lambda_ = at_.lambda;
    take_over(at_.a);
    has_past_ = true;
    system_.rate(q(y_), v(y_), view(f_).first(n_q_));
    std::copy(a_.begin(), a_.end(), f_.data() + n_q_);
    if (motion_in_.stretch() > std::max(widest_stretch, wider * looked_at_)) choose_again();
    return Eval::ok;
  }

  std::string trouble() const override { return trouble_; }

  void serialize(Archive& archive) override {
    ConstrainedMethod::serialize(archive);
    std::vector<int> chosen = motion_in_.independent();
    archive.io(chosen);
    require_within(archive, chosen, 0, system_.v_size() - 1);
    if (archive.loading() && archive.good()) use(chosen);
    archive.io(has_past_);
    archive.io(looked_at_);
    archive.io(has_jacobian_);
    archive.io(rate_);
    convergence_.serialize(archive);
    if (!o_.adaptive) return;
    archive.io(jacobian_base_);
    archive.io(jacobian_at_.t);
    archive.io(h_factor_);
    for (auto* list : {&jacobian_at_.d, &jacobian_at_.v, &jacobian_at_.a}) archive.io(*list);
    if (!archive.loading() || !archive.good() || !has_jacobian_) return;
    const Stats counted = problem_.stats();
    at_ = jacobian_at_;
    has_jacobian_ = motion_in_.follow(at_.t, jacobian_base_, {}, at_) == Eval::ok;
    if (has_jacobian_) {
      motion_in_.linearise(at_, {}, o_.neglect);
      has_jacobian_ = motion_in_.factor(o_.beta * h_factor_ * h_factor_, o_.gamma * h_factor_);
    }
    problem_.stats() = counted;
  }

 private:
  std::size_t freedoms() const { return motion_in_.independent().size(); }

  double independent(const std::vector<double>& x, std::size_t j) const {
    return x[static_cast<std::size_t>(motion_in_.independent()[j])];
  }

  // ---- independent coordinates

  void use(const std::vector<int>& chosen) {
    motion_in_.use(chosen);
    at_ = other_ = jacobian_at_ = motion_in_.point();
    jacobian_base_.resize(n_q_);
    s_.assign(chosen.size(), 0.0);
    ds_ = d_error_ = v_error_ = d_known_ = v_known_ = s_;
    full_.assign(n_v_, 0.0);
    has_jacobian_ = false;
  }

  void choose_again() {
    const std::vector<int> better = motion_in_.best_choice(problem_.within(t_), q(y_));
    if (better == motion_in_.independent()) {
      looked_at_ = motion_in_.stretch();
      return;
    }
    use(better);
    looked_at_ = 0;
    std::string names;
    for (const int k : better) names += (names.empty() ? "" : ", ") + system_.coordinate_label(k);
    events_.push_back({"repartition", "independent coordinates: " + names});
  }

  // ---- where Newton's method starts

  // Everything of a point with accelerations s_; the dependent increments from `guess`.
  Eval evaluate(IndependentMotion::Point& point) {
    for (std::size_t j = 0; j < freedoms(); ++j) {
      const auto k = static_cast<std::size_t>(motion_in_.independent()[j]);
      point.d[k] = d_known_[j] + o_.beta * h_ * h_ * s_[j];
      point.v[k] = v_known_[j] + o_.gamma * h_ * s_[j];
      point.a[k] = s_[j];
    }
    return follow(point);
  }

  Eval follow(IndependentMotion::Point& point) {
    ++problem_.stats().f;
    ++problem_.stats().factorization;
    return motion_in_.follow(t_new_, q(y_), {}, point);
  }

  void guess(IndependentMotion::Point& point) {
    for (std::size_t k = 0; k < n_v_; ++k) point.d[k] = h_ * v(y_)[k] + 0.5 * h_ * h_ * a_[k];
    point.lambda = lambda_;
  }

  // s_ of the paper's predictor: accelerations at the end of an explicit step.
  bool predict_as_paper() {
    guess(other_);
    for (std::size_t k = 0; k < n_v_; ++k) {
      other_.v[k] = v(y_)[k] + h_ * a_[k];
      other_.a[k] = 0;
    }
    if (follow(other_) != Eval::ok) return false;
    ++problem_.stats().f;
    if (motion_.accelerations(t_new_, other_.q, other_.v, other_.a, other_.lambda) != Eval::ok)
      return false;
    for (std::size_t j = 0; j < freedoms(); ++j) s_[j] = independent(other_.a, j);
    return as_vector(CView(s_)).allFinite();
  }

  bool predict(Predictor which) {
    if (which == Predictor::paper) return predict_as_paper();
    for (std::size_t j = 0; j < freedoms(); ++j)
      s_[j] = which == Predictor::previous ? independent(a_, j) : 0.0;
    return true;
  }

  // at_: the motion with the accelerations that Newton's method starts from.
  Attempt::Kind begin(double h) {
    for (std::size_t j = 0; j < freedoms(); ++j) {
      const auto k = static_cast<std::size_t>(motion_in_.independent()[j]);
      d_known_[j] = h * v(y_)[k] + h * h * (0.5 - o_.beta) * a_[k];
      v_known_[j] = v(y_)[k] + h * (1 - o_.gamma) * a_[k];
    }
    if (o_.predictor != Predictor::best) {
      const bool predicted = predict(o_.predictor);
      guess(at_);
      if (predicted && evaluate(at_) == Eval::ok) return Attempt::Kind::ok;
      return no_start();
    }
    double least = INFINITY;
    bool last = false;  // the best is the one evaluated last
    for (const Predictor which : {Predictor::paper, Predictor::previous, Predictor::zero}) {
      if (!predict(which)) continue;
      guess(other_);
      if (evaluate(other_) != Eval::ok) continue;
      const double size = other_.psi.norm();
      last = size < least;
      if (!last) continue;
      least = size;
      std::swap(at_, other_);
    }
    if (!std::isfinite(least)) return no_start();
    for (std::size_t j = 0; j < freedoms(); ++j) s_[j] = independent(at_.a, j);
    if (last || evaluate(at_) == Eval::ok) return Attempt::Kind::ok;
    return no_start();
  }

  Attempt::Kind no_start() {
    trouble_ = "no pose on the constraints was found for the first guess of the step";
    return o_.adaptive ? Attempt::Kind::retry : Attempt::Kind::not_converged;
  }

  // ---- Newton's method

  bool linearise(double h) {
    ++problem_.stats().jacobian;
    ++problem_.stats().factorization;
    motion_in_.linearise(at_, {}, o_.neglect);
    h_factor_ = h;
    return motion_in_.factor(o_.beta * h * h, o_.gamma * h);
  }

  // One correction of s_, and at_ with it.
  Eval correct(double h) {
    ++problem_.stats().newton;
    ++problem_.stats().solve;
    as_vector(View(ds_)) = -at_.psi;
    motion_in_.solve(ds_);
    for (std::size_t j = 0; j < freedoms(); ++j) {
      s_[j] += ds_[j];
      d_error_[j] = o_.beta * h * h * ds_[j];
    }
    if (tracing())
      trace("    Newton: largest correction of accelerations {:.3e}",
            ds_.empty() ? 0 : as_vector(CView(ds_)).cwiseAbs().maxCoeff());
    if (!as_vector(CView(s_)).allFinite()) return Eval::retry;
    motion_in_.shift(d_error_, at_);
    return evaluate(at_);
  }

  bool small_correction(double tolerance) const {
    const auto largest = [](const std::vector<double>& x) {
      return x.empty() ? 0 : as_vector(CView(x)).cwiseAbs().maxCoeff();
    };
    return largest(ds_) <= tolerance * (1 + largest(s_));
  }

  Attempt::Kind iterate(double h) {
    const int most = o_.most > 0 ? o_.most : usual_most;
    const double tolerance = o_.tolerance > 0 ? o_.tolerance : usual_tolerance;
    for (int k = 0; k < most; ++k) {
      if (!linearise(h)) {
        trouble_ = "the matrix of Newton's method is singular";
        return Attempt::Kind::not_converged;
      }
      const bool moved = correct(h) == Eval::ok;
      if (!moved) {
        trouble_ = fmt::format("iteration {} of Newton's method left the poses that exist", k + 1);
        return Attempt::Kind::not_converged;
      }
      if (small_correction(tolerance)) return Attempt::Kind::ok;
    }
    no_end(most);
    return Attempt::Kind::not_converged;
  }

  void no_end(int iterations) {
    trouble_ = fmt::format("{} iterations of Newton's method did not solve the {}",
                           iterations,
                           motion_in_.worst_text(at_));
  }

  // With the Jacobian of an earlier step where it serves.
  Attempt::Kind iterate_with_reuse(double h) {
    if (!has_jacobian_ || rate_ > slow_corrections) return iterate_afresh(h);
    if (h != h_factor_) {
      ++problem_.stats().factorization;
      h_factor_ = h;
      if (!motion_in_.factor(o_.beta * h * h, o_.gamma * h)) return iterate_afresh(h);
    }
    other_ = at_;
    const std::vector<double> first = s_;
    if (iterate_to_tolerance(h) == Attempt::Kind::ok) return Attempt::Kind::ok;
    s_ = first;
    at_ = other_;
    if (evaluate(at_) != Eval::ok) return Attempt::Kind::retry;
    return iterate_afresh(h);
  }

  Attempt::Kind iterate_afresh(double h) {
    convergence_.forget();
    std::copy(q(y_).begin(), q(y_).end(), jacobian_base_.begin());
    jacobian_at_ = at_;
    has_jacobian_ = linearise(h);
    if (!has_jacobian_) return Attempt::Kind::not_converged;
    const Attempt::Kind kind = iterate_to_tolerance(h);
    if (kind != Attempt::Kind::ok) has_jacobian_ = false;
    return kind;
  }

  Attempt::Kind iterate_to_tolerance(double h) {
    convergence_.begin();
    norm_.weigh(view(y_));
    for (int k = 0;; ++k) {
      if (correct(h) != Eval::ok) {
        trouble_ = fmt::format("iteration {} of Newton's method left the poses that exist", k + 1);
        return Attempt::Kind::not_converged;
      }
      for (std::size_t j = 0; j < freedoms(); ++j) v_error_[j] = o_.gamma * h * ds_[j];
      const Convergence::Verdict verdict = convergence_.judge(size_of_errors());
      rate_ = convergence_.rate();
      const bool exact = o_.tolerance > 0;
      if (exact ? small_correction(o_.tolerance) : verdict == Convergence::Verdict::done)
        return Attempt::Kind::ok;
      if (verdict == Convergence::Verdict::hopeless || (o_.most > 0 && k + 1 >= o_.most)) {
        no_end(k + 1);
        return Attempt::Kind::not_converged;
      }
    }
  }

  // ---- errors

  // Of d_error_ and v_error_, as changes of y, in the weights of norm_.
  double size_of_errors() {
    error_.setZero();
    std::fill(full_.begin(), full_.end(), 0.0);
    for (std::size_t j = 0; j < freedoms(); ++j)
      full_[static_cast<std::size_t>(motion_in_.independent()[j])] = d_error_[j];
    system_.rate(at_.q, full_, view(error_).first(n_q_));
    for (std::size_t j = 0; j < freedoms(); ++j)
      error_[static_cast<Eigen::Index>(n_q_) + motion_in_.independent()[j]] = v_error_[j];
    return weight_of_second_order(norm_.rtol()) * norm_(view(error_));
  }

  // Rotations in space: d is off by -h^3 w x w'/12 more.
  void take_bend_of_rotations(double h) {
    std::fill(full_.begin(), full_.end(), 0.0);
    for (int k = 0; k < equations_.velocities(); ++k) {
      if (!equations_.turns(k)) continue;
      const auto i = static_cast<std::size_t>(k);
      const Eigen::Map<const Vec<3>> w(at_.v.data() + i), w_dot(at_.a.data() + i);
      Eigen::Map<Vec<3>>(full_.data() + i) = h * h * h / 12 * w.cross(w_dot);
      k += 2;
    }
    for (std::size_t j = 0; j < freedoms(); ++j) d_error_[j] -= independent(full_, j);
  }

  double local_error(double h) {
    const double h_old = t_ - t_old_;
    for (std::size_t j = 0; j < freedoms(); ++j) {
      const double change = s_[j] - independent(a_, j);
      d_error_[j] = (o_.beta - 1.0 / 6) * h * h * change;
      double bend = change / (h * h);  // s'', of its first step as large as can be
      if (has_past_)
        bend =
            2 * (change / h - (independent(a_, j) - independent(a_old_, j)) / h_old) / (h + h_old);
      v_error_[j] = (o_.gamma - 0.5) * h * change + h * h * h / 12 * bend;
    }
    take_bend_of_rotations(h);
    ++problem_.stats().solve;
    motion_in_.respond(d_error_, v_error_, ds_);
    for (std::size_t j = 0; j < freedoms(); ++j) {
      d_error_[j] += o_.beta * h * h * ds_[j];
      v_error_[j] += o_.gamma * h * ds_[j];
    }
    norm_.weigh(view(y_), view(y_new_));
    return size_of_errors();
  }

  NewmarkOptions o_;
  std::vector<FormulationEvent>& events_;
  const MotionEquations& equations_;
  IndependentMotion& motion_in_;
  Convergence convergence_;
  IndependentMotion::Point at_, other_, jacobian_at_;
  std::vector<double> jacobian_base_;  // pose that its step began in
  std::vector<double> s_, ds_, d_known_, v_known_, d_error_, v_error_;  // of independent ones
  std::vector<double> full_;
  double t_new_ = 0, h_factor_ = 0, rate_ = 0, looked_at_ = 0;
  bool has_past_ = false, has_jacobian_ = false;
  std::string trouble_;
};

class StateSpaceNewmark final : public Absolute {
 public:
  StateSpaceNewmark(const FormulationSetting& setting,
                    const NewmarkOptions& options,
                    std::vector<int> wanted)
      : Absolute(setting),
        options_(options),
        equations_(motion_),
        motion_in_(equations_),
        watch_(setting) {
    n_z_ = 0;
    motion_in_.prefer(std::move(wanted));
  }

  std::string_view name() const override { return "state-space"; }

  std::vector<int> independent() const override { return motion_in_.independent(); }

  void parametrize(const State& state, View y) override {
    Absolute::parametrize(state, y);
    motion_in_.choose(within(state.t), state.q);
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    return watch_.step(motion_, t, q(y), v(y), {}, events_);
  }

  void serialize(Archive& archive) override {
    archive.mark("state-space newmark");
    watch_.serialize(archive);
    passage_.serialize(archive);
  }

  std::unique_ptr<Method> own_method(const DynamicOptions&) override {
    return std::make_unique<StateSpaceNewmarkMethod>(
        *this, motion_, equations_, motion_in_, options_, events_);
  }

 protected:
  bool keeps_constraints() const override { return true; }

  std::optional<ConstraintFeedback> feedback() const override { return ConstraintFeedback{}; }

 private:
  NewmarkOptions options_;
  MechanismEquations equations_;
  IndependentMotion motion_in_;
  SingularWatch watch_;
};

Diagnostic refused(const DynamicOptions& options, std::string found, std::string expected) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.where;
  d.element = "formulation \"state-space\"";
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

constexpr std::string_view others = "integrator \"bdf\", \"esdirk\", \"sdirk\" or \"rosenbrock\"";

std::optional<Predictor> predictor_of(std::string_view word) {
  if (word == "best") return Predictor::best;
  if (word == "paper") return Predictor::paper;
  if (word == "previous") return Predictor::previous;
  if (word == "zero") return Predictor::zero;
  return {};
}

}  // namespace

Result<std::unique_ptr<Formulation>> make_state_space_newmark(const FormulationSetting& setting) {
  const DynamicOptions& options = setting.options;
  const std::string named = "integrator \"" + options.integrator + "\"";
  NewmarkOptions o;
  if (options.integrator == "trapezoidal") o.name = "trapezoidal";
  o.adaptive = options.step == 0;
  const IntegratorSettings& own = options.integrator_settings;
  if (!std::isnan(own.gamma)) o.gamma = own.gamma;
  o.beta = std::isnan(own.beta) ? 0.25 * (o.gamma + 0.5) * (o.gamma + 0.5) : own.beta;
  if (!(o.gamma >= 0 && o.gamma <= 1))
    return refused(options, fmt::format("gamma = {}", o.gamma), "0 <= gamma <= 1");
  if (!(o.beta >= 0 && o.beta <= 1))
    return refused(options, fmt::format("beta = {}", o.beta), "0 <= beta <= 1");
  const auto predictor = predictor_of(options.predictor);
  if (!predictor)
    return refused(options,
                   "predictor = \"" + options.predictor + "\"",
                   "\"best\", \"paper\", \"previous\" or \"zero\"");
  o.predictor = *predictor;
  if (options.jacobian == "fv")
    o.neglect = IndependentMotion::Neglect::fisette_vaneghem;
  else if (options.jacobian != "exact")
    return refused(options, "jacobian = \"" + options.jacobian + "\"", "\"exact\" or \"fv\"");
  o.tolerance = options.newton_tolerance;
  o.most = options.newton_iterations;
  if (options.order != 0 && options.order != (o.gamma == 0.5 ? 2 : 1))
    return refused(
        options, fmt::format("order = {}", options.order), "2, or 1 with gamma above 1/2");
  if (const StateTable::Entry* state = setting.system.states().first_coupled()) {
    Diagnostic d =
        refused(options,
                named + ", which knows positions and velocities only, for a first-order state",
                std::string(others));
    d.element = state->label;
    return d;
  }
  auto wanted = wanted_coordinates(setting);
  if (!wanted) return wanted.why();
  auto made = std::make_unique<StateSpaceNewmark>(setting, o, std::move(wanted).value());
  if (made->equations_of_motion().friction().any())
    return refused(
        options, named + " with friction that depends on reactions", std::string(others));
  return std::unique_ptr<Formulation>(std::move(made));
}

}  // namespace cardan
