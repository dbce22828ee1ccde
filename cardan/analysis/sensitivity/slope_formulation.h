#pragma once
// A formulation that carries the derivatives of the motion by parameters along: beside y of the
// formulation inside stand, for each parameter, the tangent increment theta of the pose, v_p and
// z_p, times the size P of the parameter, so that tolerances mean the same for all:
//   theta' = v_p + theta x omega,   v_p' = a_p,   z_p' = z_q theta + z_v v_p + z_lambda lambda_p +
//   z_z z_p + (z')_p
// with a_p and lambda_p of parameter_slopes.h, the index-1 equations differentiated (theta x omega in
// the rotations of bodies in space). After each step theta and v_p are put back onto the
// differentiated constraints. All are under error control. Implicit methods solve with I - c f_y for
// the motion and for each parameter: the coupling between them is left to their iterations.
// Reference: Maly and Petzold, Appl. Numer. Math. 20 (1996) 57; Serban and Haug, Mech. Struct. Mach.
// 26 (1998) 187.
#include <memory>

#include "cardan/analysis/sensitivity/parameter_slopes.h"
#include "cardan/formulation/formulation.h"
#include "cardan/system/shifted_matrix.h"

namespace cardan {

// The derivatives where the motion was recovered last; they outlive formulations.
using SlopeStore = std::vector<StateSlope>;

class SlopeFormulation final : public Formulation {
 public:
  SlopeFormulation(std::unique_ptr<Formulation> inner, const ParameterSteps&, SlopeStore&);

  std::string_view name() const override { return inner_->name(); }

  int size() const override { return static_cast<int>(n_y_ + sizes_.size() * part_); }

  Eval f(double t, CView y, View dy) override;
  std::string component_name(int i) const override;
  void reserve(int shifts) override;
  Eval setup(double t, CView y, CView dy, std::span<const Shift>, Reuse) override;
  Eval solve(int k, View re, View im) override;

  bool projects() const override { return true; }

  Eval project(double t, View y, View error) override;
  void parametrize(const State&, View y) override;
  std::optional<Diagnostic> accepted(double t, CView y, double h, long attempts) override;

  bool accepted_state(CView y, State& state) const override {
    return inner_->accepted_state(y.first(n_y_), state);
  }

  double kept_violation() const override { return inner_->kept_violation(); }

  bool stale() const override { return inner_->stale(); }

  Eval recover(double t, CView y, State& full) override;
  Tolerance tolerance(const DynamicOptions&) const override;

  bool carries_quadratures() const override { return inner_->carries_quadratures(); }

  bool is_integral(int i) override { return i < static_cast<int>(n_y_) && inner_->is_integral(i); }

  void serialize(Archive& archive) override { inner_->serialize(archive); }

 protected:
  MotionSolver& motion() override { return motion_of(*inner_); }

 private:
  [[nodiscard]] Eval evaluate_at(double t, CView y);  // state_, and slopes_ there
  void count_costs();

  View part(View y, std::size_t p) const { return y.subspan(n_y_ + p * part_, part_); }

  CView part(CView y, std::size_t p) const { return y.subspan(n_y_ + p * part_, part_); }

  void take(CView part, double size, StateSlope&) const;
  void give(const StateSlope&, double size, View part) const;
  void solve_part(int k, std::complex<double> c, View re, View im);

  std::unique_ptr<Formulation> inner_;
  const System& system_;
  const ParameterSteps& steps_;
  SlopeStore& store_;
  ParameterSlopes slopes_;
  std::size_t n_y_, n_v_, n_z_, part_;
  std::vector<double> sizes_;  // P of each parameter
  State state_;
  StateSlope slope_;
  std::unique_ptr<ShiftedMatrix> matrix_;  // once an implicit method has asked for it
  Workspace work_;
  std::vector<Shift> shifts_;
  std::vector<std::complex<double>> both_;
};

}  // namespace cardan
