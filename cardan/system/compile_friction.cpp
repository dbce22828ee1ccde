// Friction of joints: how each slides, and which part of its reaction presses it together.
#include <fmt/format.h>

#include "cardan/system/compiler.h"
#include "cardan/system/friction_plan.h"

namespace cardan {

namespace {

using Slide = FrictionElement::Slide;
using Load = FrictionElement::Load;
using Rows = FrictionElement::Rows;
using Plan = std::variant<std::vector<FrictionElement>, ElementFault>;

constexpr double default_transition = 1e-3;  // m/s: transition_speed
constexpr double stribeck_ratio = 10;

ElementFault missing(const char* key, const char* expected) {
  return {"model.missing-key",
          fmt::format("friction without {}", key),
          expected,
          fmt::format("write {} = ...", key)};
}

Plan hinge(const ElementSpec& spec, FrictionElement f, bool space) {
  const auto pin = spec.number("pin_radius"), collar = spec.number("collar_radius");
  if (!pin && !collar)
    return missing("pin_radius", "the pin's radius: friction times reaction acts on it");
  std::vector<FrictionElement> all;
  f.slide = Slide::turn;
  if (pin) {
    f.load = space ? Load::edges : Load::norm;
    f.radius = *pin;
    f.edge_distance = spec.number_or("bearing_length", 0);
    all.push_back(f);
  }
  if (collar) {
    f.load = Load::thrust;
    f.radius = *collar;
    f.beside = pin.has_value();
    all.push_back(f);
  }
  return all;
}

Plan slide(const ElementSpec& spec, FrictionElement f) {
  f.slide = Slide::shift;
  f.load = Load::edges;
  f.meaning = Rows::across_and_moment;
  f.edge_distance = spec.number_or("guide_length", 0);
  f.width = spec.number_or("guide_width", 0);
  return std::vector{std::move(f)};
}

Plan sleeve(const ElementSpec& spec, FrictionElement f) {
  if (!spec.number("pin_radius"))
    return missing("pin_radius", "the pin's radius: it slides along the pin and around it");
  f.slide = Slide::twist;
  f.load = Load::edges;
  f.meaning = Rows::across_and_moment;
  f.radius = *spec.number("pin_radius");
  f.edge_distance = spec.number_or("bearing_length", 0);
  return std::vector{std::move(f)};
}

Plan socket(const ElementSpec& spec, FrictionElement f) {
  if (!spec.number("ball_radius"))
    return missing("ball_radius", "the ball's radius: friction times reaction acts on it");
  f.slide = Slide::ball;
  f.load = Load::norm;
  f.radius = *spec.number("ball_radius");
  return std::vector{std::move(f)};
}

Plan plan_friction(const Element& e, const ElementSpec& spec, bool space) {
  std::vector<FrictionElement> none;
  if (!spec.number("friction") && !spec.number("static_friction")) return none;
  auto law = friction_law(spec);
  if (const auto* fault = std::get_if<ElementFault>(&law)) return *fault;
  if (!std::get<0>(law)) return none;
  FrictionElement f = friction_element(spec, *std::get<0>(law));
  if (e.type == "revolute") return hinge(spec, std::move(f), space);
  if (e.type == "cylindrical") return sleeve(spec, std::move(f));
  if (e.type == "spherical") return socket(spec, std::move(f));
  return slide(spec, std::move(f));
}

}  // namespace

std::variant<std::optional<FrictionLaw>, ElementFault> friction_law(const ElementSpec& spec) {
  FrictionLaw law;
  law.kinetic = spec.number_or("friction", 0);
  law.at_rest = spec.number_or("static_friction", law.kinetic);
  law.transition = spec.number_or("transition_speed", default_transition);
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

FrictionElement friction_element(const ElementSpec& spec, const FrictionLaw& law) {
  FrictionElement e;
  e.law = law;
  for (std::size_t s = 0; s < 2; ++s) {
    e.body[s] = spec.ends[s].body;
    e.point[s] = spec.ends[s].point;
  }
  e.axis = spec.ends[0].axis;
  e.across = spec.ends[0].across;
  return e;
}

void Compiler::joint_friction(const Element& e) {
  if (e.kind != Kind::joint) return;
  auto plan = plan_friction(e, spec_of(e), dimension_ == 3);
  if (const auto* f = std::get_if<ElementFault>(&plan)) return fault(e, *f);
  for (auto& friction : std::get<0>(plan))
    place_friction(std::move(friction), system_.constraints_.size() - 1);
}

int Compiler::place_friction(FrictionElement element, std::size_t constraint) {
  friction_of_.push_back(constraint);
  system_.friction_words_.push_back(system_.constraints_[constraint].words());
  return system_.friction_->add(std::move(element));
}

}  // namespace cardan
