#include "cardan/math/rotation.h"

#include <cmath>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace cardan {
namespace {

constexpr double round_off = 1e-13;

Vec<3> random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(random), uniform(random), uniform(random)};
}

TEST(Rotation, VectorAndQuaternionAndMatrixAgree) {
  std::mt19937 random(1);
  for (const double size : {1e-7, 1e-3, 0.5, 1.7}) {
    const Vec<3> d = random_vector(random, size);
    const Quaternion e = quaternion_of_vector(d);
    EXPECT_NEAR(e.norm(), 1, round_off);
    EXPECT_LT((vector_of_quaternion(e) - d).norm(), round_off);
    EXPECT_LT((vector_of_quaternion(-e) - d).norm(), round_off);
    const Mat<3, 3> A = matrix_of_quaternion(e);
    EXPECT_LT((A * d - d).norm(), round_off);
    EXPECT_LT((A.transpose() * A - Mat<3, 3>::Identity()).norm(), round_off);
    EXPECT_LT((matrix_of_quaternion(3 * e) - A).norm(), round_off);  // its direction alone counts
    EXPECT_LT((matrix_of_quaternion(quaternion_of_matrix(A)) - A).norm(), round_off);
  }
}

TEST(Rotation, ProductsTurnOneAfterTheOther) {
  const Quaternion a = quaternion_about({0, 0, 2}, 0.4), b = quaternion_about({1, 0, 0}, -1.1);
  EXPECT_LT((matrix_of_quaternion(quaternion_product(a, b)) -
             matrix_of_quaternion(a) * matrix_of_quaternion(b))
                .norm(),
            round_off);
  EXPECT_LT((quaternion_product(a, quaternion_inverse(a)) - no_rotation()).norm(), round_off);
}

TEST(Rotation, AnglesOfEverySequenceComeBack) {
  for (const char* sequence :
       {"xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"}) {
    const bool proper = sequence[0] == sequence[2];
    const Vec<3> angles(0.3, proper ? 1.2 : -0.8, -2.1);
    const auto e = quaternion_of_angles(sequence, angles, false);
    ASSERT_TRUE(e) << sequence;
    EXPECT_LT((angles_of_quaternion(sequence, *e) - angles).norm(), 1e-12) << sequence;
    // turns about fixed axes are the same turns in the opposite order
    const std::string back{sequence[2], sequence[1], sequence[0]};
    const auto fixed = quaternion_of_angles(back, angles.reverse(), true);
    EXPECT_LT((*fixed - *e).norm(), round_off) << sequence;
    // with the middle angle where first and last turn about one line
    const Vec<3> locked(0.3, proper ? 0 : M_PI / 2, 0.4);
    const auto f = quaternion_of_angles(sequence, locked, false);
    const auto again = quaternion_of_angles(sequence, angles_of_quaternion(sequence, *f), false);
    EXPECT_LT((matrix_of_quaternion(*again) - matrix_of_quaternion(*f)).norm(), 1e-7) << sequence;
  }
  EXPECT_FALSE(quaternion_of_angles("xxz", {0, 0, 0}, false));
  EXPECT_FALSE(quaternion_of_angles("xy", {0, 0, 0}, false));
  EXPECT_FALSE(quaternion_of_angles("abc", {0, 0, 0}, false));
}

TEST(Rotation, FramesFromDirections) {
  const auto e = quaternion_of_axes(2, {0, 0, 3}, 0, {0, 2, 5});
  ASSERT_TRUE(e);
  const Mat<3, 3> A = matrix_of_quaternion(*e);
  EXPECT_LT((A.col(2) - Vec<3>(0, 0, 1)).norm(), round_off);
  EXPECT_LT((A.col(0) - Vec<3>(0, 1, 0)).norm(), round_off);
  EXPECT_FALSE(quaternion_of_axes(2, {0, 0, 1}, 0, {0, 0, 2}));
  EXPECT_FALSE(quaternion_of_axes(2, {0, 0, 0}, 0, {1, 0, 0}));
  for (const Vec<3>& x :
       {Vec<3>(1, 2, 3), Vec<3>(-1, 0, 0), Vec<3>(2, 0, 0), Vec<3>(0, -1, 1e-9)}) {
    const Mat<3, 3> B = matrix_of_quaternion(quaternion_of_x_axis(x));
    EXPECT_LT((B.col(0) - x.normalized()).norm(), 1e-9);
    EXPECT_NEAR(B.determinant(), 1, round_off);
    EXPECT_NEAR(any_perpendicular(x).dot(x), 0, round_off);
  }
}

TEST(Rotation, RateOfTheRotationVectorAgainstDifferences) {
  std::mt19937 random(2);
  for (const double size : {1e-3, 0.04, 0.06, 1.0, 2.0}) {
    const Vec<3> d = random_vector(random, size), omega = random_vector(random, 2);
    const double h = 1e-5;
    const auto after = [&](double s) {
      return vector_of_quaternion(
          quaternion_product(quaternion_of_vector(d), quaternion_of_vector(s * omega)));
    };
    const Vec<3> d_dot = rotation_vector_rate(d) * omega;
    EXPECT_LT((d_dot - (after(h) - after(-h)) / (2 * h)).norm(), 1e-8) << size;
    const Vec<3> bend =
        (rotation_vector_rate(d + h * d_dot) - rotation_vector_rate(d - h * d_dot)) * omega /
        (2 * h);
    EXPECT_LT((rotation_vector_bend(d, d_dot, omega) - bend).norm(), 1e-8) << size;
  }
}

}  // namespace
}  // namespace cardan
