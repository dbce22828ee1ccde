// The table of spatial forces: which measure and which law each is.
#include <stdexcept>

#include "cardan/element/force_maker.h"
#include "cardan/element/law_force_pool.h"
#include "cardan/element/point_force_pool.h"
#include "cardan/element/spatial_maker.h"
#include "cardan/element/spatial_offset.h"
#include "cardan/element/turns.h"
#include "cardan/element/wrench_pool.h"

namespace cardan {
namespace {

using SpringPool = LawForcePool<Length<3>>;
using TurnPool = LawForcePool<Azimuth>;
using BushingPool = LawForcePool<SpatialOffset>;
using PointPool = PointForcePool<3>;

constexpr std::string_view spring_names[] = {"length", "rate", "force"},
                           spring_units[] = {"m", "m/s", "N"};
constexpr std::string_view turn_names[] = {"angle", "rate", "torque"},
                           turn_units[] = {"rad", "rad/s", "N*m"};
constexpr std::string_view bushing_names[] = {
    "x", "y", "z", "angle_x", "angle_y", "angle_z", "fx", "fy", "fz", "tx", "ty", "tz"};
constexpr std::string_view bushing_units[] = {
    "m", "m", "m", "rad", "rad", "rad", "N", "N", "N", "N*m", "N*m", "N*m"};

std::unique_ptr<ForcePool> make_pool(std::string_view type) {
  if (type == "force") return std::make_unique<PointPool>();
  if (type == "torque") return std::make_unique<WrenchPool>("torque", true);
  if (type == "general-force") return std::make_unique<WrenchPool>("general-force", false);
  if (type == "spring")
    return std::make_unique<SpringPool>("spring", SpringPool::Shown{spring_names, spring_units, 1});
  if (type == "rotational-spring")
    return std::make_unique<TurnPool>("rotational-spring",
                                      TurnPool::Shown{turn_names, turn_units, 1});
  return std::make_unique<BushingPool>("bushing",
                                       BushingPool::Shown{bushing_names, bushing_units, -1});
}

PointPool::Element point_force(const ElementSpec& spec) {
  return {{spec.ends[0].body, spec.ends[1].body},
          {spec.ends[0].point, spec.ends[1].point},
          {formula_of(spec, "fx"), formula_of(spec, "fy"), formula_of(spec, "fz")},
          spec.flag("frame=body"),
          spec.inputs};
}

// Torques in axes of the second body; general forces in the axes of the first or second end.
WrenchPool::Element wrench(const ElementSpec& spec) {
  WrenchPool::Element e;
  e.body = {spec.ends[0].body, spec.ends[1].body};
  e.s = spec.ends[1].point;
  constexpr std::string_view keys[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  for (std::size_t r = 0; r < 6; ++r) e.wrench[r] = formula_of(spec, keys[r]);
  if (spec.flag("frame=body")) e.frame = WrenchPool::Frame::second;
  for (const auto& [key, end] : {std::pair{"frame=first", 0}, std::pair{"frame=second", 1}})
    if (spec.flag(key)) {
      e.frame = end == 0 ? WrenchPool::Frame::first : WrenchPool::Frame::second;
      const EndFrame axes(spec.ends[static_cast<std::size_t>(end)]);
      e.axes << axes.f, axes.g, axes.h;
    }
  e.inputs = spec.inputs;
  return e;
}

SpringPool::Element spring(const ElementSpec& spec, CView q) {
  const auto pair = points<Length<3>>(spec);
  return {pair,
          {spring_law(spec, spec.number_or("free_length", pose_value(pair, q)), "force")},
          spec.inputs};
}

// The angle counts turns: as joint and measures count them where the free angle is given, from the
// pose where it is that of the pose.
TurnPool::Element rotational_spring(ForceSet& set, const ElementSpec& spec, CView q) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  auto pair = azimuth(spec, i.f, i.g, j.f);
  const auto free = spec.number("free_angle");
  pair.primitive.turn = {free ? count_turns(set.turns(), pair, spec.number("near"))
                              : count_own_turns(set.turns(), pair, q)};
  return {pair, {spring_law(spec, free.value_or(pose_value(pair, q)), "torque")}, spec.inputs};
}

BushingPool::Element bushing(const ElementSpec& spec) {
  const EndFrame i(spec.ends[0]), j(spec.ends[1]);
  SpatialOffset p;
  p.s = {i.f, i.g, i.h, i.x, j.x, j.f, j.g, j.h};
  BushingPool::Element element{pair_of(p, spec), {}, {}};
  for (std::size_t r = 0; r < 6; ++r) {
    element.laws[r].stiffness = spec.number("stiffness", r).value_or(0);
    element.laws[r].damping = spec.number("damping", r).value_or(0);
  }
  return element;
}

}  // namespace

MadeForce make_spatial_force(ForceSet& set,
                             std::string_view type,
                             const ElementSpec& spec,
                             CView q) {
  if (type == "force") return set.place<PointPool>("force", point_force(spec), make_pool);
  if (type == "torque") return set.place<WrenchPool>("torque", wrench(spec), make_pool);
  if (type == "general-force")
    return set.place<WrenchPool>("general-force", wrench(spec), make_pool);
  if (type == "spring") return set.place<SpringPool>("spring", spring(spec, q), make_pool);
  if (type == "rotational-spring")
    return set.place<TurnPool>("rotational-spring", rotational_spring(set, spec, q), make_pool);
  if (type == "bushing") return set.place<BushingPool>("bushing", bushing(spec), make_pool);
  throw std::invalid_argument("no force of type '" + std::string(type) + "'");
}

std::span<const std::string_view> spatial_force_types() {
  static constexpr std::string_view names[] = {
      "force", "torque", "general-force", "spring", "rotational-spring", "bushing"};
  return names;
}

}  // namespace cardan
