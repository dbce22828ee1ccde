#pragma once
// Methods tried on one problem: how the result at the end changes when the step is halved, and what
// accuracy costs. A problem is whatever can be run with a step or a tolerance: a system of ordinary
// differential equations here, a mechanism in study/mechanism_study.h.
//
// With h = T / 2^n and y_n the result at T, D_n = |y_n - y_(n-1)| falls like h^p until round-off,
// which grows as the steps get more, takes over: a V on logarithmic axes. D_n / (2^p - 1) estimates
// the error of y_n, and D = C_1 h^p + C_2 / h fits both branches.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cardan/ode/registry.h"
#include "cardan/ode/tolerance.h"

namespace cardan {

struct StudyEnding {
  std::vector<double> y;  // what is compared, at the end; empty: the run failed
  long evaluations = 0;
};

// A run to the end with this step (0: the method chooses its steps) and this relative tolerance.
using StudyRun = std::function<Result<StudyEnding>(double step, double rtol)>;

struct StudyTask {
  StudyRun run;
  double span = 1;     // T
  int component = -1;  // that is looked at; -1: all, by the largest difference
  std::optional<std::vector<double>> exact{};  // at the end
  long most_evaluations = 50'000'000;          // in one run
};

struct StudySetup {
  OdeProblem& problem;
  double start = 0, end = 1;
  std::vector<double> y0;
  int component = -1;
  std::optional<std::vector<double>> exact;
  long most_evaluations = 50'000'000;
};

StudyTask study_task(const StudySetup&, std::string method, const MethodOptions&);

struct HalvingPoint {
  int n = 0;
  double h = 0;
  std::vector<double> y;  // empty: the run failed
  double difference = 0;  // D_n; NaN where y_n or y_(n-1) is missing
  double estimate = 0;    // D_n / (2^p - 1) with the method's order p; NaN likewise
  double error = 0;       // against the exact solution; NaN: not known
  long evaluations = 0;
};

struct Halving {
  std::vector<HalvingPoint> points;
  double order = 0;  // fitted where D_n falls steadily; NaN: nowhere
  int fit_from = 0, fit_to = 0;
  int round_off_from = 0;  // the n where D_n stops falling as the order says; 0: not reached
  // D = truncation h^p + round_off / h with the fitted order, over all points from fit_from on; NaN:
  // the round-off branch was not reached.
  double truncation = 0, round_off = 0;
  double best_step = 0;  // where that is least
};

// A method of order p with fixed step, n = from .. to.
Result<Halving> halving_study(const StudyTask&, int p, int from, int to);
Result<Halving> halving_study(
    const StudySetup&, std::string_view method, const MethodOptions&, int from, int to);

struct WorkPoint {
  double setting = 0;  // h, or the relative tolerance
  long evaluations = 0;
  double error = 0;
};

// Errors against `truth`. Methods with error control run with rtol = 1e-3 .. 1e-11, the others with
// h = T / 2^n.
Result<std::vector<WorkPoint>> work_precision(
    const StudyTask&, const std::vector<double>& truth, bool adaptive, int from, int to);

// Against the exact solution or, where it is not known, a run with rtol = 1e-13.
Result<std::vector<WorkPoint>> work_precision(
    const StudySetup&, std::string_view method, const MethodOptions&, int from, int to);

}  // namespace cardan
