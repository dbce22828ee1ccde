#pragma once
// Rotations as unit quaternions e = (w, x, y, z), as matrices A with v_ground = A v_body, and as
// rotation vectors d = angle times axis. All products are from body to ground: A(a b) = A(a) A(b).
#include <optional>
#include <string_view>

#include "cardan/math/types.h"

namespace cardan {

using Quaternion = Vec<4>;  // w first

inline Quaternion no_rotation() {
  return {1, 0, 0, 0};
}

Quaternion quaternion_product(const Quaternion& a, const Quaternion& b);
Quaternion quaternion_inverse(const Quaternion& e);             // of a unit quaternion
Quaternion quaternion_of_vector(const Vec<3>& d);               // exp
Vec<3> vector_of_quaternion(const Quaternion& e);               // log, at most pi long
Mat<3, 3> matrix_of_quaternion(const Quaternion& e);            // of any length but zero
Quaternion quaternion_of_matrix(const Mat<3, 3>& A);            // w not negative
Quaternion quaternion_about(const Vec<3>& axis, double angle);  // axis of any length but zero

// Three turns by the angles about the axes named, "zxz" or "xyz": each about the axis as the turns
// before have moved it, or all about the fixed axes. No value: not three letters x, y, z, or a
// letter that repeats the one before.
std::optional<Quaternion> quaternion_of_angles(std::string_view sequence,
                                               const Vec<3>& angles,
                                               bool fixed_axes);

// The angles of a sequence about moving axes; the middle one in [-pi/2, pi/2], or [0, pi] where
// first and last letter are the same. Where first and last turn about one line the last is zero.
Vec<3> angles_of_quaternion(std::string_view sequence, const Quaternion& e);

// The frame with one axis (0, 1, 2) along a and another as near to b as possible; no value when a
// and b are parallel or zero.
std::optional<Quaternion> quaternion_of_axes(int first,
                                             const Vec<3>& a,
                                             int second,
                                             const Vec<3>& b);

// The smallest turn that takes the x axis to the direction a.
Quaternion quaternion_of_x_axis(const Vec<3>& a);

Vec<3> any_perpendicular(const Vec<3>& a);  // of length one

// With A(t) = A_0 exp(d~) and body rates omega: d' = L(d) omega,
//   L = 1 + d~/2 + c d~^2,  c = 1/|d|^2 - (1 + cos|d|) / (2 |d| sin|d|),
// for |d| < 2 pi, and the derivative of L omega along d' for constant omega.
Mat<3, 3> rotation_vector_rate(const Vec<3>& d);
Vec<3> rotation_vector_bend(const Vec<3>& d, const Vec<3>& d_dot, const Vec<3>& omega);

Mat<3, 3> skew(const Vec<3>& a);  // skew(a) b = a x b

}  // namespace cardan
