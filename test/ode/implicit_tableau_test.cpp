// Coefficients of the implicit methods: simplifying and order conditions to round-off, closed
// forms.
#include "cardan/ode/implicit/implicit_tableau.h"

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "cardan/ode/bdf/bdf.h"
#include "cardan/ode/bdf/bdf_fixed.h"
#include "cardan/ode/implicit/gauss.h"
#include "cardan/ode/implicit/rosenbrock.h"
#include "cardan/ode/implicit/sdirk_tableaux.h"
#include "cardan/ode/second_order/generalized_alpha.h"

namespace cardan {
namespace {

constexpr double round_off = 1e-15;

using Eigen::ArrayXd, Eigen::MatrixXd, Eigen::VectorXd;

VectorXd power(const VectorXd& c, int k) {
  return c.array().pow(k).matrix();
}

// B(p): sum b c^(k-1) = 1/k; C(q): sum_j a_ij c_j^(k-1) = c_i^k / k; D(r): sum_i b_i c_i^(k-1) a_ij
// = b_j (1 - c_j^k) / k. B(p), C(q), D(r) with p <= 2 q + 2, p <= q + r + 1 give order p (Butcher).
void expect_collocation(const ImplicitTableau& t, int p, int q, int r) {
  for (int k = 1; k <= p; ++k) EXPECT_NEAR(t.b.dot(power(t.c, k - 1)), 1.0 / k, round_off);
  for (int k = 1; k <= q; ++k) {
    const VectorXd error = t.A * power(t.c, k - 1) - power(t.c, k) / k;
    EXPECT_LT(error.cwiseAbs().maxCoeff(), round_off) << "C(" << k << ")";
  }
  for (int k = 1; k <= r; ++k) {
    const VectorXd error = t.A.transpose() * t.b.cwiseProduct(power(t.c, k - 1)) -
                           (t.b.array() * (1 - power(t.c, k).array()) / k).matrix();
    EXPECT_LT(error.cwiseAbs().maxCoeff(), round_off) << "D(" << k << ")";
  }
}

TEST(ImplicitTableau, GaussHasOrderTwoS) {
  for (int s = 1; s <= 5; ++s) expect_collocation(gauss_tableau(s), 2 * s, s, s);
  const double root3 = std::sqrt(3.0), root15 = std::sqrt(15.0);
  EXPECT_NEAR(gauss_tableau(2).c[0], 0.5 - root3 / 6, round_off);
  EXPECT_NEAR(gauss_tableau(2).A(0, 1), 0.25 - root3 / 6, round_off);
  EXPECT_NEAR(gauss_tableau(3).A(2, 0), 5.0 / 36 + root15 / 30, round_off);
}

TEST(ImplicitTableau, RadauHasOrderTwoSMinusOne) {
  for (int s = 1; s <= 5; ++s) {
    const ImplicitTableau t = radau_tableau(s);
    expect_collocation(t, 2 * s - 1, s, s - 1);
    EXPECT_EQ(t.c[s - 1], 1);
    EXPECT_LT((t.A.row(s - 1).transpose() - t.b).cwiseAbs().maxCoeff(), round_off);
  }
  const double root6 = std::sqrt(6.0);
  const ImplicitTableau t = radau_tableau(3);
  EXPECT_NEAR(t.c[0], (4 - root6) / 10, round_off);
  EXPECT_NEAR(t.A(0, 0), (88 - 7 * root6) / 360, round_off);
  EXPECT_NEAR(t.A(0, 1), (296 - 169 * root6) / 1800, round_off);
  EXPECT_NEAR(t.A(1, 2), (-2 - 3 * root6) / 225, round_off);
}

TEST(ImplicitTableau, TransformSplitsTheStages) {
  for (const ImplicitTableau& t : {gauss_tableau(1),
                                   gauss_tableau(2),
                                   gauss_tableau(3),
                                   gauss_tableau(4),
                                   radau_tableau(2),
                                   radau_tableau(3),
                                   radau_tableau(4)}) {
    const StageTransform transform = transform_stages(t);
    MatrixXd lambda = MatrixXd::Zero(t.stages(), t.stages());
    for (const StageTransform::Block& b : transform.blocks) {
      lambda(b.first, b.first) = b.re;
      if (b.im == 0) continue;
      lambda(b.first + 1, b.first + 1) = b.re;
      lambda(b.first, b.first + 1) = -b.im;
      lambda(b.first + 1, b.first) = b.im;
    }
    const MatrixXd back = transform.T * lambda * transform.T_inverse * t.A;
    EXPECT_LT((back - MatrixXd::Identity(t.stages(), t.stages())).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((t.A.transpose() * transform.end - t.b).cwiseAbs().maxCoeff(), 1e-14);
  }
  // the real eigenvalue of Radau IIA 5 by Cardano's formula; the trace of A^-1 is 9
  const double real = 30 / (6 + std::cbrt(81.0) - std::cbrt(9.0));
  for (const StageTransform::Block& b : transform_stages(radau_tableau(3)).blocks) {
    EXPECT_NEAR(b.im == 0 ? b.re : 9 - 2 * b.re, real, 1e-13);
  }
}

// ---------------------------------------------------------------- diagonally implicit

struct Butcher {
  MatrixXd A;
  VectorXd b, c;
};

Butcher butcher(const DiagonalTableau& t) {
  Butcher out{MatrixXd::Zero(t.stages, t.stages), VectorXd(t.stages), VectorXd(t.stages)};
  for (int i = 0; i < t.stages; ++i) {
    for (int j = 0; j < i; ++j) out.A(i, j) = t.a[i][j];
    if (i > 0 || !t.explicit_first) out.A(i, i) = t.gamma;
    out.c[i] = t.c[i];
  }
  out.b = out.A.row(t.stages - 1).transpose();
  return out;
}

// Residuals of the eight conditions of order <= 4 for weights that reach theta.
std::vector<double> conditions(const Butcher& t, const VectorXd& b, double theta) {
  const VectorXd c2 = power(t.c, 2), c3 = power(t.c, 3), Ac = t.A * t.c;
  const double x2 = theta * theta, x3 = x2 * theta, x4 = x2 * x2;
  return {b.sum() - theta,
          b.dot(t.c) - x2 / 2,
          b.dot(c2) - x3 / 3,
          b.dot(Ac) - x3 / 6,
          b.dot(c3) - x4 / 4,
          b.dot(t.c.cwiseProduct(Ac)) - x4 / 8,
          b.dot(t.A * c2) - x4 / 12,
          b.dot(t.A * Ac) - x4 / 24};
}

constexpr int conditions_up_to[] = {0, 1, 2, 4, 8};  // how many of them an order needs

void expect_order(const Butcher& t, const VectorXd& b, int order, double theta = 1) {
  const std::vector<double> r = conditions(t, b, theta);
  const double scale = std::max(1.0, b.cwiseAbs().sum());
  for (int k = 0; k < conditions_up_to[order]; ++k) {
    EXPECT_NEAR(r[static_cast<std::size_t>(k)], 0, scale * round_off) << "condition " << k;
  }
  double beyond = 0;
  for (std::size_t k = static_cast<std::size_t>(conditions_up_to[order]); k < r.size(); ++k) {
    beyond = std::max(beyond, std::abs(r[k]));
  }
  if (order < 4) {
    EXPECT_GT(beyond, 1e-4) << "the order is higher than announced";
  }
}

TEST(ImplicitTableau, DiagonalMethodsHaveTheirOrder) {
  for (const DiagonalTableau* t : {&backward_euler_tableau,
                                   &trapezoidal_tableau,
                                   &sdirk2_tableau,
                                   &sdirk3_tableau,
                                   &sdirk4_tableau,
                                   &esdirk4_tableau}) {
    const Butcher full = butcher(*t);
    EXPECT_LT((full.A.rowwise().sum() - full.c).cwiseAbs().maxCoeff(), 4 * round_off) << t->name;
    expect_order(full, full.b, t->order);
  }
  const double g = sdirk3_tableau.gamma;
  EXPECT_NEAR(g * g * g - 3 * g * g + 1.5 * g - 1.0 / 6, 0, round_off);
}

TEST(ImplicitTableau, EsdirkHasStageOrderTwoErrorOrderThreeAndDenseOrderFour) {
  const DiagonalTableau& t = esdirk4_tableau;
  const Butcher full = butcher(t);
  EXPECT_LT((full.A * full.c - power(full.c, 2) / 2).cwiseAbs().maxCoeff(), round_off);
  VectorXd embedded = full.b;
  for (int i = 0; i < t.stages; ++i) embedded[i] -= t.e[i];
  expect_order(full, embedded, 3);
  for (const double theta : {0.1, 0.35, 0.5, 0.8, 1.0}) {
    VectorXd b = VectorXd::Zero(t.stages);
    for (int i = 0; i < t.stages; ++i) {
      for (int m = 0; m < 4; ++m) b[i] += t.dense[i][m] * std::pow(theta, m + 1);
    }
    expect_order(full, b, 4, theta);
    if (theta == 1) {
      EXPECT_LT((b - full.b).cwiseAbs().maxCoeff(), 4 * round_off);
    }
  }
  for (int i = 0; i < t.stages; ++i) {  // slopes at both ends are those of the first and last stage
    double at_end = 0;
    for (int m = 0; m < 4; ++m) at_end += (m + 1) * t.dense[i][m];
    EXPECT_NEAR(t.dense[i][0], i == 0 ? 1 : 0, round_off);
    EXPECT_NEAR(at_end, i == t.stages - 1 ? 1 : 0, 20 * round_off);
  }
}

// ---------------------------------------------------------------- Rosenbrock

TEST(ImplicitTableau, RosenbrockHasOrderFourAndThree) {
  constexpr int s = RosenbrockTableau::stages;
  const RosenbrockTableau& t = rodasp_tableau;
  // back from the form without products by f_y: Gamma^-1 = I / gamma - C, alpha = a Gamma
  MatrixXd gamma_inverse = MatrixXd::Identity(s, s) / t.gamma, a = MatrixXd::Zero(s, s);
  VectorXd m(s), m_embedded = VectorXd::Zero(s), p(s), q(s);
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < i; ++j) {
      gamma_inverse(i, j) -= t.c[i][j];
      a(i, j) = t.a[i][j];
    }
    m[i] = t.m[i];
    if (i < s - 1) m_embedded[i] = t.m[i];  // the error estimate is u_6
    p[i] = t.p[i];
    q[i] = t.q[i];
  }
  const MatrixXd gamma = gamma_inverse.inverse(), alpha = a * gamma, beta = alpha + gamma;
  const VectorXd one = VectorXd::Ones(s), alpha_sum = alpha * one, beta_sum = beta * one;
  for (int i = 0; i < s; ++i) {
    EXPECT_NEAR(alpha_sum[i], t.alpha[i], 5e-14);
    EXPECT_NEAR((gamma * one)[i], t.d[i], 5e-14);
  }
  const auto residuals = [&](const VectorXd& u, double x) {
    const VectorXd b = gamma.transpose() * u, a2 = power(alpha_sum, 2);
    return std::vector{b.sum() - x,
                       b.dot(beta_sum) - x * x / 2,
                       b.dot(a2) - x * x * x / 3,
                       b.dot(beta * beta_sum) - x * x * x / 6,
                       b.dot(power(alpha_sum, 3)) - std::pow(x, 4) / 4,
                       b.dot(alpha_sum.cwiseProduct(alpha * beta_sum)) - std::pow(x, 4) / 8,
                       b.dot(beta * a2) - std::pow(x, 4) / 12,
                       b.dot(beta * (beta * beta_sum)) - std::pow(x, 4) / 24};
  };
  const auto expect = [&](const VectorXd& u, double x, std::size_t count) {
    const std::vector<double> r = residuals(u, x);
    for (std::size_t k = 0; k < count; ++k) EXPECT_NEAR(r[k], 0, 5e-14) << k << " at " << x;
  };
  expect(m, 1, 8);
  expect(m_embedded, 1, 4);
  for (const double x : {0.2, 0.5, 0.9}) expect(x * (m + (1 - x) * (p + x * q)), x, 4);
}

// ---------------------------------------------------------------- multistep and second order

TEST(ImplicitTableau, BdfWeightsOfEqualSteps) {
  const std::vector<std::vector<double>> known = {
      {1, -1},
      {3. / 2, -2, 1. / 2},
      {11. / 6, -3, 3. / 2, -1. / 3},
      {25. / 12, -4, 3, -4. / 3, 1. / 4},
      {137. / 60, -5, 5, -10. / 3, 5. / 4, -1. / 5},
      {147. / 60, -6, 15. / 2, -20. / 3, 15. / 4, -6. / 5, 1. / 6}};
  for (const std::vector<double>& weights : known) {
    std::vector<double> nodes, found(weights.size());
    for (std::size_t j = 0; j < weights.size(); ++j) nodes.push_back(-static_cast<double>(j));
    derivative_weights(nodes, 0, found);
    for (std::size_t j = 0; j < weights.size(); ++j)
      EXPECT_NEAR(found[j], weights[j], 10 * round_off);
  }
}

TEST(ImplicitTableau, WeightsOfUnequalStepsDifferentiatePolynomials) {
  const std::vector<double> nodes{0, -1, -1.7, -3.1, -3.3};
  std::vector<double> slope(5), value(5);
  derivative_weights(nodes, 0.4, slope);
  lagrange_weights(nodes, 0.4, value);
  for (int k = 0; k <= 4; ++k) {
    double d = 0, v = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      d += slope[j] * std::pow(nodes[j], k);
      v += value[j] * std::pow(nodes[j], k);
    }
    EXPECT_NEAR(v, std::pow(0.4, k), 2e-13);
    EXPECT_NEAR(d, k == 0 ? 0 : k * std::pow(0.4, k - 1), 2e-13);
  }
}

TEST(ImplicitTableau, HermiteWeightsReproducePolynomials) {
  for (const int m : {2, 3, 4}) {
    double value[4], slope[4];
    for (const double x : {0.0, 0.3, 0.77, 1.0}) {
      hermite_weights(m, x, value, slope);
      for (int k = 0; k < 2 * m; ++k) {
        double sum = 0;
        for (int j = 0; j < m; ++j) {
          const double node = static_cast<double>(j) / (m - 1);
          sum += value[j] * std::pow(node, k) + (k == 0 ? 0 : slope[j] * k * std::pow(node, k - 1));
        }
        EXPECT_NEAR(sum, std::pow(x, k), 20 * round_off);
      }
    }
  }
}

TEST(ImplicitTableau, AlphaMethodsHaveOrderTwoAndTheirSpectralRadius) {
  for (const double alpha : {-1.0 / 3, -0.1, 0.0}) {
    const AlphaParameters par = hht_parameters(alpha);
    EXPECT_NEAR(par.gamma, 0.5 + par.alpha_f - par.alpha_m, round_off);
  }
  for (const double rho : {0.0, 0.5, 0.8, 1.0}) {
    const AlphaParameters par = generalized_alpha_parameters(rho);
    EXPECT_NEAR(par.gamma, 0.5 + par.alpha_f - par.alpha_m, round_off);
    EXPECT_NEAR(amplification(par, {0, 1e7}), rho, rho == 0 ? 1e-2 : 1e-4);  // a triple root
  }
  EXPECT_NEAR(amplification({0, 0, 0.5, 0.25}, {0, 3}), 1, 1e-14);
}

}  // namespace
}  // namespace cardan
