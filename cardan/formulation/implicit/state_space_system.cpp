#include "cardan/formulation/implicit/state_space_system.h"

#include <algorithm>

#include "cardan/formulation/implicit/state_space_motion.h"

namespace cardan {

StateSpaceSystem::StateSpaceSystem(
    For use, std::vector<int> rows, std::vector<int> independent, int size, int states)
    : for_(use),
      rows_(std::move(rows)),
      independent_(std::move(independent)),
      n_(size),
      m_(static_cast<int>(rows_.size())),
      states_(use == For::formulas ? states : 0),
      solution_(static_cast<std::size_t>(3 * n_ + m_ + states_)) {}

void StateSpaceSystem::take(const MotionEquations& of,
                            const Matrix& bend,
                            const std::vector<int>& turning,
                            const Turns& T,
                            bool neglect) {
  times_turns(of.phi_q(), turning, T, matrix_[P]);
  matrix_[Phi] = of.phi_q();
  times_turns(bend, turning, T, matrix_[Bend]);
  scratch_ = of.phi_q_a_q();
  scratch_ -= of.gamma_q();
  times_turns(scratch_, turning, T, matrix_[G]);
  matrix_[Gamma_v] = of.gamma_v();
  matrix_[M] = of.M();
  matrix_[Q_v] = of.Q_v();
  scratch_ = -of.Q_q();
  if (!neglect) scratch_ += of.phi_qT_lambda_q();
  if (of.M_depends_on_q()) scratch_ += of.M_a_q();
  times_turns(scratch_, turning, T, matrix_[W]);
  if (neglect) {
    matrix_[G] *= 0;
    matrix_[Gamma_v] *= 0;
  }
  if (for_ == For::newmark) {
    if (!all_.finished()) make_pattern();
    return;
  }
  matrix_[Q_lambda] = of.Q_lambda();
  matrix_[Q_z] = of.Q_z();
  times_turns(of.z_q(), turning, T, matrix_[Z_q]);
  matrix_[Z_v] = of.z_v();
  matrix_[Z_lambda] = of.z_lambda();
  matrix_[Z_z] = of.z_z();
}

// Blocks of three in space, ones elsewhere.
void StateSpaceSystem::take_rates(const MotionEquations& of,
                                  const std::vector<int>& turning,
                                  CView d,
                                  CView v) {
  const auto n = static_cast<std::size_t>(n_);
  std::vector<Eigen::Triplet<double>> back, bend;
  std::vector<char> turns(n);
  for (const int first : turning) std::fill_n(turns.begin() + first, 3, static_cast<char>(1));
  for (int k = 0; k < n_; ++k)
    if (turns[static_cast<std::size_t>(k)] == 0) back.emplace_back(k, k, 1.0);
  std::vector<double> unit(n), moved(n), bent(n);
  for (int j = 0; j < 3; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    for (const int first : turning) unit[static_cast<std::size_t>(first + j)] = 1;
    moved = unit;
    of.transport_back(d, moved);
    of.transport_bend(d, unit, v, bent);
    for (const int first : turning)
      for (int i = 0; i < 3; ++i) {
        back.emplace_back(first + i, first + j, moved[static_cast<std::size_t>(first + i)]);
        bend.emplace_back(first + i, first + j, bent[static_cast<std::size_t>(first + i)]);
      }
  }
  matrix_[R_v].resize(n_, n_);
  matrix_[R_v].setFromTriplets(back.begin(), back.end());
  matrix_[R_d].resize(n_, n_);
  matrix_[R_d].setFromTriplets(bend.begin(), bend.end());
  if (!all_.finished()) make_pattern();
}

void StateSpaceSystem::make_pattern() {
  const int f = static_cast<int>(independent_.size()), motions = 2 * n_ + m_;
  const int dv = n_, da = 2 * n_, dlambda = 3 * n_, dz = 3 * n_ + m_;
  std::vector<int> row_of(static_cast<std::size_t>(matrix_[Phi].rows()), -1),
      picked(static_cast<std::size_t>(n_), -1);
  for (int r = 0; r < m_; ++r)
    row_of[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] = r;
  for (int j = 0; j < f; ++j)
    picked[static_cast<std::size_t>(independent_[static_cast<std::size_t>(j)])] = j;
  const auto each = [this](Source source, auto&& use) {
    int index = 0;
    const Matrix& matrix = matrix_[source];
    for (int c = 0; c < matrix.outerSize(); ++c)
      for (Matrix::InnerIterator it(matrix, c); it; ++it)
        use(index++, static_cast<int>(it.row()), c);
  };
  // Rows of active equations, of independent velocities, and all rows.
  const auto equations = [&](Source source, int row, int column, double factor) {
    each(source, [&](int index, int r, int c) {
      const int active = row_of[static_cast<std::size_t>(r)];
      if (active >= 0) all_.add(source, index, row + active, column + c, factor);
    });
  };
  const auto chosen = [&](Source source, int row, int column, double factor) {
    each(source, [&](int index, int r, int c) {
      const int j = picked[static_cast<std::size_t>(r)];
      if (j >= 0) all_.add(source, index, row + j, column + c, factor);
    });
  };
  const auto whole = [&](Source source, int row, int column, double factor) {
    each(source,
         [&](int index, int r, int c) { all_.add(source, index, row + r, column + c, factor); });
  };
  const auto by_multipliers = [&](Source source, int row, double factor) {
    each(source, [&](int index, int r, int c) {
      const int active = row_of[static_cast<std::size_t>(c)];
      if (active >= 0) all_.add(source, index, row + r, dlambda + active, factor);
    });
  };
  equations(P, 0, 0, 1);
  equations(Phi, n_, dv, 1);
  equations(Bend, n_, 0, 1);
  equations(Phi, 2 * n_, da, 1);
  equations(Gamma_v, 2 * n_, dv, -1);
  equations(G, 2 * n_, 0, 1);
  for (int j = 0; j < f; ++j) {
    const int k = independent_[static_cast<std::size_t>(j)];
    all_.add(one, 0, m_ + j, k, 1);
    if (for_ == For::newmark) all_.add(beta, 0, m_ + j, da + k, -1);
    all_.add(one, 0, n_ + m_ + j, dv + k, 1);
    all_.add(gamma, 0, n_ + m_ + j, da + k, -1);
  }
  whole(M, motions, da, 1);
  whole(Q_v, motions, dv, -1);
  whole(W, motions, 0, 1);
  each(Phi, [&](int index, int r, int c) {
    const int active = row_of[static_cast<std::size_t>(r)];
    if (active >= 0) all_.add(Phi, index, motions + c, dlambda + active, 1);
  });
  if (for_ == For::formulas) {
    chosen(R_v, m_, dv, -1);
    chosen(R_d, m_, 0, -1);
    by_multipliers(Q_lambda, motions, -1);
    whole(Q_z, motions, dz, -1);
    whole(Z_q, dz, 0, -1);
    whole(Z_v, dz, dv, -1);
    by_multipliers(Z_lambda, dz, -1);
    whole(Z_z, dz, dz, -1);
    for (int k = 0; k < states_; ++k) all_.add(one, 0, dz + k, dz + k, 1);
  }
  all_.finish(3 * n_ + m_ + states_);
}

bool StateSpaceSystem::factor(double beta_h2, double gamma_h) {
  const double constants[] = {1, beta_h2, gamma_h};
  const double* source[sources];
  for (int k = 0; k < matrices; ++k) source[k] = matrix_[k].valuePtr();
  for (const int k : {Z_q, Z_v, Z_lambda, Z_z, R_v, R_d}) {  // these stand with c
    if (for_ == For::newmark) break;
    scaled_[k] = gamma_h * matrix_[k];
    source[k] = scaled_[k].valuePtr();
  }
  for (int k = one; k < sources; ++k) source[k] = constants + (k - one);
  return all_.factor(source);
}

void StateSpaceSystem::solve(CView b_d, CView b_v, CView b, CView b_z) {
  std::fill(solution_.begin(), solution_.end(), 0.0);
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (std::size_t j = 0; j < independent_.size(); ++j) {
    if (!b_d.empty()) solution_[m + j] = b_d[j];
    if (!b_v.empty()) solution_[n + m + j] = b_v[j];
    if (!b.empty()) solution_[2 * n + m + static_cast<std::size_t>(independent_[j])] = b[j];
  }
  std::copy(b_z.begin(), b_z.end(), solution_.end() - states_);
  all_.solve(solution_.data());
}

void StateSpaceSystem::rate(View out) const {
  as_vector(out) = matrix_[R_v] * as_vector(dv()) + matrix_[R_d] * as_vector(x());
}

}  // namespace cardan
