// Equations of one's own: coordinates, energies or mass matrix, forces and constraints as formulas
// (element/formula/coordinate_equations.h) take the place of bodies, joints and forces.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cardan/element/formula/coordinate_equations.h"
#include "cardan/element/formula/formula.h"
#include "cardan/element/formula/formula_of_coordinates.h"
#include "cardan/math/elementary.h"
#include "cardan/math/expression_program.h"
#include "cardan/system/compiler.h"

namespace cardan {

namespace {

std::size_t own_index(int k) {
  return static_cast<std::size_t>(k);
}

// Places where polynomials are told from other functions: the start, and beside it.
constexpr int probes = 4;
constexpr double not_a_polynomial = 1e-9;  // a derivative that must vanish, relative to lower ones

struct Probe {
  std::vector<double> q, v, way;
};

Probe probe_of(const OwnEquations& own, int k) {
  Probe p;
  for (std::size_t i = 0; i < own.coordinates.size(); ++i) {
    const double shake = elementary::sin(1.3 + 2.1 * static_cast<double>(i) + 5.7 * k);
    p.q.push_back(own.coordinates[i].initial + 0.1 * k * shake);
    p.v.push_back(own.coordinates[i].rate + 0.7 * shake + 0.2);
    p.way.push_back(elementary::cos(0.4 + 1.7 * static_cast<double>(i) + 3.1 * k));
  }
  return p;
}

bool vanishes(double high, double low) {
  return !std::isfinite(high) || std::abs(high) <= not_a_polynomial * (1 + std::abs(low));
}

}  // namespace

void Compiler::own_check() {
  const OwnEquations& own = *model_.own;
  const auto n = own.coordinates.size();
  if (n == 0)
    report("model.empty",
           own.where,
           "",
           "equations without coordinates",
           "at least one [[coordinate]]");
  if (model_.space != Space::planar || !model_.bodies.empty() || !model_.joints.empty() ||
      !model_.drivers.empty() || !model_.initial.empty() || !model_.stops.empty() ||
      !model_.contacts.empty())
    report("model.bad-value",
           own.where,
           "",
           "bodies or elements of bodies beside equations of one's own",
           "one of the two: a mechanism, or coordinates with [equations]");
  if (model_.requests.size() < n || own.force_units.size() != model_.forces.size()) {
    report("model.bad-value",
           own.where,
           "",
           "coordinates that are not the first requests, or forces without units",
           "a request for every coordinate, a unit for every force");
    return;
  }
  const int requests = request_count();
  for (const Element& e : std::span(model_.requests).subspan(n)) {
    const ElementType* type = type_of(e);
    if (type == nullptr) continue;
    check(e, *type, requests);
    if (!std::holds_alternative<FormulaRequest>(type->make))
      report("model.bad-value",
             e.where,
             e.words(),
             fmt::format("type = \"{}\" in a model without bodies", e.type),
             "type = \"expression\"");
  }
  for (const Element& e : model_.forces)
    for (const int input : e.inputs) check_index(e, "request", input, requests, 0);
  for (const CoordinateFormula* f : own.formulas()) {
    if (f->coordinates.size() > max_formula_coordinates)
      report("limit.formula-inputs",
             f->where,
             "",
             fmt::format("a formula that names {} coordinates", f->coordinates.size()),
             fmt::format("at most {}", max_formula_coordinates));
    if (f->formula.conditions() > 0)
      report("model.bad-value",
             f->where,
             "",
             "a condition in an energy, a mass matrix or a constraint",
             "conditions in `forces`, requests and states alone",
             "energies and constraints must be smooth; a force may switch");
  }
  own_corner_check();
  if (!own.kinetic && own.mass.empty())
    report("model.missing-key",
           own.where,
           "equations",
           "neither 'kinetic' nor 'mass'",
           "the kinetic energy, or the mass matrix");
  if (!faults_.empty()) return;
  own_kinetic_check();
  own_constraint_check();
}

namespace {

// Of what varies: corners have no second derivative, jumps no first one.
bool has_operation(const CoordinateFormula& f, std::initializer_list<Op> ops) {
  const auto& program = f.formula.program();
  return program != nullptr &&
         std::any_of(program->code.begin(), program->code.end(), [&](const Instruction& x) {
           return std::find(ops.begin(), ops.end(), x.op) != ops.end();
         });
}

}  // namespace

// A potential may have corners: its force jumps there, as forces may. What else has one would ask
// for a jump of velocities, which nothing makes.
void Compiler::own_corner_check() {
  const OwnEquations& own = *model_.own;
  for (const CoordinateFormula* f : own.formulas()) {
    const bool jumps = has_operation(*f, {Op::floor, Op::ceil, Op::modulo});
    const bool bends = has_operation(*f, {Op::absolute, Op::minimum, Op::maximum, Op::deadband});
    if (!jumps && (!bends || (own.potential && f == &*own.potential))) continue;
    report("model.bad-value",
           f->where,
           "",
           jumps ? "floor, ceil or mod in an energy, a mass matrix or a constraint"
                 : "abs, min, max or deadband in a kinetic energy, a mass matrix or a constraint",
           "functions that are smooth",
           jumps ? "what jumps belongs to `forces`, requests and states"
                 : "a constraint on each side of the corner is a model of its own; a potential may "
                   "have corners");
  }
}

void Compiler::own_kinetic_check() {
  const OwnEquations& own = *model_.own;
  if (!own.kinetic) return;
  for (int k = 0; k < probes; ++k) {
    const Probe p = probe_of(own, k);
    const FormulaOfCoordinates T(*own.kinetic, 0.3 * k, p.q, p.v);
    const auto u = T.rates(p.way);
    if (vanishes(T.along(u, u, u), T.along(u, u))) continue;
    report("model.bad-value",
           own.kinetic->where,
           "equations",
           "a kinetic energy that is not quadratic in the rates",
           "at most squares and products of two rates");
    return;
  }
}

void Compiler::own_constraint_check() {
  const OwnEquations& own = *model_.own;
  for (const auto& c : own.constraints) {
    const std::string words = "constraint '" + c.name + "'";
    if (c.formula.coordinates.empty()) {
      report("model.bad-value",
             c.where,
             words,
             "a formula without coordinates",
             "an equation that the coordinates have to meet");
      continue;
    }
    if (!c.formula.uses_rates()) continue;
    for (int k = 0; k < probes; ++k) {
      const Probe p = probe_of(own, k);
      const FormulaOfCoordinates g(c.formula, 0.3 * k, p.q, p.v);
      const auto u = g.rates(p.way);
      if (vanishes(g.along(u, u), g.along(u))) continue;
      report("model.bad-value",
             c.where,
             words,
             "an equation that is not linear in the rates",
             "rates times functions of positions and time, added up");
      break;
    }
  }
}

void Compiler::own_coordinates() {
  const OwnEquations& own = *model_.own;
  const int n = static_cast<int>(own.coordinates.size());
  system_.own_ = std::make_shared<const CoordinateEquations>(own);
  system_.own_said_ = &system_.own_->equations();
  system_.layout_.add_coordinates(n);
  const std::vector<double> ones(own_index(n), 1.0), zeros(own_index(n), 0.0);
  system_.mass_ = MassMatrix(n);  // without a part of its own: it stands in the packed numbers
  system_.mass_.add_diagonal(zeros);
  system_.metric_ = MassMatrix(n);
  system_.metric_.add_diagonal(ones);
  system_.length_ = 1;
  system_.velocity_given_.assign(1, 1);
  for (const auto& c : own.coordinates) {
    system_.given_.q.push_back(c.initial);
    system_.given_.v.push_back(c.rate);
  }
}

void Compiler::own_constraints(ConstraintSet& set) {
  const OwnEquations& own = *model_.own;
  const int n = static_cast<int>(own.coordinates.size());
  auto positions = std::make_unique<FormulaConstraints>(n, false),
       rates = std::make_unique<FormulaConstraints>(n, true);
  for (const auto& c : own.constraints) {
    const bool at_rates = c.formula.uses_rates();
    const int element = (at_rates ? *rates : *positions).add(c.formula);
    System::ConstraintInfo info;
    info.type = "formula";
    info.name = c.name;
    info.where = c.where;
    info.dependence = {.time = c.formula.uses_time(), .positions = true, .rates = at_rates};
    system_.constraints_.push_back(std::move(info));
    parts_.push_back({{at_rates ? 1 : 0, element}});
    system_.driven_ = system_.driven_ || at_rates || c.formula.uses_time();
  }
  system_.moves_with_time_ = system_.own_->moves_with_time();
  set.adopt(std::move(positions));
  set.adopt(std::move(rates));
}

void Compiler::own_measures(ConstraintSet& set,
                            std::vector<std::pair<std::size_t, Part>>& measured) {
  const OwnEquations& own = *model_.own;
  const int n = static_cast<int>(own.coordinates.size());
  std::vector<int> all;
  for (int k = 0; k < n; ++k) {
    auto& info = system_.request_info_.emplace_back();
    info.name = own.coordinates[own_index(k)].name;
    info.type = "coordinate";
    info.unit = own.coordinates[own_index(k)].unit;
    all.push_back(k);
  }
  const int pool = set.adopt(make_coordinate_measures(n, all));
  for (int k = 0; k < n; ++k) measured.emplace_back(own_index(k), Part{pool, k});
}

void Compiler::own_forces(ForceSet& set) {
  const OwnEquations& own = *model_.own;
  set.adopt(make_energy_forces(*system_.own_));
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const Element& e = model_.forces[k];
    const Setting* value = e.find("value");
    const auto at = std::find_if(own.coordinates.begin(),
                                 own.coordinates.end(),
                                 [&](const auto& c) { return c.name == e.name; });
    if (value == nullptr || !std::holds_alternative<Expression>(*value) ||
        at == own.coordinates.end()) {
      report(
          "model.bad-value", e.where, e.words(), "a force of no coordinate", "a formula for one");
      continue;
    }
    if (e.inputs.size() > max_formula_inputs) {
      report("limit.formula-inputs",
             e.where,
             e.words(),
             fmt::format("a formula that names {} values", e.inputs.size()),
             fmt::format("at most {}", max_formula_inputs));
      continue;
    }
    const int pool = set.adopt(make_coordinate_force(static_cast<int>(at - own.coordinates.begin()),
                                                     numbered(std::get<Expression>(*value), e),
                                                     e.inputs,
                                                     own.force_units[k]));
    system_.forces_.push_back({e.type, e.name, pool, 0});
  }
}

std::vector<Part> Compiler::own_initial(ConstraintSet& set) {
  const OwnEquations& own = *model_.own;
  std::vector<int> prescribed;
  std::vector<Part> parts;
  for (std::size_t k = 0; k < own.coordinates.size(); ++k) {
    const auto& c = own.coordinates[k];
    if (!c.initial_given && !c.rate_given) continue;
    System::InitialInfo info;
    info.words = "coordinate '" + c.name + "'";
    info.where = c.where;
    info.has_value = c.initial_given;
    info.has_rate = c.rate_given;
    info.value = c.initial;
    info.rate = c.rate;
    system_.initial_info_.push_back(std::move(info));
    parts.push_back({0, static_cast<int>(prescribed.size())});
    prescribed.push_back(static_cast<int>(k));
  }
  set.adopt(make_coordinate_measures(static_cast<int>(own.coordinates.size()), prescribed));
  return parts;
}

void Compiler::own_time_parts() {
  if (system_.own_ == nullptr) return;
  const auto take = [&](const CoordinateFormula& f, std::string words) {
    if (!f.uses_time()) return;
    System::TimePart part;
    part.words = std::move(words);
    part.where = f.where;
    part.formula = std::make_shared<TimeFormula>(
        f.formula, std::vector<TimeFormula::Ptr>(3 + 2 * f.coordinates.size()));
    system_.time_parts_.push_back(std::move(part));
  };
  const OwnEquations& own = system_.own_->equations();
  if (own.kinetic) take(*own.kinetic, "kinetic energy");
  if (own.potential) take(*own.potential, "potential energy");
  for (const auto& e : own.mass) take(e.formula, "mass matrix");
  for (const auto& c : own.constraints) take(c.formula, "constraint '" + c.name + "'");
}

}  // namespace cardan
