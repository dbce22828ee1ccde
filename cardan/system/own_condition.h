#pragma once
// How near constraints on coordinates of one's own are to a pose in which they depend on each other,
// in a measure that knows neither masses nor units:
//   A_ij = J_ij s_j / b_i       s_j: size of coordinate j; 1 for angles and numbers without unit
//   b_i  = largest |(J_ij s_j)_j| in the given pose and in some beside it
//   condition = 4 min_i 1 / ((A A^T)^-1)_ii       four times the least squared distance of a row from
//                                                  what the others span; 1 at most
// It falls like d^2 at distance d from such a pose, as the weakest pivot of a mechanism does
// (loop_condition.h): where gradients become parallel, and where one of them vanishes.
// Residuals are compared with lengths: where some formula changes by much less than the size of the
// coordinates, there is no measure.
#include <memory>
#include <vector>

#include "cardan/system/saddle.h"
#include "cardan/system/system.h"

namespace cardan {

class MotionSolver;

class OwnCondition {
 public:
  explicit OwnCondition(const System&);

  void activate(const std::vector<char>& active) { active_ = active; }

  // Whether there is a measure: constraints of positions, and not too many of them.
  static bool measures(const System&);

  struct Weakest {
    double condition = 1;
    int row = -1;
  };

  Weakest measure(CView packed);

  bool known() const { return known_; }

  double violation(CView phi) const;  // the largest |phi_i| / b_i

 private:
  void take_sizes(const System&);

  const Equations& equations_;
  std::vector<char> active_;
  std::vector<double> size_, bound_;  // s and b
  bool known_ = true;
};

// The solver of such equations: the whole saddle-point matrix, with this measure as its health.
std::unique_ptr<SaddleSolver> with_condition(std::unique_ptr<SaddleSolver>, const System&);

// Whether min_pivot_ratio() tells how near a singular pose is: as a pivot of S, or by this measure.
bool tells_distance(const MotionSolver&);

}  // namespace cardan
