// Joint by joint:
//   revolute, fixed, angle, rotational spring, gear  axis z, angles from the planar axis
//   translational, displacement                      axis in the plane
//   pin-in-slot, revolute-translational              point in the plane along the slot and z
//   revolute-revolute, distance, x, y, spring, force unchanged
//   disc on a line, on a disc, in a ring             sphere on a plane, on a sphere, in a sphere
//   rack and pinion, rolling, point on curve         axis z of the wheel or the curve's plane
//   cams                                             unchanged (element/embedded_joints.cpp)
#include "cardan/model/embed.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr Triple z_axis{0, 0, 1};

Triple left_of(const Triple& a) {
  return {-a[1], a[0], 0};
}

void turn_about_z(Element& e) {
  for (Side& side : e.sides) {
    side.across = side.axis;
    side.axis = z_axis;
  }
}

void slide_along(Element& e) {
  for (Side& side : e.sides) side.across = z_axis;
}

void rename(Element& e, std::string_view from, std::string_view to) {
  for (auto& [key, value] : e.settings)
    if (key == from) key = to;
}

void body(Body& b) {
  b.orientation = {std::cos(b.angle / 2), 0, 0, std::sin(b.angle / 2)};
  b.tensor = {b.inertia / 2, 0, 0, 0, b.inertia / 2, 0, 0, 0, b.inertia};
  b.omega = {0, 0, b.rate};
  for (Shape& shape : b.shapes) {
    if (shape.kind == "disc") shape.kind = "cylinder";
    if (shape.kind == "slider") shape.kind = "box";
    if (shape.kind == "box" && shape.sizes.size() == 3) {
      const double angle = shape.sizes[2];
      shape.sizes[2] = std::min(shape.sizes[0], shape.sizes[1]) / 4;
      shape.orientation = {std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
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
  const double c = std::cos(b.angle), s = std::sin(b.angle);
  const Triple at = point ? b.at : Triple{};
  return {at[0] + c * local[0] - s * local[1], at[1] + s * local[0] + c * local[1], 0};
}

// Of the second point from the line through the first along its axis, in the given pose.
double distance_left(const Model& model, const Element& e) {
  const Triple a = place(model, e.sides[0], left_of(e.sides[0].axis), false),
               x = place(model, e.sides[0], e.sides[0].point, true),
               y = place(model, e.sides[1], e.sides[1].point, true);
  return a[0] * (y[0] - x[0]) + a[1] * (y[1] - x[1]);
}

bool joint(const Model& model, Element& e) {
  if (e.type == "revolute" || e.type == "fixed" || e.type == "angle" || e.type == "gear" ||
      e.type == "point-on-curve") {
    turn_about_z(e);
  } else if ((e.type == "rack-and-pinion" || e.type == "rolling") && e.sides.size() == 2) {
    const bool rack = e.type == "rack-and-pinion";
    Side &line = e.sides[rack ? 1 : 0], &wheel = e.sides[rack ? 0 : 1];
    line.across = left_of(line.axis);
    wheel.across = {1, 0, 0};
    wheel.axis = z_axis;
  } else if (e.type == "translational") {
    slide_along(e);
  } else if (e.type == "pin-in-slot" || e.type == "revolute-translational") {
    if (e.type == "revolute-translational" && e.find("distance") == nullptr && e.sides.size() == 2)
      e.settings.emplace_back("distance", distance_left(model, e));
    e.type = "point-in-plane";
    for (Side& side : e.sides) {
      side.axis = left_of(side.axis);
      side.across = z_axis;
    }
  } else if (e.type == "revolute-revolute") {
    e.type = "distance";
    rename(e, "length", "value");
  } else if (e.type != "distance" && e.type != "x" && e.type != "y" && e.type != "cam-flat" &&
             e.type != "cam-cam") {
    return false;
  }
  return true;
}

// Of the second side relative to the first in the given pose; planar angles count turns.
double pose_angle(const Model& model, const Element& e) {
  double angle = 0;
  for (std::size_t k = 0; k < e.sides.size(); ++k) {
    const Side& side = e.sides[k];
    const double own =
        side.body == ground ? 0 : model.bodies[static_cast<std::size_t>(side.body)].angle;
    angle += (k == 0 ? -1 : 1) * (own + std::atan2(side.axis[1], side.axis[0]));
  }
  return angle;
}

// Drivers, requests, initial conditions, stops.
bool measure(const Model& model, Element& e) {
  if (e.type == "angle") {
    e.settings.emplace_back("near", pose_angle(model, e));
    turn_about_z(e);
  }
  if (e.type == "displacement") slide_along(e);
  return true;
}

bool force(const Model& model, Element& e) {
  if (e.type == "rotational-spring") {
    e.settings.emplace_back("near", pose_angle(model, e));
    turn_about_z(e);
  } else if (e.type == "force") {
    e.settings.emplace_back("fz", Expression(0.0));
  } else if (e.type == "torque") {
    rename(e, "value", "tz");
    e.settings.emplace_back("tx", Expression(0.0));
    e.settings.emplace_back("ty", Expression(0.0));
  } else if (e.type == "bushing") {
    turn_about_z(e);
    for (auto& [key, value] : e.settings)
      if (auto* k = std::get_if<std::vector<double>>(&value); k != nullptr && k->size() == 3)
        *k = {(*k)[0], (*k)[1], 0, 0, 0, (*k)[2]};
  } else if (e.type != "spring") {
    return false;
  }
  return true;
}

bool contact(const Model&, Element& e) {
  if (e.type == "disc-line") {
    e.type = "sphere-plane";
    for (Side& side : e.sides) {
      side.axis = left_of(side.axis);
      side.across = z_axis;
    }
  } else if (e.type == "disc-disc") {
    e.type = "sphere-sphere";
  } else if (e.type == "disc-in-ring") {
    e.type = "sphere-in-sphere";
  } else {
    return false;
  }
  return true;
}

// Bodies tied to the ground or to each other so that they stay in the plane together.
void hold_in_plane(Model& model) {
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
  for (const Element& e : model.joints)
    if (e.sides.size() == 2 &&
        (e.type == "revolute" || e.type == "translational" || e.type == "fixed"))
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

}  // namespace

Embedded embed_in_space(const Model& planar) {
  Embedded out{planar, {}};
  Model& model = out.model;
  model.space = Space::spatial;
  for (Body& b : model.bodies) body(b);
  for (Marker& m : model.markers)
    m.orientation = {std::cos(m.angle / 2), 0, 0, std::sin(m.angle / 2)};
  const auto turn = [&](std::vector<Element>& list, bool (*change)(const Model&, Element&)) {
    for (Element& e : list) {
      const std::string type = e.type;
      if (change(planar, e)) continue;
      Diagnostic d;
      d.id = "model.not-available";
      d.where = e.where;
      d.element = e.words();
      d.found = fmt::format("type = \"{}\" in a planar model run in space", type);
      d.expected = "a type that space has too";
      d.hint = "run the model in the plane";
      out.faults.push_back(std::move(d));
    }
  };
  turn(model.joints, joint);
  turn(model.drivers, measure);
  turn(model.requests, measure);
  turn(model.initial, measure);
  turn(model.forces, force);
  turn(model.stops, measure);
  turn(model.contacts, contact);
  hold_in_plane(model);
  return out;
}

}  // namespace cardan
