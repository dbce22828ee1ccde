// Spatial forces: which measure and which law each is.
#include "cardan/element/force/force_maker.h"
#include "cardan/element/force/law_force_pool.h"
#include "cardan/element/force/point_force_pool.h"
#include "cardan/element/force/wrench_pool.h"
#include "cardan/element/spatial/spatial_maker.h"
#include "cardan/element/spatial/spatial_offset.h"
#include "cardan/element/spatial/turns.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

using SpringPool = LawForcePool<Length<3>>;
using TurnPool = LawForcePool<Azimuth>;
using BushingPool = LawForcePool<SpatialOffset>;
using PointPool = PointForcePool<3>;

constexpr std::string_view bushing_outputs[] = {
    "x", "y", "z", "angle_x", "angle_y", "angle_z", "fx", "fy", "fz", "tx", "ty", "tz"};
constexpr std::string_view bushing_units[] = {
    "m", "m", "m", "rad", "rad", "rad", "N", "N", "N", "N*m", "N*m", "N*m"};

std::vector<Dimension> six(Dimension of_shift, Dimension of_turn) {
  return {of_shift, of_shift, of_shift, of_turn, of_turn, of_turn};
}

// ---- formulas

MadeForce make_force(ForceSet& set, const ElementSpec& spec, CView) {
  return set.place<PointPool>(
      "force",
      {{spec.ends[0].body, spec.ends[1].body},
       {spec.ends[0].point, spec.ends[1].point},
       {formula_of(spec, "fx"), formula_of(spec, "fy"), formula_of(spec, "fz")},
       chosen(spec, "frame", body_frames) == ForceFrame::second,
       spec.inputs});
}

ElementType force() {
  ElementType type = formula_force(
      "force",
      "A force on a point of the (second) body; between two bodies, its opposite on the "
      "first at that body's own point, which may part from it (`general-force` has one point).",
      one_frame(no_axes),
      {component_key({dim::force, dim::force, dim::force}, {"fx", "fy", "fz"}), frame_key()});
  type.make = make_force;
  return type;
}

WrenchPool::Element wrench(const ElementSpec& spec) {
  WrenchPool::Element e;
  e.body = {spec.ends[0].body, spec.ends[1].body};
  e.s = spec.ends[1].point;
  constexpr std::string_view keys[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  for (std::size_t r = 0; r < 6; ++r) e.wrench[r] = formula_of(spec, keys[r]);
  e.inputs = spec.inputs;
  return e;
}

MadeForce make_torque(ForceSet& set, const ElementSpec& spec, CView) {
  WrenchPool::Element e = wrench(spec);
  e.frame = chosen(spec, "frame", body_frames);
  return set.place<WrenchPool>("torque", std::move(e), true);
}

ElementType torque() {
  ElementType type = formula_force(
      "torque",
      "A torque on the (second) body; between two bodies, its opposite on the first.",
      bodies_only(),
      {component_key({dim::torque, dim::torque, dim::torque}, {"tx", "ty", "tz"}), frame_key()});
  type.make = make_torque;
  return type;
}

constexpr WordChoice<ForceFrame> end_frames[] = {
    {"ground", ForceFrame::global}, {"first", ForceFrame::first}, {"second", ForceFrame::second}};

MadeForce make_general_force(ForceSet& set, const ElementSpec& spec, CView) {
  WrenchPool::Element e = wrench(spec);
  e.frame = chosen(spec, "frame", end_frames);
  if (e.frame != ForceFrame::global) {
    const EndFrame axes(spec.ends[e.frame == ForceFrame::first ? 0 : 1]);
    e.axes << axes.f, axes.g, axes.h;
  }
  return set.place<WrenchPool>("general-force", std::move(e), false);
}

ElementType general_force() {
  KeySpec value = component_key(six(dim::force, dim::torque), {"fx", "fy", "fz", "tx", "ty", "tz"});
  value.doc = "three components of the force, then of the torque";
  ElementType type = formula_force(
      "general-force",
      "Force and torque by formulas on the (second) body at its point; the opposite on the first.",
      one_frame(pose_axes),
      {value,
       {.name = "frame",
        .kind = ValueKind::choice,
        .otherwise = "ground",
        .doc = "axes of the components: the ground's, or those of one end (z along `axis`, x "
               "along `across`)",
        .choices = words_of(end_frames)}});
  type.make = make_general_force;
  return type;
}

// ---- springs

MadeForce make_spring(ForceSet& set, const ElementSpec& spec, CView q) {
  const auto pair = points<Length<3>>(spec);
  const double drawn = pose_value(pair, q);
  return set.place<SpringPool>(
      "spring",
      {pair, {spring_law(spec, spec.number_or("free_length", drawn), "force")}, spec.inputs},
      SpringPool::Shown{spring_outputs, spring_units, 1});
}

ElementType spring() {
  ElementType type = spring_type();
  type.make = make_spring;
  return type;
}

// The angle counts turns: as joint and measures count them where the free angle is given, from the
// pose where it is that of the pose.
MadeForce make_torsion_spring(ForceSet& set, const ElementSpec& spec, CView q) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  auto pair = azimuth(spec, i.f, i.g, j.f);
  const auto free = spec.number("free_angle");
  pair.primitive.turn = {free ? register_winding(set.turns(), pair, spec.start_angle)
                              : count_own_turns(set.turns(), pair, q)};
  const double drawn = pose_value(pair, q);
  return set.place<TurnPool>(
      "rotational-spring",
      {pair, {spring_law(spec, free.value_or(drawn), "torque")}, spec.inputs},
      TurnPool::Shown{torsion_outputs, torsion_units, 1});
}

ElementType torsion_spring() {
  ElementType type = torsion_spring_type(
      "Rotational spring, damper and actuator between two bodies about an axis.", axes_only());
  type.make = make_torsion_spring;
  return type;
}

MadeForce make_bushing(ForceSet& set, const ElementSpec& spec, CView) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  SpatialOffset p;
  p.s = {i.f, i.g, i.h, i.x, j.x, j.f, j.g, j.h};
  BushingPool::Element element{pair_of(p, spec), {}, {}};
  for (std::size_t r = 0; r < 6; ++r) {
    element.laws[r].stiffness = spec.number("stiffness", r).value_or(0);
    element.laws[r].damping = spec.number("damping", r).value_or(0);
  }
  return set.place<BushingPool>(
      "bushing", std::move(element), BushingPool::Shown{bushing_outputs, bushing_units, -1});
}

ElementType bushing() {
  ElementType type = bushing_type(
      "Springs and dampers along and about three axes between two frames that coincide when free, "
      "in the axes of the first.",
      six(dim::stiffness, dim::torque),
      six(dim::damping, dim::rotational_damping),
      "along x, y, z of the frame (z along `axis`, x along `across`), then about them",
      "[0, 0, 0, 0, 0, 0]");
  type.make = make_bushing;
  return type;
}

}  // namespace

std::vector<ElementType> spatial_force_types() {
  std::vector<ElementType> all{
      force(), torque(), general_force(), spring(), torsion_spring(), bushing()};
  for (ElementType& type : all) type.space = Space::spatial;
  return all;
}

}  // namespace cardan
