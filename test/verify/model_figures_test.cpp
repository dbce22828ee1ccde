// Models against figures computed without Cardan (models/*/reference/reference.json).
#include <fstream>
#include <numeric>

#include <nlohmann/json.hpp>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using Json = nlohmann::json;

struct Figures {
  Json reference;
  Outcome outcome;
  test::Memory memory;

  explicit Figures(const std::string& name, const std::string& file = "model.toml") {
    const std::string folder = std::string(test::source_dir) + "/models/" + name + "/";
    std::ifstream stream(folder + "reference/reference.json");
    EXPECT_TRUE(stream.good()) << name;
    reference = Json::parse(stream);
    auto model = read_model(folder + file);
    EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
    if (!model) return;
    outcome = run_model(model.value(), memory, {});
    EXPECT_EQ(outcome.summary.status, "complete") << to_text(outcome.summary.diagnostics);
  }

  std::size_t row(const Json& at) const {
    for (std::size_t k = 0; k < memory.times.size(); ++k)
      if (std::abs(memory.times[k] - at["t"].get<double>()) < 1e-12) return k;
    ADD_FAILURE() << "no row at " << at["t"];
    return 0;
  }

  void near(const std::string& channel, const Json& at, const Json& expected, double tolerance) {
    const double x = expected.get<double>();
    EXPECT_NEAR(memory.value(channel, row(at)), x, tolerance * std::max(1.0, std::abs(x)))
        << channel << " at " << at["t"];
  }

  void near_motion(const std::string& body, const Json& at, const Json& expected) {
    near(body + ".angle", at, expected[0], 1e-10);
    near(body + ".omega", at, expected[1], 1e-10);
    near(body + ".alpha", at, expected[2], 1e-9);
  }
};

TEST(ModelFigures, SixBarOfWatt) {
  Figures run("six-bar-watt");
  for (const Json& at : run.reference["at"]) {
    run.near_motion("lever", at, at["rocker"]);
    run.near_motion("output", at, at["output"]);
  }
  EXPECT_LT(run.outcome.summary.power_imbalance, 1e-9);
}

TEST(ModelFigures, SixBarOfStephenson) {
  Figures run("six-bar-stephenson");
  for (const Json& at : run.reference["at"]) {
    run.near_motion("coupler", at, at["coupler"]);
    run.near_motion("output", at, at["output"]);
    run.near("coupler point.x", at, at["point"][0], 1e-11);
    run.near("coupler point.y", at, at["point"][1], 1e-11);
  }
}

TEST(ModelFigures, ExcavatorArm) {
  Figures run("excavator-arm");
  const char* const bodies[] = {"boom", "arm", "bucket"};
  for (const Json& at : run.reference["at"])
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string body = bodies[k];
      run.near(body + ".angle", at, at["angles"][k], 1e-10);
      run.near(body + ".omega", at, at["rates"][k], 1e-9);
      run.near(body + " cylinder.force", at, at["forces"][k], 1e-8);
    }
}

TEST(ModelFigures, FourCylinderEngine) {
  Figures run("four-cylinder-engine");
  for (const Json& at : run.reference["at"]) {
    run.near("piston 1.y", at, at["piston_1"][0], 1e-11);
    run.near("piston 1.ay", at, at["piston_1"][2], 1e-9);
    const std::size_t row = run.row(at);
    const char* const parts[] = {"fx", "fy"};
    for (std::size_t k = 0; k < 2; ++k) {
      double sum = run.memory.value(std::string("main bearing.first.") + parts[k], row);
      for (int i = 1; i <= 4; ++i)
        sum += run.memory.value(fmt::format("cylinder {}.first.{}", i, parts[k]), row);
      EXPECT_NEAR(sum, at["shaking"][k].get<double>(), 1e-6) << at["t"];
    }
  }
}

TEST(ModelFigures, QuarterCar) {
  Figures run("quarter-car");
  const Summary& balance = run.outcome.summary.earlier.front();
  ASSERT_EQ(balance.equilibria.size(), 1U);
  EXPECT_EQ(balance.equilibria.front().kind, "stable");
  EXPECT_NEAR(balance.equilibria.front().coordinates[0].q[1],
              run.reference["wheel_height"].get<double>(),
              1e-10);
  EXPECT_NEAR(balance.equilibria.front().coordinates[1].q[1],
              run.reference["body_height"].get<double>(),
              1e-10);
  ASSERT_TRUE(run.outcome.summary.linear);
  EXPECT_EQ(run.outcome.summary.linear->modes.size(), 2U);
}

TEST(ModelFigures, PreloadOfTheQuarterCar) {
  Figures run("quarter-car", "preload.toml");
  const Summary& summary = run.outcome.summary;
  ASSERT_TRUE(summary.solved);
  EXPECT_NEAR(
      summary.solved->value, run.reference["free_length_for_body_at_0_70"].get<double>(), 1e-10);
  EXPECT_EQ(summary.solved->unit, "m");
  ASSERT_EQ(summary.equilibria.size(), 1U);
  EXPECT_NEAR(summary.equilibria.front().coordinates[1].q[1], 0.7, 1e-12);  // the pose is kept
}

TEST(ModelFigures, HangingChain) {
  Figures run("hanging-chain");
  ASSERT_EQ(run.outcome.summary.equilibria.size(), 1U);
  const EquilibriumPoint& found = run.outcome.summary.equilibria.front();
  EXPECT_EQ(found.kind, "stable");
  for (std::size_t k = 0; k < found.coordinates.size(); ++k)
    EXPECT_NEAR(found.coordinates[k].q[2], run.reference["angles"][k].get<double>(), 1e-8);
  for (const NamedValue& x : found.reactions) {
    if (x.name == "left support.second.fx") {
      EXPECT_NEAR(x.value, -run.reference["H"].get<double>(), 1e-6);
    }
    if (x.name == "left support.second.fy") {
      EXPECT_NEAR(x.value, run.reference["V_left"].get<double>(), 1e-6);
    }
  }
}

TEST(ModelFigures, ScissorLift) {
  Figures run("scissor-lift");
  for (const Json& at : run.reference["at"]) {
    run.near("rising 0.angle", at, at["angle"], 1e-9);
    run.near("platform.y", at, at["height"], 1e-9);
    run.near("cylinder.force", at, at["force"], 1e-7);
  }
}

// Rows on whole degrees of the crank.
TEST(ModelFigures, QuickReturnDriven) {
  auto model = read_model(std::string(test::source_dir) + "/models/quick-return/driven.toml");
  ASSERT_TRUE(model) << to_text(model.why());
  test::Memory memory;
  ASSERT_EQ(run_model(model.value(), memory, {}).summary.status, "complete");
  auto table = test::read_csv("models/quick-return/reference/constant_speed.csv");
  ASSERT_EQ(memory.rows.size(), 361U);
  const double speed = memory.value("crank.omega", 0);
  for (std::size_t k = 0; k < table["crank_deg"].size(); ++k) {
    const auto row = static_cast<std::size_t>(table["crank_deg"][k]);
    EXPECT_NEAR(memory.value("lever.angle", row), table["phi4"][k], 1e-9);
    EXPECT_NEAR(memory.value("bar.angle", row), table["phi5"][k], 1e-9);
    EXPECT_NEAR(memory.value("ram.x", row), table["x6"][k], 1e-9);
    EXPECT_NEAR(memory.value("ram.vx", row) / speed, table["dx6_dphi2"][k], 1e-9);
  }
}

}  // namespace
}  // namespace cardan
