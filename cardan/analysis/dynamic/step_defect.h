#pragma once
// Steps of given length that are too long for the motion. No method tells its error there, energy and
// constraints may be kept while the motion falls behind (trapezoidal rule, Newmark, verlet), so that
// the states themselves are asked. With q' of five states at equal distances h
//   D = q_4 - q_0 - 2h/45 (7 q'_0 + 32 q'_1 + 12 q'_2 + 32 q'_3 + 7 q'_4)        (Boole's rule)
// is what the method's own errors of four steps leave, but for (8/945) h^7 q^(7). The sum of |D|, which
// the damping of the motion makes smaller again, tells how far the states may have left the motion; the
// largest is measured by the range of the coordinates, lengths and angles apart. Where violations of the
// constraints are fed back, what D holds of them does not add up and is taken out of it. Methods of higher order than `most_order` are better than the
// rule and are not judged. Neither are those of order 1, whose energy tells: the symplectic one of them has velocities
// that belong half a step beside, which does no harm.
#include <array>
#include <vector>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/archive.h"

namespace cardan {

class StepDefect {
 public:
  static constexpr int least_order = 2, most_order = 4;

  explicit StepDefect(const System&);

  // An accepted step of given length h; damping: the share by which deviations shrank in the last one;
  // feedback: the formulation where it feeds violations back, otherwise null.
  void step(const State&, double h, double damping, Formulation* feedback);
  void jump();  // the motion does not go on smoothly

  // The largest sum of errors so far, as a share of the range of its kind of coordinates.
  double share() const;

  void serialize(Archive&);

 private:
  static constexpr int points = 5;

  const System& system_;
  std::array<std::vector<double>, points> q_, rate_;
  std::array<double, points> t_{};
  int known_ = 0;  // of them
  long steps_ = 0;
  std::vector<double> sum_, largest_, least_, most_, defect_, increment_;
  std::vector<char> turns_;  // coordinates of a rotation
};

}  // namespace cardan
