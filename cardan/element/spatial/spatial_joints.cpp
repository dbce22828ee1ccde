// The table of simple joints in space, each as a few primitives. Ends are frames (f, g, h) at x,
// h the axis, and d = x_j - x_i.
//   spherical      d = 0                       revolute      spherical, h_i parallel to h_j
//   universal      spherical, h_i.h_j = 0      fixed         revolute, no turn about h
//   cylindrical    x_j on the axis of i, h_i parallel to h_j
//   translational  cylindrical, no turn about h
//   planar         h_i.d = 0, h_i parallel to h_j
//   constant-velocity  spherical, bending without twist
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

constexpr EquationLabel about_x = in_angle("angle about x"), about_y = in_angle("angle about y"),
                        about_z = in_angle("angle about z");

std::vector<Part> parts(std::initializer_list<Part> list) {
  return list;
}

Part meet(ConstraintSet& set, const ElementSpec& spec) {
  return set.add(
      "coincident", {in_length("x"), in_length("y"), in_length("z")}, points<Coincident<3>>(spec));
}

Part align(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("parallel axes", {about_x, about_y}, parallel_axes(spec));
}

Part keep_on_axis(ConstraintSet& set, const ElementSpec& spec) {
  return set.add(
      "on axis", {in_length("across the axis, x"), in_length("across the axis, y")}, on_axis(spec));
}

Part prevent_turn(ConstraintSet& set, const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  return set.add("no turn", {about_z}, directions(spec, i.g, j.f, 0));
}

Part keep_square(ConstraintSet& set, const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  return set.add(
      "square axes", {in_angle("angle between the axes")}, directions(spec, i.h, j.h, 0));
}

Part keep_in_plane(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("in plane",
                 {in_length("distance from the plane")},
                 along(spec, EndFrame(spec.ends[0]).h, spec.number_or("distance", 0)));
}

Made make_spherical(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({meet(set, spec)});
}

Made make_revolute(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({meet(set, spec), align(set, spec)});
}

Made make_fixed(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({meet(set, spec), align(set, spec), prevent_turn(set, spec)});
}

Made make_cylindrical(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_on_axis(set, spec), align(set, spec)});
}

Made make_translational(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_on_axis(set, spec), align(set, spec), prevent_turn(set, spec)});
}

Made make_universal(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({meet(set, spec), keep_square(set, spec)});
}

Made make_planar(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_in_plane(set, spec), align(set, spec)});
}

Made make_constant_velocity(ConstraintSet& set, const ElementSpec& spec, CView) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  Untwisted p;
  p.s = {i.f, i.g, j.f, j.g};
  return parts(
      {meet(set, spec), set.add("untwisted", {in_angle("angle of twist")}, pair_of(p, spec))});
}

Made make_point_on_line(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_on_axis(set, spec)});
}

Made make_point_in_plane(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_in_plane(set, spec)});
}

Made make_line_in_plane(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_in_plane(set, spec), keep_square(set, spec)});
}

Made make_parallel_axes(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({align(set, spec)});
}

Made make_perpendicular_axes(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_square(set, spec)});
}

Made make_orientation(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({align(set, spec), prevent_turn(set, spec)});
}

template <int axis> Made make_coordinate(ConstraintSet& set, const ElementSpec& spec, CView q) {
  auto pair = points<Coordinate<3, axis>>(spec);
  pair.primitive.c = spec.number_or("value", pose_value(pair, q));
  constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
  return parts({set.add(names[axis], {in_length(names[axis])}, pair)});
}

// ---- descriptions

Geometry point_and_axis() {
  return {.point = both_points, .axis = both_axes, .at = At::both};
}

Geometry crossing_axes() {
  Geometry g = point_and_axis();
  g.cross = true;
  return g;
}

Geometry feature_and_point(std::string_view feature) {
  return {.role = {feature, "point"}, .point = both_points, .axis = first_axis, .at = At::both};
}

KeySpec size_key(std::string_view name, std::string_view otherwise, std::string_view doc) {
  return number_key(name, dim::length, otherwise, doc, Range::positive);
}

KeySpec bearing_length() {
  return size_key("bearing_length",
                  "none: bending makes no friction",
                  "for friction: distance of the bearing's two ends, which carry force and bending "
                  "moment; midway lies the point of the second body");
}

constexpr NoFriction no_surface{"no surface that slides is described"};
constexpr std::string_view several = "no single measure names what is free",
                           none_free = "nothing is free";

ElementType fixed() {
  return {.type = "fixed",
          .doc = "The two bodies keep the relative position of the given pose.",
          .geometry = one_frame(pose_axes),
          .no_coordinate = none_free,
          .friction = NoFriction{"nothing slides"},
          .drawing = Drawing::weld,
          .make = make_fixed};
}

ElementType revolute() {
  return {.type = "revolute",
          .doc = "A hinge: turning about an axis is free.",
          .geometry = point_and_axis(),
          .keys = friction_keys(
              {size_key("pin_radius",
                        "none",
                        "of the pin, for friction: its torque is friction times radius "
                        "times the load across the axis"),
               bearing_length(),
               size_key("collar_radius",
                        "none: the force along the axis makes no friction",
                        "of a collar that carries the force along the axis")}),
          .coordinates = {free_angle()},
          .friction = hinge_friction,
          .drawing = Drawing::pin,
          .make = make_revolute};
}

ElementType translational() {
  return {.type = "translational",
          .doc = "A slide along an axis without turning.",
          .geometry = one_frame(both_axes),
          .keys = friction_keys(
              {size_key("guide_length",
                        "none: bending makes no friction",
                        "for friction: distance of the guide's two edges, which carry force and "
                        "bending moment; midway lies the point of the second body"),
               size_key("guide_width",
                        "none: the torque about the axis makes no friction",
                        "for friction: distance of the two flanks that carry the torque about "
                        "the axis")}),
          .coordinates = {free_displacement()},
          .friction = slide_friction,
          .drawing = Drawing::slide,
          .make = make_translational};
}

ElementType cylindrical() {
  return {.type = "cylindrical",
          .doc = "Sliding along and turning about an axis are free.",
          .geometry = point_and_axis(),
          .keys = friction_keys(
              {size_key("pin_radius",
                        "none",
                        "of the pin, for friction against sliding along it and around it at once"),
               bearing_length()}),
          .coordinates = {free_angle(), free_displacement()},
          .friction = sleeve_friction,
          .drawing = Drawing::sleeve,
          .make = make_cylindrical};
}

ElementType spherical() {
  return {.type = "spherical",
          .doc = "A ball joint: one point of each body stays together.",
          .geometry = one_point(),
          .keys = friction_keys(
              {size_key("ball_radius",
                        "none",
                        "of the ball, for friction: its torque is friction times radius times "
                        "reaction, against the relative rotation")}),
          .no_coordinate = several,
          .friction = socket_friction,
          .drawing = Drawing::ball,
          .make = make_spherical};
}

// The angles of the cross.
JointCoordinate arm(Measure measure, std::string_view channel) {
  return {
      .measure = measure, .channel = channel, .settings = {{"sequence", std::string("universal")}}};
}

ElementType universal() {
  return {.type = "universal",
          .doc =
              "A cross: one point of each body stays together, and the axis on the first body "
              "stays perpendicular to that on the second. `axis` has two directions.",
          .geometry = crossing_axes(),
          .coordinates = {arm(Measure::angle_1, "angle_1"), arm(Measure::angle_2, "angle_2")},
          .friction = no_surface,
          .drawing = Drawing::cross,
          .make = make_universal};
}

// Joints that leave several freedoms, or hold what no joint of its own has.
ElementType plain(std::string_view type,
                  std::string_view doc,
                  Geometry geometry,
                  std::string_view no_coordinate,
                  Drawing drawing,
                  JointMaker make,
                  std::vector<KeySpec> keys = {}) {
  return {.type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = std::move(keys),
          .no_coordinate = no_coordinate,
          .friction = no_surface,
          .drawing = drawing,
          .make = make};
}

ElementType component(Measure measure, std::string_view doc, JointMaker make) {
  return {.type = name_of(measure),
          .doc = doc,
          .geometry = two_origins(),
          .keys = {number_key("value", dim::length, from_pose, "the component held")},
          .coordinates = {held(measure)},
          .friction = no_surface,
          .drawing = Drawing::none,
          .make = make};
}

}  // namespace

std::vector<ElementType> spatial_joint_types() {
  std::vector<ElementType> all{
      fixed(),
      revolute(),
      translational(),
      cylindrical(),
      spherical(),
      universal(),
      plain("planar",
            "A plane of the second body stays in a plane of the first; the axis is its normal.",
            one_frame(both_axes),
            several,
            Drawing::plate,
            make_planar),
      plain("constant-velocity",
            "One point of each body stays together, and both bodies turn at one speed about "
            "their axes at any bend.",
            point_and_axis(),
            several,
            Drawing::ball,
            make_constant_velocity),
      plain("point-on-line",
            "A point of the second body stays on a line of the first.",
            feature_and_point("line"),
            several,
            Drawing::rail,
            make_point_on_line),
      plain("point-in-plane",
            "A point of the second body stays in a plane of the first; the axis is its normal.",
            feature_and_point("plane"),
            several,
            Drawing::ball,
            make_point_in_plane,
            {number_key("distance", dim::length, "0", "of the point, along the normal")}),
      plain("line-in-plane",
            "A line of the second body stays in a plane of the first. `axis` has two directions: "
            "the plane's normal and the line.",
            {.role = {"plane", "line"}, .point = both_points, .axis = both_axes, .at = At::both},
            several,
            Drawing::ball,
            make_line_in_plane),
      plain("parallel-axes",
            "Two axes stay parallel.",
            axes_only(),
            several,
            Drawing::none,
            make_parallel_axes),
      plain("perpendicular-axes",
            "Two axes stay perpendicular. `axis` has two directions.",
            axes_only(),
            several,
            Drawing::none,
            make_perpendicular_axes),
      plain("orientation",
            "The second body keeps its orientation relative to the first.",
            one_frame(pose_axes),
            several,
            Drawing::none,
            make_orientation),
      component(Measure::x,
                "Holds the x component of the vector from the first point to the second.",
                make_coordinate<0>),
      component(Measure::y,
                "Holds the y component of the vector from the first point to the second.",
                make_coordinate<1>),
      component(Measure::z,
                "Holds the z component of the vector from the first point to the second.",
                make_coordinate<2>),
  };
  for (ElementType& type : all) type.space = Space::spatial;
  return all;
}

}  // namespace cardan
