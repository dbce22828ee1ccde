#pragma once
// What one step of the implicit methods does to y' = lambda y, z = h lambda: |R(z)| of one-step
// methods, the largest root of the characteristic polynomial of multistep ones.
#include <complex>
#include <span>

#include "cardan/ode/implicit/implicit_tableau.h"
#include "cardan/ode/implicit/sdirk_tableaux.h"

namespace cardan {

double amplification(const ImplicitTableau&, std::complex<double> z);  // |1 + z b (I - z A)^-1 1|
double amplification(const DiagonalTableau&, std::complex<double> z);
double amplification_rosenbrock(std::complex<double> z);
double amplification_bdf(int k, double kappa, std::complex<double> z);

// Largest modulus of the roots of sum_j c_j x^j; c is not empty, its last entry may be small or 0
// (a root at infinity then counts).
double largest_root(std::span<const std::complex<double>> c);

}  // namespace cardan
