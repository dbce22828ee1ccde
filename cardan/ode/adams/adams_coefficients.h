#pragma once
// Adams methods in backward differences, exactly:
//   Bashforth   y_{n+1} = y_n + h sum_{i<k} gamma_i  nabla^i f_n
//               sum_{j<=m} gamma_j  / (m+1-j) = 1
//   Moulton     y_{n+1} = y_n + h sum_{i<k} gamma*_i nabla^i f_{n+1}
//               sum_{j<=m} gamma*_j / (m+1-j) = 0 for m > 0
// both of order k with k terms; the error of one step is h gamma_k nabla^k f (gamma*_k for
// Moulton). Hairer, Norsett & Wanner, Solving ODEs I, III.1.
#include <array>
#include <vector>

#include "cardan/math/rational.h"

namespace cardan {

inline constexpr int adams_most = 13;  // coefficients 0..13: orders 1..12 and one above

constexpr std::array<Rational, adams_most + 1> make_adams_coefficients(bool moulton) {
  std::array<Rational, adams_most + 1> c{};
  for (int m = 0; m <= adams_most; ++m) {
    Rational rest = moulton && m > 0 ? 0 : 1;
    for (int j = 0; j < m; ++j) rest -= c[static_cast<std::size_t>(j)] / Rational(m + 1 - j);
    c[static_cast<std::size_t>(m)] = rest;
  }
  return c;
}

inline constexpr auto adams_gamma = make_adams_coefficients(false);
inline constexpr auto adams_gamma_star = make_adams_coefficients(true);

// The same in values instead of differences: coefficients of f_n, f_{n-1}, ... (Bashforth) and of
// f_{n+1}, f_n, ... (Moulton) for order k.
std::vector<Rational> adams_bashforth(int k);
std::vector<Rational> adams_moulton(int k);

// Weights with which (weight of AB_k) y_AB + (weight of AM_k) y_AM is the corrector of order k + 1,
// both from the same predicted f: gamma*_k = -w_AB gamma_{k-1}, w_AM = 1 - w_AB.
struct AdamsWeights {
  Rational bashforth, moulton;
};

AdamsWeights modified_weights(int k);

}  // namespace cardan
