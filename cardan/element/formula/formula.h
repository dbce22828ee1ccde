#pragma once
// The arguments of a force's formula: [t, length, rate, in0, in0', in1, in1', ...] with the
// element's own measure and its rate, then value and rate of every request it names.
#include <array>
#include <span>

#include "cardan/element/pool.h"
#include "cardan/math/expression.h"

namespace cardan {

inline constexpr int max_formula_inputs = 32;

class FormulaPoint {
 public:
  FormulaPoint(
      double t, double measure, double rate, std::span<const int> requests, const Inputs& inputs)
      : sides_(inputs.sides) {
    x_[0] = t;
    x_[1] = measure;
    x_[2] = rate;
    for (const int k : requests) {
      x_[size_++] = inputs.value[static_cast<std::size_t>(k)];
      x_[size_++] = inputs.rate[static_cast<std::size_t>(k)];
    }
  }

  double value(const Expression& e) const { return e.value({x_.data(), size_}, sides_); }

  void condition_values(const Expression& e, View out) const {
    e.condition_values({x_.data(), size_}, sides_, out);
  }

  // The same of a law of one variable.
  double law(const Expression& e, double x, double& slope) const {
    return e.gradient({&x, 1}, {&slope, 1}, sides_);
  }

  void law_condition_values(const Expression& e, double x, View out) const {
    e.condition_values({&x, 1}, sides_, out);
  }

  struct Slope {
    double value = 0, measure = 0, rate = 0;
  };

  Slope slope(const Expression& e) {
    const double value = e.gradient({x_.data(), size_}, {d_.data(), size_}, sides_);
    return {value, d_[1], d_[2]};
  }

  Slope input_slope(const Expression& e, int k) {  // to value and rate of the k-th request
    const double value = e.gradient({x_.data(), size_}, {d_.data(), size_}, sides_);
    return {
        value, d_[3 + 2 * static_cast<std::size_t>(k)], d_[4 + 2 * static_cast<std::size_t>(k)]};
  }

 private:
  std::array<double, 3 + 2 * max_formula_inputs> x_, d_;
  std::size_t size_ = 3;
  std::span<const int> sides_;
};

// What a formula of these arguments depends on. The element's own measure follows from positions,
// its rate from positions and rates.
inline Dependence dependence_of(const Expression& e,
                                std::span<const int> requests,
                                const InputDependence& inputs) {
  Dependence d;
  d.time = e.uses(0);
  d.positions = e.uses(1) || e.uses(2);
  d.rates = e.uses(2);
  d.conditions = e.conditions() > 0;
  for (std::size_t k = 0; k < requests.size(); ++k) {
    const auto request = static_cast<std::size_t>(requests[k]);
    const int first = 3 + 2 * static_cast<int>(k);
    if (e.uses(first)) d |= inputs.value[request];
    if (e.uses(first + 1)) d |= inputs.rate[request];
  }
  return d;
}

}  // namespace cardan
