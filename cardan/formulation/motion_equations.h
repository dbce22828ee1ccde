#pragma once
// The equations of motion as formulations see them, whatever stands behind: a compiled mechanism
// (mechanism_equations.h) or formulas of one's own.
//
//   M(q) a + phi_q^T lambda = Q(t, q, v, lambda, z)        n rows
//   phi(t, q) = 0,   phi_q v = nu,   phi_q a = gamma       m rows, those not active left out
//   z' = w(t, q, v, lambda, z)                             first-order states
//
// Positions may lie on a manifold: a tangent increment d moves them to q (+) d, and all derivatives
// by q are taken along such increments. Equations at velocity level (rolling) have no phi.
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "cardan/math/types.h"

namespace cardan {

class MotionEquations {
 public:
  using Matrix = Eigen::SparseMatrix<double>;  // compressed columns; its pattern never changes

  MotionEquations() = default;
  MotionEquations(const MotionEquations&) = delete;
  MotionEquations& operator=(const MotionEquations&) = delete;
  virtual ~MotionEquations() = default;

  // ---- sizes and names
  virtual int positions() const = 0;   // entries of q
  virtual int velocities() const = 0;  // n: of v, a and tangent increments
  virtual int equations() const = 0;   // m
  virtual int states() const = 0;      // of z

  // One flag an equation: 0 for redundant ones and limits that do not act, whose multiplier is 0.
  virtual const std::vector<char>& active() const = 0;
  virtual bool at_velocity_level(int row) const = 0;
  virtual bool turns(int k) const = 0;     // velocity k is one of a rotation in space
  virtual bool is_angle(int k) const = 0;  // or that of an angle in the plane
  virtual std::string position_label(int k) const = 0;
  virtual std::string velocity_label(int k) const = 0;
  virtual std::string equation_label(int row) const = 0;
  virtual double length() const = 0;  // size of what moves; turns angles into lengths

  // ---- positions
  virtual void rate(CView q, CView v, View q_dot) const = 0;
  // The tangent increment d of a change q_dot of q: the inverse of rate. What no increment makes
  // (lengths of quaternions) is left out; rate(q, u) changes by this much of it along d:
  virtual void tangent(CView q, CView q_dot, View d) const = 0;
  virtual void off_tangent(CView q, CView u, CView d, View q_dot) const = 0;
  virtual void advance(CView q, CView d, View out) const = 0;     // out = q (+) d, may be q
  virtual void difference(CView q1, CView q0, View d) const = 0;  // q1 = q0 (+) d
  virtual void normalise(View q) const = 0;                       // back onto the manifold
  // The tangent increment at q (+) d that a small change x of d makes, in place; and the other
  // way round. Nothing to do where q (+) d is a sum.
  virtual void transport(CView d, View x) const = 0;
  virtual void transport_back(CView d, View x) const = 0;
  // How the rate of d, which is v transported back, changes with a small change x of d.
  virtual void transport_bend(CView d, CView x, CView v, View out) const = 0;

  // ---- values at a state. Everything below belongs to the last call.
  virtual Eval evaluate(double t, CView q, CView v, CView lambda, CView z) = 0;
  // phi, nu and phi_q alone.
  virtual void evaluate_constraints(double t, CView q) = 0;
  virtual CView phi() const = 0;
  virtual CView nu() const = 0;
  virtual CView gamma() const = 0;
  virtual CView Q() const = 0;
  virtual CView w() const = 0;
  virtual void multiply_M(CView x, View out) const = 0;      // M x
  virtual void multiply_phi_q(CView x, View out) const = 0;  // phi_q x
  // phi_q itself, of the last evaluate or evaluate_constraints.
  virtual const Matrix& constraint_jacobian() = 0;
  virtual void add_phi_qT(CView lambda, double factor, View out) const = 0;  // out += ...

  // ---- the saddle-point matrix [M phi_q^T; phi_q 0]
  // a and lambda, with friction that depends on lambda; z as given.
  virtual Eval accelerations(double t, CView q, CView v, CView z, View a, View lambda) = 0;
  // M x + phi_q^T mu = f, phi_q x = g with the factor of the last call of accelerations, project
  // or factor.
  virtual Eval factor(double t, CView q) = 0;
  virtual void solve(CView f, CView g, View x, View mu) = 0;
  virtual Eval project_positions(double t, View q) = 0;
  virtual Eval project_velocities(double t, CView q, View v) = 0;
  virtual double position_violation(double t, CView q) = 0;  // of active equations, in m
  virtual double velocity_violation(double t, CView q, CView v) = 0;

  // ---- exact derivatives at (t, q, v, a, lambda, z), rows of equations that are not active too
  virtual void linearise(double t, CView q, CView v, CView a, CView lambda, CView z) = 0;
  virtual const Matrix& M() const = 0;
  virtual const Matrix& Q_q() const = 0;  // n x n, one pattern with M and the next two
  virtual const Matrix& Q_v() const = 0;
  virtual const Matrix& phi_qT_lambda_q() const = 0;
  virtual bool M_depends_on_q() const = 0;
  virtual const Matrix& M_a_q() const = 0;  // (M a)_q, only where M_depends_on_q()
  virtual const Matrix& phi_q() const = 0;  // m x n, one pattern with the next three
  virtual const Matrix& phi_q_a_q() const = 0;
  virtual const Matrix& gamma_q() const = 0;
  virtual const Matrix& gamma_v() const = 0;
  virtual void phi_q_v_q(CView v, Matrix& out) const = 0;  // (phi_q v - nu)_q for any v
  virtual const Matrix& Q_lambda() const = 0;              // n x m
  virtual const Matrix& Q_z() const = 0;                   // n x states
  virtual const Matrix& z_q() const = 0;                   // states x n, and so on
  virtual const Matrix& z_v() const = 0;
  virtual const Matrix& z_lambda() const = 0;
  virtual const Matrix& z_z() const = 0;
};

}  // namespace cardan
