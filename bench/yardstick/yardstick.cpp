#include "yardstick.h"

#define main yardstick_main
#include "andrews_bench.hpp"
#undef main

namespace yardstick {

namespace {

template <class Run> Solve measured(Run run, double tolerance, int samples) {
  double q[7];
  bench::Stats stats;
  run(tolerance, q, stats, 1e-5);
  Solve out;
  out.error = err_abs(q);
  out.us = 1e6 * bench::min_time(
                     [&] {
                       double end[7];
                       bench::Stats s;
                       run(tolerance, end, s, 1e-5);
                     },
                     samples);
  return out;
}

}  // namespace

Solve solve(Method method, double tolerance, int samples) {
  return method == Method::range
             ? measured(solve16<RhsRange, Proj<MassOrth>, true>, tolerance, samples)
             : measured(solve16<RhsStruct, Proj<MassOrth>, true>, tolerance, samples);
}

double evaluation_us() {
  S16 y = init16();
  bench::Stats stats;
  const auto f = [](double t, const S16& at) {
    return RhsStruct::f(t, at);
  };
  const auto none = [](double, S16&) {
  };
  dop853_solve(f, none, y, 0.0, 0.017, 1e-6, 1e-10, 1e-10, 14, stats);
  return 1e6 * bench::min_time([&] {
           const S16 r = RhsRange::f(0, y);
           y.p[0] += 1e-300 * r.v[1];
         });
}

std::array<double, 7> reference_turns() {
  double start[7], end[7];
  for (int k = 0; k < 7; ++k) start[k] = std::atof(q0_str[k]);
  double first[7], last[7];
  to_abs(start, first);
  to_abs(QREF, last);
  std::array<double, 7> out;
  for (int k = 0; k < 7; ++k) out[k] = last[k] - first[k];
  return out;
}

}  // namespace yardstick
