#pragma once
// Root loci: the eigenvalues of a linear analysis over a parameter of the model.
//
// For every value the model is made anew and all analyses before the linear one are run again, so
// that the state linearised about belongs to the value. An equilibrium that comes first is followed:
// from the parameter's own value the search goes outwards, and starts each time from the equilibrium
// of the value before.
//
// Eigenvalues of two values next to each other belong together so that
//   sum_k |lambda_k - (2 lambda'_k - lambda''_k)|
// is least (math/assignment.h), with ' and '' the values before: lines that cross go on straight.
//
// Where the word of stability differs between two values, the value in between is found: as the root
// of the largest real part where that changes its sign, otherwise by bisection.
#include <string>

#include "cardan/analysis/control.h"
#include "cardan/base/result.h"
#include "cardan/model/model.h"
#include "cardan/model/model_variants.h"
#include "cardan/results/summary.h"

namespace cardan {

// What is wrong with a locus as it is written; empty: nothing.
Diagnostics locus_faults(const std::string& text, const ModelVariants&);

// analysis: the number of a linearise with a locus. Fails where a value has no such model or its
// analyses fail; cancelled: the points so far.
Result<RootLocus> root_locus(const Model&,
                             const ModelVariants&,
                             std::size_t analysis,
                             const Control&);

}  // namespace cardan
