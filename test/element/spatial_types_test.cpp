// All types of space at once: what is differenced, allocates nothing, has words, and is refused.
#include <gtest/gtest.h>

#include "cardan/base/alloc_guard.h"
#include "test/element/spatial_frames.h"

namespace cardan::test {
namespace {

const std::vector<double> pose{
    0.1, -0.2, 0.3, 0.8, 0.36, 0.48, 0, -0.6, 0.7, 0.2, 0.48, 0, 0.6, 0.64};

ElementSpec plain(int i, int j) {  // frames along the body axes
  ElementSpec spec;
  spec.ends[0] = {i, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  spec.ends[1] = {j, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  return spec;
}

// One element of every type.
ConstraintSet every_type() {
  ConstraintSet all(3);
  ElementSpec spec = between(0, 1);
  spec.numbers = {{"radius", {0.3}}, {"ratio", {2}}, {"pitch", {0.1}}};
  spec.curves = {{"curve", circle_curve(1)}};
  spec.coupled = {{between(0, 1).ends, true, 2}, {between(0, 1).ends, false, -0.5}};
  for (const std::string& type : type_names(Kind::joint, Space::spatial)) {
    if (type == "formula") continue;  // made of requests by the system: formula_joints_test
    const Made made = all.add_joint(type, spec, pose);
    EXPECT_TRUE(made) << type;
  }

  struct Still final : Function {
    Jet at(double) const override { return {}; }

    bool constant() const override { return true; }
  };

  spec.drive = std::make_shared<Still>();
  for (const std::string& type : type_names(Kind::driver, Space::spatial)) {
    std::ignore = all.add_driver(type, spec);
    std::ignore = all.add_measure(type, spec);
  }
  return all;
}

TEST(SpatialJoints, few_are_differenced) {
  const ConstraintSet set = every_type();
  std::vector<std::string_view> differenced;
  for (int k = 0; k < set.pool_count(); ++k)
    if (set.pool(k).differenced()) differenced.push_back(set.pool(k).type());
  EXPECT_EQ(differenced, std::vector<std::string_view>{"rolling on plane"});
}

TEST(SpatialJoints, evaluation_allocates_nothing_and_every_equation_has_words) {
  const ConstraintSet set = every_type();
  const std::vector<double> v{0.4, -0.7, 1.3, 0.2, 0.9, -0.6, 0.3, 0.1, -0.8, 0.5, -0.2, 0.7};
  for (int k = 0; k < set.pool_count(); ++k) {
    const ConstraintPool& pool = set.pool(k);
    for (int r = 0; r < pool.rows(); ++r)
      EXPECT_FALSE(pool.equation(r).text.empty()) << pool.type();
    const auto count = static_cast<std::size_t>(pool.count()),
               rows = static_cast<std::size_t>(pool.rows()),
               sides = static_cast<std::size_t>(pool.sides());
    std::vector<double> phi(count * rows), lambda(count * rows, 1.0), values(100);
    const std::vector<Slot> row_slots(count * sides, Slot{0, pool.rows()}),
        square_slots(count * sides * sides, Slot{0, 6});
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

TEST(SpatialJoints, faults) {
  ConstraintSet set(3);
  const std::vector<double> q{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  const auto id = [&](std::string_view type, const ElementSpec& spec) {
    const Made made = set.add_joint(type, spec, q);
    return made ? "" : made.why().id;
  };
  ElementSpec spec = plain(0, 1);
  for (const std::string_view type :
       {"spherical-spherical", "revolute-spherical", "revolute-revolute", "point-on-cylinder"})
    EXPECT_EQ(id(type, spec), "model.zero-distance") << type;
  EXPECT_EQ(id("gear", spec), "model.gear-centres");
  EXPECT_EQ(id("screw", spec), "model.missing-key");
  EXPECT_EQ(id("rolling-disc", spec), "model.missing-radius");
  EXPECT_EQ(id("coupler", spec), "model.missing-key");
  spec.ends[1].point = {0, 0.2, 0.3};
  spec.ends[1].axis = {0, 1, 0};
  EXPECT_EQ(id("revolute-revolute", spec), "model.bad-value");
  EXPECT_EQ(set.pool_count(), 0);
}

}  // namespace
}  // namespace cardan::test
