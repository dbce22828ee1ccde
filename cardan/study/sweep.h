#pragma once
// The points of a sweep that are not done yet, by several threads that take the next one each.
#include <functional>
#include <map>
#include <string>

#include "cardan/study/design.h"
#include "cardan/study/point_runner.h"

namespace cardan {

struct SweepTally {
  long points = 0, before = 0;                  // of the whole sweep; done when it began
  long complete = 0, doubtful = 0, failed = 0;  // now
  std::map<std::string, long> causes{};         // of failed points
  double seconds = 0;
  bool interrupted = false;

  long done() const { return before + complete + doubtful + failed; }
};

struct SweepControl {
  int workers = 0;  // 0: one for each processor
  std::function<bool()> cancelled;
  std::function<void(const SweepTally&)> progress;  // after every point
};

// Takes each result, by one thread at a time; a fault ends the sweep.
using PointTarget = std::function<std::optional<Diagnostic>(
    long number, const std::vector<double>&, const PointResult&)>;

// done: one flag a point, those that are left out.
Result<SweepTally> run_points(const Design&,
                              const PointRunner&,
                              const std::vector<char>& done,
                              const PointTarget&,
                              const SweepControl&);

}  // namespace cardan
