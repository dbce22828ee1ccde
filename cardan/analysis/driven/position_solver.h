#pragma once
// Poses and motions of a mechanism that its drivers determine: as many active equations as
// coordinates, so that phi_q is square.
//
//   positions      phi_q d = -phi,  q <- q (+) d        (Newton's method)
//   velocities     phi_q v = nu
//   accelerations  phi_q a = gamma
//
// One sparse LU factor of phi_q, analysed once, serves all three. Its smallest singular value, with
// angles weighed by the mechanism's size, tells how near a singular pose is; the left singular vector
// belongs to the equations that are about to depend on each other. Both are followed from pose to
// pose by inverse iteration. The sign of the determinant changes where a simple singular pose is
// passed.
#include <memory>
#include <vector>

#include "cardan/ode/archive.h"
#include "cardan/system/system.h"

namespace cardan {

class PositionSolver {
 public:
  // active: one flag per equation, as many of them set as there are velocity coordinates.
  PositionSolver(const System&, const std::vector<char>& active);
  ~PositionSolver();

  struct Found {
    bool converged = false;
    int iterations = 0;
    double moved = 0;  // how far the pose went, in units of length
  };

  // Newton's method from q; no restarts. The factor left behind is that of the pose found.
  Found solve(double t, View q);

  bool factor(double t, CView q);  // false: phi_q is singular

  // With the last factor, at its pose.
  void velocities(double t, CView q, View v);
  void accelerations(double t, CView q, CView v, View a);

  // ---- of the last factor
  struct Singularity {
    double smallest = 1;            // singular value
    int sign = 1;                   // of the determinant
    std::vector<double> equations;  // left singular vector, one number per row of equations()
    std::vector<double> motion;     // right one, a tangent increment
  };

  const Singularity& singularity();

  void serialize(Archive&);  // where the search for singular vectors goes on from

 private:
  struct Factor;
  void residual(double t, CView q, View r);  // phi of the active rows
  void take_active(CView all, View r) const;
  double largest_residual() const;  // of r_, in units of length

  const System& system_;
  std::vector<int> rows_;  // active ones
  Workspace work_;
  std::unique_ptr<Factor> factor_;
  Singularity singularity_;
  bool followed_ = false;  // singularity_ is that of the last factor
  std::vector<double> r_, d_;
};

}  // namespace cardan
