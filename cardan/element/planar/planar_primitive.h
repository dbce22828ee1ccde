#pragma once
// Primitives of the plane that use the bodies' angles, which count turns: relative angle, rack and
// pinion, gear pair, and the three coordinates of a bushing. Formulas: docs/theory/elements.md.
#include <numbers>

#include "cardan/element/primitive.h"
#include "cardan/math/elementary.h"

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

  template <class T> Vec<1, T> f(const X<T>& x) const {
    using elementary::atan2;
    const Vec<2, T> d = x[1] - x[0];
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

  template <class T> static Complex<T> inverse(const X<T>& x) {
    const Vec<2, T> d = x[1] - x[0];
    const T scale = 1 / d.squaredNorm();
    return {d.x() * scale, -d.y() * scale};
  }

  template <class T> static Complex<T> difference(const X<T>& u) {
    return {u[1].x() - u[0].x(), u[1].y() - u[0].y()};
  }

  template <class T>
  static G<T> imaginary_part(const Complex<T>& k, double factor) {  // w -> factor Im(k w)
    return spread<T>(Mat<1, 2, T>(k.im * factor, k.re * factor));
  }

  template <class T> G<T> f_x(const X<T>& x) const {
    return imaginary_part<T>(inverse<T>(x), -sum());
  }

  template <class T> G<T> bend(const X<T>& x, const X<T>& u) const {
    const Complex<T> k = inverse<T>(x);
    return imaginary_part<T>(k * k * difference<T>(u), sum());
  }

  template <class T> H<T> hess(const X<T>& x, const Vec<1, T>& mu) const {
    const Complex<T> k = inverse<T>(x) * inverse<T>(x);
    Mat<2, 2, T> h;
    h << k.im, k.re, k.re, -k.im;
    return spread_square<T>(h * T(mu[0] * sum()));
  }

  template <class T> G<T> flex(const X<T>& x, const X<T>& u) const {
    const Complex<T> k = inverse<T>(x), w = difference<T>(u);
    return imaginary_part<T>(k * k * k * w * w, -2 * sum());
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

  template <class T> Vec<3, T> f(const X<T>& x) const {
    const Vec<2, T> d = x[3] - x[2];
    return {x[0].dot(d), x[1].dot(d), T(0)};
  }

  template <class T> G<T> f_x(const X<T>& x) const {
    G<T> g;
    g.fill(Mat<3, 2, T>::Zero());
    for (int r = 0; r < 2; ++r) {
      g[r].row(r) = (x[3] - x[2]).transpose();
      g[2].row(r) = -x[r].transpose();
      g[3].row(r) = x[r].transpose();
    }
    return g;
  }

  template <class T> G<T> bend(const X<T>&, const X<T>& u) const { return f_x<T>(u); }

  template <class T> H<T> hess(const X<T>&, const Vec<3, T>& mu) const {
    H<T> h;
    h.fill(Mat<2, 2, T>::Zero());
    for (int r = 0; r < 2; ++r) {
      const Mat<2, 2, T> m = Mat<2, 2, T>::Identity() * mu[r];
      h[4 * r + 2] = h[8 + r] = -m;
      h[4 * r + 3] = h[12 + r] = m;
    }
    return h;
  }
};

}  // namespace cardan
