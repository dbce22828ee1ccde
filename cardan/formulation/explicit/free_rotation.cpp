#include "cardan/formulation/explicit/free_rotation.h"

#include <cmath>

#include "cardan/math/dense.h"
#include "cardan/math/newton.h"
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
  Vec<3> Jd, gap;
  const auto residual = [&](int) {
    if (!(d.norm() < largest_turn)) return NewtonResidual{INFINITY, 0, 0};
    Jd = J * d;
    gap = rotation_vector_rate(d) * Jd - p;
    return NewtonResidual{gap.norm(), 1e-16 * p.norm(), 1e-13 * p.norm()};
  };
  const auto correct = [&](int, double, double) {
    const Mat<3, 3> slope = J + 0.5 * (skew(d) * J - skew(Jd));
    d -= slope.partialPivLu().solve(gap);
    return Eval::ok;
  };
  if (newton_to_round_off(most_passes, residual, correct) != Eval::ok) return false;
  omega = J.partialPivLu().solve(matrix_of_quaternion(quaternion_inverse(quaternion_of_vector(d))) *
                                 (J * omega));
  return true;
}

}  // namespace cardan
