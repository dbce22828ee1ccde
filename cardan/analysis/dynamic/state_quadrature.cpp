#include "cardan/analysis/dynamic/state_quadrature.h"

#include <algorithm>

namespace cardan {

StateQuadrature::StateQuadrature(Formulation& formulation,
                                 Integrator& integrator,
                                 const State& like)
    : formulation_(formulation),
      integrator_(integrator),
      scratch_(like),
      y_(static_cast<std::size_t>(formulation.size())),
      parts_(formulation.equations_of_motion().system().limits().empty() ? 2 : 4),
      multipliers_(formulation.equations_of_motion().system()),
      rates_(like.z.size()),
      middle_(rates_),
      inner_(rates_),
      end_(rates_),
      z_(like.z) {}

bool StateQuadrature::start(const State& state) {
  t_ = state.t;
  z_ = state.z;
  formulation_.parametrize(state, y_);
  return rates_of(t_, y_, rates_);
}

void StateQuadrature::rates_at(const State& state, Rates& out) {
  formulation_.rate_states_at(state, out);
}

bool StateQuadrature::rates_of(double t, CView y, Rates& out) {
  if (formulation_.recover(formulation_.within(t), y, scratch_) != Eval::ok) return false;
  formulation_.balance(multipliers_, scratch_);  // drivers work by multipliers
  rates_at(scratch_, out);
  return true;
}

bool StateQuadrature::add(double t, const Rates& end, std::vector<double>& z) {
  z = z_;
  if (t == t_) return true;
  std::fill(inner_.begin(), inner_.end(), 0.0);
  for (int part = 1; part < parts_; ++part) {
    const double there = 2 * part == parts_ ? 0.5 * (t_ + t) : t_ + (t - t_) * part / parts_;
    if (integrator_.method().interpolate(there, y_) != Eval::ok || !rates_of(there, y_, middle_))
      return false;
    const double weight = part % 2 == 1 ? 4 : 2;
    for (std::size_t k = 0; k < z.size(); ++k) inner_[k] += weight * middle_[k];
  }
  for (std::size_t k = 0; k < z.size(); ++k)
    z[k] += (t - t_) / (3 * parts_) * (rates_[k] + inner_[k] + end[k]);
  return true;
}

bool StateQuadrature::at(State& state) {
  rates_at(state, end_);
  return add(state.t, end_, state.z);
}

bool StateQuadrature::step(double t, CView y) {
  std::vector<double>& z = scratch_.z;
  if (!rates_of(t, y, end_) || !add(t, end_, z)) return false;
  z_ = z;
  t_ = t;
  rates_ = end_;
  return true;
}

void StateQuadrature::serialize(Archive& archive) {
  archive.mark("works");
  archive.io(t_);
  archive.io(rates_);
  archive.io(z_);
}

}  // namespace cardan
