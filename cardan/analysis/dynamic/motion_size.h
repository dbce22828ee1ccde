#pragma once
// The absolute tolerance follows the size of the motion, where it has its usual share of the relative
// one: a vibration of a micrometre would be no larger than a hundred of it. With s the largest speed
// and the largest way from the start so far (m, rad, m/s and rad/s alike)
//   atol = min(1, s / large) usual,    large = 0.01,
// and not less than what round-off leaves of states, 1e-14 and 8 eps x w for positions of size x and
// the fastest rate w. At the start s is what speeds and accelerations there will grow to. Where
// nothing moves but round-off, atol begins at what a noise of it is followed with, and grows with the
// motion that comes.
#include <vector>

#include "cardan/formulation/formulation.h"

namespace cardan {

class MotionSize {
 public:
  void begin(const System&, const std::vector<char>& active, const State&, double usual);

  bool step(const State&);  // an accepted step; true: atol has grown

  double atol() const { return atol_; }

  void serialize(Archive&);

 private:
  double wanted() const;

  double usual_ = 0, least_ = 0;
  double size_ = 1, atol_ = 0;
  std::vector<double> start_;  // positions; empty: the motion is large
};

}  // namespace cardan
