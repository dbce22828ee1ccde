#include "cardan/math/interpolation.h"

#include <array>
#include <limits>
#include <stdexcept>

namespace cardan {

namespace {

constexpr int most = 16;
using Coefficients = std::array<double, most + 1>;

// Row i: coefficients of u, u^2, ... in the integral of C(u + i - 1, i) = u (u + 1) ... (u + i - 1)
// / i!.
constexpr std::array<Coefficients, most> make_integrals() {
  std::array<Coefficients, most> out{};
  Coefficients product{};  // of the polynomial itself, lowest power first
  product[0] = 1;
  for (int i = 0; i < most; ++i) {
    for (int m = 0; m <= i; ++m) {
      out[static_cast<std::size_t>(i)][static_cast<std::size_t>(m)] =
          product[static_cast<std::size_t>(m)] / (m + 1);
    }
    Coefficients next{};
    for (int m = 0; m <= i; ++m) {  // times (u + i) / (i + 1)
      const double c = product[static_cast<std::size_t>(m)] / (i + 1);
      next[static_cast<std::size_t>(m) + 1] += c;
      next[static_cast<std::size_t>(m)] += c * i;
    }
    product = next;
  }
  return out;
}

constexpr auto integrals = make_integrals();

Approximation truncated(CView terms, int k, CView weights) {
  if (k < 1 || static_cast<std::size_t>(k) > terms.size()) {
    throw std::invalid_argument("a polynomial of k terms needs k values");
  }
  Approximation out{0, std::numeric_limits<double>::quiet_NaN()};
  for (int i = k - 1; i >= 0; --i) {  // small ones first
    out.value += weights[static_cast<std::size_t>(i)] * terms[static_cast<std::size_t>(i)];
  }
  const auto next = static_cast<std::size_t>(k);
  if (next < terms.size()) out.error = weights[next] * terms[next];
  return out;
}

}  // namespace

Approximation taylor_polynomial(CView derivatives, int k, double dt) {
  std::array<double, 64> weights;
  if (derivatives.size() > weights.size()) throw std::invalid_argument("too many derivatives");
  double w = 1;
  for (std::size_t j = 0; j < derivatives.size(); ++j) {
    weights[j] = w;
    w *= dt / static_cast<double>(j + 1);
  }
  return truncated(derivatives, k, weights);
}

void backward_differences(View x) {
  for (std::size_t order = 1; order < x.size(); ++order) {
    for (std::size_t i = x.size() - 1; i >= order; --i) x[i] = x[i - 1] - x[i];
  }
}

Approximation newton_backward(CView differences, int k, double s) {
  std::array<double, 64> weights;
  if (differences.size() > weights.size()) throw std::invalid_argument("too many differences");
  newton_backward_weights(s, View(weights).first(differences.size()));
  return truncated(differences, k, weights);
}

void newton_backward_weights(double s, View w) {
  double value = 1;
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = value;
    value *= (s + static_cast<double>(i)) / static_cast<double>(i + 1);
  }
}

void newton_backward_integral_weights(double s, View w) {
  if (w.size() > most) throw std::invalid_argument("too many differences");
  for (std::size_t i = 0; i < w.size(); ++i) {
    double sum = 0;
    for (std::size_t m = i + 1; m-- > 0;) sum = sum * s + integrals[i][m];
    w[i] = sum * s;
  }
}

}  // namespace cardan
