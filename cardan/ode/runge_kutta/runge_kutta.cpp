// Explicit Runge-Kutta steps; equations in tableau.h. Stiffness: where two arguments at the end of
// the step, Y and y_new, have slopes that differ by more than the stability limit allows, h
// |f(y_new) - f(Y)| / |y_new - Y| > limit, again and again (Hairer & Wanner II, IV.2).
#include "cardan/ode/runge_kutta/runge_kutta.h"

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

namespace {

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define CARDAN_COMBINE_SETS [[gnu::target_clones("avx2", "default")]]
#else
#define CARDAN_COMBINE_SETS
#endif

constexpr int at_once = 4;  // columns, and numbers of one vector

struct Terms {  // a whole number of times four; those left over count with 0
  const double* column[Tableau::most];
  double c[Tableau::most];
  int count = 0;
};

// Sums of four terms are added one after the other, however many numbers there are in a vector: the
// same bits everywhere.
CARDAN_COMBINE_SETS void add_terms(const double* y,
                                   const Terms& terms,
                                   std::size_t n,
                                   double* out) {
  using Four [[gnu::vector_size(32), gnu::aligned(8)]] = double;
  const int count = terms.count;
  std::size_t i = 0;
  for (; i + at_once <= n; i += at_once) {
    const auto at = [i](const double* x) {
      return *reinterpret_cast<const Four*>(x + i);
    };
    Four sum = at(y);
    for (int j = 0; j < count; j += at_once) {
      const double *c = terms.c + j, *const *x = terms.column + j;
      sum += (at(x[0]) * c[0] + at(x[1]) * c[1]) + (at(x[2]) * c[2] + at(x[3]) * c[3]);
    }
    *reinterpret_cast<Four*>(out + i) = sum;
  }
  for (; i < n; ++i) {
    double sum = y[i];
    for (int j = 0; j < count; j += at_once) {
      const double *c = terms.c + j, *const *x = terms.column + j;
      sum += (x[0][i] * c[0] + x[1][i] * c[1]) + (x[2][i] * c[2] + x[3][i] * c[3]);
    }
    out[i] = sum;
  }
}

}  // namespace

void combine(
    CView y, const Eigen::MatrixXd& k, const double* coefficient, int count, double h, View out) {
  Terms terms;
  const double* first = k.data();
  for (int j = 0; j < count; ++j) {
    if (coefficient[j] == 0) continue;
    terms.column[terms.count] = first + j * k.rows();
    terms.c[terms.count++] = h * coefficient[j];
  }
  for (; terms.count % at_once != 0; ++terms.count) {
    terms.column[terms.count] = terms.column[0];
    terms.c[terms.count] = 0;
  }
  add_terms(y.data(), terms, y.size(), out.data());
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
  combine(view(y_), k_, tableau_.a[k].data(), i, h_, view(argument_));
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
    combine(view(y_), k_, tableau_.b.data(), tableau_.stages, h, view(y_new_));
  }
  if (!y_new_.allFinite()) return {Attempt::Kind::retry, 0};
  return {Attempt::Kind::ok, traits_.adaptive ? measure_error() : 0};
}

double RungeKutta::measure_error() {
  error_.setZero();
  combine(view(error_), k_, tableau_.e.data(), tableau_.stages, h_, view(error_));
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
  combine(view(y_old_), k_, b.data(), tableau_.stages, 1, y);
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
