#include "cardan/analysis/record/request_motion.h"

#include <algorithm>

namespace cardan {

namespace {

using Source = System::RequestInfo::Source;

std::size_t index_of(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

RequestMotion::RequestMotion(const System& system)
    : system_(system),
      known_(system.requests().size(), 0),
      rate_(known_.size()),
      acceleration_(known_.size()),
      gamma_(index_of(system.request_equations().rows())),
      row_accelerations_(gamma_) {
  std::size_t most = 3;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const auto& info = system.requests()[k];
    if (info.source == Source::input || (info.source == Source::computed && info.row >= 0))
      known_[k] = 2;
    most = std::max(most, 3 + 2 * info.inputs.size());
  }
  for (const auto& what : system.evaluations()) find_known(what);
  arguments_.resize(most);
  direction_ = slopes_ = bends_ = arguments_;
}

void RequestMotion::find_known(const System::Evaluation& what) {
  const auto& info = system_.requests()[index_of(what.request)];
  if (info.source != Source::computed || !what.value) return;
  char known = 2;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const char input = known_[index_of(info.inputs[i])];
    if (info.formula.uses(static_cast<int>(3 + 2 * i))) known = std::min(known, input);
    if (info.formula.uses(static_cast<int>(4 + 2 * i)))
      known = std::min<char>(known, input >= 2 ? 1 : 0);
  }
  known_[index_of(what.request)] = known;
}

void RequestMotion::evaluate(const State& state, const Workspace& w) {
  if (known_.empty()) return;
  const Equations& measures = system_.request_equations();
  measures.gamma(system_.motion(state.t, state.q, state.v, w), gamma_);
  measures.multiply(w.request_packed, state.a, row_accelerations_);
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const auto& info = system_.requests()[k];
    if (info.source == Source::input) {
      const auto& motion = system_.model_inputs()[index_of(info.place)].motion;
      const Jet value = motion != nullptr ? motion->at(state.t) : Jet{};
      rate_[k] = value.d;
      acceleration_[k] = value.dd;
    } else if (info.source == Source::computed && info.row >= 0) {
      const auto row = index_of(info.row);
      rate_[k] = w.request_row_rates[row];
      acceleration_[k] = row_accelerations_[row] - gamma_[row];
    }
  }
  for (const auto& what : system_.evaluations()) {
    const auto k = index_of(what.request);
    if (what.value && has_rate(k)) formula(system_.requests()[k], k, state.t, w);
  }
}

void RequestMotion::formula(const System::RequestInfo& info,
                            std::size_t request,
                            double t,
                            const Workspace& w) {
  const std::size_t used = 3 + 2 * info.inputs.size();
  arguments_[0] = t;
  arguments_[1] = arguments_[2] = 0;
  std::fill_n(direction_.begin(), used, 0.0);
  direction_[0] = 1;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const auto input = index_of(info.inputs[i]);
    arguments_[3 + 2 * i] = w.request_value[input];
    arguments_[4 + 2 * i] = direction_[3 + 2 * i] = rate_[input];
    direction_[4 + 2 * i] = acceleration_[input];
  }
  info.formula.bend(CView(arguments_).first(used),
                    CView(direction_).first(used),
                    View(slopes_).first(used),
                    View(bends_).first(used),
                    system_.inputs(w).sides);
  double rate = 0, acceleration = 0;
  for (std::size_t k = 0; k < used; ++k) {
    rate += slopes_[k] * direction_[k];
    acceleration += bends_[k] * direction_[k];
  }
  for (std::size_t i = 0; i < info.inputs.size(); ++i)
    acceleration += slopes_[3 + 2 * i] * acceleration_[index_of(info.inputs[i])];
  rate_[request] = rate;
  acceleration_[request] = acceleration;
}

}  // namespace cardan
