// Friction in space. The frame (f, g, h) of side 0 is f across, h along the axis; x_1 is the point
// of side 1. Unit tangents t at the place where the bodies touch give a force t on body 1, its
// opposite on body 0, both with their moments about the mass centres, in body axes.
//   shift         x_1, t = h                      turn    torques radius h
//   line          x_1 - radius h, t = f, g        twist   shift and turn
//   circle        x_0 + radius n, n = (x_1 - x_0)/|x_1 - x_0|, t any two across n
//   barrel        foot of x_1 on the axis + radius n, n away from it, t = h, h x n
//   ball          torques radius e_x, radius e_y, radius e_z
// Where n is undefined (centres that coincide) any direction is taken: nothing is loaded there.
//
// Loads. The equations of a hinge and a ball joint hold x_1 - x_0 in ground axes, so their
// multipliers are the components of the reaction; those of slides are its components along f and g.
// Then follow the moments about f, g and, for slides that do not turn, h. With the part F of the
// force across the axis and the part M of the moment,
//   edges   |F/2 + M x h/L| + |F/2 - M x h/L| + 2 |M_h|/width,   |F| without L
//   thrust  |F_h|                                                 norm   |F| of all three
#include <cmath>

#include "cardan/element/element_pool.h"
#include "cardan/element/friction.h"
#include "cardan/element/maker.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

using Slide = FrictionElement::Slide;

struct Place {  // where the bodies touch and the tangents there; some are torques
  Vec<3> at;
  std::array<Vec<3>, 3> tangent;
  std::array<bool, 3> turns{};
};

Vec<3> unit_or(const Vec<3>& x, const Vec<3>& otherwise) {
  const double size = x.norm();
  return size > 0 ? Vec<3>(x / size) : otherwise;
}

Place place_of(const FrictionElement& e, const std::array<Pose<3>, 2>& pose) {
  const EndFrame own({e.body[0], e.point[0], e.axis, e.across});
  const Vec<3> f = arm(pose[0], own.f), g = arm(pose[0], own.g), h = arm(pose[0], own.h);
  const Vec<3> x_0 = pose[0].r + arm(pose[0], e.point[0]),
               x_1 = pose[1].r + arm(pose[1], e.point[1]);
  switch (e.slide) {
    case Slide::turn:
      return {x_1, {h * e.radius}, {true}};
    case Slide::shift:
      return {x_1, {h}, {}};
    case Slide::twist:
      return {x_1, {h, h * e.radius}, {false, true}};
    case Slide::ball: {
      const Mat<3, 3> axes = Mat<3, 3>::Identity() * e.radius;
      return {x_1, {axes.col(0), axes.col(1), axes.col(2)}, {true, true, true}};
    }
    case Slide::line:
      return {x_1 - e.radius * h, {f, g}, {}};
    case Slide::barrel: {
      const Vec<3> d = x_1 - x_0, foot = x_0 + h * h.dot(d), n = unit_or(x_1 - foot, f);
      return {foot + e.radius * n, {h, h.cross(n)}, {}};
    }
    case Slide::circle:
      break;
  }
  const Vec<3> n = unit_or(x_1 - x_0, h), t = any_perpendicular(n);
  return {x_0 + e.radius * n, {t, n.cross(t)}, {}};
}

// u and its length; zero where there is none.
Vec<2> unit(const Vec<2>& x, double& size) {
  size = x.norm();
  return size > 0 ? Vec<2>(x / size) : Vec<2>(0, 0);
}

}  // namespace

int spatial_ways(const FrictionElement& e) {
  switch (e.slide) {
    case Slide::turn:
    case Slide::shift:
      return 1;
    case Slide::ball:
      return 3;
    default:
      return 2;
  }
}

void spatial_tangents(const FrictionElement& e, const Motion& at, View d, View s) {
  const auto pose = poses_of<3>(at.config(), e.body);
  const auto twist = twists_of<3>(pose, at.v, e.body);
  const Place place = place_of(e, pose);
  for (std::size_t c = 0; c < static_cast<std::size_t>(spatial_ways(e)); ++c) {
    s[c] = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Vec<3> t = i == 0 ? Vec<3>(-place.tangent[c]) : place.tangent[c],
                   F = place.turns[c] ? Vec<3>::Zero() : t;
      const Vec<3> M = place.turns[c] ? t : Vec<3>((place.at - pose[i].r).cross(F));
      s[c] += F.dot(twist[i].u) + M.dot(twist[i].w);
      Eigen::Map<Vec<3>>(d.data() + 12 * c + 6 * i) = F;
      Eigen::Map<Vec<3>>(d.data() + 12 * c + 6 * i + 3) = pose[i].A.transpose() * M;
    }
  }
}

double spatial_load(const FrictionElement& e, const Mat<3, 3>& frame, CView lambda, View slopes) {
  const auto multiplier = [&](std::size_t r) {
    return lambda[static_cast<std::size_t>(e.rows[r])];
  };
  for (std::size_t r = 0; r < e.rows.size(); ++r) slopes[r] = 0;
  const bool whole = e.meaning == FrictionElement::Rows::force_and_moment;
  const Vec<3> force = whole ? Vec<3>(multiplier(0), multiplier(1), multiplier(2))
                             : Vec<3>(frame.leftCols<2>() * Vec<2>(multiplier(0), multiplier(1)));
  if (e.load == FrictionElement::Load::norm) {
    const double size = force.norm();
    for (int r = 0; r < 3 && size > 0; ++r) slopes[static_cast<std::size_t>(r)] = force[r] / size;
    return size;
  }
  if (e.load == FrictionElement::Load::thrust) {
    const Vec<3> h = frame.col(2);
    const double along = h.dot(force), sign = along < 0 ? -1 : 1;
    for (int r = 0; r < 3; ++r) slopes[static_cast<std::size_t>(r)] = sign * h[r];
    return std::abs(along);
  }
  const std::size_t moments = whole ? 3 : 2;
  const Vec<2> F = frame.leftCols<2>().transpose() * force;
  Vec<2> tilt(0, 0);
  if (e.edge_distance > 0)
    tilt = Vec<2>(multiplier(moments + 1), -multiplier(moments)) / e.edge_distance;
  double far = 0, near = 0;
  const Vec<2> u_far = unit(0.5 * F + tilt, far), u_near = unit(0.5 * F - tilt, near);
  const Vec<2> to_force = 0.5 * (u_far + u_near);
  if (whole) {
    const Vec<3> to_ground = frame.leftCols<2>() * to_force;
    for (int r = 0; r < 3; ++r) slopes[static_cast<std::size_t>(r)] = to_ground[r];
  } else {
    slopes[0] = to_force[0];
    slopes[1] = to_force[1];
  }
  if (e.edge_distance > 0) {
    const Vec<2> to_tilt = (u_far - u_near) / e.edge_distance;
    slopes[moments] = -to_tilt[1];
    slopes[moments + 1] = to_tilt[0];
  }
  double torsion = 0;
  if (e.width > 0) {
    const double moment = multiplier(moments + 2);
    torsion = 2 * std::abs(moment) / e.width;
    slopes[moments + 2] = (moment < 0 ? -2 : 2) / e.width;
  }
  return far + near + torsion;
}

}  // namespace cardan
