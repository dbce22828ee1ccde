// Rotations of bodies and tangent increments: A of a quaternion, q (+) d with exp of a rotation
// vector.
#include "cardan/element/feature.h"

#include "cardan/math/elementary.h"
#include "cardan/math/rotation.h"
#include "cardan/math/sine_cosine.h"

namespace cardan {
void fill_rotations(int dimension, CView q, View out) {
  if (dimension == 2) {
    if (q.size() >= 3) cosines_and_sines(q.data() + 2, 3, q.size() / 3, out.data());
    return;
  }
  for (std::size_t b = 0; 9 * b < out.size(); ++b)  // q may be longer, see turns.h
    Eigen::Map<Mat<3, 3>>(out.data() + 9 * b) =
        matrix_of_quaternion(Quaternion(&q[7 * b + 3]));  // of its direction: its length may drift
}

Pose<2> moved(const Pose<2>& pose, int k, double h) {
  Pose<2> out = pose;
  if (k < 2) {
    out.r[k] += h;
    return out;
  }
  out.angle += h;
  const auto [sine, cosine] = elementary::sine_cosine(out.angle);
  out.cosine = cosine;
  out.sine = sine;
  return out;
}

Pose<3> moved(const Pose<3>& pose, int k, double h) {
  Pose<3> out = pose;
  if (k < 3) {
    out.r[k] += h;
    return out;
  }
  const Quaternion e = quaternion_of_vector(h * Vec<3>::Unit(k - 3));
  out.A = pose.A * rotation_matrix(e.data());
  return out;
}

void add_increment(int dimension, const double* q, const double* d, double* out) {
  if (dimension == 2) {
    for (int k = 0; k < 3; ++k) out[k] = q[k] + d[k];
    return;
  }
  for (int k = 0; k < 3; ++k) out[k] = q[k] + d[k];
  const Quaternion e =
      quaternion_product({q[3], q[4], q[5], q[6]}, quaternion_of_vector({d[3], d[4], d[5]}));
  Eigen::Map<Vec<4>>(out + 3) = e / e.norm();
}

}  // namespace cardan
