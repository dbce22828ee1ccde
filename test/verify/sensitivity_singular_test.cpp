// Derivatives by parameters through singular poses: rows beside flat poses against differences of runs,
// and parameters whose change leaves no such pose to pass.
#include "test/verify/derived_runs.h"

namespace cardan::test {
namespace {

// Two or three equal bars carry a coupler; `off` moves one pin of it alone.
std::string flat_loop(bool redundant, const std::string& more) {
  std::string text = R"toml(gravity = [0, -9.81]
[parameters]
r = 0.2
l = 0.5
m = 1.0
load = 2.0
rate = 12.0
off = 0.5
[[body]]
name = "coupler"
from = ["r*cos(0.7)", "r*sin(0.7)"]
to = ["l + r*cos(0.7)", "r*sin(0.7)"]
mass = "load"
)toml";
  const std::vector<std::pair<std::string, std::string>> bars =
      redundant ? std::vector<std::pair<std::string, std::string>>{{"crank", "0"},
                                                                   {"rocker", "l"},
                                                                   {"middle", "0.4*l"}}
                : std::vector<std::pair<std::string, std::string>>{{"crank", "0"}, {"rocker", "l"}};
  for (const auto& [name, foot] : bars)
    text += fmt::format(R"toml([[body]]
name = "{0}"
from = ["{1}", 0]
to = ["{1} + r*cos(0.7)", "r*sin(0.7)"]
mass = "m"
[[joint]]
type = "revolute"
name = "foot of {0}"
between = ["ground", "{0}"]
at = ["{1}", 0]
[[joint]]
type = "revolute"
name = "head of {0}"
between = ["coupler", "{0}"]
points = [["{2}", 0], ["r", 0]]
)toml",
                        name,
                        foot,
                        name == "rocker" ? "l + off - 0.5" : foot);
  return text + more;
}

const std::string driven = R"toml([[driver]]
joint = "foot of crank"
name = "motor"
motion = "0.7 + rate*t"
[[analysis]]
type = "dynamic"
until = 1.5
output_step = 0.05
)toml";

const std::string thrown = R"toml([[initial]]
body = "crank"
rate = "rate"
[[analysis]]
type = "dynamic"
until = 1
output_step = 0.05
)toml";

// A change point is passed every 0.26 s; one of the rows lies 0.8 ms before one. Where accelerations of
// turning are zero, round-off of 1e-8 of the square of the speed is left there. Reactions have poles in
// the flat poses, which a change of the rate moves, so they are not compared by it.
TEST(SensitivitySingular, DrivenThroughFlatPoses) {
  for (const bool redundant : {false, true}) {
    const std::string path = written_model(flat_loop(redundant, driven));
    expect_differences(path, {{"kinematic"}, {"r", "l", "rate"}, 1.5, 0.05}, 1e-6, 1e-8);
    expect_differences(path, {{"inverse"}, {"m", "r"}, 1.5, 0.05}, 1e-6, 1e-8);
  }
}

// Derivatives beside flat poses are known to 1e-9 or so: tolerances far below would follow that round-off.
const std::vector<std::pair<std::string, OptionValue>> usual{
    {"rtol", 1e-8}, {"atol", 1e-9}, {"integrator", std::string("dop853")}};

TEST(SensitivitySingular, MotionThroughFlatPoses) {
  for (const bool redundant : {false, true})
    expect_differences(written_model(flat_loop(redundant, thrown)),
                       {{"dynamic"},
                        {"load", "rate", "r"},
                        0.5,
                        0.05,
                        {},
                        {"crank.*", "rocker.*", "coupler.*"},
                        usual},
                       1e-3,
                       1e-7);
}

// Behind the motion too, with the formulations that pass singular poses.
TEST(SensitivitySingular, WhateverTheFormulation) {
  const std::string path = written_model(flat_loop(false, thrown));
  const auto carried = run_derived(path, {{"dynamic"}, {"load", "rate"}, 0.5, 0.05, {}, {}, usual});
  expect_complete(*carried);
  for (const std::string formulation : {"reduced", "half-explicit"}) {
    auto options = usual;
    options.emplace_back("formulation", formulation);
    if (formulation == "half-explicit") options.erase(options.begin() + 2);
    const auto run = run_derived(path, {{"dynamic"}, {"load", "rate"}, 0.5, 0.05, {}, {}, options});
    expect_complete(*run);
    for (const char* channel : {"coupler.x", "crank.angle", "rocker.omega"})
      for (const char* by : {"load", "rate"})
        for (const double t : {0.2, 0.25, 0.5})
          EXPECT_NEAR(run->slope(t, channel, by), carried->slope(t, channel, by), 1e-4)
              << formulation << " " << channel << " by " << by << " at " << t;
  }
}

// With another length of the coupler alone no pose is flat.
TEST(SensitivitySingular, EndsWhereTheParameterLeavesNoSuchPose) {
  for (const char* analysis : {"kinematic", "inverse", "dynamic"}) {
    const std::string path =
        written_model(flat_loop(false, analysis == std::string("dynamic") ? thrown : driven));
    const auto run = run_derived(path, {{analysis}, {"off"}, 1, 0.05});
    EXPECT_EQ(run->outcome.summary.status, "failed") << analysis;
    bool named = false;
    for (const Diagnostic& d : run->outcome.summary.diagnostics)
      named = named || (d.id == "numeric.singular" && d.severity == Severity::error &&
                        d.found.find("'off'") != std::string::npos);
    EXPECT_TRUE(named) << analysis << to_text(run->outcome.summary.diagnostics);
    EXPECT_GE(run->memory.rows.size(), 3U) << analysis;  // up to there
  }
}

}  // namespace
}  // namespace cardan::test
