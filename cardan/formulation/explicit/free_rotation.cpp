#include "cardan/formulation/explicit/free_rotation.h"

#include <cmath>

#include "cardan/math/dense.h"
#include "cardan/math/rotation.h"

namespace cardan {

namespace {

constexpr double largest_turn = 2;  // rad a step
constexpr int most_passes = 40;

}  // namespace

bool free_rotation(const Mat<3, 3>& J, double h, Vec<3>& omega, Vec<3>& d) {
  d = h * omega;
  if (J.isZero(0)) return true;
  const Vec<3> p = h * (J * omega);
  double before = INFINITY;
  for (int pass = 0; pass < most_passes; ++pass) {
    if (!(d.norm() < largest_turn)) return false;
    const Vec<3> Jd = J * d, gap = rotation_vector_rate(d) * Jd - p;
    const double size = gap.norm();
    // down to round-off, or no longer falling there
    if (size <= 1e-16 * p.norm() || (size >= 0.5 * before && size <= 1e-13 * p.norm())) {
      omega = J.partialPivLu().solve(
          matrix_of_quaternion(quaternion_inverse(quaternion_of_vector(d))) * (J * omega));
      return true;
    }
    before = size;
    const Mat<3, 3> slope = J + 0.5 * (skew(d) * J - skew(Jd));
    d -= slope.partialPivLu().solve(gap);
  }
  return false;
}

}  // namespace cardan
