#pragma once
// A formula of measures, and of other formulas that it names, with exact derivatives along
// directions in (t, y, y'). Every formula has the arguments [t, -, -, in0, in0', in1, in1', ...].
//
// With infinitesimals e_1, e_2, e_3 whose squares vanish, every argument is a sum over sets S of
// them, x = sum x_S e_S, and
//   f_S = sum over partitions {B_1, ..., B_p} of S of f^(p)(x_B1, ..., x_Bp),
// from the innermost formula outwards. The rate of a formula is its part along one more
// infinitesimal, along which t, y move with (1, y').
// Reference: Griewank, Walther, Evaluating Derivatives, 2nd ed. (2008), section 13.
#include <array>
#include <span>
#include <vector>

#include "cardan/element/formula/formula.h"
#include "cardan/math/expression.h"

namespace cardan {

class FormulaChain {
 public:
  struct Node {
    Expression formula;
    std::vector<int> inputs;  // signals: measures, then nodes before this one
  };

  // The last node is the result.
  FormulaChain(int measures, std::vector<Node> nodes);

  static constexpr int most_nodes = 32;

  int measures() const { return measures_; }

  bool uses_time() const;
  bool uses_rates() const;  // rate(...) of something

  bool uses(int measure) const { return used_[static_cast<std::size_t>(measure)]; }

  // rate(...) of a formula that itself uses rates: it would need accelerations.
  bool uses_second_rates() const;

  // A point (t, y, y'), or a direction in which it moves.
  struct Point {
    double t = 0;
    std::array<double, max_formula_inputs> y{}, rate{};
  };

  using Ways = std::array<const Point*, 3>;

  double value(const Point& at) const { return along(at, Ways{}); }

  double along(const Point& at, const Point& u) const { return along(at, Ways{&u}); }

  double along(const Point& at, const Point& u, const Point& v) const {
    return along(at, Ways{&u, &v});
  }

  // Of formulas without rates.
  double along(const Point& at, const Point& u, const Point& v, const Point& w) const {
    return along(at, Ways{&u, &v, &w});
  }

 private:
  struct Signals;

  double along(const Point& at, const Ways&) const;
  double part(const Node&, const Signals&, unsigned set) const;

  int measures_;
  std::vector<Node> nodes_;
  std::array<bool, max_formula_inputs> used_{};
  bool flows_ = false;  // some formula reads the rate of another
};

}  // namespace cardan
