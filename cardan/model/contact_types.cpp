// The table of stops and contacts: one-sided limits of what an element measures.
#include "cardan/model/type_parts.h"

namespace cardan {

namespace {

namespace dim = dimension;
using enum ValueKind;
using namespace type_parts;

// How a limit acts: hard, or compliant when it has a stiffness.
std::vector<KeySpec> limit_keys(Dimension value,
                                Dimension rate,
                                Dimension stiffness,
                                Dimension damping) {
  return {
      number_key("restitution",
                 dim::none,
                 "0",
                 "of a hard one: rate after an impact over rate before it, 0 to 1",
                 Range::not_negative),
      number_key("rest_speed",
                 rate,
                 "1 mm/s, for angles over the mechanism's size",
                 "of a hard one: an impact that would rebound slower ends the bouncing, and the "
                 "bodies stay together until they pull apart",
                 Range::positive),
      number_key("stiffness", stiffness, "none: it is hard", "of a compliant one", Range::positive),
      number_key(
          "damping", damping, "0", "of a compliant one; it never pulls", Range::not_negative),
      number_key("onset",
                 value,
                 "0.001 of the mechanism's size, for angles 0.001",
                 "of a compliant one: depth over which stiffness and damping grow from nothing",
                 Range::positive)};
}

struct Limited {
  std::string_view type, doc;
  Geometry geometry;
  bool angle;
  bool sequence = false;
};

TypeSpec stop(const Limited& m, Space space) {
  const Dimension value = m.angle ? dim::none : dim::length;
  std::vector<KeySpec> keys{number_key("lower", value, "none", "smallest value"),
                            number_key("upper", value, "none", "largest value")};
  if (m.sequence) keys.push_back(sequence_key());
  for (auto& key : limit_keys(value,
                              m.angle ? dim::rate : dim::velocity,
                              m.angle ? dim::torque : dim::stiffness,
                              m.angle ? dim::rotational_damping : dim::damping))
    keys.push_back(std::move(key));
  return {Kind::stop, m.type, m.doc, m.geometry, std::move(keys), space};
}

std::vector<TypeSpec> stops() {
  Geometry along = one_frame(no_axes);
  along.point = origins;
  along.axis = {AxisRule::required, AxisRule::none};
  along.at = At::each;
  std::vector<TypeSpec> all;
  for (const Limited& m : {Limited{"x",
                                   "Limits the x component of the vector from the first point "
                                   "to the second, in ground axes.",
                                   two_origins(),
                                   false},
                           Limited{"y",
                                   "Limits the y component of the vector from the first point "
                                   "to the second, in ground axes.",
                                   two_origins(),
                                   false},
                           Limited{"angle",
                                   "Limits the angle of the second body relative to the "
                                   "first.",
                                   bodies_only(),
                                   true},
                           Limited{"distance",
                                   "Limits the distance of two points: an upper limit is "
                                   "a rope.",
                                   two_points(),
                                   false},
                           Limited{"displacement",
                                   "Limits the position of the second point along the axis of the "
                                   "first body.",
                                   along,
                                   false}})
    all.push_back(stop(m, Space::planar));
  return all;
}

std::vector<TypeSpec> spatial_stops() {
  const Geometry along{
      .point = origins, .axis = {AxisRule::required, AxisRule::none}, .at = At::each};
  const Geometry about{.point = no_points, .axis = both_axes, .at = At::none};
  const Geometry frames{.point = no_points, .axis = pose_axes, .at = At::none};
  std::vector<TypeSpec> all;
  for (const Limited& m :
       {Limited{"x",
                "Limits the x component of the vector from the first point to the second, in "
                "ground axes.",
                two_origins(),
                false},
        Limited{"y",
                "Limits the y component of the vector from the first point to the second, in "
                "ground axes.",
                two_origins(),
                false},
        Limited{"z",
                "Limits the z component of the vector from the first point to the second, in "
                "ground axes.",
                two_origins(),
                false},
        Limited{"angle",
                "Limits the angle of the second body about the axis of the first, from `across` to "
                "`across`; turns are counted, from an angle between -180 and 180 deg at the start "
                "unless an `[[initial]]` says another.",
                about,
                true},
        Limited{"angle-1",
                "Limits the first of three angles that turn the first frame into the second.",
                frames,
                true,
                true},
        Limited{"angle-2",
                "Limits the second of three angles that turn the first frame into the second.",
                frames,
                true,
                true},
        Limited{"angle-3",
                "Limits the third of three angles that turn the first frame into the second.",
                frames,
                true,
                true},
        Limited{"distance",
                "Limits the distance of two points: an upper limit is a rope.",
                two_points(),
                false},
        Limited{"displacement",
                "Limits the position of the second point along the axis of the first body.",
                along,
                false}})
    all.push_back(stop(m, Space::spatial));
  return all;
}

std::vector<KeySpec> contact_keys(std::vector<KeySpec> own) {
  for (auto& key : limit_keys(dim::length, dim::velocity, dim::stiffness, dim::damping))
    own.push_back(std::move(key));
  for (auto& key : friction_keys()) own.push_back(std::move(key));
  return own;
}

KeySpec radius_key(std::string_view doc) {
  return number_key("radius", dim::length, "0: a point", doc, Range::not_negative);
}

KeySpec radii_key() {
  return {.name = "radii",
          .kind = numbers,
          .dimensions = {dim::length, dim::length},
          .doc = "of the first and the second",
          .range = Range::not_negative};
}

std::vector<TypeSpec> contacts() {
  Geometry on_line{.role = {"line", "disc"},
                   .point = {PointRule::required, PointRule::origin},
                   .axis = {AxisRule::required, AxisRule::none},
                   .at = At::first};
  const KeySpec radii = radii_key();
  Geometry discs = two_origins(), ring = two_origins();
  discs.role = {"first disc", "second disc"};
  ring.role = {"ring", "disc"};
  return {{Kind::contact,
           "disc-line",
           "A disc of the second body, or a point, stays to the left of a straight line of the "
           "first.",
           on_line,
           contact_keys({radius_key("of the disc")})},
          {Kind::contact,
           "disc-disc",
           "Two discs, one on each body, stay outside of each other.",
           discs,
           contact_keys({radii})},
          {Kind::contact,
           "disc-in-ring",
           "A disc of the second body, or a point, stays inside a ring of the first.",
           ring,
           contact_keys({radii})}};
}

std::vector<TypeSpec> spatial_contacts() {
  const auto spec = [](std::string_view type,
                       std::string_view doc,
                       const Geometry& geometry,
                       KeySpec size) -> TypeSpec {
    return {Kind::contact, type, doc, geometry, contact_keys({std::move(size)}), Space::spatial};
  };
  const auto on = [](std::string_view feature) -> Geometry {
    return {.role = {feature, "sphere"},
            .point = {PointRule::required, PointRule::origin},
            .axis = {AxisRule::required, AxisRule::none},
            .at = At::first};
  };
  Geometry spheres = two_origins(), inside = two_origins();
  spheres.role = {"first sphere", "second sphere"};
  inside.role = {"hollow", "sphere"};
  return {
      spec("sphere-plane",
           "A sphere of the second body, or a point, stays on the side of a plane of the first "
           "to which its axis, the normal, points. The plane has no end.",
           on("plane"),
           radius_key("of the sphere")),
      spec("sphere-sphere",
           "Two spheres, one on each body, stay outside of each other.",
           spheres,
           radii_key()),
      spec("sphere-in-sphere",
           "A sphere of the second body, or a point, stays inside a hollow sphere of the first.",
           inside,
           radii_key()),
      spec("sphere-cylinder",
           "A sphere of the second body, or a point, stays outside of a cylinder of the first "
           "about its axis. The cylinder has no ends.",
           on("cylinder"),
           radii_key()),
      spec("sphere-in-cylinder",
           "A sphere of the second body, or a point, stays inside a tube of the first about "
           "its axis. The tube has no ends.",
           on("tube"),
           radii_key())};
}

}  // namespace

std::vector<TypeSpec> contact_specs() {
  std::vector<TypeSpec> all = stops();
  for (auto&& group : {contacts(), spatial_stops(), spatial_contacts()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace cardan
