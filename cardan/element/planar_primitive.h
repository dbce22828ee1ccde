#pragma once
// Primitives of the plane that use the bodies' angles, which count turns: relative angle, rack and
// pinion, gear pair, and the three coordinates of a bushing. Formulas: docs/theory/elements.md.
#include <numbers>

#include "cardan/element/primitive.h"

namespace cardan {

// angle_1 - angle_0 - c. Never wrapped.
struct Angle : PrimitiveShape<2, 1, 0, 1> {
  static constexpr bool turns = true;
  static constexpr int turn_row = 0;
  static constexpr std::array<int, 0> side{};
  static constexpr std::array<bool, 0> point{};
  std::array<double, 2> turn_weight{-1, 1};
  double c = 0;

  template <class T> TurnJet<T> turn(const T& theta) const {
    return {T(theta - c), T(1), T(0), T(0)};
  }
};

// Displacement of a pinion along a rack plus its rolling: a.(x_1 - x_0) + radius (angle_1 -
// angle_0) - c, the rack on side 0. The radius carries a sign: positive when the pinion's centre
// lies to the left of the axis a.
struct RackAndPinion : Dot2<2> {
  static constexpr bool turns = true;
  static constexpr int turn_row = 0;
  std::array<double, 2> turn_weight{0, 0};

  void set_radius(double signed_radius) { turn_weight = {-signed_radius, signed_radius}; }

  template <class T> TurnJet<T> turn(const T& theta) const { return {theta, T(1), T(0), T(0)}; }
};

// Pitch circles of radii r_0, r_1 roll on each other while the line of centres points along theta:
//   r_0 (angle_0 - theta) + r_1 (angle_1 - theta) - c, with r_1 negative for an internal gear.
// theta is known up to whole turns only: the branch is the one nearest to phi = 0.
struct GearPair : TwoPoints<2, 1, 3> {
  static constexpr bool turns = true;
  static constexpr int turn_row = 0;
  std::array<double, 2> turn_weight{1, 1};
  double c = 0;

  double sum() const { return turn_weight[0] + turn_weight[1]; }

  template <class T> TurnJet<T> turn(const T& theta) const {
    return {T(theta - c), T(1), T(0), T(0)};
  }

  template <class T> Vec<1, T> f(const Vec<4, T>& x) const {
    using std::atan2;
    const Vec<2, T> d = difference(x);
    return Vec<1, T>(T(-sum() * atan2(d.y(), d.x())));
  }

  template <class T> Vec<1, T> settle(const Vec<1, T>& phi) const {
    using std::floor;
    const double period = 2 * std::numbers::pi * sum();
    if (period == 0) return phi;  // internal gears of equal radii: theta does not enter
    return Vec<1, T>(T(phi[0] - period * floor(T(phi[0] * (1 / period) + 0.5))));
  }

  // theta = Im log z with z = d_x + i d_y, so derivatives along u, w are Im(u/z), -Im(u w/z^2), 2
  // Im(u u w/z^3).
  template <class T> struct Complex {
    T re, im;

    friend Complex operator*(const Complex& a, const Complex& b) {
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
  };

  template <class T> static Complex<T> inverse(const Vec<4, T>& x) {
    const Vec<2, T> d = difference(x);
    const T scale = 1 / d.squaredNorm();
    return {d.x() * scale, -d.y() * scale};
  }

  template <class T>
  Mat<1, 4, T> imaginary_part(const Complex<T>& k, double factor) const {  // w -> factor Im(k w)
    return spread<T>(Mat<1, 2, T>(k.im * factor, k.re * factor));
  }

  template <class T> Mat<1, 4, T> f_x(const Vec<4, T>& x) const {
    return imaginary_part(inverse(x), -sum());
  }

  template <class T> Mat<1, 4, T> bend(const Vec<4, T>& x, const Vec<4, T>& u) const {
    const Vec<2, T> w = difference(u);
    const Complex<T> k = inverse(x);
    return imaginary_part(k * k * Complex<T>{w.x(), w.y()}, sum());
  }

  template <class T> Mat<4, 4, T> hess(const Vec<4, T>& x, const Vec<1, T>& mu) const {
    const Complex<T> k = inverse(x) * inverse(x);
    Mat<2, 2, T> h;
    h << k.im, k.re, k.re, -k.im;
    return spread_square<T>(h * T(mu[0] * sum()));
  }

  template <class T> Mat<1, 4, T> flex(const Vec<4, T>& x, const Vec<4, T>& u) const {
    const Vec<2, T> d = difference(u);
    const Complex<T> k = inverse(x), w{d.x(), d.y()};
    return imaginary_part(k * k * k * w * w, -2 * sum());
  }
};

// Position of x_1 in axes of side 0 with origin x_0, and the relative angle: what a bushing
// deforms. Features: the axes a_x, a_y and x_0 on side 0, x_1 on side 1.
struct PlanarOffset : PrimitiveShape<2, 3, 4, 2> {
  static constexpr std::array<int, 4> side{0, 0, 0, 1};
  static constexpr std::array<bool, 4> point{false, false, true, true};
  static constexpr bool turns = true;
  static constexpr int turn_row = 2;
  std::array<double, 2> turn_weight{-1, 1};
  double c = 0;  // of the angle

  template <class T> TurnJet<T> turn(const T& theta) const {
    return {T(theta - c), T(1), T(0), T(0)};
  }

  template <class T> Vec<3, T> f(const Vec<8, T>& x) const {
    const Vec<2, T> d = x.template tail<2>() - x.template segment<2>(4);
    return {x.template head<2>().dot(d), x.template segment<2>(2).dot(d), T(0)};
  }

  template <class T> Mat<3, 8, T> f_x(const Vec<8, T>& x) const {
    const Vec<2, T> d = x.template tail<2>() - x.template segment<2>(4);
    Mat<3, 8, T> g = Mat<3, 8, T>::Zero();
    for (int r = 0; r < 2; ++r) {
      g.template block<1, 2>(r, 2 * r) = d.transpose();
      g.template block<1, 2>(r, 4) = -x.template segment<2>(2 * r).transpose();
      g.template block<1, 2>(r, 6) = x.template segment<2>(2 * r).transpose();
    }
    return g;
  }

  template <class T> Mat<3, 8, T> bend(const Vec<8, T>&, const Vec<8, T>& u) const {
    return f_x(u);
  }

  template <class T> Mat<8, 8, T> hess(const Vec<8, T>&, const Vec<3, T>& mu) const {
    Mat<8, 8, T> h = Mat<8, 8, T>::Zero();
    for (int r = 0; r < 2; ++r)
      for (int k = 2 * r; k < 2 * r + 2; ++k) {
        h(k, k - 2 * r + 4) = h(k - 2 * r + 4, k) = -mu[r];
        h(k, k - 2 * r + 6) = h(k - 2 * r + 6, k) = mu[r];
      }
    return h;
  }
};

}  // namespace cardan
