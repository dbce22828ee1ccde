#include "cardan/analysis/equilibrium/influence.h"

#include <algorithm>
#include <cmath>

#include "cardan/formulation/explicit/partition.h"

namespace cardan {

namespace {

constexpr double largest_coefficient = 20;  // beyond it, other coordinates are chosen
constexpr int closing_iterations = 20;

Eigen::MatrixXd columns_of(const Eigen::MatrixXd& J, const std::vector<int>& which) {
  Eigen::MatrixXd out(J.rows(), static_cast<Eigen::Index>(which.size()));
  for (std::size_t k = 0; k < which.size(); ++k)
    out.col(static_cast<Eigen::Index>(k)) = J.col(which[k]);
  return out;
}

}  // namespace

void Influence::split(const Matrix& J) {
  const auto n = static_cast<int>(J.cols());
  dependent_.clear();
  for (int k = 0; k < n; ++k)
    if (!std::binary_search(independent_.begin(), independent_.end(), k)) dependent_.push_back(k);
  Z_ = Matrix::Zero(n, static_cast<Eigen::Index>(independent_.size()));
  for (std::size_t k = 0; k < independent_.size(); ++k)
    Z_(independent_[k], static_cast<Eigen::Index>(k)) = 1;
  if (dependent_.empty()) return;
  J_u_.compute(columns_of(J, dependent_));
  const Matrix coefficients = -J_u_.solve(columns_of(J, independent_));
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    Z_.row(dependent_[k]) = coefficients.row(static_cast<Eigen::Index>(k));
}

bool Influence::set(const ForceBalance& at) {
  const Matrix J = at.jacobian();
  if (static_cast<int>(independent_.size()) == at.freedoms() && Z_.rows() == J.cols()) {
    split(J);
    if (Z_.allFinite() && (Z_.size() == 0 || Z_.cwiseAbs().maxCoeff() <= largest_coefficient))
      return false;
  }
  independent_ = independent_coordinates(J);
  split(J);
  return true;
}

void Influence::follow(const ForceBalance& at) {
  split(at.jacobian());
}

Influence::Vector Influence::multipliers(const ForceBalance& at) const {
  Vector b_u(static_cast<Eigen::Index>(dependent_.size()));
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    b_u[static_cast<Eigen::Index>(k)] = -at.b()[dependent_[k]];
  return dependent_.empty() ? b_u : Vector(J_u_.transpose().solve(b_u));
}

bool Influence::move(
    ForceBalance& at, CView q, const Vector& p, std::vector<double>& to, Vector& y) const {
  y = Z_ * p;
  Eigen::PartialPivLU<Matrix> J_u = J_u_;
  double before = 0;
  for (int it = 0; it < closing_iterations; ++it) {
    to = at.moved(q, y);
    at.evaluate(to);
    const double gap = at.equations() > 0 ? at.phi().cwiseAbs().maxCoeff() : 0;
    if (!std::isfinite(gap) || !at.b().allFinite()) return false;
    if (gap <= at.small_gap(to)) return true;
    if (it > 4 && gap > before / 2) return gap <= 100 * at.small_gap(to);
    before = gap;
    J_u.compute(columns_of(at.jacobian(), dependent_));
    const Vector change = J_u.solve(at.phi());
    if (!change.allFinite() || change.cwiseAbs().maxCoeff() > at.length()) return false;
    for (std::size_t k = 0; k < dependent_.size(); ++k)
      y[dependent_[k]] -= change[static_cast<Eigen::Index>(k)];
  }
  return false;
}

}  // namespace cardan
