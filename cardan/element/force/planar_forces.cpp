// Planar forces: which measure and which law each is.
#include "cardan/element/force/force_maker.h"
#include "cardan/element/force/law_force_pool.h"
#include "cardan/element/force/point_force_pool.h"
#include "cardan/element/planar/planar_maker.h"

namespace cardan {
namespace {

namespace dim = dimension;
using namespace type_parts;

using SpringPool = LawForcePool<Length<2>>;
using AnglePool = LawForcePool<Angle>;
using BushingPool = LawForcePool<PlanarOffset>;
using PointPool = PointForcePool<2>;

constexpr std::string_view torque_outputs[] = {"torque"}, torque_units[] = {"N*m"};
constexpr std::string_view bushing_outputs[] = {"x", "y", "angle", "fx", "fy", "torque"},
                           bushing_units[] = {"m", "m", "rad", "N", "N", "N*m"};

// ---- formulas

MadeForce make_force(ForceSet& set, const ElementSpec& spec, CView) {
  return set.place<PointPool>("force",
                              {{spec.ends[0].body, spec.ends[1].body},
                               {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])},
                               {formula_of(spec, "fx"), formula_of(spec, "fy")},
                               chosen(spec, "frame", body_frames) == ForceFrame::second,
                               spec.inputs});
}

void embed_force(const Model&, Element& e) {
  e.settings.emplace_back("fz", Expression(0.0));
}

ElementType force() {
  ElementType type = formula_force(
      "force",
      "A force on a point of the (second) body; between two bodies, its opposite on the first.",
      one_frame(no_axes),
      {component_key({dim::force, dim::force}, {"fx", "fy"}), frame_key()});
  type.embedding = embed_force;
  type.make = make_force;
  return type;
}

MadeForce make_torque(ForceSet& set, const ElementSpec& spec, CView) {
  ForceLaw law;
  set_actuator(law, spec, "value", -1);
  law.store_actuator();
  return set.place<AnglePool>("torque",
                              {angle_between_axes(spec, 0), {law}, spec.inputs},
                              AnglePool::Shown{torque_outputs, torque_units, -1});
}

void embed_torque(const Model&, Element& e) {
  rename_setting(e, "value", "tz");
  e.settings.emplace_back("tx", Expression(0.0));
  e.settings.emplace_back("ty", Expression(0.0));
}

ElementType torque() {
  ElementType type =
      formula_force("torque",
                    "A torque on the (second) body; between two bodies, its opposite on the first.",
                    bodies_only(),
                    {{.name = "value",
                      .kind = ValueKind::formula,
                      .dimensions = {dim::torque},
                      .doc = "a formula of `t` and of requests"}});
  type.embedding = embed_torque;
  type.make = make_torque;
  return type;
}

// ---- springs

MadeForce make_spring(ForceSet& set, const ElementSpec& spec, CView q) {
  const auto pair = between_points<Length<2>>(spec, 0);
  const double drawn = pose_value(pair, q);
  return set.place<SpringPool>(
      "spring",
      {pair, {spring_law(spec, spec.number_or("free_length", drawn), "force")}, spec.inputs},
      SpringPool::Shown{spring_outputs, spring_units, 1});
}

ElementType spring() {
  ElementType type = spring_type();
  type.embedding = embed_unchanged;
  type.make = make_spring;
  return type;
}

MadeForce make_torsion_spring(ForceSet& set, const ElementSpec& spec, CView q) {
  const Pair<Angle> pair = angle_between_axes(spec, 0);
  const double drawn = pose_value(pair, q);
  return set.place<AnglePool>(
      "rotational-spring",
      {pair, {spring_law(spec, spec.number_or("free_angle", drawn), "torque")}, spec.inputs},
      AnglePool::Shown{torsion_outputs, torsion_units, 1});
}

ElementType torsion_spring() {
  ElementType type = torsion_spring_type(
      "Rotational spring, damper and actuator between two bodies.", bodies_only());
  type.embedding = embed_counted_angle;
  type.make = make_torsion_spring;
  return type;
}

// The frames coincide when free: points at the axes' origin, axes parallel; the angle counts from
// the turn nearest to the pose.
MadeForce make_bushing(ForceSet& set, const ElementSpec& spec, CView q) {
  const Vec<2> a = axis_of<2>(spec.ends[0]);
  const Pair<Angle> angle = angle_between_axes(spec, 0);
  PlanarOffset p;
  p.s = {a, perp(a), point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.c = angle.primitive.c + nearest_turn(pose_value(angle, q));
  BushingPool::Element element{pair_of(p, spec), {}, {}};
  for (std::size_t r = 0; r < 3; ++r) {
    element.laws[r].stiffness = spec.number("stiffness", r).value_or(0);
    element.laws[r].damping = spec.number("damping", r).value_or(0);
  }
  return set.place<BushingPool>(
      "bushing", std::move(element), BushingPool::Shown{bushing_outputs, bushing_units, -1});
}

void embed_bushing(const Model& model, Element& e) {
  embed_about_z(model, e);
  for (auto& [key, value] : e.settings)
    if (auto* k = std::get_if<std::vector<double>>(&value); k != nullptr && k->size() == 3)
      *k = {(*k)[0], (*k)[1], 0, 0, 0, (*k)[2]};
}

ElementType bushing() {
  ElementType type = bushing_type(
      "Springs and dampers in x, y and angle between two frames that coincide when free, in the "
      "axes of the first.",
      {dim::stiffness, dim::stiffness, dim::torque},
      {dim::damping, dim::damping, dim::rotational_damping},
      "along x, along y, about the angle",
      "[0, 0, 0]");
  type.embedding = embed_bushing;
  type.make = make_bushing;
  return type;
}

}  // namespace

std::vector<ElementType> planar_force_types() {
  return {force(), torque(), spring(), torsion_spring(), bushing()};
}

}  // namespace cardan
