#include "cardan/study/largest_step.h"

#include <algorithm>
#include <cmath>

#include "cardan/analysis/dynamic/simulation.h"

namespace cardan {

namespace {

class StepTrials {
 public:
  StepTrials(const System& system,
             const Mobility& mobility,
             const State& start,
             const DynamicOptions& options,
             const StepSearch& search)
      : system_(system), mobility_(mobility), start_(start), options_(options), search_(search) {}

  // Whether a run with this step reaches its end.
  bool succeeds(double step) {
    ++best.runs;
    options_.step = step;
    Simulation run(system_, mobility_, options_, start_);
    if (search_.solvable) run.allow_growth();
    if (run.prepare() || run.start()) return failed(step);
    if (run.step_to(options_.until).why != Simulation::Stop::Why::reached) return failed(step);
    if (search_.sound && !run.doubts().empty()) return failed(step);
    if (step > best.step) {
      const Costs costs = run.costs();
      const Stats& total = costs.total();
      best.step = step;
      best.steps = total.steps;
      best.newton_iterations = total.newton;
    }
    return true;
  }

  LargestStep best;

 private:
  bool failed(double step) {
    best.failed = best.failed == 0 ? step : std::min(best.failed, step);
    return false;
  }

  const System& system_;
  const Mobility& mobility_;
  const State& start_;
  DynamicOptions options_;
  const StepSearch& search_;
};

}  // namespace

LargestStep find_largest_step(const System& system,
                              const Mobility& mobility,
                              const State& start,
                              const DynamicOptions& options,
                              const StepSearch& search) {
  const double span = std::abs(options.until - start.t);
  StepTrials trials(system, mobility, start, options, search);
  const auto may_go_on = [&] {
    return trials.best.runs < search.most_runs && !(search.stop && search.stop());
  };
  if (search.grid > 0) {
    for (long k = 1; static_cast<double>(k) * search.grid <= span && may_go_on(); ++k)
      if (!trials.succeeds(static_cast<double>(k) * search.grid)) break;
    return trials.best;
  }
  double good = search.first > 0 ? search.first : span / 1000;
  while (may_go_on() && !trials.succeeds(good)) good /= 2;
  if (trials.best.step == 0) return trials.best;
  double bad = trials.best.failed;
  for (double next = 2 * good; bad == 0 && next <= span && may_go_on(); next *= 2) {
    if (trials.succeeds(next))
      good = next;
    else
      bad = next;
  }
  while (bad > 0 && bad - good > search.width * good && may_go_on()) {
    const double middle = 0.5 * (good + bad);
    (trials.succeeds(middle) ? good : bad) = middle;
  }
  return trials.best;
}

}  // namespace cardan
