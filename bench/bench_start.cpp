// Time to the first step: the model is checked, compiled and assembled, and one microsecond of it is
// simulated. Nothing is stored.
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

void measure(benchmark::State& loop, Model model) {
  for (auto& analysis : model.analyses)
    if (auto* dynamic = std::get_if<DynamicOptions>(&analysis)) {
      dynamic->until = dynamic->output_step = 1e-6;  // no rows between
    }
  for (auto _ : loop) {
    Nowhere sink;
    if (run_model(model, sink, {}).exit_code() != 0) {
      loop.SkipWithError("the run failed");
      break;
    }
  }
}

void chain_of(benchmark::State& loop) {
  measure(loop, chain(static_cast<int>(loop.range(0))));
}

void andrews(benchmark::State& loop) {
  measure(loop, example("andrews"));
}

BENCHMARK(chain_of)->Arg(10)->Arg(30)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(andrews)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace cardan::bench
