#include "cardan/ode/implicit/sdirk.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cardan/math/dense.h"

namespace cardan {

namespace {

// Newton's share of the error; and the rate beyond which a new Jacobian pays in the next step.
constexpr Convergence::Goal to_tolerance{.missing = 0.03, .floor = 0, .most = 10};
// Where no stage is explicit, first guesses are poor, what is left has one sign in all steps, and steps
// are as long as their much smaller errors allow: so much less may be left.
constexpr double poor_guesses = 0.1;
constexpr double slow_to_tolerance = 0.1,
                 slow_to_round_off = 0.02;  // rates beyond which a new Jacobian is taken
// Factors are kept while h stays within these bounds of the one they were made for.
constexpr double kept_least = 0.95, kept_most = 1.05;
// The last step helps to predict the slopes of one that is not so much longer or shorter.
constexpr double like_steps = 0.3;
constexpr int wary_steps = 3;  // after a rejected one that are predicted along a straight line
constexpr double missed_weight = 10;  // of e_j among the conditions for predictions

// What Newton's iteration leaves of z_j = h gamma k_j comes into later stages, and into the result,
// times a_ij / gamma. It does not change sign from step to step, so it adds up along a run.
double passed_on(const DiagonalTableau& tableau) {
  double most = 1;
  for (int i = 0; i < tableau.stages; ++i)
    for (int j = 0; j < i; ++j) most = std::max(most, std::abs(tableau.a[i][j]) / tableau.gamma);
  return most;
}

}  // namespace

DiagonalMethod::DiagonalMethod(OdeProblem& problem,
                               const Traits& traits,
                               const DiagonalTableau& tableau)
    : BasicMethod(problem, traits),
      tableau_(tableau),
      convergence_(traits.adaptive ? to_tolerance : to_round_off) {
  controller_.exponent = 1.0 / (tableau.error_order + 1);
  for (int i = 0; i < tableau.stages; ++i) {
    const double c = tableau.c[i];
    missed_[i] = tableau.gamma * c * c - c * c * c / 3;
    for (int j = 0; j < i; ++j) missed_[i] += tableau.a[i][j] * tableau.c[j] * tableau.c[j];
  }
  controller_.grow = 8;
  const double left = tableau.explicit_first ? 1 : poor_guesses;
  if (traits.adaptive) convergence_.set_goal(left * to_tolerance.missing / passed_on(tableau));
}

Eval DiagonalMethod::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  linear_.prepare(problem_, 1);
  correction_.prepare(n);
  convergence_.forget();
  k_.setZero(n, tableau_.stages);
  k_last_ = k_;
  for (Eigen::VectorXd* x : {&base_, &z_, &r_}) x->setZero(n);
  renew_ = true;
  projected_ = false;
  wary_ = 0;
  newton_.prepare(n);
  const Eval e = BasicMethod::start(t, y, tolerance);
  norm_.weigh(view(y_));
  return e;
}

// The slope that the last stage left is no f(t, y) to take differences from: Newton's remainder is
// in it.
Eval DiagonalMethod::linearize(double h, bool fresh) {
  if (fresh) {
    if (const Eval e = problem_.evaluate(t_, view(y_), view(r_)); e != Eval::ok) return e;
  }
  const Shift shift{tableau_.gamma * h, 0};
  return linear_.update(t_, view(y_), view(r_), {&shift, 1}, fresh);
}

Attempt DiagonalMethod::attempt(double h) {
  h_ = h;
  if (tableau_.explicit_first && !have_f_) {
    if (const Eval e = problem_.evaluate(t_, view(y_), view(f_)); e != Eval::ok)
      return {failed(e), 0};
    have_f_ = true;
  }
  bool fresh = renew_ || !linear_.has_jacobian();
  const double ratio = linear_.ready() ? tableau_.gamma * h / linear_.shifts()[0].re : 0;
  const bool near =
      traits_.adaptive ? ratio >= kept_least && ratio <= kept_most : std::abs(ratio - 1) < 1e-6;
  if (fresh || !near) {
    if (const Eval e = linearize(h, fresh); e != Eval::ok) return {failed(e), 0};
  }
  if (traits_.adaptive) {
    norm_.weigh(view(y_));
    correction_.by_tolerance(norm_);
  }
  const auto unsolved_yet = [](Attempt::Kind kind) {
    return kind != Attempt::Kind::ok && kind != Attempt::Kind::fatal;
  };
  damped_ = false;
  Attempt::Kind kind = all_stages(h);
  if (unsolved_yet(kind) && !fresh) {
    convergence_.forget();
    if (const Eval e = linearize(h, true); e != Eval::ok) return {failed(e), 0};
    kind = all_stages(h);
  }
  if (unsolved_yet(kind) && !traits_.adaptive) {  // a given step cannot be made smaller
    damped_ = true;
    kind = all_stages(h);
  }
  renew_ = kind != Attempt::Kind::ok ||
           rate_ > (traits_.adaptive ? slow_to_tolerance : slow_to_round_off);
  if (kind != Attempt::Kind::ok || !traits_.adaptive) return {kind, 0};
  if (const Eval e = estimate_error(h); e != Eval::ok) return {failed(e), 0};
  norm_.weigh(view(y_), view(y_new_));
  return {kind, norm_(view(error_))};
}

// h sum e_i k_i; of the trapezoidal rule h^3/12 y''' with y' at three times, where the step
// before is known, and else what an Euler step would be off.
Eval DiagonalMethod::estimate_error(double h) {
  error_.setZero();
  if (tableau_.past_slope && t_ == t_old_) {
    error_ = 0.5 * h * (k_.col(1) - k_.col(0));
  } else if (tableau_.past_slope) {
    const double past = t_ - t_old_;
    error_ = h * h * h / 6 / (h + past) *
             ((k_.col(1) - k_.col(0)) / h - (k_.col(0) - k_last_.col(0)) / past);
  } else {
    for (int i = 0; i < tableau_.stages; ++i) error_ += h * tableau_.e[i] * k_.col(i);
  }
  return tableau_.filtered ? linear_.solve(0, view(error_)) : Eval::ok;
}

Attempt::Kind DiagonalMethod::all_stages(double h) {
  rate_ = 0;
  for (int i = 0; i < tableau_.stages; ++i) {
    if (i == 0 && tableau_.explicit_first) {
      k_.col(0) = f_;
      continue;
    }
    const Attempt::Kind kind = stage(i, h);
    rate_ = std::max(rate_, convergence_.rate());
    if (kind != Attempt::Kind::ok) return kind;
  }
  return Attempt::Kind::ok;  // y_new_ is the last stage
}

// Newton for z = h gamma f(t + c_i h, base + z).
Attempt::Kind DiagonalMethod::stage(int i, double h) {
  const double c = h * tableau_.gamma, scale = 2 / (1 + c / linear_.shifts()[0].re);
  base_ = y_;
  for (int j = 0; j < i; ++j) {
    if (tableau_.a[i][j] != 0) base_ += h * tableau_.a[i][j] * k_.col(j);
  }
  predict(i);
  if (damped_) return solve_anew(i, h);
  z_ = c * k_.col(i);
  convergence_.begin();
  for (;;) {
    y_new_ = base_ + z_;
    if (const Eval e = problem_.evaluate(t_ + tableau_.c[i] * h, view(y_new_), view(r_));
        e != Eval::ok) {
      return failed(e);
    }
    r_ = scale * (c * r_ - z_);  // the scale makes up for factors of a somewhat different step
    if (const Eval e = linear_.solve(0, view(r_)); e != Eval::ok) return failed(e);
    ++problem_.stats().newton;
    z_ += r_;
    if (!traits_.adaptive && convergence_.iterations() == 0)
      correction_.by_round_off(view(y_), view(z_), norm_);
    const Convergence::Verdict verdict = convergence_.judge(correction_(view(r_)));
    if (verdict == Convergence::Verdict::hopeless) return Attempt::Kind::not_converged;
    if (verdict == Convergence::Verdict::done) break;
  }
  y_new_ = base_ + z_;
  k_.col(i) = z_ / c;
  return Attempt::Kind::ok;
}

// The same by damped Newton corrections: from the prediction, from the base, along the step.
Attempt::Kind DiagonalMethod::solve_anew(int i, double h) {
  const double c = h * tableau_.gamma;
  double share = 1;  // of the step: base and time too
  const auto residual = [&](CView x, View r) {
    const Eval e = problem_.evaluate(t_ + share * tableau_.c[i] * h, x, view(z_));
    as_vector(r) = y_ + share * (base_ - y_ + c * z_) - as_vector(x);
    return e;
  };
  const auto factor = [&](CView x, CView) {
    const Shift shift{share * c, 0};
    return linear_.update(t_ + share * tableau_.c[i] * h, x, view(z_), {&shift, 1}, true);
  };
  const auto solve = [&](View r) {
    return linear_.solve(0, r);
  };
  const DampedNewton::Equations equations{
      std::ref(residual), std::ref(factor), std::ref(solve), std::ref(correction_)};
  correction_.by_round_off(view(y_), view(base_), norm_);
  rate_ = 1;  // the next step takes a new Jacobian
  Attempt::Kind kind = Attempt::Kind::not_converged;
  for (const double slope : {1.0, 0.0}) {
    y_new_ = base_ + slope * c * k_.col(i);
    kind = newton_.solve(equations, view(y_new_), problem_.stats());
    if (kind == Attempt::Kind::ok || kind == Attempt::Kind::fatal) break;
  }
  if (kind != Attempt::Kind::ok && kind != Attempt::Kind::fatal) {
    const auto move_to = [&](double s) {
      share = s;
    };
    y_new_ = y_;
    kind = newton_.follow(equations, std::ref(move_to), view(y_new_), problem_.stats());
  }
  k_.col(i) = (y_new_ - base_) / c;
  return kind;
}

// A first guess of k_i from slopes that are known: on the straight line through those of two
// earlier stages, or with error control from all of them.
void DiagonalMethod::predict(int i) {
  if (traits_.adaptive && tableau_.explicit_first && wary_ == 0 && predict_by_stages(i)) return;
  if (i == 0) {
    k_.col(0) = f_;
    return;
  }
  const double* c = tableau_.c;
  if (i == 1 || c[i - 1] == c[i - 2]) {
    k_.col(i) = k_.col(i - 1);
    return;
  }
  const double part = (c[i] - c[i - 1]) / (c[i - 1] - c[i - 2]);
  k_.col(i) = k_.col(i - 1) + part * (k_.col(i - 1) - k_.col(i - 2));
}

// k_i = sum w_j k_j over the stages before it and those of the last step, if that was of about the
// same length. With times c in units of the step, k_j = f(t + c_j h) + g e_j h^3 + ..., where
// e_j = sum_k a_jk c_k^2 - c_j^3/3 is what the stage misses of order 3. So the guess is right up to
// h^3 with
//   sum w_j = 1,  sum w_j c_j = c_i,  sum w_j c_j^2 = c_i^2,  sum w_j c_j^3 = c_i^3,  sum w_j e_j = e_i,
// and of all such weights those with the least sum of squares are taken.
bool DiagonalMethod::predict_by_stages(int i) {
  constexpr int conditions = 5, most = 2 * DiagonalTableau::most;
  Eigen::Matrix<double, conditions, Eigen::Dynamic, 0, conditions, most> A(int{conditions}, most);
  std::array<const double*, most> slopes{};
  int count = 0;
  const auto column = [&](double c, double missed) {
    return Eigen::Matrix<double, conditions, 1>{1, c, c * c, c * c * c, missed_weight * missed};
  };
  const auto offer = [&](double c, double missed, const double* slope) {
    A.col(count) = column(c, missed);
    slopes[static_cast<std::size_t>(count++)] = slope;
  };
  for (int j = 0; j < i; ++j) offer(tableau_.c[j], missed_[j], k_.col(j).data());
  const double past = (t_ - t_old_) / h_;
  if (past > like_steps && past < 1 / like_steps)
    for (int j = 0; j + 1 < tableau_.stages; ++j)
      offer(past * (tableau_.c[j] - 1), past * past * past * missed_[j], k_last_.col(j).data());
  if (count <= conditions) return false;
  const auto used = A.leftCols(count);
  const Eigen::Matrix<double, conditions, conditions> square = used.lazyProduct(used.transpose());
  const Eigen::Matrix<double, conditions, 1> right =
      square.ldlt().solve(column(tableau_.c[i], missed_[i]));
  k_.col(i).setZero();
  for (int j = 0; j < count; ++j)
    k_.col(i) += A.col(j).dot(right) * as_vector(CView(slopes[static_cast<std::size_t>(j)],
                                                       static_cast<std::size_t>(k_.rows())));
  return true;
}

// Where steps are rejected, what Newton's iteration has left of very fast parts may grow from
// prediction to prediction.
Choice DiagonalMethod::retry(const Attempt& a) {
  wary_ = wary_steps;
  return BasicMethod::retry(a);
}

Eval DiagonalMethod::accept(bool projected) {
  if (wary_ > 0) --wary_;
  if (projected) {
    if (const Eval e = problem_.evaluate(t_ + h_, view(y_new_), view(r_)); e != Eval::ok) return e;
  } else {
    r_ = k_.col(tableau_.stages - 1);
  }
  k_last_.swap(k_);
  projected_ = projected;
  shift();
  f_ = r_;
  return Eval::ok;
}

Eval DiagonalMethod::interpolate(double t, View y) {
  const double h = t_ - t_old_, theta = (t - t_old_) / h;
  if (tableau_.dense_degree == 0 || projected_) return interpolate_hermite(theta, y);
  as_vector(y) = y_old_;
  for (int i = 0; i < tableau_.stages; ++i) {
    double w = 0;
    for (int m = tableau_.dense_degree; m > 0; --m) w = (w + tableau_.dense[i][m - 1]) * theta;
    if (w != 0) as_vector(y) += h * w * k_last_.col(i);
  }
  return Eval::ok;
}

Eval DiagonalMethod::interpolate_hermite(double theta, View y) {
  const double h = t_ - t_old_, rest = 1 - theta;
  if (traits_.interpolant_order < 3) {
    as_vector(y) = rest * y_old_ + theta * y_;
    return Eval::ok;
  }
  as_vector(y) = rest * rest * ((1 + 2 * theta) * y_old_ + theta * h * f_old_) +
                 theta * theta * ((1 + 2 * rest) * y_ - rest * h * f_);
  return Eval::ok;
}

void DiagonalMethod::serialize(Archive& a) {
  BasicMethod::serialize(a);
  linear_.serialize(a);
  convergence_.serialize(a);
  a.io(k_);
  a.io(k_last_);
  a.io(rate_);
  a.io(renew_);
  a.io(projected_);
  a.io(wary_);
}

}  // namespace cardan
