// Initial conditions. What is given follows from the keys: a joint's freedom, coordinates of a body
// or of a point, or the distance, angle or coordinates between two bodies.
#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

void ModelReader::add_initial(Element e,
                              std::string_view type,
                              const Field& value,
                              const Field& rate) {
  if (!value && !rate) return;
  e.type = type;
  const Dimension of_value = type == "angle" ? dimension::none : dimension::length;
  const Dimension of_rate = type == "angle" ? dimension::rate : dimension::velocity;
  if (value) {
    e.where = value.where();
    if (const auto x = environment_.number(value, of_value)) e.settings.emplace_back("value", *x);
  }
  if (rate) {
    if (!value) e.where = rate.where();
    if (const auto x = environment_.number(rate, of_rate)) e.settings.emplace_back("rate", *x);
  }
  model_.initial.push_back(std::move(e));
}

void ModelReader::read_initial(const TomlNode& table) {
  TableReader keys(table, faults_);
  const Field name = keys.take("name");
  const auto given_name = name ? environment_.text(name) : std::nullopt;
  Element e;
  e.kind = Kind::initial;
  std::string words = given_name.value_or("");
  for (const auto key : {"joint", "body", "marker"})
    if (const Field f = keys.peek(key); words.empty() && f && f.node->kind == TomlNode::Kind::text)
      words = f.node->text;
  const Faults::Subject subject(faults_, "initial condition", words);
  e.name = words;
  const std::size_t count_before = model_.initial.size(), faults_before = faults_.seen();
  if (keys.has("joint")) {
    const Element* joint = named_joint(keys);
    const std::string_view measure = joint != nullptr ? measure_of_joint(joint->type) : "";
    if (joint != nullptr && !joint->type.empty() && measure.empty())
      faults_.error("model.bad-value",
                    table.where,
                    fmt::format("the joint '{}' of type {}", joint->name, joint->type),
                    "a joint with one freedom to measure: revolute, translational, ...");
    if (measure.empty()) return;
    e.joint = joint->name;
    e.sides = joint->sides;
    const bool turns = measure == "angle";
    add_initial(e,
                measure,
                keys.take(measure),
                turns ? keys.take("rate") : keys.take_one_of({"velocity", "rate"}));
  } else {
    const bool apart = keys.has("distance"),
               along = keys.has("displacement") || keys.has("velocity");
    const bool only_rate = keys.has("rate") && !keys.has("angle") &&
                           (keys.has("points") || keys.has("at"));  // of a distance
    const std::string_view type = apart || only_rate ? "distance" : along ? "displacement" : "x";
    read_sides(keys, find_type(Kind::initial, type)->geometry, e.sides);
    if (type != "x") {
      add_initial(e, type, keys.take(type), keys.take_one_of({"rate", "velocity"}));
    } else {
      add_initial(e, "x", keys.take("x"), keys.take("vx"));
      add_initial(e, "y", keys.take("y"), keys.take("vy"));
      add_initial(e, "angle", keys.take("angle"), keys.take("rate"));
    }
  }
  keys.finish(key_names(find_section("initial")->keys), "[[initial]]");
  if (model_.initial.size() == count_before && faults_.seen() == faults_before)
    faults_.error("model.missing-key",
                  table.where,
                  "nothing prescribed",
                  "a value or a rate: angle, rate, x, vx, distance, displacement, velocity, ...");
}

}  // namespace cardan
