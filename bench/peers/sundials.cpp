// Andrews' mechanism by SUNDIALS' CVODE (Adams, fixed-point iteration) on the equations written by hand
// (yardstick, dense Cholesky factors), for the work-precision plots of bin/bench --record:
//   peer point cvode-adams tolerance T error E us U
#include <cstdio>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#define main yardstick_main
#include "../yardstick/andrews_bench.hpp"
#undef main

namespace {

constexpr int size = 14;  // seven angles, seven velocities

int right_side(double t, N_Vector y, N_Vector dy, void*) {
  S16 at{};
  std::memcpy(&at.p, N_VGetArrayPointer(y), 7 * sizeof(double));
  std::memcpy(&at.v, N_VGetArrayPointer(y) + 7, 7 * sizeof(double));
  const S16 r = RhsRange::f(t, at);
  std::memcpy(N_VGetArrayPointer(dy), &r.p, 7 * sizeof(double));
  std::memcpy(N_VGetArrayPointer(dy) + 7, &r.v, 7 * sizeof(double));
  return 0;
}

void write_start(N_Vector y) {
  const S16 start = init16();
  std::memcpy(N_VGetArrayPointer(y), &start.p, 7 * sizeof(double));
  std::memcpy(N_VGetArrayPointer(y) + 7, &start.v, 7 * sizeof(double));
}

}  // namespace

int main() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) return 1;
  N_Vector y = N_VNew_Serial(size, context);
  write_start(y);
  void* solver = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  if (CVodeInit(solver, right_side, 0, y) != 0 || CVodeSStolerances(solver, 1e-6, 1e-6) != 0 ||
      CVodeSetNonlinearSolver(solver, iteration) != 0 || CVodeSetMaxNumSteps(solver, 1000000) != 0)
    return 1;
  for (int k = 6; k <= 24; ++k) {
    const double tolerance = std::pow(10.0, -0.5 * k);
    bool good = true;
    const auto solve = [&] {
      write_start(y);
      double t = 0;
      good =
          CVodeReInit(solver, 0, y) == 0 && CVodeSStolerances(solver, tolerance, tolerance) == 0 &&
          CVodeSetStopTime(solver, TEND) == 0 && CVode(solver, TEND, y, &t, CV_NORMAL) >= 0 && good;
    };
    solve();
    double q[7];
    from_abs(N_VGetArrayPointer(y), q);
    const double error = err_abs(q), us = 1e6 * bench::min_time(solve, 5);
    if (good)
      std::printf(
          "peer point cvode-adams tolerance %.3g error %.3g us %.4g\n", tolerance, error, us);
  }
  SUNNonlinSolFree(iteration);
  CVodeFree(&solver);
  N_VDestroy(y);
  SUNContext_Free(&context);
}
