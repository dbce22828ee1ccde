// Kinematic and inverse analysis against results computed elsewhere in closed form or at high
// precision (test/reference/analyses).
#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/io/read_model.h"
#include "cardan/model/analysis_type.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using Json = nlohmann::json;

std::string place(const std::string& name) {
  return std::string(test::source_dir) + "/test/reference/analyses/" + name;
}

Json reference(const std::string& name) {
  std::ifstream file(place(name) + "/reference.json");
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

struct Driven {
  Outcome outcome;
  test::Memory memory;
  Model model;

  double at(double t, const std::string& channel) const {
    for (std::size_t k = 0; k < memory.times.size(); ++k)
      if (std::abs(memory.times[k] - t) < 1e-12) return memory.value(channel, k);
    ADD_FAILURE() << "no row at " << t;
    return 0;
  }

  double end() const { return memory.times.back(); }
};

// A model of the references with the analysis of this name alone, on another grid where asked.
std::unique_ptr<Driven> analyse(const std::string& name,
                                const std::string& analysis,
                                double until = 0,
                                double output_step = 0,
                                ReadOptions options = {},
                                const std::string& file = "model.toml") {
  auto out = std::make_unique<Driven>();
  auto model = read_model(place(name) + "/" + file, options);
  EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
  if (!model) return out;
  out->model = std::move(model).value();
  const AnalysisType& type = *find_analysis(analysis);
  out->model.analyses = analyses_of_type(out->model.analyses, type);
  Analysis& only = out->model.analyses.front();
  if (until > 0) type.field("until")->set(only, until, {});
  if (output_step > 0) type.field("output_step")->set(only, output_step, {});
  out->outcome = run_model(out->model, out->memory, {});
  return out;
}

void expect_motion(const Driven& run, double t, const std::string& body, const Json& expected) {
  static const char* const parts[] = {".angle", ".omega", ".alpha"};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(run.at(t, body + parts[k]),
                expected[k].get<double>(),
                1e-10 * std::max(1.0, std::abs(expected[k].get<double>())))
        << body << parts[k] << " at " << t;
}

TEST(Kinematic, FourBar) {
  const auto run = analyse("four-bar-kinematics", "kinematic");
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  for (const Json& row : reference("four-bar-kinematics").at("at")) {
    expect_motion(*run, row["t"], "coupler", row["coupler"]);
    expect_motion(*run, row["t"], "rocker", row["rocker"]);
  }
  EXPECT_TRUE(run->outcome.summary.singular_poses.empty());
}

TEST(Kinematic, CrankShaper) {
  const auto run = analyse("crank-shaper", "kinematic");
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  for (const Json& row : reference("crank-shaper").at("at")) {
    expect_motion(*run, row["t"], "lever", row["lever"]);
    expect_motion(*run, row["t"], "rod", row["rod"]);
    const char* const parts[] = {"ram.x", "ram.vx", "ram.ax"};
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(run->at(row["t"], parts[k]), row["ram_x"][k].get<double>(), 1e-10);
  }
}

TEST(Kinematic, LockUpOfTheCrank) {
  const Json expected = reference("offset-slider-crank-lock-up");
  const auto run = analyse("offset-slider-crank-lock-up", "kinematic", 1, 0.08);
  EXPECT_EQ(run->outcome.summary.status, "failed");
  ASSERT_EQ(run->outcome.summary.singular_poses.size(), 1U);
  const SingularPose& pose = run->outcome.summary.singular_poses.front();
  EXPECT_EQ(pose.kind, "lock-up");
  EXPECT_EQ(pose.driver, "drive");
  EXPECT_NEAR(pose.t, expected["lock_up"]["t"].get<double>(), 1e-9);
  EXPECT_LT(run->end(), pose.t);
  EXPECT_NEAR(run->memory.last("crank.angle"), expected["lock_up"]["crank"].get<double>(), 1e-8);
  EXPECT_NEAR(run->memory.last("slider.x"), expected["lock_up"]["slider_x"].get<double>(), 1e-4);
  for (const Json& row : expected.at("at")) expect_motion(*run, row["t"], "rod", row["rod"]);
  EXPECT_EQ(run->outcome.exit_code(), 6);
}

TEST(Kinematic, LockUpOfTheSlider) {
  const Json expected = reference("offset-slider-crank-lock-up").at("slider_driven");
  const auto out =
      analyse("offset-slider-crank-lock-up", "kinematic", 1, 0.02, {}, "slider-driven.toml");
  ASSERT_EQ(out->outcome.summary.singular_poses.size(), 1U);
  EXPECT_NEAR(out->outcome.summary.singular_poses.front().t,
              expected["lock_up_outwards_t"].get<double>(),
              1e-9);
  ReadOptions inwards;
  inwards.set.emplace_back("speed", "-0.1");
  const auto in =
      analyse("offset-slider-crank-lock-up", "kinematic", 6, 0.1, inwards, "slider-driven.toml");
  ASSERT_EQ(in->outcome.summary.singular_poses.size(), 1U);
  EXPECT_NEAR(in->outcome.summary.singular_poses.front().t,
              expected["with_speed_minus_0_1_lock_up_t"].get<double>(),
              1e-9);
  EXPECT_NEAR(in->memory.last("crank.angle"), expected["crank_there_inwards"].get<double>(), 1e-3);
}

// A slider that comes to rest just where crank and rod are in line, and goes back: the crank goes on,
// with angle +-acos((r^2 + x^2 - l^2)/(2 r x)) for the slider's place x. A little less far and the crank
// turns back too; a little farther and it locks up.
TEST(Kinematic, ASliderThatRestsInItsDeadCentre) {
  const double r = 0.1, l = 0.4;
  const auto angle = [&](double x) {
    return std::acos(std::min(1.0, (r * r + x * x - l * l) / (2 * r * x)));
  };
  for (const auto& [more, kind] : {std::pair{0.0, "dead centre"}, {-1e-5, ""}, {1e-5, "lock-up"}}) {
    const auto x = [&, d = more](double t) {
      return r + l - 0.02 * (t - 1) * (t - 1) + d;
    };
    const double a = angle(x(0));
    const std::string pin = fmt::format("[{:.17g}, {:.17g}]", r * std::cos(a), r * std::sin(a));
    Model model = test::model_of(fmt::format(
        "gravity = [0, -9.81]\n"
        "[[body]]\nname = 'crank'\nfrom = [0, 0]\nto = {0}\nmass = 1\n"
        "[[body]]\nname = 'rod'\nfrom = {0}\nto = [{1:.17g}, 0]\nmass = 1\n"
        "[[body]]\nname = 'slider'\nat = [{1:.17g}, 0]\nmass = 1\ninertia = 0.1\n"
        "[[joint]]\ntype = 'revolute'\nname = 'O'\nbetween = ['ground', 'crank']\nat = [0, 0]\n"
        "[[joint]]\ntype = 'revolute'\nname = 'A'\nbetween = ['crank', 'rod']\nat = {0}\n"
        "[[joint]]\ntype = 'revolute'\nname = 'B'\nbetween = ['rod', 'slider']\n"
        "at = [{1:.17g}, 0]\n"
        "[[joint]]\ntype = 'translational'\nname = 'guide'\nbetween = ['ground', 'slider']\n"
        "points = [[0, 0], [0, 0]]\naxis = [1, 0]\n"
        "[[driver]]\njoint = 'guide'\nname = 'push'\nmotion = '0.5 - 0.02*(t - 1)^2 + {2:.17g}'\n"
        "[[analysis]]\ntype = 'kinematic'\nuntil = 2\noutput_step = 0.16\n",
        pin,
        x(0),
        more));
    test::Memory memory;
    const Outcome out = run_model(model, memory, {});
    const auto& poses = out.summary.singular_poses;
    ASSERT_EQ(poses.size(), *kind == '\0' ? 0U : 1U) << more;
    if (*kind != '\0') {
      EXPECT_EQ(poses[0].kind, kind);
      EXPECT_EQ(poses[0].driver, "push");
      EXPECT_NEAR(poses[0].t, 1 - std::sqrt(std::max(more, 0.0) / 0.02), 1e-9);
    }
    EXPECT_EQ(out.summary.status, more > 0 ? "failed" : "complete");
    for (std::size_t k = 0; k < memory.times.size(); ++k) {
      const double t = memory.times[k], side = more == 0 && t > 1 ? -1 : 1;
      EXPECT_NEAR(memory.value("crank.angle", k), side * angle(x(t)), 1e-8) << more << ", " << t;
    }
  }
}

TEST(Kinematic, ChangePointsArePassedOnTheSmoothBranch) {
  const Json expected = reference("parallelogram-change-point");
  for (const double output_step : {0.1, 0.013, 0.65}) {
    const auto run = analyse("parallelogram-change-point", "kinematic", 2.6, output_step);
    EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
    for (std::size_t k = 0; k < run->memory.times.size(); ++k) {
      EXPECT_NEAR(run->memory.value("coupler.angle", k), 0, 1e-9);
      EXPECT_NEAR(run->memory.value("rocker.omega", k), 2.5, 1e-7);
      EXPECT_NEAR(run->memory.value("rocker.angle", k), 0.8 + 2.5 * run->memory.times[k], 1e-9);
    }
    const auto& poses = run->outcome.summary.singular_poses;
    ASSERT_EQ(poses.size(), 2U) << output_step;
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(poses[k].kind, "bifurcation");
      EXPECT_NEAR(poses[k].t, expected["change_points"]["t"][k].get<double>(), 1e-9);
    }
  }
}

// Rows in change points and at any distance from them are as good as others.
TEST(Kinematic, RowsBesideChangePoints) {
  const double t = reference("parallelogram-change-point")["change_points"]["t"][0];
  for (const double aside : {0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2})
    for (const double end : {t - aside, t + aside}) {
      const auto run = analyse("parallelogram-change-point", "kinematic", end, end / 3);
      EXPECT_EQ(run->outcome.summary.status, "complete")
          << to_text(run->outcome.summary.diagnostics);
      ASSERT_EQ(run->memory.rows.size(), 4U);
      EXPECT_NEAR(run->memory.value("rocker.angle", 3), 0.8 + 2.5 * end, 1e-12) << aside;
      EXPECT_NEAR(run->memory.value("coupler.angle", 3), 0, 1e-12) << aside;
      EXPECT_NEAR(run->memory.value("rocker.omega", 3), 2.5, 1e-10) << aside;
      EXPECT_NEAR(run->memory.value("rocker.alpha", 3), 0, 1e-8) << aside;
    }
}

// A slider pushed by what it does while the crank turns evenly: it stands still in the dead centres, which
// the crank passes. In space too.
TEST(Kinematic, RowsBesideDeadCentres) {
  const char* const text = R"toml(
[parameters]
r = 0.1
l = 0.27
w = 3
start = 0.7
px = "r*cos(start)"
py = "r*sin(start)"
sx = "px + sqrt(l^2 - py^2)"
[[body]]
name = "crank"
from = [0, 0]
to = ["px", "py"]
mass = 1
[[body]]
name = "rod"
from = ["px", "py"]
to = ["sx", 0]
mass = 0.8
[[body]]
name = "slider"
at = ["sx", 0]
mass = 2
inertia = 0.01
[[joint]]
type = "revolute"
name = "bearing"
between = ["ground", "crank"]
at = [0, 0]
[[joint]]
type = "revolute"
name = "pin"
between = ["crank", "rod"]
at = ["px", "py"]
[[joint]]
type = "revolute"
name = "wrist"
between = ["rod", "slider"]
at = ["sx", 0]
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "slider"]
points = [[0, 0], [0, 0]]
axis = [1, 0]
[[driver]]
joint = "guide"
name = "drive"
motion = "r*cos(start + w*t) + sqrt(l^2 - (r*sin(start + w*t))^2)"
[[analysis]]
type = "kinematic"
until = {}
output_step = {}
)toml";
  for (const bool spatial : {false, true})
    for (const double turns : {1.0, 2.0})
      for (const double aside : {-1e-2, -1e-4, -1e-6, 0.0, 1e-8, 1e-5, 1e-3}) {
        const double end = (turns * M_PI - 0.7) / 3 + aside;
        ReadOptions options;
        options.spatial = spatial;
        std::string filled = text;
        for (const double value : {end, end / 4})
          filled.replace(filled.find("{}"), 2, fmt::format("{}", value));
        auto model = read_model_text(filled, "slider.toml", options);
        ASSERT_TRUE(model) << to_text(model.why());
        test::Memory memory;
        const Outcome run = run_model(model.value(), memory, {});
        EXPECT_EQ(run.summary.status, "complete") << to_text(run.summary.diagnostics);
        ASSERT_EQ(memory.rows.size(), 5U);
        const char* const z = spatial ? "_z" : "";
        EXPECT_NEAR(memory.value(fmt::format("crank.omega{}", z), 4), 3, 1e-10) << aside;
        EXPECT_NEAR(memory.value(fmt::format("crank.alpha{}", z), 4), 0, 1e-8) << aside;
        EXPECT_NEAR(memory.value("rod.y", 4), 0.1 * std::sin(0.7 + 3 * end), 1e-12) << aside;
      }
}

TEST(Kinematic, RssrInSpace) {
  const auto run = analyse("rssr", "kinematic");
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  for (const Json& row : reference("rssr").at("at"))
    for (std::size_t k = 0; k < 3; ++k) {
      const double t = row["t"], expected = row["rocker_swing_from_drawing"][k];
      const auto about_axis = [&](const char* rate) {
        return std::sin(0.9) * run->at(t, fmt::format("rocker.{}_x", rate)) +
               std::cos(0.9) * run->at(t, fmt::format("rocker.{}_z", rate));
      };
      const double found = k == 0   ? run->at(t, "swing")
                           : k == 1 ? about_axis("omega")
                                    : about_axis("alpha");
      EXPECT_NEAR(found, expected, 1e-10 * std::max(1.0, std::abs(expected))) << k << " at " << t;
    }
}

// The ball at (c, 0, 0) of the rocker's frame: r, w x r and w' x r + w x (w x r).
TEST(Kinematic, PathOfTheBallOfAnRssr) {
  const auto run = analyse("rssr", "kinematic");
  for (const Json& row : reference("rssr").at("at")) {
    const double t = row["t"];
    const auto three = [&](const char* x, const char* y, const char* z) {
      return Vec<3>(run->at(t, x), run->at(t, y), run->at(t, z));
    };
    const double w = run->at(t, "rocker.qw");
    const Vec<3> e = three("rocker.qx", "rocker.qy", "rocker.qz");
    const Vec<3> arm(0.25, 0, 0), r = arm + 2 * e.cross(e.cross(arm) + w * arm);
    const Vec<3> omega = three("rocker.omega_x", "rocker.omega_y", "rocker.omega_z"),
                 alpha = three("rocker.alpha_x", "rocker.alpha_y", "rocker.alpha_z");
    const Vec<3> found[] = {three("rocker.x", "rocker.y", "rocker.z") + r,
                            omega.cross(r),
                            alpha.cross(r) + omega.cross(omega.cross(r))};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        const double expected = row["ball_on_rocker"][k][i];
        EXPECT_NEAR(found[k][static_cast<Eigen::Index>(i)],
                    expected,
                    1e-10 * std::max(1.0, std::abs(expected)))
            << k << i << " at " << t;
      }
    const char* const channels[] = {"swing", "swing.rate", "swing.acceleration"};
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected = row["rocker_swing_from_drawing"][k];
      EXPECT_NEAR(run->at(t, channels[k]), expected, 1e-10 * std::max(1.0, std::abs(expected)));
    }
  }
}

TEST(Kinematic, StewartPlatform) {
  const auto run = analyse("stewart-platform", "kinematic");
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  for (const Json& row : reference("stewart-platform").at("at"))
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string leg = "length " + std::to_string(k + 1);
      const Json& expected = row["leg_length_rate_acceleration"][k];
      EXPECT_NEAR(run->at(row["t"], leg), expected[0].get<double>(), 1e-10);
      EXPECT_NEAR(run->at(row["t"], leg + ".rate"), expected[1].get<double>(), 1e-10);
      EXPECT_NEAR(run->at(row["t"], leg + ".acceleration"), expected[2].get<double>(), 1e-10);
    }
}

// Rates and accelerations of formulas: of time, of measures, and of the rate of one, whose
// acceleration would need a third derivative.
TEST(Kinematic, RatesOfFormulas) {
  const auto read = read_model_text(R"(
[[body]]
name = "bar"
from = [0, 0]
to   = [1, 0]
mass = 1
[[joint]]
type    = "revolute"
name    = "hinge"
between = ["ground", "bar"]
at      = [0, 0]
[[driver]]
name   = "motor"
joint  = "hinge"
motion = "0.3 + 2*t/(1 s) + (t/(1 s))^2"
[[request]]
joint = "hinge"
name  = "turn"
[[request]]
type  = "expression"
name  = "height"
value = "sin(turn) + (t/(1 s))^3"
[[request]]
type  = "expression"
name  = "speed"
value = "turn'^2"
[[analysis]]
type  = "kinematic"
until = 1
output_step = 0.5
)",
                                    "bar.toml");
  ASSERT_TRUE(read) << to_text(read.why());
  test::Memory memory;
  const Outcome out = run_model(read.value(), memory, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  for (std::size_t k = 0; k < memory.times.size(); ++k) {
    const double t = memory.times[k], a = 0.3 + 2 * t + t * t, w = 2 + 2 * t;
    EXPECT_NEAR(memory.value("height.rate", k), std::cos(a) * w + 3 * t * t, 1e-12);
    EXPECT_NEAR(memory.value("height.acceleration", k),
                std::cos(a) * 2 - std::sin(a) * w * w + 6 * t,
                1e-12);
    EXPECT_NEAR(memory.value("speed.rate", k), 2 * w * 2, 1e-12);
  }
  for (const Channel& c : memory.channels) EXPECT_NE(c.name, "speed.acceleration");
}

// Drivers that stand still and then begin to move, smoothly: at first nothing says how far a step goes.
TEST(Kinematic, FromRest) {
  auto model = read_model(std::string(test::source_dir) + "/models/delta-robot/model.toml");
  ASSERT_TRUE(model);
  model.value().analyses = analyses_of_type(model.value().analyses, *find_analysis("kinematic"));
  test::Memory memory;
  const Outcome out = run_model(model.value(), memory, {});
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  EXPECT_TRUE(out.summary.singular_poses.empty());
}

TEST(Kinematic, HasNoForces) {
  const auto run = analyse("four-bar-kinematics", "kinematic");
  for (const Channel& c : run->memory.channels) {
    EXPECT_NE(c.quantity, "reaction") << c.name;
    EXPECT_NE(c.quantity, "energy") << c.name;
  }
}

TEST(Inverse, FourBar) {
  const auto run = analyse("four-bar-inverse", "inverse", 0.45, 0.05);
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  EXPECT_LT(run->outcome.summary.power_imbalance, 1e-9);
  for (const Json& row : reference("four-bar-inverse").at("at")) {
    const double t = row["t"];
    const auto near = [&](const std::string& channel, double expected) {
      EXPECT_NEAR(run->at(t, channel), expected, 1e-9 * 300) << channel << " at " << t;
    };
    near("motor.torque", row["motor_torque_on_crank"]);
    near("A.second.fx", row["on_crank_at_A"][0]);
    near("A.second.fy", row["on_crank_at_A"][1]);
    near("B.second.fx", row["on_coupler_at_B"][0]);
    near("C.second.fy", row["on_rocker_at_C"][1]);
    near("D.second.fx", row["on_rocker_at_D"][0]);
    near("D.second.fy", row["on_rocker_at_D"][1]);
    near("B.second.fy", row["on_coupler_at_B"][1]);
    near("C.second.fx", row["on_rocker_at_C"][0]);
    near("motor.power", row["motor_power"]);
  }
}

TEST(Inverse, SpatialSliderCrank) {
  const auto run = analyse("spatial-slider-crank-inverse", "inverse", 0.4, 0.05);
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  EXPECT_LT(run->outcome.summary.power_imbalance, 1e-9);
  for (const Json& row : reference("spatial-slider-crank-inverse").at("at")) {
    const double t = row["t"];
    EXPECT_NEAR(run->at(t, "slider.x"), row["slider_x_v_a"][0].get<double>(), 1e-10);
    EXPECT_NEAR(run->at(t, "slider.ax"), row["slider_x_v_a"][2].get<double>(), 1e-8);
    EXPECT_NEAR(
        run->at(t, "motor.torque"), row["motor_torque_on_crank_about_x"].get<double>(), 1e-9);
    EXPECT_NEAR(run->at(t, "motor.power"), row["motor_power"].get<double>(), 1e-9 * 40);
    for (const auto& [joint, key] : {std::pair("bearing", "bearing_on_crank"),
                                     {"ball", "ball_on_rod"},
                                     {"cross", "cross_on_slider"},
                                     {"guide", "guide_on_slider"}})
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string axis(1, "xyz"[i]), second = std::string(joint) + ".second.";
        EXPECT_NEAR(run->at(t, second + "f" + axis), row[key]["force"][i].get<double>(), 1e-9 * 100)
            << joint << axis;
        const double moment = row[key].contains("moment") ? row[key]["moment"][i].get<double>() : 0;
        EXPECT_NEAR(run->at(t, second + "m" + axis), moment, 1e-9 * 10) << joint << axis;
      }
  }
}

TEST(Inverse, LegsOfAStewartPlatform) {
  const auto run = analyse("stewart-platform", "inverse", 1.6, 0.4, {}, "legs.toml");
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  for (const Json& row : reference("stewart-platform").at("at"))
    for (std::size_t k = 0; k < 6; ++k) {
      std::string drive;
      std::size_t seen = 0;
      for (const Channel& c : run->memory.channels)
        if (c.quantity == "drive" && seen++ == k) drive = c.name;
      EXPECT_NEAR(run->at(row["t"], drive), row["leg_push"][k].get<double>(), 1e-9 * 200) << drive;
    }
  for (const Json& row : reference("stewart-platform").at("at")) {
    double power = 0;
    for (int k = 1; k <= 6; ++k) power += run->at(row["t"], fmt::format("leg {}.power", k));
    EXPECT_NEAR(power, row["power_of_legs"].get<double>(), 1e-9 * 200);
  }
}

TEST(Inverse, UniqueSumsOfRedundantReactions) {
  const auto run = analyse("triple-parallelogram", "inverse", 0.35, 0.05);
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  const double largest = 35;  // N and N m
  for (const Json& row : reference("triple-parallelogram").at("at")) {
    const double t = row["t"], c = std::cos(row["angle"].get<double>()),
                 s = std::sin(row["angle"].get<double>());
    const auto expect = [&](double found, const Json& value, const char* what) {
      EXPECT_NEAR(found, value.get<double>(), 1e-9 * largest) << what << " at " << t;
    };
    expect(run->at(t, "motor.torque"), row["motor_torque"], "torque");
    double along = 0, moment = 0;
    for (int k = 0; k < 3; ++k) {
      const std::string head = fmt::format("head {}.second.", k);
      const double fx = run->at(t, head + "fx"), fy = run->at(t, head + "fy");
      expect(
          -s * fx + c * fy, row["across_rocker_on_table"][static_cast<std::size_t>(k)], "across");
      along += c * fx + s * fy;
      moment += k * 0.4 * (c * fx + s * fy);
    }
    expect(along, row["along_rocker_sum_on_table"], "along");
    expect(moment, row["along_rocker_sum_times_k_w"], "moment");
    expect(run->at(t, "table.joints.fx"), row["sum_of_heads_on_table"][0], "heads, x");
    expect(run->at(t, "table.joints.fy"), row["sum_of_heads_on_table"][1], "heads, y");
    expect(-run->at(t, "ground.joints.fx"), row["sum_of_feet_on_rockers"][0], "feet, x");
    expect(-run->at(t, "ground.joints.fy"), row["sum_of_feet_on_rockers"][1], "feet, y");
  }
  const auto& open = run->outcome.summary.not_unique;
  const auto marked = [&](const char* channel) {
    return std::find(open.begin(), open.end(), channel) != open.end();
  };
  for (const char* channel : {"head 0.second.fx", "head 2.first.fy", "foot 1.second.fx"})
    EXPECT_TRUE(marked(channel)) << channel;
  for (const char* channel : {"motor.torque", "table.joints.fx", "ground.joints.torque"})
    EXPECT_FALSE(marked(channel)) << channel;
  for (const ReactionPeak& peak : run->outcome.summary.reaction_peaks)
    EXPECT_EQ(peak.unique, peak.element == "driver motor") << peak.element;
}

// Of redundant equations some are in use, and these depend on each other where the rockers stand
// upright. The mechanism has change points only where they lie flat.
TEST(Kinematic, RedundantEquationsMakeNoSingularPose) {
  const auto run = analyse("triple-parallelogram", "kinematic", 1.2, 0.01);
  EXPECT_EQ(run->outcome.summary.status, "complete") << to_text(run->outcome.summary.diagnostics);
  const auto& poses = run->outcome.summary.singular_poses;
  ASSERT_EQ(poses.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(poses[k].t, ((static_cast<double>(k) + 1) * M_PI - 0.7) / 6, 1e-9);
}

// Between rows too: a table turned by any angle, so that other equations become dependent, and in space.
// Next to such a pose the motion was known to 1e-4 only, and peaks were noise.
TEST(Inverse, RedundantEquationsAreChosenAnew) {
  const char* const table = R"toml(gravity = [0, -9.81]
[parameters]
turn = 0
px = "0.3*cos(turn + 0.7)"
py = "0.3*sin(turn + 0.7)"
[[repeat]]
count = 4
  [[repeat.body]]
  name = "rocker {i}"
  from = ["i*0.4*cos(turn)", "i*0.4*sin(turn)"]
  to   = ["i*0.4*cos(turn) + px", "i*0.4*sin(turn) + py"]
  mass = 0.5
  [[repeat.joint]]
  type    = "revolute"
  name    = "foot {i}"
  between = ["ground", "rocker {i}"]
  at      = ["i*0.4*cos(turn)", "i*0.4*sin(turn)"]
  [[repeat.joint]]
  type    = "revolute"
  name    = "head {i}"
  between = ["rocker {i}", "table"]
  at      = ["i*0.4*cos(turn) + px", "i*0.4*sin(turn) + py"]
[[body]]
name    = "table"
at      = ["px", "py"]
mass    = 3
centre  = [0.5, 0.1]
inertia = 0.2
[[driver]]
joint  = "foot 0"
name   = "motor"
motion = "turn + 0.7 + 6*t"
[[analysis]]
type  = "inverse"
until = 0.35
)toml";
  for (const double turn : {0.0, 0.4, 1.0, M_PI / 2, 2.2})
    for (const bool spatial : {false, true}) {
      ReadOptions options;
      options.set = {{"turn", fmt::format("{}", turn)}};
      options.spatial = spatial;
      auto model = read_model_text(table, "table.toml", options);
      ASSERT_TRUE(model) << to_text(model.why());
      test::Memory memory;
      const Outcome run = run_model(model.value(), memory, {});
      EXPECT_EQ(run.summary.status, "complete") << to_text(run.summary.diagnostics);
      EXPECT_LT(run.summary.constraint.max_velocity, 1e-11) << turn;
      EXPECT_LT(run.summary.energy.max_imbalance, 1e-8) << turn;
      for (const ChannelStatistics& channel : run.summary.channels) {
        if (channel.channel != "head 1.first.force") continue;
        EXPECT_LT(channel.largest, 100) << turn;
        EXPECT_GE(channel.mean, channel.least) << turn;
      }
    }
}

// The energies that run along agree with the motion: T + V + losses - work is constant.
TEST(Inverse, EnergiesBalance) {
  for (const double output_step : {0.0005, 0.01, 0.05, 0.45}) {
    const auto run = analyse("four-bar-inverse", "inverse", 0.45, output_step);
    EXPECT_LT(run->outcome.summary.energy.max_imbalance, 1e-6) << output_step;
  }
}

// A block pushed along a line, to and fro: the corner of its motion gives a row on either side, and an
// impulse of m (v+ - v-).
TEST(Inverse, ACornerOfADriver) {
  auto model = read_model_text(R"toml(gravity = [0, 0]
[[body]]
name = "block"
at = [0, 0]
mass = "2 kg"
inertia = 1
[[joint]]
type = "translational"
name = "rail"
between = ["ground", "block"]
axis = [1, 0]
[[driver]]
joint = "rail"
name = "push"
motion = "1 m*table(t, 0, 0, 1, 1, 2, 0)"
[[analysis]]
type = "inverse"
until = 2
output_step = 0.25
)toml",
                               "model.toml");
  ASSERT_TRUE(model) << to_text(model.why());

  struct Events : test::Memory {
    std::vector<Event> events;

    Fault event(const Event& e) override {
      events.push_back(e);
      return {};
    }
  } memory;

  const Outcome out = run_model(model.value(), memory, {});
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  std::vector<double> speeds;
  for (std::size_t k = 0; k < memory.times.size(); ++k)
    if (memory.times[k] == 1) speeds.push_back(memory.value("block.vx", k));
  ASSERT_EQ(speeds.size(), 2U);
  EXPECT_NEAR(speeds[0], 1, 1e-12);
  EXPECT_NEAR(speeds[1], -1, 1e-12);
  ASSERT_EQ(memory.events.size(), 1U);
  EXPECT_NE(memory.events[0].text.find("impulse -4 N*s"), std::string::npos)
      << memory.events[0].text;
}

TEST(Driven, TooFewAndTooManyDriversAreNamed) {
  auto model = read_model_text(R"(gravity = [0, -9.81]
[[body]]
name = "a"
from = [0, 0]
to = [1, 0]
mass = 1
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "a"]
at = [0, 0]
[[analysis]]
type = "kinematic"
until = 1
)",
                               "model.toml");
  ASSERT_TRUE(model);
  test::Memory memory;
  const Outcome free = run_model(model.value(), memory, {});
  EXPECT_EQ(free.summary.diagnostics.back().id, "model.underdriven");
  EXPECT_NE(free.summary.diagnostics.back().hint.find("'a'"), std::string::npos)
      << to_text(free.summary.diagnostics);
  auto twice = read_model_text(R"(gravity = [0, -9.81]
[[body]]
name = "a"
from = [0, 0]
to = [1, 0]
mass = 1
[[joint]]
type = "revolute"
name = "A"
between = ["ground", "a"]
at = [0, 0]
[[driver]]
joint = "A"
name = "one"
motion = "t/1 s"
[[driver]]
type = "angle"
name = "two"
body = "a"
motion = "t/1 s"
[[analysis]]
type = "kinematic"
until = 1
)",
                               "model.toml");
  ASSERT_TRUE(twice) << to_text(twice.why());
  const Outcome over = run_model(twice.value(), memory, {});
  EXPECT_EQ(over.summary.diagnostics.back().id, "model.overdriven")
      << to_text(over.summary.diagnostics);
}

}  // namespace
}  // namespace cardan
