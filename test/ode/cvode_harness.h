#pragma once
// SUNDIALS' CVODE as a yardstick: the same problem, tolerances and output points, and the
// evaluations both programs need for the same error. Only where CMake found SUNDIALS.
#ifdef CARDAN_HAS_CVODE
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <cvode/cvode.h>
#include <gtest/gtest.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"

namespace cardan::yardstick {

class Problem final : public OdeProblem {
 public:
  using Rhs = std::function<void(double t, CView y, View dy)>;

  Problem(int n, Rhs rhs) : n_(n), rhs_(std::move(rhs)) {}

  int size() const override { return n_; }

  Eval f(double t, CView y, View dy) override {
    rhs_(t, y, dy);
    return Eval::ok;
  }

 private:
  int n_;
  Rhs rhs_;
};

struct Case {
  Problem& problem;
  std::vector<double> y0;
  std::vector<double> times;
  std::vector<double> size;  // atol = rtol * size, and the scale of errors
};

struct Outcome {
  std::vector<std::vector<double>> y;  // at the times
  long evaluations = 0;                // of f, those for Jacobians by differences included
};

inline int call(realtype t, N_Vector y, N_Vector dy, void* problem) {
  auto& p = *static_cast<Problem*>(problem);
  const auto n = static_cast<std::size_t>(p.size());
  const Eval e = p.f(t, CView(N_VGetArrayPointer(y), n), View(N_VGetArrayPointer(dy), n));
  return e == Eval::ok ? 0 : 1;
}

enum class Family { bdf, adams };

inline Outcome by_cvode(const Case& c, double rtol, Family family) {
  const int n = c.problem.size();
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(n, context), atol = N_VNew_Serial(n, context);
  std::copy(c.y0.begin(), c.y0.end(), N_VGetArrayPointer(y));
  for (int i = 0; i < n; ++i) NV_Ith_S(atol, i) = rtol * c.size[static_cast<std::size_t>(i)];
  void* memory = CVodeCreate(family == Family::bdf ? CV_BDF : CV_ADAMS, context);
  CVodeInit(memory, call, 0, y);
  CVodeSVtolerances(memory, rtol, atol);
  CVodeSetUserData(memory, &c.problem);
  CVodeSetMaxNumSteps(memory, 1'000'000);
  SUNMatrix matrix = SUNDenseMatrix(n, n, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  SUNNonlinearSolver fixed_point = nullptr;
  if (family == Family::bdf) {
    CVodeSetLinearSolver(memory, linear, matrix);
  } else {
    fixed_point = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(memory, fixed_point);
  }
  Outcome out;
  for (const double time : c.times) {
    realtype t = 0;
    EXPECT_GE(CVode(memory, time, y, &t, CV_NORMAL), 0);
    out.y.emplace_back(N_VGetArrayPointer(y), N_VGetArrayPointer(y) + n);
  }
  long steps = 0, jacobians = 0;
  CVodeGetNumRhsEvals(memory, &steps);
  if (family == Family::bdf) CVodeGetNumLinRhsEvals(memory, &jacobians);
  out.evaluations = steps + jacobians;
  CVodeFree(&memory);
  N_VDestroy(y);
  N_VDestroy(atol);
  SUNMatDestroy(matrix);
  SUNLinSolFree(linear);
  if (fixed_point) SUNNonlinSolFree(fixed_point);
  SUNContext_Free(&context);
  return out;
}

inline Outcome by_ours(const Case& c, double rtol, const char* method, const char* variant = "") {
  MethodOptions options;
  options.variant = variant;
  Tolerance tolerance;
  tolerance.rtol = rtol;
  for (const double s : c.size) tolerance.atol_each.push_back(rtol * s);
  auto made = make_method(method, options, c.problem);
  EXPECT_TRUE(made);
  Integrator integrator(std::move(made).value(), tolerance);
  EXPECT_EQ(integrator.start(0, c.y0), Eval::ok);
  Outcome out;
  for (const double time : c.times) {
    const Stop stop = integrator.advance(time);
    EXPECT_EQ(stop.why, Stop::Why::end) << stop.failure.text;
    out.y.emplace_back(integrator.y().begin(), integrator.y().end());
  }
  out.evaluations = integrator.stats().f;
  return out;
}

inline double error(const Case& c, const Outcome& a, const Outcome& reference) {
  double sum = 0;
  long count = 0;
  for (std::size_t k = 0; k < a.y.size(); ++k) {
    for (std::size_t i = 0; i < a.y[k].size(); ++i, ++count) {
      const double scale = std::abs(reference.y[k][i]) + c.size[i];
      sum += std::pow((a.y[k][i] - reference.y[k][i]) / scale, 2);
    }
  }
  return std::sqrt(sum / static_cast<double>(count));
}

// Evaluations against error over a range of tolerances, as a straight line in logarithms.
struct Line {
  double slope = 0, at_one = 0, low = 0, high = 0;  // log evaluations; errors covered

  double evaluations(double e) const { return std::exp(at_one + slope * std::log(e)); }
};

inline Line fit(const std::vector<std::pair<double, double>>& points) {  // (error, evaluations)
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  Line line;
  line.low = points.front().first;
  line.high = points.front().first;
  for (const auto& [e, count] : points) {
    const double x = std::log(e), y = std::log(count);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
    line.low = std::min(line.low, e);
    line.high = std::max(line.high, e);
  }
  line.slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  line.at_one = (sy - line.slope * sx) / n;
  return line;
}

// Our evaluations over CVODE's for the same error, at its worst over the errors both reached.
inline double cost_ratio(const Case& c,
                         Family family,
                         const char* method,
                         const char* variant,
                         const Outcome& reference,
                         int from,
                         int to) {
  std::vector<std::pair<double, double>> ours, theirs;
  for (int k = 2 * from; k <= 2 * to; ++k) {
    const double rtol = std::pow(10.0, -0.5 * k);
    const Outcome a = by_ours(c, rtol, method, variant), b = by_cvode(c, rtol, family);
    ours.emplace_back(error(c, a, reference), a.evaluations);
    theirs.emplace_back(error(c, b, reference), b.evaluations);
  }
  const Line we = fit(ours), they = fit(theirs);
  const double low = std::max(we.low, they.low), high = std::min(we.high, they.high);
  return std::max(we.evaluations(low) / they.evaluations(low),
                  we.evaluations(high) / they.evaluations(high));
}

}  // namespace cardan::yardstick
#endif
