#pragma once
// Primitives: functions f(x) of features x, written once for plane and space.
//
// A primitive names its features (side[k] of the pair, point[k] or direction) and gives
//   f, f_x, bend(x, u) = (f_x u)_x, hess(x, mu) = (f_x^T mu)_x,
// and for degree 3 flex(x, u) = (bend(x, u) u)_x, with one block per feature. degree 1: linear, no
// bend; 2: quadratic, bend and hess do not depend on x; 3: the rest. A planar primitive may add a
// function of the bodies' angles: row turn_row gets turn(theta), theta = sum of turn_weight[side] *
// angle[side]; turn returns its first three derivatives. Formulas: docs/theory/elements.md.
#include <array>
#include <cmath>
#include <string_view>

#include "cardan/element/feature.h"

namespace cardan {

template <class T> struct TurnJet {  // value and derivatives to theta
  T f, d, dd, ddd;
};

template <int D_, int rows_, int n_x_, int degree_> struct PrimitiveShape {
  static constexpr int D = D_, rows = rows_, n_x = n_x_, degree = degree_, sides = 2;
  static constexpr bool turns = false;
  template <class T> using X = std::array<Vec<D_, T>, n_x_>;  // the features
  template <class T> using F = Vec<rows_, T>;
  template <class T> using G = std::array<Mat<rows_, D_, T>, n_x_>;
  template <class T>
  using H = std::array<Mat<D_, D_, T>, std::size_t{n_x_} * n_x_>;  // [k * n_x + l]

  std::array<Vec<D_>, n_x_> s;  // the features in their bodies' frames
};

// Two points, one on each side: functions of d = x_1 - x_0.
template <int D_, int rows_, int degree_> struct TwoPoints : PrimitiveShape<D_, rows_, 2, degree_> {
  using Base = PrimitiveShape<D_, rows_, 2, degree_>;
  static constexpr std::array<int, 2> side{0, 1};
  static constexpr std::array<bool, 2> point{true, true};

  template <class T>
  static std::array<Mat<rows_, D_, T>, 2> spread(const Mat<rows_, D_, T>& g) {  // f_d -> f_x
    return {-g, g};
  }

  template <class T> static std::array<Mat<D_, D_, T>, 4> spread_square(const Mat<D_, D_, T>& h) {
    return {h, -h, -h, h};
  }
};

// x_1 - x_0 = 0: revolute in the plane, spherical in space.
template <int D_> struct Coincident : TwoPoints<D_, D_, 1> {
  using Base = TwoPoints<D_, D_, 1>;
  template <class T> using X = typename Base::template X<T>;

  template <class T> Vec<D_, T> f(const X<T>& x) const { return x[1] - x[0]; }

  template <class T> std::array<Mat<D_, D_, T>, 2> f_x(const X<T>&) const {
    return Base::template spread<T>(Mat<D_, D_, T>::Identity());
  }

  template <class T>
  Vec<D_, T> push(const X<T>&, const X<T>& u) const {  // f_x u without its ones and zeros
    return u[1] - u[0];
  }
};

// Component axis of x_1 - x_0 in global axes, less c.
template <int D_, int axis> struct Coordinate : TwoPoints<D_, 1, 1> {
  using Base = TwoPoints<D_, 1, 1>;
  template <class T> using X = typename Base::template X<T>;
  double c = 0;

  template <class T> Vec<1, T> f(const X<T>& x) const {
    return Vec<1, T>(T(x[1][axis] - x[0][axis] - c));
  }

  template <class T> std::array<Mat<1, D_, T>, 2> f_x(const X<T>&) const {
    return Base::template spread<T>(Vec<D_, T>::Unit(axis).transpose());
  }
};

// (d.d - c^2) / (2c): quadratic, and its gradient has length 1 where it vanishes, so lambda is the
// force in the link.
template <int D_> struct Distance : TwoPoints<D_, 1, 2> {
  using Base = TwoPoints<D_, 1, 2>;
  template <class T> using X = typename Base::template X<T>;
  double c = 1;

  template <class T> Vec<1, T> f(const X<T>& x) const {
    return Vec<1, T>(T(((x[1] - x[0]).squaredNorm() - c * c) * (0.5 / c)));
  }

  template <class T> std::array<Mat<1, D_, T>, 2> f_x(const X<T>& x) const {
    return Base::template spread<T>((x[1] - x[0]).transpose() * T(1 / c));
  }

  template <class T> std::array<Mat<1, D_, T>, 2> bend(const X<T>&, const X<T>& u) const {
    return f_x<T>(u);
  }

  template <class T> std::array<Mat<D_, D_, T>, 4> hess(const X<T>&, const Vec<1, T>& mu) const {
    return Base::template spread_square<T>(Mat<D_, D_, T>::Identity() * T(mu[0] / c));
  }
};

// |d| - c: what a distance driver or a spring measures. Where d = 0 the direction is undefined and
// taken as zero.
template <int D_> struct Length : TwoPoints<D_, 1, 3> {
  using Base = TwoPoints<D_, 1, 3>;
  template <class T> using X = typename Base::template X<T>;
  double c = 0;

  template <class T> struct Direction {
    Vec<D_, T> u;
    T inverse;  // 1/|d|
  };

  template <class T> static Direction<T> direction(const X<T>& x) {
    using std::sqrt;
    const Vec<D_, T> d = x[1] - x[0];
    const T dd = d.squaredNorm();
    const T inverse = dd > T(0) ? T(1 / sqrt(dd)) : T(0);
    return {d * inverse, inverse};
  }

  template <class T> Vec<1, T> f(const X<T>& x) const {
    return Vec<1, T>(T(direction<T>(x).u.dot(x[1] - x[0]) - c));
  }

  template <class T> std::array<Mat<1, D_, T>, 2> f_x(const X<T>& x) const {
    return Base::template spread<T>(direction<T>(x).u.transpose());
  }

  template <class T>  // w^T (I - n n^T) / l with w = u_1 - u_0
  std::array<Mat<1, D_, T>, 2> bend(const X<T>& x, const X<T>& u) const {
    const auto [n, inverse] = direction<T>(x);
    const Vec<D_, T> w = u[1] - u[0];
    return Base::template spread<T>(((w - n * n.dot(w)) * inverse).transpose());
  }

  template <class T> std::array<Mat<D_, D_, T>, 4> hess(const X<T>& x, const Vec<1, T>& mu) const {
    const auto [n, inverse] = direction<T>(x);
    return Base::template spread_square<T>((Mat<D_, D_, T>::Identity() - n * n.transpose()) *
                                           T(mu[0] * inverse));
  }

  template <class T>  // gradient of (w.w - (n.w)^2) / l
  std::array<Mat<1, D_, T>, 2> flex(const X<T>& x, const X<T>& u) const {
    const auto [n, inverse] = direction<T>(x);
    const Vec<D_, T> w = u[1] - u[0];
    const T along = n.dot(w), across = w.squaredNorm() - along * along;
    const Vec<D_, T> g = -(n * across + (w - n * along) * T(2 * along)) * T(inverse * inverse);
    return Base::template spread<T>(g.transpose());
  }
};

// a_0 . a_1 - c of two directions.
template <int D_> struct Dot1 : PrimitiveShape<D_, 1, 2, 2> {
  static constexpr std::array<int, 2> side{0, 1};
  static constexpr std::array<bool, 2> point{false, false};
  template <class T> using X = std::array<Vec<D_, T>, 2>;
  double c = 0;

  template <class T> Vec<1, T> f(const X<T>& x) const { return Vec<1, T>(T(x[0].dot(x[1]) - c)); }

  template <class T> std::array<Mat<1, D_, T>, 2> f_x(const X<T>& x) const {
    return {x[1].transpose(), x[0].transpose()};
  }

  template <class T> std::array<Mat<1, D_, T>, 2> bend(const X<T>&, const X<T>& u) const {
    return f_x<T>(u);
  }

  template <class T> std::array<Mat<D_, D_, T>, 4> hess(const X<T>&, const Vec<1, T>& mu) const {
    const Mat<D_, D_, T> zero = Mat<D_, D_, T>::Zero(), h = Mat<D_, D_, T>::Identity() * mu[0];
    return {zero, h, h, zero};
  }
};

// a . (x_1 - x_0) - c: features a and x_0 on side 0, x_1 on side 1. Displacement along a, or
// distance from a line.
template <int D_> struct Dot2 : PrimitiveShape<D_, 1, 3, 2> {
  static constexpr std::array<int, 3> side{0, 0, 1};
  static constexpr std::array<bool, 3> point{false, true, true};
  template <class T> using X = std::array<Vec<D_, T>, 3>;
  double c = 0;

  template <class T> Vec<1, T> f(const X<T>& x) const {
    return Vec<1, T>(T(x[0].dot(x[2] - x[1]) - c));
  }

  template <class T> std::array<Mat<1, D_, T>, 3> f_x(const X<T>& x) const {
    return {(x[2] - x[1]).transpose(), -x[0].transpose(), x[0].transpose()};
  }

  template <class T> std::array<Mat<1, D_, T>, 3> bend(const X<T>&, const X<T>& u) const {
    return f_x<T>(u);
  }

  template <class T> std::array<Mat<D_, D_, T>, 9> hess(const X<T>&, const Vec<1, T>& mu) const {
    const Mat<D_, D_, T> o = Mat<D_, D_, T>::Zero(), h = Mat<D_, D_, T>::Identity() * mu[0];
    return {o, -h, h, -h, o, o, h, o, o};
  }
};

}  // namespace cardan
