#include "cardan/system/linearisation.h"

#include <algorithm>

#include "cardan/element/force/law_force_pool.h"
#include "cardan/element/formula/coordinate_equations.h"

namespace cardan {

namespace {

std::size_t where(int k) {
  return static_cast<std::size_t>(k);
}

void zero(SparseMatrix& x) {
  std::fill_n(x.valuePtr(), x.nonZeros(), 0.0);
}

// block += left right^T, n x n.
void add_product(SparseMatrix& to, Slot slot, const double* left, const double* right, int n) {
  double* values = to.valuePtr() + slot.offset;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r) values[std::int64_t{c} * slot.stride + r] += left[r] * right[c];
}

}  // namespace

void Linearisation::evaluate(const State& state) {
  system_.use(state, work_);
  evaluate(state.t, state.q, state.v, state.a, state.lambda, work_);
}

void Linearisation::evaluate(
    double t, CView q, CView v, CView a, CView lambda, const Workspace& of) {
  if (&of != &work_) {
    work_.mode = of.mode;
    work_.slide = of.slide;
    work_.z = of.z;
    work_.u = of.u;
  }
  t_ = t;
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  for (std::size_t r = 0; r < lambda_.size(); ++r) lambda_[r] = active_[r] != 0 ? lambda[r] : 0;
  for (SparseMatrix* x : {&Q_q_,
                          &Q_v_,
                          &phi_qT_lambda_q_,
                          &phi_q_,
                          &phi_q_a_q_,
                          &gamma_q_,
                          &gamma_v_,
                          &Q_lambda_,
                          &Q_z_,
                          &Q_u_,
                          &z_q_,
                          &z_v_,
                          &z_lambda_,
                          &z_z_,
                          &z_u_})
    zero(*x);
  system_.rotations(q_, work_);
  const Motion here = system_.motion(t, q_, v_, work_);
  constraints(here.config(), here, a);
  if (system_.own() != nullptr) own_mass(t, q_, a);
  system_.evaluate_requests(t, q_, v_, work_);
  requests_.evaluate(t, q_, v_, work_);
  for (std::vector<double>* x : {&applied_q_, &applied_v_, &lost_q_, &lost_v_})
    std::fill(x->begin(), x->end(), 0.0);
  const Inputs inputs = system_.inputs(work_);
  forces(here, inputs);
  friction(here, inputs);
  driver_power(here.config());
  state_rates();
}

// M stands behind the packed Jacobian that constraints() filled.
void Linearisation::own_mass(double t, CView q, CView a) {
  const Slot slot = bodies_.slot(0, 0);
  const double* M = work_.packed.data() + system_.equations().mass_offset();
  for (int c = 0; c < n_; ++c)
    std::copy_n(M + std::ptrdiff_t{c} * n_,
                n_,
                M_.valuePtr() + slot.offset + std::int64_t{c} * slot.stride);
  zero(M_a_q_);
  system_.own_mechanics()->add_M_a_q(t, q, a, 1, M_a_q_.valuePtr(), slot);
}

void Linearisation::constraints(const Config& here, const Motion& motion, CView a) {
  const Equations& equations = system_.equations();
  equations.phi_q(here, work_.packed);
  for (std::size_t p = 0; p < equations.pools().size(); ++p) {
    const ConstraintPool& pool = *equations.pools()[p];
    const EquationSlots& slots = equation_slots_[p];
    const auto packed = equations.slots(p);
    for (std::size_t k = 0; k < packed.size(); ++k)  // a body may be on two sides
      for (int c = 0; packed[k] && c < n_; ++c)
        for (int r = 0; r < pool.rows(); ++r)
          phi_q_.valuePtr()[slots.rows[k].offset + std::int64_t{c} * slots.rows[k].stride + r] +=
              work_.packed[static_cast<std::size_t>(packed[k].offset) +
                           where(c * packed[k].stride + r)];
    pool.add_phi_q_a_q(here, a, 1, {phi_q_a_q_.valuePtr(), slots.rows});
    pool.add_gamma_q(motion, 1, {gamma_q_.valuePtr(), slots.rows});
    pool.add_gamma_v(motion, 1, {gamma_v_.valuePtr(), slots.rows});
    const CView lambda =
        CView(lambda_).subspan(where(equations.first_row(p)), where(pool.count() * pool.rows()));
    pool.add_phi_qT_lambda_q(here, lambda, 1, {phi_qT_lambda_q_.valuePtr(), slots.squares});
  }
}

void Linearisation::phi_q_v_q(CView v, SparseMatrix& out) const {
  const Equations& equations = system_.equations();
  zero(out);
  const Config here = system_.config(t_, q_, work_);
  for (std::size_t p = 0; p < equations.pools().size(); ++p)
    equations.pools()[p]->add_phi_q_a_q(here, v, 1, {out.valuePtr(), equation_slots_[p].rows});
  for (std::size_t p = 0; p < equations.pools().size(); ++p)
    equations.pools()[p]->add_nu_q(here, -1, {out.valuePtr(), equation_slots_[p].rows});
}

void Linearisation::forces(const Motion& here, const Inputs& inputs) {
  const ForceSet& set = system_.force_set();
  for (int p = 0; p < set.pool_count(); ++p) {
    const ForcePool& pool = set.pool(p);
    const auto& squares = force_slots_[where(p)];
    pool.add_Q_q(here, inputs, 1, {Q_q_.valuePtr(), squares});
    pool.add_Q_v(here, inputs, 1, {Q_v_.valuePtr(), squares});
    pool.add_power_slopes(here, inputs, {applied_q_, applied_v_, lost_q_, lost_v_});
    for (int e = 0; e < pool.count(); ++e) formula_force(here, inputs, pool, e);
  }
}

// What a force of formulas reads moves with bodies, states and inputs.
void Linearisation::formula_force(const Motion& here,
                                  const Inputs& inputs,
                                  const ForcePool& pool,
                                  int element) {
  const auto read = pool.inputs(element);
  for (std::size_t k = 0; k < read.size(); ++k) {
    const auto count = where(pool.sides() * n_);
    const View to_value = View(dQ_value_).first(count), to_rate = View(dQ_rate_).first(count);
    pool.Q_input(here, inputs, element, static_cast<int>(k), to_value, to_rate);
    double value_power = 0, rate_power = 0;
    for (int s = 0; s < pool.sides(); ++s) {
      const int body = pool.body(element, s);
      if (body < 0) continue;
      const CView value = CView(to_value).subspan(where(s * n_), where(n_)),
                  rate = CView(to_rate).subspan(where(s * n_), where(n_));
      add_outer(body, value, requests_.value(read[k]));
      add_outer(body, rate, requests_.rate(read[k]));
      const ConstVectorMap v(v_.data() + std::ptrdiff_t{body} * n_, n_);
      value_power += as_vector(value).dot(v);
      rate_power += as_vector(rate).dot(v);
    }
    add_energy(EnergyState::applied, value_power, requests_.value(read[k]));
    add_energy(EnergyState::applied, rate_power, requests_.rate(read[k]));
  }
}

void Linearisation::add_outer(int body, CView left, const RequestSlopes::Gradient& g) {
  if (std::all_of(left.begin(), left.end(), [](double x) { return x == 0; })) return;
  for (std::size_t j = 0; j < g.bodies.size(); ++j) {
    const Slot slot = bodies_.slot(body, g.bodies[j]);
    add_product(Q_q_, slot, left.data(), g.q.data() + j * where(n_), n_);
    add_product(Q_v_, slot, left.data(), g.v.data() + j * where(n_), n_);
  }
  for (int c = 0; c < n_; ++c) {
    for (std::size_t k = 0; k < g.states.size(); ++k)
      Q_z_.coeffRef(body * n_ + c, g.states[k]) += left[where(c)] * g.z[k];
    for (std::size_t k = 0; k < g.inputs.size(); ++k)
      Q_u_.coeffRef(body * n_ + c, g.inputs[k]) += left[where(c)] * g.u[k];
  }
}

void Linearisation::add_energy(EnergyState part, double factor, const RequestSlopes::Gradient& g) {
  if (factor == 0) return;
  const int row = StateTable::index(part);
  for (std::size_t b = 0; b < g.bodies.size(); ++b)
    for (int c = 0; c < n_; ++c) {
      const auto to = where(g.bodies[b] * n_ + c), from = b * where(n_) + where(c);
      applied_q_[to] += factor * g.q[from];
      applied_v_[to] += factor * g.v[from];
    }
  for (std::size_t k = 0; k < g.states.size(); ++k)
    z_z_.coeffRef(row, g.states[k]) += factor * g.z[k];
  for (std::size_t k = 0; k < g.inputs.size(); ++k)
    z_u_.coeffRef(row, g.inputs[k]) += factor * g.u[k];
}

// The load of a compliant contact into slopes_; its bodies are those of the friction.
void Linearisation::compliant_load(int k, const Motion& here, const Inputs& inputs) {
  const FrictionElement& e = system_.friction().element(k);
  const LoadPool* pool = loads_[where(k)];
  const auto count = where(2 * n_);
  const View load_q = View(dQ_value_).first(count), load_v = View(dQ_rate_).first(count);
  slopes_.load = e.sign * pool->load_slopes(here, inputs, e.element, load_q, load_v);
  slopes_.load_q.setZero();
  slopes_.load_v.setZero();
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 2; ++i)
      if (pool->body(e.element, s) == e.body[where(i)]) {
        slopes_.load_q.segment(i * n_, n_) = e.sign * as_vector(load_q).segment(s * n_, n_);
        slopes_.load_v.segment(i * n_, n_) = e.sign * as_vector(load_v).segment(s * n_, n_);
      }
}

// Q = N d: Q_q = N d_q + d N_q, Q_v, Q_lambda likewise; it loses -N d v.
void Linearisation::friction(const Motion& here, const Inputs& inputs) {
  const FrictionSet& set = system_.friction();
  const int row = StateTable::index(EnergyState::dissipated);
  for (int k = 0; k < set.count(); ++k) {
    const FrictionElement& e = set.element(k);
    friction_slopes(set, k, here, system_.sliding(k, work_), lambda_, slopes_);
    if (loads_[where(k)] != nullptr) compliant_load(k, here, inputs);
    FrictionSlopes::Numbers v = FrictionSlopes::Numbers::Zero(2 * n_);
    for (int i = 0; i < 2; ++i)
      for (int c = 0; c < n_; ++c)
        v[i * n_ + c] = e.body[where(i)] < 0 ? 0 : v_[where(e.body[where(i)] * n_ + c)];
    const double rate = slopes_.d.dot(v);  // power per unit of load
    const FrictionSlopes::Numbers lost_q = slopes_.load * (slopes_.d_q.transpose() * v) +
                                           rate * slopes_.load_q,
                                  lost_v =
                                      slopes_.load * (slopes_.d_v.transpose() * v + slopes_.d) +
                                      rate * slopes_.load_v;
    const FrictionSlopes::Square Q_q = slopes_.load * slopes_.d_q +
                                       slopes_.d * slopes_.load_q.transpose(),
                                 Q_v = slopes_.load * slopes_.d_v +
                                       slopes_.d * slopes_.load_v.transpose();
    for (int i = 0; i < 2; ++i) {
      const int body = e.body[where(i)];
      if (body < 0) continue;
      as_vector(View(lost_q_)).segment(body * n_, n_) -= lost_q.segment(i * n_, n_);
      as_vector(View(lost_v_)).segment(body * n_, n_) -= lost_v.segment(i * n_, n_);
      for (int j = 0; j < 2; ++j) {
        const Slot slot = bodies_.slot(body, e.body[where(j)]);
        for (int c = 0; slot && c < n_; ++c)
          for (int r = 0; r < n_; ++r) {
            const auto to = slot.offset + std::int64_t{c} * slot.stride + r;
            Q_q_.valuePtr()[to] += Q_q(i * n_ + r, j * n_ + c);
            Q_v_.valuePtr()[to] += Q_v(i * n_ + r, j * n_ + c);
          }
      }
      for (std::size_t r = 0; r < e.rows.size(); ++r)
        for (int c = 0; c < n_; ++c)
          Q_lambda_.coeffRef(body * n_ + c, e.rows[r]) +=
              slopes_.d[i * n_ + c] * slopes_.load_lambda[r];
    }
    for (std::size_t r = 0; r < e.rows.size(); ++r)
      z_lambda_.coeffRef(row, e.rows[r]) -= rate * slopes_.load_lambda[r];
  }
}

void Linearisation::driver_power(const Config& here) {  // -lambda^T nu
  if (!system_.driven()) return;
  system_.equations().nu(here, work_.nu);
  for (std::size_t r = 0; r < work_.nu.size(); ++r)
    z_lambda_.coeffRef(StateTable::index(EnergyState::drivers), static_cast<int>(r)) -= work_.nu[r];
}

void Linearisation::state_rates() {
  const int applied = StateTable::index(EnergyState::applied),
            lost = StateTable::index(EnergyState::dissipated);
  for (int k = 0; k < system_.v_size(); ++k) {
    z_q_.coeffRef(applied, k) = applied_q_[where(k)];
    z_v_.coeffRef(applied, k) = applied_v_[where(k)];
    z_q_.coeffRef(lost, k) = lost_q_[where(k)];
    z_v_.coeffRef(lost, k) = lost_v_[where(k)];
  }
  const auto& entries = system_.states().entries();
  for (int k = system_.states().first_of_model(); k < system_.states().size(); ++k) {
    const auto& g = requests_.rate(entries[where(k)].signal);
    for (std::size_t b = 0; b < g.bodies.size(); ++b)
      for (int c = 0; c < n_; ++c) {
        const int column = g.bodies[b] * n_ + c;
        z_q_.coeffRef(k, column) = g.q[b * where(n_) + where(c)];
        z_v_.coeffRef(k, column) = g.v[b * where(n_) + where(c)];
      }
    for (std::size_t l = 0; l < g.states.size(); ++l) z_z_.coeffRef(k, g.states[l]) = g.z[l];
    for (std::size_t l = 0; l < g.inputs.size(); ++l) z_u_.coeffRef(k, g.inputs[l]) = g.u[l];
  }
}

}  // namespace cardan
