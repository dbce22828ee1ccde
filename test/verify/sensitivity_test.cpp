// Derivatives of results by parameters: against figures computed elsewhere to many digits
// (test/reference/analyses), and against differences of runs with Richardson extrapolation.
#include <cstdlib>

#include "test/verify/derived_runs.h"

namespace cardan::test {
namespace {

// ---- figures computed elsewhere

TEST(Sensitivity, FourBarKinematics) {
  const Json expected = reference_of("four-bar-kinematics");
  for (const auto& [key, table] : expected.items()) {
    if (key.find("sensitivity") == std::string::npos) continue;
    const auto run = run_derived(case_file("four-bar-kinematics", "model.toml"),
                                 {{"kinematic"}, names_of(table), 1.2, 0.4});
    expect_complete(*run);
    const char* const channels[] = {"rocker.angle", "rocker.omega", "rocker.alpha"};
    for (const auto& [name, values] : table.items())
      for (std::size_t k = 0; k < 3; ++k) {
        const double value = values[k];
        EXPECT_NEAR(
            run->slope(1.2, channels[k], name), value, 1e-8 * std::max(1.0, std::abs(value)))
            << channels[k] << " by " << name;
      }
  }
}

TEST(Sensitivity, CrankShaper) {
  const Json table = reference_of("crank-shaper").at("sensitivity_of_ram_x_v_a_at_0_8");
  const auto run = run_derived(case_file("crank-shaper", "model.toml"),
                               {{"kinematic"}, names_of(table), 0.8, 0.4});
  expect_complete(*run);
  const char* const channels[] = {"ram.x", "ram.vx", "ram.ax"};
  for (const auto& [name, values] : table.items())
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(run->slope(0.8, channels[k], name),
                  values[k].get<double>(),
                  1e-8 * std::max(1.0, std::abs(values[k].get<double>())))
          << channels[k] << " by " << name;
}

// The drawing, from which the swing is counted, follows from the parameters too.
TEST(Sensitivity, RssrInSpace) {
  const Json table = reference_of("rssr").at("sensitivity_of_swing_rate_acceleration_at_0_8");
  const auto run =
      run_derived(case_file("rssr", "model.toml"), {{"kinematic"}, names_of(table), 0.8, 0.4});
  expect_complete(*run);
  const char* const channels[] = {"swing", "swing.rate", "swing.acceleration"};
  for (const auto& [name, values] : table.items())
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(run->slope(0.8, channels[k], name),
                  values[k].get<double>(),
                  1e-8 * std::max(1.0, std::abs(values[k].get<double>())))
          << channels[k] << " by " << name;
}

TEST(Sensitivity, TimeOfALockUp) {
  const Json expected =
      reference_of("offset-slider-crank-lock-up").at("sensitivity_of_lock_up_time");
  const auto run = run_derived(case_file("offset-slider-crank-lock-up", "model.toml"),
                               {{"kinematic"}, {"r", "l", "off"}, 1, 0.08});
  ASSERT_EQ(run->outcome.summary.singular_poses.size(), 1U);
  const auto& found = run->outcome.summary.singular_poses.front().sensitivities;
  ASSERT_EQ(found.size(), 3U);
  const char* const names[] = {"r", "l", "e"};  // of the reference
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(found[k].value, expected.at(names[k]).get<double>(), 1e-8 * 5) << found[k].name;
}

TEST(Sensitivity, FourBarInverse) {
  const Json table =
      reference_of("four-bar-inverse").at("sensitivity_at_0_2_of_torque_Ax_Ay_Cx_Cy");
  const auto run = run_derived(case_file("four-bar-inverse", "model.toml"),
                               {{"inverse"}, names_of(table), 0.2, 0.1});
  expect_complete(*run);
  const char* const channels[] = {
      "motor.torque", "A.second.fx", "A.second.fy", "C.second.fx", "C.second.fy"};
  for (const auto& [name, values] : table.items())
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_NEAR(run->slope(0.2, channels[k], name), values[k].get<double>(), 1e-7 * 200)
          << channels[k] << " by " << name;
}

TEST(Sensitivity, SpatialSliderCrankInverse) {
  const Json table =
      reference_of("spatial-slider-crank-inverse").at("sensitivity_of_motor_torque_at_0_15");
  const auto run = run_derived(case_file("spatial-slider-crank-inverse", "model.toml"),
                               {{"inverse"}, names_of(table), 0.15, 0.05});
  expect_complete(*run);
  for (const auto& [name, value] : table.items())
    EXPECT_NEAR(run->slope(0.15, "motor.torque", name), value.get<double>(), 1e-7 * 7) << name;
}

TEST(Sensitivity, FourBarWithSprings) {
  const Json expected = reference_of("four-bar-springs").at("equilibria");
  const auto run = run_derived(
      case_file("four-bar-springs", "model.toml"),
      {{"equilibrium"}, names_of(expected[0].at("d_crank")), 0, 0, {}, {}, {{"all", true}}});
  expect_complete(*run);
  std::size_t found = 0;
  for (const Json& point : expected)
    for (std::size_t row = 0; row < run->memory.rows.size(); ++row) {
      const double turned = run->memory.value("crank.angle", row) - point["crank"].get<double>();
      if (std::abs(std::remainder(turned, 2 * M_PI)) > 1e-8) continue;
      ++found;
      for (const auto& [name, value] : point.at("d_crank").items())
        EXPECT_NEAR(run->memory.value(fmt::format("d(crank.angle)/d({})", name), row),
                    value.get<double>(),
                    1e-7 * std::max(1.0, std::abs(value.get<double>())))
            << name;
    }
  EXPECT_EQ(found, expected.size());
}

// Steady motions: the driver turns at constant rate.
TEST(Sensitivity, PendulumOnASpinningCarrier) {
  const Json expected = reference_of("hoop-pendulum").at("equilibria");
  const auto run = run_derived(
      case_file("hoop-pendulum", "model.toml"),
      {{"equilibrium"}, names_of(expected[0].at("d_angle")), 0, 0, {}, {}, {{"all", true}}});
  expect_complete(*run);
  std::size_t found = 0;
  for (const Json& point : expected)
    for (std::size_t row = 0; row < run->memory.rows.size(); ++row) {
      const double turned = run->memory.value("hinge.angle", row) - point["angle"].get<double>();
      if (std::abs(std::remainder(turned, 2 * M_PI)) > 1e-8) continue;
      ++found;
      for (const auto& [name, value] : point.at("d_angle").items())
        EXPECT_NEAR(run->memory.value(fmt::format("d(hinge.angle)/d({})", name), row),
                    value.get<double>(),
                    1e-7 * std::max(1.0, std::abs(value.get<double>())))
            << name << " at " << point["angle"];
    }
  EXPECT_EQ(found, expected.size());
}

TEST(Sensitivity, HangingChain) {
  const Json table = reference_of("hanging-chain").at("sensitivity_of_H_V0_angle0");
  const auto run =
      run_derived(case_file("hanging-chain", "model.toml"), {{"equilibrium"}, names_of(table)});
  expect_complete(*run);
  for (const auto& [name, values] : table.items()) {
    const auto slope = [&](const char* channel) {
      return run->memory.value(fmt::format("d({})/d({})", channel, name), 0);
    };
    EXPECT_NEAR(-slope("left.second.fx"), values[0].get<double>(), 1e-7 * 70) << name;
    EXPECT_NEAR(slope("left.second.fy"), values[1].get<double>(), 1e-7 * 70) << name;
    EXPECT_NEAR(slope("link 0.angle"), values[2].get<double>(), 1e-7) << name;
  }
}

const EigenvalueSlopes& slopes_by(const DerivedRun& run, const std::string& name) {
  static const EigenvalueSlopes none;
  if (run.outcome.summary.linear)
    for (const EigenvalueSlopes& s : run.outcome.summary.linear->sensitivities)
      if (s.parameter == name) return s;
  ADD_FAILURE() << "no derivatives by " << name;
  return none;
}

// w^2 of an undamped motion, mu = i w: (w^2)_p = -2 mu mu_p.
void expect_squares(const DerivedRun& run,
                    const Json& squares,
                    const Json& table,
                    double tolerance) {
  ASSERT_TRUE(run.outcome.summary.linear.has_value());
  const LinearModel& linear = *run.outcome.summary.linear;
  for (const auto& [name, values] : table.items()) {
    const auto& slopes = slopes_by(run, name).derivatives;
    ASSERT_EQ(slopes.size(), linear.eigenvalues.size());
    for (std::size_t j = 0; j < squares.size(); ++j) {
      const double w = std::sqrt(squares[j].get<double>());
      std::size_t matches = 0;
      for (std::size_t k = 0; k < slopes.size(); ++k) {
        if (std::abs(linear.eigenvalues[k][1] - w) > 1e-7 * w) continue;
        ++matches;
        EXPECT_NEAR(2 * w * slopes[k][1],
                    values[j].get<double>(),
                    tolerance * std::max(1.0, std::abs(values[j].get<double>())))
            << name << ", " << w;
      }
      EXPECT_GE(matches, 1U);
    }
  }
}

TEST(Sensitivity, FrequenciesOfAChain) {
  const Json expected = reference_of("spring-mass-chain");
  const Json& table = expected.at("d_squared_frequency");
  const auto run =
      run_derived(case_file("spring-mass-chain", "model.toml"), {{"linearise"}, names_of(table)});
  expect_complete(*run);
  expect_squares(*run, expected.at("squared_frequencies"), table, 1e-12);
}

TEST(Sensitivity, FrequenciesOfATrifilarPendulum) {
  const Json expected = reference_of("trifilar-pendulum");
  const Json& table = expected.at("d_squared_frequencies");
  const auto run = run_derived(case_file("trifilar-pendulum", "model.toml"),
                               {{"equilibrium", "linearise"}, names_of(table)});
  expect_complete(*run);
  expect_squares(*run, expected.at("squared_frequencies"), table, 1e-7);
}

void expect_eigenvalue_slopes(const DerivedRun& run,
                              const Json& values,
                              const Json& table,
                              double tolerance = 1e-7) {
  ASSERT_TRUE(run.outcome.summary.linear.has_value());
  const LinearModel& linear = *run.outcome.summary.linear;
  for (const auto& [name, expected] : table.items()) {
    const auto& slopes = slopes_by(run, name).derivatives;
    ASSERT_GE(slopes.size(), values.size());
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto distance = [&](std::size_t k) {
        return std::hypot(linear.eigenvalues[k][0] - values[j][0].get<double>(),
                          linear.eigenvalues[k][1] - values[j][1].get<double>());
      };
      std::size_t nearest = 0;
      for (std::size_t k = 0; k < slopes.size(); ++k)
        if (distance(k) < distance(nearest)) nearest = k;
      const double size = std::hypot(expected[j][0].get<double>(), expected[j][1].get<double>());
      EXPECT_NEAR(slopes[nearest][0], expected[j][0].get<double>(), tolerance * size) << name;
      EXPECT_NEAR(slopes[nearest][1], expected[j][1].get<double>(), tolerance * size) << name;
    }
  }
}

TEST(Sensitivity, EigenvaluesOfAQuarterCar) {
  const Json expected = reference_of("quarter-car");
  const Json& table = expected.at("d_eigenvalues");
  const auto run = run_derived(case_file("quarter-car", "model.toml"),
                               {{"equilibrium", "linearise"}, names_of(table)});
  expect_complete(*run);
  expect_eigenvalue_slopes(*run, expected.at("eigenvalues"), table);
}

TEST(Sensitivity, EigenvaluesUnderAFollowerLoad) {
  const Json expected = reference_of("ziegler-column");
  const Json& table = expected.at("d_eigenvalues_at_first_load");
  const auto run =
      run_derived(case_file("ziegler-column", "model.toml"), {{"linearise"}, names_of(table)});
  expect_complete(*run);
  expect_eigenvalue_slopes(*run, expected.at("by_load").at("250.0").at("eigenvalues"), table);
}

// About a motion, with wheels that roll: the start of the model moves with a parameter.
TEST(Sensitivity, EigenvaluesOfABicycle) {
  const Json expected = reference_of("bicycle");
  const Json& table = expected.at("d_eigenvalues_at_5");
  const auto run =
      run_derived(case_file("bicycle", "model.toml"), {{"linearise"}, names_of(table)});
  expect_complete(*run);
  expect_eigenvalue_slopes(*run, expected.at("eigenvalues_by_speed").at("5.0"), table, 1e-6);
}

// The equilibrium moves along.
TEST(Sensitivity, EigenvaluesOfADoublePendulum) {
  const Json expected = reference_of("double-pendulum-linear");
  const Json& table = expected.at("d_eigenvalues");
  const auto run = run_derived(case_file("double-pendulum-linear", "model.toml"),
                               {{"equilibrium", "linearise"}, names_of(table)});
  expect_complete(*run);
  expect_eigenvalue_slopes(*run, expected.at("eigenvalues"), table);
  for (const auto& [name, values] : expected.at("d_equilibrium").items()) {
    EXPECT_NEAR(
        run->memory.last(fmt::format("d(upper.angle)/d({})", name)), values[0].get<double>(), 1e-7)
        << name;
    EXPECT_NEAR(
        run->memory.last(fmt::format("d(lower.angle)/d({})", name)), values[1].get<double>(), 1e-7)
        << name;
  }
}

void expect_motion_slopes(const DerivedRun& run,
                          double t,
                          const std::vector<std::string>& channels,
                          const Json& table,
                          double tolerance) {
  for (const auto& [name, values] : table.items()) {
    double size = 0;
    for (const Json& value : values) size = std::max(size, std::abs(value.get<double>()));
    for (std::size_t k = 0; k < channels.size(); ++k)
      EXPECT_NEAR(run.slope(t, channels[k], name), values[k].get<double>(), tolerance * size)
          << channels[k] << " by " << name;
  }
}

TEST(Sensitivity, MotionOfADoublePendulum) {
  const Json table = reference_of("double-pendulum-sensitivity").at("d_state_at_2");
  const auto run =
      run_derived(case_file("double-pendulum-sensitivity", "model.toml"),
                  {{"dynamic"},
                   names_of(table),
                   2,
                   1,
                   {},
                   {"upper.*", "lower.*"},
                   {{"rtol", 1e-9}, {"atol", 1e-10}, {"integrator", std::string("dop853")}}});
  expect_complete(*run);
  expect_motion_slopes(
      *run, 2, {"upper.angle", "lower.angle", "upper.omega", "lower.omega"}, table, 1e-6);
}

void expect_stiff_slider_crank(const Json& table, double rtol, double atol) {
  const auto run = run_derived(case_file("stiff-slider-crank", "model.toml"),
                               {{"dynamic"},
                                names_of(table),
                                0.5,
                                0.5,
                                {},
                                {"crank.*", "follower.*"},
                                {{"rtol", rtol},
                                 {"atol", atol},
                                 {"formulation", std::string("projected")},
                                 {"integrator", std::string("radau5")}}});
  expect_complete(*run);
  expect_motion_slopes(
      *run, 0.5, {"crank.angle", "follower.x", "crank.omega", "follower.vx"}, table, 1e-6);
}

TEST(Sensitivity, MotionOfAStiffSliderCrank) {
  const Json all = reference_of("stiff-slider-crank").at("d_state_at_0_5");
  Json table;
  for (const char* name : {"r", "mf", "torque"}) table[name] = all.at(name);
  expect_stiff_slider_crank(table, 1e-8, 1e-9);
}

// All the others. Stiffness and damping of the fast part have effects of 1e-10 and less, which a
// tight tolerance resolves.
TEST(Sensitivity, MotionOfAStiffSliderCrankByAllParameters) {
  if (std::getenv("CARDAN_FULL") == nullptr) GTEST_SKIP() << "with CARDAN_FULL";
  Json table = reference_of("stiff-slider-crank").at("d_state_at_0_5"), fast;
  for (const char* name : {"k", "c"}) {
    fast[name] = table.at(name);
    table.erase(name);
  }
  expect_stiff_slider_crank(table, 1e-8, 1e-9);
  expect_stiff_slider_crank(fast, 1e-9, 1e-12);
}

TEST(Sensitivity, MotionOfStiffPendulums) {
  const Json table = reference_of("stiff-pendulums").at("d_state_at_2");
  const auto run =
      run_derived(case_file("stiff-pendulums", "model.toml"),
                  {{"dynamic"},
                   names_of(table),
                   2,
                   2,
                   {},
                   {"first.*", "second.*"},
                   {{"rtol", 1e-8}, {"atol", 1e-9}, {"integrator", std::string("radau5")}}});
  expect_complete(*run);
  expect_motion_slopes(
      *run, 2, {"first.angle", "second.angle", "first.omega", "second.omega"}, table, 1e-6);
}

// ---- differences of runs

TEST(SensitivityDifferences, DrivenMotion) {
  expect_differences(example("four-bar"),
                     {{"kinematic"}, {"crank", "rocker", "frame", "speed"}, 1, 0.1},
                     1e-7,
                     1e-12);
  expect_differences(
      example("delta-robot"), {{"kinematic"}, {"side", "lift"}, 0.5, 0.1}, 1e-7, 1e-12);
}

TEST(SensitivityDifferences, Forces) {
  expect_differences(
      example("four-bar"), {{"inverse"}, {"crank", "coupler", "speed"}, 1, 0.1}, 1e-7, 1e-12);
  expect_differences(
      example("delta-robot"), {{"inverse"}, {"side", "lift"}, 0.5, 0.1}, 1e-7, 1e-12);
}

TEST(SensitivityDifferences, Motion) {
  expect_differences(example("double-pendulum"),
                     {{"dynamic"}, {"link", "section", "steel"}, 0.5, 0.1, {}, {}, tight},
                     1e-6,
                     1e-11);
}

// Where drivers determine the motion, and where friction and reactions are solved together.
TEST(SensitivityDifferences, MotionWithDriversAndFriction) {
  expect_differences(
      example("four-bar"), {{"dynamic"}, {"crank", "speed"}, 0.3, 0.1, {}, {}, tight}, 1e-6, 1e-11);
  expect_differences(written_model(R"toml(gravity = [0, -9.81]
[parameters]
mu = 0.2
length = 0.5
[[body]]
name = "rod"
from = [0, 0]
to = ["length*cos(0.4)", "length*sin(0.4)"]
mass = 1.5
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "rod"]
at = [0, 0]
friction = "mu"
pin_radius = 0.03
transition_speed = 0.2
[[analysis]]
type = "dynamic"
until = 0.6
)toml"),
                     {{"dynamic"}, {"mu", "length"}, 0.6, 0.1, {}, {}, tight},
                     1e-6,
                     1e-11);
}

// States of a motor, with the energies that are integrals over time.
TEST(SensitivityDifferences, MotionWithStates) {
  expect_differences(example("motor-slider-crank"),
                     {{"dynamic"}, {"crank", "rod"}, 0.2, 0.05, {}, {}, tight},
                     1e-6,
                     1e-11);
}

TEST(SensitivityDifferences, MotionInSpace) {
  expect_differences(example("spatial-four-bar"),
                     {{"dynamic"}, {"density", "radius"}, 0.2, 0.1, {}, {}, tight},
                     1e-6,
                     1e-11);
  expect_differences(
      example("heavy-top"), {{"dynamic"}, {"spin"}, 0.2, 0.1, {}, {}, tight}, 1e-6, 1e-10);
}

// A crank turned at constant speed pushes a block in a guide; friction and the reaction that makes it
// are solved together.
TEST(SensitivityDifferences, ForcesWithFriction) {
  expect_differences(written_model(R"toml(gravity = [0, -9.81]
[parameters]
mu = 0.25
crank = 0.1
rod = 0.35
[[body]]
name = "crank"
from = [0, 0]
to = ["crank", 0]
mass = 1
[[body]]
name = "rod"
from = ["crank", 0]
to = ["crank + rod", 0]
mass = 2
[[body]]
name = "block"
at = ["crank + rod", 0]
mass = 3
inertia = 0.02
[[joint]]
type = "revolute"
name = "bearing"
between = ["ground", "crank"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "pin"
between = ["crank", "rod"]
at = ["crank", 0]
friction = "mu/2"
pin_radius = 0.02
[[joint]]
type = "revolute"
name = "wrist"
between = ["rod", "block"]
at = ["crank + rod", 0]
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "block"]
axis = [1, 0]
friction = "mu"
transition_speed = 0.05
[[driver]]
joint = "bearing"
name = "motor"
motion = "0.3 + 8*t"
[[analysis]]
type = "dynamic"
until = 0.6
)toml"),
                     {{"inverse"}, {"mu", "crank", "rod"}, 0.6, 0.05},
                     1e-7,
                     1e-12);
}

// ---- what is refused

Diagnostic refusal(const std::string& text, const std::string& analysis, const std::string& by) {
  const auto read = ParametricModel::read_text(text, "model.toml");
  EXPECT_TRUE(read) << (read ? "" : to_text(read.why()));
  if (!read) return {};
  Model model = read.value().model();
  const AnalysisType& type = *find_analysis(analysis);
  model.analyses = {type.make()};
  type.field("sensitivity")->set(model.analyses[0], std::vector<std::string>{by}, {});
  test::Memory memory;
  const Outcome out = run_model(model, memory, {}, {}, &read.value());
  EXPECT_EQ(out.summary.status, "failed");
  for (const Diagnostic& d : out.summary.diagnostics)
    if (d.severity == Severity::error) return d;
  return {};
}

std::string rod_with(const std::string& more) {
  return R"toml(gravity = [0, -9.81]
[parameters]
length = 0.4
count = 1
stop_at = 0.3
[[body]]
name = "rod"
from = [0, 0]
to = ["length", 0]
mass = 1
[[repeat]]
count = "count"
[[repeat.body]]
name = "weight {i}"
at = [1, 0]
mass = 1
inertia = 1
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "rod"]
at = [0, 0]
)toml" + more;
}

TEST(Sensitivity, IsRefusedWhereItWouldBeWrong) {
  EXPECT_EQ(refusal(rod_with(""), "dynamic", "lenght").id, "usage.unknown-parameter");
  EXPECT_EQ(refusal(rod_with(""), "dynamic", "lenght").hint, "did you mean 'length'?");
  EXPECT_EQ(refusal(rod_with(""), "dynamic", "count").id, "model.not-available");
  EXPECT_EQ(refusal(rod_with(R"toml([[stop]]
joint = "hinge"
lower = "-1 rad"
)toml"),
                    "dynamic",
                    "length")
                .id,
            "model.not-available");
  EXPECT_EQ(refusal(rod_with(R"toml([[force]]
type = "torque"
name = "motor"
body = "rod"
value = "if(t < stop_at*(1 s), 1, 0)*(1 N*m)"
)toml"),
                    "dynamic",
                    "stop_at")
                .id,
            "model.not-available");
}

// Three equal rockers carry a table, one more than needed: another length of the middle one does not
// fit.
TEST(Sensitivity, OfARedundantMechanism) {
  const std::string text = R"toml(gravity = [0, -9.81]
[parameters]
middle = 0.3
weight = 2
[[repeat]]
count = 3
  [[repeat.body]]
  name = "rocker {i}"
  from = ["0.4*i", 0]
  to = ["0.4*i + 0.18", 0.24]
  mass = 0.5
  [[repeat.joint]]
  type = "revolute"
  name = "foot {i}"
  between = ["ground", "rocker {i}"]
  at = ["0.4*i", 0]
  [[repeat.joint]]
  type = "revolute"
  name = "head {i}"
  between = ["rocker {i}", "table"]
  points = [["0.3 + (middle - 0.3)*i*(2 - i)", 0], ["0.4*i", 0]]
[[body]]
name = "table"
from = [0.18, 0.24]
to = [0.98, 0.24]
mass = "weight"
[[driver]]
joint = "foot 0"
name = "motor"
motion = "0.9272952180016122 + 2*t"
)toml";
  const Diagnostic d = refusal(text, "inverse", "middle");
  EXPECT_EQ(d.id, "assembly.conflict") << to_text(d);
  expect_differences(written_model(text + "[[analysis]]\ntype = \"dynamic\"\nuntil = 0.3\n"),
                     {{"inverse"}, {"weight"}, 0.3, 0.1},
                     1e-7,
                     1e-12);
}

// A parameter at the edge of what is allowed is derived from one side.
TEST(Sensitivity, OfADampingThatIsZero) {
  const auto read = ParametricModel::read_text(R"toml(gravity = [0, 0]
[parameters]
c = 0
[[body]]
name = "block"
at = [0.1, 0]
mass = 2
inertia = 1
[[joint]]
type = "translational"
name = "rail"
between = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
[[force]]
type = "spring"
name = "spring"
between = ["ground", "block"]
points = [[-1, 0], [0, 0]]
stiffness = 50
free_length = 1
damping = "c"
[[analysis]]
type = "dynamic"
until = 1
output_step = 1
rtol = 1e-10
atol = 1e-12
sensitivity = ["c"]
)toml",
                                               "model.toml");
  ASSERT_TRUE(read) << to_text(read.why());
  test::Memory memory;
  const Outcome out = run_model(read.value().model(), memory, {}, {}, &read.value());
  EXPECT_TRUE(ended_well(out.summary)) << to_text(out.summary.diagnostics);
  // x = A e^(-d t) (cos w t + d/w sin w t), d = c/2m: at c = 0 its derivative by c is
  // A/2m (sin(w t)/w - t cos w t).
  const double w = 5;
  EXPECT_NEAR(memory.last("d(block.x)/d(c)"), 0.1 / 4 * (std::sin(w) / w - std::cos(w)), 1e-8);
}

// A run that goes on from a checkpoint gives the same bits.
TEST(Sensitivity, GoesOnFromACheckpoint) {
  const auto read = ParametricModel::read(example("double-pendulum"));
  ASSERT_TRUE(read);
  Model model = read.value().model();
  DynamicOptions& options = test::dynamic(model);
  options.until = 0.4;
  options.output_step = 0.02;
  options.sensitivity = {"link", "steel"};
  test::Memory whole, rest;
  whole.checkpoint_every = 9;
  run_model(model, whole, {}, {}, &read.value());
  ASSERT_FALSE(whole.last_checkpoint.empty());
  ASSERT_LT(whole.rows_at_checkpoint, whole.rows.size());
  const Outcome out = run_model(model, rest, {}, whole.last_checkpoint, &read.value());
  EXPECT_TRUE(ended_well(out.summary)) << to_text(out.summary.diagnostics);
  ASSERT_EQ(rest.rows.size() + whole.rows_at_checkpoint, whole.rows.size());
  for (std::size_t k = 0; k < rest.rows.size(); ++k)
    EXPECT_EQ(rest.rows[k], whole.rows[whole.rows_at_checkpoint + k]);
}

}  // namespace
}  // namespace cardan::test
