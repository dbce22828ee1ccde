#pragma once
// Methods tried on one problem: how the result at the end changes when the step is halved, and what
// accuracy costs.
//
// With h = T / 2^n and y_n the result at T, D_n = |y_n - y_(n-1)| falls like h^p until round-off,
// which grows as the steps get more, takes over: a V on logarithmic axes. D_n / (2^p - 1) estimates
// the error of y_n.
#include <optional>
#include <string>
#include <vector>

#include "cardan/ode/registry.h"
#include "cardan/ode/tolerance.h"

namespace cardan {

struct StudySetup {
  OdeProblem& problem;
  double start = 0, end = 1;
  std::vector<double> y0;
  int component = -1;  // that is looked at; -1: all, by the largest difference
  std::optional<std::vector<double>> exact;  // at the end
  long most_evaluations = 50'000'000;        // in one run
};

struct HalvingPoint {
  int n = 0;
  double h = 0;
  std::vector<double> y;  // empty: the run failed
  double difference = 0;  // D_n; NaN where y_n or y_(n-1) is missing
  double error = 0;       // against the exact solution; NaN: not known
  long evaluations = 0;
};

struct Halving {
  std::vector<HalvingPoint> points;
  double order = 0;  // fitted where D_n falls steadily; NaN: nowhere
  int fit_from = 0, fit_to = 0;
  int round_off_from = 0;  // the n where D_n stops falling as the order says; 0: not reached
};

// A method with fixed step, n = from .. to.
Result<Halving> halving_study(
    const StudySetup&, std::string_view method, const MethodOptions&, int from, int to);

struct WorkPoint {
  double setting = 0;  // h, or the relative tolerance
  long evaluations = 0;
  double error = 0;
};

// Errors against the exact solution or, where it is not known, a run with rtol = 1e-13. Methods
// with error control run with rtol = atol = 1e-3 .. 1e-11, the others with h = T / 2^n.
Result<std::vector<WorkPoint>> work_precision(
    const StudySetup&, std::string_view method, const MethodOptions&, int from, int to);

}  // namespace cardan
