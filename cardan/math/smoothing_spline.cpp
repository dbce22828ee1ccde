#include "cardan/math/smoothing_spline.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "cardan/math/elementary.h"
#include "cardan/math/spline_function.h"

namespace cardan {

namespace {

constexpr double least_weight = 1e-10, most_weight = 1e13;  // of roughness, in mean intervals^6
constexpr int halvings = 80;

// Symmetric, with three diagonals on either side of the middle one.
struct Banded {
  std::vector<std::array<double, 4>> row;  // [k]: the entry k places right of the diagonal

  // L D L^T; positive definite.
  std::vector<double> solve(std::vector<double> b) const {
    const std::size_t n = row.size();
    std::vector<std::array<double, 4>> u = row;  // [0]: D, others: D L^T
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 1; k <= 3 && i + k < n; ++k) {
        const double factor = u[i][k] / u[i][0];
        for (std::size_t j = k; j <= 3 && i + j < n; ++j) u[i + k][j - k] -= factor * u[i][j];
        b[i + k] -= factor * b[i];
      }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = 1; k <= 3 && i + k < n; ++k) b[i] -= u[i][k] * b[i + k];
      b[i] /= u[i][0];
    }
    return b;
  }
};

// M_j of unit area on x[j] ... x[j + 3], by the recursion of Cox and de Boor.
double quadratic_spline(const std::vector<double>& x,
                        std::size_t j,
                        double t,
                        std::size_t interval) {
  std::array<double, 3> b{};
  if (interval < j || interval > j + 2) return 0;
  b[interval - j] = 1 / (x[interval + 1] - x[interval]);
  for (std::size_t order = 2; order <= 3; ++order)
    for (std::size_t i = 0; i + order <= 3; ++i) {
      const double width = x[j + i + order] - x[j + i], n = static_cast<double>(order);
      b[i] = n / (n - 1) * ((t - x[j + i]) * b[i] + (x[j + i + order] - t) * b[i + 1]) / width;
    }
  return b[0];
}

class Smoothing {
 public:
  Smoothing(const std::vector<double>& x, const std::vector<double>& y)
      : y_(y), n_(x.size() - 3), q_(n_), gram_{std::vector<std::array<double, 4>>(n_)} {
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t k = 0; k < 4; ++k) {
        double product = 1;
        for (std::size_t i = 0; i < 4; ++i)
          if (i != k) product *= x[j + k] - x[j + i];
        q_[j][k] = 1 / product;
      }
    const double node = std::sqrt(0.6);
    constexpr std::array<double, 3> weights{5.0 / 18, 8.0 / 18, 5.0 / 18};
    const std::array<double, 3> nodes{(1 - node) / 2, 0.5, (1 + node) / 2};
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
      for (std::size_t g = 0; g < 3; ++g) {
        const double h = x[i + 1] - x[i], t = x[i] + nodes[g] * h;
        for (std::size_t j = i < 2 ? 0 : i - 2; j <= i && j < n_; ++j)
          for (std::size_t k = j; k <= i && k < n_; ++k)
            gram_.row[j][k - j] +=
                weights[g] * h * quadratic_spline(x, j, t, i) * quadratic_spline(x, k, t, i);
      }
  }

  // f at the points; d: coefficients of its third derivative.
  std::vector<double> values(double mu, std::vector<double>& d) const {
    Banded a = gram_;
    std::vector<double> b(n_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < 4; ++k) b[j] += q_[j][k] * y_[j + k];
      for (std::size_t by = 0; by <= 3 && j + by < n_; ++by)
        for (std::size_t k = by; k < 4; ++k)
          a.row[j][by] += 36 * mu * q_[j][k] * q_[j + by][k - by];
    }
    d = a.solve(std::move(b));
    std::vector<double> f = y_;
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t k = 0; k < 4; ++k) f[j + k] -= 36 * mu * q_[j][k] * d[j];
    return f;
  }

  double deviation(const std::vector<double>& f) const {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += (y_[i] - f[i]) * (y_[i] - f[i]);
    return std::sqrt(sum / static_cast<double>(f.size()));
  }

  // The weight of roughness with which f misses the points by so much.
  double weight(double wanted) const {
    std::vector<double> d;
    double low = elementary::log(least_weight), high = elementary::log(most_weight);
    for (int k = 0; k < halvings && high - low > 1e-9; ++k) {
      const double middle = (low + high) / 2;
      (deviation(values(elementary::exp(middle), d)) < wanted ? low : high) = middle;
    }
    return elementary::exp(low);
  }

 private:
  const std::vector<double>& y_;
  std::size_t n_;
  std::vector<std::array<double, 4>> q_;  // third divided differences
  Banded gram_;
};

}  // namespace

// In mean intervals, so that all numbers are of size one.
QuinticSpline::QuinticSpline(std::vector<double> x, const std::vector<double>& y, double deviation)
    : x_(x) {
  const double unit = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  for (double& v : x_) v = (v - x.front()) / unit;
  const Smoothing smoothing(x_, y);
  std::vector<double> d;
  const std::vector<double> values =
      smoothing.values(deviation > 0 ? smoothing.weight(deviation) : 0, d);
  make_pieces(values, d);
  x_ = std::move(x);
  for (auto& coefficients : pieces_) {
    double power = 1;
    for (double& c : coefficients) {
      c /= power;
      power *= unit;
    }
  }
}

// In each interval f''' = p0 + p1 u + p2 u^2. Slope and curvature at a point follow from the values
// at its two neighbours:
//   f(x + h) = f + f' h + f'' h^2/2 + h^3 (p0/6 + p1 h/24 + p2 h^2/60).
void QuinticSpline::make_pieces(const std::vector<double>& values, const std::vector<double>& d) {
  const std::size_t n = x_.size();
  std::vector<std::array<double, 3>> p(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = x_[i + 1] - x_[i];
    std::array<double, 3> third{};
    for (std::size_t j = i < 2 ? 0 : i - 2; j <= i && j < d.size(); ++j)
      for (std::size_t k = 0; k < 3; ++k)
        third[k] += 6 * d[j] * quadratic_spline(x_, j, x_[i] + 0.5 * static_cast<double>(k) * h, i);
    p[i] = {third[0],
            (-3 * third[0] + 4 * third[1] - third[2]) / h,
            2 * (third[0] - 2 * third[1] + third[2]) / (h * h)};
  }
  const auto rest = [&](std::size_t i) {  // f(x_{i+1}) - f - f' h - f'' h^2/2
    const double h = x_[i + 1] - x_[i];
    return h * h * h * (p[i][0] / 6 + h * (p[i][1] / 24 + h * p[i][2] / 60));
  };
  const auto before = [&](std::size_t i) {  // the same, backwards from x_{i+1} to x_i
    const double h = x_[i + 1] - x_[i];
    const double third = p[i][0] + h * (p[i][1] + h * p[i][2]), fourth = p[i][1] + 2 * h * p[i][2];
    return -h * h * h * (third / 6 - h * (fourth / 24 - h * p[i][2] / 60));
  };
  std::vector<double> slope(n - 1), curvature(n - 1);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double a = x_[i] - x_[i - 1], b = x_[i + 1] - x_[i];
    const double right = (values[i + 1] - values[i] - rest(i)) / b,
                 left = (values[i] - values[i - 1] + before(i - 1)) / a;
    curvature[i] = 2 * (right - left) / (a + b);
    slope[i] = right - curvature[i] * b / 2;
  }
  const double h = x_[1] - x_[0];
  curvature[0] = curvature[1] - h * (p[0][0] + h * (p[0][1] / 2 + h * p[0][2] / 3));
  slope[0] = (values[1] - values[0] - rest(0)) / h - curvature[0] * h / 2;
  for (std::size_t i = 0; i + 1 < n; ++i)
    pieces_.push_back(
        {values[i], slope[i], curvature[i] / 2, p[i][0] / 6, p[i][1] / 24, p[i][2] / 60});
}

std::size_t QuinticSpline::piece(double x) const {
  const auto next = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  return static_cast<std::size_t>(next - x_.begin()) - 1;
}

std::array<double, 4> QuinticSpline::at(double x) const {
  const std::size_t i = piece(x);
  const double u = x - x_[i];
  const auto& c = pieces_[i];
  return {c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5])))),
          c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * 5 * c[5]))),
          2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * 20 * c[5])),
          6 * c[3] + u * (24 * c[4] + u * 60 * c[5])};
}

// Whole pieces, by the control values of the Bernstein form.
Stretch QuinticSpline::over(const Interval& x) const {
  Stretch s{{at(x.lo)[0], at(x.lo)[0]}};
  const std::size_t last = piece(x.hi);
  for (std::size_t i = piece(x.lo); i <= last; ++i) {
    const auto& c = pieces_[i];
    const double h = x_[i + 1] - x_[i];
    constexpr std::array<double, 6> choose{1, 5, 10, 10, 5, 1};
    for (std::size_t j = 0; j < 6; ++j) {
      double control = 0, power = 1, of_j = 1;  // of_j: j over k
      for (std::size_t k = 0; k <= j; ++k) {
        control += of_j / choose[k] * c[k] * power;
        of_j *= static_cast<double>(j - k) / static_cast<double>(k + 1);
        power *= h;
      }
      s.values = hull(s.values, {control, control});
    }
    const double bent = std::abs(c[2]) * h + std::abs(c[3]) * h * h;
    if (bent > 1e-9 * std::abs(c[1])) s.detail = std::min(s.detail, h);
  }
  return s;
}

std::string fault_in_smoothing(const std::vector<double>& x,
                               const std::vector<double>& y,
                               double deviation) {
  std::string fault = fault_in_table(x, y);
  if (!fault.empty()) return fault;
  if (x.size() < 4) return fmt::format("a smoothing spline of {} points; it needs four", x.size());
  if (!(deviation >= 0) || !std::isfinite(deviation)) return "a deviation below zero";
  return {};
}

FunctionPtr smoothing_spline(std::vector<double> x,
                             const std::vector<double>& y,
                             double deviation,
                             Outside outside) {
  const std::string fault = fault_in_smoothing(x, y, deviation);
  if (!fault.empty()) throw std::invalid_argument("smoothing_spline: " + fault);
  const bool constant = outside != Outside::undefined &&
                        std::all_of(y.begin(), y.end(), [&](double v) { return v == y.front(); });
  return std::make_shared<SplineFunction<QuinticSpline>>(
      QuinticSpline(std::move(x), y, deviation), outside, constant);
}

}  // namespace cardan
