// Model -> System: numbering, pools, requests.
#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "cardan/element/spatial/turns.h"
#include "cardan/math/formula_function.h"
#include "cardan/system/compile_like.h"
#include "cardan/system/compiler.h"
#include "cardan/system/loop_condition.h"
#include "cardan/system/saddle.h"
#include "cardan/system/schur_assembly.h"
#include "cardan/system/topology.h"

namespace cardan {

namespace {

std::vector<const ConstraintPool*> pools_of(const ConstraintSet& set) {
  std::vector<const ConstraintPool*> pools;
  pools.reserve(static_cast<std::size_t>(set.pool_count()));
  for (int k = 0; k < set.pool_count(); ++k) pools.push_back(&set.pool(k));
  return pools;
}

bool same_blocks(const Equations& a, const Equations& b) {
  const auto same_block = [](const Equations::Block& x, const Equations::Block& y) {
    return x.first_row == y.first_row && x.rows == y.rows && x.first_term == y.first_term &&
           x.term_count == y.term_count && x.sides == y.sides;
  };
  const auto same_term = [](const Equations::Term& x, const Equations::Term& y) {
    return x.body == y.body && x.offset == y.offset;
  };
  if (a.rows() != b.rows() || a.packed_size() != b.packed_size() ||
      !std::equal(
          a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end(), same_block))
    return false;
  for (std::size_t k = 0; k < a.blocks().size(); ++k) {
    const auto x = a.terms(a.blocks()[k]), y = b.terms(b.blocks()[k]);
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end(), same_term)) return false;
  }
  return true;
}

}  // namespace

Result<System> Compiler::run() {
  system_.space_ = model_.space;
  if (model_.bodies.empty() && model_.own == nullptr)
    report("model.empty", {}, "", "a model without bodies", "at least one [[body]]");
  check();
  if (!faults_.empty()) return faults_;
  system_.friction_ = std::make_shared<FrictionSet>(dimension_);
  bodies();
  if (dimension_ == 3) turns_ = std::make_shared<WindingTable>(system_.q_size());
  measure_length();
  constraints();
  requests();
  joint_coordinates();
  forces();
  contacts();
  initial();
  if (has_error(faults_)) return faults_;
  number_equations();
  free_turns();
  plan_structure();
  dependences();
  time_parts();
  finish();
  check_relations();
  if (has_error(faults_)) return faults_;
  return std::move(system_);
}

void Compiler::report(std::string id,
                      SourcePos where,
                      std::string element,
                      std::string found,
                      std::string expected,
                      std::string hint) {
  Diagnostic d;
  d.id = std::move(id);
  d.where = std::move(where);
  d.element = std::move(element);
  d.found = std::move(found);
  d.expected = std::move(expected);
  d.hint = std::move(hint);
  faults_.push_back(std::move(d));
}

void Compiler::fault(const Element& e, const ElementFault& f) {
  report(f.id, e.where, e.words(), f.found, f.expected, f.hint);
}

const ElementType* Compiler::type_of(const Element& e) {
  const ElementType* type = find_type(e.kind, e.type, model_.space);
  if (type == nullptr)
    report(
        "model.unknown-type",
        e.where,
        e.words(),
        fmt::format("type = \"{}\" in a {} model", e.type, dimension_ == 2 ? "planar" : "spatial"),
        fmt::format("one of {}", fmt::join(type_names(e.kind, model_.space), ", ")));
  return type;
}

bool Compiler::joins_itself(const Element& e) {
  const bool same = e.sides.size() == 2 && e.sides[0].body == e.sides[1].body;
  if (same)
    report("model.self-joint",
           e.where,
           e.words(),
           "both sides on the same body",
           "two different bodies");
  return same;
}

void Compiler::add_constraint(const Element& e, const ElementType& type, std::vector<Part> parts) {
  System::ConstraintInfo info;
  info.kind = e.kind;
  info.type = e.type;
  info.name = e.name;
  info.where = e.where;
  info.description = &type;
  for (const Side& side : e.sides) info.sides.push_back(in_mass_frame(side));
  info.dependence.positions = true;
  system_.constraints_.push_back(std::move(info));
  parts_.push_back(std::move(parts));
}

// Of a joint in space, as an initial condition or a driver tells it, with its whole turns.
std::optional<double> Compiler::start_angle(const Element& joint) const {
  if (dimension_ != 3 || joint.kind != Kind::joint) return {};
  const ElementType* type = find_type(joint.kind, joint.type, model_.space);
  const auto angle = [&](const Element& e, double value) -> std::optional<double> {
    for (const JointCoordinate& c : type->coordinates)
      if (name_of(c.measure) == e.type && c.angle_at != nullptr) return c.angle_at(joint, value);
    return {};
  };
  for (const Element& e : model_.initial)
    if (e.joint == joint.name && e.find("value") != nullptr) return angle(e, e.number("value"));
  for (const Element& e : model_.drivers)
    if (const auto* motion = e.joint == joint.name ? e.find("motion") : nullptr)
      if (const auto* f = std::get_if<FunctionPtr>(motion)) return angle(e, (*f)->at(0).f);
  return {};
}

void Compiler::constraints() {
  auto set = std::make_shared<ConstraintSet>(dimension_, turns_.get());
  if (model_.own != nullptr) own_constraints(*set);
  for (const auto* list : {&model_.joints, &model_.drivers})
    for (const Element& e : *list) {
      const ElementType* type = joins_itself(e) ? nullptr : type_of(e);
      if (type == nullptr) continue;
      if (std::holds_alternative<FormulaRelation>(type->make)) {
        relation_joint(*set, e, *type);
        continue;
      }
      ElementSpec spec = spec_of(e);
      if (const auto angle = start_angle(e)) spec.start_angle = angle;
      Made made = e.kind == Kind::driver ? set->add_driver(e.type, spec)
                                         : set->add_joint(e.type, spec, system_.given_.q);
      if (!made) {
        fault(e, made.why());
        continue;
      }
      add_constraint(e, *type, std::move(made).value());
      if (e.kind == Kind::driver) {
        const bool moves = !spec.drive->constant();
        system_.driven_ = true;
        system_.moves_with_time_ = system_.moves_with_time_ || moves;
        system_.constraints_.back().dependence.time = moves;
        if (moves)
          system_.time_parts_.push_back({e.words(),
                                         e.where,
                                         std::make_shared<TimeFormula>(spec.drive),
                                         spec.drive,
                                         static_cast<int>(system_.constraints_.size()) - 1});
      }
      joint_friction(e, *type, spec);
    }
  system_.constraint_set_ = std::move(set);
}

void Compiler::number_equations() {
  auto pools = pools_of(*system_.constraint_set_);
  const int first_limit_pool = static_cast<int>(pools.size());
  for (const auto* pool : pools) system_.joint_rows_ += pool->count() * pool->rows();
  for (const auto* pool : pools_of(*system_.limit_set_)) pools.push_back(pool);
  const int first_stick_pool = static_cast<int>(pools.size());
  const std::vector<Part> stick_parts = sticking();
  for (const auto* pool : pools_of(*system_.stick_set_)) pools.push_back(pool);
  system_.equations_ = Equations(pools, blocks(), body_size(), system_.own_mechanics());
  name_rows(pools, first_limit_pool);
  for (std::size_t k = 0; k < friction_of_.size(); ++k)
    system_.friction_->element(static_cast<int>(k)).rows =
        system_.constraints_[friction_of_[k]].rows;
  name_stick_rows(stick_parts, first_stick_pool);
}

bool Compiler::is_like(const System& other) const {
  const auto same_sizes = [](const auto& a, const auto& b) {
    return a.size() == b.size();
  };
  return system_.space_ == other.space_ && (system_.own_ == nullptr) == (other.own_ == nullptr) &&
         system_.layout_.v_size() == other.layout_.v_size() &&
         same_sizes(system_.bodies_, other.bodies_) && system_.joint_rows_ == other.joint_rows_ &&
         same_sizes(system_.constraints_, other.constraints_) &&
         system_.constraint_of_row_ == other.constraint_of_row_ &&
         same_blocks(system_.equations_, other.equations_) &&
         same_blocks(system_.assembly_, other.assembly_) &&
         same_blocks(system_.request_equations_, other.request_equations_) &&
         same_blocks(system_.coordinate_equations_, other.coordinate_equations_) &&
         (turns_ == nullptr ? 0 : turns_->count()) == other.turn_count_ &&
         system_.states_.size() == other.states_.size() &&
         same_sizes(system_.inputs_, other.inputs_) && same_sizes(system_.forces_, other.forces_) &&
         same_sizes(system_.limits_, other.limits_) &&
         same_sizes(system_.conditions_, other.conditions_) &&
         same_sizes(system_.friction_words_, other.friction_words_) &&
         same_sizes(system_.request_info_, other.request_info_);
}

void Compiler::plan_structure() {
  const Equations& equations = system_.equations_;
  same_structure_ = like_ != nullptr && is_like(*like_);
  if (same_structure_) {
    system_.topology_ = like_->topology_;
    system_.schur_plan_ = like_->schur_plan_;
    system_.assembly_plan_ = like_->assembly_plan_;
    system_.loop_plan_ = like_->loop_plan_;
    if (!trusts_schur(system_.mass_, system_.length_))
      system_.kkt_plan_ = plan_kkt(equations, system_.mass_);
    return;
  }
  std::vector<std::vector<int>> blocks_of(system_.constraints_.size());
  std::vector<Topology::Edge> edges, limits;
  for (int b = 0; b < static_cast<int>(equations.blocks().size()); ++b) {
    const int row = equations.blocks()[static_cast<std::size_t>(b)].first_row;
    const int c = system_.constraint_of(row);
    if (row < system_.joint_rows_)
      blocks_of[static_cast<std::size_t>(c)].push_back(b);
    else
      limits.push_back({{b}, c, false});
  }
  for (std::size_t c = 0; c < blocks_of.size(); ++c)
    if (!blocks_of[c].empty())
      edges.push_back({std::move(blocks_of[c]), static_cast<int>(c), true});
  edges.insert(edges.end(), limits.begin(), limits.end());
  system_.topology_ = std::make_shared<const Topology>(equations, std::move(edges));
  auto plan = std::make_shared<SchurPlan>(equations);
  std::vector<int> joint;
  for (const auto& block : equations.blocks())
    joint.push_back(system_.constraint_of(block.first_row));
  plan->plan_elimination(equations, joint);
  system_.schur_plan_ = std::move(plan);
  system_.assembly_plan_ = std::make_shared<const SchurPlan>(system_.assembly_);
  system_.loop_plan_ = std::make_shared<const LoopPlan>(equations, *system_.topology_);
  if (!trusts_schur(system_.mass_, system_.length_))
    system_.kkt_plan_ = plan_kkt(equations, system_.mass_);
}

void Compiler::name_rows(const std::vector<const ConstraintPool*>& pools, int first_limit_pool) {
  const auto rows = static_cast<std::size_t>(system_.equations_.rows());
  system_.constraint_of_row_.assign(rows, -1);
  system_.row_words_.assign(rows, "");
  system_.row_unit_.assign(rows, UnitKind::length);
  std::size_t limit = 0;
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const Kind kind = system_.constraints_[c].kind;
    const bool limits = kind == Kind::stop || kind == Kind::contact;
    for (const Part& part : parts_[c]) {
      const int in_list = part.pool + (limits ? first_limit_pool : 0);
      const ConstraintPool& pool = *pools[static_cast<std::size_t>(in_list)];
      for (int k = 0; k < pool.rows(); ++k) {
        const int row = system_.equations_.row(in_list, part.element, k);
        if (limits) system_.limits_[limit++].row = row;
        system_.constraints_[c].rows.push_back(row);
        system_.constraint_of_row_[static_cast<std::size_t>(row)] = static_cast<int>(c);
        system_.row_words_[static_cast<std::size_t>(row)] = pool.equation(k).text;
        system_.row_unit_[static_cast<std::size_t>(row)] = pool.equation(k).unit;
      }
    }
  }
}

Expression Compiler::numbered(Expression formula, const std::string& words) {
  formula.number_conditions(static_cast<int>(system_.conditions_.size()));
  system_.conditions_.resize(
      system_.conditions_.size() + static_cast<std::size_t>(formula.conditions()), words);
  return formula;
}

// Measures keep the order of the model; points have their y behind all others, and then their z.
void Compiler::requests() {
  auto set = std::make_shared<ConstraintSet>(dimension_, turns_.get());
  std::vector<std::pair<std::size_t, Part>> measured;
  const auto measure = [&](const Element& e, Measure what, std::size_t request) {
    Made made = set->add_measure(name_of(what), spec_of(e));
    if (!made) return fault(e, made.why());
    measured.emplace_back(request, made.value().front());
  };
  const auto unit = [](Measure what) {
    return std::string(unit_text(unit_kind_of(what)));
  };
  std::vector<const Element*> points;
  system_.results_ = model_.results;
  if (model_.own != nullptr) own_measures(*set, measured);
  for (const Element& e : std::span(model_.requests).subspan(system_.request_info_.size())) {
    const std::size_t index = system_.request_info_.size();
    auto& info = system_.request_info_.emplace_back();
    info.name = e.name;
    info.type = e.type;
    info.inputs = e.inputs;
    const ElementType* type = type_of(e);
    if (type == nullptr) continue;
    if (type->measure) {
      info.unit = unit(*type->measure);
      measure(e, *type->measure, index);
    } else if (std::holds_alternative<PointRequest>(type->make)) {
      points.push_back(&e);
      info.name = e.name + ".x";
      info.unit = unit(Measure::x);
      measure(e, Measure::x, index);
    } else {
      const Setting* formula = e.find("value");
      if (formula != nullptr && std::holds_alternative<Expression>(*formula))
        info.formula = numbered(std::get<Expression>(*formula), e);
      info.unit = info.formula.plain() ? "" : si_unit(info.formula.dimension());
      if (const Setting* given = e.find("unit")) info.unit = std::get<std::string>(*given);
    }
  }
  states();
  for (const Measure axis : {Measure::y, Measure::z})
    for (const Element* e : points)
      if (dimension_ == 3 || axis == Measure::y) {
        auto& info = system_.request_info_.emplace_back();
        info.name = e->name + "." + std::string(name_of(axis));
        info.type = e->type;
        info.unit = unit(axis);
        measure(*e, axis, system_.request_info_.size() - 1);
      }
  system_.request_equations_ = Equations(pools_of(*set), blocks(), body_size());
  for (const auto& [request, part] : measured)
    system_.request_info_[request].row = system_.request_equations_.row(part.pool, part.element, 0);
  system_.request_set_ = std::move(set);
  order_formulas();
}

// What joints measure of themselves, by the elements that drivers and requests on them use too; in
// space all share one count of turns, and the coordinates are channels.
void Compiler::joint_coordinates() {
  auto set = std::make_shared<ConstraintSet>(dimension_, turns_.get());
  std::vector<std::pair<std::size_t, Part>> measured;
  std::unordered_map<std::string_view, const Element*> by_name;
  for (const Element& e : model_.joints) by_name.emplace(e.name, &e);
  for (std::size_t c = 0; c < system_.constraints_.size(); ++c) {
    if (system_.constraints_[c].kind != Kind::joint || model_.own != nullptr) continue;
    const Element* joint = by_name.at(system_.constraints_[c].name);
    for (const JointCoordinate& coordinate : system_.constraints_[c].description->coordinates) {
      if (!coordinate.free || (dimension_ == 3 && coordinate.channel.empty())) continue;
      Element e = *joint;
      e.kind = Kind::request;
      e.type = name_of(coordinate.measure);
      e.settings = coordinate.settings;
      ElementSpec spec = spec_of(e);
      spec.start_angle = start_angle(*joint);
      Made made = set->add_measure(e.type, spec);
      if (!made) return fault(*joint, made.why());
      measured.emplace_back(c, made.value().front());
    }
  }
  system_.coordinate_equations_ = Equations(pools_of(*set), blocks(), body_size());
  for (const auto& [c, part] : measured)
    system_.constraints_[c].coordinate_rows.push_back(
        system_.coordinate_equations_.row(part.pool, part.element, 0));
  system_.coordinate_set_ = std::move(set);
}

void Compiler::forces() {
  auto set = std::make_shared<ForceSet>(dimension_, turns_.get());
  if (model_.gravity != Triple{}) {
    std::vector<double> masses;
    for (const Body& b : model_.bodies) masses.push_back(b.mass);
    set->add_gravity(Vec<3>(model_.gravity[0], model_.gravity[1], model_.gravity[2]), masses);
  }
  if (dimension_ == 3) {
    std::vector<Mat<3, 3>> tensors;
    for (const auto& b : system_.bodies_) tensors.push_back(b.tensor);
    set->add_gyroscopic(std::move(tensors));
  }
  if (model_.own != nullptr) own_forces(*set);
  for (const Element& e : model_.forces) {
    if (model_.own != nullptr || type_of(e) == nullptr) continue;
    ElementSpec spec = spec_of(e);
    for (auto& [key, formula] : spec.formulas) formula = numbered(formula, e);
    for (const auto& [key, law] : spec.functions)
      if (const Expression* f = formula_of(*law); f != nullptr && f->conditions() > 0)
        spec.formulas.emplace_back(key, numbered(*f, e));
    auto made = set->add(e.type, spec, system_.given_.q);
    if (!made) {
      fault(e, made.why());
      continue;
    }
    const auto& part = made.value();
    system_.forces_.push_back({e.type, e.name, part.pool, part.element});
  }
  system_.force_set_ = std::move(set);
}

void Compiler::initial() {
  auto set = std::make_shared<ConstraintSet>(dimension_, turns_.get());
  std::vector<Part> parts;
  if (model_.own != nullptr) parts = own_initial(*set);
  for (const Element& e : model_.initial) {
    const ElementType* type = type_of(e);
    if (type == nullptr) continue;
    if (std::holds_alternative<FormulaRelation>(type->make)) {
      System::InitialInfo by_formula;
      if (const auto part = relation_initial(*set, e, by_formula)) {
        parts.push_back(*part);
        system_.initial_info_.push_back(std::move(by_formula));
      }
      continue;
    }
    Made made = set->add_measure(e.type, spec_of(e));
    if (!made) {
      fault(e, made.why());
      continue;
    }
    parts.push_back(made.value().front());
    System::InitialInfo info;
    info.words = e.words() + ", " + e.type;
    const bool turning = type->measure == Measure::angular_velocity ||
                         type->measure == Measure::angular_velocity_body;
    if (turning && e.sides.size() == 2)
      for (std::size_t k = 0; k < 3; ++k)
        if (e.sides[1].axis[k] == 1) info.words += std::string(" along ") + "xyz"[k];
    info.where = e.where;
    info.has_value = e.find("value") != nullptr;
    info.has_rate = e.find("rate") != nullptr;
    info.value = e.number("value");
    info.rate = e.number("rate");
    system_.initial_info_.push_back(std::move(info));
  }
  auto pools = pools_of(*system_.constraint_set_);
  const int first = static_cast<int>(pools.size());
  const auto more = pools_of(*set);
  pools.insert(pools.end(), more.begin(), more.end());
  system_.assembly_ = Equations(pools, blocks(), body_size());
  for (std::size_t k = 0; k < parts.size(); ++k)
    system_.initial_info_[k].row =
        system_.assembly_.row(first + parts[k].pool, parts[k].element, 0);
  system_.initial_set_ = std::move(set);
}

void Compiler::finish() {
  auto& given = system_.given_;
  if (turns_ != nullptr && turns_->count() > 0) {
    std::vector<double> counted(static_cast<std::size_t>(turns_->count()));
    turns_->start(given.q, counted);
    given.q.insert(given.q.end(), counted.begin(), counted.end());
    system_.turn_count_ = turns_->count();
    system_.turns_ = turns_;
  }
  given.a.assign(given.v.size(), 0.0);
  given.lambda.assign(static_cast<std::size_t>(system_.equations_.rows()), 0.0);
  given.mode.assign(system_.mode_size(), 0);
  if (system_.friction_->any_sticks())
    given.slide.assign(3 * static_cast<std::size_t>(system_.friction_->count()), 0.0);
}

Result<System> compile(const Model& model) {
  return Compiler(model).run();
}

Result<CompiledLike> compile_like(const Model& model, const System& like) {
  Compiler compiler(model, &like);
  auto system = compiler.run();
  if (!system) return system.why();
  return CompiledLike{std::move(system).value(), compiler.same_structure()};
}

}  // namespace cardan
