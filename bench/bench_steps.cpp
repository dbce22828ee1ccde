// Whole steps of the default formulation, set-up included and nothing stored: planar chains of pins
// from 100 to 10,000 links over 0.02 s, and rows of four-bars over 1 s with a flat pose in it.
// `per_step_and_body` is seconds.
#include <benchmark/benchmark.h>

#include "cardan/analysis/run.h"
#include "mechanisms.h"

namespace cardan::bench {

namespace {

class Nowhere final : public Sink {
 public:
  Fault open(std::span<const Channel>) override { return {}; }

  Fault sample(double, std::span<const double>) override { return {}; }
};

void measure(benchmark::State& loop, Model model, double until) {
  for (auto& analysis : model.analyses)
    if (auto* dynamic = std::get_if<DynamicOptions>(&analysis)) {
      dynamic->until = dynamic->output_step = until;
      dynamic->rtol = dynamic->atol = 1e-6;
    }
  double steps = 0;
  for (auto _ : loop) {
    Nowhere sink;
    const Outcome out = run_model(model, sink, {});
    if (out.exit_code() != 0) {
      loop.SkipWithError("the run failed");
      break;
    }
    steps = static_cast<double>(out.summary.stats.steps);
  }
  loop.counters["steps"] = steps;
  loop.counters["per_step_and_body"] = benchmark::Counter(
      steps * static_cast<double>(model.bodies.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void chain_of(benchmark::State& loop) {
  measure(loop, chain(static_cast<int>(loop.range(0))), 0.02);
}

void four_bars(benchmark::State& loop) {
  ReadOptions options;
  options.set = {{"n", std::to_string(loop.range(0))}};
  measure(loop,
          value_of(read_model(std::string(CARDAN_MODELS) + "/n-four-bar/model.toml", options)),
          1);
}

BENCHMARK(chain_of)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);
BENCHMARK(four_bars)->Arg(2)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace cardan::bench
