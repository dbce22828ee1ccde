#pragma once
// A formulation that carries the derivatives of the motion by parameters along: they stand behind y of
// the formulation inside (slope_equations.h), under error control like it. After each step they are put
// back onto the differentiated constraints. Implicit methods solve with I - c f_y for the motion and for
// each parameter: the coupling between them is left to their iterations.
// Reference: Maly and Petzold, Appl. Numer. Math. 20 (1996) 57.
#include <memory>

#include "cardan/analysis/sensitivity/slope_equations.h"
#include "cardan/formulation/formulation.h"
#include "cardan/formulation/singular/balanced_multipliers.h"

namespace cardan {

class SlopeFormulation final : public Formulation {
 public:
  // store: the derivatives where the motion was recovered last; fault: why there are none beyond some
  // pose. Both outlive formulations.
  SlopeFormulation(std::unique_ptr<Formulation> inner,
                   const ParameterSteps&,
                   SlopeStore& store,
                   std::optional<Diagnostic>& fault);

  std::string_view name() const override { return inner_->name(); }

  int size() const override { return static_cast<int>(n_y_ + equations_.size()); }

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
  [[nodiscard]] Eval motion_at(double t, CView y);  // into state_
  Eval noting(Eval);
  void count_costs();

  View slopes(View y) const { return y.subspan(n_y_); }

  CView slopes(CView y) const { return y.subspan(n_y_); }

  std::unique_ptr<Formulation> inner_;
  const System& system_;
  SlopeStore& store_;
  std::optional<Diagnostic>& fault_;
  SlopeEquations equations_;
  std::size_t n_y_;
  State state_;
  BalancedMultipliers multipliers_;
  Workspace work_;
};

}  // namespace cardan
