#include "cardan/formulation/explicit/reduced_slopes.h"

#include <algorithm>
#include <cmath>

namespace cardan {

namespace {

constexpr double small_angle = 1e-5;  // of differences of rotation vectors, rad

void add_product(const SparseMatrix& A, CView x, double c, View y) {
  for (int k = 0; k < A.outerSize(); ++k) {
    const double factor = c * x[static_cast<std::size_t>(k)];
    if (factor == 0) continue;
    for (SparseMatrix::InnerIterator i(A, k); i; ++i)
      y[static_cast<std::size_t>(i.row())] += factor * i.value();
  }
}

void clear(std::vector<double>& x) {
  std::fill(x.begin(), x.end(), 0.0);
}

}  // namespace

ReducedSlopes::ReducedSlopes(const System& system, const std::vector<char>& active)
    : system_(system),
      at_(system, active),
      bend_(at_.phi_q()),
      theta_(static_cast<std::size_t>(system.v_size())),
      dlambda_(static_cast<std::size_t>(system.equations().rows())),
      q_(static_cast<std::size_t>(system.q_size())) {
  dv_ = da_ = force_ = zero_ = x_ = v_ = a_ = theta_;
  rows_ = dlambda_;
}

void ReducedSlopes::find(const At& at, GroupSolver& groups, const Workspace& work, View f_y) {
  at_.evaluate(at.t, at.q, at.v, at.a, at.lambda, work);
  at_.phi_q_v_q(at.v, bend_);
  const std::size_t n = groups.inputs().size(), states = system_.states().size(),
                    size = 2 * n + states;
  plus_.resize(n);
  minus_.resize(n);
  std::fill(f_y.begin(), f_y.end(), 0.0);
  const auto column = [&](std::size_t j) {
    return f_y.subspan(j * size, size);
  };
  const auto along_input = [&](std::size_t j, std::vector<double>& out) {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = groups.column(static_cast<int>(k), static_cast<int>(j));
  };
  for (std::size_t j = 0; j < n; ++j) {
    along_input(j, theta_);
    move_velocities(at, groups);
    clear(force_);
    accelerate(groups);
    give(at, groups, column(j));

    clear(theta_);
    along_input(j, dv_);
    clear(force_);
    accelerate(groups);
    column(n + j)[j] = 1;
    give(at, groups, column(n + j));
  }
  for (std::size_t k = 0; k < states; ++k) {
    clear(theta_);
    clear(dv_);
    clear(force_);
    const auto c = static_cast<int>(k);
    for (SparseMatrix::InnerIterator i(at_.Q_z(), c); i; ++i)
      force_[static_cast<std::size_t>(i.row())] = i.value();
    accelerate(groups);
    give(at, groups, column(2 * n + k));
    for (SparseMatrix::InnerIterator i(at_.z_z(), c); i; ++i)
      column(2 * n + k)[2 * n + static_cast<std::size_t>(i.row())] += i.value();
  }
}

// Any dv that meets the velocity equations, then the one whose inputs keep their rates.
void ReducedSlopes::move_velocities(const At& at, GroupSolver& groups) {
  clear(rows_);
  add_product(bend_, theta_, -1, rows_);
  groups.solve(zero_, rows_, dv_, dlambda_);
  const std::vector<int>& inputs = groups.inputs();
  groups.rates(at.q, dv_, plus_);
  std::vector<double>& missing = plus_;
  for (double& x : missing) x = -x;
  if (system_.space() == Space::spatial) {
    double turn = 0;
    for (const int k : inputs) {
      const int body = system_.layout().place_of_v(k).body;
      turn = std::max(turn, system_.layout().rotation(CView(theta_), body).norm());
    }
    const double h = turn > 0 ? small_angle / turn : 0;
    for (const double sign : {1.0, -1.0}) {
      if (h == 0) break;
      for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = sign * h * theta_[k];
      system_.advance(at.q, x_, q_);
      groups.rates(q_, at.v, minus_);
      for (std::size_t j = 0; j < inputs.size(); ++j) missing[j] -= sign * minus_[j] / (2 * h);
    }
  }
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (missing[j] == 0) continue;
    for (std::size_t k = 0; k < dv_.size(); ++k)
      dv_[k] += missing[j] * groups.column(static_cast<int>(k), static_cast<int>(j));
  }
}

void ReducedSlopes::accelerate(GroupSolver& groups) {
  add_product(at_.Q_q(), theta_, 1, force_);
  add_product(at_.phi_qT_lambda_q(), theta_, -1, force_);
  add_product(at_.Q_v(), dv_, 1, force_);
  clear(rows_);
  add_product(at_.gamma_q(), theta_, 1, rows_);
  add_product(at_.phi_q_a_q(), theta_, -1, rows_);
  add_product(at_.gamma_v(), dv_, 1, rows_);
  groups.solve(force_, rows_, da_, dlambda_);
}

// p'' is linear in a, and quadratic in v: central differences lose nothing there.
void ReducedSlopes::give(const At& at, GroupSolver& groups, View column) {
  const std::vector<int>& inputs = groups.inputs();
  const std::size_t n = inputs.size();
  const View bends = column.subspan(n, n), rates = column.subspan(2 * n);
  if (system_.space() == Space::planar) {
    for (std::size_t j = 0; j < n; ++j) bends[j] = da_[static_cast<std::size_t>(inputs[j])];
  } else {
    double move = 0;  // of the inputs' bodies, for a step of one
    for (const int k : inputs) {
      const int body = system_.layout().place_of_v(k).body;
      const double speed = 1 + system_.layout().rotation(at.v, body).norm();
      move = std::max({move,
                       system_.layout().rotation(CView(theta_), body).norm(),
                       system_.layout().rotation(CView(dv_), body).norm() / speed});
    }
    const double h = move > 0 ? small_angle / move : 1;
    std::vector<double>* const sides[] = {&plus_, &minus_};
    for (std::size_t side = 0; side < 2; ++side) {
      const double s = side == 0 ? h : -h;
      for (std::size_t k = 0; k < x_.size(); ++k) {
        x_[k] = s * theta_[k];
        v_[k] = at.v[k] + s * dv_[k];
        a_[k] = at.a[k] + s * da_[k];
      }
      system_.advance(at.q, x_, q_);
      groups.accelerations(q_, v_, a_, *sides[side]);
    }
    for (std::size_t j = 0; j < n; ++j) bends[j] = (plus_[j] - minus_[j]) / (2 * h);
  }
  add_product(at_.z_q(), theta_, 1, rates);
  add_product(at_.z_v(), dv_, 1, rates);
  add_product(at_.z_lambda(), dlambda_, 1, rates);
}

}  // namespace cardan
