#pragma once
// The gyroscopic torque of spatial bodies, Q_omega = -omega x J omega in body axes, J about the
// mass centre. It does no work. Q_v d = -(d x J omega + omega x J d).
#include <vector>

#include "cardan/element/force/body_force_pool.h"
#include "cardan/math/rotation.h"

namespace cardan {

class GyroscopicPool final : public BodyForcePool {
 public:
  explicit GyroscopicPool(std::vector<Mat<3, 3>> inertias) : inertias_(std::move(inertias)) {}

  std::string_view type() const override { return "gyroscopic"; }

  int count() const override { return static_cast<int>(inertias_.size()); }

  void add_Q(const Motion& at, const Inputs&, View out) const override {
    for (int b = 0; b < count(); ++b) {
      const Vec<3> w = omega(at, b), torque = w.cross(inertia(b) * w);
      Eigen::Map<Vec<3>>(out.data() + 6 * b + 3) -= torque;
    }
  }

  void add_Q_q(const Motion&, const Inputs&, double, Blocks) const override {}

  void add_Q_v(const Motion& at, const Inputs&, double c, Blocks out) const override {
    for (int b = 0; b < count(); ++b) {
      const Slot slot = out.slots[static_cast<std::size_t>(b)];
      if (!slot) continue;
      const Vec<3> w = omega(at, b);
      block_at<6, 6>(out.values, slot).bottomRightCorner<3, 3>() +=
          c * (skew(inertia(b) * w) - skew(w) * inertia(b));
    }
  }

  Dependence dependence(int, const InputDependence&) const override { return {.rates = true}; }

  double potential(const Config&) const override { return 0; }

 private:
  const Mat<3, 3>& inertia(int b) const { return inertias_[static_cast<std::size_t>(b)]; }

  static Vec<3> omega(const Motion& at, int b) {
    return Eigen::Map<const Vec<3>>(at.v.data() + 6 * b + 3);
  }

  std::vector<Mat<3, 3>> inertias_;
};

}  // namespace cardan
