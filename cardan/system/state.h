#pragma once
// Everything that varies in a run, and all of a checkpoint's mechanics.
#include <vector>

namespace cardan {

struct State {
  double t = 0;
  std::vector<double> q, v, a, lambda;
  std::vector<double> z;  // first-order states beside the mechanics: works and losses, see energy.h
  std::vector<int> mode;  // discrete states
};

}  // namespace cardan
