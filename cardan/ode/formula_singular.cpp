// Formulas M(t, y) d = r(t, y) with a singular M whose rows depend on each other in a way that stays,
//   N^T M = 0,   N the same at all times.
// N^T r = 0 are equations without derivatives; together with those written as 0 = ... they are 0 = g(t, y).
// Their derivatives along the motion take the place of the rows that are missing,
//   [ B^T M ] d = [ B^T r         ]
//   [ g_y   ]     [ -g_t - g_x x' ],       B: the other combinations of rows,
// with g_y by the components whose rates are d and x the positions of variables of second order. Of index
// 1 is what makes this matrix regular. g = 0 holds from the start on, and is restored after every step by
//   [ B^T M; g_y ] dy = [ 0; -g ],
// which leaves alone what M y carries on.
// References: Hairer & Wanner, Solving ODEs II, VI.1 and VII.2; Shampine, Reichelt & Kierzenka, SIAM
// Rev. 41 (1999), on index-1 equations with singular mass matrices.
#include <cmath>

#include <Eigen/SVD>

#include "cardan/ode/formula_coupled.h"

namespace cardan {

namespace {

constexpr double no_mass = 1e-12;       // singular value of a mass matrix, of its largest
constexpr double still_no_mass = 1e-9;  // N^T M later, of M
constexpr double aside = 1e-3;          // where M is looked at besides the start, relative
constexpr int most_passes_to_g = 30;
constexpr double least_change = 1e-14;  // relative: the last correction
constexpr double open_equation = 1e-9;  // g, of its terms

}  // namespace

std::optional<Diagnostic> FormulaSystem::Coupled::split_rows(double t, CView y) {
  N_.resize(mass_.rows(), 0);
  if (mass_.rows() == 0) return {};
  Eigen::VectorXd size = mass_.rowwise().lpNorm<Eigen::Infinity>();
  for (double& s : size) s = s > 0 ? 1 / s : 1;
  const Eigen::MatrixXd scaled = size.asDiagonal() * mass_;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeFullU);
  const Eigen::VectorXd& s = svd.singularValues();
  const Eigen::Index rank = (s.array() > no_mass * std::max(s[0], 1e-300)).count();
  if (rank == mass_.rows()) return {};
  B_ = size.asDiagonal() * svd.matrixU().leftCols(rank);
  N_ = size.asDiagonal() * svd.matrixU().rightCols(mass_.rows() - rank);
  moving_ = derivatives_;
  moving_.insert(moving_.end(), unknowns_.begin(), unknowns_.end());
  const Eigen::Index all = static_cast<Eigen::Index>(moving_.size()),
                     columns = static_cast<Eigen::Index>(y.size() + 1);
  slopes_.resize(mass_.rows(), columns);
  g_slopes_.resize(all - rank, columns);
  g_.resize(all - rank);
  reduced_.resize(all, all);
  reduced_right_.resize(all);
  std::vector<double> near(y.begin(), y.end());
  for (std::size_t k = 0; k < near.size(); ++k)
    near[k] += aside * (1 + std::abs(near[k])) * (k % 2 == 0 ? 1 : -0.7);
  if (!rows_at(t + aside * (1 + std::abs(t)), near) || stays_split()) return {};
  Diagnostic d;
  d.id = "numeric.singular";
  d.found = "a mass matrix that is singular at the start, and another one nearby";
  d.expected = "one that is regular, or singular in the same way throughout";
  d.hint = "start beside the point where a factor vanishes";
  return d;
}

bool FormulaSystem::Coupled::stays_split() const {
  const Eigen::MatrixXd left = N_.transpose() * mass_;
  const Eigen::MatrixXd terms = N_.transpose().cwiseAbs() * mass_.cwiseAbs();
  return left.cwiseAbs().maxCoeff() <= still_no_mass * std::max(terms.maxCoeff(), 1e-300);
}

// reduced_, g_ and g_slopes_ here.
bool FormulaSystem::Coupled::linearise(double t, CView y) {
  if (!rows_at(t, y) || !stays_split()) return false;
  const std::size_t n = y.size();
  const CView here(x_.data(), n + 1);
  std::vector<double>& gradient = gradient_;
  const Eigen::Index free = N_.cols();
  Eigen::Index line = 0, written = free;
  for (const Row& row : rows) {
    if (row.algebraic) {
      g_[written] = row.right_side.value(here);
      (void)row.right_side.gradient(here, gradient);
      for (std::size_t k = 0; k <= n; ++k)
        g_slopes_(written, static_cast<Eigen::Index>(k)) = gradient[k];
      ++written;
      continue;
    }
    (void)row.left_side.gradient(x_, gradient);
    for (std::size_t k = 0; k <= n; ++k) slopes_(line, static_cast<Eigen::Index>(k)) = -gradient[k];
    (void)row.right_side.gradient(here, gradient);
    for (std::size_t k = 0; k <= n; ++k) slopes_(line, static_cast<Eigen::Index>(k)) += gradient[k];
    ++line;
  }
  g_.head(free) = N_.transpose() * right_;
  g_slopes_.topRows(free) = N_.transpose() * slopes_;
  const Eigen::Index rank = B_.cols();
  reduced_.setZero();
  reduced_.topLeftCorner(rank, mass_.cols()) = B_.transpose() * mass_;
  for (std::size_t k = 0; k < moving_.size(); ++k)
    reduced_.col(static_cast<Eigen::Index>(k)).tail(g_.size()) =
        g_slopes_.col(static_cast<Eigen::Index>(1 + moving_[k]));
  return reduced_.allFinite() && g_.allFinite();
}

Eval FormulaSystem::Coupled::reduced_f(double t, CView y, View dy) {
  if (!linearise(t, y)) return Eval::retry;
  reduced_right_.head(B_.cols()) = B_.transpose() * right_;
  Eigen::VectorXd rates = -g_slopes_.col(0);
  std::size_t rate = orders_.size();
  for (std::size_t k = 0; k < orders_.size(); ++k) {
    if (orders_[k] != 2) continue;
    dy[k] = y[rate++];
    rates -= dy[k] * g_slopes_.col(static_cast<Eigen::Index>(1 + k));
  }
  reduced_right_.tail(g_.size()) = rates;
  factors_.compute(reduced_);
  const Eigen::VectorXd d = factors_.solve(reduced_right_);
  for (std::size_t k = 0; k < moving_.size(); ++k) dy[moving_[k]] = d[static_cast<Eigen::Index>(k)];
  return d.allFinite() ? Eval::ok : Eval::retry;
}

Eval FormulaSystem::Coupled::correct(double t, View y) {
  for (int iteration = 0; iteration < most_passes_to_g; ++iteration) {
    if (!linearise(t, y)) return Eval::retry;
    reduced_right_.setZero();
    reduced_right_.tail(g_.size()) = -g_;
    const Eigen::VectorXd step = reduced_.fullPivLu().solve(reduced_right_);
    if (!step.allFinite()) return Eval::retry;
    double largest = 0;
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      const double change = step[static_cast<Eigen::Index>(k)];
      y[moving_[k]] += change;
      largest = std::max(largest, std::abs(change) / (1 + std::abs(y[moving_[k]])));
    }
    if (largest <= least_change) break;
  }
  if (!linearise(t, y)) return Eval::retry;
  for (Eigen::Index k = 0; k < g_.size(); ++k) {
    double terms = 1;
    for (std::size_t j = 0; j < y.size(); ++j)
      terms = std::max(terms, std::abs(g_slopes_(k, static_cast<Eigen::Index>(1 + j)) * y[j]));
    if (!(std::abs(g_[k]) <= open_equation * terms)) return Eval::retry;
  }
  return Eval::ok;
}

Eval FormulaSystem::Coupled::project(double t, View y) {
  return correct(t, y);
}

}  // namespace cardan
