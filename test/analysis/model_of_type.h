#pragma once
// Small models made from the description of an element type alone: values of the right kind for its
// keys, two bodies in a pose without symmetry.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/element/element_type.h"

namespace cardan::test {

inline std::string title(const ElementType& type) {
  return std::string(kind_name(type.kind)) + " " + std::string(type.type) +
         (type.space == Space::spatial ? " in space" : " in the plane");
}

inline Expression formula(const std::string& text) {
  Scope scope;
  scope.variables = {{"t", dimension::time},
                     {"measure", dimension::none},
                     {"rate", dimension::none},
                     {"d", dimension::length},  // the first request that it reads
                     {"rate(d)", dimension::velocity}};
  auto parsed = Expression::parse(text, scope, {});
  EXPECT_TRUE(parsed) << text;
  return std::move(parsed).value();
}

// Everything with a length is `scale` times as large.
struct ModelOfType {
  const ElementType& type;
  double scale = 1;

  double value_of(Dimension d, std::size_t component) const {
    const double plain = 0.4 + 0.5 * static_cast<double>(component);
    return plain * std::pow(scale, static_cast<double>(d.power[1]));
  }

  Body body(int k) const {
    Body b;
    b.name = k == 0 ? "first" : "second";
    b.mass = 1;
    b.inertia = 1;
    b.tensor = {1, 0, 0, 0, 1.2, 0, 0, 0, 1.4};
    b.at = k == 0 ? Triple{0.1 * scale, -0.2 * scale, 0} : Triple{1.6 * scale, 0.7 * scale, 0};
    b.angle = k == 0 ? 0.3 : -0.4;
    b.velocity = k == 0 ? Triple{} : Triple{0.3, 0.4, 0};
    b.rate = k == 0 ? 0 : 1.5;
    b.omega = k == 0 ? Triple{} : Triple{0.4, 0.7, 1.1};
    if (type.space == Space::spatial) {
      b.at[2] = k == 0 ? 0.3 * scale : 0.2 * scale;
      b.orientation = k == 0 ? Quad{0.8, 0.36, 0.48, 0} : Quad{0.48, 0, 0.6, 0.64};
    }
    return b;
  }

  Side side(int k) const {
    Side s;
    s.body = k;
    s.point = k == 0 ? Triple{0.3 * scale, 0.1 * scale, 0} : Triple{-0.2 * scale, 0.25 * scale, 0};
    s.axis = k == 0 ? Triple{0.6, 0.8, 0} : Triple{1, 0, 0};
    if (type.space == Space::spatial) {
      s.point[2] = (k == 0 ? 0.2 : -0.1) * scale;
      s.axis = k == 0 ? Triple{0.48, 0.6, 0.64} : Triple{0, 0.6, 0.8};
      s.across = k == 0 ? Triple{0.8, 0, -0.6} : Triple{1, 0, 0};
    }
    return s;
  }

  void set(Element& e, const KeySpec& key) const {
    const std::string name(key.name);
    switch (key.kind) {
      case ValueKind::number:
        e.settings.emplace_back(name, value_of(key.dimensions.front(), 0));
        return;
      case ValueKind::numbers: {
        std::vector<double> list;
        for (std::size_t k = 0; k < key.dimensions.size(); ++k)
          list.push_back(value_of(key.dimensions[k], k));
        if (!list.empty()) e.settings.emplace_back(name, list);
        return;
      }
      case ValueKind::motion:
        e.settings.emplace_back(name, as_function(formula("t")));
        return;
      case ValueKind::formula:
        e.settings.emplace_back(name, formula("0"));
        return;
      case ValueKind::formulas:
        for (const auto part : key.parts) e.settings.emplace_back(std::string(part), formula("0"));
        return;
      case ValueKind::curve:
        e.settings.emplace_back(name, circle_curve(0.5 * scale));
        return;
      case ValueKind::curves:
        for (const auto part : key.parts)
          e.settings.emplace_back(std::string(part), circle_curve(0.5 * scale));
        return;
      default:
        return;  // choices and words have defaults; names are those of joints
    }
  }

  // With its required keys, and one of those that stand for each other ("from `ratio`").
  Element element() const {
    Element e;
    e.kind = type.kind;
    e.type = type.type;
    e.name = "it";
    for (int k = 0; k < type.geometry.sides; ++k) e.sides.push_back(side(k));
    bool replaced = false;
    for (const KeySpec& key : type.keys) {
      const bool stands_for_another = key.otherwise.starts_with("from `");
      if (key.required() || (stands_for_another && !replaced)) set(e, key);
      replaced = replaced || stands_for_another;
    }
    return e;
  }

  Model model() const {
    Model m;
    m.space = type.space;
    m.bodies = {body(0), body(1)};
    Element e = element();
    if (std::holds_alternative<FormulaRelation>(type.make)) {  // of a distance
      const ElementType& distance = *find_type(Kind::request, "distance", type.space);
      m.requests.push_back(ModelOfType{distance, scale}.element());
      m.requests.back().name = "d";
      e.inputs = {0};
      const std::string_view key = type.kind == Kind::joint ? "phi" : "formula";
      e.settings = {{std::string(key), formula("d - 1")}};
      if (type.kind == Kind::initial) e.settings.emplace_back("value", 0.5);
    } else if (type.kind == Kind::joint && type.geometry.sides == 0) {  // relates two others
      const ElementType& hinge = *find_type(Kind::joint, "revolute", type.space);
      for (const char* name : {"one", "two"}) {
        Element joint = ModelOfType{hinge, scale}.element();
        joint.name = name;
        m.joints.push_back(joint);
      }
      e.coupled = {{0, true, 2}, {1, true, 3}};
      e.settings = {{"factors", std::vector<double>{2, 3}}};
    }
    list(m, type.kind).push_back(std::move(e));
    return m;
  }

  static std::vector<Element>& list(Model& m, Kind kind) {
    switch (kind) {
      case Kind::joint:
        return m.joints;
      case Kind::driver:
        return m.drivers;
      case Kind::force:
        return m.forces;
      case Kind::request:
        return m.requests;
      case Kind::initial:
        return m.initial;
      case Kind::stop:
        return m.stops;
      case Kind::contact:
        return m.contacts;
    }
    return m.joints;
  }
};

}  // namespace cardan::test
