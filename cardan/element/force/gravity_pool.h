#pragma once
// Weight m g of every body at its mass centre, with the potential -m g.r. Constant in the
// coordinates.
#include <vector>

#include "cardan/element/force/body_force_pool.h"

namespace cardan {

class GravityPool final : public BodyForcePool {
 public:
  GravityPool(int dimension, const Vec<3>& acceleration, CView masses)
      : dimension_(dimension), acceleration_(acceleration), masses_(masses.begin(), masses.end()) {}

  std::string_view type() const override { return "gravity"; }

  int count() const override { return static_cast<int>(masses_.size()); }

  void add_Q(const Motion&, const Inputs&, View out) const override {
    const std::size_t stride = dimension_ == 2 ? 3 : 6;
    for (std::size_t b = 0; b < masses_.size(); ++b)
      for (int k = 0; k < dimension_; ++k) out[stride * b + k] += masses_[b] * acceleration_[k];
  }

  void add_Q_q(const Motion&, const Inputs&, double, Blocks) const override {}

  void add_Q_v(const Motion&, const Inputs&, double, Blocks) const override {}

  Dependence dependence(int, const InputDependence&) const override { return {}; }

  double potential(const Config& at) const override {
    const std::size_t stride = dimension_ == 2 ? 3 : 7;
    double sum = 0;
    for (std::size_t b = 0; b < masses_.size(); ++b)
      for (int k = 0; k < dimension_; ++k)
        sum -= masses_[b] * acceleration_[k] * at.q[stride * b + k];
    return sum;
  }

 private:
  int dimension_;
  Vec<3> acceleration_;
  std::vector<double> masses_;
};

}  // namespace cardan
