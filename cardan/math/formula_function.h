#pragma once
// The formula behind a function of one variable, for those who must see the conditions in it.
#include "cardan/math/expression.h"

namespace cardan {

const Expression* formula_of(const Function&);  // null: not made by as_function

}  // namespace cardan
