// What forces, contacts and requests depend on, asked of their formulas and laws. A request that
// measures follows from positions, its rate from positions and rates. A formula's rate is
//   f' = f_t + sum_k f_k y_k',
// so it depends on what the formula depends on and on the rates of the requests that it uses. The
// rate of a state is a formula.
#include <algorithm>

#include "cardan/element/formula/formula.h"
#include "cardan/system/compiler.h"

namespace cardan {

// Formulas use each other in any order, and what they depend on only grows: repeated until nothing
// changes.
void Compiler::request_dependences() {
  auto& requests = system_.request_info_;
  std::vector<Dependence> value(requests.size()), rate(requests.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < requests.size(); ++k) {
      const auto& info = requests[k];
      Dependence of_value{.positions = true}, of_rate{.positions = true, .rates = true};
      using Source = System::RequestInfo::Source;
      if (info.source == Source::state) {
        of_value = {.states = true};
        of_rate = dependence_of(info.formula, info.inputs, {value, rate});
      } else if (info.source == Source::input) {
        of_value = of_rate = {
            .time = system_.inputs_[static_cast<std::size_t>(info.place)].motion != nullptr};
      } else if (info.row < 0) {
        of_value = of_rate = dependence_of(info.formula, info.inputs, {value, rate});
        for (std::size_t i = 0; i < info.inputs.size(); ++i)
          if (info.formula.uses(3 + 2 * static_cast<int>(i)))
            of_rate |= rate[static_cast<std::size_t>(info.inputs[i])];
      }
      changed = changed || of_value != value[k] || of_rate != rate[k];
      value[k] = of_value;
      rate[k] = of_rate;
    }
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    requests[k].value = value[k];
    requests[k].rate = rate[k];
  }
}

// The value of a request is a function of time, of unknowns, or of both, wherever it is used. A
// rate of what follows time cannot be analysed.
System::TimePart Compiler::time_part(const Expression& formula,
                                     std::span<const int> requests,
                                     const std::vector<TimeFormula::Ptr>& of_requests) const {
  System::TimePart part;
  std::vector<TimeFormula::Ptr> variables(3 + 2 * requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto request = static_cast<std::size_t>(requests[i]);
    const Dependence& rate = system_.request_info_[request].rate;
    variables[3 + 2 * i] = of_requests[request];
    if (formula.uses(4 + 2 * static_cast<int>(i)) && rate.time) part.complete = false;
  }
  part.formula = std::make_shared<TimeFormula>(formula, std::move(variables));
  return part;
}

// Formulas of requests and inputs count only where a force or the rate of a state uses them.
void Compiler::time_parts() {
  using Source = System::RequestInfo::Source;
  const auto& requests = system_.request_info_;
  std::vector<TimeFormula::Ptr> of_requests(requests.size());
  std::vector<System::TimePart> parts(requests.size());
  for (std::size_t k = 0; k < requests.size(); ++k) {
    if (requests[k].source != Source::input) continue;
    const auto& input = system_.inputs_[static_cast<std::size_t>(requests[k].place)];
    if (input.motion == nullptr) continue;
    of_requests[k] = std::make_shared<TimeFormula>(input.motion);
    parts[k] = {"input '" + input.name + "'", input.where, of_requests[k]};
  }
  for (const auto& step : system_.evaluations_) {
    const auto k = static_cast<std::size_t>(step.request);
    const auto& info = requests[k];
    const bool state = info.source == Source::state;
    if (!step.value && !state) continue;  // seen before, when its value was computed
    parts[k] = time_part(info.formula, info.inputs, of_requests);
    parts[k].words = (state ? "state '" : "request '") + info.name + "'";
    if (!state) of_requests[k] = parts[k].formula;
  }
  const auto take = [&](System::TimePart part) {
    if (part.formula && (part.formula->uses_time() || !part.complete))
      system_.time_parts_.push_back(std::move(part));
  };
  std::vector<char> used(requests.size(), 0);
  const auto use = [&](auto&& self, int k) -> void {
    const auto request = static_cast<std::size_t>(k);
    if (used[request] != 0) return;
    used[request] = 1;
    for (const int input : requests[request].inputs) self(self, input);
    take(parts[request]);
  };
  for (std::size_t k = 0; k < requests.size(); ++k)
    if (requests[k].source == Source::state) use(use, static_cast<int>(k));
  own_time_parts();
  for (const auto& info : system_.constraints_) {
    if (info.description == nullptr ||
        !std::holds_alternative<FormulaRelation>(info.description->make))
      continue;
    const auto joint = std::find_if(model_.joints.begin(),
                                    model_.joints.end(),
                                    [&](const Element& e) { return e.name == info.name; });
    System::TimePart part =
        time_part(std::get<Expression>(*joint->find("phi")), joint->inputs, of_requests);
    part.words = info.words();
    part.where = info.where;
    take(std::move(part));
    for (const int input : joint->inputs) use(use, input);
  }
  for (const auto& force : system_.forces_) {
    const ForcePool& pool = system_.force_set_->pool(force.pool);
    for (const Expression* formula : pool.formulas(force.element)) {
      System::TimePart part = time_part(*formula, pool.inputs(force.element), of_requests);
      part.words = "force '" + force.name + "'";
      take(std::move(part));
    }
    for (const int input : pool.inputs(force.element)) use(use, input);
  }
}

void Compiler::dependences() {
  request_dependences();
  std::vector<Dependence> value, rate;
  for (const auto& request : system_.request_info_) {
    value.push_back(request.value);
    rate.push_back(request.rate);
    if (request.source == System::RequestInfo::Source::state && request.rate.time)
      system_.moves_with_time_ = true;
  }
  const auto asked = [&](int pool, int element) {
    return system_.force_set_->pool(pool).dependence(element, {value, rate});
  };
  for (auto& force : system_.forces_) {
    force.dependence = asked(force.pool, force.element);
    system_.force_dependence_ |= force.dependence;
  }
  for (auto& contact : system_.contacts_) {
    if (!contact.hard) contact.dependence = asked(contact.pool, contact.element);
    if (contact.friction >= 0)
      contact.dependence |= {.positions = true, .rates = true, .reactions = contact.hard};
    system_.force_dependence_ |= contact.dependence;
  }
  for (int k = 0; k < system_.friction_->count(); ++k) {
    const bool compliant = system_.friction_->element(k).load == FrictionElement::Load::compliant;
    system_.force_dependence_ |= {.positions = true, .rates = true, .reactions = !compliant};
  }
}

}  // namespace cardan
