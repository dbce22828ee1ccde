#pragma once
// A force F and a torque T on side 1 in space, acting at the point x of side 1, and their opposites
// on side 0 at the same place, so that they balance in every position. Components are formulas in
// ground axes, or in the axes of an end (F = A F'). With p the arm of x in side 1 and c = x - r_0:
//   Q_1 = (F, A_1^T (p x F + T)),   Q_0 = -(F, A_0^T (c x F + T)).
// Where F' is given in axes of side 0, or in ground axes and side 0 is the ground, its constant
// components F_c' have the potential -F_c'.(A_0^T c); all else is power. A torque in space has none.
#include "cardan/element/element_pool.h"
#include "cardan/element/force/force_frame.h"
#include "cardan/element/force/unit_force.h"
#include "cardan/element/formula/formula.h"

namespace cardan {

class WrenchPool final : public ForcePool, public UnitForces {
 public:
  struct Element {
    std::array<int, 2> body{};
    Vec<3> s;                          // the point of side 1
    std::array<Expression, 6> wrench;  // F and T
    ForceFrame frame = ForceFrame::global;
    Mat<3, 3> axes = Mat<3, 3>::Identity();  // of the components, in that frame's body
    std::vector<int> inputs;
    Vec<6> constant = Vec<6>::Zero();  // F_c', and no torque; found when it is added
  };

  // torque: T alone is there and shown.
  WrenchPool(std::string_view type, bool torque) : type_(type), torque_(torque) {}

  int add(Element element);

  std::string_view type() const override { return type_; }

  int count() const override { return static_cast<int>(elements_.size()); }

  int sides() const override { return 2; }

  int body(int element, int side) const override { return elements_[element].body[side]; }

  std::span<const int> inputs(int element) const override { return elements_[element].inputs; }

  void add_Q(const Motion&, const Inputs&, View out) const override;
  void add_Q_q(const Motion&, const Inputs&, double c, Blocks out) const override;

  void add_Q_v(const Motion&, const Inputs&, double, Blocks) const override {}

  void Q_input(
      const Motion&, const Inputs&, int element, int k, View dQ_value, View dQ_rate) const override;

  Dependence dependence(int element, const InputDependence&) const override;
  std::vector<const Expression*> formulas(int element) const override;
  void condition_values(const Motion&, const Inputs&, View out) const override;

  double potential(const Config&) const override;

  double power(const Motion&, const Inputs&) const override;

  double dissipation(const Motion&, const Inputs&) const override { return 0; }

  void add_power_slopes(const Motion&, const Inputs&, const PowerSlopes&) const override;

  std::span<const std::string_view> outputs() const override;
  std::span<const std::string_view> output_units() const override;
  void output(const Motion&, const Inputs&, int element, View out) const override;

  int components() const override { return torque_ ? 3 : 6; }

  int output_of(int component) const override { return component; }

  void unit_force(const Motion&, int element, int component, View Q) const override;

 private:
  struct State;
  std::string_view type_;
  bool torque_;
  std::vector<Element> elements_;
};

}  // namespace cardan
