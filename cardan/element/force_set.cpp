// The table of forces: which measure and which law each is.
#include "cardan/element/force_set.h"

#include <cmath>
#include <stdexcept>

#include "cardan/element/force_maker.h"
#include "cardan/element/gravity_pool.h"
#include "cardan/element/gyroscopic_pool.h"
#include "cardan/element/law_force_pool.h"
#include "cardan/element/planar_primitive.h"
#include "cardan/element/point_force_pool.h"

namespace cardan {
namespace {

using SpringPool = LawForcePool<Length<2>>;
using AnglePool = LawForcePool<Angle>;
using BushingPool = LawForcePool<PlanarOffset>;
using ForcePool2 = PointForcePool<2>;

constexpr std::string_view spring_names[] = {"length", "rate", "force"},
                           spring_units[] = {"m", "m/s", "N"};
constexpr std::string_view turn_names[] = {"angle", "rate", "torque"},
                           turn_units[] = {"rad", "rad/s", "N*m"};
constexpr std::string_view torque_names[] = {"torque"}, torque_units[] = {"N*m"};
constexpr std::string_view bushing_names[] = {"x", "y", "angle", "fx", "fy", "torque"},
                           bushing_units[] = {"m", "m", "rad", "N", "N", "N*m"};

std::unique_ptr<ForcePool> make_pool(std::string_view type) {
  if (type == "force") return std::make_unique<ForcePool2>();
  if (type == "torque")
    return std::make_unique<AnglePool>(type, AnglePool::Shown{torque_names, torque_units, -1});
  if (type == "spring")
    return std::make_unique<SpringPool>(type, SpringPool::Shown{spring_names, spring_units, 1});
  if (type == "rotational-spring")
    return std::make_unique<AnglePool>(type, AnglePool::Shown{turn_names, turn_units, 1});
  if (type == "bushing")
    return std::make_unique<BushingPool>(type,
                                         BushingPool::Shown{bushing_names, bushing_units, -1});
  throw std::invalid_argument("no force of type '" + std::string(type) + "'");
}

FunctionPtr function(const ElementSpec& spec, std::string_view key) {
  const FunctionPtr* found = ElementSpec::find(spec.functions, key);
  return found != nullptr ? *found : nullptr;
}

void set_actuator(ForceLaw& law, const ElementSpec& spec, std::string_view key, double sign) {
  const Expression* found = ElementSpec::find(spec.formulas, key);
  if (found == nullptr) return;
  law.active = true;
  law.actuator = *found;
  law.actuator_sign = sign;
}

Pair<Angle> angle_pair(const ElementSpec& spec) {
  Angle p;
  p.c = axis_angle(spec.ends[0]) - axis_angle(spec.ends[1]);
  return pair_of(p, spec);
}

ForcePool2::Element make_point_force(const ElementSpec& spec) {
  return {{spec.ends[0].body, spec.ends[1].body},
          {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])},
          {formula_of(spec, "fx"), formula_of(spec, "fy")},
          spec.flag("frame=body"),
          spec.inputs};
}

AnglePool::Element make_torque(const ElementSpec& spec) {
  ForceLaw law;
  set_actuator(law, spec, "value", -1);
  return {angle_pair(spec), {law}, spec.inputs};
}

SpringPool::Element make_spring(const ElementSpec& spec, CView q) {
  Length<2> p;
  p.s = {point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  const Pair<Length<2>> pair = pair_of(p, spec);
  return {pair,
          {spring_law(spec, spec.number_or("free_length", pose_value(pair, q)), "force")},
          spec.inputs};
}

AnglePool::Element make_rotational_spring(const ElementSpec& spec, CView q) {
  const Pair<Angle> pair = angle_pair(spec);
  return {pair,
          {spring_law(spec, spec.number_or("free_angle", pose_value(pair, q)), "torque")},
          spec.inputs};
}

// The frames coincide when free: points at the axes' origin, axes parallel; the angle counts from
// the turn nearest to the pose.
BushingPool::Element make_bushing(const ElementSpec& spec, CView q) {
  const Vec<2> a = axis_of<2>(spec.ends[0]);
  Pair<Angle> angle = angle_pair(spec);
  PlanarOffset p;
  p.s = {a, perp(a), point_of<2>(spec.ends[0]), point_of<2>(spec.ends[1])};
  p.c = angle.primitive.c + nearest_turn(pose_value(angle, q));
  BushingPool::Element element{pair_of(p, spec), {}, {}};
  for (std::size_t r = 0; r < 3; ++r) {
    element.laws[r].stiffness = spec.number("stiffness", r).value_or(0);
    element.laws[r].damping = spec.number("damping", r).value_or(0);
  }
  return element;
}

}  // namespace

ForceLaw spring_law(const ElementSpec& spec, double free, std::string_view actuator) {
  ForceLaw law;
  law.stiffness = spec.number_or("stiffness", 0);
  law.damping = spec.number_or("damping", 0);
  law.free = free;
  law.spring = function(spec, "spring");
  law.damper = function(spec, "damper");
  set_actuator(law, spec, actuator, 1);
  return law;
}

int ForceSet::add_gravity(const Vec<3>& acceleration, CView masses) {
  pools_.push_back(std::make_unique<GravityPool>(dimension_, acceleration, masses));
  return pool_count() - 1;
}

int ForceSet::add_gyroscopic(std::vector<Mat<3, 3>> inertias) {
  pools_.push_back(std::make_unique<GyroscopicPool>(std::move(inertias)));
  return pool_count() - 1;
}

MadeForce ForceSet::add(std::string_view type, const ElementSpec& spec, CView q) {
  if (spec.inputs.size() > max_formula_inputs)
    return ElementFault{
        "limit.formula-inputs", "a formula that names more than 32 requests", "at most 32", ""};
  if (dimension_ == 3) return make_spatial_force(*this, type, spec, q);
  if (type == "force") return place<ForcePool2>("force", make_point_force(spec), make_pool);
  if (type == "torque") return place<AnglePool>("torque", make_torque(spec), make_pool);
  if (type == "spring") return place<SpringPool>("spring", make_spring(spec, q), make_pool);
  if (type == "rotational-spring")
    return place<AnglePool>("rotational-spring", make_rotational_spring(spec, q), make_pool);
  if (type == "bushing") return place<BushingPool>("bushing", make_bushing(spec, q), make_pool);
  throw std::invalid_argument("no force of type '" + std::string(type) + "'");
}

std::span<const std::string_view> force_types(int dimension) {
  static constexpr std::string_view names[] = {
      "force", "torque", "spring", "rotational-spring", "bushing"};
  if (dimension == 3) return spatial_force_types();
  return names;
}

}  // namespace cardan
