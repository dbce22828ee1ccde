#include "cardan/element/contact/friction.h"

#include <algorithm>
#include <cmath>

#include "cardan/element/contact/friction_geometry.h"
#include "cardan/element/element_pool.h"

namespace cardan {

double FrictionLaw::sliding(double speed) const {
  return sliding_coefficient(*this, speed);
}

double FrictionLaw::coefficient(double speed) const {
  return friction_coefficient(*this, speed);
}

double FrictionLaw::per_speed(double speed) const {
  return friction_per_speed(*this, speed);
}

int FrictionSet::add(FrictionElement element) {
  elements_.push_back(std::move(element));
  return count() - 1;
}

bool FrictionSet::any_sticks() const {
  return std::any_of(
      elements_.begin(), elements_.end(), [](const auto& e) { return e.law.sticks(); });
}

int FrictionSet::ways(int k) const {
  return dimension_ == 3 ? spatial_ways(element(k)) : 1;
}

void FrictionSet::tangents(int k, const Motion& at, View d, View s) const {
  const FrictionElement& e = element(k);
  if (dimension_ == 3) {
    spatial_tangents(e, at, d, s);
    return;
  }
  const auto pose = poses_of<2>(at.config(), e.body);
  s[0] = planar_tangent<double>(e, pose, twists_of<2>(pose, at.v, e.body), d);
}

double FrictionSet::direction(int k, const Motion& at, const Sliding& sliding, View d) const {
  const auto n = static_cast<std::size_t>(dimension_ == 3 ? 12 : 6);
  const auto m = static_cast<std::size_t>(ways(k));
  std::array<double, std::size_t{most_sliding_components} * most_numbers> rows{};
  std::array<double, most_sliding_components> s{};
  tangents(k, at, View(rows).first(m * n), s);
  return friction_direction(element(k).law, sliding, m, n, rows.data(), s.data(), d.data());
}

Mat<3, 3> FrictionSet::frame(int k, const Config& at) const {
  if (dimension_ == 2) return Mat<3, 3>::Identity();
  const FrictionElement& e = element(k);
  return friction_frame(e, poses_of<3>(at, e.body));
}

double FrictionSet::load(int k, const Mat<3, 3>& frame, CView lambda, View slopes) const {
  const FrictionElement& e = element(k);
  const auto multiplier = [&](std::size_t r) {
    return lambda[static_cast<std::size_t>(e.rows[r])];
  };
  if (e.load == FrictionElement::Load::normal) {
    slopes[0] = -e.sign;
    return -e.sign * multiplier(0);
  }
  if (dimension_ == 3) return spatial_load(e, frame, lambda, slopes);
  if (e.load == FrictionElement::Load::edges) {
    const double force = multiplier(0), torque = multiplier(1);
    if (e.edge_distance == 0) {
      slopes[0] = force < 0 ? -1 : 1;
      slopes[1] = 0;
      return std::abs(force);
    }
    const double share = torque / e.edge_distance;
    const double far = 0.5 * force + share, near = 0.5 * force - share;
    const double far_sign = far < 0 ? -1 : 1, near_sign = near < 0 ? -1 : 1;
    slopes[0] = 0.5 * (far_sign + near_sign);
    slopes[1] = (far_sign - near_sign) / e.edge_distance;
    return std::abs(far) + std::abs(near);
  }
  double sum = 0;
  for (std::size_t r = 0; r < e.rows.size(); ++r) sum += multiplier(r) * multiplier(r);
  const double norm = std::sqrt(sum);
  for (std::size_t r = 0; r < e.rows.size(); ++r) slopes[r] = norm > 0 ? multiplier(r) / norm : 0;
  return norm;
}

}  // namespace cardan
