#include "cardan/formulation/implicit/dae_newton.h"

#include <algorithm>

namespace cardan {

namespace {

std::size_t dae_index(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

DaeLayout::DaeLayout(const MotionEquations& equations, const DaeKind& kind)
    : q(dae_index(equations.positions())),
      v(dae_index(equations.velocities())),
      lambda(dae_index(equations.equations())),
      z(dae_index(equations.states())),
      at_v(q),
      at_a(at_v + v),
      at_lambda(at_a + v),
      at_mu(at_lambda + lambda),
      at_eta(at_mu + lambda),
      at_z(at_eta + (kind.accelerations ? lambda : 0)),
      size(at_z + z) {}

DaeNewton::DaeNewton(MotionEquations& equations,
                     const DaeKind& kind,
                     const std::vector<int>& dependent)
    : equations_(equations),
      kind_(kind),
      at_(equations, kind),
      dependent_(dependent),
      on_positions_(equations.active()),
      weight_(at_.v, 1.0),
      sum_(at_.v),
      K_(equations.Q_q()),
      bend_(equations.phi_q()),
      phi_q_v_q_(equations.phi_q()),
      normals_(equations.phi_q()),
      y_(at_.size),
      multipliers_(at_.lambda),
      q_(at_.q),
      u_(at_.v),
      rate_(at_.q),
      tangent_re_(at_.v),
      tangent_im_(at_.v),
      off_(at_.q) {
  for (std::size_t r = 0; r < at_.lambda; ++r)
    if (equations.at_velocity_level(static_cast<int>(r))) on_positions_[r] = 0;
  const double length = equations.length();
  for (std::size_t k = 0; k < at_.v; ++k)
    if (equations.is_angle(static_cast<int>(k)) && length > 0) weight_[k] = 1 / (length * length);
  turn_pattern();
  declare();
}

// u~ of the rotations in space: three columns each with two entries.
void DaeNewton::turn_pattern() {
  const auto n = static_cast<Eigen::Index>(at_.v);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < equations_.velocities(); ++k) {
    if (!equations_.turns(k)) continue;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i != j) entries.emplace_back(k + i, k + j, 0);
    turning_.push_back(k);
    k += 2;
  }
  turn_.resize(n, n);
  turn_.setFromTriplets(entries.begin(), entries.end());
  turn_.makeCompressed();
}

void DaeNewton::declare() {
  const int n = equations_.velocities(), m = equations_.equations(), s = equations_.states();
  const bool third = kind_.accelerations;
  matrix_ =
      std::make_unique<BlockMatrix>(std::vector<int>{n, n, m, m, s, third ? n : 0, third ? m : 0});
  BlockMatrix& A = *matrix_;
  const std::vector<char>& active = equations_.active();
  A.leave_out(mu, on_positions_);
  A.leave_out(lambda, active);
  if (third) A.leave_out(eta, active);
  const auto normals = [&](int row, int column) {
    if (!kind_.dependent)
      return A.add(row, column, equations_.phi_q(), BlockMatrix::As::transposed);
    std::vector<int> rows, columns;
    for (int r = 0; r < m; ++r)
      if (dependent_[dae_index(r)] >= 0) {
        rows.push_back(dependent_[dae_index(r)]);
        columns.push_back(r);
      }
    return A.add_entries(row, column, rows, columns);
  };
  const int motion = third ? acceleration : speed, nu = third ? eta : lambda;
  terms_.theta_theta = A.add_identity(theta, theta);
  terms_.theta_turn = A.add(theta, theta, turn_);
  terms_.theta_v = A.add_identity(theta, speed);
  terms_.theta_mu = normals(theta, mu);
  if (third) {
    terms_.v_v = A.add_identity(speed, speed);
    terms_.v_a = A.add_identity(speed, acceleration);
    terms_.v_eta = normals(speed, eta);
    terms_.gamma_a = A.add(lambda, acceleration, equations_.phi_q());
    terms_.gamma_v = A.add(lambda, speed, equations_.phi_q());
    terms_.gamma_theta = A.add(lambda, theta, equations_.phi_q());
  }
  terms_.a_M = A.add(motion, motion, equations_.M());
  terms_.a_Q_v = A.add(motion, speed, equations_.Q_v());
  terms_.a_K = A.add(motion, theta, K_);
  terms_.a_phi = A.add(motion, lambda, equations_.phi_q(), BlockMatrix::As::transposed);
  terms_.a_friction = A.add(motion, lambda, equations_.Q_lambda());
  terms_.a_z = A.add(motion, state, equations_.Q_z());
  terms_.phi = A.add(mu, theta, equations_.phi_q());
  terms_.nu_v = A.add(nu, speed, equations_.phi_q());
  terms_.nu_theta = A.add(nu, theta, equations_.phi_q());
  terms_.z_identity = A.add_identity(state, state);
  terms_.z_z = A.add(state, state, equations_.z_z());
  terms_.z_theta = A.add(state, theta, equations_.z_q());
  terms_.z_v = A.add(state, speed, equations_.z_v());
  terms_.z_lambda = A.add(state, lambda, equations_.z_lambda());
  A.finish();
}

void DaeNewton::reserve(int shifts) {
  while (factors_.size() < dae_index(shifts)) {
    Factor& f = factors_.emplace_back();
    f.real = std::make_unique<Part<double>>(*matrix_, at_);
    f.complex = std::make_unique<Part<std::complex<double>>>(*matrix_, at_);
  }
}

void DaeNewton::add_normals(CView x, double factor, View out) const {
  if (kind_.dependent) {
    for (std::size_t r = 0; r < x.size(); ++r)
      if (dependent_[r] >= 0) out[dae_index(dependent_[r])] += factor * x[r];
    return;
  }
  std::fill(sum_.begin(), sum_.end(), 0.0);
  equations_.add_phi_qT(x, factor, sum_);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += weight_[k] * sum_[k];
}

void DaeNewton::linearise(double t, CView unit, CView y, CView multipliers) {
  const auto part = [&](std::size_t first, std::size_t size) {
    return y.subspan(first, size);
  };
  const CView v = part(at_.at_v, at_.v), a = part(at_.at_a, at_.v);
  equations_.linearise(t, unit, v, a, multipliers, part(at_.at_z, at_.z));
  t_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  std::copy(multipliers.begin(), multipliers.end(), multipliers_.begin());
  std::copy(unit.begin(), unit.end(), q_.begin());
  std::copy(v.begin(), v.end(), u_.begin());
  K_.coeffs() = equations_.Q_q().coeffs() - equations_.phi_qT_lambda_q().coeffs();
  if (equations_.M_depends_on_q()) K_.coeffs() -= equations_.M_a_q().coeffs();
  bend_.coeffs() = equations_.phi_q_a_q().coeffs() - equations_.gamma_q().coeffs();
  equations_.phi_q_v_q(v, phi_q_v_q_);
  for (int c = 0; c < normals_.cols(); ++c)
    for (int k = normals_.outerIndexPtr()[c]; k < normals_.outerIndexPtr()[c + 1]; ++k)
      normals_.valuePtr()[k] = weight_[dae_index(c)] * equations_.phi_q().valuePtr()[k];
  if (kind_.carried) {
    equations_.evaluate_constraints(t, unit);
    add_normals(part(at_.at_mu, at_.lambda), -1, u_);
  }
  double* out = turn_.valuePtr();
  for (const int k : turning_) {
    const double x = u_[dae_index(k)], y_part = u_[dae_index(k + 1)], z = u_[dae_index(k + 2)];
    for (const double value : {z, -y_part, -z, x, y_part, -x}) *out++ = value;
  }
}

template <class T> void DaeNewton::fill(BlockFactor<T>& A, T c) const {
  const MotionEquations& e = equations_;
  const bool third = kind_.accelerations;
  const auto normals = [&](int term) {
    if (kind_.dependent)
      A.put(term, T(1));
    else
      A.put(term, T(1), normals_);
  };
  A.clear();
  A.put(terms_.theta_theta, T(1));
  A.put(terms_.theta_turn, 0.5 * c, turn_);
  A.put(terms_.theta_v, T(-1));
  normals(terms_.theta_mu);
  if (third) {
    A.put(terms_.v_v, T(1));
    A.put(terms_.v_a, T(-1));
    normals(terms_.v_eta);
    A.put(terms_.gamma_a, T(1), e.phi_q());
    A.put(terms_.gamma_v, -c, e.gamma_v());
    A.put(terms_.gamma_theta, c * c, bend_);
  }
  A.put(terms_.a_M, T(1), e.M());
  A.put(terms_.a_Q_v, -c, e.Q_v());
  A.put(terms_.a_K, -c * c, K_);
  A.put(terms_.a_phi, T(1), e.phi_q());
  A.put(terms_.a_friction, T(-1), e.Q_lambda());
  A.put(terms_.a_z, -c, e.Q_z());
  A.put(terms_.phi, T(1), e.phi_q());
  A.put(terms_.nu_v, T(1), e.phi_q());
  A.put(terms_.nu_theta, c, phi_q_v_q_);
  A.put(terms_.z_identity, T(1));
  A.put(terms_.z_z, -c, e.z_z());
  A.put(terms_.z_theta, -c * c, e.z_q());
  A.put(terms_.z_v, -c, e.z_v());
  A.put(terms_.z_lambda, T(-1), e.z_lambda());
}

template <class T> bool DaeNewton::factor_as(Part<T>& p, T c) {
  fill(p.factor, c);
  if (p.chosen) return p.factor.factor(false);
  p.t = t_;
  p.re = std::real(c);
  p.im = std::imag(c);
  p.y = y_;
  p.unit = q_;
  p.multipliers = multipliers_;
  p.chosen = p.factor.factor(true);
  return p.chosen;
}

bool DaeNewton::factor(int k, std::complex<double> c) {
  Factor& f = factors_[dae_index(k)];
  f.c = c;
  return c.imag() == 0 ? factor_as(*f.real, c.real()) : factor_as(*f.complex, c);
}

template <class T> void DaeNewton::serialize_pivots(Archive& archive, Part<T>& p) {
  archive.io(p.chosen);
  for (double* x : {&p.t, &p.re, &p.im}) archive.io(*x);
  for (std::vector<double>* x : {&p.y, &p.unit, &p.multipliers}) archive.io(*x);
  if (!archive.loading() || !archive.good() || !p.chosen) return;
  p.chosen = false;
  const std::vector<double> unit = p.unit, y = p.y, multipliers = p.multipliers;
  linearise(p.t, unit, y, multipliers);
  T c;
  if constexpr (std::is_same_v<T, double>)
    c = p.re;
  else
    c = {p.re, p.im};
  if (!factor_as(p, c)) archive.fail();
}

void DaeNewton::serialize(Archive& archive) {
  for (Factor& f : factors_) {
    serialize_pivots(archive, *f.real);
    serialize_pivots(archive, *f.complex);
  }
}

void DaeNewton::solve(int k, View re, View im) {
  Factor& f = factors_[dae_index(k)];
  if (f.c.imag() == 0)
    solve_as(*f.real, f.c.real(), re, im);
  else
    solve_as(*f.complex, f.c, re, im);
}

namespace {

double dae_number(double re, const double*, double) {
  return re;
}

std::complex<double> dae_number(double re, const double* im, std::complex<double>) {
  return {re, *im};
}

double dae_imaginary(double) {
  return 0;
}

double dae_imaginary(const std::complex<double>& x) {
  return x.imag();
}

}  // namespace

template <class T> void DaeNewton::solve_as(Part<T>& p, T c, View re, View im) {
  const bool third = kind_.accelerations, both = !im.empty();
  // What no tangent increment makes stays in the first entries of re and im.
  const auto take_tangent = [&](View b, std::vector<double>& out) {
    equations_.tangent(q_, b.first(at_.q), out);
    equations_.rate(q_, out, rate_);
    for (std::size_t k = 0; k < at_.q; ++k) b[k] -= rate_[k];
  };
  take_tangent(re, tangent_re_);
  if (both) take_tangent(im, tangent_im_);
  T* b = p.b.data();
  for (std::size_t k = at_.at_v; k < at_.size; ++k)
    b[k] = dae_number(re[k], both ? &im[k] : nullptr, T());

  BlockFactor<T>& A = p.factor;
  for (std::size_t k = 0; k < at_.v; ++k)
    A.x(theta)[k] = dae_number(tangent_re_[k], both ? &tangent_im_[k] : nullptr, T()) / c;
  T* motion = A.x(third ? acceleration : speed);
  if (third) std::copy_n(b + at_.at_v, at_.v, A.x(speed));
  std::copy_n(b + at_.at_a, at_.v, motion);
  if (!third) add_product(equations_.M(), T(1), b + at_.at_v, motion);
  const std::vector<char>& active = equations_.active();
  for (std::size_t r = 0; r < at_.lambda; ++r) {
    const bool kept = active[r] != 0;
    A.x(mu)[r] = on_positions_[r] != 0 ? -b[at_.at_mu + r] / (c * c) : T(0);
    if (third) {
      A.x(lambda)[r] = kept ? -b[at_.at_lambda + r] : T(0);
      A.x(eta)[r] = kept ? -b[at_.at_eta + r] / c : T(0);
    } else {
      A.x(lambda)[r] = kept ? -b[at_.at_lambda + r] / c : T(0);
    }
  }
  std::copy_n(b + at_.at_z, at_.z, A.x(state));
  A.solve();

  const auto give = [&](std::size_t k, const T& value) {
    re[k] = std::real(value);
    if (both) im[k] = dae_imaginary(value);
  };
  for (std::size_t k = 0; k < at_.v; ++k) {
    const T moved = c * A.x(theta)[k], v = A.x(speed)[k];
    tangent_re_[k] = std::real(moved);
    tangent_im_[k] = dae_imaginary(moved);
    give(at_.at_v + k, v);
    give(at_.at_a + k, third ? A.x(acceleration)[k] / c : (v - b[at_.at_v + k]) / c);
  }
  for (std::size_t r = 0; r < at_.lambda; ++r) {
    give(at_.at_lambda + r, kind_.split ? T(0) : A.x(lambda)[r] / c);
    give(at_.at_mu + r, kind_.carried ? A.x(mu)[r] : T(0));
    if (third) give(at_.at_eta + r, kind_.carried ? A.x(eta)[r] / c : T(0));
  }
  for (std::size_t k = 0; k < at_.z; ++k) give(at_.at_z + k, A.x(state)[k]);
  const auto add_tangent = [&](View out, const std::vector<double>& d) {
    equations_.rate(q_, d, rate_);
    for (std::size_t k = 0; k < at_.q; ++k) out[k] += rate_[k];
  };
  const auto add_off = [&](View out, double factor, const std::vector<double>& d) {
    equations_.off_tangent(q_, u_, d, off_);
    for (std::size_t k = 0; k < at_.q; ++k) out[k] += factor * off_[k];
  };
  add_tangent(re, tangent_re_);
  add_off(re, std::real(c), tangent_re_);
  if (!both) return;
  add_tangent(im, tangent_im_);
  add_off(im, std::real(c), tangent_im_);
  add_off(re, -dae_imaginary(c), tangent_im_);
  add_off(im, dae_imaginary(c), tangent_re_);
}

Eigen::SparseMatrix<double> DaeNewton::matrix(int k) const {
  const std::vector<double>& values = factors_[dae_index(k)].real->factor.values();
  const Eigen::Map<const Eigen::SparseMatrix<double>> A(matrix_->size(),
                                                        matrix_->size(),
                                                        matrix_->entries(),
                                                        matrix_->columns().data(),
                                                        matrix_->rows().data(),
                                                        values.data());
  return A;
}

}  // namespace cardan
