// Friction of joints: how each slides, and which part of its reaction presses it together.
#include "cardan/element/contact/friction_plan.h"

#include <fmt/format.h>

#include "cardan/element/type_parts.h"

namespace cardan {

namespace {

using Slide = FrictionElement::Slide;
using Load = FrictionElement::Load;
using Rows = FrictionElement::Rows;

constexpr double default_transition = 1e-3;  // m/s: transition_speed
constexpr WordChoice<FrictionLaw::Kind> friction_laws[] = {{"coulomb", FrictionLaw::Kind::coulomb},
                                                           {"tanh", FrictionLaw::Kind::tanh}};
constexpr double stribeck_ratio = 10;  // of the transition speed, where no Stribeck speed is given

ElementFault missing(const char* key, const char* expected) {
  return {"model.missing-key",
          fmt::format("friction without {}", key),
          expected,
          fmt::format("write {} = ...", key)};
}

FrictionPlan hinge(const ElementSpec& spec, FrictionElement f, Load load) {
  const auto pin = spec.number("pin_radius"), collar = spec.number("collar_radius");
  if (!pin && !collar)
    return missing("pin_radius", "the pin's radius: friction times reaction acts on it");
  std::vector<FrictionElement> all;
  f.slide = Slide::turn;
  if (pin) {
    f.load = load;
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

}  // namespace

FrictionPlan planar_hinge_friction(const ElementSpec& spec, FrictionElement f) {
  return hinge(spec, std::move(f), Load::norm);
}

FrictionPlan hinge_friction(const ElementSpec& spec, FrictionElement f) {
  return hinge(spec, std::move(f), Load::edges);
}

FrictionPlan slide_friction(const ElementSpec& spec, FrictionElement f) {
  f.slide = Slide::shift;
  f.load = Load::edges;
  f.meaning = Rows::across_and_moment;
  f.edge_distance = spec.number_or("guide_length", 0);
  f.width = spec.number_or("guide_width", 0);
  return std::vector{std::move(f)};
}

// Pins that also slide along, and balls: several components of sliding at once, loaded by reactions.
// Modes of many such joints together need not settle, so the smooth law is theirs unless asked.
void smooth_unless_asked(const ElementSpec& spec, FrictionLaw& law) {
  if (ElementSpec::find(spec.choices, "friction_law") != nullptr || !law.sticks()) return;
  law.kind = FrictionLaw::Kind::tanh;
  law.stribeck = spec.number_or("stribeck_speed", stribeck_ratio * law.transition);
}

FrictionPlan sleeve_friction(const ElementSpec& spec, FrictionElement f) {
  if (!spec.number("pin_radius"))
    return missing("pin_radius", "the pin's radius: it slides along the pin and around it");
  smooth_unless_asked(spec, f.law);
  f.slide = Slide::twist;
  f.load = Load::edges;
  f.meaning = Rows::across_and_moment;
  f.radius = *spec.number("pin_radius");
  f.edge_distance = spec.number_or("bearing_length", 0);
  return std::vector{std::move(f)};
}

FrictionPlan socket_friction(const ElementSpec& spec, FrictionElement f) {
  if (!spec.number("ball_radius"))
    return missing("ball_radius", "the ball's radius: friction times reaction acts on it");
  smooth_unless_asked(spec, f.law);
  f.slide = Slide::ball;
  f.load = Load::norm;
  f.radius = *spec.number("ball_radius");
  return std::vector{std::move(f)};
}

Result<std::optional<FrictionLaw>, ElementFault> friction_law(const ElementSpec& spec) {
  FrictionLaw law;
  law.kinetic = spec.number_or("friction", 0);
  law.at_rest = spec.number_or("static_friction", law.kinetic);
  law.transition = spec.number_or("transition_speed", default_transition);
  const bool asked = ElementSpec::find(spec.choices, "friction_law") != nullptr;
  law.kind = chosen(spec, "friction_law", friction_laws);
  if (asked && law.sticks() && spec.number("transition_speed"))
    return ElementFault{"model.bad-value",
                        "friction_law = \"coulomb\" with transition_speed",
                        "one of the two",
                        "transition_speed is of the law \"tanh\""};
  if (spec.number("transition_speed")) law.kind = FrictionLaw::Kind::tanh;
  law.stribeck =
      spec.number_or("stribeck_speed", law.sticks() ? 0.0 : stribeck_ratio * law.transition);
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

std::vector<KeySpec> type_parts::friction_keys(std::vector<KeySpec> own) {
  namespace dim = dimension;
  std::vector<KeySpec> keys{
      number_key("friction", dim::none, "0", "coefficient of friction", Range::not_negative),
      number_key("static_friction",
                 dim::none,
                 "as `friction`",
                 "coefficient up to which it sticks, and as the sliding begins",
                 Range::not_negative),
      {.name = "friction_law",
       .kind = ValueKind::choice,
       .otherwise = "coulomb; tanh where `transition_speed` is given, and in pins that slide along "
                    "and balls",
       .doc =
           "\"coulomb\": what does not slide sticks until its force exceeds static_friction times "
           "load, at events that are found exactly; \"tanh\": friction times tanh(speed / "
           "transition_speed), under which everything creeps",
       .choices = words_of(friction_laws)},
      number_key("stribeck_speed",
                 dim::velocity,
                 "none: at once; of `tanh` 10 times `transition_speed`",
                 "sliding speed at which the coefficient has fallen from `static_friction` most "
                 "of the way to `friction`",
                 Range::positive),
      number_key("transition_speed",
                 dim::velocity,
                 "1 mm/s",
                 "of the law `tanh`: sliding speed over which the friction changes its sense",
                 Range::positive)};
  for (KeySpec& key : own) keys.push_back(std::move(key));
  return keys;
}

}  // namespace cardan
