// One evaluation of the accelerations: equations, forces, factor and solution at one state.
#include <cmath>

#include <benchmark/benchmark.h>

#include "cardan/system/motion_solver.h"
#include "mechanisms.h"

namespace cardan::bench {

namespace {

void measure(benchmark::State& loop, const Model& model) {
  const System system = value_of(compile(model));
  MotionSolver solver(system,
                      std::vector<char>(static_cast<std::size_t>(system.equations().rows()), 1));
  State state = system.given_state();
  for (std::size_t k = 0; k < state.v.size(); ++k)
    state.v[k] = 0.1 * std::sin(3.0 * static_cast<double>(k) + 1);
  std::vector<double> a(state.v.size());
  std::vector<double> lambda(static_cast<std::size_t>(system.equations().rows()));
  for (auto _ : loop) {
    if (solver.accelerations(0, state.q, state.v, a, lambda) != Eval::ok) {
      loop.SkipWithError("no accelerations at this state");
      break;
    }
    benchmark::DoNotOptimize(a.data());
  }
  // Seconds per body and evaluation.
  loop.counters["per_body"] = benchmark::Counter(
      system.body_count(),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void chain_of(benchmark::State& loop) {
  measure(loop, chain(static_cast<int>(loop.range(0))));
}

void andrews(benchmark::State& loop) {
  measure(loop, example("andrews"));
}

BENCHMARK(chain_of)->Arg(10)->Arg(30)->Arg(100)->Arg(300)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(andrews)->Unit(benchmark::kMicrosecond);

}  // namespace

}  // namespace cardan::bench
