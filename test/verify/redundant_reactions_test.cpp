// Reactions of mechanisms with more equations than they need: of all that are possible the smallest
// are shown, which are continuous, balance the loads, and depend neither on the equations kept nor
// on the way of integrating.
#include <algorithm>
#include <cmath>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

struct Told : Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }
};

Vec<3> force(const Memory& run, const std::string& end, std::size_t row) {
  return test::vector(run, end + ".f", row);
}

// From the pose at the start the equations kept lose their independence near 1.82 s: others take
// their place.
TEST(RedundantReactions, OfTheBennettLinkageAreSmooth) {
  Model model = test::model_file("bennett");
  test::dynamic(model).output_step = 2e-3;
  Told run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(std::count_if(run.events.begin(),
                          run.events.end(),
                          [](const Event& e) { return e.kind == "redundancy"; }),
            1);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  for (const char* joint : {"A", "B", "C", "D"})
    for (std::size_t row = 1; row < run.rows.size(); ++row) {
      const Vec<3> now = force(run, std::string(joint) + ".first", row);
      EXPECT_LT(now.norm(), 120) << joint;
      EXPECT_LT((now - force(run, std::string(joint) + ".first", row - 1)).norm(), 1)
          << joint << " at " << run.times[row];
    }
}

// m a = weight + reactions of both ends, for the coupler between B and C: the smallest reactions
// are still reactions.
TEST(RedundantReactions, BalanceTheLoads) {
  Model model = test::model_file("bennett");
  test::dynamic(model).output_step = 0.05;
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  const System system = test::system_of(model);
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const auto& body = system.bodies()[b];
    for (std::size_t row = 0; row < run.rows.size(); ++row) {
      Vec<3> sum = body.mass * Vec<3>(model.gravity.data());
      for (const auto& joint : system.constraints())
        for (std::size_t side = 0; side < 2; ++side)
          if (joint.sides[side].body == static_cast<int>(b))
            sum += force(run, joint.name + (side == 0 ? ".first" : ".second"), row);
      const Mat<3, 3> A = matrix_of_quaternion(test::quaternion(run, body.name, row));
      const Vec<3> s = A * Vec<3>(body.centre.data()),
                   w = test::vector(run, body.name + ".omega_", row),
                   a = test::vector(run, body.name + ".a", row) +
                       test::vector(run, body.name + ".alpha_", row).cross(s) + w.cross(w.cross(s));
      EXPECT_LT((body.mass * a - sum).norm(), 1e-8 * (1 + sum.norm())) << body.name << row;
    }
  }
}

// The third crank of the parallelogram makes one equation redundant: every choice of equations
// shows the same loads.
TEST(RedundantReactions, DoNotDependOnTheOrderOfTheModel) {
  Model model = test::model_file("parallelogram"), turned = model;
  std::reverse(turned.joints.begin(), turned.joints.end());
  test::tighten(model, 1e-11, "dop853");
  test::tighten(turned, 1e-11, "dop853");
  test::dynamic(turned).formulation = "partitioned";
  Memory one, other;
  ASSERT_EQ(run_model(model, one, {}).summary.status, "complete");
  ASSERT_EQ(run_model(turned, other, {}).summary.status, "complete");
  for (std::size_t row = 0; row < one.rows.size(); row += 20)
    for (const char* pin : {"lower pin 0", "lower pin 1", "lower pin 2", "upper pin 1"})
      for (const char* k : {".first.fx", ".first.fy"})
        EXPECT_NEAR(
            one.value(pin + std::string(k), row), other.value(pin + std::string(k), row), 1e-6)
            << pin << k;
}

TEST(RedundantReactions, ARunThatKeptOtherEquationsGoesOnBitForBit) {
  Model model = test::model_file("bennett");
  Memory whole, first, rest;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  Control control;
  double reached = 0;
  control.progress = [&](double t, double, double) {
    reached = t;
  };
  control.cancelled = [&] {
    return reached > 1.85;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
  ASSERT_GT(rest.rows.size(), 0U);
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = 0; k < rest.rows.size(); ++k)
    EXPECT_EQ(rest.rows[k], whole.rows[first.rows_at_checkpoint + k]);
}

}  // namespace
}  // namespace cardan
