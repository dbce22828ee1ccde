// Simple planar joints, each as a few primitives.
//   revolute  x_j - x_i = 0                translational  a_perp.(x_j - x_i) = 0, relative angle
//   fixed     revolute and relative angle  pin-in-slot    a_perp.(x_j - x_i) = 0
// a is the axis on side i and a_perp = a turned left by a right angle.
#include "cardan/element/planar/planar_maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

constexpr EquationLabel across = in_length("across the axis");

std::vector<Part> parts(std::initializer_list<Part> list) {
  return list;
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

Part meet(ConstraintSet& set, const ElementSpec& spec) {
  Coincident<2> p;
  p.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  return set.add("coincident", {in_length("x"), in_length("y")}, pair_of(p, spec));
}

Part align(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return set.add("angle", {in_angle("angle")}, parallel_axes(spec, q));
}

Part keep_on_axis(ConstraintSet& set, const ElementSpec& spec) {
  return set.add("across", {across}, along_normal(spec, 0));
}

// ---- revolute, translational, fixed

Made make_revolute(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({meet(set, spec)});
}

ElementType revolute() {
  return {.kind = Kind::joint,
          .type = "revolute",
          .doc = "Pin: one point of each body stays together.",
          .geometry = one_point(),
          .keys = friction_keys({number_key("pin_radius",
                                            dim::length,
                                            "none",
                                            "of the pin, for friction: its torque is friction "
                                            "times radius times reaction",
                                            Range::positive)}),
          .coordinates = {planar_coordinate(Measure::angle)},
          .friction = planar_hinge_friction,
          .embedding = embed_about_z,
          .holds_plane = true,
          .drawing = Drawing::pin,
          .make = make_revolute};
}

Made make_translational(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return parts({keep_on_axis(set, spec), align(set, spec, q)});
}

ElementType translational() {
  return {.kind = Kind::joint,
          .type = "translational",
          .doc = "Slide along an axis without turning.",
          .geometry = one_frame(both_axes),
          .keys = friction_keys(
              {number_key("guide_length",
                          dim::length,
                          "none: the reaction torque makes no friction",
                          "distance of the guide's two edges, which carry force and torque; "
                          "midway lies the point of the second body",
                          Range::positive)}),
          .coordinates = {planar_coordinate(Measure::displacement)},
          .friction = slide_friction,
          .embedding = embed_along_axis,
          .holds_plane = true,
          .drawing = Drawing::slide,
          .make = make_translational};
}

Made make_fixed(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return parts({meet(set, spec), align(set, spec, q)});
}

ElementType fixed() {
  return {.kind = Kind::joint,
          .type = "fixed",
          .doc = "The two bodies keep the relative position of the given pose.",
          .geometry = one_frame(pose_axes),
          .no_coordinate = "nothing is free",
          .friction = NoFriction{"nothing slides"},
          .embedding = embed_about_z,
          .holds_plane = true,
          .drawing = Drawing::weld,
          .make = make_fixed};
}

// ---- slots, guides and links

Made make_pin_in_slot(ConstraintSet& set, const ElementSpec& spec, CView) {
  return parts({keep_on_axis(set, spec)});
}

// The point stays in the plane along the slot and z.
void embed_slot(const Model&, Element& e) {
  e.type = "point-in-plane";
  embed_normals(e);
}

ElementType pin_in_slot() {
  return {.kind = Kind::joint,
          .type = "pin-in-slot",
          .doc = "A pin of the second body moves along a straight slot of the first.",
          .geometry = {.role = {"slot", "pin"},
                       .point = both_points,
                       .axis = first_axis,
                       .at = At::both},
          .coordinates = {planar_coordinate(Measure::displacement)},
          .friction = NoFriction{"the load of a pin in a slot is not described yet"},
          .embedding = embed_slot,
          .drawing = Drawing::slot,
          .make = make_pin_in_slot};
}

Made make_distance_of(ConstraintSet& set, const ElementSpec& spec, CView q, std::string_view key) {
  const double now = pose_value(between_points<Length<2>>(spec, 0), q);
  const double c = spec.number_or(key, now);
  if (!(c > 0))
    return ElementFault{"model.zero-distance",
                        "two points at the same place",
                        "a distance greater than zero",
                        "two points that stay together are a revolute joint"};
  return parts(
      {set.add("distance", {in_length("distance")}, between_points<Distance<2>>(spec, c))});
}

Made make_link(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return make_distance_of(set, spec, q, "length");
}

void embed_link(const Model&, Element& e) {
  e.type = "distance";
  rename_setting(e, "length", "value");
}

ElementType link() {
  return {.kind = Kind::joint,
          .type = "revolute-revolute",
          .doc = "A massless link with a pin at each end.",
          .geometry = two_points(),
          .keys = {number_key(
              "length", dim::length, from_pose, "distance between the pins", Range::positive)},
          .coordinates = {held(Measure::distance)},
          .friction = NoFriction{"the pins of a massless link have no radius"},
          .embedding = embed_link,
          .drawing = Drawing::pin_pin_link,
          .make = make_link};
}

Made make_revolute_translational(ConstraintSet& set, const ElementSpec& spec, CView q) {
  auto pair = along_normal(spec, 0);
  pair.primitive.c = spec.number_or("distance", pose_value(pair, q));
  return parts({set.add("offset", {in_length("distance from the guide")}, pair)});
}

void embed_guided_pin(const Model& model, Element& e) {
  if (e.find("distance") == nullptr && e.sides.size() == 2)
    e.settings.emplace_back("distance", distance_left(model, e));
  embed_slot(model, e);
}

ElementType guided_pin() {
  return {
      .kind = Kind::joint,
      .type = "revolute-translational",
      .doc = "A massless slider on a straight guide of the first body, pinned to the second body.",
      .geometry = {.role = {"guide", "pin"},
                   .point = both_points,
                   .axis = first_axis,
                   .at = At::each},
      .keys = {number_key("distance",
                          dim::length,
                          from_pose,
                          "of the pin from the guide line, to the left of its axis")},
      .coordinates = {planar_coordinate(Measure::displacement)},
      .friction = NoFriction{"the slider of a massless guide has no size"},
      .embedding = embed_guided_pin,
      .drawing = Drawing::slot,
      .make = make_revolute_translational};
}

// ---- held measures

template <int axis> Made make_coordinate(ConstraintSet& set, const ElementSpec& spec, CView q) {
  auto pair = between_points<Coordinate<2, axis>>(spec, 0);
  pair.primitive.c = spec.number_or("value", pose_value(pair, q));
  constexpr std::string_view name = axis == 0 ? "x" : "y";
  return parts({set.add(name, {in_length(name)}, pair)});
}

Made make_angle(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const auto value = spec.number("value");
  auto pair = angle_between_axes(spec, value.value_or(0));
  if (!value) hold_pose(pair, q);
  return parts({set.add("angle", {in_angle("angle")}, pair)});
}

Made make_distance(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return make_distance_of(set, spec, q, "value");
}

// One that holds a measure at its `value`.
ElementType holding(Measure measure,
                    std::string_view doc,
                    Geometry geometry,
                    KeySpec value,
                    EmbeddingRule embedding,
                    Drawing drawing,
                    JointMaker make) {
  return {.kind = Kind::joint,
          .type = name_of(measure),
          .doc = doc,
          .geometry = geometry,
          .keys = {std::move(value)},
          .coordinates = {held(measure)},
          .friction = NoFriction{"nothing touches"},
          .embedding = embedding,
          .drawing = drawing,
          .make = make};
}

}  // namespace

std::vector<ElementType> planar_joint_types() {
  const KeySpec component = number_key("value", dim::length, from_pose, "the component held");
  return {
      revolute(),
      translational(),
      fixed(),
      pin_in_slot(),
      link(),
      guided_pin(),
      holding(
          Measure::x,
          "Holds the x component of the vector from the first point to the second, in ground axes.",
          two_origins(),
          component,
          embed_unchanged,
          Drawing::none,
          make_coordinate<0>),
      holding(
          Measure::y,
          "Holds the y component of the vector from the first point to the second, in ground axes.",
          two_origins(),
          component,
          embed_unchanged,
          Drawing::none,
          make_coordinate<1>),
      holding(Measure::angle,
              "Holds the angle of the second body relative to the first.",
              bodies_only(),
              number_key("value", dim::none, from_pose, "the angle held"),
              embed_about_z,
              Drawing::none,
              make_angle),
      holding(Measure::distance,
              "Holds the distance of two points.",
              two_points(),
              number_key("value", dim::length, from_pose, "the distance held", Range::positive),
              embed_unchanged,
              Drawing::rod,
              make_distance),
  };
}

}  // namespace cardan
