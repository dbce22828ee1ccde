// Stops and contacts in space against closed forms, against the plane, and in moved frames.
#include <numbers>

#include "test/verify/space_runs.h"

namespace cardan {
namespace {

using test::complete;
using test::dynamic_analysis;
using test::Events;
using test::model_of;
using test::sphere;

constexpr double g = 9.81;

std::string floor_contact(const std::string& more, const std::string& body = "ball") {
  return "\n[[contact]]\nname = \"floor\"\ntype = \"sphere-plane\"\nbetween = [\"ground\", \"" +
         body + "\"]\npoints = [[0, 0, 0], [0, 0, 0]]\naxis = [0, 0, 1]\nradius = 0.1\n" + more +
         "\n";
}

std::string space(const std::string& gravity = "[0, 0, -9.81]") {
  return "space = \"spatial\"\ngravity = " + gravity + "\n";
}

TEST(SpaceImpact, BouncingSphereIsAGeometricSeriesInAnyFrame) {
  const Model model = model_of(space() + sphere("ball", {0, 0, 1.1}, {0.3, 0, 0}, {1, 2, 3}) +
                               floor_contact("restitution = 0.8") + dynamic_analysis(4.5, 0.01));
  const test::Motion3 m{matrix_of_quaternion(quaternion_about({1, -2, 0.5}, 1.1)),
                        {0.3, -0.7, 0.4}};
  for (const Model& at : {model, test::moved(model, m)}) {
    Events run;
    const Outcome out = complete(at, run);
    const auto impacts = run.times_of("impact");
    ASSERT_GT(impacts.size(), 20u);
    double t = std::sqrt(2 / g), flight = 2 * t;
    for (std::size_t n = 0; n < impacts.size(); ++n) {
      EXPECT_NEAR(impacts[n], t, 2e-9) << n;
      flight *= 0.8;
      t += flight;
    }
    EXPECT_EQ(run.times_of("rest").size(), 1u);
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-9);
    EXPECT_NEAR(run.last("floor.normal"), 2 * g, 1e-8);
    EXPECT_EQ(run.last("floor.mode"), 1);
    EXPECT_EQ(run.events.back().element.find("contact 'floor'"), 0u);
  }
}

// Spheres in a row with small gaps: the first gives all it has to the last. An oblique one keeps
// what is across the line of centres.
TEST(SpaceImpact, SpheresExchangeVelocities) {
  const Vec<3> line = Vec<3>(1, 2, -2) / 3, across = Vec<3>(2, -2, -1) / 3;
  std::string text = space("[0, 0, 0]");
  for (int k = 0; k < 4; ++k)
    text += sphere("s" + std::to_string(k),
                   0.21 * k * line,
                   k == 0 ? Vec<3>(3 * line) : Vec<3>(Vec<3>::Zero()));
  for (int k = 0; k < 3; ++k)
    text += fmt::format(
        "\n[[contact]]\ntype = \"sphere-sphere\"\nname = \"c{}\"\nbetween = [\"s{}\", \"s{}\"]\n"
        "radii = [0.1, 0.1]\nrestitution = 1\n",
        k,
        k,
        k + 1);
  Events run;
  const Outcome out = complete(model_of(text + dynamic_analysis(0.1, 0.01)), run);
  EXPECT_EQ(run.times_of("impact").size(), 3u);
  EXPECT_NEAR(run.times_of("impact")[0], 0.01 / 3, 1e-12);
  EXPECT_LT((test::vector(run, "s3.v", run.rows.size() - 1) - 3 * line).norm(), 1e-12);
  for (const char* name : {"s0.v", "s1.v", "s2.v"})
    EXPECT_LT(test::vector(run, name, run.rows.size() - 1).norm(), 1e-12);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-12);

  Events oblique;
  complete(model_of(space("[0, 0, 0]") + sphere("a", {0, 0, 0}, 2 * line + across) +
                    sphere("b", 0.3 * line + 0.05 * across, {0, 0, 0}, {0, 0, 0}, 6) +
                    "\n[[contact]]\ntype = \"sphere-sphere\"\nname = \"c\"\nbetween = [\"a\", "
                    "\"b\"]\nradii = [0.1, 0.1]\nrestitution = 0.5\n" +
                    dynamic_analysis(0.06, 0.01)),
           oblique);
  // They touch at t = 0.05 where b is straight ahead: p = (1 + e) u m_a m_b/(m_a + m_b).
  ASSERT_EQ(oblique.times_of("impact").size(), 1u);
  EXPECT_NEAR(oblique.times_of("impact")[0], 0.05, 1e-12);
  const double p = 1.5 * 2 * (2.0 * 6 / 8);
  EXPECT_LT(
      (test::vector(oblique, "a.v", oblique.rows.size() - 1) - (2 - p / 2) * line - across).norm(),
      1e-11);
  EXPECT_LT((test::vector(oblique, "b.v", oblique.rows.size() - 1) - p / 6 * line).norm(), 1e-11);
}

std::string wheel(const std::string& stop, double rate) {
  return space("[0, 0, 0]") + R"toml(
[[body]]
name = "wheel"
mass = 1
inertia = [0.1, 0.2, 0.3]
at = [0, 0, 0]
[[joint]]
type = "cylindrical"
name = "axle"
between = ["ground", "wheel"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[initial]]
joint = "axle"
displacement = 0
velocity = 0.5
[[initial]]
joint = "axle"
angle = 0.2
rate = )toml" +
         std::to_string(rate) +
         R"toml(
[[stop]]
joint = "axle"
)toml" + stop +
         dynamic_analysis(3, 0.01);
}

TEST(SpaceStop, AtThreeTurnsAndAlongTheAxis) {
  const double upper = 6 * std::numbers::pi + 0.5;
  Events run;
  const Outcome out = complete(
      model_of(wheel(
          fmt::format("type = \"angle\"\nname = \"s\"\nupper = {}\nrestitution = 0.5", upper), 10)),
      run);
  ASSERT_EQ(run.times_of("impact").size(), 1u);
  EXPECT_NEAR(run.times_of("impact")[0], (upper - 0.2) / 10, 1e-9);
  EXPECT_NEAR(run.last("axle.angle_rate"), -5, 1e-9);
  EXPECT_NEAR(run.last("wheel.vz"), 0.5, 1e-12);
  EXPECT_NEAR(run.value("s.gap", 0), upper - 0.2, 1e-9);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-9);
  Events along;
  complete(model_of(wheel("type = \"displacement\"\nname = \"s\"\nupper = 0.25\nlower = -0.1\n"
                          "restitution = 0.6",
                          10)),
           along);
  ASSERT_EQ(along.times_of("impact").size(), 2u);
  EXPECT_NEAR(along.times_of("impact")[0], 0.5, 1e-10);
  EXPECT_NEAR(along.times_of("impact")[1], 0.5 + 0.35 / 0.3, 1e-9);
  EXPECT_NEAR(along.last("axle.angle_rate"), 10, 1e-10);
}

TEST(SpaceStop, RopeEndsInARestAndThePointStaysWithinIt) {
  Events run;
  const Outcome out = complete(model_of(space() + sphere("bob", {0.5, 0.2, -0.3}, {0, 0.4, 0}) +
                                        R"toml(
[[stop]]
type = "distance"
name = "rope"
between = ["ground", "bob"]
points = [[0, 0, 0], [0, 0, 0]]
upper = 0.8
[[stop]]
type = "z"
name = "far below"
body = "bob"
lower = -2
)toml" + dynamic_analysis(3, 0.01)),
                               run);
  EXPECT_EQ(run.times_of("engage").size(), 1u);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);
  for (std::size_t k = 0; k < run.rows.size(); ++k) EXPECT_GT(run.value("rope.gap", k), -1e-9);
  EXPECT_EQ(run.last("rope.mode"), 1);
  EXPECT_GT(run.last("rope.normal"), 0);
}

TEST(SpaceStop, UniversalJointWithinItsAngles) {
  Events run;
  const Outcome out = complete(model_of(space() + R"toml(
[[body]]
name = "arm"
mass = 1
inertia = [0.02, 0.02, 0.001]
at = [0, 0, 0]
centre = [0, 0, -0.3]
angular_velocity = [1.5, 2, 0]
[[joint]]
type = "universal"
name = "cross"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [[1, 0, 0], [0, 1, 0]]
[[stop]]
joint = "cross"
name = "one"
type = "angle-1"
lower = -0.33
upper = 0.37
restitution = 0.7
[[stop]]
joint = "cross"
name = "two"
type = "angle-2"
lower = -0.18
upper = 0.17
stiffness = 200
onset = 0.05
)toml" + dynamic_analysis(1.5, 0.01, 1e-9)),
                               run);
  EXPECT_GT(run.times_of("impact").size() + run.times_of("contact").size(), 2u);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
}

// Without friction a ball in a bowl or a tube is a pendulum of length R - r.
TEST(SpaceContact, BallInABowlAndInATubeIsAPendulum) {
  for (const char* type : {"sphere-in-sphere", "sphere-in-cylinder"}) {
    const bool tube = std::string(type) == "sphere-in-cylinder";
    const double length = 0.4, angle = 0.5;
    const std::string contact = fmt::format(
        "\n[[contact]]\ntype = \"{}\"\nname = \"wall\"\nbetween = [\"ground\", "
        "\"ball\"]\npoints = [[0, 0, 0], [0, 0, 0]]\nradii = [0.5, 0.1]\n",
        type);
    Events run;
    const Outcome out =
        complete(model_of(space() +
                          sphere("ball",
                                 {length * std::sin(angle), 0.0, -length * std::cos(angle)},
                                 {0, 0.3, 0}) +
                          contact + (tube ? "axis = [0, 1, 0]\n" : "") + dynamic_analysis(2, 0.01)),
                 run);
    EXPECT_LT(out.summary.energy.max_imbalance, 1e-9) << type;
    EXPECT_LT(run.largest("wall.gap"), 1e-9);
    test::Memory pendulum;
    complete(model_of(space() +
                      sphere("ball",
                             {length * std::sin(angle), 0.0, -length * std::cos(angle)},
                             {0, 0.3, 0}) +
                      (tube ? "\n[[joint]]\ntype = \"point-on-cylinder\"\nname = \"wall\"\nbetween "
                              "= [\"ground\", \"ball\"]\npoints = [[0, 0, 0], [0, 0, 0]]\naxis = "
                              "[0, 1, 0]\n"
                            : "\n[[joint]]\ntype = \"distance\"\nname = \"wall\"\nbetween = "
                              "[\"ground\", \"ball\"]\npoints = [[0, 0, 0], [0, 0, 0]]\n") +
                      dynamic_analysis(2, 0.01)),
             pendulum);
    for (const std::size_t k : {std::size_t{50}, std::size_t{133}, run.rows.size() - 1})
      EXPECT_LT((test::vector(run, "ball.", k) - test::vector(pendulum, "ball.", k)).norm(), 1e-8)
          << type;
  }
}

TEST(SpaceContact, BallRollsOffABarrelWhereItLeavesIt) {
  // A frictionless ball leaves a cylinder where cos(angle) = 2/3.
  Events run;
  complete(model_of(space() + sphere("ball", {0, 0, 0.5}, {1e-4, 0.2, 0}) + R"toml(
[[contact]]
type = "sphere-cylinder"
name = "barrel"
between = ["ground", "ball"]
points = [[0, 0, 0], [0, 0, 0]]
axis = [0, 1, 0]
radii = [0.4, 0.1]
)toml" + dynamic_analysis(3, 0.002)),
           run);
  const auto released = run.times_of("release");
  ASSERT_EQ(released.size(), 1u);
  const std::size_t row = static_cast<std::size_t>(released[0] / 0.002);
  EXPECT_NEAR(run.value("ball.z", row) / 0.5, 2.0 / 3, 5e-3);
  EXPECT_NEAR(run.last("ball.vy"), 0.2, 1e-10);
}

TEST(SpaceContact, CompliantOneKeepsItsEnergy) {
  Events run;
  const Outcome out =
      complete(model_of(space() + sphere("ball", {0, 0, 1.1}, {0.1, 0.2, 0}) +
                        floor_contact("stiffness = 1e5\nonset = 1e-3") + dynamic_analysis(2, 0.01)),
               run);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-6);
  EXPECT_NEAR(run.times_of("contact")[0], std::sqrt(2 / g), 1e-9);
  EXPECT_EQ(run.times_of("contact").size(), run.times_of("separation").size());
}

TEST(SpaceContact, CentresThatCoincideAreNamed) {
  const std::string contact =
      "\n[[contact]]\ntype = \"sphere-sphere\"\nname = \"pad\"\nbetween = [\"ground\", "
      "\"ball\"]\npoints = [[0, 0, 0], [0, 0, 0]]\nradii = [0.1, 0.1]\n";
  test::Memory run;
  for (const auto& [more, id] : {std::pair{"stiffness = 10", "numeric.contact-centres"},
                                 std::pair{"restitution = 0.5", "assembly.penetration"}}) {
    const Outcome start = run_model(model_of(space() + sphere("ball", {0, 0, 0}, {0, 0, 0}) +
                                             contact + more + dynamic_analysis(1, 0.1)),
                                    run,
                                    {});
    ASSERT_EQ(start.summary.status, "failed");
    EXPECT_EQ(start.summary.diagnostics.back().id, id);
    EXPECT_NE(start.summary.diagnostics.back().element.find("pad"), std::string::npos);
  }
  const Outcome pushed = run_model(model_of(space() + sphere("ball", {0, 0, 0.3}, {0, 0, -3}) +
                                            contact + "stiffness = 10" + dynamic_analysis(1, 0.1)),
                                   run,
                                   {});
  ASSERT_EQ(pushed.summary.status, "failed");
  EXPECT_EQ(pushed.summary.diagnostics.back().id, "numeric.contact-centres");
}

class PlanarLimitsInSpace : public testing::TestWithParam<const char*> {};

TEST_P(PlanarLimitsInSpace, PlanarStopsContactsAndFrictionGiveTheSame) {
  Model planar = test::model_file(GetParam());
  DynamicOptions& o = test::dynamic(planar);
  o.rtol = 1e-11;
  o.atol = 1e-13;
  o.until = std::min(o.until, 1.0);
  o.output_step = 0.02;
  Events flat, spatial;
  const Outcome in_plane = complete(planar, flat);
  const Outcome out = complete(test::embedded(planar), spatial);
  ASSERT_EQ(flat.rows.size(), spatial.rows.size());
  EXPECT_EQ(flat.events.size(), spatial.events.size());
  for (std::size_t k = 0; k < std::min(flat.events.size(), spatial.events.size()); ++k) {
    EXPECT_EQ(flat.events[k].kind, spatial.events[k].kind);
    EXPECT_NEAR(flat.events[k].t, spatial.events[k].t, 1e-8);
  }
  for (std::size_t row = 0; row < flat.rows.size(); ++row)
    for (const Body& b : planar.bodies)
      for (const char* c : {".x", ".y", ".vx", ".vy"})
        EXPECT_NEAR(flat.value(b.name + c, row), spatial.value(b.name + c, row), 1e-8)
            << b.name << c << " at " << flat.times[row];
  for (const auto& channel : flat.channels)
    for (std::size_t row = 0; row < flat.rows.size(); ++row)
      if (channel.quantity == "contact" || channel.quantity == "friction") {
        EXPECT_NEAR(std::abs(flat.value(channel.name, row)),
                    std::abs(spatial.value(channel.name, row)),
                    1e-6)
            << channel.name << " at " << flat.times[row];
      }
  EXPECT_NEAR(in_plane.summary.energy.max_imbalance, out.summary.energy.max_imbalance, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Models,
                         PlanarLimitsInSpace,
                         testing::Values("pendulum-stops", "bouncing-link", "stick-slip"));

}  // namespace
}  // namespace cardan
