// The values and rates that formulas read: measures, states and inputs, then the formulas of
// requests and the rates of states in an order found once (compile_states.cpp).
//   request r = f(t, a, a', b, b', ...)    r' = f_t + f_a a' + f_b b' + ...
//   state   z' = f(t, a, a', ...)          an input has the rate of its function of time, or 0
#include <algorithm>

#include <fmt/format.h>

#include "cardan/system/energy.h"
#include "cardan/system/system.h"

namespace cardan {

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

void System::use(const State& state, Workspace& w) const {
  if (state.mode.size() == w.mode.size()) w.mode = state.mode;
  if (state.slide.size() == w.slide.size()) w.slide = state.slide;
  if (state.z.size() == w.z.size()) w.z = state.z;
  if (state.u.size() == w.u.size()) w.u = state.u;
}

void System::load_arguments(const RequestInfo& info, double t, Workspace& w) const {
  w.arguments[0] = t;
  w.arguments[1] = w.arguments[2] = 0;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    w.arguments[3 + 2 * i] = w.request_value[at(info.inputs[i])];
    w.arguments[4 + 2 * i] = w.request_rate[at(info.inputs[i])];
  }
}

void System::evaluate_formula(const Evaluation& what, double t, Workspace& w) const {
  const RequestInfo& info = request_info_[at(what.request)];
  const auto sides = inputs(w).sides;
  const std::size_t used = 3 + 2 * info.inputs.size();
  load_arguments(info, t, w);
  const CView arguments = CView(w.arguments).first(used);
  if (info.source == RequestInfo::Source::state) {
    w.request_rate[at(what.request)] = info.formula.value(arguments, sides);
    return;
  }
  if (!what.rate) {
    w.request_value[at(what.request)] = info.formula.value(arguments, sides);
    return;
  }
  w.request_value[at(what.request)] =
      info.formula.gradient(arguments, View(w.slopes).first(used), sides);
  double rate = w.slopes[0];
  for (std::size_t i = 0; i < info.inputs.size(); ++i)
    rate += w.slopes[3 + 2 * i] * w.request_rate[at(info.inputs[i])];
  w.request_rate[at(what.request)] = rate;
}

void System::evaluate_requests(double t, CView q, CView v, Workspace& w) const {
  if (request_info_.empty()) return;
  const Config here = config(t, q, w);
  request_equations_.phi(here, w.request_rows);
  request_equations_.phi_q(here, w.request_packed);
  request_equations_.multiply(w.request_packed, v, w.request_row_rates);
  for (std::size_t k = 0; k < request_info_.size(); ++k) {
    const RequestInfo& info = request_info_[k];
    if (info.source == RequestInfo::Source::state) {
      w.request_value[k] = w.z[at(info.place)];
    } else if (info.source == RequestInfo::Source::input) {
      const InputInfo& input = inputs_[at(info.place)];
      const Jet value = input.motion != nullptr ? input.motion->at(t) : Jet{w.u[at(info.place)]};
      w.request_value[k] = value.f;
      w.request_rate[k] = value.d;
    } else if (info.row >= 0) {
      w.request_value[k] = w.request_rows[at(info.row)];
      w.request_rate[k] = w.request_row_rates[at(info.row)];
    }
  }
  for (const Evaluation& what : evaluations_) evaluate_formula(what, t, w);
}

void System::condition_values(double t, CView q, CView v, Workspace& w, View out) const {
  evaluate_requests(t, q, v, w);
  const Motion here = motion(t, q, v, w);
  const Inputs read = inputs(w);
  for (const RequestInfo& info : request_info_) {
    if (info.formula.conditions() == 0) continue;
    load_arguments(info, t, w);
    info.formula.condition_values(
        CView(w.arguments).first(3 + 2 * info.inputs.size()), read.sides, out);
  }
  for (int p = 0; p < force_set_->pool_count(); ++p)
    force_set_->pool(p).condition_values(here, read, out);
}

void System::state_rates(double t, CView q, CView v, CView lambda, Workspace& w, View z_dot) const {
  energy_rates(*this, t, q, v, lambda, w, z_dot);
  const auto& entries = states_.entries();
  for (std::size_t k = at(states_.first_of_model()); k < entries.size(); ++k)
    z_dot[k] = w.request_rate[at(entries[k].signal)];
}

std::optional<Diagnostic> System::set_input(State& state,
                                            std::string_view name,
                                            double value) const {
  const auto found = std::find_if(
      inputs_.begin(), inputs_.end(), [&](const InputInfo& input) { return input.name == name; });
  if (found != inputs_.end() && found->motion == nullptr) {
    state.u[static_cast<std::size_t>(found - inputs_.begin())] = value;
    return {};
  }
  Diagnostic d;
  if (found != inputs_.end()) {
    d.id = "model.bad-value";
    d.where = found->where;
    d.element = fmt::format("input '{}'", name);
    d.found = "a value for an input that follows a function of time";
    d.expected = "an input with `value`";
    return d;
  }
  std::vector<std::string> names;
  for (const InputInfo& input : inputs_) names.push_back(input.name);
  d.id = "model.unknown-name";
  d.found = fmt::format("the unknown input '{}'", name);
  d.expected = names.empty() ? "a model with an [[input]]"
                             : fmt::format("one of {}", fmt::join(names, ", "));
  const std::string near = nearest_name(std::string(name), names);
  if (!near.empty()) d.hint = fmt::format("did you mean '{}'?", near);
  return d;
}

}  // namespace cardan
