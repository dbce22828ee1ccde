#pragma once
// Derivatives of eigenvalues by parameters. With A z = mu z and w^H A = mu w^H,
//   mu_p = w^H A_p z / w^H z,
// where w of an eigenvalue that stands alone follows from the bordered matrix
//   | A - mu I   z |^H | w |   | 0 |
//   | z^H        0 |   | g | = | 1 |,
// whatever the other eigenvalues are (of a motion many may be zero without vectors of their own), and
// A_p is the derivative along the state that moves with p: differences of fourth order of the
// linear equations of systems with other values of p, in states moved along x_p, in the same
// coordinates. For eigenvalues that coincide, the derivatives are the eigenvalues of
// (W^H Z)^-1 W^H A_p Z. Reference: Lancaster, Numer. Math. 6 (1964) 377.
#include <complex>
#include <vector>

#include "cardan/analysis/linear/linear_system.h"
#include "cardan/analysis/sensitivity/parameter_slopes.h"
#include "cardan/math/eigenvalues.h"

namespace cardan {

// A_p of one parameter. The state has a and lambda.
Result<Eigen::MatrixXd> matrix_slope(const System&,
                                     const std::vector<char>& active,
                                     const State&,
                                     const ParameterStep&,
                                     const StateSlope&,
                                     const LinearSystem&);

// In the order of the pairs; not a number where eigenvectors do not exist or are not unique.
std::vector<std::complex<double>> eigenvalue_slopes(const EigenPairs&,
                                                    const Eigen::MatrixXd& A,
                                                    const Eigen::MatrixXd& A_p);

}  // namespace cardan
