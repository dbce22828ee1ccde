#include "cardan/system/formula_parts.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "cardan/element/force/law_force_pool.h"

namespace cardan {

namespace {

std::size_t ordinal(int k) {
  return static_cast<std::size_t>(k);
}

// Whether each argument of a formula (element/formula/formula.h) follows more than t.
std::vector<char> moving_arguments(const System& system, const std::vector<int>& inputs) {
  const auto follows = [](const Dependence& d) {
    return d.positions || d.rates || d.states || d.reactions;
  };
  std::vector<char> moves{0, 1, 1};
  for (const int k : inputs) {
    const auto& info = system.requests()[ordinal(k)];
    moves.push_back(info.row >= 0 || follows(info.value) ? 1 : 0);
    moves.push_back(info.row >= 0 || follows(info.rate) ? 1 : 0);
  }
  return moves;
}

const Reached unknown_value{Interval::all(), false};

}  // namespace

FormulaParts::FormulaParts(const System& system) : system_(system), work_(system.workspace()) {
  using Source = System::RequestInfo::Source;
  const auto& requests = system.requests();
  const std::vector<char> used = used_requests();
  for (const auto& what : system.evaluations()) {
    const auto& info = requests[ordinal(what.request)];
    const bool state = info.source == Source::state;
    if (used[ordinal(what.request)] == 0 || !(what.value || state)) continue;
    Part part =
        part_of(info.formula, info.inputs, (state ? "state '" : "request '") + info.name + "'");
    if (!state) part.request = what.request;
    add(std::move(part));
  }
  for (const auto& force : system.forces()) {
    const ForcePool& pool = system.force_set().pool(force.pool);
    const auto given = pool.inputs(force.element);
    const std::vector<int> inputs(given.begin(), given.end());
    const std::string words = "force '" + force.name + "'";
    if (const auto* laws = dynamic_cast<const LoadPool*>(&pool)) {
      add_laws(*laws, force.element, inputs, words);
      continue;
    }
    for (const Expression* formula : pool.formulas(force.element))
      add(part_of(*formula, inputs, words));
  }
  value_.resize(requests.size());
}

// Those that forces and rates of states read, also through others.
std::vector<char> FormulaParts::used_requests() const {
  const auto& requests = system_.requests();
  std::vector<char> used(requests.size(), 0);
  const auto use = [&](auto&& self, int k) -> void {
    if (used[ordinal(k)] != 0) return;
    used[ordinal(k)] = 1;
    for (const int input : requests[ordinal(k)].inputs) self(self, input);
  };
  for (std::size_t k = 0; k < requests.size(); ++k)
    if (requests[k].source == System::RequestInfo::Source::state) use(use, static_cast<int>(k));
  for (const auto& force : system_.forces())
    for (const int input : system_.force_set().pool(force.pool).inputs(force.element))
      use(use, input);
  return used;
}

FormulaParts::Part FormulaParts::part_of(const Expression& formula,
                                         const std::vector<int>& inputs,
                                         std::string words) const {
  return {FormulaRange(formula, moving_arguments(system_, inputs)), std::move(words), inputs};
}

void FormulaParts::add_laws(const LoadPool& pool,
                            int element,
                            const std::vector<int>& inputs,
                            const std::string& words) {
  const auto laws = pool.laws(element);
  for (std::size_t row = 0; row < laws.size(); ++row) {
    const ForceLaw& law = laws[row];
    if (!law.active && law.spring == nullptr) continue;
    own_.push_back({&pool, element, static_cast<int>(row)});
    const int own = static_cast<int>(own_.size()) - 1;
    if (law.active) {
      Part part = part_of(law.actuator, inputs, words);
      part.own = own;
      add(std::move(part));
    }
    if (law.spring != nullptr) {
      Part part{FormulaRange(law.spring, {1}), words, {}};
      part.own = own;
      part.law = true;
      add(std::move(part));
    }
  }
}

void FormulaParts::add(Part part) {
  part.first = operations_;
  operations_ += ordinal(part.range.hiding());
  for (int k = 0; k < part.range.hiding(); ++k) switches_.push_back(part.range.switches(k) ? 1 : 0);
  parts_.push_back(std::move(part));
}

std::span<Reached> FormulaParts::place(const Part& part, std::span<Reached> all) const {
  return all.subspan(part.first, ordinal(part.range.hiding()));
}

void FormulaParts::limits(std::span<Reached> out) {
  const Reached all{Interval::all()};
  for (const Part& part : parts_) {
    arguments_.assign(3 + 2 * part.inputs.size(), all);
    (void)part.range.over(arguments_, std::numeric_limits<double>::infinity(), place(part, out));
  }
}

void FormulaParts::measure(const State& state, View value, View rate) {
  system_.use(state, work_);
  system_.rotations(state.q, work_);
  system_.evaluate_requests(state.t, state.q, state.v, work_);
  const Motion motion = system_.motion(state.t, state.q, state.v, work_);
  std::copy(work_.request_value.begin(), work_.request_value.end(), value.begin());
  std::copy(work_.request_rate.begin(), work_.request_rate.end(), rate.begin());
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const std::size_t place = system_.requests().size() + k;
    std::tie(value[place], rate[place]) =
        own_[k].pool->measure_of(motion, own_[k].element, own_[k].row);
  }
}

void FormulaParts::over(const Reached& t,
                        std::span<const Reached> value,
                        std::span<const Reached> rate,
                        double half,
                        std::span<Reached> out) {
  using Source = System::RequestInfo::Source;
  const auto& requests = system_.requests();
  for (std::size_t k = 0; k < requests.size(); ++k) {
    const auto& info = requests[k];
    value_[k] = info.source == Source::state || info.row >= 0 ? value[k] : unknown_value;
    if (info.source != Source::input) continue;
    const auto& input = system_.model_inputs()[ordinal(info.place)];
    value_[k] = value[k];
    if (input.motion == nullptr) continue;
    const Stretch s = input.motion->over(t.values);
    value_[k] = {s.values, s.known};
  }
  for (const Part& part : parts_) {
    const std::size_t own = requests.size() + static_cast<std::size_t>(std::max(part.own, 0));
    const Reached measure = part.own < 0 ? unknown_value : value[own];
    arguments_.clear();
    if (part.law) {
      arguments_.push_back(measure);
    } else {
      arguments_.push_back(t);
      arguments_.push_back(measure);
      arguments_.push_back(part.own < 0 ? unknown_value : rate[own]);
    }
    for (const int k : part.inputs) {
      const bool followed =
          requests[ordinal(k)].source == Source::state || requests[ordinal(k)].row >= 0;
      arguments_.push_back(value_[ordinal(k)]);
      arguments_.push_back(followed ? rate[ordinal(k)] : unknown_value);
    }
    const Reached r = part.range.over(arguments_, half, place(part, out));
    if (part.request >= 0) value_[ordinal(part.request)] = r;
  }
}

const std::string& FormulaParts::words(std::size_t operation) const {
  auto part = parts_.begin();
  while (operation >= part->first + ordinal(part->range.hiding())) ++part;
  return part->words;
}

}  // namespace cardan
