#pragma once
// The Newton service of a problem that brings none: f_y dense, given or by forward differences, and
// an LU factorization of I - c f_y for each (real or complex) c that a step needs.
#include <complex>
#include <vector>

#include "cardan/math/dense.h"
#include "cardan/ode/problem.h"

namespace cardan {

// Increments for forward differences at y: sqrt(round-off) times the size of y_i, of its change
// over a step, or of a small part of the largest component, whichever is greatest; towards where
// y_i is going.
void difference_increments(CView y, CView change, View out);

class DenseNewton {
 public:
  void reserve(int n, int shifts);
  Eval setup(
      OdeProblem&, double t, CView y, CView dy, std::span<const Shift> shifts, Reuse allowed);
  Eval solve(int k, View re, View im);

 private:
  struct Factor {
    Shift shift;
    Eigen::PartialPivLU<Eigen::MatrixXd> real;
    Eigen::PartialPivLU<Eigen::MatrixXcd> complex;
    Eigen::MatrixXd W;
    Eigen::MatrixXcd W_complex;
  };

  Eval differences(OdeProblem&, double t, CView y, CView given, double c);
  bool factor(Factor&, Shift, std::span<const char> algebraic);

  int n_ = 0;
  bool known_ = false;  // f_y has been computed
  Eigen::MatrixXd f_y_;
  Eigen::VectorXd y_, dy_, slope_, increment_, work_;
  Eigen::VectorXcd complex_work_, complex_x_;
  std::vector<Factor> factors_;
  std::size_t used_ = 0;
};

}  // namespace cardan
