// RATTLE, the symplectic and reversible leap-frog step for conservative constrained motion, and its
// symmetric compositions:
//   v_half = v      + h/2 M^-1 (Q(q)     - phi_q(q)^T lambda),   q_new = q + h v_half,
//   v_new  = v_half + h/2 M^-1 (Q(q_new) - phi_q(q_new)^T mu),
//   lambda from phi(t + h, q_new) = 0,   mu from phi_q(q_new) v_new = nu
// order 2; order 4: five steps w h, (1 - 4 w) h with w = 1 / (4 - 4^(1/3)); order 6: seven steps
// after Yoshida. lambda by Newton's method with the factor at q. Forces must not depend on
// velocities. In space rotations drift as those of free bodies do (free_rotation.h) in the place of
// q + h v, which takes the gyroscopic torque out of Q and turns the body rates of v_half with it.
// References: Andersen, J. Comput. Phys. 52 (1983); Reich, SIAM J. Numer. Anal. 33 (1996); Suzuki,
// Phys. Lett. A 146 (1990); Yoshida, Phys. Lett. A 150 (1990).
#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/explicit/free_rotation.h"
#include "cardan/formulation/explicit/own_method.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/math/newton.h"

namespace cardan {

namespace {

constexpr int most_iterations = 60;
constexpr double closing_aim = 2e-15;  // relative to the mechanism's size

Mat<3, 3> inertia(const System& system, int body) {
  Mat<3, 3> J;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) J(r, c) = system.mass().at(body, 3 + r, 3 + c);
  return J;
}

std::vector<double> composition(int order) {
  if (order == 4) {
    // Weight of the four outer steps of five: of order 4.
    constexpr double cube_root_of_4 = 1.58740105196819947475, w = 1 / (4 - cube_root_of_4);
    return {w, w, 1 - 4 * w, w, w};
  }
  if (order == 6) {
    // Weights of Yoshida's solution A of order 6.
    constexpr double w1 = -1.17767998417887100695, w2 = 0.235573213359358133684,
                     w3 = 0.784513610477557263819;
    return {w3, w2, w1, 1 - 2 * (w1 + w2 + w3), w1, w2, w3};
  }
  return {1};
}

Traits describe(int order) {
  Traits x;
  x.name = "rattle";
  x.order_min = x.order_max = order;
  x.second_order = true;
  x.imaginary_limit = 2;
  x.evaluations = order == 2 ? 1 : order == 4 ? 5 : 7;
  x.interpolant_order = 5;
  return x;
}

class RattleMethod final : public ConstrainedMethod {
 public:
  RattleMethod(OdeProblem& problem, MotionSolver& motion, int order)
      : ConstrainedMethod(problem, motion, describe(order)),
        shares_(composition(order)),
        here_(n_q_),
        d_(n_v_),
        kick_(n_v_),
        zero_(n_v_, 0.0),
        end_(n_v_),
        a_new_(n_v_),
        g_(lambda_.size()),
        mu_(lambda_.size()) {
    if (system_.space() == Space::spatial)
      for (int b = 0; b < system_.body_count(); ++b) inertias_.push_back(inertia(system_, b));
  }

  Attempt attempt(double h) override {
    h_ = h;
    y_new_ = y_;
    double t = t_;
    for (const double share : shares_) {
      if (const Eval e = leap(t, share * h, q(y_new_), v(y_new_)); e != Eval::ok)
        return {failed(e), 0};
      t += share * h;
    }
    return {y_new_.allFinite() ? Attempt::Kind::ok : Attempt::Kind::retry, 0};
  }

  Eval accept(bool) override {
    ++problem_.stats().f;
    if (const Eval e = motion_.accelerations(t_ + h_, q(y_new_), v(y_new_), a_new_, lambda_);
        e != Eval::ok)
      return e;
    take_over(a_new_);
    return Eval::ok;
  }

 private:
  Eval leap(double t, double h, View q, View v) {
    ++problem_.stats().f;
    if (const Eval e = motion_.accelerations(t, q, v, kick_, mu_); e != Eval::ok) return e;
    if (motion_.dependent() > 0) return Eval::retry;
    take_out_gyroscopic(v);
    for (std::size_t k = 0; k < n_v_; ++k) v[k] += 0.5 * h * kick_[k];
    std::copy(q.begin(), q.end(), here_.begin());
    if (const Eval e = close(t + h, h, q, v); e != Eval::ok) return e;
    if (const Eval e = motion_.linearise(t + h, q); e != Eval::ok) return e;
    problem_.stats().factorization += 2;
    Workspace& work = motion_.work();
    system_.evaluate_forces(t + h, q, zero_, work);
    system_.equations().nu(system_.config(t + h, q, work), work.nu);
    system_.equations().multiply(work.packed, v, g_);
    for (std::size_t r = 0; r < g_.size(); ++r) g_[r] = 2 / h * (work.nu[r] - g_[r]);
    motion_.solve(work.Q, g_, kick_, mu_);
    for (std::size_t k = 0; k < n_v_; ++k) v[k] += 0.5 * h * kick_[k];
    return Eval::ok;
  }

  // q = here (+) h v with phi = 0, v changed along M^-1 phi_q(here)^T; then v at the end of the
  // drift.
  Eval close(double t, double h, View q, View v) {
    const double aim = closing_aim * system_.length();
    const auto residual = [&](int) {
      if (!drift(h, v)) return NewtonResidual{INFINITY, aim, aim};
      system_.advance(here_, d_, q);
      const double gap = motion_.position_violation(t, q, MotionSolver::Rows::active);
      return NewtonResidual{gap, aim, 1e3 * aim};
    };
    const auto correct = [&](int pass, double gap, double before) {
      if (pass > 5 && gap > before) return Eval::retry;
      for (std::size_t r = 0; r < g_.size(); ++r) g_[r] = -motion_.work().phi[r];
      motion_.solve(zero_, g_, d_, mu_);
      for (std::size_t k = 0; k < n_v_; ++k) v[k] += d_[k] / h;
      return Eval::ok;
    };
    const Eval e = newton_to_round_off(most_iterations, residual, correct);
    if (e == Eval::ok) std::copy(end_.begin(), end_.end(), v.begin());
    return e;
  }

  // d_ and end_: the increment of a drift over h that begins with v, and v at its end.
  bool drift(double h, CView v) {
    for (std::size_t k = 0; k < n_v_; ++k) d_[k] = h * v[k];
    std::copy(v.begin(), v.end(), end_.begin());
    const Layout& layout = system_.layout();
    for (std::size_t k = 0; k < inertias_.size(); ++k) {
      const int b = static_cast<int>(k);
      Vec<3> omega = layout.rotation(v, b), d;
      if (!free_rotation(inertias_[k], h, omega, d)) return false;
      layout.rotation(View(d_), b) = d;
      layout.rotation(View(end_), b) = omega;
    }
    return true;
  }

  // kick_ are the accelerations with all forces; the drift has the gyroscopic torque in it.
  void take_out_gyroscopic(CView v) {
    for (std::size_t k = 0; k < inertias_.size(); ++k) {
      if (inertias_[k].isZero(0)) continue;
      const int b = static_cast<int>(k);
      const Vec<3> omega = system_.layout().rotation(v, b);
      system_.layout().rotation(View(kick_), b) +=
          inertias_[k].partialPivLu().solve(omega.cross(inertias_[k] * omega));
    }
  }

  std::vector<Mat<3, 3>> inertias_;  // of spatial bodies
  std::vector<double> shares_, here_, d_, kick_, zero_, end_, a_new_, g_, mu_;
};

class Rattle final : public Absolute {
 public:
  explicit Rattle(const FormulationSetting& setting) : Absolute(setting), watch_(setting) {
    n_z_ = 0;
  }

  std::string_view name() const override { return "rattle"; }

  Eval recover(double t, CView y, State& full)
      override {  // between steps the interpolant leaves the constraints a little
    full.t = t;
    std::copy_n(y.begin(), n_q_, full.q.begin());
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_q_), n_v_, full.v.begin());
    if (const Eval e = motion_.project_positions(t, full.q); e != Eval::ok) return e;
    if (const Eval e = motion_.project_velocities(t, full.q, full.v); e != Eval::ok) return e;
    return motion_.accelerations(t, full.q, full.v, full.a, full.lambda);
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    return watch_.step(motion_, t, q(y), v(y), {}, events_);
  }

  double kept_violation() const override { return solved_violation * system_.length(); }

  void serialize(Archive& archive) override {
    archive.mark("rattle");
    watch_.serialize(archive);
  }

  std::unique_ptr<Method> own_method(const DynamicOptions& options) override {
    return std::make_unique<RattleMethod>(*this, motion_, options.order == 0 ? 2 : options.order);
  }

 protected:
  std::optional<ConstraintFeedback> feedback() const override { return ConstraintFeedback{}; }

 private:
  SingularWatch watch_;
};

Diagnostic refuse(const DynamicOptions& options,
                  std::string found,
                  std::string expected,
                  std::string hint) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.where;
  d.element = "formulation \"rattle\"";
  d.found = std::move(found);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  return d;
}

}  // namespace

Result<std::unique_ptr<Formulation>> make_rattle(const FormulationSetting& setting) {
  const DynamicOptions& options = setting.options;
  if (options.order != 0 && options.order != 2 && options.order != 4 && options.order != 6)
    return refuse(options, "order = " + std::to_string(options.order), "2, 4 or 6", "");
  if (setting.system.force_dependence().rates)
    return refuse(options,
                  "forces that depend on velocities",
                  "springs, weights and other forces of positions alone",
                  "use \"projected\" or \"half-explicit\" for mechanisms with dampers or friction");
  return std::unique_ptr<Formulation>(std::make_unique<Rattle>(setting));
}

}  // namespace cardan
