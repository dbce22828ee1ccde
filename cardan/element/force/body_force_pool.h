#pragma once
// A force that acts on every body by itself: weight, the gyroscopic torque. It has no formulas, so
// it reads no requests and has no conditions; it loses nothing and shows nothing of its own.
#include "cardan/element/pool.h"

namespace cardan {

class BodyForcePool : public ForcePool {
 public:
  int sides() const final { return 1; }

  int body(int element, int) const final { return element; }

  std::span<const int> inputs(int) const final { return {}; }

  void Q_input(const Motion&, const Inputs&, int, int, View, View) const final {}

  std::vector<const Expression*> formulas(int) const final { return {}; }

  void condition_values(const Motion&, const Inputs&, View) const final {}

  double power(const Motion&, const Inputs&) const final { return 0; }

  double dissipation(const Motion&, const Inputs&) const final { return 0; }

  void add_power_slopes(const Motion&, const Inputs&, const PowerSlopes&) const final {}

  std::span<const std::string_view> outputs() const final { return {}; }

  std::span<const std::string_view> output_units() const final { return {}; }

  void output(const Motion&, const Inputs&, int, View) const final {}
};

}  // namespace cardan
