#include "cardan/math/sine_cosine.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cardan {
namespace {

// In units of the last place of the exact value.
double error_of(double found, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  return static_cast<double>(std::abs(static_cast<long double>(found) - exact)) /
         (std::nextafter(size, 2.0) - size);
}

double worst_error(const std::vector<double>& angles) {
  std::vector<double> out(2 * angles.size());
  cosines_and_sines(angles.data(), 1, angles.size(), out.data());
  double worst = 0;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    worst = std::max(worst, error_of(out[2 * k], std::cos(static_cast<long double>(angles[k]))));
    worst =
        std::max(worst, error_of(out[2 * k + 1], std::sin(static_cast<long double>(angles[k]))));
  }
  return worst;
}

TEST(SineCosine, StayWithinAUnitInTheLastPlace) {
  std::mt19937_64 random(3);
  for (const double range : {1e-8, 1.0, 10.0, 1e3, 1e6}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    std::vector<double> angles(20000);
    for (double& angle : angles) angle = uniform(random);
    EXPECT_LT(worst_error(angles), 1) << range;
  }
}

TEST(SineCosine, AreExactNextToMultiplesOfARightAngle) {
  std::vector<double> angles;
  for (int k = -3000; k <= 3000; ++k)
    for (const double towards : {-1e9, 1e9})
      angles.push_back(std::nextafter(k * 1.5707963267948966, towards));
  EXPECT_LT(worst_error(angles), 1);
}

TEST(SineCosine, TakeAnyNumberOfAnglesAnyDistanceApart) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 23}) {
    std::vector<double> angles(3 * count + 3), out(2 * count + 1, 5.0);
    for (std::size_t k = 0; k < count; ++k) angles[3 * k] = 0.3 * static_cast<double>(k) - 1;
    cosines_and_sines(angles.data(), 3, count, out.data());
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_NEAR(out[2 * k], std::cos(angles[3 * k]), 1e-15);
      EXPECT_NEAR(out[2 * k + 1], std::sin(angles[3 * k]), 1e-15);
    }
    EXPECT_EQ(out.back(), 5.0);
  }
}

TEST(SineCosine, KnowLargeAnglesAndWhatIsNoNumber) {
  const double angles[] = {3e9, -1e15, NAN, INFINITY, 0.0, -0.0};
  double out[12];
  cosines_and_sines(angles, 1, 6, out);
  EXPECT_EQ(out[0], std::cos(3e9));
  EXPECT_EQ(out[3], std::sin(-1e15));
  EXPECT_TRUE(std::isnan(out[4]) && std::isnan(out[5]) && std::isnan(out[6]));
  EXPECT_EQ(out[8], 1);
  EXPECT_EQ(out[9], 0);
}

}  // namespace
}  // namespace cardan
