#include "cardan/analysis/record/channel_reference.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace cardan {

namespace {

// clang-format off
constexpr ChannelMeaning table[] = {
    {"plane", "BODY.x", "m", "origin of the body's frame, in ground axes"},
    {"plane", "BODY.y", "m", "the same, y"},
    {"plane", "BODY.angle", "rad", "angle of the frame's x axis, counter-clockwise; counts turns"},
    {"plane", "BODY.vx", "m/s", "velocity of the origin, ground axes"},
    {"plane", "BODY.vy", "m/s", "the same, y"},
    {"plane", "BODY.omega", "rad/s", "angular velocity, counter-clockwise"},
    {"plane", "BODY.ax", "m/s^2", "acceleration of the origin, ground axes"},
    {"plane", "BODY.ay", "m/s^2", "the same, y"},
    {"plane", "BODY.alpha", "rad/s^2", "angular acceleration"},
    {"space", "BODY.x|y|z", "m", "origin of the body's frame, in ground axes"},
    {"space", "BODY.qw|qx|qy|qz", "", "unit quaternion that turns body axes into ground axes, w first"},
    {"space", "BODY.vx|vy|vz", "m/s", "velocity of the origin, ground axes"},
    {"space", "BODY.omega_x|omega_y|omega_z", "rad/s", "angular velocity, ground axes"},
    {"space", "BODY.ax|ay|az", "m/s^2", "acceleration of the origin, ground axes"},
    {"space", "BODY.alpha_x|alpha_y|alpha_z", "rad/s^2", "angular acceleration, ground axes"},
    {"plane", "JOINT.first.fx", "N", "force that the joint exerts on its first body (`between = [first, second]`), ground axes"},
    {"plane", "JOINT.first.fy", "N", "the same, y"},
    {"plane", "JOINT.first.torque", "N*m", "torque on the first body about the joint's point, counter-clockwise"},
    {"plane", "JOINT.first.along", "N", "part of the force along the joint's axis, which is fixed in the first body"},
    {"plane", "JOINT.first.across", "N", "part of the force across it: the axis turned by 90 degrees counter-clockwise"},
    {"plane", "JOINT.first.force", "N", "size of the force: the load of the bearing"},
    {"plane", "JOINT.second.fx", "N", "force on the second body: the opposite of that on the first"},
    {"plane", "JOINT.second.fy", "N", "the same, y"},
    {"plane", "JOINT.second.torque", "N*m", "torque on the second body about the joint's point on it"},
    {"plane", "JOINT.second.along", "N", "along the axis, as of the first body"},
    {"plane", "JOINT.second.across", "N", "across the axis, as of the first body"},
    {"plane", "JOINT.second.force", "N", "size of the force"},
    {"space", "JOINT.first|second.fx|fy|fz", "N", "force that the joint exerts on that body, ground axes"},
    {"space", "JOINT.first|second.mx|my|mz", "N*m", "moment on that body about the joint's point, ground axes"},
    {"space", "JOINT.first|second.local.fx|fy|fz", "N", "the same force in the joint's frame on the first body: z along the axis, x where angles start"},
    {"space", "JOINT.first|second.local.mx|my|mz", "N*m", "the same moment in that frame"},
    {"space", "JOINT.first|second.force", "N", "size of the force"},
    {"space", "JOINT.first|second.moment", "N*m", "size of the moment"},
    {"space", "JOINT.COORDINATE", "rad", "angle of the second body against the first about the axis; counts turns"},
    {"space", "JOINT.COORDINATE_rate", "rad/s", "its rate"},
    {"space", "JOINT.COORDINATE", "m", "displacement along the axis"},
    {"space", "JOINT.COORDINATE_rate", "m/s", "its rate"},
    {"both", "DRIVER.torque", "N*m", "torque of a driver that turns, in the sense of its motion: positive where it drives"},
    {"both", "DRIVER.force", "N", "force of a driver that moves along, likewise"},
    {"both", "DRIVER.power", "W", "torque or force times the prescribed rate: positive where it puts energy in"},
    {"plane", "BODY.joints.fx|fy", "N", "redundant mechanisms: what all joints together exert on the body (or `ground`), which is unique"},
    {"plane", "BODY.joints.torque", "N*m", "about the mass centre; of the ground about its origin"},
    {"space", "BODY.joints.fx|fy|fz", "N", "redundant mechanisms: what all joints together exert on the body (or `ground`), which is unique"},
    {"space", "BODY.joints.mx|my|mz", "N*m", "about the mass centre; of the ground about its origin"},
    {"both", "FORCE.length", "m", "length of a spring"},
    {"both", "FORCE.angle", "rad", "angle of a rotational spring, second body against the first"},
    {"both", "FORCE.rate", "m/s", "rate of the length"},
    {"both", "FORCE.rate", "rad/s", "rate of the angle"},
    {"both", "FORCE.force", "N", "tension: positive where the spring pulls its ends together"},
    {"both", "FORCE.tension", "N", "tension: positive where the spring pulls its ends together"},
    {"both", "FORCE.torque", "N*m", "torque on the second body, its opposite on the first"},
    {"both", "FORCE.fx|fy|fz", "N", "force on the second body (or on the body), ground axes"},
    {"both", "FORCE.mx|my|mz", "N*m", "torque on the second body (or on the body), ground axes"},
    {"both", "FORCE.tx|ty|tz", "N*m", "torque of a bushing on the second body, ground axes"},
    {"both", "NAME.force", "by model", "generalized force of an equation by a formula, or on a coordinate of one's own"},
    {"both", "CONTACT.gap", "m", "distance to the stop or between the bodies; negative: pressed in"},
    {"both", "CONTACT.gap", "rad", "angle left to the stop"},
    {"both", "CONTACT.normal", "N", "force that keeps the bodies apart, never negative"},
    {"both", "CONTACT.normal", "N*m", "torque of a stop of an angle"},
    {"both", "CONTACT.impulse", "N*s", "of a hard one: impulses of all its impacts since the start, which step up at each"},
    {"both", "CONTACT.impulse", "N*m*s", "of a hard stop of an angle"},
    {"both", "CONTACT.mode", "", "1 while it is closed, else 0"},
    {"both", "NAME.friction", "N", "friction of a joint or contact, with the sign of the sliding that it resists"},
    {"both", "NAME.friction", "N*m", "friction torque of a joint that turns"},
    {"both", "REQUEST", "by model", "value of a request, a state or an input; of a point NAME.x, NAME.y, NAME.z"},
    {"both", "energy.kinetic", "J", "kinetic energy"},
    {"both", "energy.potential", "J", "of gravity, springs, compliant contacts, constant forces, and actuators that follow their own length or angle by sums, products, whole powers, sines and cosines"},
    {"both", "energy.dissipated", "J", "lost to dampers and friction since the start"},
    {"both", "energy.applied", "J", "work of applied forces without a potential since the start"},
    {"both", "energy.drivers", "J", "work of all drivers since the start"},
    {"both", "energy.balance", "J", "kinetic + potential + dissipated - applied - drivers: constant in an exact solution"},
    {"both", "residual.position|velocity|acceleration", "by model", "largest violation of the constraints, angles times the size of the mechanism"},
    {"both", "step.size", "s", "last step of the integrator"},
    {"both", "step.order", "", "its order"},
    {"equations", "COORDINATE", "by model", "a coordinate of one's own equations"},
    {"equations", "COORDINATE.rate", "by model", "its rate"},
    {"equations", "COORDINATE.acceleration", "by model", "its acceleration"},
    {"equations", "CONSTRAINT.lambda", "by model", "multiplier of a constraint of one's own: the force on coordinate q is -lambda times its derivative by q"},
    {"both", "d(CHANNEL)/d(PARAMETER)", "by model", "derivative of a channel by a parameter, where `sensitivity` asks for it"},
};

// clang-format on

// A text against a part of a pattern without names: "fx|fy|fz".
bool is_one_of(std::string_view text, std::string_view words) {
  while (true) {
    const std::size_t end = std::min(words.find('|'), words.size());
    if (words.substr(0, end) == text) return true;
    if (end == words.size()) return false;
    words.remove_prefix(end + 1);
  }
}

bool is_name(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
    return std::isupper(c) != 0;
  });
}

std::string_view last_part(std::string_view& text) {
  const std::size_t dot = text.rfind('.');
  const std::string_view part = dot == std::string_view::npos ? text : text.substr(dot + 1);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(0, dot);
  return part;
}

// From behind, since names may have dots.
bool fits(std::string_view name, std::string_view pattern) {
  if (pattern.starts_with("d(")) return name.starts_with("d(");
  while (!pattern.empty()) {
    std::string_view rest = pattern;
    const std::string_view part = last_part(rest);
    if (is_name(part) && rest.empty()) return !name.empty();
    if (name.empty()) return false;
    const std::string_view own = last_part(name);
    const bool rate = part.ends_with("_rate");
    if (rate ? !own.ends_with("_rate") : !is_name(part) && !is_one_of(own, part)) return false;
    if (is_name(part) && own.ends_with("_rate")) return false;
    pattern = rest;
  }
  return name.empty();
}

}  // namespace

std::span<const ChannelMeaning> channel_meanings() {
  return table;
}

const ChannelMeaning* meaning_of(const Channel& c, bool planar) {
  const bool whole = c.quantity == "request" || c.quantity == "state" || c.quantity == "input";
  for (const ChannelMeaning& m : table) {
    if (m.where == (planar ? "space" : "plane")) continue;
    if ((m.pattern == "REQUEST") != whole) continue;
    if (m.unit != "by model" && m.unit != c.unit) continue;
    if (m.pattern == "COORDINATE" && c.quantity != "position") continue;
    if (fits(c.name, m.pattern)) return &m;
  }
  return nullptr;
}

std::string channel_page() {
  std::string text =
      "# Results: channels, units, frames and signs\n\n"
      "This page is generated from the program. Everything a run stores is a channel: `NAME.part`, "
      "in SI units (`--units "
      "mm,deg,kN` shows others). Words in capitals stand for names of your model; `a|b` means a or "
      "b. `cardan check MODEL "
      "--channels` lists those of a model, `cardan table RUN 'main bearing.*'` shows least and "
      "largest value with their times, "
      "mean and RMS over all steps.\n\n"
      "- Ground axes are those of the model file; angles and torques are positive "
      "counter-clockwise.\n"
      "- Of a joint `between = [\"a\", \"b\"]` the first body is a, the second b. A reaction is "
      "what the joint does to that "
      "body, so first and second have opposite forces.\n"
      "- Any channel can be read by a request of type `expression`: `value = "
      "\"hypot(main.first.fx, main.first.fy)\"`. Names "
      "with blanks or other signs stand between backquotes: ``\"`main bearing.first.force`/2\"``. "
      "Such a request is evaluated "
      "when a row is stored; forces and drivers cannot read it.\n";
  const std::pair<std::string_view, std::string_view> parts[] = {{"plane", "In the plane"},
                                                                 {"space", "In space"},
                                                                 {"both", "In both"},
                                                                 {"equations", "Own equations"}};
  for (const auto& [where, title] : parts) {
    text += fmt::format("\n## {}\n\n| channel | unit | meaning |\n|---|---|---|\n", title);
    for (const ChannelMeaning& m : table) {
      if (m.where != where) continue;
      std::string name(m.pattern);
      for (std::size_t at = 0; (at = name.find('|', at)) != std::string::npos; at += 2)
        name.replace(at, 1, "\\|");
      text += fmt::format("| `{}` | {} | {} |\n", name, m.unit.empty() ? "-" : m.unit, m.meaning);
    }
  }
  return text;
}

}  // namespace cardan
