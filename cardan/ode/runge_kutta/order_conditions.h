#pragma once
// Order conditions of Runge-Kutta methods (Butcher). A method has order p when
//   sum_i b_i Phi_i(t) = 1/gamma(t)
// for every rooted tree t of at most p nodes, where, with the trees t_1, t_2, ... left when the root
// is taken away,
//   Phi_i(t) = product over m of sum_j a_ij Phi_j(t_m),   gamma(t) = nodes(t) product gamma(t_m).
// A dense output b_i(s) has order p when sum_i b_i(s) Phi_i(t) = s^nodes/gamma(t).
// Reference: Hairer, Norsett & Wanner, Solving ODEs I (1993), II.2.
#include <array>
#include <vector>

#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {

struct RootedTree {
  std::vector<int> children;  // indices of earlier trees, descending
  int nodes = 1;
  double density = 1;  // gamma
};

// All of at most this many nodes, by their number.
std::vector<RootedTree> rooted_trees(int most_nodes);

// Phi_i of each tree.
std::vector<Tableau::Row> elementary_weights(const std::vector<RootedTree>&,
                                             const std::array<Tableau::Row, Tableau::most>& a,
                                             int stages);

// The highest order for which these weights meet all conditions, as far as the trees go.
int order_of_weights(const std::vector<RootedTree>&,
                     const std::vector<Tableau::Row>& phi,
                     const Tableau::Row& b,
                     int stages,
                     double s = 1);

// Of the weights b with the coefficients of a tableau, up to order 8.
int order_of_weights(const Tableau&, const Tableau::Row& b);

}  // namespace cardan
