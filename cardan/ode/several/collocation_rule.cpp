#include "cardan/ode/several/collocation_rule.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

using Long = long double;

struct LegendrePair {
  Long p, slope;
};

LegendrePair legendre_and_slope(int n, Long z) {
  Long before = 1, p = z;
  for (int k = 2; k <= n; ++k) {
    const Long next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
    before = p;
    p = next;
  }
  return {p, n * (z * p - before) / (z * z - 1)};
}

// The zeros of P_n from the largest on, by Newton's iteration from the angles (k + 3/4) pi / (n + 1/2)
// whose cosines are near them; here from the side of the ends, by deflation, which needs no cosine.
std::vector<Long> legendre_zeros(int n) {
  std::vector<Long> found;
  Long z = 1;
  for (int i = 0; i < n; ++i) {
    z = i == 0 ? 1 - Long(1e-6) : z - Long(1e-9);
    for (int pass = 0; pass < 200; ++pass) {
      const LegendrePair at = legendre_and_slope(n, z);
      Long others = 0;
      for (const Long other : found) others += 1 / (z - other);
      const Long step = at.p / (at.slope - at.p * others);
      z -= step;
      if (std::abs(step) < Long(1e-18)) break;
    }
    found.push_back(z);
  }
  for (Long& root : found)  // without the others: to the last digit
    for (int pass = 0; pass < 3; ++pass) {
      const LegendrePair at = legendre_and_slope(n, root);
      root -= at.p / at.slope;
    }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace

CollocationRule::CollocationRule(int nodes) : n_(nodes) {
  const auto n = static_cast<std::size_t>(nodes);
  p_.resize(n * n);
  for (const Long z : legendre_zeros(nodes)) {
    const Long slope = legendre_and_slope(nodes, z).slope;
    c_.push_back(static_cast<double>((1 + z) / 2));
    b_.push_back(static_cast<double>(1 / ((1 - z * z) * slope * slope)));
    const std::size_t j = c_.size() - 1;
    Long before = 1, p = z;
    for (std::size_t k = 0; k < n; ++k) {
      p_[k * n + j] = static_cast<double>(k == 0 ? 1 : p);
      if (k == 0) continue;
      const auto next = static_cast<Long>(k + 1);
      const Long after = ((2 * next - 1) * z * p - (next - 1) * before) / next;
      before = p;
      p = after;
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    double product = 1;
    for (std::size_t m = 0; m < n; ++m)
      if (m != j) product *= c_[j] - c_[m];
    between_.push_back(1 / product);
  }
}

double CollocationRule::legendre(int k, int j) const {
  return (2 * k + 1) * weight(j) * p_[static_cast<std::size_t>(k * n_ + j)];
}

double CollocationRule::integral(int j, double x) const {
  const double z = 2 * x - 1;
  double before = 1, p = z, sum = x;  // P_(k-1), P_k
  for (int k = 1; k < n_; ++k) {
    const double after = ((2 * k + 1) * z * p - k * before) / (k + 1);
    sum += p_[static_cast<std::size_t>(k * n_ + j)] * (after - before) * 0.5;
    before = p;
    p = after;
  }
  return weight(j) * sum;
}

void CollocationRule::integrals(double x, double* out) const {
  const double z = 2 * x - 1;
  for (int j = 0; j < n_; ++j) out[j] = x;
  double before = 1, p = z;
  for (int k = 1; k < n_; ++k) {
    const double after = ((2 * k + 1) * z * p - k * before) / (k + 1);
    const double part = (after - before) * 0.5;
    for (int j = 0; j < n_; ++j) out[j] += p_[static_cast<std::size_t>(k * n_ + j)] * part;
    before = p;
    p = after;
  }
  for (int j = 0; j < n_; ++j) out[j] *= weight(j);
}

void CollocationRule::lagrange(double x, double* out) const {
  double product = 1;
  for (int j = 0; j < n_; ++j) {
    if (x == node(j)) {
      for (int m = 0; m < n_; ++m) out[m] = m == j ? 1 : 0;
      return;
    }
    product *= x - node(j);
  }
  for (int j = 0; j < n_; ++j)
    out[j] = between_[static_cast<std::size_t>(j)] * product / (x - node(j));
}

}  // namespace cardan
