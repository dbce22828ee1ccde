// Formulas: docs/theory/spatial.md. Reference for the derivative of the rotation vector: Bauchau
// and Trainelli, Nonlinear Dynamics 32 (2003).
#include "cardan/math/rotation.h"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double small_angle = 1e-4;  // rad: below it two terms of the series are exact

int axis_number(char c) {
  return c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

// c(angle) and c'(angle)/angle.
struct RateTerm {
  double c, slope;
};

RateTerm rate_term(double angle) {
  const double x2 = angle * angle;
  if (angle < 0.05)  // series: c = 1/12 + x^2/720 + x^4/30240 + x^6/1209600
    return {1.0 / 12 + x2 * (1.0 / 720 + x2 * (1.0 / 30240 + x2 / 1209600)),
            1.0 / 360 + x2 * (1.0 / 7560 + x2 * (1.0 / 201600 + x2 / 5987520))};
  const auto [s, cosine] = elementary::sine_cosine(0.5 * angle);
  const double cot = cosine / s;
  const double c = 1 / x2 - cot / (2 * angle);
  const double c_prime = -2 / (x2 * angle) + cot / (2 * x2) + 1 / (4 * angle * s * s);
  return {c, c_prime / angle};
}

}  // namespace

Quaternion quaternion_product(const Quaternion& a, const Quaternion& b) {
  const Vec<3> av = a.tail<3>(), bv = b.tail<3>();
  Quaternion c;
  c << a[0] * b[0] - av.dot(bv), a[0] * bv + b[0] * av + av.cross(bv);
  return c;
}

Quaternion quaternion_inverse(const Quaternion& e) {
  return {e[0], -e[1], -e[2], -e[3]};
}

Quaternion quaternion_of_vector(const Vec<3>& d) {
  const double half = 0.5 * d.norm();
  const auto [sine, cosine] = elementary::sine_cosine(half);
  const double sinc = half > small_angle ? sine / half : 1 - half * half / 6;
  Quaternion e;
  e << cosine, 0.5 * sinc * d;
  return e;
}

Vec<3> vector_of_quaternion(const Quaternion& given) {
  const Quaternion e = given[0] < 0 ? Quaternion(-given) : given;
  const Vec<3> v = e.tail<3>();
  const double s = v.norm();
  // 2 atan(s / w) / s; the series where s is small
  const double factor = s > small_angle * e[0] ? 2 * elementary::atan2(s, e[0]) / s
                                               : 2 / e[0] * (1 - s * s / (3 * e[0] * e[0]));
  return factor * v;
}

Mat<3, 3> matrix_of_quaternion(const Quaternion& e) {
  const double w = e[0], x = e[1], y = e[2], z = e[3];
  Mat<3, 3> A;
  A << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return A / e.squaredNorm();
}

Quaternion quaternion_of_matrix(const Mat<3, 3>& A) {
  const Eigen::Quaterniond q(A);
  Quaternion e(q.w(), q.x(), q.y(), q.z());
  if (e[0] < 0) e = -e;
  return e / e.norm();
}

Quaternion quaternion_about(const Vec<3>& axis, double angle) {
  return quaternion_of_vector(angle * axis.normalized());
}

std::optional<Quaternion> quaternion_of_angles(std::string_view sequence,
                                               const Vec<3>& angles,
                                               bool fixed_axes) {
  if (sequence.size() != 3) return std::nullopt;
  Quaternion e = no_rotation();
  for (int k = 0; k < 3; ++k) {
    const int axis = axis_number(sequence[static_cast<std::size_t>(k)]);
    if (axis < 0 || (k > 0 && sequence[static_cast<std::size_t>(k)] ==
                                  sequence[static_cast<std::size_t>(k - 1)]))
      return std::nullopt;
    const Quaternion turn = quaternion_about(Vec<3>::Unit(axis), angles[k]);
    e = fixed_axes ? quaternion_product(turn, e) : quaternion_product(e, turn);
  }
  return e;
}

Vec<3> angles_of_quaternion(std::string_view sequence, const Quaternion& e) {
  const int i = axis_number(sequence[0]), j = axis_number(sequence[1]),
            last = axis_number(sequence[2]);
  const int k = 3 - i - j;
  const double even = (j - i + 3) % 3 == 1 ? 1 : -1;
  const Mat<3, 3> A = matrix_of_quaternion(e);
  Vec<3> out;
  if (last == i) {  // A = R_i(a) R_j(b) R_i(c)
    const double s = elementary::hypot(A(j, i), A(k, i));
    out[1] = elementary::atan2(s, A(i, i));
    if (s > 1e-12) {
      out[0] = elementary::atan2(A(j, i), -even * A(k, i));
      out[2] = elementary::atan2(A(i, j), even * A(i, k));
    } else {
      out[0] = elementary::atan2(even * A(k, j), A(j, j));
      out[2] = 0;
    }
    return out;
  }
  const double c = elementary::hypot(A(i, i), A(i, j));  // A = R_i(a) R_j(b) R_k(c)
  out[1] = elementary::atan2(even * A(i, k), c);
  if (c > 1e-12) {
    out[0] = elementary::atan2(-even * A(j, k), A(k, k));
    out[2] = elementary::atan2(-even * A(i, j), A(i, i));
  } else {
    out[0] = elementary::atan2(even * A(k, j), A(j, j));
    out[2] = 0;
  }
  return out;
}

std::optional<Quaternion> quaternion_of_axes(int first,
                                             const Vec<3>& a,
                                             int second,
                                             const Vec<3>& b) {
  const Vec<3> u = a.normalized();
  Vec<3> w = b - u.dot(b) * u;
  if (!(a.norm() > 0) || !(w.norm() > 1e-9 * b.norm())) return std::nullopt;
  w.normalize();
  Mat<3, 3> A;
  A.col(first) = u;
  A.col(second) = w;
  const bool even = (second - first + 3) % 3 == 1;
  A.col(3 - first - second) = even ? u.cross(w) : w.cross(u);
  return quaternion_of_matrix(A);
}

Quaternion quaternion_of_x_axis(const Vec<3>& a) {
  const Vec<3> u = a.normalized();
  if (u.x() < -1 + 1e-14) return {0, 0, 0, 1};  // half a turn about z
  Quaternion e(1 + u.x(), 0, -u.z(), u.y());
  return e / e.norm();
}

Vec<3> any_perpendicular(const Vec<3>& a) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(a[k]) < std::abs(a[least])) least = k;
  return a.cross(Vec<3>::Unit(least)).normalized();
}

Mat<3, 3> skew(const Vec<3>& a) {
  Mat<3, 3> S;
  S << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return S;
}

Mat<3, 3> rotation_vector_rate(const Vec<3>& d) {
  const Mat<3, 3> S = skew(d);
  return Mat<3, 3>::Identity() + 0.5 * S + rate_term(d.norm()).c * S * S;
}

Vec<3> rotation_vector_bend(const Vec<3>& d, const Vec<3>& d_dot, const Vec<3>& omega) {
  const RateTerm term = rate_term(d.norm());
  const Vec<3> cross = d.cross(omega);
  return 0.5 * d_dot.cross(omega) + term.slope * d.dot(d_dot) * d.cross(cross) +
         term.c * (d_dot.cross(cross) + d.cross(d_dot.cross(omega)));
}

}  // namespace cardan
