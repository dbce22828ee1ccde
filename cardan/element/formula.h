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

}  // namespace cardan
