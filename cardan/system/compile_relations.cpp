// Equations by formulas of requests (element/formula/formula_relation.h): the measures and formulas that a
// formula names, wherever they are, and what can be wrong with it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/element/formula/formula_relation.h"
#include "cardan/math/elementary.h"
#include "cardan/system/compiler.h"

namespace cardan {

namespace {

constexpr int rate_probes = 3;            // points where a formula is asked whether it is linear
constexpr double curved_in_rates = 1e-9;  // a second derivative, relative to the first

std::size_t index_of(int k) {
  return static_cast<std::size_t>(k);
}

// What a formula reads, through the formulas of other requests: measures first, then formulas, each
// behind what it uses.
class Reads {
 public:
  explicit Reads(const Model& model) : model_(model), mark_(model.requests.size(), 0) {}

  enum class Fault { none, signal, circle } fault = Fault::none;
  int culprit = -1;  // request
  std::vector<int> measures, formulas;

  void all(const std::vector<int>& inputs) {
    for (const int k : inputs) one(k);
  }

  const Expression* formula(int request) const {
    if (index_of(request) >= model_.requests.size()) return nullptr;
    const Element& e = model_.requests[index_of(request)];
    const ElementType* type = find_type(e.kind, e.type, model_.space);
    if (type == nullptr || !std::holds_alternative<FormulaRequest>(type->make)) return nullptr;
    const Setting* value = e.find("value");
    return value != nullptr ? std::get_if<Expression>(value) : nullptr;
  }

  // Number of a request among the signals of a FormulaChain.
  int signal(int request) const {
    const auto measure = std::find(measures.begin(), measures.end(), request);
    if (measure != measures.end()) return static_cast<int>(measure - measures.begin());
    return static_cast<int>(
        measures.size() +
        index_of(static_cast<int>(std::find(formulas.begin(), formulas.end(), request) -
                                  formulas.begin())));
  }

 private:
  void one(int k) {
    const auto signals = model_.states.size() + model_.inputs.size();
    if (index_of(k) >= model_.requests.size() && index_of(k) < model_.requests.size() + signals) {
      fault = Fault::signal;
      culprit = k;
      return;
    }
    if (formula(k) == nullptr) {
      if (std::find(measures.begin(), measures.end(), k) == measures.end()) measures.push_back(k);
      return;
    }
    char& mark = mark_[index_of(k)];
    if (mark == 2) return;
    if (mark == 1) {
      fault = Fault::circle;
      return;
    }
    mark = 1;
    all(model_.requests[index_of(k)].inputs);
    mark_[index_of(k)] = 2;
    formulas.push_back(k);
  }

  const Model& model_;
  std::vector<char> mark_;  // 1: being read, 2: done
};

}  // namespace

struct Compiler::Relation {
  std::unique_ptr<ConstraintPool> pool;
  bool time = false, rates = false;
};

// A set with the one element that measures a request, or a coordinate of a point.
std::unique_ptr<const ConstraintSet> Compiler::relation_measure(const Element& e, int request) {
  auto set = std::make_unique<ConstraintSet>(dimension_, turns_.get());
  const auto signals = model_.requests.size() + model_.states.size() + model_.inputs.size();
  const Element* measured = nullptr;
  Measure what = Measure::x;
  if (index_of(request) < model_.requests.size()) {
    measured = &model_.requests[index_of(request)];
    const ElementType* type = type_of(*measured);
    if (type == nullptr) return nullptr;
    if (type->measure) what = *type->measure;
  } else {
    std::vector<const Element*> points;
    for (const Element& r : model_.requests)
      if (const ElementType* type = find_type(r.kind, r.type, model_.space);
          type != nullptr && std::holds_alternative<PointRequest>(type->make))
        points.push_back(&r);
    const std::size_t k = index_of(request) - signals;
    measured = points[k % points.size()];
    what = k < points.size() ? Measure::y : Measure::z;
  }
  Made made = set->add_measure(name_of(what), spec_of(*measured));
  if (!made) {
    fault(e, made.why());
    return nullptr;
  }
  return set;
}

bool Compiler::linear_in_rates(const Element& e, const FormulaChain& chain) {
  for (int k = 0; k < rate_probes; ++k) {
    FormulaChain::Point here, way;
    here.t = 0.3 * k;
    for (std::size_t i = 0; i < index_of(chain.measures()); ++i) {
      here.y[i] = 1 + 0.6 * elementary::sin(1.3 + 2.1 * static_cast<double>(i) + 5.7 * k);
      here.rate[i] = elementary::sin(0.7 + 1.9 * static_cast<double>(i) + 3.3 * k);
      way.rate[i] = elementary::cos(0.4 + 1.7 * static_cast<double>(i) + 3.1 * k);
    }
    const double bend = chain.along(here, way, way), slope = chain.along(here, way);
    if (!std::isfinite(bend) || std::abs(bend) <= curved_in_rates * (1 + std::abs(slope))) continue;
    report("model.bad-value",
           e.where,
           e.words(),
           "a formula that is not linear in the rates",
           "rates times functions of positions and time, added up");
    return false;
  }
  return true;
}

std::optional<Compiler::Relation> Compiler::relation_of(const Element& e, std::string_view key) {
  const Setting* setting = e.find(key);
  const Expression* formula = setting != nullptr ? std::get_if<Expression>(setting) : nullptr;
  if (formula == nullptr) return {};  // reported with the keys
  Reads reads(model_);
  reads.all(e.inputs);
  if (reads.fault == Reads::Fault::circle) return {};  // reported with the requests
  if (reads.fault == Reads::Fault::signal) {
    const std::size_t k = index_of(reads.culprit) - model_.requests.size();
    const bool state = k < model_.states.size();
    report(
        "model.bad-value",
        e.where,
        e.words(),
        fmt::format("the {} '{}' in an equation of positions",
                    state ? "state" : "input",
                    state ? model_.states[k].name : model_.inputs[k - model_.states.size()].name),
        "`t`, requests that measure, and formulas of these",
        "a driver follows a function of time; forces may use states and inputs");
    return {};
  }
  if (reads.measures.size() > max_formula_inputs ||
      reads.formulas.size() >= index_of(FormulaChain::most_nodes)) {
    report("limit.formula-inputs",
           e.where,
           e.words(),
           fmt::format("a formula of {} measures and {} formulas",
                       reads.measures.size(),
                       reads.formulas.size()),
           fmt::format("at most {} of each", max_formula_inputs));
    return {};
  }
  std::vector<FormulaChain::Node> nodes;
  const auto add = [&](const Expression& f, const std::vector<int>& inputs) {
    FormulaChain::Node node{f, {}};
    for (const int k : inputs) node.inputs.push_back(reads.signal(k));
    nodes.push_back(std::move(node));
    return f.conditions() == 0;
  };
  bool smooth = true;
  for (const int k : reads.formulas)
    smooth = add(*reads.formula(k), model_.requests[index_of(k)].inputs) && smooth;
  smooth = add(*formula, e.inputs) && smooth;
  if (!smooth) {
    report("model.bad-value",
           e.where,
           e.words(),
           "a condition in a formula that must be smooth",
           "no comparisons, sign and heaviside",
           "a force may switch, and a stop may limit a value");
    return {};
  }
  std::vector<std::unique_ptr<const ConstraintSet>> measures;
  bool moves = false;
  for (const int k : reads.measures) {
    auto set = relation_measure(e, k);
    if (set == nullptr) return {};
    for (int s = 0; s < set->pool(0).sides(); ++s) moves = moves || set->pool(0).body(0, s) >= 0;
    measures.push_back(std::move(set));
  }
  FormulaChain chain(static_cast<int>(measures.size()), std::move(nodes));
  bool used = false;
  for (int k = 0; k < chain.measures(); ++k) used = used || chain.uses(k);
  if (!moves || !used) {
    report("model.bad-value",
           e.where,
           e.words(),
           "a formula that no body moves",
           "an equation of what requests measure of bodies",
           "add a [[request]] and use its name in the formula");
    return {};
  }
  if (chain.uses_second_rates()) {
    report("model.bad-value",
           e.where,
           e.words(),
           "the rate of a formula that uses rates itself",
           "positions and their first rates");
    return {};
  }
  Relation out;
  out.time = chain.uses_time();
  out.rates = chain.uses_rates();
  if (out.rates && !linear_in_rates(e, chain)) return {};
  const bool angle =
      !formula->plain() && formula->dimension() == (out.rates ? dimension::rate : dimension::none);
  out.pool = make_formula_relation(
      dimension_,
      std::move(chain),
      std::move(measures),
      angle ? in_angle("value of the formula") : in_length("value of the formula"));
  return out;
}

void Compiler::relation_joint(ConstraintSet& set, const Element& e, const ElementType& type) {
  auto made = relation_of(e, "phi");
  if (!made) return;
  const Expression& formula = std::get<Expression>(*e.find("phi"));
  add_constraint(e, type, {{set.adopt(std::move(made->pool)), 0}});
  auto& info = system_.constraints_.back();
  info.dependence = {.time = made->time, .positions = true, .rates = made->rates};
  if (!formula.plain()) {
    Dimension d = dimension::torque;  // energy over that of the formula, power at velocity level
    for (std::size_t k = 0; k < d.power.size(); ++k)
      d.power[k] = static_cast<signed char>(d.power[k] - formula.dimension().power[k]);
    if (made->rates) d = per_second(d);
    info.force_unit = d == dimension::force ? "N" : d == dimension::torque ? "N*m" : si_unit(d);
  }
  system_.driven_ = system_.driven_ || made->time || made->rates;
  system_.moves_with_time_ = system_.moves_with_time_ || made->time;
}

std::optional<Part> Compiler::relation_initial(ConstraintSet& set,
                                               const Element& e,
                                               System::InitialInfo& info) {
  auto made = relation_of(e, "formula");
  if (!made) return {};
  info.words = e.words();
  info.where = e.where;
  info.has_value = e.find("value") != nullptr;
  info.has_rate = e.find("rate") != nullptr;
  info.value = e.number("value");
  info.rate = e.number("rate");
  if (made->rates) {
    if (info.has_rate || !info.has_value)
      report(
          "model.bad-value",
          e.where,
          e.words(),
          info.has_rate ? "the rate of a formula of rates" : "a formula of rates without a value",
          "`value`, what the formula of rates is at the start");
    info.has_value = false;
    info.has_rate = true;
    info.rate = info.value;
  }
  return Part{set.adopt(std::move(made->pool)), 0};
}

// In the drawn pose, from which everything else is found, a formula must have a value and slopes.
void Compiler::check_relations() {
  for (const auto& info : system_.constraints_) {
    if (info.description == nullptr ||
        !std::holds_alternative<FormulaRelation>(info.description->make))
      continue;
    Workspace work = system_.workspace();
    system_.rotations(system_.given_.q, work);
    const Config here = system_.config(system_.given_.t, system_.given_.q, work);
    system_.equations_.phi(here, work.phi);
    system_.equations_.phi_q(here, work.packed);
    for (const auto& block : system_.equations_.blocks()) {
      if (block.first_row != info.rows.front()) continue;
      const bool value = std::isfinite(work.phi[index_of(block.first_row)]);
      bool slopes = true;
      for (const auto& term : system_.equations_.terms(block))
        for (int c = 0; c < body_size(); ++c)
          slopes = slopes && std::isfinite(work.packed[index_of(term.offset + c)]);
      if (value && slopes) continue;
      report("model.not-finite",
             info.where,
             info.words(),
             value ? "a formula without slopes in the drawn pose"
                   : "a formula without a value in the drawn pose",
             "a value and finite slopes",
             "a distance has no slope where its points meet: square it, or draw another pose");
    }
  }
}

}  // namespace cardan
