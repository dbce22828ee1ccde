// Joints, drivers, forces, stops, contacts and requests: type, sides and settings as the catalogue
// says.
#include <utility>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/model/other_words.h"

namespace cardan {

std::vector<Element>& ModelReader::list_of(Kind kind) {
  switch (kind) {
    case Kind::joint:
      return model_.joints;
    case Kind::driver:
      return model_.drivers;
    case Kind::force:
      return model_.forces;
    case Kind::request:
      return model_.requests;
    case Kind::stop:
      return model_.stops;
    case Kind::contact:
      return model_.contacts;
    case Kind::initial:
      break;
  }
  return model_.initial;
}

void ModelReader::read_element(Kind kind, const TomlNode& table) {
  static constexpr std::array<const char*, 7> words{
      "joint", "driver", "force", "request", "initial condition", "stop", "contact"};
  const std::array<NameTable*, 7> tables{
      &joints_, &drivers_, &forces_, &requests_, &initial_names_, &contacts_, &contacts_};
  const auto k = static_cast<std::size_t>(kind);
  TableReader keys(table, faults_);
  auto& list = list_of(kind);
  const std::string written = written_name(keys);
  Faults::Subject subject(
      faults_, words[k], written.empty() ? fmt::format("{}", list.size() + 1) : written);
  Element e;
  e.kind = kind;
  e.where = table.where;
  const Element* joint = on_joint(kind) ? named_joint(keys) : nullptr;
  if (joint != nullptr) e.joint = joint->name;
  const ElementType* type = element_type(kind, keys, joint);
  e.type = type != nullptr ? type->type : "";
  const std::string otherwise = fmt::format(
      "{} {}", e.type.empty() || kind == Kind::stop ? words[k] : e.type.c_str(), list.size() + 1);
  e.name = read_name(keys, words[k], *tables[k], static_cast<int>(list.size()), otherwise);
  subject.rename(e.name);
  if (kind == Kind::request) pending_.emplace_back();
  if (type != nullptr) {
    if (joint != nullptr) {
      e.sides = joint->sides;
      for (const JointCoordinate& c : coordinates_of(*joint))
        if (type->measure == c.measure) e.settings = c.settings;
    } else if (type->geometry.sides > 0) {
      sides_.read(keys, type->geometry, e.sides);
    }
    if (kind == Kind::joint && type->geometry.sides == 0) read_coupler(keys, e);
    if (std::holds_alternative<FormulaRelation>(type->make))
      pending_relations_.emplace_back(
          list.size(),
          Pending{keys.need("phi", "a formula that stays zero"), environment_.indices});
    else if (kind == Kind::request)
      read_request(keys, e);
    else
      read_settings(keys, *type, e);
    auto known = key_names(common_keys(kind));
    for (const auto& key : type->keys) known.push_back(key.name);
    keys.finish(known, fmt::format("the {} type '{}'", words[k], type->type));
  }
  list.push_back(std::move(e));  // a faulty one too: names keep their numbers
}

// Formulas of requests may name any other request, so they are read when all requests are known.
void ModelReader::read_request(TableReader& keys, Element& e) {
  const Field name = keys.peek("name");
  if (name && (environment_.has_parameter(e.name) || environment_.has_curve(e.name)))
    faults_.error("model.duplicate-name",
                  name.where(),
                  fmt::format("a request with the name of a parameter or curve, '{}'", e.name),
                  "another name");
  if (name && (states_.find(e.name) >= 0 || inputs_.find(e.name) >= 0))
    faults_.error("model.duplicate-name",
                  name.where(),
                  fmt::format("a request with the name of a state or input, '{}'", e.name),
                  "another name");
  const ElementType* type = find_type(Kind::request, e.type, model_.space);
  if (!std::holds_alternative<FormulaRequest>(type->make)) return read_settings(keys, *type, e);
  pending_.back() = {keys.need("value", "a formula"), environment_.indices};
  if (const Field unit = keys.take("unit"))
    if (auto text = environment_.text(unit)) e.settings.emplace_back("unit", std::move(*text));
}

std::optional<Expression> ModelReader::read_relation(const Field& f,
                                                     std::string_view key,
                                                     Element& e) {
  if (!f) return {};
  const auto variables =
      formula_variables(*find_type(Kind::request, "expression", model_.space), {f}, e);
  auto parsed = environment_.formula(f, std::nullopt, variables);
  if (parsed) e.settings.emplace_back(std::string(key), *parsed);
  return parsed;
}

// Joints are read before requests, so that requests may be on joints.
void ModelReader::read_relation_joints() {
  for (const auto& [joint, pending] : pending_relations_) {
    Element& e = model_.joints[joint];
    const Faults::Subject subject(faults_, "joint", e.name);
    const auto outer = std::exchange(environment_.indices, pending.indices);
    read_relation(pending.formula, "phi", e);
    environment_.indices = outer;
  }
}

// The two joints of a coupler, with the coordinate of each and its factor.
void ModelReader::read_coupler(const TableReader& keys, Element& e) {
  const Field joints = keys.peek("joints"), factors = keys.peek("factors"),
              coordinates = keys.peek("coordinates");
  if (!joints || !factors) return;  // missing ones are told with the settings
  const auto names = environment_.names(joints);
  const auto values = free_numbers(factors, 2, 2);
  const auto kinds = coordinates ? environment_.names(coordinates) : std::nullopt;
  if (!names || !values || (coordinates && !kinds)) return;
  if (names->size() != 2 || (kinds && kinds->size() != 2))
    return faults_.error("model.vector-length",
                         joints.where(),
                         fmt::format("joints = a list of {}", names->size()),
                         "two joints, and two coordinates where they are named");
  for (std::size_t k = 0; k < 2; ++k) {
    const int index = joints_.find((*names)[k]);
    if (index < 0) {
      if (!cut_short_) unknown_name("joint", (*names)[k], joints.node->items[k].where, joints_);
      return;
    }
    const auto& own = coordinates_of(model_.joints[static_cast<std::size_t>(index)]);
    const auto selected = std::find_if(own.begin(), own.end(), [&](const JointCoordinate& c) {
      return !kinds || name_of(c.measure) == (*kinds)[k];
    });
    const bool turns = selected != own.end() && selected->measure == Measure::angle,
               slides = selected != own.end() && selected->measure == Measure::displacement;
    if (!turns && !slides)
      return faults_.error(
          "model.bad-value",
          joints.node->items[k].where,
          fmt::format("the joint '{}' without {}",
                      (*names)[k],
                      kinds ? "a coordinate '" + (*kinds)[k] + "'" : "a coordinate to couple"),
          "a joint with an angle or a displacement");
    e.coupled.push_back({index, turns, (*values)[k]});
  }
}

// The joint whose freedom is meant, null when there is none or it is unknown.
const Element* ModelReader::named_joint(TableReader& keys) {
  const Field f = keys.take("joint");
  if (!f) return nullptr;
  const auto name = environment_.text(f);
  if (!name) return nullptr;
  const int index = joints_.find(*name);
  if (index < 0) {
    if (!cut_short_) unknown_name("joint", *name, f.where(), joints_);
    return nullptr;
  }
  return &model_.joints[static_cast<std::size_t>(index)];
}

// Empty for a joint whose type is at fault, or that has none.
const std::vector<JointCoordinate>& ModelReader::coordinates_of(const Element& joint) const {
  static const std::vector<JointCoordinate> none;
  const ElementType* type = find_type(Kind::joint, joint.type, model_.space);
  return type != nullptr ? type->coordinates : none;
}

static bool asks_for_force(const std::optional<std::string>& type) {
  static constexpr std::string_view words[] = {"force", "reaction", "torque", "moment", "load"};
  return type && std::find(std::begin(words), std::end(words), *type) != std::end(words);
}

const ElementType* ModelReader::element_type(Kind kind, TableReader& keys, const Element* joint) {
  const bool of_joint = on_joint(kind) && keys.has("joint");
  std::vector<std::string_view> measures;
  if (joint != nullptr)
    for (const JointCoordinate& c : coordinates_of(*joint)) measures.push_back(name_of(c.measure));
  const Field f =
      of_joint || keys.has("type")
          ? keys.take("type")
          : keys.need("type",
                      fmt::format("one of {}", fmt::join(type_names(kind, model_.space), ", ")));
  if (of_joint) {
    if (joint == nullptr || joint->type.empty()) {
      keys.skip_rest();
      return nullptr;
    }
    if (measures.empty()) {
      faults_.error("model.bad-value",
                    keys.where(),
                    fmt::format("the joint '{}' of type {}", joint->name, joint->type),
                    "a joint with one freedom to measure: revolute, translational, ...");
      keys.skip_rest();
      return nullptr;
    }
    const auto given = f ? environment_.text(f) : std::nullopt;
    const auto selected =
        given ? std::find(measures.begin(), measures.end(), *given) : measures.begin();
    if (selected == measures.end()) {
      faults_.error(
          "model.bad-value",
          f.where(),
          fmt::format("type = {}", describe(*f.node)),
          fmt::format("\"{}\", as the joint '{}' is {}",
                      fmt::join(measures, "\" or \""),
                      joint->name,
                      joint->type),
          kind == Kind::request && asks_for_force(given)
              ? fmt::format("reactions are results already: `{}.first.force`, .fx, ...; a "
                            "request of type \"expression\" can use them",
                            joint->name)
          : measures.size() == 1 ? "leave out the type"
                                 : "");
      return find_type(kind, measures.front(), model_.space);
    }
    return find_type(kind, *selected, model_.space);
  }
  const auto name = f ? environment_.text(f) : std::nullopt;
  if (!name) return nullptr;
  const ElementType* type = find_type(kind, *name, model_.space);
  if (type != nullptr && type->written) return type;
  const auto known = type_names(kind, model_.space);
  const OtherWord other = kind == Kind::joint    ? other_word(WordPlace::joint, *name, known)
                          : kind == Kind::driver ? other_word(WordPlace::driver, *name, known)
                          : kind == Kind::force  ? other_word(WordPlace::force, *name, known)
                                                 : OtherWord{};
  const std::string near = nearest_name(*name, known);
  const std::string hint = !other.means.empty() ? other.hint
                           : near.empty()       ? ""
                                                : fmt::format("did you mean \"{}\"?", near);
  constexpr std::size_t short_list = 8;  // a longer one is shown to those who get no hint
  faults_.error("model.unknown-type",
                f.where(),
                fmt::format("the unknown {} type \"{}\"", kind_name(kind), *name),
                hint.empty() || known.size() <= short_list
                    ? fmt::format("one of {}", fmt::join(known, ", "))
                    : fmt::format("one of the {} types of {}s", known.size(), kind_name(kind)),
                hint);
  return nullptr;
}

}  // namespace cardan
