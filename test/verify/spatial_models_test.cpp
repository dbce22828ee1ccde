// Rolling disc, Stewart platform and Delta robot against the closed formulas of their geometry and
// of steady motion, and the platform's forces there and back.
#include <cmath>
#include <filesystem>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

Model model_at(const std::string& file, const ReadOptions& options = {}) {
  auto read = read_model(std::string(test::source_dir) + "/models/" + file, options);
  if (!read) {
    for (const auto& d : read.why()) ADD_FAILURE() << to_text(d);
    return {};
  }
  return std::move(read).value();
}

struct Ran : Memory {
  Summary summary;
};

Ran run_of(const Model& model) {
  Ran run;
  run.summary = run_model(model, run, {}).summary;
  EXPECT_EQ(run.summary.status, "complete");
  for (const Diagnostic& d : run.summary.diagnostics)
    if (d.severity != Severity::note) ADD_FAILURE() << to_text(d);
  return run;
}

// Velocity of the material point of the disc that touches the floor, by the channels alone.
Vec<3> slip(const Memory& run, std::size_t row) {
  const Vec<3> axis = matrix_of_quaternion(test::quaternion(run, "disc", row)).col(2);
  const Vec<3> up = (Vec<3>::UnitZ() - axis * axis.z()).normalized();
  return test::vector(run, "disc.v", row) -
         test::vector(run, "disc.omega_", row).cross(Vec<3>(0.25 * up));
}

double height_over_floor(const Memory& run, std::size_t row) {
  const double z = matrix_of_quaternion(test::quaternion(run, "disc", row))(2, 2);
  return run.value("disc.z", row) - 0.25 * std::sqrt(1 - z * z);
}

TEST(RollingDisc, TurnsSteadily) {
  const Ran run = run_of(model_at("rolling-disc/model.toml"));
  const double m = 2, R = 0.25, h = 0.02, a = M_PI / 9, r = 0.8, g = 9.81;
  const double C = m * R * R / 2, A = m * (3 * R * R + h * h) / 12;
  const double turn = std::sqrt(m * g * R * std::sin(a) / std::cos(a) /
                                ((m * R * R + C) * r / R + A * std::sin(a)));
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double angle = turn * run.times[row];
    EXPECT_NEAR(run.value("disc.x", row), r * std::cos(angle), 1e-7);
    EXPECT_NEAR(run.value("disc.y", row), r * std::sin(angle), 1e-7);
    EXPECT_NEAR(run.value("disc.z", row), R * std::cos(a), 1e-8);
    EXPECT_LT(slip(run, row).norm(), 1e-9);
    EXPECT_LT(std::abs(height_over_floor(run, row)), 1e-10);
  }
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-9);
  EXPECT_GT(turn * run.times.back(), 3 * M_PI);
}

Vec<3> base_joint(int leg) {
  const double a = (120 * (leg / 2) + (leg % 2 == 0 ? -15 : 15)) * M_PI / 180;
  return {0.5 * std::cos(a), 0.5 * std::sin(a), 0};
}

Vec<3> platform_joint(int leg) {
  const double a = (120 * (leg / 2) + (leg % 2 == 0 ? -50 : 50)) * M_PI / 180;
  return {0.3 * std::cos(a), 0.3 * std::sin(a), 0};
}

struct Posture {
  Vec<3> at;
  Mat<3, 3> turn;
};

// What platform.toml prescribes.
Posture posture(double t) {
  const auto rise = [&](double rate) {
    return 1 - std::cos(rate * t);
  };
  const double deg = M_PI / 180;
  const double roll = 6 * deg * rise(4), pitch = -5 * deg * rise(8), yaw = 8 * deg * rise(4);
  const Mat<3, 3> turn =
      (Eigen::AngleAxisd(roll, Vec<3>::UnitX()) * Eigen::AngleAxisd(pitch, Vec<3>::UnitY()) *
       Eigen::AngleAxisd(yaw, Vec<3>::UnitZ()))
          .toRotationMatrix();
  return {{0.06 * rise(4), -0.04 * rise(6), 0.7 + 0.05 * rise(4)}, turn};
}

double leg_length(double t, int leg) {
  const Posture p = posture(t);
  return (p.at + p.turn * platform_joint(leg) - base_joint(leg)).norm();
}

// Distance of the platform's pose from the prescribed one: metres and radians.
double off_pose(const Memory& run, std::size_t row) {
  const Posture p = posture(run.times[row]);
  const Mat<3, 3> turn = matrix_of_quaternion(test::quaternion(run, "platform", row));
  return std::max((test::vector(run, "platform.", row) - p.at).norm(), (turn - p.turn).norm());
}

TEST(StewartPlatform, LegsForAPose) {
  const Ran run = run_of(model_at("stewart-platform/model.toml"));
  EXPECT_EQ(run.summary.dof, 0);
  EXPECT_EQ(run.summary.redundant, 0);
  EXPECT_NE(run.last("drive yaw.torque"), 0);  // drivers of angles have torques
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    EXPECT_LT(off_pose(run, row), 1e-10);
    for (int leg = 0; leg < 6; ++leg)
      EXPECT_NEAR(
          run.value(fmt::format("leg_{}", leg), row), leg_length(run.times[row], leg), 1e-10);
  }
}

TEST(RollingDisc, SpinsAboutAStillCentre) {
  const Ran run = run_of(model_at("rolling-disc/model.toml",
                                  {.set = {{"lean", "75 deg"}, {"circle", "0"}}, .folder = {}}));
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    EXPECT_LT(std::hypot(run.value("disc.x", row), run.value("disc.y", row)), 1e-9);
    EXPECT_LT(slip(run, row).norm(), 1e-9);
  }
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-9);
}

// Disturbed: the lean swings, and the disc still rolls and keeps its energy.
TEST(RollingDisc, Wobbles) {
  const auto wobble = [](const char* formulation) {
    Model model =
        model_at("rolling-disc/model.toml",
                 {.set = {{"lean", "70 deg"}, {"circle", "0"}, {"nod", "2"}}, .folder = {}});
    test::tighten(model, 1e-11, "dop853");
    test::dynamic(model).formulation = formulation;
    test::dynamic(model).until = 2;
    return run_of(model);
  };
  const Ran run = wobble("projected"), other = wobble("baumgarte");
  double least = 1, most = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    least = std::min(least, run.value("disc.z", row));
    most = std::max(most, run.value("disc.z", row));
    EXPECT_LT(slip(run, row).norm(), 1e-9);
    EXPECT_LT(std::abs(height_over_floor(run, row)), 1e-10);
  }
  EXPECT_GT(most, 1.8 * least);
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-9);
  EXPECT_LT((test::vector(run, "disc.", run.rows.size() - 1) -
             test::vector(other, "disc.", other.rows.size() - 1))
                .norm(),
            1e-7);
}

TEST(StewartPlatform, PoseForLegs) {
  const Ran run = run_of(model_at("stewart-platform/legs.toml"));
  EXPECT_EQ(run.summary.dof, 0);
  for (std::size_t row = 0; row < run.rows.size(); ++row) EXPECT_LT(off_pose(run, row), 1e-10);
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-6);
}

// The power of the pose's drivers is that of the legs: what the six forces and torques do at the
// platform.
TEST(StewartPlatform, LegsAndPoseDoTheSameWork) {
  const Ran pose = run_of(model_at("stewart-platform/model.toml")),
            legs = run_of(model_at("stewart-platform/legs.toml"));
  ASSERT_EQ(pose.rows.size(), legs.rows.size());
  for (std::size_t row = 0; row < pose.rows.size(); ++row)
    EXPECT_NEAR(pose.value("energy.drivers", row), legs.value("energy.drivers", row), 1e-6);
}

// The forces of the driven legs, as splines over time (level at the start, since the motion is even
// in time), put upon the platform that is free.
TEST(StewartPlatform, ForcesThereAndBack) {
  Model driven = model_at("stewart-platform/legs.toml");
  test::dynamic(driven).output_step = 0.002;
  test::dynamic(driven).until = 1;
  const Ran run = run_of(driven);
  std::string text =
      "space = \"spatial\"\ngravity = [0, 0, -9.81]\ninclude = [\"platform.toml\"]\n";
  for (int leg = 0; leg < 6; ++leg) {
    text += fmt::format("[[curve]]\nname = \"force_{}\"\ntype = \"spline\"\ntable = [", leg);
    for (std::size_t row = 0; row < run.rows.size(); ++row)
      text += fmt::format(
          "[{}, {}], ", run.times[row], run.value(fmt::format("motor {}.force", leg), row));
    const Vec<3> b = base_joint(leg), s = platform_joint(leg);
    text += fmt::format(
        "]\nslopes = [0, 0]\noutside = \"extend\"\n[[force]]\ntype = \"spring\"\nname = \"motor "
        "{0}\"\n"
        "between = [\"ground\", \"platform\"]\npoints = [[{1}, {2}, 0], [{3}, {4}, 0]]\n"
        "force = \"-force_{0}(t)\"\n",
        leg,
        b.x(),
        b.y(),
        s.x(),
        s.y());
  }
  text +=
      "[[analysis]]\ntype = \"dynamic\"\nuntil = 1\noutput_step = 0.01\nrtol = 1e-9\natol = "
      "1e-10\n";
  auto read = read_model_text(
      text,
      "test.toml",
      {.set = {}, .folder = std::string(test::source_dir) + "/models/stewart-platform"});
  ASSERT_TRUE(read) << to_text(read.why()[0]);
  const Ran back = run_of(read.value());
  EXPECT_EQ(back.summary.dof, 6);
  double off = 0;
  for (std::size_t row = 0; row < back.rows.size(); ++row) off = std::max(off, off_pose(back, row));
  EXPECT_LT(off, 5e-8);
  EXPECT_LT(back.summary.energy.max_imbalance, 1e-6);
}

TEST(StewartPlatform, ControlledLegsFollow) {
  Model model = model_at("stewart-platform/forward.toml");
  test::dynamic(model).until = 0.5;
  const Ran run = run_of(model);
  EXPECT_EQ(run.summary.dof, 6);
  EXPECT_EQ(run.summary.redundant, 0);
  for (std::size_t row = 0; row < run.rows.size(); ++row) EXPECT_LT(off_pose(run, row), 6e-3);
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-6);
}

// Delta robot: motors at 0.2 m from the middle, arms of 0.3 m, rods of 0.65 m, joints of the
// platform at 50 mm. The elbow, shifted inwards by those 50 mm, has the platform's middle at the
// rod's length.
Vec<3> shifted_elbow(int k, double angle) {
  const double out = 0.2 + 0.3 * std::cos(angle) - 0.05, a = 2 * M_PI / 3 * k;
  return {out * std::cos(a), out * std::sin(a), -0.3 * std::sin(angle)};
}

// The angle of a motor for a place of the platform, elbow outwards: with x, y in the plane of the
// arm and across it, -q cos + z sin = c.
double motor_angle(int k, const Vec<3>& p) {
  const double a = 2 * M_PI / 3 * k;
  const double x = p.x() * std::cos(a) + p.y() * std::sin(a);
  const double y = p.y() * std::cos(a) - p.x() * std::sin(a);
  const double q = x + 0.05 - 0.2;
  const double c = (0.65 * 0.65 - q * q - y * y - 0.3 * 0.3 - p.z() * p.z()) / (2 * 0.3);
  return std::atan2(p.z(), -q) + std::acos(c / std::hypot(q, p.z()));
}

// The lower of the two points at the rods' length from three elbows.
Vec<3> meeting_point(const std::array<Vec<3>, 3>& elbow) {
  const Vec<3> u = elbow[1] - elbow[0], v = elbow[2] - elbow[0], n = u.cross(v);
  const Vec<3> centre = elbow[0] + (u.squaredNorm() * v.cross(n) - v.squaredNorm() * u.cross(n)) /
                                       (2 * n.squaredNorm());
  const Vec<3> rise = n.normalized() * std::sqrt(0.65 * 0.65 - (centre - elbow[0]).squaredNorm());
  return rise.z() < 0 ? Vec<3>(centre + rise) : Vec<3>(centre - rise);
}

TEST(DeltaRobot, MotorsForAPlace) {
  const Ran run = run_of(model_at("delta-robot/model.toml"));
  EXPECT_EQ(run.summary.dof, 0);
  EXPECT_EQ(run.summary.redundant, 0);
  double travelled = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const Vec<3> p = test::vector(run, "platform.", row);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(run.value(fmt::format("motor {}.angle", k), row), motor_angle(k, p), 1e-10);
    EXPECT_NEAR(std::abs(run.value("platform.qw", row)), 1, 1e-12);  // it never turns
    travelled = std::max(travelled, (p - test::vector(run, "platform.", 0)).norm());
  }
  EXPECT_GT(travelled, 0.3);
}

TEST(DeltaRobot, PlaceForMotors) {
  const Ran run = run_of(model_at("delta-robot/motors.toml"));
  EXPECT_EQ(run.summary.dof, 0);
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    std::array<Vec<3>, 3> elbow;
    for (int k = 0; k < 3; ++k)
      elbow[static_cast<std::size_t>(k)] =
          shifted_elbow(k, run.value(fmt::format("motor {}.angle", k), row));
    EXPECT_LT((test::vector(run, "platform.", row) - meeting_point(elbow)).norm(), 1e-10);
  }
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-7);
}

// Without motors it has three freedoms and falls; the rods' crosses leave no idle spin.
TEST(DeltaRobot, FallsWithThreeFreedoms) {
  Model model = model_at("delta-robot/motors.toml");
  model.drivers.clear();
  test::dynamic(model).until = 0.2;
  const Ran run = run_of(model);
  EXPECT_EQ(run.summary.dof, 3);
  EXPECT_EQ(run.summary.redundant, 0);
  EXPECT_LT(run.last("platform.z"), run.value("platform.z", 0) - 0.03);
  EXPECT_NEAR(run.last("platform.x"), 0, 1e-9);  // straight down, by symmetry
  EXPECT_NEAR(run.last("platform.y"), 0, 1e-9);
  EXPECT_LT(run.summary.energy.max_imbalance, 1e-7);
}

}  // namespace
}  // namespace cardan
