#pragma once
// A Butcher array from a file, checked:
//
//   name = "mine"                     # optional
//   c = [0, "1/2", 1]
//   a = [[], ["1/2"], [-1, 2]]        # row i has i - 1 numbers: the method is explicit
//   b = ["1/6", "2/3", "1/6"]
//   b_embedded = [0, 1, 0]            # optional: the difference to b estimates the error
//   order = 3                         # optional: what it is believed to be
//
// Numbers may be formulas in quotes. The order is found from the order conditions
// (ode/runge_kutta/order_conditions.h); a row whose sum is not c_i, and weights that give another order than the
// one stated, are faults.
#include <filesystem>
#include <string>

#include "cardan/base/result.h"
#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {

struct NamedTableau {
  std::string name;  // of the tableau too, which only refers to it
  Tableau tableau;
};

Result<NamedTableau> read_tableau(const std::filesystem::path&);
Result<NamedTableau> read_tableau_text(const std::string& text, const std::string& file);

}  // namespace cardan
