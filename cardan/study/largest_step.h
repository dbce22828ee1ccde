#pragma once
// The largest given step with which a dynamic analysis succeeds. A step succeeds when a run with it
// reaches its end: every step of the run was solved, within `newton_iterations` where the options
// give them.
//   on a grid    h = grid, 2 grid, 3 grid, ...; the last before the first that fails
//   bisection    between a step that succeeds and one that fails, to a relative width
#include <functional>

#include "cardan/analysis/start/mobility.h"
#include "cardan/model/options.h"
#include "cardan/system/system.h"

namespace cardan {

struct StepSearch {
  double grid = 0;               // s; 0: bisection
  double first = 0;              // s, where bisection begins; 0: a thousandth of the run
  double width = 0.01;           // of the bracket that bisection ends with, relative
  long most_runs = 200;          // runs allowed
  bool sound = false;            // a run that doubts itself (run_judge.h) does not succeed
  bool solvable = false;         // a run succeeds where every step is solved, whatever its energy
  std::function<bool()> stop{};  // asked between runs
};

struct LargestStep {
  double step = 0;             // s; 0: none succeeded
  double failed = 0;           // s, the smallest that failed above it; 0: none did
  long steps = 0;              // of the run with the largest step
  long newton_iterations = 0;  // of that run
  long runs = 0;
};

LargestStep find_largest_step(
    const System&, const Mobility&, const State& start, const DynamicOptions&, const StepSearch&);

}  // namespace cardan
