#pragma once
// Primitives and elements of wheels in space: gear wheels, rack and pinion, and rolling on a plane.
#include "cardan/element/spatial/spatial_primitive.h"

namespace cardan {

// Angle at which x_j is seen from i, about h_i and counted from f_i. Features f_i, g_i, x_i, x_j.
struct PointAzimuth : AngleSum<PointAzimuth, 4, 0, 1> {
  static constexpr std::array<int, 4> side = Parallel2::side;
  static constexpr std::array<bool, 4> point = Parallel2::point;
  static constexpr std::array<DotTerm, 4> terms = Parallel2::terms;
};

// w_i alpha_i + w_j alpha_j - c, where alpha is the angle at which a wheel sees the centre of the
// other one. Features f_i, g_i, x_i, f_j, g_j, x_j.
struct WheelPair : AngleSum<WheelPair, 6, 0, 2> {
  static constexpr std::array<int, 6> side{0, 0, 0, 1, 1, 1};
  static constexpr std::array<bool, 6> point{false, false, true, false, false, true};
  static constexpr std::array<DotTerm, 8> terms{{{0, 0, 5, 1},
                                                 {0, 0, 2, -1},
                                                 {1, 1, 5, 1},
                                                 {1, 1, 2, -1},
                                                 {2, 3, 2, 1},
                                                 {2, 3, 5, -1},
                                                 {3, 4, 2, 1},
                                                 {3, 4, 5, -1}}};
};

// a.(x_p - x_r) + w alpha - c: displacement of a pinion along its rack, and the angle alpha at
// which the pinion sees the direction a of the rack. Features a, x_r of the rack, x_p, f_p, g_p.
struct RackPinion : AngleSum<RackPinion, 5, 1, 1> {
  static constexpr std::array<int, 5> side{0, 0, 1, 1, 1};
  static constexpr std::array<bool, 5> point{false, true, true, false, false};
  static constexpr std::array<DotTerm, 4> terms{
      {{0, 0, 2, 1}, {0, 0, 1, -1}, {1, 3, 0, 1}, {2, 4, 0, 1}}};
};

// n.d - R sqrt(1 - (n.a)^2): height of the lowest point of a disc with axis a over a plane with
// normal n. Features n, x_i, x_j, a.
struct DiscHeight : DotFunction<DiscHeight, 1, 4, 2> {
  static constexpr std::array<int, 4> side{0, 0, 1, 1};
  static constexpr std::array<bool, 4> point{false, true, true, false};
  static constexpr std::array<DotTerm, 3> terms{{{0, 0, 2, 1}, {0, 0, 1, -1}, {1, 0, 3, 1}}};
  double radius = 1;

  template <class T> Vec<1, T> value(const Vec<2, T>& m) const {
    return Vec<1, T>(T(m[0] - radius * sine<T>(m)));
  }

  template <class T> Mat<1, 2, T> slope(const Vec<2, T>& m) const {
    return Mat<1, 2, T>(T(1), T(radius * m[1] / sine<T>(m)));
  }

  template <class T> Mat<1, 2, T> bent(const Vec<2, T>& m, const Vec<2, T>& w) const {
    return Mat<1, 2, T>(T(0), T(second<T>(m) * w[1]));
  }

  template <class T> Mat<2, 2, T> curved(const Vec<2, T>& m, const Vec<1, T>& mu) const {
    Mat<2, 2, T> out = Mat<2, 2, T>::Zero();
    out(1, 1) = second<T>(m) * mu[0];
    return out;
  }

  template <class T> Mat<1, 2, T> third(const Vec<2, T>& m, const Vec<2, T>& w) const {
    const T b = sine<T>(m), b2 = b * b;
    return Mat<1, 2, T>(T(0), T(3 * radius * m[1] / (b2 * b2 * b) * w[1] * w[1]));
  }

 private:
  template <class T> static T sine(const Vec<2, T>& m) {
    using std::sqrt;
    return sqrt(T(1 - m[1] * m[1]));
  }

  template <class T> T second(const Vec<2, T>& m) const {
    const T b = sine<T>(m);
    return radius / (b * b * b);
  }
};

// No slip of a sphere or a disc (side 1) on a plane (side 0): the material points that meet have
// one velocity along f_i and g_i. These rows exist at velocity level only. With u the unit vector
// from the contact to the centre (the normal n; for a disc with axis a, n less its part along a, to
// length one), rho = -R u, and c the arms of the contact point in the two bodies,
//   f.(v_j + omega_j x c_j - v_i - omega_i x c_i) = 0,   c_j = p_j + rho,  c_i = x_j + rho - r_i.
struct RollingOnPlane {
  static constexpr int D = 3, rows = 2, sides = 2;
  static constexpr bool velocity_level = true;
  std::array<int, 2> body{};
  Vec<3> f, g, n;    // of the plane, in its body
  Vec<3> centre, a;  // of the wheel, in its body
  bool disc = false;
  double radius = 1;

  using Poses = std::array<Pose<3>, 2>;
  using Twists = std::array<Twist<3>, 2>;

  double size() const { return radius; }

  Vec<2> phi(const Poses&) const { return Vec<2>::Zero(); }

  std::array<Mat<2, 6>, 2> phi_q(const Poses&) const;
  Vec<2> gamma(const Poses&, const Twists&) const;
};

}  // namespace cardan
