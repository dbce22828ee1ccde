#include "cardan/ode/runge_kutta/order_conditions.h"

#include <cmath>

namespace cardan {

namespace {

constexpr double condition_round_off = 5e-14;  // a condition that is met
constexpr int highest_checked = 8;

}  // namespace

std::vector<RootedTree> rooted_trees(int most_nodes) {
  std::vector<RootedTree> trees{{}};
  for (int nodes = 2; nodes <= most_nodes; ++nodes) {
    const int smaller = static_cast<int>(trees.size());
    std::vector<int> chosen;
    auto choose = [&](auto&& self, int left, int limit) -> void {
      if (left == 0) {
        RootedTree t{chosen, nodes, static_cast<double>(nodes)};
        for (const int c : chosen) t.density *= trees[static_cast<std::size_t>(c)].density;
        trees.push_back(t);
        return;
      }
      for (int c = limit; c >= 0; --c) {
        const int size = trees[static_cast<std::size_t>(c)].nodes;
        if (size > left) continue;
        chosen.push_back(c);
        self(self, left - size, c);
        chosen.pop_back();
      }
    };
    choose(choose, nodes - 1, smaller - 1);
  }
  return trees;
}

std::vector<Tableau::Row> elementary_weights(const std::vector<RootedTree>& trees,
                                             const std::array<Tableau::Row, Tableau::most>& a,
                                             int stages) {
  std::vector<Tableau::Row> phi(trees.size());
  for (std::size_t k = 0; k < trees.size(); ++k) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(stages); ++i) {
      phi[k][i] = 1;
      for (const int c : trees[k].children) {
        double sum = 0;
        for (std::size_t j = 0; j < i; ++j) sum += a[i][j] * phi[static_cast<std::size_t>(c)][j];
        phi[k][i] *= sum;
      }
    }
  }
  return phi;
}

int order_of_weights(const std::vector<RootedTree>& trees,
                     const std::vector<Tableau::Row>& phi,
                     const Tableau::Row& b,
                     int stages,
                     double s) {
  for (std::size_t k = 0; k < trees.size(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(stages); ++i) sum += b[i] * phi[k][i];
    double power = 1;
    for (int n = 0; n < trees[k].nodes; ++n) power *= s;
    if (std::abs(sum - power / trees[k].density) > condition_round_off) {
      return trees[k].nodes - 1;
    }
  }
  return trees.back().nodes;
}

int order_of_weights(const Tableau& m, const Tableau::Row& b) {
  const auto trees = rooted_trees(highest_checked);
  return order_of_weights(trees, elementary_weights(trees, m.a, m.stages), b, m.stages);
}

}  // namespace cardan
