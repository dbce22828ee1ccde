#include "cardan/ode/second_order/generalized_alpha.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/dense.h"
#include "cardan/math/eigenvalues.h"

namespace cardan {

namespace {

constexpr double at_rest = 0.1;  // 1/s: slower motions count as this fast

constexpr double slow_corrections = 0.02;  // rate beyond which a new Jacobian is taken
constexpr double same_step_size = 1e-6;    // relative change of h that the factors may stand

}  // namespace

AlphaParameters hht_parameters(double alpha) {
  return {0, -alpha, 0.5 - alpha, 0.25 * (1 - alpha) * (1 - alpha)};
}

AlphaParameters generalized_alpha_parameters(double rho) {
  const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  const double gamma = 0.5 + alpha_f - alpha_m;
  return {alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5)};
}

GeneralizedAlpha::GeneralizedAlpha(OdeProblem& problem,
                                   const Traits& traits,
                                   const AlphaParameters& parameters)
    : SecondOrderMethod(problem, traits),
      par_(parameters),
      c_((1 - parameters.alpha_f) / (1 - parameters.alpha_m)) {}

Eval GeneralizedAlpha::start(double t, CView y, const Tolerance& tolerance) {
  second_.reserve();
  convergence_.forget();
  h_jacobian_ = h_factors_ = 0;
  renew_ = true;
  const Eval e = SecondOrderMethod::start(t, y, tolerance);
  A_ = A_new_ = r_ = a_jacobian_ = a_;
  newton_.prepare(static_cast<int>(a_.size()));
  y_jacobian_ = y_;
  return e;
}

void GeneralizedAlpha::advance(double h) {
  A_new_ = c_ * a_new_ + (par_.alpha_f * a_ - par_.alpha_m * A_) / (1 - par_.alpha_m);
  d_ = h * as_vector(v(y_)) + h * h * ((0.5 - par_.beta) * A_ + par_.beta * A_new_);
  second_.increment(q(y_), view(d_), q(y_new_));
  as_vector(v(y_new_)) = as_vector(v(y_)) + h * ((1 - par_.gamma) * A_ + par_.gamma * A_new_);
}

// Matrices of the step h; the Jacobian of (t_, y_) when fresh, otherwise the last.
Eval GeneralizedAlpha::linearize(double h, bool fresh) {
  if (fresh) {
    t_jacobian_ = t_;
    y_jacobian_ = y_;
    a_jacobian_ = a_;
    h_jacobian_ = h;
    convergence_.forget();
  }
  h_factors_ = h;
  const Eval e = second_.setup(t_jacobian_,
                               q(y_jacobian_),
                               v(y_jacobian_),
                               view(a_jacobian_),
                               c_ * par_.beta * h * h,
                               c_ * par_.gamma * h,
                               fresh ? Reuse::nothing : Reuse::jacobian);
  if (e != Eval::ok) h_jacobian_ = 0;
  return e;
}

Attempt GeneralizedAlpha::attempt(double h) {
  h_ = h;
  bool fresh = renew_ || h_jacobian_ == 0;
  if (fresh || std::abs(h / h_factors_ - 1) > same_step_size) {
    if (const Eval e = linearize(h, fresh); e != Eval::ok) return {failed(e), 0};
  }
  Attempt::Kind kind = iterate(h);
  if (kind != Attempt::Kind::ok && kind != Attempt::Kind::fatal && !fresh) {
    if (const Eval e = linearize(h, true); e != Eval::ok) return {failed(e), 0};
    kind = iterate(h);
  }
  if (kind != Attempt::Kind::ok && kind != Attempt::Kind::fatal) kind = solve_anew(h);
  renew_ = kind != Attempt::Kind::ok || convergence_.rate() > slow_corrections;
  has_a_new_ = kind == Attempt::Kind::ok;
  return {kind, 0};
}

// Newton for a_new = a(t + h, q_new(a_new), v_new(a_new)).
Attempt::Kind GeneralizedAlpha::iterate(double h) {
  convergence_.begin();
  a_new_ = a_;
  advance(h);
  for (;;) {
    const Eval e = second_.evaluate(t_ + h, q(y_new_), v(y_new_), view(r_));
    if (e != Eval::ok) return failed(e);
    r_ -= a_new_;
    if (const Eval s = second_.solve(view(r_)); s != Eval::ok) return failed(s);
    ++second_.stats().newton;
    a_new_ += r_;
    advance(h);
    const Convergence::Verdict verdict = convergence_.judge(size(view(r_), h));
    if (verdict == Convergence::Verdict::done) return Attempt::Kind::ok;
    if (verdict == Convergence::Verdict::hopeless) return Attempt::Kind::not_converged;
  }
}

// The same by damped Newton corrections: from the last accelerations, from none, along the step.
Attempt::Kind GeneralizedAlpha::solve_anew(double h) {
  double share = 1;
  const auto residual = [&](CView a, View r) {
    a_new_ = as_vector(a);
    advance(share * h);
    const Eval e = second_.evaluate(t_ + share * h, q(y_new_), v(y_new_), r);
    a_jacobian_ = as_vector(r);
    as_vector(r) -= a_new_;
    return e;
  };
  const auto factor = [&](CView, CView) {  // where the last residual was taken
    const double part = share * h;
    return second_.setup(t_ + part,
                         q(y_new_),
                         v(y_new_),
                         view(a_jacobian_),
                         c_ * par_.beta * part * part,
                         c_ * par_.gamma * part,
                         Reuse::nothing);
  };
  const auto solve = [&](View r) {
    return second_.solve(r);
  };
  const auto correction = [&](CView d) {
    return size(d, share * h);
  };
  const DampedNewton::Equations equations{
      std::ref(residual), std::ref(factor), std::ref(solve), std::ref(correction)};
  Attempt::Kind kind = Attempt::Kind::not_converged;
  for (const double start : {1.0, 0.0}) {
    r_ = start * a_;
    kind = newton_.solve(equations, view(r_), second_.stats());
    if (kind == Attempt::Kind::ok || kind == Attempt::Kind::fatal) break;
  }
  if (kind != Attempt::Kind::ok && kind != Attempt::Kind::fatal) {
    const auto move_to = [&](double s) {
      share = s;
    };
    r_ = a_;
    kind = newton_.follow(equations, std::ref(move_to), view(r_), second_.stats());
  }
  a_new_ = r_;
  advance(h);
  convergence_.forget();
  h_jacobian_ = 0;  // made where the iteration was, which the next step does not know
  return kind;
}

// An acceleration below round-off of what it does to q and v is not worth having.
double GeneralizedAlpha::size(CView correction, double h) const {
  const double step = as_vector(correction).lpNorm<Eigen::Infinity>(),
               tiny = std::numeric_limits<double>::min();
  const auto largest = [](CView x) {
    return as_vector(x).lpNorm<Eigen::Infinity>();
  };
  const double q_size = std::max({largest(q(y_new_)), largest(view(d_)), tiny});
  const double v_size =
      std::max({largest(v(y_)), largest(v(y_new_)), at_rest * second_.natural_size(), tiny});
  const double in_q = c_ * par_.beta * h * h * step / q_size;
  const double in_v = c_ * par_.gamma * std::abs(h) * step / v_size;
  return std::max(in_q, in_v) / std::numeric_limits<double>::epsilon();
}

Eval GeneralizedAlpha::accept(bool projected) {
  if (const Eval e = SecondOrderMethod::accept(projected); e != Eval::ok) return e;
  A_.swap(A_new_);
  return Eval::ok;
}

void GeneralizedAlpha::serialize(Archive& a) {
  SecondOrderMethod::serialize(a);
  a.io(A_);
  a.io(t_jacobian_);
  a.io(h_jacobian_);
  a.io(h_factors_);
  a.io(y_jacobian_);
  a.io(a_jacobian_);
  a.io(renew_);
  convergence_.serialize(a);
  if (!a.loading() || !a.good() || h_jacobian_ == 0) return;
  const Stats counted = second_.stats();
  const auto set = [&](double h, Reuse reuse) {
    return second_.setup(t_jacobian_,
                         q(y_jacobian_),
                         v(y_jacobian_),
                         view(a_jacobian_),
                         c_ * par_.beta * h * h,
                         c_ * par_.gamma * h,
                         reuse);
  };
  if (set(h_jacobian_, Reuse::nothing) != Eval::ok ||
      set(h_factors_, Reuse::jacobian) != Eval::ok) {
    h_jacobian_ = 0;
  }
  second_.stats() = counted;
}

// One step takes (q, h v, h^2 A, h^2 a) to the next; a = -s v - w q with s = -2 Re z, w = |z|^2.
double amplification(const AlphaParameters& par, std::complex<double> z) {
  const double s = -2 * z.real(), w = std::norm(z);
  Eigen::Matrix4d left = Eigen::Matrix4d::Zero(), right = left;  // left x_(n+1) = right x_n
  left.row(0) << 1, 0, -par.beta, 0;
  right.row(0) << 1, 1, 0.5 - par.beta, 0;
  left.row(1) << 0, 1, -par.gamma, 0;
  right.row(1) << 0, 1, 1 - par.gamma, 0;
  left.row(2) << 0, 0, 1 - par.alpha_m, -(1 - par.alpha_f);
  right.row(2) << 0, 0, -par.alpha_m, par.alpha_f;
  left.row(3) << w, s, 0, 1;
  const Eigen::Matrix4d growth = left.partialPivLu().solve(right);
  return spectral_radius(Eigen::MatrixXd(growth));
}

}  // namespace cardan
