// The table of planar joints, drivers and measures, each as a few primitives.
//   revolute  x_j - x_i = 0                translational  a_perp.(x_j - x_i) = 0, relative angle
//   fixed     revolute and relative angle  pin-in-slot    a_perp.(x_j - x_i) = 0
// a is the axis on side i and a_perp = a turned left by a right angle.
#include <stdexcept>

#include "cardan/element/maker.h"
#include "cardan/element/planar_primitive.h"

namespace cardan {
namespace {

constexpr std::string_view across = "across the axis";

Pair<Coincident<2>> coincident(const ElementSpec& spec) {
  Coincident<2> p;
  p.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  return pair_of(p, spec);
}

template <class P> Pair<P> between_points(const ElementSpec& spec, double c) {
  P p;
  p.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.c = c;
  return pair_of(p, spec);
}

// Displacement along the axis of side i, or along its left normal.
Pair<Dot2<2>> along(const ElementSpec& spec, bool normal, double c) {
  const Vec<2> a = axis_of<2>(spec.ends[0]);
  Dot2<2> p;
  p.s = {normal ? perp(a) : a, point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.c = c;
  return pair_of(p, spec);
}

// Angle from the axis of side i to that of side j, counted in turns, less c.
Pair<Angle> angle_between_axes(const ElementSpec& spec, double c) {
  Angle p;
  p.c = axis_angle(spec.ends[0]) - axis_angle(spec.ends[1]) + c;
  return pair_of(p, spec);
}

template <class P> void hold_pose(Pair<P>& pair, CView q) {
  pair.primitive.c += pose_value(pair, q);
}

// The axes stay parallel; of the angles that do so, the one nearest to the pose.
Pair<Angle> parallel_axes(const ElementSpec& spec, CView q) {
  Pair<Angle> angle = angle_between_axes(spec, 0);
  angle.primitive.c += nearest_turn(pose_value(angle, q));
  return angle;
}

std::vector<Part> parts(std::initializer_list<Part> list) {
  return list;
}

Made make_revolute(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({set.add("coincident", {"x", "y"}, coincident(spec))});
}

Made make_translational(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return parts({set.add("across", {across}, along(spec, true, 0)),
                set.add("angle", {"angle"}, parallel_axes(spec, q))});
}

Made make_fixed(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return parts({set.add("coincident", {"x", "y"}, coincident(spec)),
                set.add("angle", {"angle"}, parallel_axes(spec, q))});
}

Made make_pin_in_slot(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({set.add("across", {across}, along(spec, true, 0))});
}

Made make_revolute_translational(ConstraintSet& set, const ElementSpec& spec, CView q) {
  auto pair = along(spec, true, 0);
  pair.primitive.c = spec.number_or("distance", pose_value(pair, q));
  return parts({set.add("offset", {"distance from the guide"}, pair)});
}

Made make_distance_of(ConstraintSet& set, const ElementSpec& spec, CView q, std::string_view key) {
  const double now = pose_value(between_points<Length<2>>(spec, 0), q);
  const double c = spec.number_or(key, now);
  if (!(c > 0))
    return ElementFault{"model.zero-distance",
                        "two points at the same place",
                        "a distance greater than zero",
                        "two points that stay together are a revolute joint"};
  return parts({set.add("distance", {"distance"}, between_points<Distance<2>>(spec, c))});
}

Made make_link(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return make_distance_of(set, spec, q, "length");
}

Made make_distance(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return make_distance_of(set, spec, q, "value");
}

template <int axis> Made make_coordinate(ConstraintSet& set, const ElementSpec& spec, CView q) {
  auto pair = between_points<Coordinate<2, axis>>(spec, 0);
  pair.primitive.c = spec.number_or("value", pose_value(pair, q));
  return parts({axis == 0 ? set.add("x", {"x"}, pair) : set.add("y", {"y"}, pair)});
}

Made make_angle(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const auto value = spec.number("value");
  auto pair = angle_between_axes(spec, value.value_or(0));
  if (!value) hold_pose(pair, q);
  return parts({set.add("angle", {"angle"}, pair)});
}

constexpr MakerEntry simple_joints[] = {
    {"revolute", make_revolute},
    {"translational", make_translational},
    {"fixed", make_fixed},
    {"pin-in-slot", make_pin_in_slot},
    {"revolute-revolute", make_link},
    {"revolute-translational", make_revolute_translational},
    {"x", make_coordinate<0>},
    {"y", make_coordinate<1>},
    {"angle", make_angle},
    {"distance", make_distance},
};

// Drivers and measures are the same functions; with c(t) they are driven.
Made make_measure(ConstraintSet& set,
                  std::string_view type,
                  const ElementSpec& spec,
                  const FunctionPtr& drive) {
  if (type == "x")
    return parts({set.add("x", {"x"}, between_points<Coordinate<2, 0>>(spec, 0), drive)});
  if (type == "y")
    return parts({set.add("y", {"y"}, between_points<Coordinate<2, 1>>(spec, 0), drive)});
  if (type == "angle")
    return parts({set.add("angle", {"angle"}, angle_between_axes(spec, 0), drive)});
  if (type == "distance")
    return parts({set.add("length", {"distance"}, between_points<Length<2>>(spec, 0), drive)});
  if (type == "displacement")
    return parts({set.add("displacement", {"displacement"}, along(spec, false, 0), drive)});
  throw std::invalid_argument("no measure of type '" + std::string(type) + "'");
}

std::vector<MakerEntry> joined(std::initializer_list<std::span<const MakerEntry>> tables) {
  std::vector<MakerEntry> list;
  for (const auto& table : tables) list.insert(list.end(), table.begin(), table.end());
  return list;
}

const std::vector<MakerEntry>& all_joints(int dimension) {
  static const std::vector<MakerEntry> planar =
      joined({simple_joints, rolling_makers(), cam_makers()});
  static const std::vector<MakerEntry> spatial = joined(
      {spatial_makers(), spatial_link_makers(), spatial_wheel_makers(), spatial_coupling_makers()});
  return dimension == 2 ? planar : spatial;
}

std::vector<std::string_view> names_of(const std::vector<MakerEntry>& table) {
  std::vector<std::string_view> list;
  for (const MakerEntry& entry : table) list.push_back(entry.type);
  return list;
}

}  // namespace

Made ConstraintSet::add_joint(std::string_view type, const ElementSpec& spec, CView q) {
  for (const MakerEntry& entry : all_joints(dimension_))
    if (entry.type == type) return entry.make(*this, spec, q);
  if (dimension_ == 3)
    for (const MakerEntry& entry : embedded_makers())
      if (entry.type == type) return entry.make(*this, spec, q);
  throw std::invalid_argument("no joint of type '" + std::string(type) + "'");
}

Made ConstraintSet::add_driver(std::string_view type, const ElementSpec& spec, CView q) {
  if (spec.drive == nullptr) throw std::invalid_argument("a driver needs a function of time");
  return dimension_ == 2 ? make_measure(*this, type, spec, spec.drive)
                         : make_spatial_measure(*this, type, spec, q, spec.drive);
}

Made ConstraintSet::add_measure(std::string_view type, const ElementSpec& spec, CView q) {
  return dimension_ == 2 ? make_measure(*this, type, spec, {})
                         : make_spatial_measure(*this, type, spec, q, {});
}

std::span<const std::string_view> joint_types(int dimension) {
  static const std::vector<std::string_view> planar = names_of(all_joints(2)),
                                             spatial = names_of(all_joints(3));
  return dimension == 2 ? planar : spatial;
}

std::span<const std::string_view> embedded_joint_types() {
  static const std::vector<std::string_view> names = names_of(joined({embedded_makers()}));
  return names;
}

std::span<const std::string_view> driver_types(int dimension) {
  static constexpr std::string_view names[] = {"x", "y", "angle", "distance", "displacement"};
  return dimension == 2 ? names : spatial_driver_types();
}

}  // namespace cardan
