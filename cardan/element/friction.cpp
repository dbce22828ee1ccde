#include "cardan/element/friction.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cardan/element/element_pool.h"

namespace cardan {

double FrictionLaw::coefficient(double speed) const {
  const double x = stribeck > 0 ? speed / stribeck : 0;
  const double mu = kinetic + (at_rest - kinetic) * std::exp(-x * x);
  return mu * std::tanh(speed / transition);
}

int FrictionSet::add(FrictionElement element) {
  if (dimension_ != 2) throw std::invalid_argument("only planar elements exist");
  elements_.push_back(std::move(element));
  return count() - 1;
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

}  // namespace

double FrictionSet::tangent(int k, const Motion& at, View d) const {
  const FrictionElement& e = element(k);
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

double FrictionSet::direction(int k, const Motion& at, View d) const {
  const double speed = tangent(k, at, d), share = -element(k).law.coefficient(speed);
  for (double& x : d) x *= share;
  return speed;
}

double FrictionSet::load(int k, CView lambda, View slopes) const {
  const FrictionElement& e = element(k);
  const auto multiplier = [&](std::size_t r) {
    return lambda[static_cast<std::size_t>(e.rows[r])];
  };
  if (e.load == FrictionElement::Load::normal) {
    slopes[0] = -e.sign;
    return -e.sign * multiplier(0);
  }
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
