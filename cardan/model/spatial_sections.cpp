// The keys of bodies, shapes, markers, orientations and initial conditions in space.
#include "cardan/model/key_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using key_parts::number_key;
using key_parts::simple_key;

KeySpec point_key(std::string_view name,
                  Dimension d,
                  std::string_view otherwise,
                  std::string_view doc) {
  return {
      .name = name, .kind = numbers, .dimensions = {d, d, d}, .otherwise = otherwise, .doc = doc};
}

KeySpec name_key(std::string_view otherwise = "") {
  return simple_key("name", text, otherwise, "for messages, results and references");
}

KeySpec orientation_key(std::string_view otherwise, std::string_view doc) {
  return simple_key("orientation", table, otherwise, doc);
}

SectionSpec body() {
  return {
      "body.spatial",
      "A rigid body in space. Its frame lies at `from` with the x axis towards `to`, or at `at` "
      "turned by `orientation`.",
      {name_key(),
       point_key("from",
                 dim::length,
                 "use `at`",
                 "one end of a bar, in ground axes: origin of the frame"),
       point_key("to", dim::length, "use `at`", "the other end of the bar"),
       point_key("z",
                 dim::none,
                 "by the smallest turn",
                 "with `from` and `to`: direction the z axis is as near to as possible"),
       number_key("width",
                  dim::length,
                  "0",
                  "diameter of the bar: for drawing and for its inertia",
                  Range::positive),
       point_key("at", dim::length, "[0, 0, 0]", "guess of the frame's origin"),
       orientation_key("as the ground", "guess of the frame's orientation"),
       point_key("velocity", dim::velocity, "[0, 0, 0]", "guess of the origin's velocity"),
       point_key("angular_velocity",
                 dim::rate,
                 "[0, 0, 0]",
                 "guess of the angular velocity, in ground axes"),
       point_key("angular_velocity_body", dim::rate, "[0, 0, 0]", "the same in body axes"),
       {.name = "fixed",
        .kind = names,
        .otherwise = "[]",
        .doc = "which of these guesses are initial conditions: `x`, `y`, `z`, `vx`, `vy`, `vz`, "
               "`orientation`, `angular_velocity`",
        .choices = {"x", "y", "z", "vx", "vy", "vz", "orientation", "angular_velocity"}},
       number_key("mass", dim::mass, "from `density`", "mass", Range::positive),
       number_key("density", dim::density, "none", "mass from bar or shapes", Range::positive),
       {.name = "inertia",
        .kind = numbers,
        .dimensions = {},
        .otherwise = "from the bar or shapes",
        .doc = "about the mass centre: `[xx, yy, zz]`, `[xx, yy, zz, xy, xz, yz]` or three "
               "rows, with J_xy = -sum of m x y; zeros: a point mass"},
       simple_key("inertia_axes",
                  table,
                  "the body's",
                  "orientation, in the body's frame, of the axes `inertia` refers to"),
       point_key("inertia_at",
                 dim::length,
                 "the mass centre",
                 "point of the body's frame `inertia` refers to"),
       point_key("centre",
                 dim::length,
                 "middle of the bar or shapes, else [0, 0, 0]",
                 "mass centre in the body's frame"),
       simple_key("massless", boolean, "false", "the body has neither mass nor inertia"),
       simple_key("shape", table, "none", "a shape or a list of shapes")}};
}

SectionSpec shape() {
  return {
      "shape.spatial",
      "What a spatial body looks like and, where its mass or inertia is not given, what it weighs. "
      "Exactly one of the first seven.",
      {point_key("box", dim::length, "none", "its three widths, centred at `at`"),
       number_key("cylinder", dim::length, "none", "radius", Range::positive),
       {.name = "tube",
        .kind = numbers,
        .dimensions = {dim::length, dim::length},
        .otherwise = "none",
        .doc = "outer and inner radius"},
       number_key("cone", dim::length, "none", "radius at the first end", Range::positive),
       number_key("sphere", dim::length, "none", "radius, centred at `at`", Range::positive),
       simple_key("bar", points, "none", "two ends; with `width` (drawing only)"),
       simple_key("mesh",
                  text,
                  "none",
                  "STL or OBJ file of a closed surface, below the model's folder, in metres"),
       simple_key("ends", points, "use `length`", "of a cylinder, tube or cone"),
       number_key(
           "length", dim::length, "use `ends`", "of a cylinder, tube or cone", Range::positive),
       point_key("axis", dim::none, "[0, 0, 1]", "with `length`: its direction"),
       point_key(
           "at", dim::length, "[0, 0, 0]", "centre, or the mesh's origin, in the body's frame"),
       orientation_key("as the body", "of a box or mesh"),
       number_key(
           "scale", dim::none, "1", "of a mesh, such as 0.001 for millimetres", Range::positive),
       number_key("width", dim::length, "0", "of a bar", Range::positive),
       simple_key("colour", text, "by the viewer", "name or `#rrggbb`")}};
}

SectionSpec orientation() {
  return {"orientation",
          "An orientation, in one of five ways: `quaternion`; `axis` with `angle`; `angles` with "
          "`sequence`; two of `x`, `y` and `z`; `from` with `to`.",
          {{.name = "quaternion",
            .kind = numbers,
            .dimensions = std::vector<Dimension>(4, dim::none),
            .otherwise = "none",
            .doc = "unit quaternion w, x, y, z: w first"},
           point_key("axis", dim::none, "none", "of one turn"),
           number_key("angle", dim::none, "none", "of one turn"),
           {.name = "angles",
            .kind = numbers,
            .dimensions = std::vector<Dimension>(3, dim::none),
            .otherwise = "none",
            .doc = "of three turns"},
           simple_key("sequence",
                      text,
                      "none",
                      "axes of the three turns: `xyz` (Bryant angles), `zxz` (Euler angles), ..."),
           simple_key("fixed_axes",
                      boolean,
                      "false",
                      "the turns are about axes that stay, not about the axes as turned before"),
           point_key("z", dim::none, "none", "direction of the z axis: kept as given"),
           point_key("x", dim::none, "none", "direction of the x axis, made perpendicular to z"),
           point_key("y", dim::none, "none", "direction of the y axis, made perpendicular"),
           point_key("from", dim::length, "none", "the x axis points from here ..."),
           point_key("to",
                     dim::length,
                     "none",
                     "... to here; the other axes by the smallest turn, or with `z` as near to it "
                     "as possible")}};
}

SectionSpec marker() {
  return {
      "marker.spatial",
      "A named frame of a body in space: a joint's axis is its z axis, and angles count from "
      "its x axis.",
      {name_key(),
       {.name = "body", .kind = text, .doc = "the body, or `ground`"},
       point_key("at", dim::length, "use `point`", "where it is in the given pose, in ground axes"),
       point_key("point", dim::length, "[0, 0, 0]", "where it is in the body's frame"),
       orientation_key("no turn", "in ground axes with `at`, else in the body's frame")}};
}

SectionSpec initial() {
  return {
      "initial.spatial",
      "What is prescribed at the start: a joint's freedom, coordinates of a body or of one of its "
      "points, or what lies between two bodies.",
      {name_key("that of the joint or body"),
       simple_key(
           "joint",
           text,
           "none",
           "with `angle` and `rate`, `displacement` and `velocity`, or `distance` and `rate`"),
       simple_key("body",
                  text,
                  "none",
                  "with `x`, `y`, `z`, `vx`, `vy`, `vz`, `orientation`, `angular_velocity`, "
                  "`angular_velocity_body`"),
       simple_key("marker", text, "none", "with coordinates likewise"),
       simple_key("between",
                  names,
                  "none",
                  "two bodies, with `distance` and `points`, `displacement` and `axis`, or `angle` "
                  "and `axis`"),
       simple_key("markers", names, "none", "two markers likewise"),
       simple_key("formula",
                  text,
                  "none",
                  "of requests and their rates, with `value` and `rate`: \"a - 2*b\", or "
                  "\"rate(a) + rate(b)\""),
       key_parts::free_number("value", "not prescribed", "of the formula, in its unit"),
       point_key("at", dim::length, "none", "as in elements"),
       point_key("point", dim::length, "[0, 0, 0]", "with `body`: the point meant, in its frame"),
       simple_key("points", points, "none", "with `between`: in the frames of the two bodies"),
       point_key("axis", dim::none, "none", "direction in ground axes"),
       simple_key("axes", points, "none", "the directions in the frames of the two bodies"),
       point_key("across", dim::none, "as in the pose", "where angles about the axis start"),
       number_key("x", dim::length, "not prescribed", "x coordinate"),
       number_key("y", dim::length, "not prescribed", "y coordinate"),
       number_key("z", dim::length, "not prescribed", "z coordinate"),
       number_key("vx", dim::velocity, "not prescribed", "velocity in x"),
       number_key("vy", dim::velocity, "not prescribed", "velocity in y"),
       number_key("vz", dim::velocity, "not prescribed", "velocity in z"),
       orientation_key("not prescribed", "with `body`: of its frame, in ground axes"),
       point_key("angular_velocity",
                 dim::rate,
                 "not prescribed",
                 "with `body`: its angular velocity, in ground axes"),
       point_key("angular_velocity_body", dim::rate, "not prescribed", "the same in body axes"),
       number_key("angle", dim::none, "not prescribed", "angle about the axis"),
       number_key(
           "rate", dim::rate, "not prescribed", "angular velocity; of a distance its rate in m/s"),
       number_key("distance", dim::length, "not prescribed", "distance"),
       number_key("displacement", dim::length, "not prescribed", "displacement along an axis"),
       number_key(
           "velocity", dim::velocity, "not prescribed", "rate of a displacement or distance")}};
}

}  // namespace

std::vector<SectionSpec> spatial_sections() {
  return {body(), shape(), orientation(), marker(), initial()};
}

}  // namespace cardan
