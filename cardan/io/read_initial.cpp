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
  const Dimension of_value = type.starts_with("angle") ? dimension::none : dimension::length;
  const Dimension of_rate = type.starts_with("angle") ? dimension::rate : dimension::velocity;
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

// On a joint's freedom; false: there is none.
bool ModelReader::read_joint_initial(TableReader& keys, const TomlNode& table, Element& e) {
  const Element* joint = named_joint(keys);
  const auto measures =
      joint != nullptr ? measures_of_joint(joint->type) : std::vector<std::string_view>();
  std::vector<std::string_view> wanted;
  if (measures.size() == 2 && measures[1] == "displacement") {  // turns and slides
    const bool slides = keys.has("displacement") || keys.has("velocity");
    if (keys.has("angle") || (keys.has("rate") && (!slides || keys.has("velocity"))))
      wanted.push_back(measures[0]);
    if (slides) wanted.push_back(measures[1]);
  } else if (!measures.empty()) {
    wanted.push_back(measures[0]);
  }
  if (joint != nullptr && !joint->type.empty() && measures.empty())
    faults_.error("model.bad-value",
                  table.where,
                  fmt::format("the joint '{}' of type {}", joint->name, joint->type),
                  "a joint with one freedom to measure: revolute, translational, ...");
  if (measures.empty()) return false;
  e.joint = joint->name;
  e.sides = joint->sides;
  if (joint->type == "universal") e.settings.emplace_back("sequence", std::string("universal"));
  for (const auto measure : wanted) {
    const bool angle = measure.starts_with("angle");
    const bool rate_of_both = wanted.size() > 1;  // then `rate` is that of the angle
    add_initial(e,
                measure,
                angle ? keys.take("angle") : keys.take(measure),
                angle          ? keys.take("rate")
                : rate_of_both ? keys.take("velocity")
                               : keys.take_one_of({"velocity", "rate"}));
  }
  return true;
}

// On points: a distance, a displacement, or the coordinates of one.
void ModelReader::read_point_initial(TableReader& keys, Element& e) {
  const bool apart = keys.has("distance"), along = keys.has("displacement") || keys.has("velocity");
  const bool only_rate = keys.has("rate") && !keys.has("angle") &&
                         (keys.has("points") || keys.has("at"));  // of a distance
  const bool spatial = model_.space == Space::spatial;
  const bool turn = spatial && (keys.has("angle") || (keys.has("rate") && keys.has("axis")));
  const std::string_view type = apart || only_rate ? "distance"
                                : along            ? "displacement"
                                : turn             ? "angle"
                                                   : "x";
  read_sides(keys, find_type(Kind::initial, type, model_.space)->geometry, e.sides);
  if (type != "x") {
    add_initial(e, type, keys.take(type), keys.take_one_of({"rate", "velocity"}));
  } else {
    add_initial(e, "x", keys.take("x"), keys.take("vx"));
    add_initial(e, "y", keys.take("y"), keys.take("vy"));
    if (spatial) {
      add_initial(e, "z", keys.take("z"), keys.take("vz"));
      read_turn_initial(keys, e);
    } else {
      add_initial(e, "angle", keys.take("angle"), keys.take("rate"));
    }
  }
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
  e.where = table.where;
  const std::size_t count_before = model_.initial.size(), faults_before = faults_.seen();
  if (!keys.has("joint"))
    read_point_initial(keys, e);
  else if (!read_joint_initial(keys, table, e))
    return;
  const char* section = model_.space == Space::planar ? "initial" : "initial.spatial";
  keys.finish(key_names(find_section(section)->keys), "[[initial]]");
  if (model_.initial.size() == count_before && faults_.seen() == faults_before)
    faults_.error("model.missing-key",
                  table.where,
                  "nothing prescribed",
                  "a value or a rate: angle, rate, x, vx, distance, displacement, velocity, ...");
}

}  // namespace cardan
