#pragma once
// Everything that varies in a run, and all of a checkpoint's mechanics.
#include <vector>

namespace cardan {

struct State {
  double t = 0;
  std::vector<double> q, v, a, lambda;
  std::vector<double> z;  // first-order states beside the mechanics, see state_table.h
  // Inputs of the model, constant until they are set again (System::set_input); those that follow a
  // function of time do not use theirs.
  std::vector<double> u;
  // Discrete states: limits of stops and contacts, sides of conditions, friction (Sliding::mode).
  std::vector<int> mode;
  std::vector<double> slide;  // where friction slides to (Sliding::u), three numbers each
};

}  // namespace cardan
