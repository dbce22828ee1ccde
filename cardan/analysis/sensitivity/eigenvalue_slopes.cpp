#include "cardan/analysis/sensitivity/eigenvalue_slopes.h"

#include <array>
#include <cmath>
#include <limits>

#include "cardan/math/dense.h"

namespace cardan {

namespace {

using Complex = std::complex<double>;

constexpr double coincide = 1e-7;    // eigenvalues, relative to the largest
constexpr double defective = 1e-10;  // w^H z, of unit vectors

constexpr Complex no_slope{std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::quiet_NaN()};

// w^H of an eigenvalue that stands alone, with w^H z = 1.
Eigen::RowVectorXcd left_vector(const Eigen::MatrixXd& A, Complex mu, const Eigen::VectorXcd& z) {
  const Eigen::Index n = A.rows();
  const double size = std::max(1e-300, A.cwiseAbs().maxCoeff());
  Eigen::MatrixXcd B = Eigen::MatrixXcd::Zero(n + 1, n + 1);
  B.topLeftCorner(n, n) = A.cast<Complex>() - mu * Eigen::MatrixXcd::Identity(n, n);
  B.topRightCorner(n, 1) = size * z;
  B.bottomLeftCorner(1, n) = size * z.adjoint();
  Eigen::VectorXcd one = Eigen::VectorXcd::Zero(n + 1);
  one[n] = size;
  const Eigen::MatrixXcd transposed = B.adjoint();
  return Eigen::FullPivLU<Eigen::MatrixXcd>(transposed).solve(one).head(n).adjoint();
}

}  // namespace

// A(p + k h, x) with x fixed, then A(p, x (+) k epsilon x_p). All weights sum to zero: differences from
// A itself are summed, so that what does not change leaves no round-off.
Result<Eigen::MatrixXd> matrix_slope(const System& system,
                                     const std::vector<char>& active,
                                     const State& state,
                                     const ParameterStep& step,
                                     const StateSlope& slope,
                                     const LinearSystem& linear) {
  LinearSetting same;
  same.like = &linear;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(linear.A.rows(), linear.A.cols());
  for (std::size_t k = 0; k < step.systems.size(); ++k) {
    const auto varied = linear_system(*step.systems[k], active, state, {}, same);
    if (!varied) return varied.why();
    sum += step.weights[k] * (varied.value().A - linear.A);
  }
  static constexpr std::array<double, 4> offsets{-2, -1, 1, 2};
  static constexpr std::array<double, 4> weights{1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  const double epsilon = small_move(system, state, slope);
  State moved;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    move_along(system, state, slope, offsets[k] * epsilon, moved);
    const auto there = linear_system(system, active, moved, {}, same);
    if (!there) return there.why();
    sum += weights[k] / epsilon * (there.value().A - linear.A);
  }
  return sum;
}

std::vector<Complex> eigenvalue_slopes(const EigenPairs& pairs,
                                       const Eigen::MatrixXd& A,
                                       const Eigen::MatrixXd& A_p) {
  const Eigen::Index n = pairs.values.size();
  std::vector<Complex> slopes(static_cast<std::size_t>(n), no_slope);
  if (n == 0) return slopes;
  const Eigen::MatrixXcd left = Eigen::FullPivLU<Eigen::MatrixXcd>(pairs.vectors).inverse();
  const Eigen::MatrixXcd B = left * (A_p * pairs.vectors);  // w^H A_p z with w^H z = 1
  const double largest = pairs.values.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < n; ++k) {
    std::vector<Eigen::Index> same;
    for (Eigen::Index j = 0; j < n; ++j)
      if (std::abs(pairs.values[j] - pairs.values[k]) <= coincide * largest) same.push_back(j);
    Complex& slope = slopes[static_cast<std::size_t>(k)];
    const Eigen::VectorXcd z = pairs.vectors.col(k);
    if (same.size() == 1) {
      const Eigen::RowVectorXcd w = left_vector(A, pairs.values[k], z);
      if (w.norm() * z.norm() * defective < 1) slope = w * (A_p * z);
    }
    if (same.size() != 2 || !(left.row(k).norm() * z.norm() * defective < 1)) continue;
    const Eigen::Index i = same[0], j = same[1];
    const Complex mean = (B(i, i) + B(j, j)) / 2.0, half = (B(i, i) - B(j, j)) / 2.0;
    const Complex root = std::sqrt(half * half + B(i, j) * B(j, i));
    slope = k == i ? mean + root : mean - root;
  }
  return slopes;
}

}  // namespace cardan
