#pragma once
// An equation by a formula of measures y(q) (FormulaChain), as a constraint pool of one element.
// With F's derivatives along y, with w = (1, y') the direction in which (t, y) move, and with
// y'' = y_q v' - g of each measure (its gamma is g),
//   phi = F(t, y):    phi_q = sum F_i y_i,q    nu = -F_t    gamma = sum F_i g_i - F_ww
// and where the formula uses rates, an equation at velocity level, linear in them:
//   G(t, y, y') = 0:  phi_q = sum G_i' y_i,q   nu = -G(t, y, 0)   gamma = sum G_i' g_i - G_w
// with G_i' the derivative to the rate of measure i. Further products follow by the chain rule:
//   (phi_q a)_q = sum F_i (y_i,q a)_q + sum_j F_aj y_j,q
//   gamma_q = sum F_i g_i,q + sum_j (F_gj - F_wwj) y_j,q - 2 sum_j F_wj (y_j,q v)_q
//   gamma_v = sum F_i g_i,v - 2 sum_j F_wj y_j,q
// where F_aj is the derivative along y_q a and y_j, F_gj along g and y_j.
#include <memory>
#include <string>
#include <vector>

#include "cardan/element/constraint_set.h"
#include "cardan/element/formula/formula_chain.h"

namespace cardan {

// Measures: sets of one element with one equation each. velocity_level: the formula uses rates.
std::unique_ptr<ConstraintPool> make_formula_relation(
    int dimension,
    FormulaChain,
    std::vector<std::unique_ptr<const ConstraintSet>> measures,
    EquationLabel);

}  // namespace cardan
