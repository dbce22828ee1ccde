// Every element is changed by the rule of its type; bodies that nothing keeps in the plane get a
// joint that does.
#include "cardan/element/embed.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "cardan/element/type_parts.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

using type_parts::z_axis;

void body(Body& b) {
  b.orientation = {elementary::cos(b.angle / 2), 0, 0, elementary::sin(b.angle / 2)};
  b.tensor = {b.inertia / 2, 0, 0, 0, b.inertia / 2, 0, 0, 0, b.inertia};
  b.omega = {0, 0, b.rate};
  for (Shape& shape : b.shapes) {
    if (shape.kind == "disc") shape.kind = "cylinder";
    if (shape.kind == "slider") shape.kind = "box";
    if (shape.kind == "box" && shape.sizes.size() == 3) {
      const double angle = shape.sizes[2];
      shape.sizes[2] = std::min(shape.sizes[0], shape.sizes[1]) / 4;
      shape.orientation = {elementary::cos(angle / 2), 0, 0, elementary::sin(angle / 2)};
    }
    if (shape.kind == "cylinder") {
      const Triple c = shape.points[0];
      const double h = shape.sizes[0] / 10;
      shape.points = {{c[0], c[1], -h}, {c[0], c[1], h}};
    }
  }
}

Triple place(const Model& model, const Side& side, const Triple& local, bool point) {
  if (side.body == ground) return local;
  const Body& b = model.bodies[static_cast<std::size_t>(side.body)];
  const double c = elementary::cos(b.angle), s = elementary::sin(b.angle);
  const Triple at = point ? b.at : Triple{};
  return {at[0] + c * local[0] - s * local[1], at[1] + s * local[0] + c * local[1], 0};
}

// Of the second side relative to the first in the given pose; planar angles count turns.
double pose_angle(const Model& model, const Element& e) {
  double angle = 0;
  for (std::size_t k = 0; k < e.sides.size(); ++k) {
    const Side& side = e.sides[k];
    const double own =
        side.body == ground ? 0 : model.bodies[static_cast<std::size_t>(side.body)].angle;
    angle += (k == 0 ? -1 : 1) * (own + elementary::atan2(side.axis[1], side.axis[0]));
  }
  return angle;
}

// Bodies tied to the ground or to each other so that they stay in the plane together.
void hold_in_plane(const Model& planar, Model& model) {
  std::vector<int> group(model.bodies.size() + 1);  // the last is the ground
  std::iota(group.begin(), group.end(), 0);
  const auto place = [&](int b) {
    return static_cast<std::size_t>(b < 0 ? static_cast<int>(model.bodies.size()) : b);
  };
  const std::function<int(int)> root = [&](int k) {
    return group[static_cast<std::size_t>(k)] == k ? k : root(group[static_cast<std::size_t>(k)]);
  };
  const auto join = [&](int a, int b) {
    group[static_cast<std::size_t>(root(static_cast<int>(place(a))))] =
        root(static_cast<int>(place(b)));
  };
  for (const Element& e : planar.joints)
    if (const ElementType* type = find_type(Kind::joint, e.type);
        type != nullptr && type->holds_plane && e.sides.size() == 2)
      join(e.sides[0].body, e.sides[1].body);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int index = static_cast<int>(b);
    if (root(index) == root(static_cast<int>(model.bodies.size()))) continue;
    Element e;
    e.kind = Kind::joint;
    e.type = "planar";
    e.name = "plane of " + model.bodies[b].name;
    e.where = model.bodies[b].where;
    e.sides = {Side{ground, {}, z_axis, {1, 0, 0}}, Side{index, {}, z_axis, {1, 0, 0}}};
    model.joints.push_back(std::move(e));
    join(ground, index);
  }
}

void embed(const Model& planar, Element& e, Diagnostics& faults) {
  const ElementType* type = find_type(e.kind, e.type);
  if (type == nullptr) return;  // compile says so
  if (const auto* rule = std::get_if<EmbeddingRule>(&type->embedding)) return (*rule)(planar, e);
  const auto* refused = std::get_if<NotInSpace>(&type->embedding);
  Diagnostic d;
  d.id = "model.not-available";
  d.where = e.where;
  d.element = e.words();
  d.found = fmt::format("type = \"{}\" in a planar model run in space", e.type);
  d.expected = "a type that space has too";
  d.hint = refused != nullptr ? std::string(refused->reason) : "run the model in the plane";
  faults.push_back(std::move(d));
}

}  // namespace

double type_parts::distance_left(const Model& model, const Element& e) {
  const Triple a = place(model, e.sides[0], left_of(e.sides[0].axis), false),
               x = place(model, e.sides[0], e.sides[0].point, true),
               y = place(model, e.sides[1], e.sides[1].point, true);
  return a[0] * (y[0] - x[0]) + a[1] * (y[1] - x[1]);
}

void type_parts::embed_counted_angle(const Model& planar, Element& e) {
  e.start_angle = pose_angle(planar, e);
  embed_about_z(planar, e);
}

Embedded embed_in_space(const Model& planar) {
  Embedded out{planar, {}};
  Model& model = out.model;
  model.space = Space::spatial;
  for (Body& b : model.bodies) body(b);
  for (Marker& m : model.markers)
    m.orientation = {elementary::cos(m.angle / 2), 0, 0, elementary::sin(m.angle / 2)};
  for (auto* list : {&model.joints,
                     &model.drivers,
                     &model.requests,
                     &model.initial,
                     &model.forces,
                     &model.stops,
                     &model.contacts})
    for (Element& e : *list) embed(planar, e, out.faults);
  hold_in_plane(planar, model);
  return out;
}

}  // namespace cardan
