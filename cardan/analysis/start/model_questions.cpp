#include "cardan/analysis/start/model_questions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "cardan/math/types.h"

namespace cardan {

namespace {

constexpr double far_off = 0.5;  // of a bar's length: a joint that is farther off is asked about

Diagnostic question(const SourcePos& where,
                    std::string element,
                    std::string found,
                    std::string hint) {
  Diagnostic d;
  d.id = "model.unlikely";
  d.severity = Severity::warning;
  d.where = where;
  d.element = std::move(element);
  d.found = std::move(found);
  d.hint = std::move(hint);
  return d;
}

Vec<3> vector_of(const Triple& p) {
  return Vec<3>(p.data());
}

// From a point to the line between two others, both in a body's frame.
double distance_to_bar(const Triple& point, const Triple& from, const Triple& to) {
  const Vec<3> p = vector_of(point), a = vector_of(from), d = vector_of(to) - a;
  const double s = std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
  return (p - a - s * d).norm();
}

void ask_about_joints(const Model& model, Diagnostics& out) {
  for (const Element& joint : model.joints) {
    if (joint.type != "revolute" && joint.type != "spherical" && joint.type != "universal")
      continue;
    for (const Side& side : joint.sides) {
      if (side.body < 0) continue;
      const Body& body = model.bodies[static_cast<std::size_t>(side.body)];
      if (body.shapes.size() != 1 || body.shapes.front().kind != "bar") continue;
      const auto& ends = body.shapes.front().points;
      const double length = (vector_of(ends[1]) - vector_of(ends[0])).norm(),
                   off = distance_to_bar(side.point, ends[0], ends[1]);
      if (!(length > 0) || off <= far_off * length) continue;
      out.push_back(
          question(joint.where,
                   joint.words(),
                   fmt::format("it stands {:.3g} m off the bar '{}', which is {:.3g} m long",
                               off,
                               body.name,
                               length),
                   "check `at` of the joint and `from`, `to` of the bar"));
      break;
    }
  }
}

void ask_about_loose_bodies(const Model& model, Diagnostics& out) {
  if (model.joints.empty()) return;
  std::vector<char> named(model.bodies.size(), 0);
  for (const auto* list : {&model.joints,
                           &model.drivers,
                           &model.forces,
                           &model.requests,
                           &model.initial,
                           &model.stops,
                           &model.contacts})
    for (const Element& e : *list)
      for (const Side& side : e.sides)
        if (side.body >= 0) named[static_cast<std::size_t>(side.body)] = 1;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (named[b] == 0 && !model.bodies[b].velocity_given)
      out.push_back(question(model.bodies[b].where,
                             fmt::format("body '{}'", model.bodies[b].name),
                             "no joint, force or contact names it: it moves by itself",
                             "join it by a [[joint]] with between = [...], or leave it out"));
}

bool names_a_size(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  static constexpr std::string_view words[] = {
      "length", "radius", "diameter", "width", "thickness", "stroke", "rod", "crank", "link"};
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return name.find(word) != std::string::npos && name.find("offset") == std::string::npos;
  });
}

void ask_about_parameters(const Model& model, Diagnostics& out) {
  for (const auto& [name, value] : model.parameters) {
    if (!(value < 0) || !names_a_size(name)) continue;
    const auto use = std::find_if(
        model.parameter_uses.begin(), model.parameter_uses.end(), [&, of = name](const auto& u) {
          return std::find(u.parameters.begin(), u.parameters.end(), of) != u.parameters.end();
        });
    SourcePos where;
    if (use != model.parameter_uses.end()) where = use->where;
    out.push_back(question(where,
                           fmt::format("parameter '{}'", name),
                           fmt::format("{} = {:g}, a negative length", name, value),
                           "a length is positive; directions are given by points and axes"));
  }
}

}  // namespace

Diagnostics model_questions(const Model& model, const System& system) {
  Diagnostics out;
  if (system.own() != nullptr) return out;
  ask_about_joints(model, out);
  ask_about_loose_bodies(model, out);
  ask_about_parameters(model, out);
  return out;
}

}  // namespace cardan
