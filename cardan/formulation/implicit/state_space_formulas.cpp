// The equations of the independent coordinates as y' = f(t, y), for the implicit formulas of ode/:
// y = (d, w, z) with the increment d from a pose q_0, the independent velocities w = v_v and the
// first-order states.
//   f:  q = q_0 (+) d with d_v as given, d_u by Newton's method from the d_u in y;  v of w;
//       a, lambda there;     d' = v transported back,  w' = a_v,  z'
// Only d_v, w and z carry the motion and the error control; d_u is integrated along as a guess. The
// derivatives of f are exact, from the linearised constraints and equations of motion
// (state_space_motion.h). The matrix I - c f_y of a formula, with d_v and w eliminated, is eq. 29
// with c for gamma h and c^2 for beta h^2.
#include <algorithm>
#include <cmath>

#include "cardan/formulation/coordinate_tolerances.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/implicit/state_space.h"
#include "cardan/formulation/implicit/state_space_motion.h"
#include "cardan/formulation/mechanism_equations.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/singular/passage.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/implicit/implicit_options.h"
#include "cardan/ode/implicit/rosenbrock.h"
#include "cardan/ode/implicit/sdirk.h"

namespace cardan {

namespace {

constexpr double widest_chart = 2;       // rad, of a rotation in space from q_0
constexpr double widest_partition = 8;   // stretch beyond which another partition is looked for
constexpr double wider_partition = 1.5;  // once none was better
constexpr double poor_guess = 1e-3;      // of the mechanism's size

class StateSpaceFormulas final : public Formulation {
 public:
  StateSpaceFormulas(const FormulationSetting& setting, std::vector<int> wanted)
      : system_(setting.system),
        motion_(setting.system, setting.active),
        equations_(motion_),
        independent_(equations_),
        watch_(setting),
        passage_(motion_),
        there_(setting.system),
        n_(static_cast<std::size_t>(setting.system.v_size())),
        n_f_(n_ -
             static_cast<std::size_t>(std::count(setting.active.begin(), setting.active.end(), 1))),
        n_z_(static_cast<std::size_t>(setting.system.states().size())),
        q_0_(static_cast<std::size_t>(setting.system.q_size())) {
    independent_.prefer(std::move(wanted));
  }

  std::string_view name() const override { return "state-space"; }

  int size() const override { return static_cast<int>(n_ + n_f_ + n_z_); }

  MotionSolver& motion() override { return motion_; }

  std::vector<int> independent() const override { return independent_.independent(); }

  double kept_violation() const override { return solved_violation * system_.length(); }

  // ---- the equations

  Eval f(double t, CView y, View dy) override {
    if (const Eval e = evaluate_motion(t, y); e != Eval::ok) return e;
    std::copy(at_.v.begin(), at_.v.end(), dy.begin());
    equations_.transport_back(at_.d, dy.first(n_));
    for (std::size_t j = 0; j < n_f_; ++j) dy[n_ + j] = at_.a[chosen(j)];
    system_.state_rates(t, at_.q, at_.v, at_.lambda, motion_.work(), dy.last(n_z_));
    return Eval::ok;
  }

  bool jacobian(double t, CView y, View J) override {
    if (evaluate_motion(t, y) != Eval::ok) return false;
    ++stats().factorization;
    independent_.slopes(at_, y.last(n_z_), slopes_);
    const auto n = static_cast<Eigen::Index>(n_), f = static_cast<Eigen::Index>(n_f_),
               z = static_cast<Eigen::Index>(n_z_);
    Eigen::Map<Eigen::MatrixXd> out(J.data(), size(), size());
    out.setZero();
    const auto column = [&](Eigen::Index k) -> Eigen::Index {
      return k < f ? static_cast<Eigen::Index>(chosen(static_cast<std::size_t>(k))) : n + k - f;
    };
    const Eigen::MatrixXd turned = turned_tangents();
    Eigen::MatrixXd z_rates = equations_.z_q() * turned + equations_.z_v() * slopes_.v +
                              equations_.z_lambda() * slopes_.lambda;
    z_rates.rightCols(z) += equations_.z_z();
    for (Eigen::Index k = 0; k < 2 * f + z; ++k) {
      const Eigen::Index c = column(k);
      Eigen::VectorXd x = slopes_.x.col(k), dv = slopes_.v.col(k), bend(n);
      equations_.transport_bend(at_.d, view_of(x), at_.v, view_of(bend));
      equations_.transport_back(at_.d, view_of(dv));
      out.col(c).head(n) = dv + bend;
      for (std::size_t j = 0; j < n_f_; ++j)
        out(n + static_cast<Eigen::Index>(j), c) =
            slopes_.a(static_cast<Eigen::Index>(chosen(j)), k);
      out.col(c).tail(z) = z_rates.col(k);
    }
    return out.allFinite();
  }

  // Large mechanisms: sparse factors of I - c f_y. Their formulas have one real c.
  Eval setup(double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed) override {
    if (!independent_.sparse()) return OdeProblem::setup(t, y, dy, shifts, allowed);
    if (allowed == Reuse::nothing) {
      if (const Eval e = evaluate_motion(t, y); e != Eval::ok) return e;
      ++stats().jacobian;
      independent_.linearise_formulas(at_, y.last(n_z_));
    } else if (allowed == Reuse::factors && shifts[0].re == factored_) {
      return Eval::ok;
    }
    ++stats().factorization;
    factored_ = shifts[0].re;
    return independent_.factor_formulas(factored_) ? Eval::ok : Eval::retry;
  }

  Eval solve(int k, View re, View im) override {
    if (!independent_.sparse()) return OdeProblem::solve(k, re, im);
    ++stats().solve;
    independent_.solve_formulas(re.first(n_), re.subspan(n_, n_f_), re.last(n_z_));
    return as_vector(CView(re)).allFinite() ? Eval::ok : Eval::retry;
  }

  void reserve(int shifts) override {
    if (!independent_.sparse()) OdeProblem::reserve(shifts);
  }

  std::string component_name(int i) const override {
    const auto k = static_cast<std::size_t>(i);
    if (k < n_) return system_.coordinate_label(i);
    if (k < n_ + n_f_)
      return "velocity of " + system_.coordinate_label(static_cast<int>(chosen(k - n_)));
    return system_.states().label(static_cast<int>(k - n_ - n_f_));
  }

  Tolerance tolerance(const DynamicOptions& options) const override {
    Tolerance tolerance;
    tolerance.rtol = options.rtol;
    tolerance.atol = options.atol;
    tolerance.norm = Tolerance::Norm::max;
    tolerance.ignored.assign(static_cast<std::size_t>(size()), false);
    if (n_f_ == 0) return tolerance;
    std::fill_n(tolerance.ignored.begin(), n_, true);
    for (const int k : independent_.independent())
      tolerance.ignored[static_cast<std::size_t>(k)] = false;
    system_.states().mark_ignored(tolerance.ignored);
    const auto all = static_cast<std::size_t>(size()), n = static_cast<std::size_t>(n_),
               f = static_cast<std::size_t>(n_f_);
    tolerate_each(system_, options, {all, 0, n, n, f, n + f, all - n - f, false}, tolerance);
    return tolerance;
  }

  // ---- coordinates

  void parametrize(const State& state, View y) override {
    const std::vector<int> before = independent_.independent();
    before_ = {before, q_0_};
    std::copy(state.q.begin(), state.q.end(), q_0_.begin());
    independent_.choose(within(state.t), state.q);
    at_ = independent_.point();
    at_.q = state.q;
    at_.v = state.v;
    std::fill(y.begin(), y.end(), 0.0);
    for (std::size_t j = 0; j < n_f_; ++j) y[n_ + j] = state.v[chosen(j)];
    std::copy_n(state.z.begin(), n_z_, y.last(n_z_).begin());
    motion_.use_states(state.z);
    motion_.use_inputs(state.u);
    if (parametrized_ && independent_.independent() != before) {
      std::string names;
      for (const int k : independent_.independent())
        names += (names.empty() ? "" : ", ") + system_.coordinate_label(k);
      events_.push_back({"repartition", "independent coordinates: " + names});
    }
    parametrized_ = true;
    stale_ = false;
    looked_at_ = 0;
  }

  bool translate(double t, CView before, View now) override {
    const std::vector<int> chosen_now = independent_.independent();
    const bool same = chosen_now == before_.independent;
    if (!same) independent_.use(before_.independent);
    q_0_.swap(before_.q_0);
    const bool known = evaluate_kinematics(t, before) == Eval::ok;
    q_0_.swap(before_.q_0);
    if (!same) independent_.use(chosen_now);
    if (!known) return false;
    equations_.difference(at_.q, q_0_, now.first(n_));
    for (std::size_t j = 0; j < n_f_; ++j) now[n_ + j] = at_.v[chosen(j)];
    std::copy_n(before.last(n_z_).begin(), n_z_, now.last(n_z_).begin());
    return true;
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    stale_ = false;
    evaluated_ = evaluate_kinematics(t, y) == Eval::ok;
    if (!evaluated_) return {};
    double off = 0;
    for (std::size_t k = 0; k < n_; ++k)
      off = std::max(off,
                     std::abs(at_.d[k] - y[k]) *
                         (system_.layout().turns(static_cast<int>(k)) ? system_.length() : 1));
    stale_ = off > poor_guess * system_.length() || rotation() > widest_chart;
    if (const double stretch = independent_.stretch();
        stretch > std::max(widest_partition, wider_partition * looked_at_)) {
      stale_ = stale_ || independent_.best_choice(t, at_.q) != independent_.independent();
      if (!stale_) looked_at_ = stretch;
    }
    return watch_.step(motion_, t, at_.q, at_.v, y.last(n_z_), events_);
  }

  bool stale() const override { return stale_; }

  bool accepted_state(CView y, State& state) const override {
    state.q = at_.q;
    state.v = at_.v;
    std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, state.z.begin());
    return evaluated_;
  }

  // Near a singular pose the dependent block of any choice loses digits: accelerations and
  // multipliers come from the way through it.
  Eval recover(double t, CView y, State& full) override {
    if (const Eval e = evaluate_motion(t, y); e != Eval::ok) return e;
    const bool near = pivot_ratio(motion_) <= near_singular_ratio;
    if (near) {
      if (const Eval e = passage_.motion(t, at_.q, at_.v, there_); e != Eval::ok) return e;
    }
    full.t = t;
    full.q = near ? there_.q : at_.q;
    full.v = near ? there_.v : at_.v;
    full.a = near ? there_.a : at_.a;
    full.lambda = near ? there_.lambda : at_.lambda;
    std::copy_n(y.end() - static_cast<std::ptrdiff_t>(n_z_), n_z_, full.z.begin());
    return Eval::ok;
  }

  void serialize(Archive& archive) override {
    archive.mark("state-space formulas");
    std::vector<int> chosen = independent_.independent();
    archive.io(chosen);
    require_within(archive, chosen, 0, system_.v_size() - 1);
    archive.io(q_0_);
    archive.io(looked_at_);
    archive.io(parametrized_);
    archive.io(at_.lambda);
    watch_.serialize(archive);
    passage_.serialize(archive);
    if (!archive.loading() || !archive.good()) return;
    independent_.use(chosen);
    at_.psi.resize(static_cast<Eigen::Index>(chosen.size()));
  }

  // ---- the methods

  Result<std::unique_ptr<Method>> make_own(const DynamicOptions& options) {
    const MethodOptions given = method_options(options);
    const bool fixed = options.step > 0;
    const auto diagonal = [&](const DiagonalTableau& tableau) {
      Traits traits = implicit::traits(options.integrator == "sdirk" ? "sdirk" : "esdirk",
                                       4,
                                       tableau.dense_degree > 0 ? tableau.dense_degree : 3);
      traits.adaptive = !fixed;
      return std::unique_ptr<Method>(std::make_unique<DiagonalMethod>(*this, traits, tableau));
    };
    const bool usual = options.order == 0 || options.order == 4;
    if (options.integrator == "bdf") return make_method(fixed ? "bdf-fixed" : "bdf", given, *this);
    if (options.integrator == "sdirk" && !fixed && usual) return diagonal(sdirk4_tableau);
    if (options.integrator == "sdirk" && !fixed)
      return bad_option("sdirk", "order", std::to_string(options.order), "4 without a given step");
    if (options.integrator == "esdirk" && fixed && usual) return diagonal(esdirk4_tableau);
    if (options.integrator == "rosenbrock" && fixed && usual) {
      Traits traits = implicit::traits("rosenbrock", 4, 3);
      return std::unique_ptr<Method>(std::make_unique<Rosenbrock>(*this, traits));
    }
    return make_method(options.integrator, given, *this);
  }

  std::unique_ptr<Method> own_method(const DynamicOptions& options) override {
    auto made = make_own(options);
    return made ? std::move(made).value() : nullptr;
  }

 private:
  static View view_of(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

  std::size_t chosen(std::size_t j) const {
    return static_cast<std::size_t>(independent_.independent()[j]);
  }

  Eval evaluate_kinematics(double t, CView y) {
    std::copy_n(y.begin(), n_, at_.d.begin());
    for (std::size_t j = 0; j < n_f_; ++j) at_.v[chosen(j)] = y[n_ + j];
    ++stats().factorization;
    return independent_.kinematics(t, q_0_, at_);
  }

  Eval evaluate_motion(double t, CView y) {
    if (const Eval e = evaluate_kinematics(t, y); e != Eval::ok) return e;
    return equations_.accelerations(t, at_.q, at_.v, y.last(n_z_), at_.a, at_.lambda);
  }

  // dq of all columns of slopes_.
  Eigen::MatrixXd turned_tangents() const {
    Eigen::MatrixXd dq = slopes_.x;
    for (Eigen::Index k = 0; k < dq.cols(); ++k)
      equations_.transport(at_.d, {dq.col(k).data(), n_});
    return dq;
  }

  double rotation() const {
    double largest = 0;
    for (int b = 0; system_.space() == Space::spatial && b < system_.body_count(); ++b)
      largest = std::max(largest, system_.layout().rotation(CView(at_.d), b).norm());
    return largest;
  }

  struct Coordinates {
    std::vector<int> independent;
    std::vector<double> q_0;
  };

  const System& system_;
  MotionSolver motion_;
  MechanismEquations equations_;
  IndependentMotion independent_;
  SingularWatch watch_;
  Passage passage_;
  EvaluatedState there_;
  std::size_t n_, n_f_, n_z_;
  std::vector<double> q_0_;
  IndependentMotion::Point at_;
  IndependentMotion::Slopes slopes_;
  Coordinates before_;  // of the last parametrize
  double looked_at_ = 0, factored_ = 0;
  bool stale_ = false, parametrized_ = false, evaluated_ = false;
};

Diagnostic not_newmark(const DynamicOptions& options, std::string found) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.where;
  d.element = "formulation \"state-space\"";
  d.found = std::move(found) + " with integrator \"" + options.integrator + "\"";
  d.expected = "integrator \"newmark\" or \"trapezoidal\" for this option";
  return d;
}

}  // namespace

Result<std::unique_ptr<Formulation>> make_state_space_formulas(const FormulationSetting& setting) {
  const DynamicOptions& options = setting.options;
  if (options.jacobian != "exact")
    return not_newmark(options, "jacobian = \"" + options.jacobian + "\"");
  if (options.predictor != "best")
    return not_newmark(options, "predictor = \"" + options.predictor + "\"");
  if (options.newton_tolerance > 0) return not_newmark(options, "newton_tolerance");
  if (options.newton_iterations > 0) return not_newmark(options, "newton_iterations");
  auto wanted = wanted_coordinates(setting);
  if (!wanted) return wanted.why();
  auto made = std::make_unique<StateSpaceFormulas>(setting, std::move(wanted).value());
  if (auto method = made->make_own(options); !method) return method.why().front();
  return std::unique_ptr<Formulation>(std::move(made));
}

}  // namespace cardan
