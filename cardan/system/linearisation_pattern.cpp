// The patterns of a linearisation: who couples with whom, found once.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "cardan/element/force/law_force_pool.h"
#include "cardan/system/linearisation.h"

namespace cardan {

namespace {

std::size_t index(int k) {
  return static_cast<std::size_t>(k);
}

// Columns 0 .. columns - 1 of a finished pattern, whose rows there begin at first_row.
SparseMatrix matrix_of(const Pattern& pattern, int first_row, int rows, int columns) {
  SparseMatrix out(rows, columns);
  const auto count = pattern.columns()[index(columns)];
  out.resizeNonZeros(static_cast<Eigen::Index>(count));
  for (int c = 0; c <= columns; ++c)
    out.outerIndexPtr()[c] = static_cast<int>(pattern.columns()[index(c)]);
  for (std::int64_t k = 0; k < count; ++k) {
    out.innerIndexPtr()[k] =
        static_cast<int>(pattern.rows()[static_cast<std::size_t>(k)]) - first_row;
    out.valuePtr()[k] = 0;
  }
  return out;
}

// A pattern of single places.
class Places {
 public:
  Places(int rows, int columns) : rows_(rows), columns_(columns) {}

  void add(int row, int column) { places_.insert({column, row}); }

  SparseMatrix matrix() const {
    SparseMatrix out(rows_, columns_);
    out.reserve(static_cast<Eigen::Index>(places_.size()));
    int column = 0;
    for (const auto& [c, r] : places_) {
      for (; column <= c; ++column) out.startVec(column);
      out.insertBack(r, c) = 0;
    }
    for (; column < columns_; ++column) out.startVec(column);
    out.finalize();
    return out;
  }

 private:
  int rows_, columns_;
  std::set<std::pair<int, int>> places_;
};

// Calls f(value or rate) for the gradients that a force element reads.
template <class F>
void each_gradient(const RequestSlopes& requests, std::span<const int> read, F&& f) {
  for (const int k : read) {
    f(requests.value(k));
    f(requests.rate(k));
  }
}

}  // namespace

Linearisation::Linearisation(const System& system, const std::vector<char>& active)
    : system_(system),
      active_(active),
      n_(system.body_size()),
      work_(system.workspace()),
      requests_(system),
      lambda_(index(system.equations().rows())) {
  const FrictionSet& set = system.friction();
  for (int k = 0; k < set.count(); ++k) {
    const FrictionElement& e = set.element(k);
    const bool compliant = e.load == FrictionElement::Load::compliant;
    loads_.push_back(compliant ? dynamic_cast<const LoadPool*>(&system.force_set().pool(e.pool))
                               : nullptr);
    if (compliant && loads_.back() == nullptr)
      throw std::logic_error("the load of friction needs a force with slopes");
  }
  make_body_pattern();
  make_equation_pattern();
  make_state_patterns();
  int most = 2;
  for (int p = 0; p < system.force_set().pool_count(); ++p)
    most = std::max(most, system.force_set().pool(p).sides());
  dQ_value_.resize(index(most * n_));
  dQ_rate_ = dQ_value_;
  applied_q_.resize(index(system.v_size()));
  applied_v_ = lost_q_ = lost_v_ = v_ = applied_q_;
  q_.resize(index(system.q_size()));
}

void Linearisation::make_body_pattern() {
  for (int b = 0; b < system_.layout().bodies(); ++b) {
    bodies_.add_block(n_);
    bodies_.couple(b, b);
  }
  const auto pairs = [&](const auto& pool, auto&& f) {
    for (int e = 0; e < pool.count(); ++e)
      for (int i = 0; i < pool.sides(); ++i)
        for (int j = 0; j < pool.sides(); ++j) f(pool.body(e, i), pool.body(e, j));
  };
  const auto couple = [&](int i, int j) {
    bodies_.couple(i, j);
  };
  for (const ConstraintPool* pool : system_.equations().pools()) pairs(*pool, couple);
  const ForceSet& forces = system_.force_set();
  for (int p = 0; p < forces.pool_count(); ++p) {
    const ForcePool& pool = forces.pool(p);
    pairs(pool, couple);
    for (int e = 0; e < pool.count(); ++e)
      each_gradient(requests_, pool.inputs(e), [&](const RequestSlopes::Gradient& g) {
        for (int i = 0; i < pool.sides(); ++i)
          for (const int j : g.bodies) couple(pool.body(e, i), j);
      });
  }
  for (int k = 0; k < system_.friction().count(); ++k) {
    const FrictionElement& e = system_.friction().element(k);
    for (const int i : e.body) {
      for (const int j : e.body) couple(i, j);
      if (loads_[index(k)] != nullptr)
        for (int s = 0; s < loads_[index(k)]->sides(); ++s)
          couple(i, loads_[index(k)]->body(e.element, s));
    }
  }
  bodies_.finish(Storage::sparse);
  const int n = system_.v_size();
  M_ = M_a_q_ = Q_q_ = Q_v_ = phi_qT_lambda_q_ = matrix_of(bodies_, 0, n, n);
  const auto slots = [&](const auto& pool) {
    std::vector<Slot> out;
    pairs(pool, [&](int i, int j) { out.push_back(bodies_.slot(i, j)); });
    return out;
  };
  for (const ConstraintPool* pool : system_.equations().pools())
    equation_slots_.push_back({{}, slots(*pool)});
  for (int p = 0; p < forces.pool_count(); ++p) force_slots_.push_back(slots(forces.pool(p)));
  for (int b = 0; b < system_.layout().bodies(); ++b) {
    const Slot slot = bodies_.slot(b, b);
    for (int c = 0; c < n_; ++c)
      for (int r = 0; r < n_; ++r)
        M_.valuePtr()[slot.offset + std::int64_t{c} * slot.stride + r] = system_.mass().at(b, r, c);
  }
}

void Linearisation::make_equation_pattern() {
  const Equations& equations = system_.equations();
  const int bodies = system_.layout().bodies();
  for (int b = 0; b < bodies; ++b) equations_.add_block(n_);
  for (const ConstraintPool* pool : equations.pools())
    for (int e = 0; e < pool->count(); ++e) {
      const int block = equations_.add_block(pool->rows());
      for (int s = 0; s < pool->sides(); ++s) equations_.couple(block, pool->body(e, s));
    }
  equations_.finish(Storage::sparse);
  const int n = system_.v_size();
  phi_q_ = phi_q_a_q_ = gamma_q_ = gamma_v_ = matrix_of(equations_, n, equations.rows(), n);
  int block = bodies;
  for (std::size_t p = 0; p < equations.pools().size(); ++p) {
    const ConstraintPool& pool = *equations.pools()[p];
    for (int e = 0; e < pool.count(); ++e, ++block)
      for (int s = 0; s < pool.sides(); ++s)
        equation_slots_[p].rows.push_back(equations_.slot(block, pool.body(e, s)));
  }
}

namespace {

// Where forces depend on states and inputs through formulas.
void add_force_places(const ForceSet& forces,
                      const RequestSlopes& requests,
                      int body_size,
                      Places& to_z,
                      Places& to_u) {
  for (int p = 0; p < forces.pool_count(); ++p) {
    const ForcePool& pool = forces.pool(p);
    for (int e = 0; e < pool.count(); ++e)
      each_gradient(requests, pool.inputs(e), [&](const RequestSlopes::Gradient& g) {
        for (int s = 0; s < pool.sides(); ++s)
          for (int c = 0; pool.body(e, s) >= 0 && c < body_size; ++c) {
            for (const int k : g.states) to_z.add(pool.body(e, s) * body_size + c, k);
            for (const int k : g.inputs) to_u.add(pool.body(e, s) * body_size + c, k);
          }
      });
  }
}

}  // namespace

void Linearisation::make_state_patterns() {
  const int n = system_.v_size(), m = system_.equations().rows(), states = system_.states().size(),
            inputs = static_cast<int>(system_.model_inputs().size());
  Places lambda(n, m), to_z(n, states), to_u(n, inputs), rate(states, n), rate_lambda(states, m),
      rate_z(states, states), rate_u(states, inputs);
  const int applied = StateTable::index(EnergyState::applied),
            lost = StateTable::index(EnergyState::dissipated),
            drivers = StateTable::index(EnergyState::drivers);
  for (int k = 0; k < n; ++k) {
    rate.add(applied, k);
    rate.add(lost, k);
  }
  for (int r = 0; r < m; ++r) rate_lambda.add(drivers, r);
  for (int k = 0; k < system_.friction().count(); ++k) {
    const FrictionElement& e = system_.friction().element(k);
    for (const int row : e.rows) {
      rate_lambda.add(lost, row);
      for (const int b : e.body)
        for (int c = 0; b >= 0 && c < n_; ++c) lambda.add(b * n_ + c, row);
    }
  }
  add_force_places(system_.force_set(), requests_, n_, to_z, to_u);
  const ForceSet& forces = system_.force_set();
  for (int p = 0; p < forces.pool_count(); ++p)
    for (int e = 0; e < forces.pool(p).count(); ++e)
      each_gradient(requests_, forces.pool(p).inputs(e), [&](const RequestSlopes::Gradient& g) {
        for (const int k : g.states) rate_z.add(applied, k);
        for (const int k : g.inputs) rate_u.add(applied, k);
      });
  for (int k = system_.states().first_of_model(); k < states; ++k) {
    const auto& g = requests_.rate(system_.states().entries()[index(k)].signal);
    for (const int b : g.bodies)
      for (int c = 0; c < n_; ++c) rate.add(k, b * n_ + c);
    for (const int l : g.states) rate_z.add(k, l);
    for (const int l : g.inputs) rate_u.add(k, l);
  }
  Q_lambda_ = lambda.matrix();
  Q_z_ = to_z.matrix();
  Q_u_ = to_u.matrix();
  z_q_ = z_v_ = rate.matrix();
  z_lambda_ = rate_lambda.matrix();
  z_z_ = rate_z.matrix();
  z_u_ = rate_u.matrix();
}

}  // namespace cardan
