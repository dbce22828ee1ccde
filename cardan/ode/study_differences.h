#pragma once
// Backward differences of f along a run with equal steps, and what they say of the error of an
// Adams predictor of order k and its corrector of order k + 1:
//   predictor  h gamma_k nabla^k f_n,   corrector  h gamma*_(k+1) nabla^(k+1) f(t_(n+1), x^p).
#include <vector>

#include "cardan/ode/problem.h"

namespace cardan {

struct DifferenceRow {  // at one point of the run
  double t = 0;
  std::vector<double> y;
  std::vector<std::vector<double>> differences;  // [i][component]: nabla^i f
  int order = 0;                                 // of the predictor that the next step can have
  std::vector<double> predictor_error, corrector_error;  // of the next step; empty: not enough past
};

// `points`: (t, y) at equal steps; k: the order, rising from 1 at the first point.
std::vector<DifferenceRow> difference_table(
    OdeProblem&, const std::vector<std::pair<double, std::vector<double>>>& points, int k);

}  // namespace cardan
