#pragma once
// Stability of the fixed-step Adams methods on y' = lambda y, z = h lambda: the largest root of
//   xi = 1 + z sum b_j xi^-j                                     ab
//   xi = 1 + z (b*_0 xi + sum b*_j+1 xi^-j)                      am
//   xi = 1 + z (b*_0 (1 + z sum b_j xi^-j) + sum b*_j+1 xi^-j)   predictor-corrector methods
#include <complex>

#include "cardan/ode/adams/adams_fixed.h"

namespace cardan {

double adams_amplification(AdamsScheme, int k, std::complex<double> z);

struct StabilityLimits {
  double real, imaginary;  // 0: none; infinity: unbounded
};

StabilityLimits adams_limits(AdamsScheme, int k);  // k = 1..12

}  // namespace cardan
