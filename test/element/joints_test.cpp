// Planar joints, drivers and measures: derivatives, constants from the pose, sides and ground.
#include <numbers>

#include <gtest/gtest.h>

#include "cardan/base/alloc_guard.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;

struct Motionlaw final : Function {  // a little of everything

  Jet at(double t) const override {
    return {0.3 + 0.7 * t + std::sin(2 * t), 0.7 + 2 * std::cos(2 * t), -4 * std::sin(2 * t)};
  }

  bool constant() const override { return false; }
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
    EXPECT_TRUE(set.add_joint(type, spec, pose));
  }
  return set;
}

ConstraintSet driver_set(std::string_view type) {
  ConstraintSet set(2);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    ElementSpec spec = between(i, j);
    std::ignore = set.add_measure(type, spec);
    spec.drive = std::make_shared<Motionlaw>();
    std::ignore = set.add_driver(type, spec);
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

constexpr double round_off = 1e-14;

std::vector<double> values(const ConstraintSet& set, const std::vector<double>& q) {
  std::vector<double> all;
  for (int k = 0; k < set.pool_count(); ++k) {
    std::vector<double> phi(static_cast<std::size_t>(set.pool(k).count() * set.pool(k).rows()));
    set.pool(k).phi({0, q}, phi);
    all.insert(all.end(), phi.begin(), phi.end());
  }
  return all;
}

ConstraintSet one_joint(std::string_view type,
                        const ElementSpec& spec,
                        const std::vector<double>& q) {
  ConstraintSet set(2);
  EXPECT_TRUE(set.add_joint(type, spec, q)) << type;
  return set;
}

TEST(Joints, constants_come_from_the_pose) {
  for (const auto& [type, key] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"x", ""},
           {"y", ""},
           {"angle", ""},
           {"distance", ""},
           {"revolute-revolute", ""},
           {"revolute-translational", ""},
           {"rack-and-pinion", "radius"},
           {"gear", "ratio"}}) {
    ElementSpec spec = between(0, 1);
    if (!key.empty()) spec.numbers = {{key, {0.3}}};
    for (const double x : values(one_joint(type, spec, pose), pose))
      EXPECT_NEAR(x, 0, round_off) << type;
  }
}

TEST(Joints, given_values_are_held) {
  EXPECT_NEAR(
      values(one_joint("x", with(between(-1, 1), "value", {0.25}), pose), {0, 0, 0, 0, 0, 0})[0],
      -0.4 - 0.3 - 0.25,
      round_off);
  // A distance d where c is held gives (d^2 - c^2) / 2c.
  ElementSpec spec;
  spec.ends[1].body = 0;
  EXPECT_NEAR(values(one_joint("distance", with(spec, "value", {2}), {0, 0, 0}), {3, 0, 0})[0],
              5.0 / 4,
              round_off);
  // An angle is held between the axes, and counts turns.
  spec.ends[1].axis = {0, 1, 0};
  const double pi = std::numbers::pi;
  EXPECT_NEAR(values(one_joint("angle", with(spec, "value", {0.2}), {0, 0, 0}), {0, 0, 8 * pi})[0],
              8 * pi + pi / 2 - 0.2,
              1e-13);
}

TEST(Joints, axes_of_a_slide_stay_parallel_after_many_turns) {
  // The pose is four turns and a little from parallel: held is the nearest parallel angle.
  ElementSpec spec;
  spec.ends[1] = {0, {0, 0, 0}, {1, 0, 0}};
  const std::vector<double> turned{0.5, 0, 8 * std::numbers::pi + 0.4};
  for (const std::string_view type : {"translational", "fixed"})
    EXPECT_NEAR(values(one_joint(type, spec, turned), turned).back(), 0.4, 1e-13) << type;
}

TEST(Joints, sides_may_be_swapped) {
  for (const auto& [type, sign] :
       std::initializer_list<std::pair<std::string_view, double>>{{"revolute", -1},
                                                                  {"x", -1},
                                                                  {"y", -1},
                                                                  {"angle", -1},
                                                                  {"distance", 1},
                                                                  {"revolute-revolute", 1},
                                                                  {"gear", 1}}) {
    ElementSpec spec = with(with(between(0, 1), "value", {0}), "radii", {0.4, 0.4});
    if (type == "distance") spec.numbers = {{"value", {0.7}}};
    if (type == "revolute-revolute") spec.numbers = {{"length", {0.7}}};
    const ConstraintSet set = one_joint(type, spec, pose);
    std::swap(spec.ends[0], spec.ends[1]);
    const ConstraintSet swapped = one_joint(type, spec, pose);
    const std::vector<double> q{0.4, 0.1, 0.2, -0.3, 0.8, 0.5};
    const auto phi = values(set, q), other = values(swapped, q);
    for (std::size_t k = 0; k < phi.size(); ++k)
      EXPECT_NEAR(phi[k], sign * other[k], 1e-13) << type;
  }
}

TEST(Joints, gears_mesh_for_many_turns) {
  ElementSpec spec;
  spec.ends[0].body = 0;
  spec.ends[1].body = 1;
  const std::vector<double> start{0, 0, 0.3, 0.9, 1.2, -0.4};  // centres 1.5 apart
  const ConstraintSet outer = one_joint("gear", with(spec, "radii", {0.5, 1.0}), start);
  for (const double turns : {0.3, -4.0, 1000.7}) {
    const double a = 2 * std::numbers::pi * turns;
    EXPECT_NEAR(values(outer, {0, 0, 0.3 + 2 * a, 0.9, 1.2, -0.4 - a})[0], 0, 1e-11);
    // Both wheels and the line of centres turn together.
    const double theta = std::atan2(1.2, 0.9) + a;
    EXPECT_NEAR(
        values(outer, {0, 0, 0.3 + a, 1.5 * std::cos(theta), 1.5 * std::sin(theta), -0.4 + a})[0],
        0,
        1e-11);
    // Planet 0 rolls around the fixed sun 1: its angle grows by (1 + r_1 / r_0) times the
    // carrier's.
    EXPECT_NEAR(values(outer,
                       {0.9 - 1.5 * std::cos(theta),
                        1.2 - 1.5 * std::sin(theta),
                        0.3 + 3 * a,
                        0.9,
                        1.2,
                        -0.4})[0],
                0,
                1e-11);
  }
  const ConstraintSet inner =
      one_joint("gear", with(with(spec, "ratio", {4}), "internal", {1}), start);
  EXPECT_NEAR(values(inner, {0, 0, 0.3 + 4 * 7.0, 0.9, 1.2, -0.4 + 7.0})[0], 0, 1e-12);
}

TEST(Joints, disc_rolls_on_either_side_of_a_line) {
  for (const double side : {1.0, -1.0}) {
    ElementSpec spec;
    spec.ends[0] = {-1, {0, 0.5, 0}, {1, 0, 0}};
    spec.ends[1].body = 0;
    spec.numbers = {{"radius", {0.2}}};
    const double height = 0.5 + 0.2 * side;
    const ConstraintSet set = one_joint("rolling", spec, {1, height + 0.01, 0.3});
    // Above the line, rolling forwards turns the disc clockwise.
    for (const double x : values(set, {1 + 0.2 * 9, height, 0.3 - side * 9}))
      EXPECT_NEAR(x, 0, round_off * 10);
  }
}

TEST(Joints, rack_moves_with_its_pinion) {
  ElementSpec spec;  // pinion on the ground above the rack, which slides along x
  spec.ends[0] = {0, {0, 0, 0}, {1, 0, 0}};
  spec.ends[1] = {1, {0, 0, 0}, {1, 0, 0}};
  spec.numbers = {{"radius", {0.2}}};
  const ConstraintSet set = one_joint("rack-and-pinion", spec, {0, 0.2, 0, 0, 0, 0});
  // The pinion turns counterclockwise: its lowest point, and the rack with it, go forwards.
  EXPECT_NEAR(values(set, {0, 0.2, 2, 0.4, 0, 0})[0], 0, round_off);
}

// One element of every type, driven ones too.
ConstraintSet every_type() {
  ConstraintSet all(2);
  ElementSpec spec = with(with(between(0, 1), "radius", {0.3}), "radii", {0.4, 0.9});
  spec.curves = {
      {"curve", circle_curve(1)}, {"curve_i", circle_curve(1)}, {"curve_j", circle_curve(1)}};
  for (const std::string& type : type_names(Kind::joint)) {
    if (type == "formula") continue;  // made of requests by the system: formula_joints_test
    const Made made = all.add_joint(type, spec, pose);
    EXPECT_TRUE(made) << type;
  }
  spec.drive = std::make_shared<Motionlaw>();
  for (const std::string& type : type_names(Kind::driver)) {
    std::ignore = all.add_driver(type, spec);
    std::ignore = all.add_measure(type, spec);
  }
  return all;
}

TEST(Joints, every_equation_has_words) {
  const ConstraintSet set = every_type();
  for (int k = 0; k < set.pool_count(); ++k)
    for (int r = 0; r < set.pool(k).rows(); ++r)
      EXPECT_FALSE(set.pool(k).equation(r).text.empty()) << set.pool(k).type();
}

TEST(Joints, few_are_differenced) {
  const ConstraintSet set = every_type();
  std::vector<std::string_view> differenced;
  for (int k = 0; k < set.pool_count(); ++k)
    if (set.pool(k).differenced()) differenced.push_back(set.pool(k).type());
  EXPECT_EQ(differenced, std::vector<std::string_view>{"cam-cam"});
}

TEST(Joints, evaluation_allocates_nothing) {
  const ConstraintSet set = every_type();
  const std::vector<double> v{0.4, -0.7, 1.3, 0.2, 0.9, -0.6};
  for (int k = 0; k < set.pool_count(); ++k) {
    const ConstraintPool& pool = set.pool(k);
    const auto count = static_cast<std::size_t>(pool.count()),
               rows = static_cast<std::size_t>(pool.rows());
    std::vector<double> phi(count * rows), lambda(count * rows, 1.0), values(100);
    const std::vector<Slot> row_slots(count * 2, Slot{0, pool.rows()}),
        square_slots(count * 4, Slot{0, 3});
    const Blocks row_blocks{values.data(), row_slots}, square_blocks{values.data(), square_slots};
    const Config at{0, pose};
    const Motion moving{0, pose, v};
    const AllocationGuard guard;
    pool.phi(at, phi);
    pool.nu(at, phi);
    pool.gamma(moving, phi);
    pool.phi_q(at, row_blocks);
    pool.add_phi_q_a_q(at, v, 1, row_blocks);
    pool.add_gamma_q(moving, 1, row_blocks);
    pool.add_gamma_v(moving, 1, row_blocks);
    pool.add_phi_qT_lambda_q(at, lambda, 1, square_blocks);
    EXPECT_EQ(guard.count(), 0) << pool.type();
  }
}

TEST(Joints, faults_and_misuse) {
  ConstraintSet set(2);
  const std::vector<double> q(6, 0.0);
  ElementSpec spec;
  spec.ends[0].body = 0;
  spec.ends[1].body = 1;
  const auto id = [&](std::string_view type, const ElementSpec& s) {
    const Made made = set.add_joint(type, s, q);
    return made ? "" : made.why().id;
  };
  EXPECT_EQ(id("distance", spec), "model.zero-distance");
  EXPECT_EQ(id("revolute-revolute", spec), "model.zero-distance");
  EXPECT_EQ(id("gear", with(spec, "radii", {1, 2})), "model.gear-centres");
  spec.ends[1].point = {1, 0, 0};
  EXPECT_EQ(id("gear", spec), "model.gear-radii");
  EXPECT_EQ(id("gear", with(with(spec, "ratio", {1}), "internal", {1})), "model.gear-radii");
  EXPECT_EQ(id("gear", with(with(spec, "ratio", {3}), "radii", {1, 2})), "model.gear-radii");
  EXPECT_EQ(id("rolling", spec), "model.missing-radius");
  EXPECT_EQ(id("point-on-curve", spec), "model.missing-key");
  EXPECT_EQ(set.pool_count(), 0);
  EXPECT_THROW(std::ignore = set.add_joint("magic", spec, q), std::invalid_argument);
  EXPECT_THROW(std::ignore = set.add_driver("x", spec), std::invalid_argument);
}

}  // namespace
}  // namespace cardan::test
