#include "cardan/io/scene.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/element/element_type.h"
#include "cardan/results/json.h"

namespace cardan {
namespace {

using Json = nlohmann::ordered_json;

constexpr int curve_points = 180, space_curve_points = 720;

Json shape_json(const Shape& shape) {
  Json json{{"kind", shape.kind},
            {"sizes", shape.sizes},
            {"points", shape.points},
            {"colour", shape.colour}};
  if (shape.orientation != Quad{1, 0, 0, 0}) json["orientation"] = shape.orientation;
  if (!shape.triangles.empty()) json["triangles"] = shape.triangles;
  return json;
}

Json shape_list(const std::vector<Shape>& shapes) {
  Json list = Json::array();
  for (const Shape& shape : shapes) list.push_back(shape_json(shape));
  return list;
}

std::string body_name(const Model& model, int body) {
  return body == ground ? "ground" : model.bodies[static_cast<std::size_t>(body)].name;
}

// A cam or track as a line of points; a closed one does not repeat its first.
template <class CurveType> Json curve_line(const CurveType& curve, double first, int count) {
  Json points = Json::array();
  const int last = curve.closed() ? count - 1 : count;
  for (int k = 0; k <= last; ++k) {
    const auto p = curve.at(first + curve.period() * k / count).c;
    points.push_back({p[0], p[1], p.size() == 3 ? p[2] : 0.0});
  }
  return points;
}

// The curves of the element's sides, null where a side has none.
Json curves_of(const Element& element) {
  Json list = Json::array();
  const auto line = [&](const char* key) -> Json {
    const Setting* s = element.find(key);
    if (s == nullptr) return {};
    if (const auto* curve = std::get_if<PlanarCurvePtr>(s))
      return curve_line(**curve, 0, curve_points);
    if (const auto* curve = std::get_if<SpaceCurvePtr>(s))
      return curve_line(**curve, (*curve)->first(), space_curve_points);
    return {};
  };
  Json single = line("curve");
  if (!single.is_null()) {
    list.push_back(std::move(single));
    return list;
  }
  list.push_back(line("curve_i"));
  list.push_back(line("curve_j"));
  return list[0].is_null() && list[1].is_null() ? Json() : list;
}

// The lengths that decide how an element looks.
Json sizes_of(const Element& element, Drawing drawing) {
  Json sizes = Json::array();
  if (drawing == Drawing::spring) {
    sizes = {element.number("stiffness"), element.number("damping")};
  } else if (const Setting* radii = element.find("radii")) {
    if (const auto* list = std::get_if<std::vector<double>>(radii)) sizes = *list;
  } else if (element.find("radius") != nullptr) {
    sizes = {element.number("radius")};
  }
  return sizes;
}

Drawing drawing_of(const Model& model, const Element& element) {
  const ElementType* type = find_type(element.kind, element.type, model.space);
  return type != nullptr ? type->drawing : Drawing::none;
}

Json link_json(const Model& model, const Element& element) {
  const Drawing drawing = drawing_of(model, element);
  Json link{{"name", element.name},
            {"type", element.type},
            {"drawing", name_of(drawing)},
            {"line", element.where.line}};
  link["sides"] = Json::array();
  for (const Side& side : element.sides)
    link["sides"].push_back(
        {{"body", body_name(model, side.body)}, {"point", side.point}, {"axis", side.axis}});
  if (model.space == Space::spatial)
    for (std::size_t k = 0; k < element.sides.size(); ++k)
      link["sides"][k]["across"] = element.sides[k].across;
  link["sizes"] = sizes_of(element, drawing);
  const Setting* internal = element.find("internal");
  if (internal != nullptr && std::holds_alternative<bool>(*internal))
    link["internal"] = std::get<bool>(*internal);
  Json curves = curves_of(element);
  if (!curves.is_null()) link["curves"] = std::move(curves);
  return link;
}

Json body_json(const Body& body, Space space) {
  Json out{{"name", body.name},
           {"centre", body.centre},
           {"line", body.where.line},
           {"shapes", shape_list(body.shapes)}};
  Json channels = Json::array();
  if (space == Space::planar) {
    for (const char* part : {".x", ".y", ".angle"}) channels.push_back(body.name + part);
    out["start"] = {body.at[0], body.at[1], body.angle};
  } else {
    for (const char* part : {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"})
      channels.push_back(body.name + part);
    const Quad& e = body.orientation;
    out["start"] = {body.at[0], body.at[1], body.at[2], e[0], e[1], e[2], e[3]};
  }
  out["pose"] = std::move(channels);
  return out;
}

bool pulls(Drawing drawing) {
  return drawing == Drawing::spring || drawing == Drawing::torsion_spring ||
         drawing == Drawing::bushing;
}

bool is_point(const Model& model, const Element& request) {
  const ElementType* type = find_type(Kind::request, request.type, model.space);
  return type != nullptr && std::holds_alternative<PointRequest>(type->make);
}

// One part after the other, so that a large mechanism is never there as a tree; null: left out.
void add_list(std::string& text, const auto& list, const auto& part) {
  text += '[';
  for (const auto& x : list) {
    const Json json = part(x);
    if (json.is_null()) continue;
    if (text.back() != '[') text += ',';
    text += to_line(json);
  }
  text += ']';
}

}  // namespace

std::string scene_text(const Model& model) {
  std::string text;
  const auto add = [&](const char* key, const Json& value) {
    text += fmt::format("{}\"{}\":{}", text.empty() ? '{' : ',', key, to_line(value));
  };
  const auto add_parts = [&](const char* key, const auto& list, const auto& part) {
    text += fmt::format(",\"{}\":", key);
    add_list(text, list, part);
  };
  const auto link = [&](const Element& element) {
    return link_json(model, element);
  };
  const auto link_that = [&](bool pulling) {
    return [&, pulling](const Element& force) {
      return pulls(drawing_of(model, force)) == pulling ? link_json(model, force) : Json();
    };
  };
  add("title", model.title);
  add("space", model.space == Space::planar ? "planar" : "spatial");
  add("gravity", model.gravity);
  add_parts("bodies", model.bodies, [&](const Body& body) { return body_json(body, model.space); });
  add("ground", shape_list(model.ground_shapes));
  add_parts("joints", model.joints, link);
  add_parts("springs", model.forces, link_that(true));
  add_parts("forces", model.forces, link_that(false));
  add_parts("contacts", model.contacts, link);
  add_parts("points", model.requests, [&](const Element& request) -> Json {
    if (!is_point(model, request) || request.sides.empty() || request.sides.back().body == ground)
      return {};
    return {{"name", request.name},
            {"body", body_name(model, request.sides.back().body)},
            {"point", request.sides.back().point}};
  });
  return text + '}';
}

Json scene_of(const Model& model) {
  return Json::parse(scene_text(model));
}

}  // namespace cardan
