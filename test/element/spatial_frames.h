#pragma once
// Frames in two bodies, and poses of the second in which its frame is at a given place of the
// first.
#include <random>
#include <vector>

#include "cardan/element/feature.h"
#include "test/element/derivatives.h"

namespace cardan::test {

struct Motionlaw final : Function {
  Jet at(double t) const override {
    return {0.3 + 0.7 * t + std::sin(2 * t), 0.7 + 2 * std::cos(2 * t), -4 * std::sin(2 * t)};
  }

  bool constant() const override { return false; }
};

// Frames in two bodies, neither along the body axes.
inline ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.3, -0.7, 0.2}, {0.6, 0.9, -0.3}, {0.5, 0.1, 0.8}};
  spec.ends[1] = {j, {-0.4, 0.2, 0.5}, {-0.3, 0.5, 0.7}, {0.9, 0.2, 0.1}};
  return spec;
}

inline Vec<3> unit(const Vec<3>& x) {
  return x.normalized();
}

// Rotation matrix of an end's frame in its body.
inline Mat<3, 3> frame_of(const ElementEnd& end) {
  Mat<3, 3> F;
  const Vec<3> h = unit(end.axis), f = unit(end.across - h * h.dot(end.across));
  F << f, h.cross(f), h;
  return F;
}

// Coordinates of body 1 such that its end is at `shift` and turned by R, both in axes of end 0.
inline std::vector<double> placed(const ElementSpec& spec,
                                  const std::vector<double>& body0,
                                  const Vec<3>& shift,
                                  const Mat<3, 3>& R) {
  const Mat<3, 3> A0 = rotation_matrix(body0.data() + 3);
  const Vec<3> r0(body0[0], body0[1], body0[2]);
  const Mat<3, 3> F = A0 * frame_of(spec.ends[0]);
  const Mat<3, 3> A1 = F * R * frame_of(spec.ends[1]).transpose();
  const Vec<3> r1 = r0 + A0 * spec.ends[0].point + F * shift - A1 * spec.ends[1].point;
  const Eigen::Quaterniond e(A1);
  std::vector<double> q = body0;
  q.insert(q.end(), {r1.x(), r1.y(), r1.z(), e.w(), e.x(), e.y(), e.z()});
  return q;
}

inline std::vector<double> random_body(std::mt19937& rng) {
  const RandomState s = random_state(3, 1, rng);
  return {s.q.data(), s.q.data() + 7};
}

inline Mat<3, 3> turn(double angle, const Vec<3>& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

inline double any(std::mt19937& rng) {
  return std::uniform_real_distribution<>(-1.2, 1.2)(rng);
}

inline const Vec<3> X{1, 0, 0}, Y{0, 1, 0}, Z{0, 0, 1}, O{0, 0, 0};

inline Vec<3> any_vector(std::mt19937& rng) {
  return {any(rng), any(rng), any(rng)};
}

inline Mat<3, 3> any_turn(std::mt19937& rng) {
  return turn(2 * any(rng), any_vector(rng));
}

inline std::vector<double> phi_of(const ConstraintSet& set, const std::vector<double>& q) {
  std::vector<double> all;
  for (int k = 0; k < set.pool_count(); ++k) {
    std::vector<double> phi(static_cast<std::size_t>(set.pool(k).count() * set.pool(k).rows()));
    set.pool(k).phi({0, q}, phi);
    all.insert(all.end(), phi.begin(), phi.end());
  }
  return all;
}

}  // namespace cardan::test
