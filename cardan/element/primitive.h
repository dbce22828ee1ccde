#pragma once
// Primitives: functions f(x) of features x, written once for plane and space.
//
// A primitive names its features (side[k] of the pair, point[k] or direction) and gives
//   f, f_x, bend(x, u) = (f_x u)_x, hess(x, mu) = (f_x^T mu)_x, and for degree 3 flex(x, u) =
//   (bend(x, u) u)_x.
// degree 1: linear, no bend; 2: quadratic, bend and hess do not depend on x; 3: anything else.
// A planar primitive may add a function of the bodies' angles: row turn_row gets turn(theta), theta
// = sum of turn_weight[side] * angle[side]; turn returns its first three derivatives. Formulas:
// docs/theory/elements.md.
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
  template <class T> using X = Vec<D_ * n_x_, T>;  // the features, one after the other
  template <class T> using F = Vec<rows_, T>;
  template <class T> using G = Mat<rows_, D_ * n_x_, T>;
  template <class T> using H = Mat<D_ * n_x_, D_ * n_x_, T>;

  std::array<Vec<D_>, n_x_> s;  // the features in their bodies' frames
};

// Two points, one on each side; most primitives are functions of d = x_1 - x_0.
template <int D_, int rows_, int degree_> struct TwoPoints : PrimitiveShape<D_, rows_, 2, degree_> {
  using Base = PrimitiveShape<D_, rows_, 2, degree_>;
  static constexpr std::array<int, 2> side{0, 1};
  static constexpr std::array<bool, 2> point{true, true};

  template <class V> static auto difference(const V& x) {
    return (x.template tail<D_>() - x.template head<D_>()).eval();
  }

  template <class T>
  static typename Base::template G<T> spread(const Mat<rows_, D_, T>& g) {  // f_d -> f_x
    typename Base::template G<T> out;
    out << -g, g;
    return out;
  }

  template <class T> static typename Base::template H<T> spread_square(const Mat<D_, D_, T>& h) {
    typename Base::template H<T> out;
    out << h, -h, -h, h;
    return out;
  }
};

// x_1 - x_0 = 0: revolute in the plane, spherical in space.
template <int D_> struct Coincident : TwoPoints<D_, D_, 1> {
  using Base = TwoPoints<D_, D_, 1>;

  template <class T> Vec<D_, T> f(const Vec<2 * D_, T>& x) const { return Base::difference(x); }

  template <class T> Mat<D_, 2 * D_, T> f_x(const Vec<2 * D_, T>&) const {
    return Base::template spread<T>(Mat<D_, D_, T>::Identity());
  }

  template <class T> Vec<D_, T> push(const Vec<2 * D_, T>&, const Vec<2 * D_, T>& u) const {
    return Base::difference(u);
  }
};

// Component axis of x_1 - x_0 in global axes, less c.
template <int D_, int axis> struct Coordinate : TwoPoints<D_, 1, 1> {
  using Base = TwoPoints<D_, 1, 1>;
  double c = 0;

  template <class T> Vec<1, T> f(const Vec<2 * D_, T>& x) const {
    return Vec<1, T>(T(x[D_ + axis] - x[axis] - c));
  }

  template <class T> Mat<1, 2 * D_, T> f_x(const Vec<2 * D_, T>&) const {
    Mat<1, 2 * D_, T> g = Mat<1, 2 * D_, T>::Zero();
    g[axis] = T(-1);
    g[D_ + axis] = T(1);
    return g;
  }
};

// (d.d - c^2) / (2c): quadratic, and its gradient has length 1 where it vanishes, so lambda is the
// force in the link.
template <int D_> struct Distance : TwoPoints<D_, 1, 2> {
  using Base = TwoPoints<D_, 1, 2>;
  double c = 1;

  template <class T> Vec<1, T> f(const Vec<2 * D_, T>& x) const {
    return Vec<1, T>(T((Base::difference(x).squaredNorm() - c * c) * (0.5 / c)));
  }

  template <class T> Mat<1, 2 * D_, T> f_x(const Vec<2 * D_, T>& x) const {
    return Base::template spread<T>(Base::difference(x).transpose() * T(1 / c));
  }

  template <class T> Mat<1, 2 * D_, T> bend(const Vec<2 * D_, T>&, const Vec<2 * D_, T>& u) const {
    return f_x(u);
  }

  template <class T> Mat<2 * D_, 2 * D_, T> hess(const Vec<2 * D_, T>&, const Vec<1, T>& mu) const {
    return Base::template spread_square<T>(Mat<D_, D_, T>::Identity() * T(mu[0] / c));
  }
};

// |d| - c: what a distance driver or a spring measures. Where d = 0 the direction is undefined and
// taken as zero.
template <int D_> struct Length : TwoPoints<D_, 1, 3> {
  using Base = TwoPoints<D_, 1, 3>;
  double c = 0;

  template <class T> struct Direction {
    Vec<D_, T> u;
    T inverse;  // 1/|d|
  };

  template <class T> static Direction<T> direction(const Vec<2 * D_, T>& x) {
    using std::sqrt;
    const Vec<D_, T> d = Base::difference(x);
    const T dd = d.squaredNorm();
    const T inverse = dd > T(0) ? T(1 / sqrt(dd)) : T(0);
    return {d * inverse, inverse};
  }

  template <class T> Vec<1, T> f(const Vec<2 * D_, T>& x) const {
    return Vec<1, T>(T(direction(x).u.dot(Base::difference(x)) - c));
  }

  template <class T> Mat<1, 2 * D_, T> f_x(const Vec<2 * D_, T>& x) const {
    return Base::template spread<T>(direction(x).u.transpose());
  }

  template <class T>  // w^T (I - u u^T) / l with w the difference of the argument
  Mat<1, 2 * D_, T> bend(const Vec<2 * D_, T>& x, const Vec<2 * D_, T>& u) const {
    const auto [n, inverse] = direction(x);
    const Vec<D_, T> w = Base::difference(u);
    return Base::template spread<T>(((w - n * n.dot(w)) * inverse).transpose());
  }

  template <class T>
  Mat<2 * D_, 2 * D_, T> hess(const Vec<2 * D_, T>& x, const Vec<1, T>& mu) const {
    const auto [n, inverse] = direction(x);
    const Mat<D_, D_, T> h = (Mat<D_, D_, T>::Identity() - n * n.transpose()) * T(mu[0] * inverse);
    return Base::template spread_square<T>(h);
  }

  template <class T>  // gradient of (w.w - (n.w)^2) / l
  Mat<1, 2 * D_, T> flex(const Vec<2 * D_, T>& x, const Vec<2 * D_, T>& u) const {
    const auto [n, inverse] = direction(x);
    const Vec<D_, T> w = Base::difference(u);
    const T along = n.dot(w), across = w.squaredNorm() - along * along;
    const Vec<D_, T> g = -(n * across + (w - n * along) * T(2 * along)) * T(inverse * inverse);
    return Base::template spread<T>(g.transpose());
  }
};

// a_0 . a_1 - c of two directions.
template <int D_> struct Dot1 : PrimitiveShape<D_, 1, 2, 2> {
  static constexpr std::array<int, 2> side{0, 1};
  static constexpr std::array<bool, 2> point{false, false};
  double c = 0;

  template <class T> Vec<1, T> f(const Vec<2 * D_, T>& x) const {
    return Vec<1, T>(T(x.template head<D_>().dot(x.template tail<D_>()) - c));
  }

  template <class T> Mat<1, 2 * D_, T> f_x(const Vec<2 * D_, T>& x) const {
    Mat<1, 2 * D_, T> g;
    g << x.template tail<D_>().transpose(), x.template head<D_>().transpose();
    return g;
  }

  template <class T> Mat<1, 2 * D_, T> bend(const Vec<2 * D_, T>&, const Vec<2 * D_, T>& u) const {
    return f_x(u);
  }

  template <class T> Mat<2 * D_, 2 * D_, T> hess(const Vec<2 * D_, T>&, const Vec<1, T>& mu) const {
    Mat<2 * D_, 2 * D_, T> h = Mat<2 * D_, 2 * D_, T>::Zero();
    h.template topRightCorner<D_, D_>().diagonal().setConstant(mu[0]);
    h.template bottomLeftCorner<D_, D_>().diagonal().setConstant(mu[0]);
    return h;
  }
};

// a . (x_1 - x_0) - c: features a and x_0 on side 0, x_1 on side 1. Displacement along a, or
// distance from a line.
template <int D_> struct Dot2 : PrimitiveShape<D_, 1, 3, 2> {
  static constexpr std::array<int, 3> side{0, 0, 1};
  static constexpr std::array<bool, 3> point{false, true, true};
  double c = 0;

  template <class T> Vec<1, T> f(const Vec<3 * D_, T>& x) const {
    const Vec<D_, T> d = x.template tail<D_>() - x.template segment<D_>(D_);
    return Vec<1, T>(T(x.template head<D_>().dot(d) - c));
  }

  template <class T> Mat<1, 3 * D_, T> f_x(const Vec<3 * D_, T>& x) const {
    const Vec<D_, T> a = x.template head<D_>();
    Mat<1, 3 * D_, T> g;
    g << (x.template tail<D_>() - x.template segment<D_>(D_)).transpose(), -a.transpose(),
        a.transpose();
    return g;
  }

  template <class T> Mat<1, 3 * D_, T> bend(const Vec<3 * D_, T>&, const Vec<3 * D_, T>& u) const {
    return f_x(u);
  }

  template <class T> Mat<3 * D_, 3 * D_, T> hess(const Vec<3 * D_, T>&, const Vec<1, T>& mu) const {
    Mat<3 * D_, 3 * D_, T> h = Mat<3 * D_, 3 * D_, T>::Zero();
    for (int k = 0; k < D_; ++k) {
      h(k, D_ + k) = h(D_ + k, k) = -mu[0];
      h(k, 2 * D_ + k) = h(2 * D_ + k, k) = mu[0];
    }
    return h;
  }
};

}  // namespace cardan
