#pragma once
// The differential equations of the derivatives of a motion by parameters, at a state of it: for each
// parameter the tangent increment theta of the pose, v_p and z_p, times the size P of the parameter, so
// that tolerances mean the same for all:
//   theta' = v_p + theta x omega,   v_p' = a_p,   z_p' = z_q theta + z_v v_p + z_lambda lambda_p +
//   z_z z_p + (z')_p
// with a_p and lambda_p of parameter_slopes.h, the index-1 equations differentiated (theta x omega in
// the rotations of bodies in space). They are linear in (theta, v_p, z_p), with the matrix of the motion
// itself. Who integrates them: slope_formulation.h beside the motion, followed_slopes.h behind it.
// Reference: Serban and Haug, Mech. Struct. Mach. 26 (1998) 187.
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cardan/analysis/sensitivity/slope_crossing.h"
#include "cardan/ode/problem.h"
#include "cardan/system/shifted_matrix.h"

namespace cardan {

using SlopeStore = std::vector<StateSlope>;  // by parameter

class SlopeEquations {
 public:
  SlopeEquations(const System&, const std::vector<char>& active, const ParameterSteps&);

  std::size_t size() const { return sizes_.size() * part_; }

  std::string component_name(std::size_t i) const;
  void mark_ignored(std::vector<bool>& all,
                    std::size_t first) const;  // states without error control

  // At a state of the motion; retry: they are not determined there, fatal: there are none (fault).
  Eval rates(const State& motion, CView s, View ds);
  Eval close(const State& motion, View s);               // onto the differentiated constraints
  Eval take(const State& motion, CView s, SlopeStore&);  // closed, with a_p and lambda_p

  void give(const SlopeStore&, View s) const;

  const std::optional<Diagnostic>& fault() const { return fault_; }

  // ---- solves with I - c f_s, see OdeProblem
  void reserve(int shifts);
  void linearise(const State& motion, const Workspace&);
  Eval factor(std::span<const Shift>, Reuse allowed);
  Eval solve(int k, View re, View im);

 private:
  Eval solve_at(const State& motion, CView s, bool closes, bool accelerates);  // into slopes_at_
  void read(CView part, double size, StateSlope&) const;
  void write(const StateSlope&, double size, View part) const;
  void solve_part(int k, std::complex<double> c, View re, View im);

  View part(View s, std::size_t p) const { return s.subspan(p * part_, part_); }

  CView part(CView s, std::size_t p) const { return s.subspan(p * part_, part_); }

  const System& system_;
  std::vector<char> active_;
  const ParameterSteps& steps_;
  ParameterSlopes slopes_;
  SlopeCrossing crossing_;
  std::size_t n_v_, n_z_, part_;
  std::vector<double> sizes_;  // P of each parameter
  SlopeStore here_;
  std::optional<Diagnostic> fault_;
  std::unique_ptr<ShiftedMatrix> matrix_;  // once an implicit method has asked for it
  std::vector<Shift> shifts_;
  std::vector<std::complex<double>> both_;
};

}  // namespace cardan
