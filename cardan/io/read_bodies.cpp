// Bodies and markers.
#include <cmath>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/math/elementary.h"
#include "cardan/model/mass_properties.h"
#include "cardan/model/other_words.h"

namespace cardan {

std::string NameTable::nearest(const std::string& name) const {
  constexpr std::size_t most = 2000;  // of a longer list nobody expects a suggestion
  std::vector<std::string> names;
  for (const auto& [known, k] : index_) {
    if (names.size() == most) return {};
    names.push_back(known);
  }
  std::sort(names.begin(), names.end());
  return nearest_name(name, names);
}

// The name as it stands in the file, for messages before it is read.
std::string ModelReader::written_name(const TableReader& keys) {
  const Field f = keys.peek("name");
  return f && f.node->kind == TomlNode::Kind::text ? f.node->text : "";
}

std::string ModelReader::read_name(
    TableReader& keys, const char* kind, NameTable& table, int index, std::string otherwise) {
  const Field f = otherwise.empty() ? keys.need("name", fmt::format("a name for the {}", kind))
                                    : keys.take("name");
  if (!f) return otherwise;
  const auto name = environment_.text(f);
  if (!name) return otherwise;
  const auto bad = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  };
  if (name->empty() || name->size() > 200 || std::any_of(name->begin(), name->end(), bad)) {
    faults_.error("model.bad-name",
                  f.where(),
                  name->empty() ? "an empty name" : "a name too long or with control characters",
                  "a short line of text");
  } else if (std::string_view(kind) == "body" && *name == "ground") {
    faults_.error("model.bad-name",
                  f.where(),
                  "a body called 'ground'",
                  "another name",
                  "the ground is there already");
  } else if (!table.add(*name, index)) {
    faults_.error("model.duplicate-name",
                  f.where(),
                  fmt::format("a second {} '{}'", kind, *name),
                  "each name once");
    table.note_twice(*name);
  }
  return *name;
}

void ModelReader::unknown_name(const char* kind,
                               const std::string& name,
                               const SourcePos& where,
                               const NameTable& table) {
  if (cut_short_) {  // it may belong to a copy that was left out after faults
    faults_.error("model.unknown-name",
                  where,
                  fmt::format("the unknown {} '{}'", kind, name),
                  "a name defined in the model");
    return;
  }
  const bool body = std::string_view(kind) == "body";
  const OtherWord other =
      body ? other_word(WordPlace::body, name, std::vector<std::string_view>{"ground"})
           : OtherWord{};
  const std::string near = table.nearest(name);
  faults_.error("model.unknown-name",
                where,
                fmt::format("the unknown {} '{}'", kind, name),
                fmt::format("the name of a {}", kind),
                !table.twice().empty() ? fmt::format("two {} are called '{}': is one of them '{}'?",
                                                     body ? "bodies" : fmt::format("{}s", kind),
                                                     table.twice(),
                                                     name)
                : near.empty()         ? other.hint
                                       : fmt::format("did you mean '{}'?", near));
}

int ModelReader::body_index(const std::string& name, const SourcePos& where) {
  if (name == "ground") return ground;
  const int index = bodies_.find(name);
  if (index < 0 && !cut_short_) unknown_name("body", name, where, bodies_);
  return index;
}

const Marker* ModelReader::find_marker(const std::string& name, const SourcePos& where) {
  const int index = markers_.find(name);
  if (index < 0) unknown_name("marker", name, where, markers_);
  return index < 0 ? nullptr : &model_.markers[static_cast<std::size_t>(index)];
}

void ModelReader::read_body(const TomlNode& table) {
  TableReader keys(table, faults_);
  const int index = static_cast<int>(model_.bodies.size());
  Body body;
  body.where = table.where;
  Faults::Subject subject(faults_, "body", written_name(keys));
  body.name = read_name(keys, "body", bodies_, index, "");
  subject.rename(body.name);
  if (model_.space == Space::spatial) {
    read_spatial_body(keys, body, index);
    model_.bodies.push_back(std::move(body));
    return;
  }
  const std::size_t faults_before = faults_.seen();
  double length = 0, width = 0;
  read_frame(keys, body, length, width);
  body.velocity_given = keys.has("velocity") || keys.has("rate");
  if (const Field f = keys.take("velocity"))
    body.velocity = environment_.point(f, dimension::velocity).value_or(Triple{});
  if (const Field f = keys.take("rate"))
    body.rate = environment_.number(f, dimension::rate).value_or(0);
  body.shapes = read_shapes(keys);
  read_mass(keys, body, length, width, faults_.seen() == faults_before);
  if (length > 0 && body.shapes.empty())
    body.shapes.push_back({"bar", {width}, {{0, 0, 0}, {length, 0, 0}}, "", {1, 0, 0, 0}, {}});
  read_fixed(keys, body, index);
  keys.finish(key_names(find_section("body")->keys), "[[body]]");
  model_.bodies.push_back(std::move(body));
}

// A bar from one point to another, or a frame at a point.
void ModelReader::read_frame(TableReader& keys, Body& body, double& length, double& width) {
  if (!keys.has("from") && !keys.has("to")) {
    if (const Field f = keys.take("at")) body.at = environment_.point(f).value_or(Triple{});
    if (const Field f = keys.take("angle"))
      body.angle = environment_.number(f, dimension::none).value_or(0);
    return;
  }
  for (const auto key : {"at", "angle"})
    if (const Field f = keys.take(key))
      faults_.error("model.conflicting-keys",
                    f.where(),
                    fmt::format("'{}' beside 'from' and 'to'", key),
                    "a bar between two points, or a frame at a point");
  const Field from_field = keys.need("from", "the two ends of a bar, from and to"),
              to_field = keys.need("to", "the two ends of a bar, from and to");
  if (const Field f = keys.take("width"))
    width = environment_.number(f, dimension::length, Range::positive).value_or(0);
  if (!from_field || !to_field) return;
  const auto from = environment_.point(from_field), to = environment_.point(to_field);
  if (!from || !to) return;
  const double dx = (*to)[0] - (*from)[0], dy = (*to)[1] - (*from)[1];
  length = elementary::hypot(dx, dy);
  if (!(length > 0))
    faults_.error("model.zero-length",
                  to_field.where(),
                  "a bar whose ends are the same point",
                  "two different points");
  body.at = *from;
  body.angle = elementary::atan2(dy, dx);
}

// `sound`: nothing before was wrong from which a missing inertia could follow.
void ModelReader::read_mass(
    TableReader& keys, Body& body, double length, double width, bool sound) {
  const bool bar = keys.has("from") || keys.has("to");
  const Field mass = keys.take("mass"), inertia = keys.take("inertia"),
              centre = keys.take("centre");
  const Field density = keys.take("density"), thickness = keys.take("thickness"),
              massless = keys.take("massless");
  if (centre) body.centre = environment_.point(centre).value_or(Triple{});
  if (massless && environment_.boolean(massless).value_or(false)) {
    for (const Field& f : {mass, inertia, density, thickness})
      if (f && !(f.node->is_number() && f.node->number == 0))
        faults_.error("model.conflicting-keys",
                      f.where(),
                      fmt::format("'{}' of a massless body", f.key),
                      "massless = true alone");
    return;
  }
  Plate plate = bar ? bar_plate(length, width) : plate_of(body.shapes);
  if (density && mass)
    faults_.error(
        "model.conflicting-keys", density.where(), "both 'mass' and 'density'", "one of the two");
  if (density && !thickness)
    faults_.error("model.missing-key",
                  density.where(),
                  "a density without 'thickness'",
                  "the thickness of the plate");
  if (thickness && !density)
    faults_.error("model.conflicting-keys",
                  thickness.where(),
                  "a thickness without 'density'",
                  "both, or the mass");
  if (mass) {
    body.mass = environment_.number(mass, dimension::mass).value_or(1);
    if (body.mass < 0)
      faults_.error("model.negative-mass",
                    mass.where(),
                    fmt::format("mass = {} kg", body.mass),
                    "a mass greater than zero");
    if (body.mass == 0)
      faults_.error("model.zero-mass",
                    mass.where(),
                    "mass = 0",
                    "a mass greater than zero",
                    "a body without mass is written massless = true");
  } else if (density) {
    const double rho =
        environment_.number(density, dimension::density, Range::positive).value_or(1);
    const double depth =
        thickness ? environment_.number(thickness, dimension::length, Range::positive).value_or(1)
                  : 1;
    if (!(plate.area > 0))
      faults_.error("model.missing-key",
                    density.where(),
                    "a density, but nothing with an area",
                    bar ? "the bar's width" : "a shape: box, disc, polygon, bar with width");
    body.mass = rho * depth * plate.area;
  } else {
    keys.missing("mass", "mass, or density with thickness and shape, or massless = true");
  }
  if (inertia) {
    body.inertia = environment_.number(inertia, dimension::inertia).value_or(1);
    if (body.inertia < 0)
      faults_.error("model.negative-mass",
                    inertia.where(),
                    fmt::format("inertia = {} kg*m^2", body.inertia),
                    "an inertia that is not negative");
  } else if (plate.radius_squared > 0 && !centre) {
    body.inertia = body.mass * plate.radius_squared;
  } else if ((mass || density) && sound && !(bar && length == 0)) {
    faults_.error(
        "model.missing-key",
        keys.where(),
        plate.radius_squared > 0 ? "a mass centre of its own, but no 'inertia'" : "no 'inertia'",
        "the moment of inertia about the mass centre, or a shape",
        "shape = { box = [\"60 mm\", \"40 mm\"] } or { disc = \"30 mm\" } gives it; inertia = 0 "
        "only for a "
        "point mass");
  }
  if (!centre && (bar || !inertia || density)) body.centre = plate.centroid;
}

// Guesses that are meant as initial conditions.
void ModelReader::read_fixed(TableReader& keys, const Body& body, int index) {
  const Field f = keys.take("fixed");
  if (!f) return;
  const auto names = environment_.names(f);
  if (!names) return;

  struct Choice {
    std::string_view name, type, setting;
    double value;
  };

  const std::array<Choice, 6> choices{{{"x", "x", "value", body.at[0]},
                                       {"y", "y", "value", body.at[1]},
                                       {"angle", "angle", "value", body.angle},
                                       {"vx", "x", "rate", body.velocity[0]},
                                       {"vy", "y", "rate", body.velocity[1]},
                                       {"rate", "angle", "rate", body.rate}}};
  for (std::size_t k = 0; k < names->size(); ++k) {
    const auto found = std::find_if(
        choices.begin(), choices.end(), [&](const Choice& c) { return c.name == (*names)[k]; });
    if (found == choices.end()) {
      faults_.error("model.bad-value",
                    f.node->items[k].where,
                    fmt::format("\"{}\" in 'fixed'", (*names)[k]),
                    "x, y, angle, vx, vy or rate");
      continue;
    }
    Element e;
    e.kind = Kind::initial;
    e.type = found->type;
    e.name = body.name;
    e.where = f.node->items[k].where;
    e.sides = {Side{}, Side{index}};
    e.settings.emplace_back(found->setting, found->value);
    model_.initial.push_back(std::move(e));
  }
}

void ModelReader::read_marker(const TomlNode& table) {
  TableReader keys(table, faults_);
  Marker marker;
  marker.where = table.where;
  Faults::Subject subject(faults_, "marker", written_name(keys));
  marker.name = read_name(keys, "marker", markers_, static_cast<int>(model_.markers.size()), "");
  subject.rename(marker.name);
  if (const Field f = keys.need("body", "the body it is fixed to"))
    if (const auto body = environment_.text(f)) marker.body = body_index(*body, f.where());
  if (model_.space == Space::spatial) {
    read_spatial_marker(keys, marker);
    model_.markers.push_back(std::move(marker));
    return;
  }
  const Field angle = keys.take("angle");
  if (angle) marker.angle = environment_.number(angle, dimension::none).value_or(0);
  const Field place = keys.take_one_of({"at", "point"});
  if (place) {
    marker.point = environment_.point(place).value_or(Triple{});
    if (place.key == "at") {
      marker.point = BodyFrames(model_).to_local(marker.body, marker.point);
      if (angle && marker.body >= 0)
        marker.angle -= model_.bodies[static_cast<std::size_t>(marker.body)].angle;
    }
  }
  keys.finish(key_names(find_section("marker")->keys), "[[marker]]");
  model_.markers.push_back(std::move(marker));
}

}  // namespace cardan
