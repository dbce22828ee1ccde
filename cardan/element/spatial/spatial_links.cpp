// Composite joints of space: massless links with a joint at each end, and points on surfaces. The
// link keeps the shape that it has in the given pose. a = h_i.h_j, d = x_j - x_i:
//   spherical-spherical   |d|
//   revolute-spherical    |d|, h_i.d
//   revolute-revolute     |d|, h_i.d, h_j.d, a
//                         axes parallel: |d|, h_i.d, parallel axes
//   revolute-cylindrical  a, d.(h_i - a h_j), h_i.(d x h_j)
//                         axes parallel: their distance, parallel axes
// Axes that meet, or whose common plane holds d, leave the equations of revolute-revolute
// dependent.
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/type_parts.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

constexpr double parallel_sine = 1e-6;  // axes of a smaller angle count as parallel

struct LinkPose {  // in ground axes, in the given pose
  Vec<3> h_i, h_j, d;

  LinkPose(const ElementSpec& spec, CView q) {
    const auto pose = poses_of<3>({0, q}, std::array{spec.ends[0].body, spec.ends[1].body});
    h_i = arm(pose[0], EndFrame(spec.ends[0]).h);
    h_j = arm(pose[1], EndFrame(spec.ends[1]).h);
    d = pose[1].r + arm(pose[1], spec.ends[1].point) - pose[0].r - arm(pose[0], spec.ends[0].point);
  }

  bool parallel() const { return h_i.cross(h_j).norm() < parallel_sine; }
};

ElementSpec swapped(ElementSpec spec) {
  std::swap(spec.ends[0], spec.ends[1]);
  return spec;
}

ElementFault no_length() {
  return {"model.zero-distance",
          "two points at the same place",
          "a distance greater than zero",
          "points that stay together are a spherical joint, axes that do a cylindrical one"};
}

Part add_distance(ConstraintSet& set, const ElementSpec& spec, double c) {
  auto pair = points<Distance<3>>(spec);
  pair.primitive.c = c;
  return set.add("distance", {in_length("distance")}, pair);
}

Part add_along(ConstraintSet& set, const ElementSpec& spec, double c) {
  return set.add(
      "along axis", {in_length("along the axis")}, along(spec, EndFrame(spec.ends[0]).h, c));
}

Part add_parallel(ConstraintSet& set, const ElementSpec& spec) {
  return set.add(
      "parallel axes", {in_angle("angle about x"), in_angle("angle about y")}, parallel_axes(spec));
}

Part add_angle_between(ConstraintSet& set, const ElementSpec& spec, double cosine) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  return set.add(
      "square axes", {in_angle("angle between the axes")}, directions(spec, i.h, j.h, cosine));
}

Made make_spherical_spherical(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const double length = spec.number_or("length", LinkPose(spec, q).d.norm());
  if (!(length > 0)) return no_length();
  return std::vector{add_distance(set, spec, length)};
}

Made make_distance(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const double length = spec.number_or("value", LinkPose(spec, q).d.norm());
  if (!(length > 0)) return no_length();
  return std::vector{add_distance(set, spec, length)};
}

Made make_revolute_spherical(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const LinkPose pose(spec, q);
  const double offset = pose.h_i.dot(pose.d), reach = (pose.d - offset * pose.h_i).norm();
  const double length = spec.number_or("length", reach);
  if (!(length > 0)) return no_length();
  return std::vector{add_distance(set, spec, elementary::hypot(length, offset)),
                     add_along(set, spec, offset)};
}

Made make_revolute_revolute(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const LinkPose pose(spec, q);
  const double along_i = pose.h_i.dot(pose.d), along_j = pose.h_j.dot(pose.d);
  const double cosine = pose.h_i.dot(pose.h_j);
  if (pose.parallel()) {
    const double length = spec.number_or("length", (pose.d - along_i * pose.h_i).norm());
    if (!(length > 0)) return no_length();
    return std::vector{add_distance(set, spec, elementary::hypot(length, along_i)),
                       add_along(set, spec, along_i),
                       add_parallel(set, spec)};
  }
  const double volume = std::abs(pose.d.dot(pose.h_i.cross(pose.h_j)));
  if (!(volume > 1e-6 * pose.d.norm()))
    return ElementFault{"model.bad-value",
                        "two hinges whose axes lie in one plane",
                        "axes that are parallel, or cross at a distance",
                        "give the link as a body of its own with two revolute joints"};
  const double sine2 = 1 - cosine * cosine;
  const double now = volume / std::sqrt(sine2);  // distance of the two axes
  const double length = spec.number_or("length", now);
  const double distance = std::sqrt(pose.d.squaredNorm() + length * length - now * now);
  return std::vector{add_distance(set, spec, distance),
                     add_along(set, spec, along_i),
                     add_along(set, swapped(spec), -along_j),
                     add_angle_between(set, spec, cosine)};
}

Made make_revolute_cylindrical(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const LinkPose pose(spec, q);
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  const double cosine = pose.h_i.dot(pose.h_j);
  if (pose.parallel()) {
    const double length =
        spec.number_or("length", (pose.d - pose.h_i * pose.h_i.dot(pose.d)).norm());
    if (!(length > 0)) return no_length();
    Radial p;
    p.s = {i.f, i.g, i.x, j.x};
    p.set_radius(length);
    return std::vector{set.add("radial", {in_length("distance of the axes")}, pair_of(p, spec)),
                       add_parallel(set, spec)};
  }
  BothAxes foot;
  foot.s = {i.h, i.x, j.h, j.x};
  foot.linear = {1, -cosine};
  foot.c = pose_value(pair_of(foot, spec), q);
  MutualMoment moment;
  moment.s = {i.f, i.g, i.x, j.x, j.h};
  const double now = pose_value(pair_of(moment, spec), q);
  const double sine = pose.h_i.cross(pose.h_j).norm();
  moment.c = std::copysign(spec.number_or("length", std::abs(now) / sine) * sine, now);
  return std::vector{add_angle_between(set, spec, cosine),
                     set.add("foot", {in_length("along the hinge")}, pair_of(foot, spec)),
                     set.add("moment", {in_length("distance of the axes")}, pair_of(moment, spec))};
}

Made make_on_sphere(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const double radius = spec.number_or("radius", LinkPose(spec, q).d.norm());
  if (!(radius > 0)) return no_length();
  return std::vector{add_distance(set, spec, radius)};
}

Made make_on_cylinder(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const LinkPose pose(spec, q);
  const double radius = spec.number_or("radius", (pose.d - pose.h_i * pose.h_i.dot(pose.d)).norm());
  if (!(radius > 0)) return no_length();
  const EndFrame i(spec.ends[0]);
  Radial p;
  p.s = {i.f, i.g, i.x, spec.ends[1].point};
  p.set_radius(radius);
  return std::vector{set.add("radial", {in_length("distance from the axis")}, pair_of(p, spec))};
}

// ---- descriptions

KeySpec length_key(std::string_view name, std::string_view doc) {
  return number_key(name, dim::length, from_pose, doc, Range::positive);
}

ElementType holding(std::string_view type,
                    std::string_view doc,
                    Geometry geometry,
                    KeySpec size,
                    Drawing drawing,
                    JointMaker make) {
  return {.type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = {std::move(size)},
          .no_coordinate = "no single measure names what is free",
          .friction = NoFriction{"no surface that slides is described"},
          .drawing = drawing,
          .make = make};
}

// The distance of its points is a measure, which it holds.
ElementType with_distance(ElementType type) {
  type.no_coordinate = {};
  type.coordinates = {held(Measure::distance)};
  return type;
}

}  // namespace

std::vector<ElementType> spatial_link_types() {
  Geometry round{.role = {"surface", "point"},
                 .point = {PointRule::origin, PointRule::required},
                 .axis = first_axis,
                 .at = At::second};
  Geometry ball = round;
  ball.axis = no_axes;
  const Geometry one_hinge{.point = both_points, .axis = first_axis, .at = At::each},
      two_hinges{.point = both_points, .axis = both_axes, .at = At::each};
  std::vector<ElementType> all{
      with_distance(holding("spherical-spherical",
                            "A massless link with a ball joint at each end.",
                            two_points(),
                            length_key("length", "distance of the balls"),
                            Drawing::ball_ball_link,
                            make_spherical_spherical)),
      holding("revolute-spherical",
              "A massless link, hinged to the first body and with a ball joint to the second.",
              one_hinge,
              length_key("length", "distance of the ball from the hinge's axis"),
              Drawing::pin_ball_link,
              make_revolute_spherical),
      with_distance(holding("revolute-revolute",
                            "A massless link with a hinge at each end; the hinges are parallel.",
                            two_hinges,
                            length_key("length", "distance of the hinges' axes"),
                            Drawing::pin_pin_link,
                            make_revolute_revolute)),
      holding("revolute-cylindrical",
              "A massless link, hinged to the first body and sliding along and turning about an "
              "axis of the second. `axis` has two directions.",
              two_hinges,
              length_key("length", "distance of the axes"),
              Drawing::pin_sleeve_link,
              make_revolute_cylindrical),
      with_distance(holding("distance",
                            "Holds the distance of two points.",
                            two_points(),
                            length_key("value", "the distance held"),
                            Drawing::rod,
                            make_distance)),
      holding("point-on-sphere",
              "A point of the second body stays on a sphere about a point of the first.",
              ball,
              length_key("radius", "of the sphere"),
              Drawing::ball,
              make_on_sphere),
      holding("point-on-cylinder",
              "A point of the second body stays on a cylinder about an axis of the first.",
              round,
              length_key("radius", "of the cylinder"),
              Drawing::ball,
              make_on_cylinder),
  };
  for (ElementType& type : all) type.space = Space::spatial;
  return all;
}

}  // namespace cardan
