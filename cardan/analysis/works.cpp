#include "cardan/analysis/works.h"

namespace cardan {

Works::Works(Formulation& formulation, Integrator& integrator, const State& like)
    : formulation_(formulation),
      integrator_(integrator),
      scratch_(like),
      y_(static_cast<std::size_t>(formulation.size())),
      z_(energy_states, 0.0) {
  scratch_.z.resize(energy_states, 0.0);
}

bool Works::start(const State& state) {
  t_ = state.t;
  z_ = state.z;
  formulation_.parametrize(state, y_);
  return rates_of(t_, y_, rates_);
}

void Works::rates_at(const State& state, Rates& out) {
  Workspace& work = formulation_.motion().work();
  const System& system = formulation_.motion().system();
  system.rotations(state.q, work);
  system.evaluate_requests(state.t, state.q, state.v, work);
  energy_rates(system, state.t, state.q, state.v, state.lambda, work, out);
}

bool Works::rates_of(double t, CView y, Rates& out) {
  if (formulation_.recover(t, y, scratch_) != Eval::ok) return false;
  rates_at(scratch_, out);
  return true;
}

bool Works::add(double t, const Rates& end, std::vector<double>& z) {
  z = z_;
  if (t == t_) return true;
  Rates middle{};
  const double half = 0.5 * (t_ + t);
  if (integrator_.method().interpolate(half, y_) != Eval::ok || !rates_of(half, y_, middle))
    return false;
  for (std::size_t k = 0; k < z.size(); ++k)
    z[k] += (t - t_) / 6 * (rates_[k] + 4 * middle[k] + end[k]);
  return true;
}

bool Works::at(State& state) {
  Rates end{};
  rates_at(state, end);
  return add(state.t, end, state.z);
}

bool Works::step(double t, CView y) {
  Rates end{};
  std::vector<double>& z = scratch_.z;
  if (!rates_of(t, y, end) || !add(t, end, z)) return false;
  z_ = z;
  t_ = t;
  rates_ = end;
  return true;
}

void Works::serialize(Archive& archive) {
  archive.mark("works");
  archive.io(t_);
  for (double& x : rates_) archive.io(x);
  archive.io(z_);
}

}  // namespace cardan
