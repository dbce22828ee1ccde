#pragma once
// The nearest point of a curve in space to a point y, with a frame (t, m_1, m_2) along the curve
// that does not turn about the tangent: m_k' = -kappa_k t over the arc length, so that t' = kappa_1
// m_1 + kappa_2 m_2. Then phi_k = m_k.(y - c) has the gradient m_k exactly, on and off the curve.
// After one round of a closed curve the frame has turned by an angle: there phi_1 and phi_2 are
// mixed, which changes neither what they hold nor the reaction.
// Frames are tabled. From a node's frame (a, m) on, the least rotation that takes a into t turns
// about t at the rate -(a x t).t' / (1 + a.t), which is integrated and taken back.
// Reference: R. L. Bishop, Amer. Math. Monthly 82 (1975) 246.
#include <vector>

#include "cardan/math/space_curve.h"

namespace cardan {

class SpaceCurveFoot {
 public:
  explicit SpaceCurveFoot(SpaceCurvePtr curve);  // of a curve without fault

  struct Foot {
    Vec<3> c, t;
    std::array<Vec<3>, 2> m;
    Vec<2> kappa, kappa_s;  // and derivatives to the arc length
  };

  // Open curves go on straight beyond their ends.
  Foot of(const Vec<3>& y) const;

 private:
  struct Node {
    double s;
    Vec<3> c, t, m;
  };

  int nodes() const { return static_cast<int>(nodes_.size()); }

  double parameter(int k) const;  // of a node; beyond the ends, of one a round on or back

  double nearest_parameter(const Vec<3>& y) const;
  Vec<3> carried(const Node& from, double s, const Vec<3>& t) const;  // m at s

  SpaceCurvePtr curve_;
  std::vector<Node> nodes_;  // at equal steps within each piece of the curve, both ends included
};

}  // namespace cardan
