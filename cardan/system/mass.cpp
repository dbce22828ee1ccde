#include "cardan/system/mass.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/dense.h"

namespace cardan {

void MassMatrix::append(const Eigen::MatrixXd& block) {
  dense_.insert(dense_.end(), block.data(), block.data() + block.size());
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(n_v_, n_v_);
  const Eigen::LLT<Eigen::MatrixXd> factor(block);
  if (factor.info() == Eigen::Success && block.diagonal().minCoeff() > 0)
    inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(n_v_, n_v_));
  else
    regular_ = false;
  inverse_.insert(inverse_.end(), inverse.data(), inverse.data() + inverse.size());
}

void MassMatrix::add_planar(double mass, double inertia) {
  append(Eigen::Vector3d(mass, mass, inertia).asDiagonal().toDenseMatrix());
  planar_inverse_.insert(planar_inverse_.end(), {1 / mass, 1 / mass, 1 / inertia});
}

void MassMatrix::add_spatial(double mass, const Mat<3, 3>& inertia) {
  Eigen::MatrixXd block = Eigen::MatrixXd::Zero(6, 6);
  block.topLeftCorner<3, 3>() = mass * Mat<3, 3>::Identity();
  block.bottomRightCorner<3, 3>() = inertia;
  append(block);
}

void MassMatrix::add_diagonal(CView entries) {
  append(as_vector(entries).asDiagonal().toDenseMatrix());
  for (const double x : entries) planar_inverse_.push_back(1 / x);
  diagonal_ = true;
}

void MassMatrix::multiply(CView v, View out) const {
  const int bodies = size() / n_v_;
  for (int b = 0; b < bodies; ++b)
    for (int r = 0; r < n_v_; ++r) {
      double sum = 0;
      for (int c = 0; c < n_v_; ++c) sum += at(b, r, c) * v[static_cast<std::size_t>(b * n_v_ + c)];
      out[static_cast<std::size_t>(b * n_v_ + r)] = sum;
    }
}

double MassMatrix::energy(CView v) const {
  const int bodies = size() / n_v_;
  double sum = 0;
  for (int b = 0; b < bodies; ++b)
    for (int r = 0; r < n_v_; ++r)
      for (int c = 0; c < n_v_; ++c)
        sum += v[static_cast<std::size_t>(b * n_v_ + r)] * at(b, r, c) *
               v[static_cast<std::size_t>(b * n_v_ + c)];
  return sum / 2;
}

void MassMatrix::solve(View x) const {
  if (n_v_ == 3 || diagonal_) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] *= planar_inverse_[k];
    return;
  }
  const int bodies = size() / n_v_;
  double w[6];
  for (int b = 0; b < bodies; ++b) {
    const double* L =
        inverse_.data() + static_cast<std::ptrdiff_t>(b) * n_v_ * n_v_;  // C^-1, lower triangle
    double* xb = x.data() + static_cast<std::ptrdiff_t>(b) * n_v_;
    for (int r = 0; r < n_v_; ++r) {
      w[r] = 0;
      for (int c = 0; c <= r; ++c) w[r] += L[c * n_v_ + r] * xb[c];
    }
    for (int c = 0; c < n_v_; ++c) {
      xb[c] = 0;
      for (int r = c; r < n_v_; ++r) xb[c] += L[c * n_v_ + r] * w[r];
    }
  }
}

void MassMatrix::weigh(int body, int rows, const double* block, double* out) const {
  const double* L = inverse_.data() + static_cast<std::ptrdiff_t>(body) * n_v_ * n_v_;
  if (n_v_ == 3) {  // diagonal
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < rows; ++r) out[c * rows + r] = block[c * rows + r] * L[c * 3 + c];
    return;
  }
  if (diagonal_) {
    for (int c = 0; c < n_v_; ++c)
      for (int r = 0; r < rows; ++r) out[c * rows + r] = block[c * rows + r] * L[c * n_v_ + c];
    return;
  }
  for (int c = 0; c < n_v_; ++c)
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int k = 0; k <= c; ++k) sum += block[k * rows + r] * L[k * n_v_ + c];
      out[c * rows + r] = sum;
    }
}

double MassMatrix::worst_ratio(double length) const {
  const int bodies = size() / n_v_;
  double worst = 0;
  for (int b = 0; b < bodies; ++b)
    for (int k = n_v_ == 3 ? 2 : 3; k < n_v_; ++k)
      worst = std::max(worst, at(b, 0, 0) * length * length / at(b, k, k));
  return worst;
}

}  // namespace cardan
