#include "cardan/ode/implicit/implicit_tableau.h"

#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "cardan/math/dense.h"
#include "cardan/math/eigenvalues.h"

namespace cardan {

namespace {

using Real = long double;

struct Legendre {  // P_s and P_(s-1) at x in [-1, 1]
  Real p, before;
};

Legendre legendre(int s, Real x) {
  Real before = 1, p = x;
  for (int k = 2; k <= s; ++k) {
    const Real next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
    before = p;
    p = next;
  }
  return {p, before};
}

// A zero of f by bisection: all zeros are simple and bracketed.
Real zero(const std::function<Real(Real)>& f, Real low, Real high) {
  const bool rising = f(high) > 0;
  for (int k = 0; k < 100; ++k) {
    const Real middle = (low + high) / 2;
    ((f(middle) > 0) == rising ? high : low) = middle;
  }
  return (low + high) / 2;
}

// All zeros of f in (-1, 1), found by the signs on a fine grid.
std::vector<Real> zeros(const std::function<Real(Real)>& f) {
  std::vector<Real> found;
  constexpr int grid = 997;  // prime: no zero falls on it
  for (int k = 0; k < grid; ++k) {
    const Real a = -1 + 2 * static_cast<Real>(k) / grid,
               b = -1 + 2 * static_cast<Real>(k + 1) / grid;
    const bool last = k == grid - 1;  // the zero of Radau's polynomial at 1 is known
    if (!last && (f(a) > 0) != (f(b) > 0)) found.push_back(zero(f, a, b));
  }
  return found;
}

ImplicitTableau collocation(const std::vector<Real>& nodes, int order) {
  const auto s = static_cast<Eigen::Index>(nodes.size());
  ImplicitTableau t;
  t.order = order;
  t.c.resize(s);
  t.b.resize(s);
  t.A.resize(s, s);
  for (Eigen::Index j = 0; j < s; ++j) {
    std::vector<Real> poly{1};  // Lagrange polynomial of node j, lowest power first
    for (Eigen::Index m = 0; m < s; ++m) {
      if (m == j) continue;
      const Real cm = nodes[static_cast<std::size_t>(m)];
      const Real scale = 1 / (nodes[static_cast<std::size_t>(j)] - cm);
      poly.push_back(0);
      for (std::size_t k = poly.size() - 1; k > 0; --k)
        poly[k] = (poly[k - 1] - cm * poly[k]) * scale;
      poly[0] *= -cm * scale;
    }
    const auto integral = [&](Real x) {
      Real sum = 0;
      for (std::size_t k = poly.size(); k > 0; --k)
        sum = sum * x + poly[k - 1] / static_cast<Real>(k);
      return sum * x;
    };
    for (Eigen::Index i = 0; i < s; ++i) {
      t.A(i, j) = static_cast<double>(integral(nodes[static_cast<std::size_t>(i)]));
    }
    t.b[j] = static_cast<double>(integral(1));
    t.c[j] = static_cast<double>(nodes[static_cast<std::size_t>(j)]);
  }
  return t;
}

std::vector<Real> shifted(const std::vector<Real>& x) {
  std::vector<Real> c;
  for (const Real v : x) c.push_back((v + 1) / 2);
  return c;
}

}  // namespace

ImplicitTableau gauss_tableau(int stages) {
  if (stages < 1 || stages > 8) throw std::invalid_argument("Gauss methods have 1 to 8 stages");
  const auto p = [=](Real x) {
    return legendre(stages, x).p;
  };
  return collocation(shifted(zeros(p)), 2 * stages);
}

ImplicitTableau radau_tableau(int stages) {
  if (stages < 1 || stages > 8) throw std::invalid_argument("Radau methods have 1 to 8 stages");
  const auto p = [=](Real x) {
    const Legendre l = legendre(stages, x);
    return l.p - l.before;
  };
  std::vector<Real> c = stages == 1 ? std::vector<Real>{} : shifted(zeros(p));
  c.push_back(1);
  return collocation(c, 2 * stages - 1);
}

StageTransform transform_stages(const ImplicitTableau& tableau) {
  const Eigen::Index s = tableau.A.rows();
  StageTransform out;
  out.A_inverse = tableau.A.inverse();
  out.end = out.A_inverse.transpose() * tableau.b;
  if ((tableau.A.row(s - 1).transpose() - tableau.b).cwiseAbs().maxCoeff() < 1e-14) {
    out.end.setZero();
    out.end[s - 1] = 1;
  }
  const EigenPairs eigen = eigen_pairs(out.A_inverse);
  out.T.resize(s, s);
  for (Eigen::Index i = 0, column = 0; i < s; ++i) {
    const std::complex<double> lambda = eigen.values[i];
    if (lambda.imag() < 0) continue;  // its conjugate stands for both
    const bool is_real = std::abs(lambda.imag()) < 1e-10 * std::abs(lambda);
    out.blocks.push_back({static_cast<int>(column), lambda.real(), is_real ? 0 : lambda.imag()});
    // A^-1 (p - i q) = (re - i im)(p - i q): in the basis (p, -q) the block acts as re + i im
    out.T.col(column++) = eigen.vectors.col(i).real();
    if (!is_real) out.T.col(column++) = -eigen.vectors.col(i).imag();
  }
  out.T_inverse = out.T.inverse();
  return out;
}

void collocation_weights(const Eigen::VectorXd& c, double theta, Eigen::VectorXd& out) {
  const Eigen::Index s = c.size();
  const auto node = [&](Eigen::Index i) {
    return i == 0 ? 0.0 : c[i - 1];
  };
  for (Eigen::Index j = 0; j <= s; ++j) {
    double w = 1;
    for (Eigen::Index m = 0; m <= s; ++m) {
      if (m != j) w *= (theta - node(m)) / (node(j) - node(m));
    }
    out[j] = w;
  }
}

}  // namespace cardan
