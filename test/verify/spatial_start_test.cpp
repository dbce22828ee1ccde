// Where joints of space start: angles that are zero in the given pose, and whole turns that initial
// conditions and drivers ask for.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

constexpr double turn = 2 * std::numbers::pi;

Memory started(const std::string& joint, const std::string& more) {
  const Model model = test::model_of(R"(space = "spatial"
[[body]]
name = "b"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "j"
between = ["ground", "b"]
at = [0, 0, 0]
)" + joint + more + R"([[analysis]]
type = "dynamic"
until = 0.1
output_step = 0.05
rtol = 1e-9
)");
  Memory run;
  EXPECT_EQ(run_model(model, run, {}).summary.status, "complete");
  EXPECT_FALSE(run.rows.empty());
  return run;
}

TEST(SpatialStart, AnglesOfACrossAreZeroInTheGivenPose) {
  for (const char* axes :
       {"[[0, 0, 1], [0, 1, 0]]", "[[1, 0, 0], [0, 1, 0]]", "[[1, 1, 0], [0, 0, 1]]"}) {
    std::string requests;
    for (const int k : {1, 2}) {
      requests +=
          fmt::format("[[request]]\nname = \"a{0}\"\ntype = \"angle-{0}\"\njoint = \"j\"\n", k);
      requests += fmt::format(
          "[[request]]\nname = \"c{0}\"\ntype = \"angle-{0}\"\nsequence = \"universal\"\nbetween = "
          "[\"ground\", \"b\"]\naxis = {1}\n",
          k,
          axes);
    }
    const Memory run = started(fmt::format("type = \"universal\"\naxis = {}\n", axes), requests);
    for (const char* name : {"a1", "a2", "c1", "c2"})
      EXPECT_NEAR(run.value(name, 0), 0, 1e-14) << name << " of " << axes;
  }
}

// The channels of a cross are the angles it is driven by, over more than a turn.
TEST(SpatialStart, AnglesOfACrossAreChannels) {
  const Memory run =
      started("type = \"universal\"\naxis = [[0, 0, 1], [0, 1, 0]]\n",
              "[[driver]]\ntype = \"angle-1\"\njoint = \"j\"\nmotion = \"0.3 + 90*t\"\n"
              "[[driver]]\ntype = \"angle-2\"\njoint = \"j\"\nmotion = \"0.5*sin(30*t)\"\n");
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.times[row];
    EXPECT_NEAR(run.value("j.angle_1", row), 0.3 + 90 * t, 1e-8);
    EXPECT_NEAR(run.value("j.angle_1_rate", row), 90, 1e-6);
    EXPECT_NEAR(run.value("j.angle_2", row), 0.5 * std::sin(30 * t), 1e-8);
    EXPECT_NEAR(run.value("j.angle_2_rate", row), 15 * std::cos(30 * t), 1e-6);
  }
}

TEST(SpatialStart, ThreadsHaveAdvancedByTheTurnsAskedFor) {
  const std::string screw = "type = \"screw\"\naxis = [0, 0, 1]\npitch = \"10 mm\"\n";
  const Memory angle = started(screw, "[[initial]]\njoint = \"j\"\nangle = \"3.25 rev\"\n"),
               driver = started(
                   screw,
                   "[[driver]]\ntype = \"angle\"\njoint = \"j\"\nmotion = \"3 rev + 2*t\"\n"),
               along = started(screw, "[[initial]]\njoint = \"j\"\ndisplacement = \"32 mm\"\n");
  EXPECT_NEAR(angle.value("b.z", 0), 0.0325, 1e-10);
  EXPECT_NEAR(angle.value("j.angle", 0), 3.25 * turn, 1e-8);
  EXPECT_NEAR(driver.value("b.z", 0), 0.03, 1e-10);
  EXPECT_NEAR(driver.last("j.angle"), 3 * turn + 0.2, 1e-8);
  EXPECT_NEAR(along.value("j.angle", 0), 3.2 * turn, 1e-6);
}

TEST(SpatialStart, AnglesOfHingesCountTheirTurnsFromTheStart) {
  const Memory run =
      started("type = \"revolute\"\naxis = [0, 0, 1]\n",
              "[[initial]]\njoint = \"j\"\nangle = \"2.75 rev\"\nrate = \"1 rad/s\"\n");
  EXPECT_NEAR(run.value("j.angle", 0), 2.75 * turn, 1e-10);
  EXPECT_NEAR(run.last("j.angle"), 2.75 * turn + 0.1, 1e-8);
}

TEST(SpatialStart, BothFreedomsOfASleeve) {
  const Memory run = started("type = \"cylindrical\"\naxis = [0, 0, 1]\n",
                             "[[initial]]\njoint = \"j\"\nangle = 1\nrate = \"2 rad/s\"\n"
                             "displacement = \"30 mm\"\nvelocity = \"0.5 m/s\"\n");
  EXPECT_NEAR(run.value("j.angle", 0), 1, 1e-12);
  EXPECT_NEAR(run.value("j.angle_rate", 0), 2, 1e-12);
  EXPECT_NEAR(run.value("j.displacement", 0), 0.03, 1e-12);
  EXPECT_NEAR(run.value("j.displacement_rate", 0), 0.5, 1e-12);
}

// Methods of their own take no integrator, whatever it is called.
TEST(OwnMethods, LeaveTheIntegratorOut) {
  for (const char* formulation : {"half-explicit", "rattle"})
    for (const char* integrator : {"verlet", "hht", "taylor2", "ode45"}) {
      Model model = test::model_file("heavy-top");
      DynamicOptions& o = test::dynamic(model);
      o.formulation = formulation;
      o.integrator = integrator;
      o.step = 1e-3;
      o.until = 0.05;
      Memory run;
      const Outcome out = run_model(model, run, {});
      EXPECT_EQ(out.summary.status, "complete") << formulation << " " << integrator;
      bool told = false;
      for (const auto& d : out.summary.diagnostics) told = told || d.id == "numeric.own-method";
      EXPECT_TRUE(told);
    }
}

}  // namespace
}  // namespace cardan
