#pragma once
// Exact derivatives of the equations of motion at a state (t, q, v, a, lambda, z, u),
//   M a + phi_q^T lambda = Q(t, q, v, lambda, z, u),   phi_q a = gamma(t, q, v),
//   z' = w(t, q, v, lambda, z, u),
// along tangent increments of q (3 or 6 columns a body): the chain rule through what formulas read
// (request_slopes.h), friction with its loads (element/contact/friction_slopes.h) and compliant contacts.
//
//   Linearisation at(system, active);
//   at.evaluate(state);
//   at.Q_q() - at.phi_qT_lambda_q() ...
//
// Matrices of the same shape share one pattern, made once: body by body (every pair of bodies that
// some element, friction or formula couples), equation by body, and so on. Nothing is allocated by
// evaluate. Equations that are not active have the multiplier 0; their rows are there all the same.
// Equations and references: docs/theory/linearisation.md.
#include <Eigen/SparseCore>

#include "cardan/element/contact/friction_slopes.h"
#include "cardan/math/pattern.h"
#include "cardan/system/request_slopes.h"
#include "cardan/system/system.h"

namespace cardan {

using SparseMatrix = Eigen::SparseMatrix<double>;  // compressed columns

class LoadPool;

class Linearisation {
 public:
  Linearisation(const System&, const std::vector<char>& active);

  void evaluate(const State&);

  // The same with z, u and modes of a workspace.
  void evaluate(double t, CView q, CView v, CView a, CView lambda, const Workspace& of);

  // v_size x v_size, one pattern with the diagonal blocks of all bodies.
  const SparseMatrix& M() const { return M_; }

  const SparseMatrix& Q_q() const { return Q_q_; }

  // (M a)_q of coordinates of one's own; zero for bodies, whose M is constant.
  const SparseMatrix& M_a_q() const { return M_a_q_; }

  const SparseMatrix& Q_v() const { return Q_v_; }

  const SparseMatrix& phi_qT_lambda_q() const { return phi_qT_lambda_q_; }

  // Equations x v_size, one pattern.
  const SparseMatrix& phi_q() const { return phi_q_; }

  const SparseMatrix& phi_q_a_q() const { return phi_q_a_q_; }

  const SparseMatrix& gamma_q() const { return gamma_q_; }

  const SparseMatrix& gamma_v() const { return gamma_v_; }

  // (phi_q v - nu)_q for any v, at the state of the last evaluate, into a matrix of that pattern.
  // nu of drivers is a function of time alone.
  void phi_q_v_q(CView v, SparseMatrix& out) const;

  // v_size x equations, states, inputs.
  const SparseMatrix& Q_lambda() const { return Q_lambda_; }

  const SparseMatrix& Q_z() const { return Q_z_; }

  const SparseMatrix& Q_u() const { return Q_u_; }

  // Of the rates of all first-order states: states x v_size (one pattern), equations, states,
  // inputs.
  const SparseMatrix& z_q() const { return z_q_; }

  const SparseMatrix& z_v() const { return z_v_; }

  const SparseMatrix& z_lambda() const { return z_lambda_; }

  const SparseMatrix& z_z() const { return z_z_; }

  const SparseMatrix& z_u() const { return z_u_; }

  const System& system() const { return system_; }

  const std::vector<char>& active() const { return active_; }

 private:
  struct EquationSlots {  // of one pool, as its products want them
    std::vector<Slot> rows, squares;
  };

  void make_body_pattern();
  void make_equation_pattern();
  void make_state_patterns();
  void own_mass(double t, CView q, CView a);
  void constraints(const Config&, const Motion&, CView a);
  void forces(const Motion&, const Inputs&);
  void formula_force(const Motion&, const Inputs&, const ForcePool&, int element);
  void friction(const Motion&, const Inputs&);
  void compliant_load(int k, const Motion&, const Inputs&);
  void state_rates();
  void driver_power(const Config&);
  void add_outer(int body, CView left, const RequestSlopes::Gradient&);
  void add_energy(EnergyState, double factor, const RequestSlopes::Gradient&);

  const System& system_;
  std::vector<char> active_;
  int n_;  // velocity coordinates of a body
  Workspace work_;
  RequestSlopes requests_;
  FrictionSlopes slopes_;
  std::vector<const LoadPool*> loads_;  // of friction under compliant contacts
  Pattern bodies_, equations_;
  std::vector<std::vector<Slot>> force_slots_;  // of each pool
  std::vector<EquationSlots> equation_slots_;
  SparseMatrix M_, M_a_q_, Q_q_, Q_v_, phi_qT_lambda_q_;
  SparseMatrix phi_q_, phi_q_a_q_, gamma_q_, gamma_v_;
  SparseMatrix Q_lambda_, Q_z_, Q_u_, z_q_, z_v_, z_lambda_, z_z_, z_u_;
  std::vector<double> q_, v_, lambda_, dQ_value_, dQ_rate_, applied_q_, applied_v_, lost_q_,
      lost_v_;
  double t_ = 0;
};

}  // namespace cardan
