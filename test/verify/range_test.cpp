// Ranges of motion against closed forms (test/reference/analyses, models/*/reference).
#include <fstream>

#include <nlohmann/json.hpp>

#include "cardan/io/read_model.h"
#include "cardan/model/analysis_type.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using Json = nlohmann::json;

Json figures(const std::string& path) {
  std::ifstream file(std::string(test::source_dir) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  return Json::parse(file);
}

struct Swept {
  Outcome outcome;
  test::Memory memory;
};

Swept swept(const std::string& path) {
  Swept out;
  auto read = read_model(std::string(test::source_dir) + "/" + path);
  EXPECT_TRUE(read) << (read ? "" : to_text(read.why()));
  if (!read) return out;
  Model model = std::move(read).value();
  const AnalysisType& type = *find_analysis("kinematic");
  model.analyses = analyses_of_type(model.analyses, type);
  type.field("range")->set(model.analyses.front(), true, {});
  out.outcome = run_model(model, out.memory, {});
  EXPECT_EQ(out.outcome.summary.status, "complete") << to_text(out.outcome.summary.diagnostics);
  return out;
}

const RangeOutput& output(const DriverRange& range, const std::string& name) {
  static const RangeOutput none;
  for (const RangeOutput& o : range.outputs)
    if (o.name == name) return o;
  ADD_FAILURE() << "no output " << name;
  return none;
}

constexpr double pi = 3.14159265358979323846;

TEST(Range, CrankRocker) {
  const Json expected = figures("test/reference/analyses/four-bar-kinematics/reference.json");
  const Swept run = swept("test/reference/analyses/four-bar-kinematics/model.toml");
  ASSERT_EQ(run.outcome.summary.range.size(), 1U);
  const DriverRange& range = run.outcome.summary.range.front();
  EXPECT_EQ(range.kind, "crank");
  const RangeOutput& rocker = output(range, "D.angle");
  EXPECT_EQ(rocker.kind, "rocker");
  const Json& dead = expected["dead_centres"];
  ASSERT_EQ(rocker.dead_centres.size(), 2U);
  EXPECT_NEAR(rocker.dead_centres[0].driver, dead["crank_extended"].get<double>(), 1e-10);
  EXPECT_NEAR(rocker.dead_centres[1].driver, dead["crank_folded"].get<double>(), 1e-10);
  const double from = dead["rocker_extended"], to = dead["rocker_folded"];
  EXPECT_NEAR(rocker.stroke, to - from, 1e-10);
  EXPECT_NEAR(rocker.time_ratio, expected["time_ratio"].get<double>(), 1e-9);
  ASSERT_EQ(range.transmission.size(), 1U);
  const TransmissionAngle& angle = range.transmission.front();
  EXPECT_EQ(angle.coupler, "coupler");
  EXPECT_EQ(angle.output, "rocker");
  EXPECT_NEAR(angle.least.value, expected["transmission_angle_at_crank_0"].get<double>(), 1e-10);
  EXPECT_NEAR(
      pi - angle.most.value, expected["transmission_angle_at_crank_pi"].get<double>(), 1e-10);
  EXPECT_NEAR(std::remainder(angle.least.driver, 2 * pi), 0, 1e-5);
  EXPECT_NEAR(angle.most.driver, pi, 1e-5);
  EXPECT_NEAR(angle.worst.value, angle.least.value, 1e-12);
  EXPECT_GT(run.memory.rows.size(), 300U);
  // velocity ratio by the lengths that the pole of relative rotation cuts from the frame: its extremes
  // are zeros of the acceleration, so that neighbours are less
  for (std::size_t k = 0; k < run.memory.rows.size(); ++k) {
    const double ratio = run.memory.value("rocker.omega", k) / run.memory.value("crank.omega", k);
    EXPECT_LE(rocker.least_ratio.value, ratio + 1e-12);
    EXPECT_GE(rocker.most_ratio.value, ratio - 1e-12);
  }
}

TEST(Range, CrankShaper) {
  const Json limits =
      figures("test/reference/analyses/crank-shaper/reference.json").at("ram_limits");
  const Swept run = swept("test/reference/analyses/crank-shaper/model.toml");
  const DriverRange& range = run.outcome.summary.range.front();
  EXPECT_EQ(range.kind, "crank");
  const RangeOutput& ram = output(range, "guide.displacement");
  EXPECT_EQ(ram.kind, "slider");
  EXPECT_NEAR(ram.stroke, limits["stroke"].get<double>(), 1e-11);
  EXPECT_NEAR(ram.time_ratio, limits["time_ratio"].get<double>(), 1e-9);
  ASSERT_EQ(ram.dead_centres.size(), 2U);
  EXPECT_NEAR(ram.dead_centres[0].driver, limits["crank_angles"][1].get<double>(), 1e-9);
  EXPECT_NEAR(ram.dead_centres[1].driver, limits["crank_angles"][0].get<double>() + 2 * pi, 1e-9);
}

TEST(Range, QuickReturn) {
  const Swept run = swept("models/quick-return/driven.toml");
  const RangeOutput& ram = output(run.outcome.summary.range.front(), "ram guide.displacement");
  ASSERT_EQ(ram.dead_centres.size(), 2U);
  EXPECT_NEAR(ram.dead_centres[0].driver * 180 / pi, 221.8103149, 5e-8);
  EXPECT_NEAR(ram.dead_centres[1].driver * 180 / pi, 318.1896851, 5e-8);
  EXPECT_NEAR(ram.time_ratio, 2.7352391826, 5e-11);
}

TEST(Range, ACrankThatLocksUp) {
  const Json expected =
      figures("test/reference/analyses/offset-slider-crank-lock-up/reference.json");
  const Swept run = swept("test/reference/analyses/offset-slider-crank-lock-up/model.toml");
  const DriverRange& range = run.outcome.summary.range.front();
  EXPECT_EQ(range.kind, "rocker");
  EXPECT_EQ(range.from_end, "lock-up");
  EXPECT_EQ(range.to_end, "lock-up");
  EXPECT_NEAR(range.from, expected["crank_range"][0].get<double>(), 1e-8);
  EXPECT_NEAR(range.to, expected["crank_range"][1].get<double>(), 1e-8);
  const RangeOutput& slider = output(range, "guide.displacement");
  EXPECT_TRUE(std::isnan(slider.least_ratio.value));  // without bound
}

TEST(Range, ASliderThatLocksUp) {
  const Json expected =
      figures("test/reference/analyses/offset-slider-crank-lock-up/reference.json")
          .at("slider_driven");
  const Swept run = swept("test/reference/analyses/offset-slider-crank-lock-up/slider-driven.toml");
  const DriverRange& range = run.outcome.summary.range.front();
  EXPECT_EQ(range.kind, "slider");
  EXPECT_NEAR(range.from, expected["slider_there_inwards"].get<double>(), 1e-9);
  EXPECT_NEAR(range.to, expected["slider_there"].get<double>(), 1e-9);
}

TEST(Range, InSpace) {
  const Json dead = figures("test/reference/analyses/rssr/reference.json").at("dead_centres");
  const Swept run = swept("test/reference/analyses/rssr/model.toml");
  const DriverRange& range = run.outcome.summary.range.front();
  EXPECT_EQ(range.kind, "crank");
  const RangeOutput& swing = output(range, "swing");
  ASSERT_EQ(swing.dead_centres.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    // the driver counts from the drawing, at 0.25 rad
    EXPECT_NEAR(swing.dead_centres[k].driver + 0.25, dead[k]["crank_angle"].get<double>(), 1e-9);
    EXPECT_NEAR(swing.dead_centres[k].value, dead[k]["swing"].get<double>(), 1e-10);
  }
  EXPECT_EQ(range.transmission.size(), 1U);
}

TEST(Range, ChangePointsArePassed) {
  const Swept run = swept("test/reference/analyses/parallelogram-change-point/model.toml");
  const DriverRange& range = run.outcome.summary.range.front();
  EXPECT_EQ(range.kind, "crank");
  EXPECT_EQ(range.singular_poses.size(), 2U);
  EXPECT_EQ(output(range, "D.angle").kind, "crank");
  EXPECT_NEAR(output(range, "D.angle").least_ratio.value, 1, 1e-6);
}

TEST(Range, OfSixBars) {
  const Json watt = figures("models/six-bar-watt/reference/reference.json");
  const Swept run = swept("models/six-bar-watt/model.toml");
  const DriverRange& range = run.outcome.summary.range.front();
  for (const auto& [name, key] : {std::pair("output bearing.angle", "output_dead_centres"),
                                  std::pair("lever bearing.angle", "rocker_dead_centres")}) {
    const RangeOutput& o = output(range, name);
    ASSERT_EQ(o.dead_centres.size(), watt[key].size());
    for (std::size_t k = 0; k < o.dead_centres.size(); ++k)
      EXPECT_NEAR(o.dead_centres[k].driver, watt[key][k]["crank"].get<double>(), 1e-9);
  }
  EXPECT_EQ(range.transmission.size(), 2U);
}

TEST(Range, SeveralDrivers) {
  const Swept run = swept("models/excavator-arm/model.toml");
  ASSERT_EQ(run.outcome.summary.range.size(), 3U);
  for (const DriverRange& range : run.outcome.summary.range) {
    EXPECT_EQ(range.kind, "slider");
    EXPECT_LT(range.from, range.start);
    EXPECT_GT(range.to, range.start);
    EXPECT_EQ(range.outputs.size(), 1U);  // the joint that the cylinder bends
  }
}

}  // namespace
}  // namespace cardan
