// Interpolating cubic splines. With h_i = x_{i+1} - x_i, slopes p_i = (y_{i+1} - y_i)/h_i and
// second derivatives m_i,
//   h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (p_i - p_{i-1})
// at inner points; natural: m_0 = m_n = 0; clamped: 2 h_0 m_0 + h_0 m_1 = 6 (p_0 - slope) and
// likewise at the end; periodic: the equation at every point, indices modulo n, by the
// Sherman-Morrison formula on the tridiagonal solver. Reference: de Boor, A Practical Guide to
// Splines, revised ed., Springer 2001, chapter IV.
#include "cardan/math/curve_spline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cardan/math/spline_function.h"

namespace cardan {
namespace {

struct Tridiagonal {
  std::vector<double> below, diagonal, above;  // row i: below[i], diagonal[i], above[i]

  explicit Tridiagonal(std::size_t n) : below(n), diagonal(n), above(n) {}

  std::vector<double> solve(std::vector<double> b) const {  // diagonally dominant: no pivoting
    const std::size_t n = b.size();
    std::vector<double> pivot = diagonal;
    for (std::size_t i = 1; i < n; ++i) {
      const double factor = below[i] / pivot[i - 1];
      pivot[i] -= factor * above[i - 1];
      b[i] -= factor * b[i - 1];
    }
    b[n - 1] /= pivot[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) b[i] = (b[i] - above[i] * b[i + 1]) / pivot[i];
    return b;
  }
};

struct Intervals {
  std::vector<double> h, slope;
};

Intervals intervals(const std::vector<double>& x, const std::vector<double>& y) {
  Intervals v;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    v.h.push_back(x[i + 1] - x[i]);
    v.slope.push_back((y[i + 1] - y[i]) / v.h.back());
  }
  return v;
}

std::vector<double> open_curvatures(const Intervals& v, const SplineOptions& options) {
  const auto& [h, slope] = v;
  const std::size_t n = h.size();
  Tridiagonal t(n + 1);
  std::vector<double> b(n + 1);
  for (std::size_t i = 1; i < n; ++i) {
    t.below[i] = h[i - 1];
    t.diagonal[i] = 2 * (h[i - 1] + h[i]);
    t.above[i] = h[i];
    b[i] = 6 * (slope[i] - slope[i - 1]);
  }
  t.diagonal[0] = t.diagonal[n] = 1;
  if (options.ends == SplineEnds::clamped) {
    t.diagonal[0] = 2 * h[0];
    t.above[0] = h[0];
    b[0] = 6 * (slope[0] - options.first_slope);
    t.below[n] = h[n - 1];
    t.diagonal[n] = 2 * h[n - 1];
    b[n] = 6 * (options.last_slope - slope[n - 1]);
  }
  return t.solve(std::move(b));
}

// Cyclic system A m = b as T + u v^T, with u = (g, 0, ..., corner), v = (1, 0, ..., corner/g).
std::vector<double> periodic_curvatures(const Intervals& v) {
  const auto& [h, slope] = v;
  const std::size_t n = h.size();
  Tridiagonal t(n);
  std::vector<double> b(n), u(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = (i + n - 1) % n;
    t.below[i] = h[before];
    t.diagonal[i] = 2 * (h[before] + h[i]);
    t.above[i] = h[i];
    b[i] = 6 * (slope[i] - slope[before]);
  }
  const double corner = h[n - 1], g = -t.diagonal[0];
  u[0] = g;
  u[n - 1] = corner;
  t.diagonal[0] -= g;
  t.diagonal[n - 1] -= corner * corner / g;
  std::vector<double> m = t.solve(std::move(b));
  const std::vector<double> z = t.solve(std::move(u));
  const double factor = (m[0] + corner / g * m[n - 1]) / (1 + z[0] + corner / g * z[n - 1]);
  for (std::size_t i = 0; i < n; ++i) m[i] -= factor * z[i];
  m.push_back(m[0]);
  return m;
}

}  // namespace

CubicSpline::CubicSpline(std::vector<double> x,
                         const std::vector<double>& y,
                         const SplineOptions& options)
    : x_(std::move(x)) {
  const Intervals v = intervals(x_, y);
  const auto m =
      options.ends == SplineEnds::periodic ? periodic_curvatures(v) : open_curvatures(v, options);
  for (std::size_t i = 0; i + 1 < x_.size(); ++i) {
    const double h = v.h[i];
    pieces_.push_back(
        {y[i], v.slope[i] - h * (2 * m[i] + m[i + 1]) / 6, m[i] / 2, (m[i + 1] - m[i]) / (6 * h)});
  }
}

std::array<double, 4> CubicSpline::at(double x) const {
  const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(next - x_.begin()) - 1;
  const double u = x - x_[i];
  const auto& [a, b, c, d] = pieces_[i];
  return {a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * d * u), 2 * c + 6 * d * u, 6 * d};
}

Stretch CubicSpline::over(const Interval& x) const {
  const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x.lo);
  auto i = static_cast<std::size_t>(next - x_.begin()) - 1;
  Stretch s{{at(x.lo)[0], at(x.lo)[0]}};
  for (double from = x.lo; i < pieces_.size() && from <= x.hi; from = x_[++i]) {
    const auto& [a, b, c, d] = pieces_[i];
    const double u = from - x_[i], h = x_[i + 1] - x_[i];
    const double width = std::min(x.hi, x_[i + 1]) - from;
    s.values = hull(
        s.values,
        cubic_range(
            a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * d * u), c + 3 * d * u, d, width));
    const double bent = std::abs(c) * h + std::abs(d) * h * h;
    if (bent > 1e-9 * std::abs(b)) s.detail = std::min(s.detail, h);
  }
  return s;
}

std::string fault_in_spline(const std::vector<double>& x,
                            const std::vector<double>& y,
                            const SplineOptions& options) {
  std::string fault = fault_in_table(x, y);
  if (!fault.empty()) return fault;
  if (!std::isfinite(options.first_slope) || !std::isfinite(options.last_slope))
    return "an end slope is not finite";
  if (options.ends != SplineEnds::periodic) return {};
  if (x.size() < 4)
    return fmt::format("a periodic spline of {} points; it needs four, the last like the first",
                       x.size());
  if (y.front() != y.back())
    return fmt::format("a periodic spline that starts at {} and ends at {}", y.front(), y.back());
  return {};
}

FunctionPtr cubic_spline(std::vector<double> x,
                         const std::vector<double>& y,
                         const SplineOptions& options) {
  const std::string fault = fault_in_spline(x, y, options);
  if (!fault.empty()) throw std::invalid_argument("cubic_spline: " + fault);
  const Outside outside = options.ends == SplineEnds::periodic ? Outside::repeat : options.outside;
  const bool level =
      options.ends != SplineEnds::clamped || (options.first_slope == 0 && options.last_slope == 0);
  const bool constant = level && outside != Outside::undefined &&
                        std::all_of(y.begin(), y.end(), [&](double v) { return v == y.front(); });
  return std::make_shared<SplineFunction<CubicSpline>>(
      CubicSpline(std::move(x), y, options), outside, constant);
}

}  // namespace cardan
