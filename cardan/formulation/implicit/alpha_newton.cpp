#include <algorithm>

#include "cardan/formulation/implicit/alpha_method.h"

namespace cardan {

AlphaNewton::AlphaNewton(MotionEquations& equations)
    : equations_(equations),
      n_(static_cast<std::size_t>(equations.velocities())),
      m_(static_cast<std::size_t>(equations.equations())),
      s_(static_cast<std::size_t>(equations.states())),
      K_(equations.Q_q()),
      phi_q_T_(equations.phi_q()),
      phi_q_v_q_(equations.phi_q()),
      rows_(equations.phi_q()),
      z_q_(equations.z_q()),
      matrix_({equations.velocities(), equations.equations(), equations.states()}) {
  for (auto& column : T_) column.assign(n_, 0.0);
  for (int k = 0; k < equations.velocities(); ++k)
    if (equations.turns(k)) {
      turning_.push_back(k);
      k += 2;
    }
  using As = BlockMatrix::As;
  matrix_.leave_out(multipliers, equations.active());
  terms_.M = matrix_.add(accelerations, accelerations, equations.M());
  terms_.Q_v = matrix_.add(accelerations, accelerations, equations.Q_v());
  terms_.K = matrix_.add(accelerations, accelerations, K_);
  terms_.reactions = matrix_.add(accelerations, multipliers, rows_, As::transposed);
  terms_.friction = matrix_.add(accelerations, multipliers, equations.Q_lambda());
  terms_.Q_z = matrix_.add(accelerations, rates, equations.Q_z());
  terms_.rows = matrix_.add(multipliers, accelerations, rows_);
  terms_.identity = matrix_.add_identity(rates, rates);
  terms_.z_v = matrix_.add(rates, accelerations, equations.z_v());
  terms_.z_q = matrix_.add(rates, accelerations, z_q_);
  terms_.z_z = matrix_.add(rates, rates, equations.z_z());
  terms_.z_lambda = matrix_.add(rates, multipliers, equations.z_lambda());
  matrix_.finish();
  factor_ = std::make_unique<BlockFactor<double>>(matrix_);
}

// The three columns of a rotation have the same rows.
void AlphaNewton::turn_columns(Matrix& A) const {
  for (const int k : turning_) {
    const int *start = A.outerIndexPtr() + k, entries = start[1] - start[0];
    double* columns[3];
    for (int j = 0; j < 3; ++j) columns[j] = A.valuePtr() + start[j];
    const auto at = static_cast<std::size_t>(k);
    for (int e = 0; e < entries; ++e) {
      const double x[3] = {columns[0][e], columns[1][e], columns[2][e]};
      for (int j = 0; j < 3; ++j)
        columns[j][e] = x[0] * T_[j][at] + x[1] * T_[j][at + 1] + x[2] * T_[j][at + 2];
    }
  }
}

void AlphaNewton::linearise(double t, CView q, CView v, CView a, CView lambda, CView z, CView d) {
  equations_.linearise(t, q, v, a, lambda, z);
  for (int j = 0; j < 3 && !turning_.empty(); ++j) {
    std::fill(T_[j].begin(), T_[j].end(), 0.0);
    for (const int k : turning_) T_[j][static_cast<std::size_t>(k + j)] = 1;
    equations_.transport(d, T_[j]);
  }
  K_.coeffs() = equations_.Q_q().coeffs() - equations_.phi_qT_lambda_q().coeffs();
  if (equations_.M_depends_on_q()) K_.coeffs() -= equations_.M_a_q().coeffs();
  phi_q_T_.coeffs() = equations_.phi_q().coeffs();
  z_q_.coeffs() = equations_.z_q().coeffs();
  equations_.phi_q_v_q(v, phi_q_v_q_);
  for (Matrix* A : {&K_, &phi_q_T_, &phi_q_v_q_, &z_q_}) turn_columns(*A);
  here_.t = t;
  here_.q.assign(q.begin(), q.end());
  here_.v.assign(v.begin(), v.end());
  here_.a.assign(a.begin(), a.end());
  here_.lambda.assign(lambda.begin(), lambda.end());
  here_.z.assign(z.begin(), z.end());
  here_.d.assign(d.begin(), d.end());
}

bool AlphaNewton::factor(double c_1, double c_2) {
  for (Eigen::Index k = 0; k < rows_.nonZeros(); ++k)
    rows_.valuePtr()[k] =
        equations_.at_velocity_level(rows_.innerIndexPtr()[k])
            ? equations_.phi_q().valuePtr()[k] + c_2 / c_1 * phi_q_v_q_.valuePtr()[k]
            : phi_q_T_.valuePtr()[k];
  BlockFactor<double>& A = *factor_;
  A.clear();
  A.put(terms_.M, 1, equations_.M());
  A.put(terms_.Q_v, -c_1, equations_.Q_v());
  A.put(terms_.K, -c_2, K_);
  A.put(terms_.reactions, 1, equations_.phi_q());
  A.put(terms_.friction, -1, equations_.Q_lambda());
  A.put(terms_.Q_z, -c_1, equations_.Q_z());
  A.put(terms_.rows, 1, rows_);
  A.put(terms_.identity, 1);
  A.put(terms_.z_v, -c_1, equations_.z_v());
  A.put(terms_.z_q, -c_2, z_q_);
  A.put(terms_.z_z, -c_1, equations_.z_z());
  A.put(terms_.z_lambda, -1, equations_.z_lambda());
  if (chosen_) return A.factor(false);
  pivots_ = here_;
  pivots_.c_1 = c_1;
  pivots_.c_2 = c_2;
  chosen_ = A.factor(true);
  return chosen_;
}

void AlphaNewton::Place::serialize(Archive& archive) {
  for (double* x : {&t, &c_1, &c_2}) archive.io(*x);
  for (std::vector<double>* x : {&q, &v, &a, &lambda, &z, &d}) archive.io(*x);
}

void AlphaNewton::serialize(Archive& archive) {
  archive.io(chosen_);
  if (!chosen_) pivots_ = {};
  if (archive.loading() && chosen_) {
    pivots_.q.resize(static_cast<std::size_t>(equations_.positions()));
    for (auto* list : {&pivots_.v, &pivots_.a, &pivots_.d}) list->resize(n_);
    pivots_.lambda.resize(m_);
    pivots_.z.resize(s_);
  }
  pivots_.serialize(archive);
  if (!archive.loading() || !archive.good() || !chosen_) return;
  chosen_ = false;
  const Place at = pivots_;  // factor() writes it
  linearise(at.t, at.q, at.v, at.a, at.lambda, at.z, at.d);
  if (!factor(at.c_1, at.c_2)) archive.fail();
}

void AlphaNewton::solve(View motion, View constraints, View rates_missing) {
  BlockFactor<double>& A = *factor_;
  std::copy(motion.begin(), motion.end(), A.x(accelerations));
  for (std::size_t r = 0; r < m_; ++r)
    A.x(multipliers)[r] = equations_.active()[r] != 0 ? constraints[r] : 0;
  std::copy(rates_missing.begin(), rates_missing.end(), A.x(rates));
  A.solve();
  std::copy_n(A.x(accelerations), n_, motion.begin());
  std::copy_n(A.x(multipliers), m_, constraints.begin());
  std::copy_n(A.x(rates), s_, rates_missing.begin());
}

Eigen::SparseMatrix<double> AlphaNewton::matrix() const {
  return Eigen::Map<const Eigen::SparseMatrix<double>>(matrix_.size(),
                                                       matrix_.size(),
                                                       matrix_.entries(),
                                                       matrix_.columns().data(),
                                                       matrix_.rows().data(),
                                                       factor_->values().data());
}

}  // namespace cardan
