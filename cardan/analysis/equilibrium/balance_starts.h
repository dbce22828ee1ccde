#pragma once
// Many balances of one mechanism: Newton's method from poses spread over its range of motion. The poses
// lie on walks from the present pose, along directions that the constraints allow, in steps that stay
// closed; so all of them belong to the present assembly. It is a search, not a proof: more starts may
// find more.
#include <functional>
#include <vector>

#include "cardan/analysis/equilibrium/balance_search.h"

namespace cardan {

struct ManyBalances {
  std::vector<FoundBalance> found;  // all different
  int starts = 0, iterations = 0;
  bool more = false;  // there were too many to list
};

// first: one that is known. cancelled: asked between starts.
ManyBalances many_balances(ForceBalance&,
                           CView start,
                           const FoundBalance& first,
                           const SearchLimits&,
                           const std::function<bool()>& cancelled);

}  // namespace cardan
