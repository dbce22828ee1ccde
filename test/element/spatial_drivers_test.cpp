// Drivers and measures of space: derivatives, and angles by their sequences.
#include <gtest/gtest.h>

#include "test/element/spatial_frames.h"

namespace cardan::test {
namespace {

ConstraintSet driver_set(std::string_view type, const std::string& sequence = "") {
  ConstraintSet set(3);
  const std::vector<double> pose(14, 0.0);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    ElementSpec spec = between(i, j);
    if (!sequence.empty()) spec.choices = {{"sequence", sequence}};
    std::ignore = set.add_measure(type, spec);
    spec.drive = std::make_shared<Motionlaw>();
    std::ignore = set.add_driver(type, spec);
  }
  return set;
}

TEST(SpatialDrivers, derivatives) {
  for (const std::string_view type : {"x", "y", "z", "distance", "displacement", "angle"})
    check_constraints(driver_set(type), 2);
  for (const std::string_view type : {"angle-1", "angle-2", "angle-3"}) {
    check_constraints(driver_set(type, "xyz"), 2);
    check_constraints(driver_set(type, "zxz"), 2);
  }
}

double measure(std::string_view type, const ElementSpec& spec, const std::vector<double>& q) {
  ConstraintSet set(3);
  std::ignore = set.add_measure(type, spec);
  return phi_of(set, q)[0];
}

TEST(SpatialDrivers, three_angles_of_every_sequence) {
  std::mt19937 rng(8);
  const std::array<Vec<3>, 3> axes{X, Y, Z};
  const ElementSpec plain = between(0, 1);
  for (const std::string sequence :
       {"xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"}) {
    const bool proper = sequence[0] == sequence[2];
    const double angle[3] = {
        2.5 * any(rng), proper ? 1 + 0.5 * any(rng) : any(rng), 2.5 * any(rng)};
    Mat<3, 3> R = Mat<3, 3>::Identity();
    for (int k = 0; k < 3; ++k) R *= turn(angle[k], axes[sequence[k] - 'x']);
    ElementSpec spec = plain;
    spec.choices = {{"sequence", sequence}};
    const auto q = placed(spec, random_body(rng), O, R);
    const std::string_view types[] = {"angle-1", "angle-2", "angle-3"};
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(measure(types[k], spec, q), angle[k], 1e-14) << sequence;
  }
}

TEST(SpatialDrivers, angles_of_a_universal_joint) {
  std::mt19937 rng(8);
  ElementSpec spec = between(0, 1);
  spec.choices = {{"sequence", "universal"}};
  // The cross turns by a about the arm of i; j turns by b about its own arm.
  const double a = 0.7, b = -0.4;
  const Mat<3, 3> arm_along_x = (Mat<3, 3>() << 0, 0, 1, 0, -1, 0, 1, 0, 0).finished();
  const auto q = placed(spec, random_body(rng), O, turn(a, Z) * arm_along_x * turn(b, Z));
  EXPECT_NEAR(measure("angle-1", spec, q), a, 1e-14);
  EXPECT_NEAR(measure("angle-2", spec, q), b, 1e-14);
}

TEST(SpatialDrivers, angle_of_a_revolute_joint) {
  std::mt19937 rng(8);
  const ElementSpec spec = between(0, 1);
  for (const double angle : {0.3, -2.9, 3.1})
    EXPECT_NEAR(
        measure("angle", spec, placed(spec, random_body(rng), O, turn(angle, Z))), angle, 1e-14);
}

TEST(SpatialDrivers, angle_is_driven_over_many_turns) {
  struct Fast final : Function {
    Jet at(double t) const override { return {100 * t, 100, 0}; }

    bool constant() const override { return false; }
  };

  std::mt19937 rng(8);
  ElementSpec spec = between(0, 1);
  spec.drive = std::make_shared<Fast>();
  ConstraintSet set(3);
  std::ignore = set.add_driver("angle", spec);
  for (const double t : {0.0, 0.04, 1.0, 7.7}) {
    const auto q = placed(spec, random_body(rng), O, turn(100 * t + 1e-3, Z));
    double phi = 0;
    set.pool(0).phi({t, q}, {&phi, 1});
    EXPECT_NEAR(phi, 1e-3, 1e-12);
  }
}

}  // namespace
}  // namespace cardan::test
