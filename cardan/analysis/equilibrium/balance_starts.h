#pragma once
// Many balances of one mechanism: Newton's method from poses spread over its range of motion. The poses
// lie on walks from the present pose, along directions that the constraints allow, in steps that stay
// closed; so all of them belong to the present assembly. It is a search, not a proof. What it may have
// missed is judged by how often each balance was reached: of n starts that reached one, n_1 reached one
// that no other start did, and about n_1 / n of further starts would reach a new one (Good 1953).
// Reference: I. J. Good, Biometrika 40 (1953) 237.
#include <functional>
#include <vector>

#include "cardan/analysis/equilibrium/balance_search.h"

namespace cardan {

struct ManyBalances {
  std::vector<FoundBalance> found;  // all different
  std::vector<int> reached;         // by so many starts, each
  int starts = 0, iterations = 0;
  int converged = 0;  // starts that reached a balance
  int last_new = 0;   // the start that was the last to find one
  bool more = false;  // there were too many to list
};

// first: one that is known. cancelled: asked between starts.
ManyBalances many_balances(ForceBalance&,
                           CView start,
                           const FoundBalance& first,
                           const SearchLimits&,
                           const std::function<bool()>& cancelled);

}  // namespace cardan
