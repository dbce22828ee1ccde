#pragma once
// How the outside follows and stops an analysis.
#include <functional>

namespace cardan {

struct Control {
  std::function<bool()> cancelled;                                    // asked after every step
  std::function<void(double t, double from, double until)> progress;  // after every step
};

}  // namespace cardan
