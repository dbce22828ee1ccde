#pragma once
// A planar element between bodies of space that move in the plane z = 0. A pose of space has the
// planar coordinates p = (x, y, theta), theta the direction of the body's x axis a = A e_x seen
// along z. With the angular velocity w and l = (-a_z a_x, -a_z a_y, a_x^2 + a_y^2)/(a_x^2 + a_y^2),
//   theta' = l.w,    phi_q = phi_p p_q,    gamma = gamma_planar(p') - phi_theta (l'.w)
// at constant v, where w is constant too.
#include "cardan/element/feature.h"
#include "cardan/math/elementary.h"

namespace cardan {

template <class E> struct FromPlane {
  static constexpr int D = 3, rows = E::rows, sides = E::sides;
  std::array<int, sides> body{};
  E planar;
  double scale = 1;

  using Poses = std::array<Pose<3>, sides>;
  using Twists = std::array<Twist<3>, sides>;

  double size() const { return scale; }

  Vec<rows> phi(const Poses& poses) const { return planar.phi(flat(poses)); }

  std::array<Mat<rows, 6>, sides> phi_q(const Poses& poses) const {
    const auto phi_p = planar.phi_q(flat(poses));
    std::array<Mat<rows, 6>, sides> out;
    for (std::size_t s = 0; s < sides; ++s) {
      out[s].setZero();
      out[s].template leftCols<2>() = phi_p[s].template leftCols<2>();
      out[s].template rightCols<3>() =
          phi_p[s].col(2) * (turning(poses[s]).transpose() * poses[s].A);
    }
    return out;
  }

  Vec<rows> gamma(const Poses& poses, const Twists& v) const {
    const auto p = flat(poses);
    std::array<Twist<2>, sides> rates;
    for (std::size_t s = 0; s < sides; ++s)
      rates[s] = {v[s].u.template head<2>(), turning(poses[s]).dot(v[s].w)};
    Vec<rows> out = planar.gamma(p, rates);
    const auto phi_p = planar.phi_q(p);
    for (std::size_t s = 0; s < sides; ++s)
      out -= phi_p[s].col(2) * turning_rate(poses[s], v[s].w).dot(v[s].w);
    return out;
  }

 private:
  static std::array<Pose<2>, sides> flat(const Poses& poses) {
    std::array<Pose<2>, sides> out;
    for (std::size_t s = 0; s < sides; ++s) {
      const Vec<2> a = poses[s].A.template topLeftCorner<2, 1>().normalized();
      out[s] = {poses[s].r.template head<2>(), a.x(), a.y(), elementary::atan2(a.y(), a.x())};
    }
    return out;
  }

  static Vec<3> turning(const Pose<3>& pose) {  // l
    const Vec<3> a = pose.A.col(0);
    const double b = a.z() / (a.x() * a.x() + a.y() * a.y());
    return {-b * a.x(), -b * a.y(), 1};
  }

  static Vec<3> turning_rate(const Pose<3>& pose, const Vec<3>& w) {  // l'
    const Vec<3> a = pose.A.col(0), da = w.cross(a);
    const double square = a.x() * a.x() + a.y() * a.y();
    const double b = a.z() / square;
    const double db = da.z() / square - 2 * b * (a.x() * da.x() + a.y() * da.y()) / square;
    return {-db * a.x() - b * da.x(), -db * a.y() - b * da.y(), 0};
  }
};

}  // namespace cardan
