#pragma once
// Quintic smoothing splines, for measured motion: of all smooth functions the f that minimises
//   sum_i (y_i - f(x_i))^2 + mu int (f''')^2 dx.
// Its third derivative is continuous, and its second is free at both ends, unlike that of a cubic
// spline. mu is chosen so that the mean square of y_i - f(x_i) is that of the measurement's noise;
// without noise f passes through the points.
//
// f''' = 6 sum_j d_j M_j with the quadratic B-splines M_j on x_j ... x_{j+3}, of unit area. With Q the
// matrix of third divided differences, Q^T f = R d, R_ij = int M_i M_j, and
//   (R + 36 mu Q^T Q) d = Q^T y,   f(x) = y - 36 mu Q d,
// a system of seven diagonals.
// References: Reinsch, Numer. Math. 10 (1967) 177 and 16 (1971) 451; de Boor, A Practical Guide to
// Splines, revised ed., Springer 2001, chapters IX and XIV; Woltring, Adv. Eng. Software 8 (1986) 104.
#include <array>
#include <string>
#include <vector>

#include "cardan/math/curve.h"

namespace cardan {

class QuinticSpline {
 public:
  // x ascending, at least four points; deviation: of the noise, in units of y.
  QuinticSpline(std::vector<double> x, const std::vector<double>& y, double deviation);

  double first() const { return x_.front(); }

  double last() const { return x_.back(); }

  // Value and three derivatives of the piece that holds x.
  std::array<double, 4> at(double x) const;

  Stretch over(const Interval& x) const;

 private:
  std::size_t piece(double x) const;
  void make_pieces(const std::vector<double>& values, const std::vector<double>& d);

  std::vector<double> x_;
  std::vector<std::array<double, 6>> pieces_;  // coefficients of powers of x - x_[i]
};

std::string fault_in_smoothing(const std::vector<double>& x,
                               const std::vector<double>& y,
                               double deviation);

FunctionPtr smoothing_spline(std::vector<double> x,
                             const std::vector<double>& y,
                             double deviation,
                             Outside = Outside::undefined);

}  // namespace cardan
