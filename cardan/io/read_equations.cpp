// Equations of one's own: [[coordinate]], [equations] and [[constraint]].
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cardan/io/model_reader.h"
#include "cardan/model/own_equations.h"

namespace cardan {

namespace {

constexpr Dimension energy_dimension = dimension::torque;

Dimension quotient(Dimension a, const Dimension& b) {
  for (std::size_t k = 0; k < a.power.size(); ++k)
    a.power[k] = static_cast<signed char>(a.power[k] - b.power[k]);
  return a;
}

// Of the force along a coordinate.
std::string force_unit(const OwnEquations::Coordinate& c, const Dimension& of) {
  if (of == dimension::length) return "N";
  if (of == dimension::none) return c.unit.empty() ? "" : "N*m";
  return si_unit(quotient(energy_dimension, of));
}

}  // namespace

void ModelReader::read_coordinate(const TomlNode& table) {
  TableReader keys(table, faults_);
  const int index = static_cast<int>(own_coordinates_.size());
  Faults::Subject subject(faults_, "coordinate", written_name(keys));
  OwnEquations::Coordinate c;
  c.where = table.where;
  c.name = read_signal_name(keys, "coordinate", requests_, index);
  subject.rename(c.name);
  coordinates_.add(c.name, index);
  const Field start = keys.take_one_of({"initial", "guess"});
  c.initial_given = start && start.key == "initial";
  const auto dimension = read_quantity(keys.take("unit"), start, c.unit, c.initial);
  if (const Field f = keys.take("rate")) {
    c.rate_given = true;
    c.rate = environment_.number(f, per_second(dimension.value_or(dimension::none))).value_or(0);
  }
  keys.finish(key_names(find_section("coordinate")->keys), "[[coordinate]]");
  Element request;
  request.kind = Kind::request;
  request.type = "coordinate";
  request.name = c.name;
  request.where = c.where;
  model_.requests.push_back(std::move(request));
  pending_.emplace_back();
  request_states_.push_back(2);
  request_dimensions_.push_back(dimension);
  coordinate_dimensions_.push_back(dimension.value_or(dimension::none));
  own_coordinates_.push_back(std::move(c));
}

bool ModelReader::without_units() const {
  return !own_coordinates_.empty() && std::all_of(own_coordinates_.begin(),
                                                  own_coordinates_.end(),
                                                  [](const auto& c) { return c.unit.empty(); });
}

Dimension ModelReader::rate_of(Dimension d) const {
  return without_units() ? d : per_second(d);
}

void ModelReader::refuse_bodies() {
  static constexpr std::array<std::string_view, 10> keys{"space",
                                                         "gravity",
                                                         "ground",
                                                         "marker",
                                                         "joint",
                                                         "driver",
                                                         "force",
                                                         "stop",
                                                         "contact",
                                                         "initial"};
  for (const auto& source : sources_)
    for (const auto key : keys)
      if (const TomlEntry* entry = source.root.find(key))
        faults_.error("model.unknown-key",
                      entry->where,
                      fmt::format("'{}' in a model of coordinates and equations", key),
                      "bodies with their joints and forces, or equations of one's own",
                      key == "force"     ? "write `forces` under [equations]"
                      : key == "initial" ? "write `initial` and `rate` into the [[coordinate]]"
                      : key == "gravity" ? "write it into the potential energy or the forces"
                                         : "");
}

// A formula that coordinates, their rates, the time and parameters alone decide.
std::optional<CoordinateFormula> ModelReader::read_coordinate_formula(
    const Field& f, std::optional<Dimension> dimension) {
  CoordinateFormula out;
  out.where = f.where();
  const bool bare = without_units();
  std::vector<Scope::Variable> variables{{"t", bare ? dimension::none : dimension::time},
                                         {"", dimension::none},
                                         {"", dimension::none}};
  if (f.node->kind == TomlNode::Kind::text)
    for (const auto& name : environment_.names_of(environment_.expanded(f.node->text, f.where()))) {
      const int k = coordinates_.find(name);
      const char* other = requests_.find(name) >= 0 ? "request"
                          : states_.find(name) >= 0 ? "state"
                          : inputs_.find(name) >= 0 ? "input"
                                                    : nullptr;
      if (k < 0 && other != nullptr) {
        faults_.error("model.bad-value",
                      f.where(),
                      fmt::format("the {} '{}' in {}", other, name, f.key),
                      "coordinates, their rates, t and parameters",
                      "`forces` may use requests, states and inputs");
        return std::nullopt;
      }
      if (k < 0) continue;
      const Dimension d = coordinate_dimensions_[static_cast<std::size_t>(k)];
      out.coordinates.push_back(k);
      variables.push_back({name, d});
      variables.push_back({fmt::format("rate({})", name), rate_of(d)});
    }
  const auto parsed = environment_.formula(f, bare ? std::nullopt : dimension, variables);
  if (!parsed) return std::nullopt;
  out.formula = *parsed;
  return out;
}

bool ModelReader::refuse_rates(const CoordinateFormula& formula, const Field& f, const char* what) {
  if (!formula.uses_rates()) return false;
  faults_.error("model.bad-value",
                f.where(),
                fmt::format("a rate in {}", what),
                "a function of positions and time",
                "what depends on rates belongs to `kinetic` or `forces`");
  return true;
}

void ModelReader::read_equations() {
  auto own = std::make_shared<OwnEquations>();
  own->coordinates = own_coordinates_;
  bool any = false;
  for (const auto& source : sources_) {
    const TomlEntry* entry = source.root.find("equations");
    if (entry == nullptr) continue;
    const Faults::Subject subject(faults_, "equations", "");
    if (entry->value.kind != TomlNode::Kind::table) {
      environment_.wrong_type({"equations", &entry->value}, "a table, [equations]");
      continue;
    }
    if (any)
      faults_.error("model.duplicate-name", entry->where, "a second [equations]", "one of them");
    any = true;
    own->where = entry->where;
    TableReader keys(entry->value, faults_);
    read_energies(keys, *own);
    keys.finish(key_names(find_section("equations")->keys), "[equations]");
  }
  for_each("constraint", [&](const TomlNode& n) { read_constraint(n, *own); });
  const bool bare = own_coordinates_.empty();
  if (bare && !any && own->constraints.empty()) return;
  if (!model_.bodies.empty() || bare || !any)
    faults_.error("model.missing-key",
                  any ? own->where : sources_.back().root.where,
                  !model_.bodies.empty() ? "bodies beside equations of one's own"
                  : bare                 ? "equations without coordinates"
                                         : "coordinates without [equations]",
                  "[[coordinate]] and [equations], or bodies");
  if (any) refuse_bodies();
  model_.own = std::move(own);
}

void ModelReader::read_energies(TableReader& keys, OwnEquations& own) {
  if (const Field f = keys.take_one_of({"kinetic", "mass"})) {
    if (f.key == "mass")
      read_mass_matrix(f, own);
    else
      own.kinetic = read_coordinate_formula(f, energy_dimension);
  } else {
    faults_.error("model.missing-key",
                  keys.where(),
                  "no 'kinetic' and no 'mass'",
                  "the kinetic energy, or the mass matrix");
  }
  if (const Field f = keys.take("potential")) {
    auto V = read_coordinate_formula(f, energy_dimension);
    if (V && !refuse_rates(*V, f, "the potential energy")) own.potential = std::move(V);
  }
  if (const Field f = keys.take("forces")) read_coordinate_forces(f, own);
}

// A list of rows, or of the entries on the diagonal.
void ModelReader::read_mass_matrix(const Field& f, OwnEquations& own) {
  const std::size_t n = own.coordinates.size();
  const auto wrong = [&] {
    environment_.wrong_type(f, fmt::format("{0} formulas, or {0} rows of {0}", n));
  };
  if (f.node->kind != TomlNode::Kind::array || f.node->items.size() != n) return wrong();
  const auto read = [&](const TomlNode& node, std::size_t row, std::size_t column) {
    const Dimension d =
        quotient(quotient(energy_dimension, per_second(coordinate_dimensions_[row])),
                 per_second(coordinate_dimensions_[column]));
    auto m = read_coordinate_formula({f.key, &node}, d);
    if (!m || refuse_rates(*m, {f.key, &node}, "the mass matrix")) return;
    if (m->formula.constant() && m->formula.value({}) == 0 && row != column) return;
    own.mass.push_back({static_cast<int>(row), static_cast<int>(column), std::move(*m)});
  };
  for (std::size_t row = 0; row < n; ++row) {
    const TomlNode& node = f.node->items[row];
    if (node.kind != TomlNode::Kind::array) {
      read(node, row, row);
      continue;
    }
    if (node.items.size() != n) return wrong();
    for (std::size_t column = 0; column <= row; ++column) {
      read(node.items[column], row, column);
      const TomlNode& mirror = f.node->items[column];
      if (mirror.kind != TomlNode::Kind::array || mirror.items.size() != n) return wrong();
      const TomlNode &a = node.items[column], &b = mirror.items[row];
      if (column < row && (a.kind != b.kind || a.text != b.text || a.number != b.number))
        faults_.error("model.bad-value",
                      b.where,
                      fmt::format("entries ({0}, {1}) and ({1}, {0}) that differ",
                                  own.coordinates[column].name,
                                  own.coordinates[row].name),
                      "a symmetric mass matrix, both written alike");
    }
  }
}

void ModelReader::read_coordinate_forces(const Field& f, OwnEquations& own) {
  const std::size_t n = own.coordinates.size();
  if (f.node->kind != TomlNode::Kind::array || f.node->items.size() != n)
    return environment_.wrong_type(
        f, fmt::format("a list of {} formulas, one for each coordinate", n));
  for (std::size_t k = 0; k < n; ++k) {
    const Field item{f.key, &f.node->items[k]};
    Element e;
    e.kind = Kind::force;
    e.type = "coordinate";
    e.name = own.coordinates[k].name;
    e.where = item.where();
    const auto variables =
        formula_variables(*find_type(Kind::request, "expression", model_.space), {item}, e);
    std::optional<Dimension> dimension;
    if (!without_units()) dimension = quotient(energy_dimension, coordinate_dimensions_[k]);
    const auto formula = environment_.formula(item, dimension, variables);
    if (!formula || (formula->constant() && formula->value({}) == 0)) continue;
    e.settings.emplace_back("value", *formula);
    model_.forces.push_back(std::move(e));
    own.force_units.push_back(force_unit(own.coordinates[k], coordinate_dimensions_[k]));
  }
}

void ModelReader::read_constraint(const TomlNode& table, OwnEquations& own) {
  TableReader keys(table, faults_);
  const int index = static_cast<int>(own.constraints.size());
  Faults::Subject subject(faults_, "constraint", written_name(keys));
  OwnEquations::Constraint c;
  c.where = table.where;
  c.name =
      read_name(keys, "constraint", constraints_, index, fmt::format("constraint {}", index + 1));
  subject.rename(c.name);
  if (coordinates_.find(c.name) >= 0)
    faults_.error("model.duplicate-name",
                  c.where,
                  fmt::format("a constraint with the name of a coordinate, '{}'", c.name),
                  "another name");
  const Field f = keys.need("formula", "the formula that is zero, such as \"x^2 + y^2 - l^2\"");
  keys.finish(key_names(find_section("constraint")->keys), "[[constraint]]");
  if (!f) return;
  auto formula = read_coordinate_formula(f, std::nullopt);
  if (!formula) return;
  if (!formula->formula.plain() && !without_units()) {
    const Dimension d = quotient(energy_dimension, formula->formula.dimension());
    c.multiplier_unit = si_unit(formula->uses_rates() ? per_second(d) : d);
  }
  c.formula = std::move(*formula);
  own.constraints.push_back(std::move(c));
}

}  // namespace cardan
