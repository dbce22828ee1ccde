#pragma once
// Where bodies slide on each other, which way and under which load, for any scalar T: double, or a
// dual number that differentiates it all (friction_slopes.h). The formulas of the plane are here,
// those of space too: see friction.h and the table in spatial_friction.cpp.
#include <array>
#include <cmath>
#include <span>

#include "cardan/element/contact/friction.h"
#include "cardan/element/maker.h"
#include "cardan/math/dual.h"
#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"

namespace cardan {

// ---- the law

template <class T> T friction_coefficient(const FrictionLaw& law, const T& speed) {
  using elementary::exp;
  using elementary::tanh;
  const T x = law.stribeck > 0 ? T(speed / law.stribeck) : T(0);
  const T mu = law.kinetic + (law.at_rest - law.kinetic) * exp(-x * x);
  return mu * tanh(speed / law.transition);
}

template <class T> T friction_per_speed(const FrictionLaw& law, const T& speed) {
  constexpr double small = 1e-5;  // of the transition: tanh(u)/u = 1 - u^2/3 ...
  if (std::abs(value_of(speed)) > small * law.transition)
    return friction_coefficient(law, speed) / speed;
  const T u = speed / law.transition;
  return law.at_rest * (1 - u * u / 3) / law.transition;
}

template <class T> T sliding_coefficient(const FrictionLaw& law, const T& speed) {
  using elementary::exp;
  if (law.at_rest == law.kinetic || law.stribeck == 0) return T(law.kinetic);
  const T x = speed / law.stribeck;
  return law.kinetic + (law.at_rest - law.kinetic) * exp(-x * x);
}

// Coulomb's law where it slides. A step may reach beyond the moment at which the sliding stops:
// there the force stays as it was, so that the equations are smooth up to the event. With u the
// direction at the last accepted step, the part of s against u is reversed; near s = 0 the direction
// is u.
template <class T>
T coulomb_direction(const FrictionLaw& law,
                    const Sliding& sliding,
                    std::size_t ways,
                    std::size_t n,
                    const T* rows,
                    const T* s,
                    T* d) {
  for (std::size_t i = 0; i < n; ++i) d[i] = T(0);
  const Vec<3, T> v(s[0], ways > 1 ? s[1] : T(0), ways > 2 ? s[2] : T(0));
  const T speed = v.norm();
  const T shown = ways == 1 ? s[0] : speed;
  const bool known = sliding.u.squaredNorm() > 0;
  if (sliding.mode != Sliding::slides || (!known && value_of(speed) <= law.still)) return shown;
  Vec<3, T> p = v;
  if (known && ways == 1) {
    p = sliding.u.template cast<T>();
  } else if (known) {
    const Vec<3, T> u = sliding.u.template cast<T>();
    const T along = v.dot(u);
    if (value_of(along) < 0) p -= 2 * along * u;
    p += law.still * u;
  }
  const T share = -sliding_coefficient(law, speed) / p.norm();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < ways; ++c)
      d[i] += share * p[static_cast<Eigen::Index>(c)] * rows[c * n + i];
  return shown;
}

// The force per unit of load from the components of sliding s and their gradients, n numbers each;
// returns the speed.
template <class T>
T friction_direction(const FrictionLaw& law,
                     const Sliding& sliding,
                     std::size_t ways,
                     std::size_t n,
                     const T* rows,
                     const T* s,
                     T* d) {
  if (law.sticks()) return coulomb_direction(law, sliding, ways, n, rows, s, d);
  if (ways == 1) {
    const T share = -friction_coefficient(law, s[0]);
    for (std::size_t i = 0; i < n; ++i) d[i] = share * rows[i];
    return s[0];
  }
  const T speed = Vec<3, T>(s[0], s[1], s[2]).norm(), share = -friction_per_speed(law, speed);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = T(0);
    for (std::size_t c = 0; c < ways; ++c) d[i] += share * s[c] * rows[c * n + i];
  }
  return speed;
}

// ---- in the plane

template <class T> struct PlanarTouch {  // where the bodies slide on each other, and which way
  Vec<2, T> place, tangent;
};

template <class T>
PlanarTouch<T> touch_of(const FrictionElement& e, const std::array<Pose<2, T>, 2>& pose) {
  const Vec<2, T> x_1 = pose[1].r + arm(pose[1], Vec<2>(e.point[1].head<2>()));
  if (e.slide == FrictionElement::Slide::circle) {
    const Vec<2, T> x_0 = pose[0].r + arm(pose[0], Vec<2>(e.point[0].head<2>()));
    const Vec<2, T> n = (x_1 - x_0).normalized();
    return {x_0 + e.radius * n, perp(n)};
  }
  const Vec<2, T> a = arm(pose[0], Vec<2>(e.axis.head<2>().normalized()));
  return {x_1 - e.radius * perp(a), a};
}

template <class T>
T planar_tangent(const FrictionElement& e,
                 const std::array<Pose<2, T>, 2>& pose,
                 const std::array<Twist<2, T>, 2>& twist,
                 std::span<T> d) {
  if (e.slide == FrictionElement::Slide::turn) {
    std::fill(d.begin(), d.end(), T(0));
    d[2] = T(-e.radius);
    d[5] = T(e.radius);
    return e.radius * (twist[1].w - twist[0].w);
  }
  const PlanarTouch<T> touch = touch_of(e, pose);
  T speed = T(0);
  for (std::size_t s = 0; s < 2; ++s) {
    const Vec<2, T> lever = touch.place - pose[s].r,
                    F = s == 0 ? Vec<2, T>(-touch.tangent) : touch.tangent;
    speed += F.dot(twist[s].u + cross(twist[s].w, lever));
    d[3 * s] = F.x();
    d[3 * s + 1] = F.y();
    d[3 * s + 2] = lever.x() * F.y() - lever.y() * F.x();
  }
  return speed;
}

// ---- in space

template <class T> struct SpatialTouch {  // where the bodies touch and the tangents there
  Vec<3, T> at;
  std::array<Vec<3, T>, 3> tangent;
  std::array<bool, 3> turns{};  // those that are torques
};

template <class T> Vec<3, T> unit_or(const Vec<3, T>& x, const Vec<3, T>& otherwise) {
  const T size = x.norm();
  return size > T(0) ? Vec<3, T>(x / size) : otherwise;
}

// A direction across n, as any_perpendicular chooses it, with its derivatives.
template <class T> Vec<3, T> across(const Vec<3, T>& n) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(value_of(n[k])) < std::abs(value_of(n[least]))) least = k;
  const Vec<3> axis = Vec<3>::Unit(least);
  return Vec<3, T>(n.cross(Vec<3, T>(axis.template cast<T>()))).normalized();
}

template <class T>
Mat<3, 3, T> friction_frame(const FrictionElement& e, const std::array<Pose<3, T>, 2>& pose) {
  const EndFrame own({e.body[0], e.point[0], e.axis, e.across});
  Mat<3, 3, T> axes;
  axes << arm(pose[0], own.f), arm(pose[0], own.g), arm(pose[0], own.h);
  return axes;
}

template <class T>
SpatialTouch<T> touch_of(const FrictionElement& e, const std::array<Pose<3, T>, 2>& pose) {
  using Slide = FrictionElement::Slide;
  const Mat<3, 3, T> frame = friction_frame(e, pose);
  const Vec<3, T> f = frame.col(0), g = frame.col(1), h = frame.col(2), o = Vec<3, T>::Zero();
  const Vec<3, T> x_0 = pose[0].r + arm(pose[0], e.point[0]),
                  x_1 = pose[1].r + arm(pose[1], e.point[1]);
  switch (e.slide) {
    case Slide::turn:
      return {x_1, {h * e.radius, o, o}, {true}};
    case Slide::shift:
      return {x_1, {h, o, o}, {}};
    case Slide::twist:
      return {x_1, {h, h * e.radius, o}, {false, true}};
    case Slide::ball: {
      const Mat<3, 3, T> axes = Mat<3, 3, T>::Identity() * e.radius;
      return {x_1, {axes.col(0), axes.col(1), axes.col(2)}, {true, true, true}};
    }
    case Slide::line:
      return {x_1 - e.radius * h, {f, g, o}, {}};
    case Slide::barrel: {
      const Vec<3, T> d = x_1 - x_0, foot = x_0 + h * h.dot(d);
      const Vec<3, T> n = unit_or(Vec<3, T>(x_1 - foot), f);
      return {foot + e.radius * n, {h, h.cross(n), o}, {}};
    }
    case Slide::circle:
      break;
  }
  const Vec<3, T> n = unit_or(Vec<3, T>(x_1 - x_0), h), t = across(n);
  return {x_0 + e.radius * n, {t, n.cross(t), o}, {}};
}

template <class T>
void spatial_tangents(const FrictionElement& e,
                      std::size_t ways,
                      const std::array<Pose<3, T>, 2>& pose,
                      const std::array<Twist<3, T>, 2>& twist,
                      std::span<T> d,
                      std::span<T> s) {
  const SpatialTouch<T> place = touch_of(e, pose);
  for (std::size_t c = 0; c < ways; ++c) {
    s[c] = T(0);
    for (std::size_t i = 0; i < 2; ++i) {
      const Vec<3, T> t = i == 0 ? Vec<3, T>(-place.tangent[c]) : place.tangent[c],
                      F = place.turns[c] ? Vec<3, T>(Vec<3, T>::Zero()) : t;
      const Vec<3, T> M = place.turns[c] ? t : Vec<3, T>((place.at - pose[i].r).cross(F));
      s[c] += F.dot(twist[i].u) + M.dot(twist[i].w);
      Eigen::Map<Vec<3, T>>(d.data() + 12 * c + 6 * i) = F;
      Eigen::Map<Vec<3, T>>(d.data() + 12 * c + 6 * i + 3) = pose[i].A.transpose() * M;
    }
  }
}

// u and its length; zero where there is none.
template <class T> Vec<2, T> unit_of(const Vec<2, T>& x, T& size) {
  size = x.norm();
  return size > T(0) ? Vec<2, T>(x / size) : Vec<2, T>(T(0), T(0));
}

// The load in space and its slopes to the multipliers.
template <class T>
T spatial_load(const FrictionElement& e,
               const Mat<3, 3, T>& frame,
               CView lambda,
               std::span<T> slopes) {
  using std::abs;
  const auto multiplier = [&](std::size_t r) {
    return T(lambda[static_cast<std::size_t>(e.rows[r])]);
  };
  for (std::size_t r = 0; r < e.rows.size(); ++r) slopes[r] = T(0);
  const bool whole = e.meaning == FrictionElement::Rows::force_and_moment;
  const Vec<3, T> force =
      whole ? Vec<3, T>(multiplier(0), multiplier(1), multiplier(2))
            : Vec<3, T>(frame.template leftCols<2>() * Vec<2, T>(multiplier(0), multiplier(1)));
  if (e.load == FrictionElement::Load::norm) {
    const T size = force.norm();
    for (int r = 0; r < 3 && size > T(0); ++r)
      slopes[static_cast<std::size_t>(r)] = force[r] / size;
    return size;
  }
  if (e.load == FrictionElement::Load::thrust) {
    const Vec<3, T> h = frame.col(2);
    const T along = h.dot(force);
    const double sign = along < T(0) ? -1 : 1;
    for (int r = 0; r < 3; ++r) slopes[static_cast<std::size_t>(r)] = sign * h[r];
    return abs(along);
  }
  const std::size_t moments = whole ? 3 : 2;
  const Vec<2, T> F = frame.template leftCols<2>().transpose() * force;
  Vec<2, T> tilt(T(0), T(0));
  if (e.edge_distance > 0)
    tilt = Vec<2, T>(multiplier(moments + 1), -multiplier(moments)) / T(e.edge_distance);
  T far = T(0), near = T(0);
  const Vec<2, T> u_far = unit_of(Vec<2, T>(0.5 * F + tilt), far),
                  u_near = unit_of(Vec<2, T>(0.5 * F - tilt), near);
  const Vec<2, T> to_force = 0.5 * (u_far + u_near);
  if (whole) {
    const Vec<3, T> to_ground = frame.template leftCols<2>() * to_force;
    for (int r = 0; r < 3; ++r) slopes[static_cast<std::size_t>(r)] = to_ground[r];
  } else {
    slopes[0] = to_force[0];
    slopes[1] = to_force[1];
  }
  if (e.edge_distance > 0) {
    const Vec<2, T> to_tilt = (u_far - u_near) / T(e.edge_distance);
    slopes[moments] = -to_tilt[1];
    slopes[moments + 1] = to_tilt[0];
  }
  T torsion = T(0);
  if (e.width > 0) {
    const T moment = multiplier(moments + 2);
    torsion = 2 * abs(moment) / e.width;
    slopes[moments + 2] = T((moment < T(0) ? -2 : 2) / e.width);
  }
  return far + near + torsion;
}

}  // namespace cardan
