#include "cardan/element/friction.h"

#include <algorithm>
#include <cmath>

#include "cardan/element/element_pool.h"
#include "cardan/element/maker.h"

namespace cardan {

double FrictionLaw::coefficient(double speed) const {
  const double x = stribeck > 0 ? speed / stribeck : 0;
  const double mu = kinetic + (at_rest - kinetic) * std::exp(-x * x);
  return mu * std::tanh(speed / transition);
}

double FrictionLaw::per_speed(double speed) const {
  constexpr double small = 1e-5;  // of the transition: tanh(u)/u = 1 - u^2/3 ...
  if (std::abs(speed) > small * transition) return coefficient(speed) / speed;
  const double u = speed / transition;
  return at_rest * (1 - u * u / 3) / transition;
}

int FrictionSet::add(FrictionElement element) {
  elements_.push_back(std::move(element));
  return count() - 1;
}

int FrictionSet::ways(int k) const {
  return dimension_ == 3 ? spatial_ways(element(k)) : 1;
}

namespace {

struct Touch {  // where the bodies slide on each other, and which way
  Vec<2> place, tangent;
};

Touch touch_of(const FrictionElement& e, const std::array<Pose<2>, 2>& pose) {
  const Vec<2> x_1 = pose[1].r + arm(pose[1], Vec<2>(e.point[1].head<2>()));
  if (e.slide == FrictionElement::Slide::circle) {
    const Vec<2> x_0 = pose[0].r + arm(pose[0], Vec<2>(e.point[0].head<2>()));
    const Vec<2> n = (x_1 - x_0).normalized();
    return {x_0 + e.radius * n, perp(n)};
  }
  const Vec<2> a = arm(pose[0], Vec<2>(e.axis.head<2>().normalized()));
  return {x_1 - e.radius * perp(a), a};
}

double planar_tangent(const FrictionElement& e, const Motion& at, View d) {
  const std::array<Pose<2>, 2> pose = poses_of<2>(at.config(), e.body);
  const std::array<Twist<2>, 2> twist = twists_of<2>(pose, at.v, e.body);
  if (e.slide == FrictionElement::Slide::turn) {
    std::fill(d.begin(), d.end(), 0.0);
    d[2] = -e.radius;
    d[5] = e.radius;
    return e.radius * (twist[1].w - twist[0].w);
  }
  const Touch touch = touch_of(e, pose);
  double speed = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    const Vec<2> lever = touch.place - pose[s].r,
                 F = s == 0 ? Vec<2>(-touch.tangent) : touch.tangent;
    speed += F.dot(twist[s].u + cross(twist[s].w, lever));
    d[3 * s] = F.x();
    d[3 * s + 1] = F.y();
    d[3 * s + 2] = lever.x() * F.y() - lever.y() * F.x();
  }
  return speed;
}

}  // namespace

void FrictionSet::tangents(int k, const Motion& at, View d, View s) const {
  if (dimension_ == 3)
    spatial_tangents(element(k), at, d, s);
  else
    s[0] = planar_tangent(element(k), at, d);
}

double FrictionSet::direction(int k, const Motion& at, View d) const {
  const auto n = static_cast<std::size_t>(dimension_ == 3 ? 12 : 6);
  const auto m = static_cast<std::size_t>(ways(k));
  std::array<double, std::size_t{most_ways} * most_numbers> rows{};
  std::array<double, most_ways> s{};
  tangents(k, at, View(rows).first(m * n), s);
  const FrictionLaw& law = element(k).law;
  if (m == 1) {
    const double share = -law.coefficient(s[0]);
    for (std::size_t i = 0; i < n; ++i) d[i] = share * rows[i];
    return s[0];
  }
  const double speed = Vec<3>(s[0], s[1], s[2]).norm(), share = -law.per_speed(speed);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = 0;
    for (std::size_t c = 0; c < m; ++c) d[i] += share * s[c] * rows[c * n + i];
  }
  return speed;
}

Mat<3, 3> FrictionSet::frame(int k, const Config& at) const {
  if (dimension_ == 2) return Mat<3, 3>::Identity();
  const FrictionElement& e = element(k);
  const EndFrame own({e.body[0], e.point[0], e.axis, e.across});
  const auto pose = poses_of<3>(at, e.body);
  Mat<3, 3> axes;
  axes << arm(pose[0], own.f), arm(pose[0], own.g), arm(pose[0], own.h);
  return axes;
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
