#pragma once
// factor_a a(q) + factor_b b(q) - c of two single equations a and b, each between two bodies of its
// own: a relation of two joint coordinates. Everything is a sum; the sides of a come first.
#include "cardan/element/pair.h"

namespace cardan {

template <class A, class B> struct WeightedSum {
  static constexpr int D = 3, rows = 1, sides = 4;
  using Poses = std::array<Pose<3>, 4>;
  using Twists = std::array<Twist<3>, 4>;
  using Row = std::array<Mat<1, 6>, 4>;

  A a;
  B b;
  double factor_a = 1, factor_b = 1, c = 0, pitch = 0;  // known up to multiples of pitch
  std::array<int, 4> body{};

  WeightedSum(A first, B second, double first_factor, double second_factor)
      : a(std::move(first)),
        b(std::move(second)),
        factor_a(first_factor),
        factor_b(second_factor),
        body{a.body[0], a.body[1], b.body[0], b.body[1]} {}

  double period() const { return pitch; }

  Vec<1> phi(const Poses& p) const {
    return factor_a * a.phi(first(p)) + factor_b * b.phi(second(p)) - Vec<1>(c);
  }

  void unwind(const Poses& p, CView q, Vec<1>& value) const {
    Vec<1> turns = Vec<1>::Zero();
    if constexpr (requires { a.unwind(first(p), q, turns); }) a.unwind(first(p), q, turns);
    value += factor_a * turns;
    turns.setZero();
    if constexpr (requires { b.unwind(second(p), q, turns); }) b.unwind(second(p), q, turns);
    value += factor_b * turns;
  }

  Row phi_q(const Poses& p) const { return joined(a.phi_q(first(p)), b.phi_q(second(p))); }

  Vec<1> gamma(const Poses& p, const Twists& v) const {
    return factor_a * a.gamma(first(p), first(v)) + factor_b * b.gamma(second(p), second(v));
  }

  Row phi_q_a_q(const Poses& p, const Twists& v) const {
    return joined(a.phi_q_a_q(first(p), first(v)), b.phi_q_a_q(second(p), second(v)));
  }

  Row gamma_q(const Poses& p, const Twists& v) const {
    return joined(a.gamma_q(first(p), first(v)), b.gamma_q(second(p), second(v)));
  }

  Row gamma_v(const Poses& p, const Twists& v) const {
    return joined(a.gamma_v(first(p), first(v)), b.gamma_v(second(p), second(v)));
  }

  std::array<Mat<6, 6>, 16> phi_qT_lambda_q(const Poses& p, const Vec<1>& lambda) const {
    const auto from_a = a.phi_qT_lambda_q(first(p), Vec<1>(factor_a * lambda));
    const auto from_b = b.phi_qT_lambda_q(second(p), Vec<1>(factor_b * lambda));
    std::array<Mat<6, 6>, 16> out;
    for (auto& block : out) block.setZero();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        out[4 * i + j] = from_a[2 * i + j];
        out[4 * (i + 2) + j + 2] = from_b[2 * i + j];
      }
    return out;
  }

 private:
  template <class X> static std::array<X, 2> first(const std::array<X, 4>& x) {
    return {x[0], x[1]};
  }

  template <class X> static std::array<X, 2> second(const std::array<X, 4>& x) {
    return {x[2], x[3]};
  }

  Row joined(const std::array<Mat<1, 6>, 2>& from_a, const std::array<Mat<1, 6>, 2>& from_b) const {
    return {factor_a * from_a[0], factor_a * from_a[1], factor_b * from_b[0], factor_b * from_b[1]};
  }
};

}  // namespace cardan
