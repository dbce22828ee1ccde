#pragma once
// Collocation at the n nodes of Gauss in [0, 1], by Legendre polynomials, whose sums lose no digits
// however many nodes there are. With z = 2 c - 1, the Lagrange polynomial of node j is
//   l_j(x) = b_j sum_{k<n} (2k+1) P_k(z_j) P_k(2x - 1)
//   integral of it from 0 to x = b_j (x + sum_{0<k<n} P_k(z_j) (P_{k+1} - P_{k-1})(2x - 1) / 2)
// and the k-th Legendre coefficient of the polynomial through f_j is (2k+1) sum_j b_j P_k(z_j) f_j.
#include <vector>

namespace cardan {

class CollocationRule {
 public:
  explicit CollocationRule(int nodes);

  int size() const { return n_; }

  double node(int i) const { return c_[static_cast<std::size_t>(i)]; }

  double weight(int i) const { return b_[static_cast<std::size_t>(i)]; }

  double integral(int j, double x) const;  // of l_j from 0 to x
  double legendre(int k, int j) const;     // (2k+1) b_j P_k(z_j)

  void lagrange(double x, double* out) const;   // l_j(x) of all j
  void integrals(double x, double* out) const;  // and their integrals from 0

 private:
  int n_;
  std::vector<double> c_, b_, p_;  // p_: P_k(z_j) at [k * n + j]
  std::vector<double> between_;    // barycentric weights
};

}  // namespace cardan
