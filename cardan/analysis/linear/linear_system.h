#pragma once
// The linear equations of small motions about a state of a mechanism, exact, in independent
// coordinates x, their rates w, and the first-order states z of the model:
//   x' = A_xx x + A_xw w,   w' = A_wx x + A_ww w + A_wz z,   z' = ...      (+ B u + B' u' + B'' u'')
// also where the state is no equilibrium. With theta, dv, da, dlambda the changes of pose,
// velocities, accelerations and multipliers, c those of the drivers' values, and S of
// linear_coordinates.h,
//   [phi_q; S] theta = [c; x]                                      equations of positions
//   [phi_q; S] dv    = [c' - (phi_q v)_q theta; w - S_rate theta]  all equations
//   [M phi_q^T - Q_lambda; phi_q 0] [da; dlambda] =
//     [(Q_q - (phi_q^T lambda)_q) theta + Q_v dv + Q_z z + Q_u u;
//      (gamma_q - (phi_q a)_q) theta + gamma_v dv + c'']
//   x' = S dv + S_rate theta,   w' = S da + P theta + V dv.
// Rolling in space has equations of velocities alone: then there are fewer w than x.
// Equations: docs/theory/linearise.md.
#include <string>
#include <vector>

#include <Eigen/Core>

#include "cardan/analysis/linear/linear_coordinates.h"
#include "cardan/base/result.h"
#include "cardan/system/system.h"

namespace cardan {

struct LinearInput {
  enum class Kind { input, driver, force };
  Kind kind = Kind::input;
  std::string name, unit;
  int place = 0;            // of an input of the model; of a driver its equation
  std::vector<double> Q{};  // of a force: per unit
};

struct LinearSystem {
  std::vector<int> x, w;  // the coordinates chosen, of coordinate_rows(); w among x
  int nz = 0;
  std::vector<std::string> names, units;  // of the states (x, w, z)
  std::vector<UnitKind> kinds;            // of x
  Eigen::MatrixXd A;
  Eigen::MatrixXd B, B_rate, B_acceleration;  // for u, u', u''
  Eigen::MatrixXd M, C, K;                    // M w' + C w + K x = ...

  // Columns: the states, then all inputs, their rates, their accelerations.
  Eigen::MatrixXd theta, dv, da, dlambda, dz;

  int states() const { return static_cast<int>(A.rows()); }
};

struct LinearSetting {
  LinearAxes axes = LinearAxes::of_ground;
  double spinning = 0.3;               // weight of coordinates of turning bodies
  const LinearSystem* like = nullptr;  // the same coordinates as there
};

// active: equations that hold. The state has a and lambda. Refused where the mechanism is too large
// for full matrices, or equations that hold depend on each other.
Result<LinearSystem> linear_system(const System&,
                                   const std::vector<char>& active,
                                   const State&,
                                   const std::vector<LinearInput>&,
                                   const LinearSetting&);

}  // namespace cardan
