#pragma once
// Distributions of parameters by their quantile functions: x with P(X <= x) = u.
//
//   normal(m, s)             x = m + s Phi^-1(u)
//   uniform(a, b)            x = a + (b - a) u
//   triangular(a, c, b)      x = a + sqrt(u (b - a) (c - a)) below c, likewise from b above it
//   lognormal(m, s)          x = m exp(s Phi^-1(u)), m the median, s that of log x
#include <string_view>
#include <vector>

namespace cardan {

enum class DistributionKind { normal, uniform, triangular, lognormal };

struct DistributionShape {
  std::string_view name, words;  // words: of its numbers
  DistributionKind kind;
  std::size_t numbers;
  std::vector<bool> plain;  // numbers that have no unit
};

const std::vector<DistributionShape>& distribution_shapes();

struct Distribution {
  DistributionKind kind = DistributionKind::uniform;
  std::vector<double> numbers;

  double quantile(double u) const;  // 0 < u < 1
};

// Phi^-1 by Wichura's rational approximations (AS 241, Appl. Statist. 37 (1988) 477), relative error
// about 1e-16.
double normal_quantile(double u);

}  // namespace cardan
