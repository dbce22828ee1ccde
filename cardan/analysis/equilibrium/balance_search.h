#pragma once
// Ways to a balance of forces (force_balance.h) from a closed pose. Each is an algorithm of its own:
//   newton_balance       balance_newton.cpp   Newton's method on the equations in q and lambda
//   nearest_balance      balance_newton.cpp   the same, towards a balance of any kind
//   least_energy         balance_energy.cpp   trust-region Newton in independent coordinates
//   least_energy_dfp     balance_dfp.cpp      Davidon, Fletcher and Powell's method in them
//   settled_balance      balance_settling.cpp motion with artificial damping
#include <vector>

#include "cardan/analysis/equilibrium/force_balance.h"

namespace cardan {

struct SearchLimits {
  double tolerance = 1e-11;  // of forces, relative to the largest
  int max_iterations = 1000;
};

struct FoundBalance {
  bool converged = false;
  std::vector<double> q;
  Eigen::VectorXd lambda;
  int iterations = 0;
  double force_left = 0;  // N
};

FoundBalance newton_balance(ForceBalance&, CView start, const SearchLimits&);
FoundBalance nearest_balance(ForceBalance&, CView start, const SearchLimits&);
FoundBalance least_energy(ForceBalance&, CView start, const SearchLimits&);
FoundBalance least_energy_dfp(ForceBalance&, CView start, const SearchLimits&);
FoundBalance settled_balance(ForceBalance&, CView start, const SearchLimits&);

// E(to) - E(from), to = from (+) y, with the work of the forces that have no potential of their own.
double energy_change(ForceBalance&, CView from, const Eigen::VectorXd& y, CView to);

}  // namespace cardan
