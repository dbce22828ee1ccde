#include "cardan/ode/implicit/implicit_amplification.h"

#include <limits>
#include <vector>

#include "cardan/math/dense.h"
#include "cardan/math/eigenvalues.h"
#include "cardan/ode/implicit/rosenbrock.h"

namespace cardan {

using Complex = std::complex<double>;

double amplification(const ImplicitTableau& t, Complex z) {
  const Eigen::Index s = t.A.rows();
  const Eigen::MatrixXcd W = Eigen::MatrixXcd::Identity(s, s) - z * t.A.cast<Complex>();
  const Eigen::VectorXcd stages = W.partialPivLu().solve(Eigen::VectorXcd::Ones(s));
  return std::abs(1.0 + z * t.b.cast<Complex>().cwiseProduct(stages).sum());
}

double amplification(const DiagonalTableau& t, Complex z) {
  Complex Y[DiagonalTableau::most];
  for (int i = 0; i < t.stages; ++i) {
    Y[i] = 1;
    for (int j = 0; j < i; ++j) Y[i] += z * t.a[i][j] * Y[j];
    if (i > 0 || !t.explicit_first) Y[i] /= 1.0 - z * t.gamma;
  }
  return std::abs(Y[t.stages - 1]);
}

double amplification_rosenbrock(Complex z) {
  const RosenbrockTableau& t = rodasp_tableau;
  Complex u[RosenbrockTableau::stages], end = 1;
  for (int i = 0; i < RosenbrockTableau::stages; ++i) {
    Complex y = 1, known = 0;
    for (int j = 0; j < i; ++j) {
      y += t.a[i][j] * u[j];
      known += t.c[i][j] * u[j];
    }
    u[i] = t.gamma * (z * y + known) / (1.0 - t.gamma * z);
    end += t.m[i] * u[i];
  }
  return std::abs(end);
}

double amplification_bdf(int k, double kappa, Complex z) {
  // sum_m (1/m) (1 - 1/x)^m - kappa gamma_k (1 - 1/x)^(k+1) = z, times x^k or x^(k+1)
  const int degree = kappa == 0 ? k : k + 1;
  std::vector<Complex> c(static_cast<std::size_t>(degree) + 1, 0);
  double gamma = 0;
  const auto add = [&](int m, double weight) {  // weight (1 - 1/x)^m x^degree
    double binomial = 1;
    for (int j = 0; j <= m; ++j) {
      c[static_cast<std::size_t>(degree - j)] += weight * binomial * (j % 2 == 0 ? 1.0 : -1.0);
      binomial = binomial * (m - j) / (j + 1);
    }
  };
  for (int m = 1; m <= k; ++m) {
    add(m, 1.0 / m);
    gamma += 1.0 / m;
  }
  if (kappa != 0) add(k + 1, -kappa * gamma);
  c.back() -= z;
  return largest_root(c);
}

double largest_root(std::span<const Complex> c) {
  const auto n = static_cast<Eigen::Index>(c.size()) - 1;
  if (n < 1) return 0;
  const Complex leading = c[c.size() - 1];
  if (leading == 0.0) return std::numeric_limits<double>::infinity();
  Eigen::MatrixXcd companion = Eigen::MatrixXcd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    companion(j, n - 1) = -c[static_cast<std::size_t>(j)] / leading;
    if (j > 0) companion(j, j - 1) = 1;
  }
  return spectral_radius(companion);
}

}  // namespace cardan
