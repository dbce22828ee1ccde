// Stops and contacts: what the model says of them, with defaults.

#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "cardan/element/contact/friction_plan.h"
#include "cardan/system/compiler.h"

namespace cardan {

namespace {

struct ContactPlan {
  System::ContactInfo info;
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;  // of what is measured
  ForceSet::Limit law{};                                                    // of a compliant one
  std::optional<FrictionElement> friction;  // pool and element follow
};

constexpr double default_speed = 1e-3;  // m/s: rest_speed
constexpr double default_onset = 1e-3;  // of the mechanism's size

std::optional<ElementFault> set_limits(const ElementType& type,
                                       const ElementSpec& spec,
                                       ContactPlan& plan) {
  if (!type.contact) {
    plan.lower = spec.number_or("lower", plan.lower);
    plan.upper = spec.number_or("upper", plan.upper);
    if (std::isinf(plan.lower) && std::isinf(plan.upper))
      return ElementFault{"model.missing-key", "neither lower nor upper", "a limit to stop at", ""};
    if (plan.lower >= plan.upper)
      return ElementFault{"model.bad-value",
                          fmt::format("lower {:g} not below upper {:g}", plan.lower, plan.upper),
                          "lower < upper",
                          ""};
  } else if (type.contact->flat) {
    plan.lower = spec.number_or("radius", 0);
  } else {
    const double first = spec.number("radii", 0).value_or(0),
                 second = spec.number("radii", 1).value_or(0);
    const bool inside = type.contact->hollow;
    (inside ? plan.upper : plan.lower) = inside ? first - second : first + second;
    if (!(inside ? plan.upper > 0 : plan.lower > 0))
      return ElementFault{
          "model.bad-value",
          fmt::format("radii {:g} m and {:g} m", first, second),
          inside ? "a hollow larger than what is in it" : "at least one of them > 0",
          ""};
    if (!inside) plan.info.centre_gap = -plan.lower;
  }
  return {};
}

std::optional<ElementFault> set_law(const ElementSpec& spec,
                                    bool angle,
                                    double length,
                                    ContactPlan& plan) {
  auto& info = plan.info;
  const auto stiffness = spec.number("stiffness");
  info.hard = !stiffness;
  info.restitution = spec.number_or("restitution", 0);
  info.rest_speed = spec.number_or("rest_speed", default_speed / (angle ? length : 1));
  if (info.restitution > 1)
    return ElementFault{"model.bad-value",
                        fmt::format("restitution {:g}", info.restitution),
                        "0 to 1: an impact makes no energy",
                        ""};
  for (const char* key : {"damping", "onset"})
    if (info.hard && spec.number(key))
      return ElementFault{"model.missing-key",
                          fmt::format("{} without stiffness", key),
                          "stiffness for a compliant one, or neither for a hard one",
                          ""};
  for (const char* key : {"restitution", "rest_speed"})
    if (!info.hard && spec.number(key))
      return ElementFault{"model.bad-value",
                          fmt::format("both stiffness and {}", key),
                          "either a compliant one or a hard one",
                          "a compliant one loses energy by `damping`"};
  if (info.hard) return {};
  plan.law = {plan.lower,
              plan.upper,
              *stiffness,
              spec.number_or("damping", 0),
              spec.number_or("onset", default_onset * (angle ? 1 : length))};
  return {};
}

Result<ContactPlan, ElementFault> plan_contact(const Element& e,
                                               const ElementType& type,
                                               const ElementSpec& spec,
                                               double length) {
  ContactPlan plan;
  plan.info.kind = e.kind;
  plan.info.type = e.type;
  plan.info.name = e.name;
  plan.info.where = e.where;
  if (auto fault = set_limits(type, spec, plan)) return *fault;
  const bool angle = type.measure && unit_kind_of(*type.measure) == UnitKind::angle;
  if (auto fault = set_law(spec, angle, length, plan)) return *fault;
  const auto& make = std::get<LimitMaker>(type.make);
  if (make.fault != nullptr)
    if (auto fault = make.fault(spec)) return *fault;
  if (!type.contact) return plan;
  auto law = friction_law(spec);
  if (!law) return law.why();
  if (!law.value()) return plan;
  FrictionElement f = friction_element(spec, *law.value());
  f.slide = type.contact->slide;
  f.load = plan.info.hard ? FrictionElement::Load::normal : FrictionElement::Load::compliant;
  f.radius = type.contact->flat ? spec.number_or("radius", 0) : spec.number("radii", 0).value_or(0);
  f.sign = type.contact->hollow ? -1 : 1;
  if (!plan.info.hard) f.sign = -f.sign;  // the law's force resists the growth of the measure
  plan.friction = std::move(f);
  return plan;
}

}  // namespace

void Compiler::contacts() {
  auto set = std::make_shared<ConstraintSet>(dimension_, turns_.get());
  for (const auto* list : {&model_.stops, &model_.contacts})
    for (const Element& e : *list) {
      if (joins_itself(e)) continue;
      if (const ElementType* type = type_of(e)) contact(e, *type, *set);
    }
  system_.limit_set_ = std::move(set);
}

void Compiler::contact(const Element& e, const ElementType& type, ConstraintSet& set) {
  const ElementSpec spec = spec_of(e);
  auto made = plan_contact(e, type, spec, system_.length_);
  if (!made) return fault(e, made.why());
  auto& plan = made.value();
  std::vector<Part> parts;
  plan.info.first_limit = static_cast<int>(system_.limits_.size());
  for (const double limit : {plan.lower, plan.upper}) {
    if (std::isinf(limit)) continue;
    const bool lower = limit == plan.lower;
    const char* which = e.kind == Kind::contact ? "" : lower ? ", lower" : ", upper";
    parts.push_back(set.add_limit(e.type, spec, limit));
    system_.limits_.push_back(
        {static_cast<int>(system_.contacts_.size()), 0, lower ? 1.0 : -1.0, e.words() + which});
    ++plan.info.limits;
  }
  add_constraint(e, type, std::move(parts));
  if (!plan.info.hard) {
    const ForcePart part = system_.force_set_->add_limit(e.type, spec, plan.law);
    plan.info.pool = part.pool;
    plan.info.element = part.element;
  }
  if (plan.friction) {
    plan.friction->pool = plan.info.pool;
    plan.friction->element = plan.info.element;
    plan.info.friction = place_friction(std::move(*plan.friction), system_.constraints_.size() - 1);
  }
  system_.contacts_.push_back(std::move(plan.info));
}

}  // namespace cardan
