// States and inputs of the model, and the order in which formulas are evaluated: after what they
// use. Values and rates are ordered apart, since the rate of a state is a formula of values that
// the rates of requests may need:
//   value of a formula <- values, and rates where it says rate(...), of what it uses
//   rate of a formula  <- its value, and the rates of what it uses
//   rate of a state    <- as the value of a formula; its value is known
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/system/compiler.h"

namespace cardan {

namespace {

using Info = System::RequestInfo;

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

bool reads_value(const Info& info, std::size_t input) {
  return info.formula.uses(static_cast<int>(3 + 2 * input));
}

bool reads_rate(const Info& info, std::size_t input) {
  return info.formula.uses(static_cast<int>(4 + 2 * input));
}

bool is_formula(const Info& info) {
  return info.source == Info::Source::computed && info.row < 0;
}

}  // namespace

void Compiler::states() {
  for (const ModelState& state : model_.states) {
    const std::string words = "state '" + state.name + "'";
    if (!std::isfinite(state.initial))
      report("model.not-finite",
             state.where,
             words,
             "an initial value that is not finite",
             "a number");
    const int signal = static_cast<int>(system_.request_info_.size());
    const int place = system_.states_.add({state.name,
                                           words,
                                           state.unit,
                                           state.where,
                                           state.initial,
                                           state.error_control,
                                           false,
                                           signal});
    system_.request_info_.push_back({state.name,
                                     "state",
                                     state.unit,
                                     -1,
                                     numbered(state.rate, words),
                                     state.inputs,
                                     Info::Source::state,
                                     place});
  }
  for (const ModelInput& input : model_.inputs) {
    const int place = static_cast<int>(system_.inputs_.size());
    system_.inputs_.push_back({input.name, input.unit, input.where, input.value, input.motion});
    system_.request_info_.push_back(
        {input.name, "input", input.unit, -1, {}, {}, Info::Source::input, place});
    system_.given_.u.push_back(input.value);
  }
  system_.given_.z = system_.states_.initial();
}

namespace {

// Depth first over values and rates; what goes round in a circle is told once.
class FormulaOrder {
 public:
  struct Step {
    int request;
    bool value, rate;
  };

  explicit FormulaOrder(const std::vector<Info>& info)
      : info_(info), value_(info.size()), rate_(info.size()) {
    for (std::size_t k = 0; k < info.size(); ++k) {
      if (is_formula(info[k])) continue;
      value_[k] = Mark::done;
      if (info[k].source != Info::Source::state) rate_[k] = Mark::done;
    }
    for (std::size_t k = 0; k < info.size(); ++k) value(static_cast<int>(k));
    for (std::size_t k = 0; k < info.size(); ++k) rate(static_cast<int>(k));
  }

  std::vector<Step> steps;
  std::vector<int> circular;

 private:
  enum class Mark { untouched, busy, done };

  bool begin(Mark& mark, int k) {
    if (mark == Mark::busy) circular.push_back(k);
    const bool first = mark == Mark::untouched;
    mark = first ? Mark::busy : Mark::done;
    return first;
  }

  void arguments(const Info& info) {
    for (std::size_t i = 0; i < info.inputs.size(); ++i) {
      if (reads_value(info, i)) value(info.inputs[i]);
      if (reads_rate(info, i)) rate(info.inputs[i]);
    }
  }

  void value(int k) {
    if (!begin(value_[at(k)], k)) return;
    const Info& info = info_[at(k)];
    arguments(info);
    value_[at(k)] = Mark::done;
    bool rates_known = true;
    for (std::size_t i = 0; i < info.inputs.size(); ++i)
      rates_known = rates_known && rate_[at(info.inputs[i])] == Mark::done;
    if (rates_known) rate_[at(k)] = Mark::done;
    steps.push_back({k, true, rates_known});
  }

  void rate(int k) {
    if (!begin(rate_[at(k)], k)) return;
    const Info& info = info_[at(k)];
    if (info.source == Info::Source::state) {
      arguments(info);
    } else {
      value(k);
      if (rate_[at(k)] == Mark::done) return;
      for (const int input : info.inputs) rate(input);
    }
    rate_[at(k)] = Mark::done;
    steps.push_back({k, false, true});
  }

  const std::vector<Info>& info_;
  std::vector<Mark> value_, rate_;
};

}  // namespace

void Compiler::order_formulas() {
  const FormulaOrder order(system_.request_info_);
  for (const int k : order.circular) {
    const Info& info = system_.request_info_[at(k)];
    const bool state = info.source == Info::Source::state;
    report(
        "model.parameter-cycle",
        state ? model_.states[at(k) - model_.requests.size()].where : model_.requests[at(k)].where,
        fmt::format("{} '{}'", state ? "state" : "request", info.name),
        state ? "a rate that needs its own value" : "a formula that needs its own value",
        "formulas that do not go round in a circle");
  }
  for (const auto& step : order.steps)
    system_.evaluations_.push_back({step.request, step.value, step.rate});
  find_quadratures();
  refuse_second_rates();
}

// rate(x) of an x that uses rate(y) would need y''. Accelerations are not known where formulas are
// evaluated, since they follow from them.
void Compiler::refuse_second_rates() {
  const auto& info = system_.request_info_;
  std::vector<char> second(info.size(), 0);  // the rate needs second derivatives
  for (const auto& step : system_.evaluations_) {
    const Info& r = info[at(step.request)];
    if (!is_formula(r)) continue;
    for (std::size_t i = 0; i < r.inputs.size(); ++i)
      if (reads_rate(r, i) || (reads_value(r, i) && second[at(r.inputs[i])] != 0))
        second[at(step.request)] = 1;
  }
  const auto check = [&](const Expression& formula,
                         const std::vector<int>& inputs,
                         const SourcePos& where,
                         const std::string& words) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (second[at(inputs[i])] != 0 && formula.uses(static_cast<int>(4 + 2 * i)))
        report("model.bad-value",
               where,
               words,
               fmt::format("rate({0}), where '{0}' uses the rate of another",
                           info[at(inputs[i])].name),
               "the rate of a formula that uses no rates",
               "filter it: a block of type \"first-order\" has a rate");
  };
  for (std::size_t k = 0; k < model_.requests.size(); ++k)
    check(info[k].formula, info[k].inputs, model_.requests[k].where, model_.requests[k].words());
  for (const ModelState& state : model_.states)
    check(state.rate, state.inputs, state.where, "state '" + state.name + "'");
  for (const Element& e : model_.forces)
    for (const auto& [key, setting] : e.settings)
      if (const auto* formula = std::get_if<Expression>(&setting))
        check(*formula, e.inputs, e.where, e.words());
}

// A state is a quadrature where no rate, force or condition depends on it and its own rate depends
// on no state of the model.
void Compiler::find_quadratures() {
  const auto& info = system_.request_info_;
  StateTable& states = system_.states_;
  std::vector<char> coupled(at(states.size()), 0);
  for (int s = states.first_of_model(); s < states.size(); ++s) {
    std::vector<char> depends(info.size(), 0);  // on state s
    depends[at(states.entries()[at(s)].signal)] = 1;
    const auto reads = [&](const std::vector<int>& inputs) {
      return std::any_of(inputs.begin(), inputs.end(), [&](int k) { return depends[at(k)] != 0; });
    };
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < info.size(); ++k) {
        if (depends[k] != 0 || !is_formula(info[k]) || !reads(info[k].inputs)) continue;
        depends[k] = 1;
        more = true;
        if (info[k].formula.conditions() > 0) coupled[at(s)] = 1;
      }
    }
    for (const Info& other : info)
      if (other.source == Info::Source::state && reads(other.inputs))
        coupled[at(s)] = coupled[at(other.place)] = 1;
    for (const Element& e : model_.forces)
      if (reads(e.inputs)) coupled[at(s)] = 1;
  }
  for (int s = states.first_of_model(); s < states.size(); ++s)
    states.set_quadrature(s, coupled[at(s)] == 0);
}

}  // namespace cardan
