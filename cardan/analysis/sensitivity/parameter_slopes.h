#pragma once
// Derivatives of a state by parameters p, by direct differentiation. With theta the tangent part of
// q_p and partial derivatives by p at a fixed state (parameter_steps.h), all others exact
// (system/linearisation.h):
//   phi_q theta = -phi_p                                                          positions
//   phi_q v_p   = -(phi_q v - nu)_p - (phi_q v)_q theta                           velocities
//   M a_p + phi_q^T lambda_p - Q_lambda lambda_p
//               = -(M a + phi_q^T lambda - Q)_p + K theta + Q_v v_p + Q_z z_p     motion
//   phi_q a_p   = -(phi_q a - gamma)_p + (gamma_q - (phi_q a)_q) theta + gamma_v v_p
// with K = Q_q - (phi_q^T lambda)_q. At rest, v = a = 0 for all p:
//   -K theta + phi_q^T lambda_p = -(phi_q^T lambda - Q)_p,   phi_q theta = -phi_p.
// Equations: docs/theory/sensitivities.md.
#include <optional>
#include <vector>

#include "cardan/analysis/sensitivity/parameter_steps.h"
#include "cardan/system/linearisation.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

struct StateSlope {  // of a State, by one parameter; q as a tangent increment
  std::vector<double> theta, v, a, lambda, z;

  StateSlope() = default;
  explicit StateSlope(const System&);
};

// The state a little further: x (+) epsilon x_p.
void move_along(const System&, const State&, const StateSlope&, double epsilon, State& out);

// The largest epsilon for which a move is small against sizes and speeds.
double small_move(const System&, const State&, const StateSlope&);

// What the equations leave at a fixed state, by p.
struct ResidualSlope {
  std::vector<double> phi, velocity, acceleration;  // phi, phi_q v - nu, phi_q a - gamma
  std::vector<double> force;                        // M a + phi_q^T lambda - Q
  std::vector<double> z_dot;
};

// What rolls has no positions that follow from its equations: refused.
std::optional<Diagnostic> rolling_slopes(const System&, const std::vector<char>& active);

// At a singular pose, or where friction leaves the forces undetermined.
Diagnostic no_slopes(double t);

// A parameter whose change contradicts an equation that was left out as redundant.
Diagnostic contradicts(const System&, const ParameterStep&, int row, double t);

// At an equilibrium that others are next to.
Diagnostic not_isolated(double t);

class ParameterSlopes {
 public:
  ParameterSlopes(const System&, const std::vector<char>& active, const ParameterSteps&);

  int count() const { return static_cast<int>(steps_.size()); }

  const System& system() const { return system_; }

  const Linearisation& linearisation() const { return at_; }

  MotionSolver& motion() { return motion_; }

  const ResidualSlope& residual(int p) const { return residuals_[static_cast<std::size_t>(p)]; }

  enum class Friction { included, left_out };

  // The derivatives that the others need, at a state with a and lambda. False: singular.
  [[nodiscard]] bool evaluate(const State&, Friction = Friction::included);

  // ---- with the last evaluate()
  // theta and v_p that satisfy the equations and are nearest to those given, weighed by masses.
  void close_positions(int p, View theta);
  void close_velocities(int p, CView theta, View v);
  // a_p and lambda_p of theta, v_p and z_p. False: friction and reactions do not settle.
  [[nodiscard]] bool accelerate(int p, StateSlope&);
  // lambda_p alone, where a_p is known better: next to singular poses. Friction leaves it as it is.
  void react(int p, StateSlope&);
  void rate_states(int p, const StateSlope&, View z_dot) const;
  // The largest gap that theta leaves open, relative to what changes of the gaps there are.
  double open(int p, CView theta) const;
  // An equation that is not active and that theta would violate; -1: none.
  int violated(int p, CView theta) const;

  // ---- of a whole state
  // Of a mechanism that its drivers determine.
  std::optional<Diagnostic> driven(const State&, bool forces, std::vector<StateSlope>&);
  // Of a balance of forces at rest.
  std::optional<Diagnostic> at_rest(const State&, std::vector<StateSlope>&);

 private:
  struct Probe {  // a system with another value of the parameter
    const System* system;
    double weight;
    Workspace work;
    FrictionSolver friction;
    std::vector<double> force, rows, z_dot;
  };

  void find_residual(int p, const State&, Friction);
  void sides(int p, const StateSlope&);  // right-hand sides of a_p and lambda_p into f_ and g_
  double gap_size(int p, CView moved) const;

  const System& system_;
  const ParameterSteps& steps_;
  std::vector<char> active_, of_positions_;
  Linearisation at_;
  MotionSolver motion_;
  std::optional<MotionSolver> positions_;  // where some equations are of velocities alone
  SparseMatrix phi_q_v_q_;
  std::vector<std::vector<Probe>> probes_;
  std::vector<ResidualSlope> residuals_;
  std::vector<double> f_, g_, x_, mu_, zero_;
};

}  // namespace cardan
