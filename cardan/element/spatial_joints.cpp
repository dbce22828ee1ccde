// The table of simple joints in space, each as a few primitives. Ends are frames (f, g, h) at x,
// h the axis, and d = x_j - x_i.
//   spherical      d = 0                       revolute      spherical, h_i parallel to h_j
//   universal      spherical, h_i.h_j = 0      fixed         revolute, no turn about h
//   cylindrical    x_j on the axis of i, h_i parallel to h_j
//   translational  cylindrical, no turn about h
//   planar         h_i.d = 0, h_i parallel to h_j
//   constant-velocity  spherical, bending without twist
#include "cardan/element/spatial_maker.h"

namespace cardan {
namespace {

constexpr std::string_view about_x = "angle about x", about_y = "angle about y",
                           about_z = "angle about z";

std::vector<Part> parts(std::initializer_list<Part> list) {
  return list;
}

Part meet(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("coincident", {"x", "y", "z"}, points<Coincident<3>>(spec));
}

Part align(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("parallel axes", {about_x, about_y}, parallel_axes(spec));
}

Part keep_on_axis(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("on axis", {"across the axis, x", "across the axis, y"}, on_axis(spec));
}

Part prevent_turn(ConstraintSet& set, const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  return set.add("no turn", {about_z}, directions(spec, i.g, j.f, 0));
}

Part keep_square(ConstraintSet& set, const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  return set.add("square axes", {"angle between the axes"}, directions(spec, i.h, j.h, 0));
}

Part keep_in_plane(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("in plane",
                 {"distance from the plane"},
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
  return parts({meet(set, spec), set.add("untwisted", {"angle of twist"}, pair_of(p, spec))});
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
  return parts({set.add(names[axis], {names[axis]}, pair)});
}

constexpr MakerEntry makers[] = {
    {"spherical", make_spherical},
    {"revolute", make_revolute},
    {"fixed", make_fixed},
    {"cylindrical", make_cylindrical},
    {"translational", make_translational},
    {"universal", make_universal},
    {"planar", make_planar},
    {"constant-velocity", make_constant_velocity},
    {"point-on-line", make_point_on_line},
    {"point-in-plane", make_point_in_plane},
    {"line-in-plane", make_line_in_plane},
    {"parallel-axes", make_parallel_axes},
    {"perpendicular-axes", make_perpendicular_axes},
    {"orientation", make_orientation},
    {"x", make_coordinate<0>},
    {"y", make_coordinate<1>},
    {"z", make_coordinate<2>},
};

}  // namespace

std::span<const MakerEntry> spatial_makers() {
  return makers;
}

}  // namespace cardan
