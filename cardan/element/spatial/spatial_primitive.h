#pragma once
// Primitives of space beside those of primitive.h. Each end of an element is a frame with origin x
// and unit directions f (across), g = h x f, h (axis); d = x_j - x_i. Formulas:
// docs/theory/elements.md.
#include "cardan/element/spatial/dot_form.h"
#include "cardan/math/elementary.h"

namespace cardan {

// Parallel axes, as small turns of j about f_i and g_i: (-g_i.h_j, f_i.h_j). Features f_i, g_i,
// h_j.
struct Parallel1 : DotRows<Parallel1, 2, 3> {
  static constexpr std::array<int, 3> side{0, 0, 1};
  static constexpr std::array<bool, 3> point{false, false, false};
  static constexpr std::array<DotTerm, 2> terms{{{0, 1, 2, -1}, {1, 0, 2, 1}}};
};

// x_j on the axis of i: (f_i.d, g_i.d). Features f_i, g_i, x_i, x_j.
struct Parallel2 : DotRows<Parallel2, 2, 4> {
  static constexpr std::array<int, 4> side{0, 0, 0, 1};
  static constexpr std::array<bool, 4> point{false, false, true, true};
  static constexpr std::array<DotTerm, 4> terms{
      {{0, 0, 3, 1}, {0, 0, 2, -1}, {1, 1, 3, 1}, {1, 1, 2, -1}}};
};

// Bending without twist: (g_i.f_j - f_i.g_j) / 2. Features f_i, g_i, f_j, g_j.
struct Untwisted : DotRows<Untwisted, 1, 4> {
  static constexpr std::array<int, 4> side{0, 0, 1, 1};
  static constexpr std::array<bool, 4> point{false, false, false, false};
  static constexpr std::array<DotTerm, 2> terms{{{0, 1, 2, 0.5}, {0, 0, 3, -0.5}}};
};

// Angle of direction c of side 1 about f x g of side 0, counted from f towards g. Features f, g, c.
struct Azimuth : AngleSum<Azimuth, 3, 0, 1> {
  static constexpr std::array<int, 3> side{0, 0, 1};
  static constexpr std::array<bool, 3> point{false, false, false};
  static constexpr std::array<DotTerm, 2> terms{{{0, 0, 2, 1}, {1, 1, 2, 1}}};
};

// h_i.d less lead/(2 pi) times the angle of j about h_i. Features h_i, x_i, f_i, g_i, x_j, f_j.
struct Helix : AngleSum<Helix, 6, 1, 1> {
  static constexpr std::array<int, 6> side{0, 0, 0, 0, 1, 1};
  static constexpr std::array<bool, 6> point{false, true, false, false, true, false};
  static constexpr std::array<DotTerm, 4> terms{
      {{0, 0, 4, 1}, {0, 0, 1, -1}, {1, 2, 5, 1}, {2, 3, 5, 1}}};
};

// h_i.d and h_j.d with factors. Features h_i, x_i, h_j, x_j.
struct BothAxes : AngleSum<BothAxes, 4, 2, 0> {
  static constexpr std::array<int, 4> side{0, 0, 1, 1};
  static constexpr std::array<bool, 4> point{false, true, false, true};
  static constexpr std::array<DotTerm, 4> terms{
      {{0, 0, 3, 1}, {0, 0, 1, -1}, {1, 2, 3, 1}, {1, 2, 1, -1}}};
};

// ((f.d)^2 + (g.d)^2 - R^2) / (2R): distance R from the axis of i. Features f_i, g_i, x_i, x_j.
struct Radial : QuadraticDots<Radial, 4, 2> {
  static constexpr std::array<int, 4> side = Parallel2::side;
  static constexpr std::array<bool, 4> point = Parallel2::point;
  static constexpr std::array<DotTerm, 4> terms = Parallel2::terms;

  void set_radius(double R) {
    K = Mat<2, 2>::Identity() / R;
    c = 0.5 * R;
  }
};

// sqrt((f.d)^2 + (g.d)^2) - c: distance from the axis of i, what a contact with a cylinder
// measures. On the axis its direction is undefined and taken as zero. Features f_i, g_i, x_i, x_j.
struct AxisDistance : DotFunction<AxisDistance, 1, 4, 2> {
  static constexpr std::array<int, 4> side = Parallel2::side;
  static constexpr std::array<bool, 4> point = Parallel2::point;
  static constexpr std::array<DotTerm, 4> terms = Parallel2::terms;
  double c = 0;

  template <class T> Vec<1, T> value(const Vec<2, T>& m) const {
    return Vec<1, T>(T(direction<T>(m).n.dot(m) - c));
  }

  template <class T> Mat<1, 2, T> slope(const Vec<2, T>& m) const {
    return direction<T>(m).n.transpose();
  }

  template <class T> Mat<1, 2, T> bent(const Vec<2, T>& m, const Vec<2, T>& w) const {
    const auto [n, inverse] = direction<T>(m);
    return ((w - n * n.dot(w)) * inverse).transpose();
  }

  template <class T> Mat<2, 2, T> curved(const Vec<2, T>& m, const Vec<1, T>& mu) const {
    const auto [n, inverse] = direction<T>(m);
    return (Mat<2, 2, T>::Identity() - n * n.transpose()) * T(mu[0] * inverse);
  }

  template <class T> Mat<1, 2, T> third(const Vec<2, T>& m, const Vec<2, T>& w) const {
    const auto [n, inverse] = direction<T>(m);
    const T along = n.dot(w), across = w.squaredNorm() - along * along;
    return -((n * across + (w - n * along) * T(2 * along)) * T(inverse * inverse)).transpose();
  }

 private:
  template <class T> struct Direction {
    Vec<2, T> n;
    T inverse;  // of the distance
  };

  template <class T> static Direction<T> direction(const Vec<2, T>& m) {
    using std::sqrt;
    const T mm = m.squaredNorm();
    const T inverse = mm > T(0) ? T(1 / sqrt(mm)) : T(0);
    return {m * inverse, inverse};
  }
};

// Moment of the two axes, h_i.(d x h_j) = (f_i.d)(g_i.h_j) - (g_i.d)(f_i.h_j): distance of the
// lines times the sine of their angle. Features f_i, g_i, x_i, x_j, h_j.
struct MutualMoment : QuadraticDots<MutualMoment, 5, 4> {
  static constexpr std::array<int, 5> side{0, 0, 0, 1, 1};
  static constexpr std::array<bool, 5> point{false, false, true, true, false};
  static constexpr std::array<DotTerm, 6> terms{
      {{0, 0, 3, 1}, {0, 0, 2, -1}, {1, 1, 3, 1}, {1, 1, 2, -1}, {2, 0, 4, 1}, {3, 1, 4, 1}}};

  MutualMoment() {
    K(0, 3) = K(3, 0) = 1;
    K(1, 2) = K(2, 1) = -1;
  }
};

// asin(a_0.a_1): the middle one of three angles. Features a_0, a_1.
struct Inclination : DotFunction<Inclination, 1, 2, 1> {
  static constexpr std::array<int, 2> side{0, 1};
  static constexpr std::array<bool, 2> point{false, false};
  static constexpr std::array<DotTerm, 1> terms{{{0, 0, 1, 1}}};
  double sign = 1, c = 0;  // sign * asin - c

  template <class T> Vec<1, T> value(const Vec<1, T>& m) const {
    using elementary::asin;
    return Vec<1, T>(T(sign * asin(m[0]) - c));
  }

  template <class T> Vec<1, T> slope(const Vec<1, T>& m) const {
    return Vec<1, T>(T(sign * secant<T>(m)));
  }

  template <class T> Vec<1, T> bent(const Vec<1, T>& m, const Vec<1, T>& w) const {
    return Vec<1, T>(T(second<T>(m) * w[0]));
  }

  template <class T> Vec<1, T> curved(const Vec<1, T>& m, const Vec<1, T>& mu) const {
    return Vec<1, T>(T(second<T>(m) * mu[0]));
  }

  template <class T> Vec<1, T> third(const Vec<1, T>& m, const Vec<1, T>& w) const {
    const T a = secant<T>(m), a3 = a * a * a;
    return Vec<1, T>(T(sign * (a3 + 3 * m[0] * m[0] * a3 * a * a) * w[0] * w[0]));
  }

 private:
  template <class T> static T secant(const Vec<1, T>& m) {
    using std::sqrt;
    return 1 / sqrt(T(1 - m[0] * m[0]));
  }

  template <class T> T second(const Vec<1, T>& m) const {
    const T a = secant<T>(m);
    return sign * m[0] * a * a * a;
  }
};

}  // namespace cardan
