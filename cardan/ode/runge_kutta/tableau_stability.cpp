// Stability of explicit Runge-Kutta methods: R(z) = 1 + sum_k z^k b^T A^(k-1) 1.
#include <cmath>

#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {

namespace {

constexpr double far_out = 100;  // no explicit method of at most 16 stages reaches so far

// First x > 0 where g(x) > 0, with g <= 0 before; the scan is fine against the wiggles of R.
template <class F> double first_exit(F g) {
  constexpr double step = 1e-3;  // of h lambda, while the limit is searched for
  double x = step;
  while (x < far_out && g(x) <= 0) x += step;
  double in = x - step, out = x;
  for (int i = 0; i < 60; ++i) {
    const double mid = 0.5 * (in + out);
    (g(mid) <= 0 ? in : out) = mid;
  }
  return in;
}

double real_polynomial(const std::vector<double>& r, double x) {
  double sum = 0;
  for (auto k = r.rbegin(); k != r.rend(); ++k) sum = sum * x + *k;
  return sum;
}

// |R(iy)|^2 - 1 as a polynomial in s = y^2.
std::vector<double> excess(const std::vector<double>& r) {
  std::vector<double> even, odd;  // R(iy) = E(s) + i y O(s)
  for (std::size_t k = 0; k < r.size(); ++k) {
    const double sign = (k / 2) % 2 == 0 ? 1 : -1;
    (k % 2 == 0 ? even : odd).push_back(sign * r[k]);
  }
  std::vector<double> p(2 * r.size(), 0.0);
  for (std::size_t i = 0; i < even.size(); ++i)
    for (std::size_t j = 0; j < even.size(); ++j) p[i + j] += even[i] * even[j];
  for (std::size_t i = 0; i < odd.size(); ++i)
    for (std::size_t j = 0; j < odd.size(); ++j) p[i + j + 1] += odd[i] * odd[j];
  p[0] -= 1;
  return p;
}

}  // namespace

std::vector<double> stability_polynomial(const Tableau& m) {
  const auto s = static_cast<std::size_t>(m.stages);
  std::vector<double> r{1}, power(s, 1.0), next(s);
  for (std::size_t k = 0; k < s; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < s; ++i) sum += m.b[i] * power[i];
    r.push_back(sum);
    for (std::size_t i = 0; i < s; ++i) {
      next[i] = 0;
      for (std::size_t j = 0; j < i; ++j) next[i] += m.a[i][j] * power[j];
    }
    power = next;
  }
  while (r.size() > 1 && std::abs(r.back()) < 1e-17) r.pop_back();
  return r;
}

std::complex<double> evaluate_polynomial(const std::vector<double>& r, std::complex<double> z) {
  std::complex<double> sum = 0;
  for (auto k = r.rbegin(); k != r.rend(); ++k) sum = sum * z + *k;
  return sum;
}

double real_stability_limit(const std::vector<double>& r) {
  return first_exit([&](double x) { return std::abs(real_polynomial(r, -x)) - 1; });
}

double imaginary_stability_limit(const std::vector<double>& r) {
  std::vector<double> p = excess(r);
  std::size_t lowest = 0;
  while (lowest < p.size() && std::abs(p[lowest]) < 1e-13) ++lowest;  // cancelled by the order
  if (lowest == p.size()) return far_out;
  p.erase(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(lowest));
  if (p[0] > 0) return 0;
  return first_exit([&](double y) { return real_polynomial(p, y * y); });
}

}  // namespace cardan
