#pragma once
// All constraints, or all forces, of one type, contiguous. One virtual call per type and
// evaluation, none per element.
//
// Coordinates: planar body b has q[3b..] = (x, y, phi) and v[3b..] their rates; spatial body b has
// q[7b..] = (r, unit quaternion w first) and v[6b..] = (r', omega in the body frame). Both refer to
// the mass centre. Body -1 is the ground. phi_q is the derivative along tangent increments (3 or 6
// columns a body), so that phi' = phi_q v - nu.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/element/dependence.h"
#include "cardan/element/unit_kind.h"
#include "cardan/math/pattern.h"
#include "cardan/math/types.h"

namespace cardan {

class Expression;

// Rotations of all bodies, computed once per evaluation so that no element repeats them: (cos, sin)
// of a planar body, the nine numbers of A column by column of a spatial one. null: each element
// computes what it needs.
inline constexpr int rotation_size(int dimension) {
  return dimension == 2 ? 2 : 9;
}  // numbers a body

void fill_rotations(int dimension, CView q, View out);

struct Config {
  double t;
  CView q;
  const double* rotation = nullptr;  // of fill_rotations at this q
};

struct Motion {
  double t;
  CView q, v;
  const double* rotation = nullptr;

  Config config() const { return {t, q, rotation}; }
};

class ConstraintPool {
 public:
  virtual ~ConstraintPool() = default;
  virtual std::string_view type() const = 0;
  virtual int count() const = 0;  // elements
  virtual int rows() const = 0;   // equations of one element
  virtual int sides() const = 0;  // bodies of one element
  virtual int body(int element, int side) const = 0;
  virtual EquationLabel equation(int row) const = 0;  // of row 0..rows()-1

  // Row has phi_q, nu, gamma and no phi (rolling in space).
  virtual bool at_velocity_level(int row) const = 0;

  // Vectors: element e's rows at [e*rows(), (e+1)*rows()).
  virtual void phi(const Config&, View out) const = 0;
  virtual void nu(const Config&, View out) const = 0;     // -phi_t
  virtual void gamma(const Motion&, View out) const = 0;  // phi_q v' = gamma
  // Blocks rows() x n_v, slots [e*sides() + side]; overwritten.
  virtual void phi_q(const Config&, Blocks out) const = 0;

  // Products for implicit methods, added with factor c. ElementPool (element_pool.h) differences
  // phi_q and gamma for elements that do not bring them.
  virtual void add_phi_q_a_q(const Config&,
                             CView a,
                             double c,
                             Blocks out) const = 0;  // (phi_q a)_q, slots as phi_q
  virtual void add_gamma_q(const Motion&, double c, Blocks out) const = 0;  // slots as phi_q
  virtual void add_gamma_v(const Motion&, double c, Blocks out) const = 0;
  // (phi_q^T lambda)_q: blocks n_v x n_v, slots [(e*sides() + side_row)*sides() + side_column];
  // lambda as phi's vector.
  virtual void add_phi_qT_lambda_q(const Config&, CView lambda, double c, Blocks out) const = 0;

  // nu_q, slots as phi_q: of formulas alone, since nu of drivers is a function of time.
  virtual void add_nu_q(const Config&, double c, Blocks out) const = 0;

  virtual bool differenced() const = 0;  // some of these products are differences
};

// What a force may read besides the bodies' state: requests (value and rate at the current state),
// filled by the system, and the sides of conditions in formulas (Expression::Sides).
struct Inputs {
  CView value, rate;  // by request index
  std::span<const int> sides = {};
};

// Gradients of two powers, to be added to, v_size numbers each: of what the forces without potential
// bring in (power + dissipation) and of the dissipation, along tangent increments and velocities.
struct PowerSlopes {
  View applied_q, applied_v, dissipated_q, dissipated_v;
};

// Nothing here has a default: a pool that has no formulas, losses or outputs says so.
class ForcePool {
 public:
  virtual ~ForcePool() = default;
  virtual std::string_view type() const = 0;
  virtual int count() const = 0;
  virtual int sides() const = 0;
  virtual int body(int element, int side) const = 0;
  virtual void add_Q(const Motion&, const Inputs&, View out) const = 0;
  // Blocks n_v x n_v, slots [(e*sides() + side_row)*sides() + side_column], added with factor c.
  virtual void add_Q_q(const Motion&, const Inputs&, double c, Blocks out) const = 0;
  virtual void add_Q_v(const Motion&, const Inputs&, double c, Blocks out) const = 0;

  // Requests used by an element, and dQ/d(value), dQ/d(rate) of the k-th of them: for forces of
  // formulas (chain rule in system/). Both have sides()*n_v numbers, side by side, and are
  // overwritten.
  virtual std::span<const int> inputs(int element) const = 0;
  virtual void Q_input(
      const Motion&, const Inputs&, int element, int k, View dQ_value, View dQ_rate) const = 0;

  // What Q of an element may depend on, asked of its formulas and laws.
  virtual Dependence dependence(int element, const InputDependence&) const = 0;

  // Its formulas, with the arguments of formula.h.
  virtual std::vector<const Expression*> formulas(int element) const = 0;

  // Values of the conditions in its formulas, each into its place of out.
  virtual void condition_values(const Motion&, const Inputs&, View out) const = 0;

  virtual double potential(const Config&) const = 0;  // 0 for non-conservative parts
  // Of the parts without potential, all elements, and the part of -power lost in dampers.
  virtual double power(const Motion&, const Inputs&) const = 0;
  virtual double dissipation(const Motion&, const Inputs&) const = 0;
  // With the requests held; theirs follow from Q_input, since only forces of formulas read them.
  virtual void add_power_slopes(const Motion&, const Inputs&, const PowerSlopes&) const = 0;

  // What the user sees of an element: e.g. length, rate, force of a spring.
  virtual std::span<const std::string_view> outputs() const = 0;
  virtual std::span<const std::string_view> output_units() const = 0;
  virtual void output(const Motion&, const Inputs&, int element, View out) const = 0;
};

}  // namespace cardan
