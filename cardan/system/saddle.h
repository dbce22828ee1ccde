#pragma once
// Solves   M a + phi_q^T lambda = f,   phi_q a = g   for the same phi_q and many right sides:
// accelerations, projection of positions and of velocities. Rows that are not active (redundant
// equations) have lambda = 0 and are left out.
#include <memory>
#include <vector>

#include "cardan/system/equations.h"
#include "cardan/system/mass.h"

namespace cardan {

class SaddleSolver {
 public:
  virtual ~SaddleSolver() = default;

  struct Health {
    int dependent = 0;       // active rows found to depend on others
    int worst_row = -1;      // the weakest
    double ratio = 1;        // its pivot relative to its own size
    bool ok = true;          // false: no solution can be had from this factor
    bool repivoted = false;  // pivots were chosen anew at this matrix
  };

  virtual Health factor(CView packed) = 0;
  // In: f (n), g (m); out: a (n), lambda (m). The views must not overlap.
  virtual void solve(CView f, CView g, View a, View lambda) = 0;

  // |phi_q a - g| of the last solve over the active rows, relative to the terms that cancel in it.
  virtual double residual() const = 0;

  virtual void activate(
      const std::vector<char>& active) = 0;  // one flag per row; all active at first
};

// The whole saddle-point matrix by KLU: for singular M and for inertia ratios that spoil S.
struct KktPlan;  // its entries and their order, made once
std::shared_ptr<const KktPlan> plan_kkt(const Equations&, const MassMatrix&);
std::unique_ptr<SaddleSolver> make_kkt(std::shared_ptr<const KktPlan>);

// Whether S (joint_schur.h) is accurate enough to be the first choice; otherwise the whole matrix is
// factored always.
bool trusts_schur(const MassMatrix&, double length);

}  // namespace cardan
