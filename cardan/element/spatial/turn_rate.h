#pragma once
// Component of the angular velocity of a body along a direction: an equation at velocity level, for
// initial conditions. With the direction a of the ground or b of the body,
//   phi_q v = a.A omega   or   b.omega,    gamma = 0   (A omega and omega are constant with v).
#include "cardan/element/feature.h"

namespace cardan {

struct TurnRate {
  static constexpr int D = 3, rows = 1, sides = 2;
  static constexpr bool velocity_level = true;
  std::array<int, 2> body{};
  Vec<3> direction;
  bool in_body = false;

  using Poses = std::array<Pose<3>, 2>;
  using Twists = std::array<Twist<3>, 2>;

  double size() const { return 1; }

  Vec<1> phi(const Poses&) const { return Vec<1>::Zero(); }

  std::array<Mat<1, 6>, 2> phi_q(const Poses& poses) const {
    std::array<Mat<1, 6>, 2> out{Mat<1, 6>::Zero(), Mat<1, 6>::Zero()};
    out[1].tail<3>() =
        in_body ? direction.transpose().eval() : (direction.transpose() * poses[1].A).eval();
    return out;
  }

  Vec<1> gamma(const Poses&, const Twists&) const { return Vec<1>::Zero(); }
};

}  // namespace cardan
