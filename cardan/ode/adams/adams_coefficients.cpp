#include "cardan/ode/adams/adams_coefficients.h"

#include <stdexcept>

namespace cardan {

namespace {

// sum_{i<k} c_i nabla^i f = sum_j f_{-j} (-1)^j sum_{i>=j} C(i, j) c_i
std::vector<Rational> in_values(const std::array<Rational, adams_most + 1>& c, int k) {
  if (k < 1 || k > adams_most) throw std::invalid_argument("Adams methods have orders 1 to 13");
  std::vector<Rational> out(static_cast<std::size_t>(k));
  for (int j = 0; j < k; ++j) {
    long long binomial = 1;  // C(i, j)
    Rational sum;
    for (int i = j; i < k; ++i) {
      sum += Rational(binomial) * c[static_cast<std::size_t>(i)];
      binomial = binomial * (i + 1) / (i + 1 - j);
    }
    out[static_cast<std::size_t>(j)] = j % 2 == 0 ? sum : Rational(-1) * sum;
  }
  return out;
}

}  // namespace

std::vector<Rational> adams_bashforth(int k) {
  return in_values(adams_gamma, k);
}

std::vector<Rational> adams_moulton(int k) {
  return in_values(adams_gamma_star, k);
}

AdamsWeights modified_weights(int k) {
  if (k < 1 || k > adams_most) throw std::invalid_argument("Adams methods have orders 1 to 13");
  const Rational w = Rational(-1) * adams_gamma_star[static_cast<std::size_t>(k)] /
                     adams_gamma[static_cast<std::size_t>(k) - 1];
  return {w, Rational(1) - w};
}

}  // namespace cardan
