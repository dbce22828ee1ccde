// Stops, contacts and the friction of joints: what the model says of them, with defaults.

#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "cardan/system/compiler.h"

namespace cardan {

namespace {

struct ContactPlan {
  System::ContactInfo info;
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;  // of what is measured
  ForceSet::Limit law{};                                                    // of a compliant one
  std::optional<FrictionElement> friction;  // pool and element follow
};

constexpr double default_speed = 1e-3;  // m/s: rest_speed and transition_speed
constexpr double default_onset = 1e-3;  // of the mechanism's size
constexpr double stribeck_ratio = 10;

std::variant<std::optional<FrictionLaw>, ElementFault> law_of(const ElementSpec& spec) {
  FrictionLaw law;
  law.kinetic = spec.number_or("friction", 0);
  law.at_rest = spec.number_or("static_friction", law.kinetic);
  law.transition = spec.number_or("transition_speed", default_speed);
  law.stribeck = spec.number_or("stribeck_speed", stribeck_ratio * law.transition);
  if (law.at_rest < law.kinetic)
    return ElementFault{
        "model.bad-value",
        fmt::format("static_friction {:g} below friction {:g}", law.at_rest, law.kinetic),
        "at least the friction of sliding",
        ""};
  if (law.at_rest == 0) return std::optional<FrictionLaw>();
  return std::optional<FrictionLaw>(law);
}

FrictionElement element_of(const ElementSpec& spec, const FrictionLaw& law) {
  FrictionElement e;
  e.law = law;
  for (std::size_t s = 0; s < 2; ++s) {
    e.body[s] = spec.ends[s].body;
    e.point[s] = spec.ends[s].point;
  }
  e.axis = spec.ends[0].axis;
  return e;
}

std::optional<ElementFault> set_limits(const Element& e,
                                       const ElementSpec& spec,
                                       ContactPlan& plan) {
  if (e.kind == Kind::stop) {
    plan.lower = spec.number_or("lower", plan.lower);
    plan.upper = spec.number_or("upper", plan.upper);
    if (std::isinf(plan.lower) && std::isinf(plan.upper))
      return ElementFault{"model.missing-key", "neither lower nor upper", "a limit to stop at", ""};
    if (plan.lower >= plan.upper)
      return ElementFault{"model.bad-value",
                          fmt::format("lower {:g} not below upper {:g}", plan.lower, plan.upper),
                          "lower < upper",
                          ""};
  } else if (e.type == "disc-line") {
    plan.lower = spec.number_or("radius", 0);
  } else {
    const double first = spec.number("radii", 0).value_or(0),
                 second = spec.number("radii", 1).value_or(0);
    const bool ring = e.type == "disc-in-ring";
    (ring ? plan.upper : plan.lower) = ring ? first - second : first + second;
    if (!(ring ? plan.upper > 0 : plan.lower > 0))
      return ElementFault{"model.bad-value",
                          fmt::format("radii {:g} m and {:g} m", first, second),
                          ring ? "a ring larger than the disc in it" : "at least one of them > 0",
                          ""};
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

std::variant<ContactPlan, ElementFault> plan_contact(const Element& e,
                                                     const ElementSpec& spec,
                                                     double length) {
  ContactPlan plan;
  plan.info.kind = e.kind;
  plan.info.type = e.type;
  plan.info.name = e.name;
  plan.info.where = e.where;
  if (auto fault = set_limits(e, spec, plan)) return *fault;
  if (auto fault = set_law(spec, e.type == "angle", length, plan)) return *fault;
  if (e.kind == Kind::stop) return plan;
  auto law = law_of(spec);
  if (const auto* fault = std::get_if<ElementFault>(&law)) return *fault;
  if (!std::get<0>(law)) return plan;
  FrictionElement f = element_of(spec, *std::get<0>(law));
  const bool line = e.type == "disc-line";
  f.slide = line ? FrictionElement::Slide::line : FrictionElement::Slide::circle;
  f.load = plan.info.hard ? FrictionElement::Load::normal : FrictionElement::Load::compliant;
  f.radius = line ? spec.number_or("radius", 0) : spec.number("radii", 0).value_or(0);
  f.sign = e.type == "disc-in-ring" ? -1 : 1;
  if (!plan.info.hard) f.sign = -f.sign;  // the law's force resists the growth of the measure
  plan.friction = std::move(f);
  return plan;
}

std::variant<std::optional<FrictionElement>, ElementFault> plan_friction(const Element& e,
                                                                         const ElementSpec& spec) {
  std::optional<FrictionElement> none;
  if (e.kind != Kind::joint || !spec.number("friction")) return none;
  auto law = law_of(spec);
  if (const auto* fault = std::get_if<ElementFault>(&law)) return *fault;
  if (!std::get<0>(law)) return none;
  FrictionElement f = element_of(spec, *std::get<0>(law));
  if (e.type == "revolute") {
    if (!spec.number("pin_radius"))
      return ElementFault{"model.missing-key",
                          "friction without pin_radius",
                          "the pin's radius: friction times reaction acts on it",
                          "write pin_radius = ..."};
    f.slide = FrictionElement::Slide::turn;
    f.load = FrictionElement::Load::norm;
    f.radius = *spec.number("pin_radius");
  } else {
    f.slide = FrictionElement::Slide::shift;
    f.load = FrictionElement::Load::edges;
    f.edge_distance = spec.number_or("guide_length", 0);
  }
  return std::optional<FrictionElement>(std::move(f));
}

}  // namespace

void Compiler::joint_friction(const Element& e) {
  const ElementSpec spec = spec_of(e);
  if (dimension_ != 2) {
    if (spec.number("friction"))
      report("model.not-available", e.where, e.words(), "friction in space", "a planar model");
    return;
  }
  auto plan = plan_friction(e, spec);
  if (const auto* f = std::get_if<ElementFault>(&plan)) return fault(e, *f);
  if (auto& friction = std::get<0>(plan))
    place_friction(std::move(*friction), system_.constraints_.size() - 1);
}

int Compiler::place_friction(FrictionElement element, std::size_t constraint) {
  friction_of_.push_back(constraint);
  system_.friction_words_.push_back(system_.constraints_[constraint].words());
  return system_.friction_->add(std::move(element));
}

void Compiler::contacts() {
  auto set = std::make_shared<ConstraintSet>(dimension_);
  for (const auto* list : {&model_.stops, &model_.contacts})
    for (const Element& e : *list) {
      if (joins_itself(e)) continue;
      if (dimension_ == 2)
        contact(e, *set);
      else
        report("model.not-available", e.where, e.words(), "it in space", "a planar model");
    }
  system_.limit_set_ = std::move(set);
}

void Compiler::contact(const Element& e, ConstraintSet& set) {
  const ElementSpec spec = spec_of(e);
  auto made = plan_contact(e, spec, system_.length_);
  if (const auto* f = std::get_if<ElementFault>(&made)) return fault(e, *f);
  auto& plan = std::get<ContactPlan>(made);
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
  add_constraint(e, std::move(parts));
  if (!plan.info.hard) {
    const ForcePart part = system_.force_set_->add_limit(e.type, spec, plan.law);
    system_.damped_limits_ = system_.damped_limits_ || plan.law.damping > 0;
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
