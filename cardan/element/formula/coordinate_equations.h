#pragma once
// Equations of motion that are formulas (model/own_equations.h), with their exact derivatives.
// From the energies, with w = (1, v, 0) the direction in which (t, q) move:
//   M = T_vv,   Q = T_q - (T_v)_w - V_q      (Lagrange's equations of the second kind)
// From a mass matrix M(t, q):   Q = -V_q, and what else belongs to M' is up to the user's forces.
//
// The energy that is shown is v T_v - T: the kinetic energy where T is quadratic in the rates,
// Jacobi's integral otherwise. It grows by -T_t, the potential by V_t; with a mass matrix v M v/2
// grows by v M' v/2 beside the work of the forces.
// Reference: Goldstein, Poole, Safko, Classical Mechanics, 3rd ed., sections 1.4 and 2.7.
#include <memory>

#include "cardan/element/pool.h"
#include "cardan/model/own_equations.h"

namespace cardan {

class CoordinateEquations {
 public:
  explicit CoordinateEquations(const OwnEquations& of) : of_(of) {}

  int size() const { return static_cast<int>(of_.coordinates.size()); }

  const OwnEquations& equations() const { return of_; }

  bool mass_is_constant() const;
  bool moves_with_time() const;  // some energy, entry or constraint is a function of t

  // Column by column, size() x size().
  void mass(double t, CView q, View M) const;
  void add_M_a_q(double t, CView q, CView a, double c, double* values, Slot) const;

  double kinetic(double t, CView q, CView v) const;
  double potential(double t, CView q) const;

  // Of the energies; forces of the model are elements of their own.
  void add_Q(double t, CView q, CView v, View out) const;
  void add_Q_q(double t, CView q, CView v, double c, double* values, Slot) const;
  void add_Q_v(double t, CView q, CView v, double c, double* values, Slot) const;
  double power(double t, CView q, CView v) const;
  void add_power_slopes(double t, CView q, CView v, View to_q, View to_v) const;

 private:
  OwnEquations of_;
};

// Q of the energies as a force, of one body that has all coordinates.
std::unique_ptr<ForcePool> make_energy_forces(const CoordinateEquations&);

// Q_k = f(t, requests): one element, with the value as output.
std::unique_ptr<ForcePool> make_coordinate_force(int k,
                                                 Expression,
                                                 std::vector<int> inputs,
                                                 std::string unit);

// One element an entry: phi is the coordinate.
std::unique_ptr<ConstraintPool> make_coordinate_measures(int coordinates, std::vector<int> which);

// 0 = phi(t, q), and 0 = g(t, q, v) at velocity level, one equation each. With w as above:
//   phi_q,   nu = -phi_t,   gamma = -phi_ww        of positions
//   g_v,     nu = -g(t, q, 0),   gamma = -g_w      at velocity level; g is linear in v
class FormulaConstraints final : public ConstraintPool {
 public:
  FormulaConstraints(int coordinates, bool velocity_level)
      : n_(coordinates), velocity_level_(velocity_level) {}

  int add(CoordinateFormula);

  std::string_view type() const override { return "formula"; }

  int count() const override { return static_cast<int>(formulas_.size()); }

  int rows() const override { return 1; }

  int sides() const override { return 1; }

  int body(int, int) const override { return 0; }

  EquationLabel equation(int) const override { return in_length("value"); }

  bool at_velocity_level(int) const override { return velocity_level_; }

  void phi(const Config&, View out) const override;
  void nu(const Config&, View out) const override;
  void gamma(const Motion&, View out) const override;
  void phi_q(const Config&, Blocks out) const override;
  void add_phi_q_a_q(const Config&, CView a, double c, Blocks out) const override;
  void add_gamma_q(const Motion&, double c, Blocks out) const override;
  void add_gamma_v(const Motion&, double c, Blocks out) const override;
  void add_phi_qT_lambda_q(const Config&, CView lambda, double c, Blocks out) const override;

  // nu follows positions where a formula has products of them with the time.
  void add_nu_q(const Config&, double c, Blocks out) const override;

  bool differenced() const override { return false; }

 private:
  int n_;
  bool velocity_level_;
  std::vector<CoordinateFormula> formulas_;
};

}  // namespace cardan
