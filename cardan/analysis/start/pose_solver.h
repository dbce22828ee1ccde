#pragma once
// Finds a pose that satisfies constraints and initial positions, near a guess that may be far off.
//
//   Levenberg-Marquardt on r(q) = R phi(q):   d = -W^-1 J^T (J W^-1 J^T + mu I)^-1 r,   J = R phi_q
//
// W weighs lengths and angles alike (System::metric), R gives every equation a unit gradient. The
// shift mu keeps the matrix positive definite where equations are redundant. From a local minimum
// of |r| the search goes on from disturbed guesses. Then the pose is moved along the constraints to
// the one nearest to the guess:
//   min |q (+) d - q0|_W  subject to  phi_q d = -phi.
// Reference: Haug, Computer Aided Kinematics and Dynamics, section 4.3 (assembly by minimisation);
// Nielsen (1999) for mu.
#include <vector>

#include "cardan/system/schur_assembly.h"
#include "cardan/system/system.h"

namespace cardan {

class PoseSolver {
 public:
  // wanted: rows of assembly_equations() to satisfy.
  PoseSolver(const System&, std::vector<char> wanted, const AssemblyOptions&);

  struct Outcome {
    bool converged = false;
    std::vector<double> q;         // the pose found, or the closest one
    std::vector<double> residual;  // phi of all rows there, initial values subtracted
    int iterations = 0, tries = 1;
  };

  Outcome solve(double t, CView guess);

  // One descent from q, no further guesses; false: it ends in a local minimum of |r|.
  bool close(double t, std::vector<double>& q) { return descend(t, q).converged; }

  // From a closed pose q along the constraints to the one nearest to `guess`.
  void approach(double t, CView guess, std::vector<double>& q);

 private:
  struct Run {
    bool converged = false;
    double norm = 0;  // of the scaled residual
    int iterations = 0;
  };

  std::vector<double> with_turns_meant(double t, CView drawn);
  bool turn_by_row(const Equations::Block&,
                   int row,
                   std::vector<char>& settled,
                   std::vector<double>& q);
  void choose_scale(double t, CView q);
  double propose(double t, CView q, double mu);
  Run descend(double t, std::vector<double>& q);
  double evaluate(double t, CView q);  // residual_ and its scaled norm; rotations done
  void linearise(double t, CView q);   // scaled Jacobian
  double largest() const;              // of the scaled residual
  double threshold(CView q) const;
  void step_from(CView y, View d) const;  // d = -W^-1 J^T y
  void limit(View d) const;

  const System& system_;
  const Equations& equations_;
  AssemblyOptions options_;
  std::vector<char> wanted_;
  SchurMatrix S_;
  Workspace work_;
  std::vector<double> packed_, residual_, scaled_, scale_, target_, y_, d_, Jd_, trial_;
};

}  // namespace cardan
