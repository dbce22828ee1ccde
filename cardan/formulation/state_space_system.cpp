#include "cardan/formulation/state_space_system.h"

#include <algorithm>
#include <numeric>

#include "cardan/formulation/state_space_motion.h"

namespace cardan {

StateSpaceSystem::StateSpaceSystem(std::vector<int> rows, std::vector<int> independent, int size)
    : rows_(std::move(rows)),
      independent_(std::move(independent)),
      n_(size),
      m_(static_cast<int>(rows_.size())),
      x_(static_cast<std::size_t>(3 * size + m_)) {}

void StateSpaceSystem::take(const MotionEquations& of,
                            const Matrix& bend,
                            const std::vector<int>& turning,
                            const std::vector<double> (&T)[3],
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
  if (order_ == nullptr) make_pattern();
}

void StateSpaceSystem::make_pattern() {
  const int f = static_cast<int>(independent_.size()), first = n_ - f;  // f: freedoms, first = m_
  std::vector<int> row_of(static_cast<std::size_t>(matrix_[Phi].rows()), -1);
  for (int r = 0; r < m_; ++r)
    row_of[static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)])] = r;
  const auto each = [](const Matrix& matrix, auto&& use) {
    int index = 0;
    for (int c = 0; c < matrix.outerSize(); ++c)
      for (Matrix::InnerIterator it(matrix, c); it; ++it)
        use(index++, static_cast<int>(it.row()), c);
  };
  const auto equations = [&](Source source, int row, int column, double factor) {
    each(matrix_[source], [&](int index, int r, int c) {
      const int active = row_of[static_cast<std::size_t>(r)];
      if (active >= 0) entries_.push_back({source, index, row + active, column + c, factor});
    });
  };
  const auto motions = [&](Source source, int column, double factor) {
    each(matrix_[source], [&](int index, int r, int c) {
      entries_.push_back({source, index, 2 * n_ + m_ + r, column + c, factor});
    });
  };
  const int dv = n_, da = 2 * n_, dlambda = 3 * n_;
  equations(P, 0, 0, 1);
  equations(Phi, n_, dv, 1);
  equations(Bend, n_, 0, 1);
  equations(Phi, 2 * n_, da, 1);
  equations(Gamma_v, 2 * n_, dv, -1);
  equations(G, 2 * n_, 0, 1);
  for (int j = 0; j < f; ++j) {
    const int k = independent_[static_cast<std::size_t>(j)];
    entries_.push_back({one, 0, first + j, k, 1});
    entries_.push_back({beta, 0, first + j, da + k, -1});
    entries_.push_back({one, 0, n_ + first + j, dv + k, 1});
    entries_.push_back({gamma, 0, n_ + first + j, da + k, -1});
  }
  motions(M, da, 1);
  motions(Q_v, dv, -1);
  motions(W, 0, 1);
  each(matrix_[Phi], [&](int index, int r, int c) {
    const int active = row_of[static_cast<std::size_t>(r)];
    if (active >= 0) entries_.push_back({Phi, index, 2 * n_ + m_ + c, dlambda + active, 1});
  });

  const int size = 3 * n_ + m_;
  std::vector<int> sorted(entries_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto at = [&](int k) -> const Entry& {
    return entries_[static_cast<std::size_t>(k)];
  };
  std::sort(sorted.begin(), sorted.end(), [&](int i, int j) {
    return std::pair(at(i).column, at(i).row) < std::pair(at(j).column, at(j).row);
  });
  std::vector<int> columns(static_cast<std::size_t>(size) + 1, 0), inner;
  place_.resize(entries_.size());
  int row = -1, column = -1;
  for (const int k : sorted) {
    if (at(k).row != row || at(k).column != column) {
      row = at(k).row;
      column = at(k).column;
      inner.push_back(row);
      ++columns[static_cast<std::size_t>(column) + 1];
    }
    place_[static_cast<std::size_t>(k)] = static_cast<int>(inner.size()) - 1;
  }
  std::partial_sum(columns.begin(), columns.end(), columns.begin());
  values_.resize(inner.size());
  order_ = std::make_unique<SparseOrder>(size, std::move(columns), std::move(inner));
  lu_ = std::make_unique<SparseLu<double>>(*order_);
}

bool StateSpaceSystem::factor(double beta_h2, double gamma_h) {
  const double constants[] = {1, beta_h2, gamma_h};
  const double* source[sources];
  for (int k = 0; k <= W; ++k) source[k] = matrix_[k].valuePtr();
  for (int k = one; k < sources; ++k) source[k] = constants + (k - one);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k)
    values_[static_cast<std::size_t>(place_[k])] +=
        entries_[k].factor * source[entries_[k].source][entries_[k].index];
  return lu_->factor(values_.data());
}

void StateSpaceSystem::solve(CView b_d, CView b_v, CView b, View da_v) {
  std::fill(x_.begin(), x_.end(), 0.0);
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (std::size_t j = 0; j < independent_.size(); ++j) {
    x_[m + j] = b_d.empty() ? 0 : b_d[j];
    x_[n + m + j] = b_v.empty() ? 0 : b_v[j];
    x_[2 * n + m + static_cast<std::size_t>(independent_[j])] = b.empty() ? 0 : b[j];
  }
  lu_->solve(x_.data());
  for (std::size_t j = 0; j < independent_.size(); ++j)
    da_v[j] = x_[2 * n + static_cast<std::size_t>(independent_[j])];
}

}  // namespace cardan
