// Contact of two convex curves through their support functions. F(q, psi) = n.d - h_i - h_j is the
// gap seen along n; the largest over psi is the distance, or minus the depth of penetration.
#include "cardan/element/planar/planar_cam.h"

#include "cardan/element/safe_newton.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

constexpr int directions_tried = 64;
constexpr double spacing = 2 * std::numbers::pi / directions_tried;

}  // namespace

double CamContact::local_angle(const Poses& poses, int side, double psi) const {
  const double outward = side == 0 ? psi : psi + std::numbers::pi;
  return outward - poses[side].angle - axis_angle[side];
}

CamContact::Contact CamContact::at(const Poses& poses, double psi) const {
  Contact c;
  c.psi = psi;
  c.n = vec2(elementary::cos(psi), elementary::sin(psi));
  for (int i = 0; i < 2; ++i) {
    c.p[i] = arm(poses[i], s[i]);
    c.h[i] = support[i]->at(local_angle(poses, i, psi));
  }
  c.d = poses[1].r + c.p[1] - poses[0].r - c.p[0];
  return c;
}

double CamContact::coarse_direction(const Poses& poses, const Vec<2>& d) const {
  // Directions count from side 0, so that the answer turns with the mechanism.
  double best = 0, largest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < directions_tried; ++k) {
    const double psi = poses[0].angle + k * spacing;
    const double gap = elementary::cos(psi) * d.x() + elementary::sin(psi) * d.y() -
                       support[0]->coarse(local_angle(poses, 0, psi)) -
                       support[1]->coarse(local_angle(poses, 1, psi));
    if (gap > largest) {
      largest = gap;
      best = psi;
    }
  }
  return best;
}

CamContact::Contact CamContact::solve(const Poses& poses) const {
  const Vec<2> d = poses[1].r + arm(poses[1], s[1]) - poses[0].r - arm(poses[0], s[0]);
  const double start = coarse_direction(poses, d);
  const auto slope = [&](double psi) {
    const Contact c = at(poses, psi);
    return ValueSlope{c.slope(), c.curvature()};
  };
  // The largest gap lies next to the best sample; the table is coarse, so the bracket may need to
  // grow.
  double a = start - spacing, b = start + spacing;
  for (int i = 0; i < 4 && slope(a).value < 0; ++i) a -= spacing;
  for (int i = 0; i < 4 && slope(b).value > 0; ++i) b += spacing;
  return at(poses, safe_newton(slope, a, b, start));
}

Vec<1> CamContact::phi(const Poses& poses) const {
  const Contact c = solve(poses);
  return Vec<1>(c.n.dot(c.d) - c.h[0].f - c.h[1].f);
}

std::array<Mat<1, 3>, 2> CamContact::phi_q(const Poses& poses) const {
  const Contact c = solve(poses);
  std::array<Mat<1, 3>, 2> out;
  for (int i = 0; i < 2; ++i) {
    const double sign = i == 0 ? -1 : 1;
    out[i] << sign * c.n.x(), sign * c.n.y(), sign * c.n.dot(perp(c.p[i])) + c.h[i].d;
  }
  return out;
}

// -(F_qq v v - (F_psi_q v)^2 / F_psi_psi).
Vec<1> CamContact::gamma(const Poses& poses, const Twists& v) const {
  const Contact c = solve(poses);
  const Vec<2> d_rate = v[1].u + cross(v[1].w, c.p[1]) - v[0].u - cross(v[0].w, c.p[0]);
  double bending = 0, F_psi_q = perp(c.n).dot(d_rate);
  for (int i = 0; i < 2; ++i) {
    const double sign = i == 0 ? -1 : 1, w = v[i].w;
    bending -= (sign * c.n.dot(c.p[i]) + c.h[i].dd) * w * w;
    F_psi_q += c.h[i].dd * w;
  }
  return Vec<1>(-(bending - F_psi_q * F_psi_q / c.curvature()));
}

}  // namespace cardan
