#include "cardan/system/shifted_matrix.h"

#include <algorithm>

#include "cardan/math/rotation.h"

namespace cardan {

namespace {

std::size_t spot(int k) {
  return static_cast<std::size_t>(k);
}

// y += factor A x.
template <class T> void add_multiple(const SparseMatrix& A, T factor, const T* x, T* y) {
  for (int c = 0; c < A.cols(); ++c) {
    const T by = factor * x[c];
    for (int k = A.outerIndexPtr()[c]; k < A.outerIndexPtr()[c + 1]; ++k)
      y[A.innerIndexPtr()[k]] += by * A.valuePtr()[k];
  }
}

}  // namespace

ShiftedMatrix::ShiftedMatrix(const System& system, const std::vector<char>& active)
    : system_(system),
      active_(active),
      at_(system, active),
      n_(system.v_size()),
      m_(system.equations().rows()),
      energies_(system.states().first_of_model()),
      states_(system.states().size() - energies_),
      K_(at_.Q_q()),
      G_q_(at_.phi_q()),
      G_v_(G_q_),
      rate_q_(G_q_),
      v_(spot(n_)) {
  make_pattern();
}

// Columns of velocities are those of the linearisation's matrices below each other: bodies,
// equations, states. Those of multipliers hold phi_q^T and Q_lambda.
void ShiftedMatrix::make_pattern() {
  struct Entry {
    int column, row;
    bool operator==(const Entry&) const = default;

    bool operator<(const Entry& other) const {
      return column != other.column ? column < other.column : row < other.row;
    }
  };

  std::vector<Entry> entries;
  const auto each = [](const SparseMatrix& A, auto&& f) {
    for (int c = 0; c < A.cols(); ++c)
      for (int k = A.outerIndexPtr()[c]; k < A.outerIndexPtr()[c + 1]; ++k)
        f(A.innerIndexPtr()[k], c);
  };
  const int first_state = n_ + m_ - energies_;
  each(at_.M(), [&](int r, int c) { entries.push_back({c, r}); });
  each(at_.phi_q(), [&](int r, int c) {
    entries.push_back({c, n_ + r});
    entries.push_back({n_ + r, c});
  });
  each(at_.z_q(), [&](int r, int c) {
    if (r >= energies_) entries.push_back({c, first_state + r});
  });
  each(at_.Q_lambda(), [&](int r, int c) { entries.push_back({n_ + c, r}); });
  for (int r = 0; r < m_; ++r) entries.push_back({n_ + r, n_ + r});
  each(at_.Q_z(), [&](int r, int c) { entries.push_back({first_state + c, r}); });
  each(at_.z_z(), [&](int r, int c) {
    if (r >= energies_) entries.push_back({first_state + c, first_state + r});
  });
  for (int k = 0; k < states_; ++k) entries.push_back({n_ + m_ + k, n_ + m_ + k});
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  columns_.assign(spot(n_ + m_ + states_ + 1), 0);
  for (const Entry& e : entries) {
    rows_.push_back(e.row);
    ++columns_[spot(e.column + 1)];
  }
  for (std::size_t c = 1; c < columns_.size(); ++c) columns_[c] += columns_[c - 1];
  const auto find = [&](int row, int column) {
    const auto at = std::lower_bound(entries.begin(), entries.end(), Entry{column, row});
    return static_cast<int>(at - entries.begin());
  };
  each(at_.phi_q(), [&](int r, int c) { multiplier_.push_back(find(c, n_ + r)); });
  each(at_.Q_lambda(), [&](int r, int c) { friction_.push_back(find(r, n_ + c)); });
  for (int r = 0; r < m_; ++r) diagonal_.push_back(find(n_ + r, n_ + r));
  each(at_.Q_z(), [&](int r, int c) { force_.push_back(find(r, first_state + c)); });
  each(at_.z_z(), [&](int r, int c) {
    state_.push_back(r >= energies_ ? find(first_state + r, first_state + c) : -1);
  });
  for (int k = 0; k < states_; ++k) state_diagonal_.push_back(find(n_ + m_ + k, n_ + m_ + k));
  order_ = std::make_unique<SparseOrder>(n_ + m_ + states_, columns_, rows_);
}

void ShiftedMatrix::reserve(int shifts) {
  while (factors_.size() < spot(shifts)) {
    Factor& f = factors_.emplace_back();
    const auto prepare = [&](auto& p) {
      using T = typename std::decay_t<decltype(p.values)>::value_type;
      p.lu = std::make_unique<SparseLu<T>>(*order_);
      p.values.resize(rows_.size());
      p.x.resize(spot(n_ + m_ + states_));
      p.theta.resize(spot(n_));
      p.z.resize(spot(energies_ + states_));
      if (system_.space() == Space::spatial) p.F.resize(spot(system_.body_count()));
    };
    prepare(f.real);
    prepare(f.complex);
  }
}

void ShiftedMatrix::linearise(double t,
                              CView q,
                              CView v,
                              CView a,
                              CView lambda,
                              const Workspace& of,
                              const ConstraintFeedback& feedback) {
  at_.evaluate(t, q, v, a, lambda, of);
  for (Factor& f : factors_) f.fresh = true;
  std::copy(v.begin(), v.end(), v_.begin());
  K_.coeffs() = at_.Q_q().coeffs() - at_.phi_qT_lambda_q().coeffs();
  if (system_.own() != nullptr) K_.coeffs() -= at_.M_a_q().coeffs();
  G_q_.coeffs() = at_.gamma_q().coeffs() - at_.phi_q_a_q().coeffs();
  G_v_.coeffs() = at_.gamma_v().coeffs();
  if (feedback.velocity == 0 && feedback.position == 0) return;
  at_.phi_q_v_q(v, rate_q_);
  G_q_.coeffs() -= feedback.velocity * rate_q_.coeffs();
  G_v_.coeffs() -= feedback.velocity * at_.phi_q().coeffs();
  for (Eigen::Index k = 0; k < G_q_.nonZeros(); ++k)
    if (!system_.equations().at_velocity_level(G_q_.innerIndexPtr()[k]))
      G_q_.valuePtr()[k] -= feedback.position * at_.phi_q().valuePtr()[k];
}

template <> ShiftedMatrix::Part<double>& ShiftedMatrix::part<double>(Factor& f) {
  return f.real;
}

template <>
ShiftedMatrix::Part<std::complex<double>>& ShiftedMatrix::part<std::complex<double>>(Factor& f) {
  return f.complex;
}

bool ShiftedMatrix::factor(int k, std::complex<double> c) {
  Factor& f = factors_[spot(k)];
  f.c = c;
  const bool fresh = f.fresh;
  f.fresh = false;
  return c.imag() == 0 ? factor_as(f.real, c.real(), fresh) : factor_as(f.complex, c, fresh);
}

template <class T> bool ShiftedMatrix::factor_as(Part<T>& p, T c, bool fresh) {
  find_turns(p, c);
  fill_motion(p, c);
  fill_multipliers(p, c);
  return fresh ? p.lu->factor(p.values.data()) : p.lu->refactor(p.values.data());
}

template <class T> void ShiftedMatrix::find_turns(Part<T>& p, T c) const {
  for (std::size_t b = 0; b < p.F.size(); ++b) {
    const Vec<3> omega = system_.layout().rotation(CView(v_), static_cast<int>(b));
    Eigen::Matrix<T, 3, 3> inverse = skew(omega).template cast<T>() * (c * 0.5);
    inverse.diagonal().array() += T(1);
    p.F[b] = inverse.inverse();
  }
}

template <class T> void ShiftedMatrix::turn(const Part<T>& p, T* q) const {
  for (std::size_t b = 0; b < p.F.size(); ++b) {
    Eigen::Map<Eigen::Matrix<T, 3, 1>> w(q + system_.layout().v_rotation(static_cast<int>(b)));
    w = (p.F[b] * w).eval();
  }
}

// Columns of velocities: A_0 - c A_v - c^2 A_q F of the three matrices below each other.
template <class T> void ShiftedMatrix::fill_motion(Part<T>& p, T c) const {
  const bool spatial = !p.F.empty();
  for (int column = 0; column < n_; ++column) {
    const Layout::Place place = system_.layout().place_of_v(column);
    const bool turning = spatial && place.local >= 3;
    Eigen::Matrix<T, 3, 1> f = Eigen::Matrix<T, 3, 1>::Zero();
    if (turning) f = p.F[spot(place.body)].col(place.local - 3);
    T* out = p.values.data() + columns_[spot(column)];
    const auto write = [&](const SparseMatrix* A_0,
                           const SparseMatrix& A_v,
                           const SparseMatrix& A_q,
                           int first_row,
                           auto&& kept) {
      const int *start = A_q.outerIndexPtr(), begin = start[column], end = start[column + 1];
      const int first = turning ? start[column - place.local + 3] : begin;
      for (int k = begin; k < end; ++k) {
        if (A_q.innerIndexPtr()[k] < first_row) continue;
        T moved = A_q.valuePtr()[k];
        if (turning) {
          moved = T(0);
          for (int l = 0; l < 3; ++l)
            moved += A_q.valuePtr()[first + l * (end - begin) + k - begin] * f[l];
        }
        const T value = -c * (A_v.valuePtr()[k] + c * moved);
        const double constant = A_0 != nullptr ? A_0->valuePtr()[k] : 0;
        *out++ = kept(A_q.innerIndexPtr()[k]) ? constant + value : T(0);
      }
    };
    const auto always = [](int) {
      return true;
    };
    write(&at_.M(), at_.Q_v(), K_, 0, always);
    write(&at_.phi_q(), G_v_, G_q_, 0, [&](int r) { return active_[spot(r)] != 0; });
    write(nullptr, at_.z_v(), at_.z_q(), energies_, always);
  }
}

template <class T> void ShiftedMatrix::fill_multipliers(Part<T>& p, T c) const {
  std::fill(p.values.begin() + columns_[spot(n_)], p.values.end(), T(0));
  const SparseMatrix &phi_q = at_.phi_q(), &Q_lambda = at_.Q_lambda();
  for (std::size_t k = 0; k < multiplier_.size(); ++k)
    if (active_[spot(phi_q.innerIndexPtr()[k])] != 0)
      p.values[spot(multiplier_[k])] = phi_q.valuePtr()[k];
  for (int r = 0; r < m_; ++r) {
    if (active_[spot(r)] == 0) {
      p.values[spot(diagonal_[spot(r)])] = T(1);
      continue;
    }
    for (int k = Q_lambda.outerIndexPtr()[r]; k < Q_lambda.outerIndexPtr()[r + 1]; ++k)
      p.values[spot(friction_[spot(k)])] -= Q_lambda.valuePtr()[k];
  }
  for (std::size_t k = 0; k < force_.size(); ++k)
    p.values[spot(force_[k])] = -c * at_.Q_z().valuePtr()[k];
  for (std::size_t k = 0; k < state_.size(); ++k)
    if (state_[k] >= 0) p.values[spot(state_[k])] = -c * at_.z_z().valuePtr()[k];
  for (const int k : state_diagonal_) p.values[spot(k)] += T(1);
}

template <class T> void ShiftedMatrix::solve(int k, T* q, T* v, T* z) {
  Factor& factor = factors_[spot(k)];
  Part<T>& p = part<T>(factor);
  T c;
  if constexpr (std::is_same_v<T, double>)
    c = factor.c.real();
  else
    c = factor.c;
  T *x = p.x.data(), *mu = x + n_, *dz = mu + m_;
  std::copy_n(q, n_, p.theta.begin());
  turn(p, p.theta.data());
  std::fill(p.x.begin(), p.x.end(), T(0));
  std::copy_n(z, energies_ + states_, p.z.begin());
  add_multiple(at_.M(), T(1), v, x);
  add_multiple(K_, c, p.theta.data(), x);
  add_multiple(at_.phi_q(), T(1), v, mu);
  add_multiple(G_q_, c, p.theta.data(), mu);
  add_multiple(at_.z_q(), c, p.theta.data(), p.z.data());
  for (int r = 0; r < m_; ++r)
    if (active_[spot(r)] == 0) mu[r] = T(0);
  std::copy_n(p.z.data() + energies_, states_, dz);
  p.lu->solve(x);
  std::copy_n(x, n_, v);
  for (int i = 0; i < n_; ++i) q[i] += c * v[i];
  turn(p, q);
  std::copy_n(z, energies_, p.z.begin());
  std::copy_n(dz, states_, z + energies_);
  add_multiple(at_.z_q(), c, q, p.z.data());
  add_multiple(at_.z_v(), c, v, p.z.data());
  add_multiple(at_.z_z(), c, z, p.z.data());
  add_multiple(at_.z_lambda(), T(1), mu, p.z.data());
  std::copy_n(p.z.begin(), energies_, z);
}

void ShiftedMatrix::meet(int k, CView g, View d) {
  Part<double>& p = factors_[spot(k)].real;
  std::fill(p.x.begin(), p.x.end(), 0.0);
  for (int r = 0; r < m_; ++r)
    if (active_[spot(r)] != 0) p.x[spot(n_ + r)] = g[spot(r)];
  p.lu->solve(p.x.data());
  std::copy_n(p.x.begin(), n_, d.begin());
}

template void ShiftedMatrix::solve(int, double*, double*, double*);
template void ShiftedMatrix::solve(int,
                                   std::complex<double>*,
                                   std::complex<double>*,
                                   std::complex<double>*);

}  // namespace cardan
