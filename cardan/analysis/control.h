#pragma once
// How the outside follows and stops an analysis, and what it wants to see of it.
#include <functional>

#include "cardan/base/trace.h"

namespace cardan {

struct Control {
  std::function<bool()> cancelled;                                    // asked after every step
  std::function<void(double t, double from, double until)> progress;  // after every step
  bool watch = true;         // follow every channel between the rows too: peaks, means
  bool rows_follow = false;  // rows that were not asked for at fixed times follow the motion
  bool branches = false;     // list the ways to put the mechanism together
  TraceLine trace{};         // a line for every iteration of a solver
};

}  // namespace cardan
