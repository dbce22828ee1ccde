// Screw, gears, rack and pinion, held angles, and rolling on a plane.
//   screw   h_i.d - pitch/(2 pi) theta, cylindrical      angle  theta - value
//   gear    R_i alpha_i + s R_j alpha_j: pitch circles roll on each other. alpha is the angle at
//           which a wheel sees the other's centre, so carriers that move (planets, differentials)
//           are right. Spur and bevel: s from the velocities at the contact; worm: from the hand of
//           its thread.
//   rack-and-pinion  displacement along the rack, and the pinion's turn relative to it
// All are known up to whole turns: of the multiples of the common pitch the nearest to zero is
// taken, where there is one; otherwise the turns are counted (turns.h).
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/spatial/spatial_rolling.h"
#include "cardan/element/spatial/turns.h"
#include "cardan/element/type_parts.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

constexpr double full_turn = 2 * std::numbers::pi;

ElementFault missing(std::string_view key, std::string_view expected) {
  return {"model.missing-key",
          "no " + std::string(key),
          std::string(expected),
          "write " + std::string(key) + " = ..."};
}

Made make_screw(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const auto pitch = spec.number("pitch");
  if (!pitch) return missing("pitch", "the displacement of a full turn");
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  Helix p;
  p.s = {i.h, i.x, i.f, i.g, j.x, j.f};
  p.linear = {1};
  p.weight = {-*pitch / full_turn};
  p.c = pose_value(pair_of(p, spec), q);
  if (spec.start_angle && set.turns() != nullptr)
    p.turn = {register_winding(set.turns(), azimuth(spec, i.f, i.g, j.f), spec.start_angle)};
  else
    p.period = *pitch;
  return std::vector{set.add("on axis",
                             {in_length("across the axis, x"), in_length("across the axis, y")},
                             on_axis(spec)),
                     set.add("parallel axes",
                             {in_angle("angle about x"), in_angle("angle about y")},
                             parallel_axes(spec)),
                     set.add("screw", {in_length("advance of the thread")}, pair_of(p, spec))};
}

Made make_angle(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  auto pair = azimuth(spec, i.f, i.g, j.f);
  pair.primitive.c = spec.number_or("value", pose_value(pair, q));
  pair.primitive.period = full_turn;
  return std::vector{set.add("angle", {in_angle("angle")}, pair)};
}

struct WheelPose {  // in ground axes: axes, and unit vectors from each axis to the other centre
  Vec<3> h_i, h_j, e_i, e_j;
  bool apart;

  WheelPose(const ElementSpec& spec, CView q) {
    const auto pose = poses_of<3>({0, q}, std::array{spec.ends[0].body, spec.ends[1].body});
    h_i = arm(pose[0], EndFrame(spec.ends[0]).h);
    h_j = arm(pose[1], EndFrame(spec.ends[1]).h);
    const Vec<3> d =
        pose[1].r + arm(pose[1], spec.ends[1].point) - pose[0].r - arm(pose[0], spec.ends[0].point);
    const Vec<3> r_i = d - h_i * h_i.dot(d), r_j = h_j * h_j.dot(d) - d;
    apart = r_i.norm() > 1e-9 * d.norm() && r_j.norm() > 1e-9 * d.norm();
    e_i = r_i.normalized();
    e_j = r_j.normalized();
    distance = d.norm();
  }

  double distance;
};

ElementFault wheels_together() {
  return {"model.gear-centres",
          "a gear whose centre lies on the axis of the other one",
          "two wheels side by side",
          "give the centres of the wheels with `points` or the bodies' positions"};
}

// w_i alpha_i + w_j alpha_j stays what it is.
Made mesh(ConstraintSet& set, const ElementSpec& spec, CView q, double w_i, double w_j) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  WheelPair p;
  p.s = {i.f, i.g, i.x, j.f, j.g, j.x};
  p.weight = {w_i, w_j};
  p.period = full_turn * common_pitch(w_i, w_j);
  if (p.period == 0) {
    PointAzimuth from_i, from_j;
    from_i.weight = from_j.weight = {1};
    from_i.s = {i.f, i.g, i.x, j.x};
    from_j.s = {j.f, j.g, j.x, i.x};
    const std::array body{spec.ends[0].body, spec.ends[1].body};
    p.turn = {count_own_turns(set.turns(), Pair<PointAzimuth>{from_i, body}, q),
              count_own_turns(set.turns(), Pair<PointAzimuth>{from_j, {body[1], body[0]}}, q)};
  }
  p.c = pose_value(pair_of(p, spec), q);
  return std::vector{
      set.add("gear", {in_length("rolling of the pitch circles")}, pair_of(p, spec))};
}

Made make_gear(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const WheelPose pose(spec, q);
  if (!pose.apart) return wheels_together();
  auto first = spec.number("radii", 0), second = spec.number("radii", 1);
  if (!first || !second) {
    const auto ratio = spec.number("ratio");
    if (!ratio)
      return ElementFault{"model.gear-radii",
                          "neither radii nor ratio",
                          "the two pitch radii, or their ratio",
                          "write radii = [first, second]"};
    first = pose.distance / (1 + *ratio);
    second = *ratio * *first;
  }
  const double same_way = pose.h_i.cross(pose.e_i).dot(pose.h_j.cross(pose.e_j)) > 0 ? -1 : 1;
  return mesh(set, spec, q, *first, (spec.flag("internal") ? -1 : 1) * same_way * *second);
}

Made make_worm_gear(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const WheelPose pose(spec, q);
  if (!pose.apart) return wheels_together();
  const auto ratio = spec.number("ratio");
  if (!ratio) return missing("ratio", "turns of the worm for one turn of the wheel");
  const double hand = spec.flag("left_handed") ? -1 : 1;
  const double sense = pose.h_j.cross(-pose.e_j).dot(pose.h_i) < 0 ? -1 : 1;
  const double scale = pose.distance;  // of the equation, which is a length
  return mesh(set, spec, q, scale / *ratio, -hand * sense * scale);
}

Made make_rack_and_pinion(ConstraintSet& set, const ElementSpec& spec, CView q) {
  const auto radius = spec.number("radius");
  if (!radius || !(*radius > 0))
    return ElementFault{
        "model.missing-radius", "no radius", "a radius greater than zero", "write radius = ..."};
  ElementSpec turned = spec;  // rack first
  std::swap(turned.ends[0], turned.ends[1]);
  const EndFrame rack(turned.ends[0]), pinion(turned.ends[1]);
  const auto pose = poses_of<3>({0, q}, std::array{turned.ends[0].body, turned.ends[1].body});
  const Vec<3> a = arm(pose[0], rack.h), h = arm(pose[1], pinion.h);
  Vec<3> to_rack = pose[0].r + arm(pose[0], rack.x) - pose[1].r - arm(pose[1], pinion.x);
  to_rack -= a * a.dot(to_rack);
  const double side = h.cross(to_rack).dot(a) < 0 ? -1 : 1;
  RackPinion p;
  p.s = {rack.h, rack.x, pinion.x, pinion.f, pinion.g};
  p.linear = {1};
  p.weight = {-side * *radius};
  p.period = full_turn * *radius;
  p.c = pose_value(pair_of(p, turned), q);
  return std::vector{
      set.add("rack-and-pinion", {in_length("rolling of pinion on rack")}, pair_of(p, turned))};
}

// The wheel is on the side of the plane where it is in the given pose.
Made roll(ConstraintSet& set, const ElementSpec& spec, CView q, bool disc) {
  const auto radius = spec.number("radius");
  if (!radius || !(*radius > 0))
    return ElementFault{
        "model.missing-radius", "no radius", "a radius greater than zero", "write radius = ..."};
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  const double side = pose_value(along(spec, i.h, 0), q) < 0 ? -1 : 1;
  RollingOnPlane rolling;
  rolling.body = {spec.ends[0].body, spec.ends[1].body};
  rolling.f = i.f;
  rolling.g = i.g;
  rolling.n = side * i.h;
  rolling.centre = j.x;
  rolling.a = j.h;
  rolling.disc = disc;
  rolling.radius = *radius;
  const Part no_slip = set.add("rolling on plane",
                               {in_length("slip along x"), in_length("slip along y")},
                               std::move(rolling));
  if (!disc)
    return std::vector{
        set.add(
            "in plane", {in_length("distance from the plane")}, along(spec, side * i.h, *radius)),
        no_slip};
  DiscHeight height;
  height.s = {side * i.h, i.x, j.x, j.h};
  height.radius = *radius;
  return std::vector{
      set.add("disc height", {in_length("distance from the plane")}, pair_of(height, spec)),
      no_slip};
}

Made make_rolling_disc(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return roll(set, spec, q, true);
}

Made make_rolling_sphere(ConstraintSet& set, const ElementSpec& spec, CView q) {
  return roll(set, spec, q, false);
}

// ---- descriptions

constexpr NoFriction rolls{"wheels roll on each other without sliding"};

// Displacement and angle of a thread tell each other.
std::optional<double> angle_of_advance(const Element& screw, double displacement) {
  const double pitch = screw.number("pitch");
  if (pitch == 0) return {};
  return full_turn * displacement / pitch;
}

ElementType screw() {
  JointCoordinate advance = free_displacement();
  advance.angle_at = angle_of_advance;
  return {.type = "screw",
          .doc = "Like cylindrical, with the displacement in proportion to the angle.",
          .geometry = {.point = both_points, .axis = both_axes, .at = At::both},
          .keys = {number_key("pitch", dim::length, "", "displacement of a full turn")},
          .coordinates = {free_angle(), advance},
          .friction = NoFriction{"the load of a thread is not described yet"},
          .drawing = Drawing::sleeve,
          .make = make_screw};
}

ElementType held_turn() {
  JointCoordinate angle = held(Measure::angle);
  angle.angle_at = same_angle;
  return {.type = name_of(Measure::angle),
          .doc = "Holds the angle of the second body about the axis of the first.",
          .geometry = axes_only(),
          .keys = {number_key("value", dim::none, from_pose, "the angle held")},
          .coordinates = {angle},
          .friction = NoFriction{"nothing touches"},
          .drawing = Drawing::none,
          .make = make_angle};
}

ElementType wheels(std::string_view type,
                   std::string_view doc,
                   Geometry geometry,
                   std::vector<KeySpec> keys,
                   std::string_view no_coordinate,
                   Drawing drawing,
                   JointMaker make) {
  return {.type = type,
          .doc = doc,
          .geometry = geometry,
          .keys = std::move(keys),
          .no_coordinate = no_coordinate,
          .friction = rolls,
          .drawing = drawing,
          .make = make};
}

}  // namespace

std::vector<ElementType> spatial_wheel_types() {
  constexpr std::string_view relation = "it relates the turns of two wheels",
                             free_to_roll = "a wheel that rolls has no single measure";
  const auto radius = [](std::string_view doc) {
    return number_key("radius", dim::length, "", doc, Range::positive);
  };
  const Geometry on_plane{.role = {"plane", "wheel"},
                          .point = {PointRule::required, PointRule::origin},
                          .axis = both_axes,
                          .at = At::first};
  Geometry ball_on_plane = on_plane;
  ball_on_plane.role = {"plane", "ball"};
  ball_on_plane.axis = first_axis;
  std::vector<ElementType> all{
      screw(),
      wheels("gear",
             "Two gear wheels, spur or bevel; the points are their centres, and the teeth mesh as "
             "in the given pose. `axis` has two directions where they are not parallel.",
             {.point = origins, .axis = both_axes, .at = At::each},
             {{.name = "radii",
               .kind = ValueKind::numbers,
               .dimensions = {dim::length, dim::length},
               .otherwise = "from `ratio`",
               .doc = "pitch radii of the first and the second wheel",
               .range = Range::positive},
              number_key("ratio",
                         dim::none,
                         "from `radii`",
                         "radius (or teeth) of the second wheel over that of the first",
                         Range::positive),
              flag_key("internal", "one wheel is a ring with inner teeth")},
             relation,
             Drawing::gear,
             make_gear),
      wheels(
          "worm-gear",
          "A worm drives a wheel; they mesh as in the given pose. `axis` has two directions.",
          {.role = {"worm", "wheel"}, .point = origins, .axis = both_axes, .at = At::each},
          {number_key(
               "ratio", dim::none, "", "turns of the worm for one of the wheel", Range::positive),
           flag_key("left_handed", "hand of the worm's thread")},
          relation,
          Drawing::stand,
          make_worm_gear),
      wheels("rack-and-pinion",
             "A pinion meshes with a straight rack; they mesh as in the given pose. `axis` has two "
             "directions: that of the pinion and that along the rack.",
             {.role = {"pinion", "rack"}, .point = origins, .axis = both_axes, .at = At::each},
             {radius("pitch radius")},
             "it relates the turn of the pinion and the rack's displacement",
             Drawing::rack,
             make_rack_and_pinion),
      wheels("rolling-disc",
             "The rim of a disc rolls without slip on a plane. `axis` has two directions: the "
             "plane's normal and the disc's axis.",
             on_plane,
             {radius("of the disc")},
             free_to_roll,
             Drawing::wheel,
             make_rolling_disc),
      wheels("rolling-sphere",
             "A sphere rolls without slip on a plane; the axis is the plane's normal.",
             ball_on_plane,
             {radius("of the sphere")},
             free_to_roll,
             Drawing::globe,
             make_rolling_sphere),
      held_turn(),
  };
  for (ElementType& type : all) type.space = Space::spatial;
  return all;
}

}  // namespace cardan
