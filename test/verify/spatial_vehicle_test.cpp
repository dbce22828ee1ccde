// The vehicle with double wishbones: wheel loads against the levers of its weight, symmetry, one
// side against the other in the mirror, energy, and methods against each other.
#include <cmath>
#include <cstdlib>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Drive : Memory {
  Summary summary;
};

Drive drive(const Settings& set,
            double until,
            const std::string& integrator = "adams",
            const std::string& formulation = "auto",
            double rtol = 1e-6) {
  auto read = read_model(std::string(test::source_dir) + "/models/vehicle/model.toml",
                         {.set = set, .folder = {}});
  if (!read) {
    ADD_FAILURE() << to_text(read.why()[0]);
    return {};
  }
  Model model = std::move(read).value();
  DynamicOptions& o = test::dynamic(model);
  o.until = until;
  o.integrator = integrator;
  o.formulation = formulation;
  o.rtol = rtol;
  o.atol = 0.01 * rtol;
  Drive run;
  run.summary = run_model(model, run, {}).summary;
  EXPECT_EQ(run.summary.status, "complete") << integrator << ' ' << formulation;
  return run;
}

const Settings straight{{"bump_left", "0"}, {"steer", "0"}};

TEST(Vehicle, LoadsFollowFromTheLevers) {
  const Drive run = drive(straight, 1.5);
  EXPECT_EQ(run.summary.dof, 54);
  EXPECT_EQ(run.summary.redundant, 0);
  const double g = 9.81, corner = 5 + 3 + 10 + 18, base = 1.2 + 1.4;
  const double front = (1100 * 1.4 / base + 3 * (1.33 + 1.4) / base + 2 * corner) * g / 2;
  const double rear = (1100 * 1.2 / base + 3 * (1.2 - 1.33) / base + 2 * corner) * g / 2;
  const std::size_t end = run.rows.size() - 1;
  for (const int i : {1, 2, 3, 4})
    EXPECT_NEAR(run.value(fmt::format("load_{}", i), end), i < 3 ? front : rear, 0.003 * rear) << i;
  EXPECT_NEAR(run.last("load_1") + run.last("load_2") + run.last("load_3") + run.last("load_4"),
              (1100 + 3 + 4 * corner) * g,
              0.002 * 12000);
}

TEST(Vehicle, StaysStraightOnASymmetricBump) {
  const Drive run = drive({{"bump_left", "0.05"}, {"bump_right", "0.05"}, {"steer", "0"}}, 1);
  double lifted = 1e6, most = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    EXPECT_LT(std::abs(run.value("chassis.y", row)), 1e-8);
    EXPECT_LT(std::abs(run.value("chassis.qx", row)), 1e-8);
    EXPECT_LT(std::abs(run.value("chassis.qz", row)), 1e-8);
    EXPECT_NEAR(run.value("load_1", row), run.value("load_2", row), 1e-2);
    EXPECT_NEAR(run.value("load_3", row), run.value("load_4", row), 1e-2);
    lifted = std::min(lifted, run.value("load_1", row));
    most = std::max(most, run.value("load_1", row));
  }
  EXPECT_LT(lifted, 1000);
  EXPECT_GT(most, 5000);
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-3);  // of some 1e5 J
}

// A bump on the left and, mirrored, on the right; by other methods too.
TEST(Vehicle, MirrorAndMethodsAgree) {
  const double until = 0.7;
  const Drive left = drive({{"steer", "0"}}, until);
  EXPECT_GT(std::abs(left.last("chassis.qx")), 1e-3);
  const Settings mirrored{{"steer", "0"}, {"bump_left", "0"}, {"bump_right", "0.05"}};
  const Drive right = drive(mirrored, until);
  for (std::size_t row = 0; row < left.rows.size(); ++row) {
    EXPECT_NEAR(left.value("chassis.z", row), right.value("chassis.z", row), 2e-6);
    EXPECT_NEAR(left.value("chassis.y", row), -right.value("chassis.y", row), 2e-6);
    EXPECT_NEAR(left.value("load_1", row), right.value("load_2", row), 2);
    EXPECT_NEAR(left.value("load_4", row), right.value("load_3", row), 2);
  }
  std::vector<std::pair<std::string, std::string>> others{{"bdf", "projected"}};
  if (std::getenv("CARDAN_FULL") != nullptr)
    others = {{"bdf", "projected"},
              {"ode45", "projected"},
              {"adams", "baumgarte"},
              {"adams", "tangent-qr"},
              {"adams", "direct"}};
  for (const auto& [integrator, formulation] : others) {
    const Drive other = drive({{"steer", "0"}}, until, integrator, formulation);
    EXPECT_LT((test::vector(other, "chassis.", other.rows.size() - 1) -
               test::vector(left, "chassis.", left.rows.size() - 1))
                  .norm(),
              1e-5)
        << integrator << ' ' << formulation;
  }
}

// The whole drive, with the turn at its end.
TEST(Vehicle, TurnsToTheLeft) {
  if (std::getenv("CARDAN_FULL") == nullptr) GTEST_SKIP() << "with CARDAN_FULL";
  const Drive run = drive({}, 3), fine = drive({}, 3, "dop853", "projected", 1e-8);
  EXPECT_GT(run.last("chassis.y"), 2);
  EXPECT_GT(run.last("load_2"), run.last("load_1") + 1000);
  EXPECT_LT((test::vector(run, "chassis.", run.rows.size() - 1) -
             test::vector(fine, "chassis.", fine.rows.size() - 1))
                .norm(),
            1e-4);
  double side = 0;
  for (const int i : {1, 2, 3, 4})
    side += fine.last(fmt::format("push_{}", i)) *
                std::cos(fine.last(fmt::format("heading_{}", i)) - fine.last("heading_3")) +
            fine.last(fmt::format("pull_{}", i)) *
                std::sin(fine.last(fmt::format("heading_{}", i)) - fine.last("heading_3"));
  const double speed = std::hypot(fine.last("chassis.vx"), fine.last("chassis.vy"));
  EXPECT_NEAR(side / 1247, speed * fine.last("chassis.omega_z"), 0.05 * side / 1247);
}

}  // namespace
}  // namespace cardan
