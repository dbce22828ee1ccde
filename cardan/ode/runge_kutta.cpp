// Explicit Runge-Kutta steps; equations in tableau.h. Stiffness: where two arguments at the end of
// the step, Y and y_new, have slopes that differ by more than the stability limit allows, h
// |f(y_new) - f(Y)| / |y_new - Y| > limit, again and again (Hairer & Wanner II, IV.2).
#include "cardan/ode/runge_kutta.h"

#include <cmath>

namespace cardan {

Traits tableau_traits(const Tableau& m, std::string_view name) {
  const auto r = stability_polynomial(m);
  Traits x;
  x.name = name;
  x.order_min = x.order_max = m.order;
  x.adaptive = m.error_order > 0;
  x.real_limit = real_stability_limit(r);
  x.imaginary_limit = imaginary_stability_limit(r);
  x.evaluations = m.fsal ? m.stages - 1 : m.stages;
  x.interpolant_order = m.dense_order;
  return x;
}

void hermite(double s, double h, CView y0, CView f0, CView y1, CView f1, View out) {
  const double u = 1 - s;
  const double a0 = u * u * (1 + 2 * s), b0 = h * s * u * u;
  const double a1 = s * s * (3 - 2 * s), b1 = -h * s * s * u;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = a0 * y0[i] + b0 * f0[i] + a1 * y1[i] + b1 * f1[i];
  }
}

// Four columns a pass, so that `out` is read and written a quarter as often.
void combine(CView y, const Eigen::MatrixXd& k, const double* coefficient, int count, View out) {
  const double *column[4], *from = y.data();
  double c[4];
  const std::size_t n = y.size();
  for (int j = 0; j < count;) {
    int filled = 0;
    for (; j < count && filled < 4; ++j) {
      if (coefficient[j] == 0) continue;
      column[filled] = k.col(j).data();
      c[filled++] = coefficient[j];
    }
    if (filled == 0) break;
    for (int rest = filled; rest < 4; ++rest) {
      column[rest] = column[0];
      c[rest] = 0;
    }
    const auto sum = [&](std::size_t i, auto at) {
      return (c[0] * at(column[0], i) + c[1] * at(column[1], i)) +
             (c[2] * at(column[2], i) + c[3] * at(column[3], i));
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      using Four = Eigen::Array4d;
      const auto at = [](const double* x, std::size_t m) {
        return Eigen::Map<const Four>(x + m);
      };
      Eigen::Map<Four>(out.data() + i) = (at(from, i) + sum(i, at)).eval();
    }
    for (; i < n; ++i)
      out[i] = from[i] + sum(i, [](const double* x, std::size_t m) { return x[m]; });
    from = out.data();
  }
  if (from == y.data() && out.data() != y.data()) std::copy(y.begin(), y.end(), out.begin());
}

RungeKutta::RungeKutta(OdeProblem& problem, const Tableau& tableau, const Traits& traits)
    : BasicMethod(problem, traits), tableau_(tableau), columns_(tableau.stages) {
  if (tableau.error_order > 0) {
    controller_.exponent = 1.0 / (std::min(tableau.order, tableau.error_order) + 1);
  }
  if (tableau.order < 4) controller_.beta = 0;
}

Eval RungeKutta::start(double t, CView y, const Tolerance& tolerance) {
  const int n = problem_.size();
  k_.setZero(n, columns_);
  for (Eigen::VectorXd* x : {&argument_, &end_argument_, &f_next_, &jump_}) x->setZero(n);
  stiff_hints_ = easy_steps_ = 0;
  jumped_ = false;
  return BasicMethod::start(t, y, tolerance);
}

Eval RungeKutta::stage(int i) {
  const auto k = static_cast<std::size_t>(i);
  Tableau::Row scaled;
  for (std::size_t j = 0; j < k; ++j) scaled[j] = h_ * tableau_.a[k][j];
  combine(view(y_), k_, scaled.data(), i, view(argument_));
  if (i == tableau_.end_stage) end_argument_ = argument_;
  return problem_.evaluate(t_ + tableau_.c[k] * h_, view(argument_), column(i));
}

Attempt RungeKutta::attempt(double h) {
  h_ = h;
  k_.col(0) = f_;
  for (int i = 1; i < tableau_.stages; ++i) {
    if (const Eval e = stage(i); e != Eval::ok) return {failed(e), 0};
  }
  if (tableau_.fsal) {
    y_new_ = argument_;
  } else {
    Tableau::Row scaled;
    for (std::size_t j = 0; j < scaled.size(); ++j) scaled[j] = h * tableau_.b[j];
    combine(view(y_), k_, scaled.data(), tableau_.stages, view(y_new_));
  }
  if (!y_new_.allFinite()) return {Attempt::Kind::retry, 0};
  return {Attempt::Kind::ok, traits_.adaptive ? measure_error() : 0};
}

double RungeKutta::measure_error() {
  error_.setZero();
  Tableau::Row scaled;
  for (std::size_t j = 0; j < scaled.size(); ++j) scaled[j] = h_ * tableau_.e[j];
  combine(view(error_), k_, scaled.data(), tableau_.stages, view(error_));
  norm_.weigh(view(y_), view(y_new_));
  return norm_(view(error_));
}

Eval RungeKutta::accept(bool projected) {
  if (tableau_.fsal && !projected) {
    f_next_ = k_.col(tableau_.stages - 1);
  } else {
    const Eval e = problem_.evaluate(t_ + h_, view(y_new_), view(f_next_));
    if (e != Eval::ok) return e;
  }
  if (tableau_.end_stage >= 0 && !projected) watch_stiffness();
  jumped_ = projected && tableau_.dense;
  if (jumped_)
    jump_ = y_new_ - argument_;  // dense methods are FSAL: argument_ is the result before
  shift();
  f_.swap(f_next_);
  return Eval::ok;
}

void RungeKutta::watch_stiffness() {
  const double df = (f_next_ - k_.col(tableau_.end_stage)).squaredNorm();
  const double dy = (y_new_ - end_argument_).squaredNorm();
  const bool stiff = dy > 0 && std::abs(h_) * std::sqrt(df / dy) > 0.98 * traits_.real_limit;
  if (stiff) {
    easy_steps_ = 0;
    if (stiff_hints_ < 15) ++stiff_hints_;
  } else if (++easy_steps_ >= 6) {
    stiff_hints_ = 0;
  }
}

Eval RungeKutta::interpolate(double t, View y) {
  const double h = t_ - t_old_, s = h == 0 ? 1 : (t - t_old_) / h;
  if (!tableau_.dense) {
    hermite(s, h, view(y_old_), view(f_old_), view(y_), view(f_), y);
    return Eval::ok;
  }
  Tableau::Row b;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tableau_.stages); ++i) {
    const auto& d = tableau_.d[i];
    b[i] = h * s * (d[0] + s * (d[1] + s * (d[2] + s * d[3])));
  }
  combine(view(y_old_), k_, b.data(), tableau_.stages, y);
  if (jumped_) as_vector(y) += s * s * (3 - 2 * s) * jump_;
  return Eval::ok;
}

void RungeKutta::serialize(Archive& a) {
  BasicMethod::serialize(a);
  a.io(k_);
  a.io(end_argument_);
  a.io(jump_);
  a.io(jumped_);
  a.io(stiff_hints_);
  a.io(easy_steps_);
}

}  // namespace cardan
