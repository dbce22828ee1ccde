// Planar joints, drivers and measures: derivatives, constants from the pose, sides and ground.
#include <numbers>

#include <gtest/gtest.h>

#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;

struct Motionlaw final : Function {  // a little of everything

  Jet at(double t) const override {
    return {0.3 + 0.7 * t + std::sin(2 * t), 0.7 + 2 * std::cos(2 * t), -4 * std::sin(2 * t)};
  }
};

ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.3, -0.7, 0}, {0.6, 0.9, 0}};
  spec.ends[1] = {j, {-0.4, 0.2, 0}, {-0.3, 0.5, 0}};
  return spec;
}

const std::vector<double> pose{0.1, -0.2, 0.3, 1.1, 0.7, -2.2};

// Both bodies, then ground on either side.
ConstraintSet joint_set(std::string_view type, ElementSpec spec) {
  ConstraintSet set(2);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    spec.ends[0].body = i;
    spec.ends[1].body = j;
    EXPECT_TRUE(std::holds_alternative<std::vector<Part>>(set.add_joint(type, spec, pose)));
  }
  return set;
}

ConstraintSet driver_set(std::string_view type) {
  ConstraintSet set(2);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    ElementSpec spec = between(i, j);
    std::ignore = set.add_measure(type, spec, pose);
    spec.drive = std::make_shared<Motionlaw>();
    std::ignore = set.add_driver(type, spec, pose);
  }
  return set;
}

ElementSpec with(ElementSpec spec, std::string key, std::vector<double> values) {
  spec.numbers.emplace_back(std::move(key), std::move(values));
  return spec;
}

TEST(JointDerivatives, revolute) {
  check_constraints(joint_set("revolute", between(0, 1)), 2);
}

TEST(JointDerivatives, translational) {
  check_constraints(joint_set("translational", between(0, 1)), 2);
}

TEST(JointDerivatives, fixed) {
  check_constraints(joint_set("fixed", between(0, 1)), 2);
}

TEST(JointDerivatives, pin_in_slot) {
  check_constraints(joint_set("pin-in-slot", between(0, 1)), 2);
}

TEST(JointDerivatives, link) {
  check_constraints(joint_set("revolute-revolute", between(0, 1)), 2);
}

TEST(JointDerivatives, guide) {
  check_constraints(joint_set("revolute-translational", between(0, 1)), 2);
}

TEST(JointDerivatives, x) {
  check_constraints(joint_set("x", between(0, 1)), 2);
}

TEST(JointDerivatives, y) {
  check_constraints(joint_set("y", between(0, 1)), 2);
}

TEST(JointDerivatives, angle) {
  check_constraints(joint_set("angle", between(0, 1)), 2);
}

TEST(JointDerivatives, distance) {
  check_constraints(joint_set("distance", between(0, 1)), 2);
}

TEST(JointDerivatives, gear) {
  check_constraints(joint_set("gear", with(between(0, 1), "radii", {0.4, 0.9})), 2);
}

TEST(JointDerivatives, internal_gear) {
  check_constraints(joint_set("gear", with(with(between(0, 1), "ratio", {2.5}), "internal", {1})),
                    2);
}

TEST(JointDerivatives, rack_and_pinion) {
  check_constraints(joint_set("rack-and-pinion", with(between(0, 1), "radius", {0.3})), 2);
}

TEST(JointDerivatives, rolling) {
  check_constraints(joint_set("rolling", with(between(0, 1), "radius", {0.3})), 2);
}

TEST(DriverDerivatives, x) {
  check_constraints(driver_set("x"), 2);
}

TEST(DriverDerivatives, y) {
  check_constraints(driver_set("y"), 2);
}

TEST(DriverDerivatives, angle) {
  check_constraints(driver_set("angle"), 2);
}

TEST(DriverDerivatives, distance) {
  check_constraints(driver_set("distance"), 2);
}

TEST(DriverDerivatives, displacement) {
  check_constraints(driver_set("displacement"), 2);
}

}  // namespace
}  // namespace cardan::test
