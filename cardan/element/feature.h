#pragma once
// Features: points x = r + A s' and directions x = A s' fixed in a body. The only file that knows
// planar from spatial.
//
// Derivatives are taken along tangent increments d = (d_r, d_w): r + d_r, and A exp(d_w~) with d_w
// in body axes. With p = A s' (the arm) and w = A d_w, everything needed is one cross product deep,
// in global axes:
//   x_q d = d_r + w x p,   ((x_q a)_q b) = w_b x (w_a x p),   g.(w x p) = ((p x g)^T A) d_w.
// Planar rotations are the same formulas with w along z. Derivation: docs/theory/elements.md.
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>

#include <Eigen/Geometry>

#include "cardan/element/pool.h"
#include "cardan/math/elementary.h"
#include "cardan/math/types.h"

namespace cardan {

template <int D> inline constexpr int n_q = D == 2 ? 3 : 7;  // position coordinates of a body
template <int D> inline constexpr int n_v = D == 2 ? 3 : 6;  // velocities, and tangent increments
template <int D> inline constexpr int n_turn = D == 2 ? 1 : 3;  // those of rotation

template <int D, class T = double> struct Pose;

template <class T> struct Pose<2, T> {
  Vec<2, T> r;
  T cosine, sine, angle;
};

template <class T> struct Pose<3, T> {
  Vec<3, T> r;
  Mat<3, 3, T> A;
};

// Angular velocity in global axes.
template <int D, class T = double> using Spin = std::conditional_t<D == 2, T, Vec<3, T>>;

template <int D, class T = double> struct Twist {
  Vec<D, T> u;  // velocity of the body's origin, the mass centre
  Spin<D, T> w;
};

// (x, y) written as a whole: two scalar stores followed by Eigen's load of the pair would stall for
// the store buffer.
template <class T> Vec<2, T> vec2(const T& x, const T& y) {
  if constexpr (std::is_same_v<T, double>) {
    using Both [[gnu::vector_size(16)]] = double;
    const Both both{x, y};
    Vec<2> out;
    std::memcpy(out.data(), &both, sizeof both);
    return out;
  } else {
    return {x, y};
  }
}

// The whole turns nearest to an angle.
inline double nearest_turn(double angle) {
  const double turn = 2 * std::numbers::pi;
  return turn * std::round(angle / turn);
}

template <class T> Vec<2, T> perp(const Vec<2, T>& p) {
  return vec2<T>(-p.y(), p.x());
}

// ---- a body's pose and twist from coordinates
// --------------------------------------------------------------------

template <class T> Mat<3, 3, T> rotation_matrix(const T* e) {  // of a unit quaternion, w first
  const T w = e[0], x = e[1], y = e[2], z = e[3];
  Mat<3, 3, T> A;
  A << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return A;
}

template <int D, class T> Pose<D, T> pose_from(const T* q, const T* rotation) {
  if constexpr (D == 2)
    return {vec2<T>(q[0], q[1]), rotation[0], rotation[1], q[2]};
  else
    return {{q[0], q[1], q[2]}, Eigen::Map<const Mat<3, 3, T>>(rotation)};
}

template <int D, class T> Pose<D, T> pose_from(const T* q) {
  using elementary::cos;
  using elementary::sin;
  if constexpr (D == 2)
    return {vec2<T>(q[0], q[1]), cos(q[2]), sin(q[2]), q[2]};
  else
    return {{q[0], q[1], q[2]}, rotation_matrix(q + 3)};
}

template <int D, class T> Twist<D, T> twist_from(const Pose<D, T>& pose, const T* v) {
  if constexpr (D == 2)
    return {vec2<T>(v[0], v[1]), v[2]};
  else
    return {{v[0], v[1], v[2]}, pose.A * Vec<3, T>(v[3], v[4], v[5])};
}

// The pose after tangent increment h along coordinate k of n_v.
Pose<2> moved(const Pose<2>&, int k, double h);
Pose<3> moved(const Pose<3>&, int k, double h);

// q (+) d of one body; the quaternion is renormalised.
void add_increment(int dimension, const double* q, const double* d, double* out);

// ---- the algebra of features
// -------------------------------------------------------------------------------------

template <class T> Vec<2, T> arm(const Pose<2, T>& pose, const Vec<2>& s) {
  return vec2<T>(pose.cosine * s.x() - pose.sine * s.y(), pose.sine * s.x() + pose.cosine * s.y());
}

template <class T> Vec<3, T> arm(const Pose<3, T>& pose, const Vec<3>& s) {
  return pose.A.col(0) * s.x() + pose.A.col(1) * s.y() + pose.A.col(2) * s.z();
}

template <class T> Vec<2, T> cross(const T& w, const Vec<2, T>& p) {
  return vec2<T>(-w * p.y(), w * p.x());
}

template <class T> Vec<3, T> cross(const Vec<3, T>& w, const Vec<3, T>& p) {
  return w.cross(p);
}

// Columns of g.(w x p) for every row g of G, along the body's rotation increments.
template <int R, class T>
Mat<R, 1, T> turn_columns(const Mat<R, 2, T>& G, const Pose<2, T>&, const Vec<2, T>& p) {
  return G.col(1) * p.x() - G.col(0) * p.y();
}

template <int R, class T>
Mat<R, 3, T> turn_columns(const Mat<R, 3, T>& G, const Pose<3, T>& pose, const Vec<3, T>& p) {
  Mat<R, 3, T> out;
  for (int r = 0; r < R; ++r) {
    const Vec<3, T> g = G.row(r).transpose();
    out.row(r) = p.cross(g).transpose() * pose.A;
  }
  return out;
}

// The rotation of every row: g -> w x g.
template <int R, class T> Mat<R, 2, T> cross_rows(const T& w, const Mat<R, 2, T>& G) {
  Mat<R, 2, T> out;
  out.col(0) = -w * G.col(1);
  out.col(1) = w * G.col(0);
  return out;
}

template <int R, class T> Mat<R, 3, T> cross_rows(const Vec<3, T>& w, const Mat<R, 3, T>& G) {
  Mat<R, 3, T> out;
  for (int r = 0; r < R; ++r) {
    const Vec<3, T> g = G.row(r).transpose();
    out.row(r) = w.cross(g).transpose();
  }
  return out;
}

// (turn_columns(g^T)^T)_q with g fixed: the curvature of a feature against a force g.
template <class T>
Mat<1, 1, T> turn_curvature(const Pose<2, T>&, const Vec<2, T>& p, const Vec<2, T>& g) {
  return Mat<1, 1, T>(T(-p.dot(g)));
}

template <class T>
Mat<3, 3, T> turn_curvature(const Pose<3, T>& pose, const Vec<3, T>& p, const Vec<3, T>& g) {
  const Vec<3, T> p_b = pose.A.transpose() * p, g_b = pose.A.transpose() * g;
  Mat<3, 3, T> out = g_b * p_b.transpose();
  out.diagonal().array() -= p.dot(g);
  return out;
}

}  // namespace cardan
