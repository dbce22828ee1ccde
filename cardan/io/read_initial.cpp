// Initial conditions. What is given follows from the keys: a joint's freedom, coordinates of a body
// or of a point, or the distance, angle or coordinates between two bodies.
#include <fmt/format.h>

#include "cardan/io/model_reader.h"

namespace cardan {

void ModelReader::add_initial(Element e, Measure measure, const Field& value, const Field& rate) {
  if (!value && !rate) return;
  e.type = name_of(measure);
  const Dimension of_value = value_dimension(unit_kind_of(measure)),
                  of_rate = rate_dimension(unit_kind_of(measure));
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
  const std::vector<JointCoordinate> coordinates =
      joint != nullptr ? coordinates_of(*joint) : std::vector<JointCoordinate>();
  std::vector<JointCoordinate> selected;
  if (coordinates.size() == 2 && coordinates[1].measure == Measure::displacement) {
    const bool slides = keys.has("displacement") || keys.has("velocity");  // it turns and slides
    if (keys.has("angle") || (keys.has("rate") && (!slides || keys.has("velocity"))))
      selected.push_back(coordinates[0]);
    if (slides) selected.push_back(coordinates[1]);
  } else if (!coordinates.empty()) {
    selected.push_back(coordinates[0]);
  }
  if (joint != nullptr && !joint->type.empty() && coordinates.empty())
    faults_.error("model.bad-value",
                  table.where,
                  fmt::format("the joint '{}' of type {}", joint->name, joint->type),
                  "a joint with one freedom to measure: revolute, translational, ...");
  if (coordinates.empty()) return false;
  e.joint = joint->name;
  e.sides = joint->sides;
  for (const JointCoordinate& c : selected) {
    const bool angle = unit_kind_of(c.measure) == UnitKind::angle;
    const bool rate_of_both = selected.size() > 1;  // then `rate` is that of the angle
    e.settings = c.settings;
    const bool slides = c.measure == Measure::displacement;
    const Field other = coordinates.size() > 1 ? Field{}
                        : angle                ? keys.take_one_of({"velocity", "displacement"})
                        : slides               ? keys.take("angle")
                                               : Field{};
    if (other)
      faults_.error("model.unknown-key",
                    other.where(),
                    fmt::format("'{}' of the joint '{}', which {}",
                                other.key,
                                joint->name,
                                angle ? "turns" : "slides"),
                    angle ? "angle or rate" : "displacement or velocity",
                    angle ? "write rate = \"3 rad/s\" or angle = \"30 deg\""
                          : "write displacement = \"10 mm\" or velocity = \"0.5 m/s\"");
    add_initial(e,
                c.measure,
                keys.take(angle ? "angle" : name_of(c.measure)),
                angle          ? keys.take("rate")
                : rate_of_both ? keys.take("velocity")
                               : keys.take_one_of({"velocity", "rate"}));
  }
  return true;
}

// On points: a distance, a displacement, or the coordinates of one.
void ModelReader::read_point_initial(TableReader& keys, Element& e) {
  const Field velocity = keys.peek("velocity");
  if (velocity && velocity.node->kind == TomlNode::Kind::array && keys.has("body")) {
    environment_.wrong_type(velocity,
                            "vx and vy, each with a number",
                            "or write velocity = [...] into the [[body]] itself");
    return keys.skip_rest();
  }
  const bool apart = keys.has("distance"), along = keys.has("displacement") || keys.has("velocity");
  const bool only_rate = keys.has("rate") && !keys.has("angle") &&
                         (keys.has("points") || keys.has("at"));  // of a distance
  const bool spatial = model_.space == Space::spatial;
  const bool turn = spatial && (keys.has("angle") || (keys.has("rate") && keys.has("axis")));
  const Measure measure = apart || only_rate ? Measure::distance
                          : along            ? Measure::displacement
                          : turn             ? Measure::angle
                                             : Measure::x;
  const std::string_view name = name_of(measure);
  sides_.read(keys, find_type(Kind::initial, name, model_.space)->geometry, e.sides);
  if (measure != Measure::x) {
    add_initial(e, measure, keys.take(name), keys.take_one_of({"rate", "velocity"}));
  } else {
    add_initial(e, Measure::x, keys.take("x"), keys.take("vx"));
    add_initial(e, Measure::y, keys.take("y"), keys.take("vy"));
    if (spatial) {
      add_initial(e, Measure::z, keys.take("z"), keys.take("vz"));
      read_turn_initial(keys, e);
    } else {
      add_initial(e, Measure::angle, keys.take("angle"), keys.take("rate"));
    }
  }
}

// A formula of requests, with its value and its rate at the start.
void ModelReader::read_formula_initial(TableReader& keys, Element e) {
  const Field f = keys.take("formula"), value = keys.take("value"), rate = keys.take("rate");
  e.type = "formula";
  e.where = f.where();
  const auto formula = read_relation(f, "formula", e);
  if (!formula) return;
  if (!value && !rate)
    return faults_.error("model.missing-key",
                         f.where(),
                         "a formula without `value` and `rate`",
                         "what it is at the start");
  const auto take = [&](const Field& given, const char* key, Dimension d) {
    if (!given) return;
    const auto x = formula->plain() ? free_number(given) : environment_.number(given, d);
    if (x) e.settings.emplace_back(key, *x);
  };
  take(value, "value", formula->dimension());
  take(rate, "rate", per_second(formula->dimension()));
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
  e.where = table.where;
  const std::size_t count_before = model_.initial.size(), faults_before = faults_.seen();
  if (keys.has("formula"))
    read_formula_initial(keys, e);
  else if (!keys.has("joint"))
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
