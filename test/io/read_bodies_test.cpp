// Bodies, markers, shapes and mass properties as read.
#include <cmath>
#include <numbers>

#include "test/io/read_text.h"

namespace cardan {
namespace {

const double round_off = 1e-14;

TEST(read_bodies, bar_between_points) {
  const Model m = read_good(two_bodies);
  ASSERT_EQ(m.bodies.size(), 2u);
  const Body& a = m.bodies[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.where.line, 3);
  expect_near(a.at, {1, 1, 0});
  EXPECT_NEAR(a.angle, std::numbers::pi / 2, round_off);
  expect_near(a.centre, {1, 0, 0});
  EXPECT_NEAR(a.inertia, 3 * 4.0 / 12, round_off);
  ASSERT_EQ(a.shapes.size(), 1u);
  EXPECT_EQ(a.shapes[0].kind, "bar");
  EXPECT_EQ(m.find_body("b"), 1);
  EXPECT_EQ(m.find_body("ground"), -1);
  EXPECT_EQ(m.find_body("c"), -2);
}

TEST(read_bodies, density_and_width_of_a_bar) {
  const Model m = read_good(
      "gravity = [0, 0]\n[[body]]\nname = \"a\"\nfrom = [0, 0]\nto = [0.5, 0]\nwidth = "
      "0.06\nthickness = \"60 mm\"\ndensity = \"7.7 g/cm^3\"\n");
  const double mass = 0.5 * 0.06 * 0.06 * 7700;
  EXPECT_NEAR(m.bodies[0].mass, mass, round_off * mass);
  EXPECT_NEAR(m.bodies[0].inertia, mass * (0.25 + 0.0036) / 12, round_off * mass);
}

TEST(read_bodies, inertia_of_shapes) {
  const auto body = [](const std::string& shape) {
    return read_good("gravity = [0, 0]\n[[body]]\nname = \"a\"\nmass = 2\nshape = " + shape + "\n")
        .bodies.at(0);
  };
  EXPECT_NEAR(body("{ box = [0.3, 0.4] }").inertia, 2 * 0.25 / 12, round_off);
  const Body disc = body("{ disc = 0.2, at = [1, 2] }");
  EXPECT_NEAR(disc.inertia, 2 * 0.04 / 2, round_off);
  expect_near(disc.centre, {1, 2, 0});
  // A right triangle: centroid at a third, polar radius of gyration (a^2 + b^2)/18.
  const Body triangle = body("{ polygon = [[10, 0], [13, 0], [10, 6]] }");
  expect_near(triangle.centre, {11, 2, 0});
  EXPECT_NEAR(triangle.inertia, 2 * (9.0 + 36.0) / 18, 1e-12);
  const Body clockwise = body("{ polygon = [[10, 0], [10, 6], [13, 0]] }");
  EXPECT_NEAR(clockwise.inertia, triangle.inertia, 1e-12);
  // Two equal boxes side by side are one box.
  const Body pair = body("[{ box = [1, 1], at = [-0.5, 0] }, { box = [1, 1], at = [0.5, 0] }]");
  EXPECT_NEAR(pair.inertia, 2 * 5.0 / 12, 1e-12);
  expect_near(pair.centre, {0, 0, 0});
  EXPECT_NEAR(body("{ box = [0.3, 0.4], angle = 0.7 }").inertia,
              body("{ slider = [0.4, 0.3] }").inertia,
              round_off);
}

TEST(read_bodies, shapes_do_not_change_given_masses) {
  const Body b = read_good(
                     "gravity = [0, 0]\n[[body]]\nname = \"a\"\nmass = 2\ninertia = 3\nshape = { "
                     "disc = 1, at = [5, 5] }\n")
                     .bodies.at(0);
  EXPECT_EQ(b.inertia, 3);
  expect_near(b.centre, {0, 0, 0});
}

TEST(read_bodies, point_masses_and_massless_bodies) {
  const Model m = read_good(
      "gravity = [0, 0]\n[[body]]\nname = \"p\"\nmass = 2\ninertia = 0\n[[body]]\nname = "
      "\"q\"\nmassless = true\n");
  EXPECT_EQ(m.bodies[0].mass, 2);
  EXPECT_EQ(m.bodies[0].inertia, 0);
  EXPECT_EQ(m.bodies[1].mass, 0);
  EXPECT_EQ(m.bodies[1].inertia, 0);
}

TEST(read_bodies, guesses_and_fixed_ones) {
  const Model m = read_good(
      two_bodies + "velocity = [\"36 km/h\", 2]\nrate = \"60 rpm\"\nfixed = [\"angle\", \"vx\"]\n");
  const Body& b = m.bodies[1];
  EXPECT_TRUE(b.velocity_given);
  EXPECT_FALSE(m.bodies[0].velocity_given);
  EXPECT_NEAR(b.velocity[0], 10, round_off * 10);
  EXPECT_NEAR(b.rate, 2 * std::numbers::pi, round_off * 10);
  ASSERT_EQ(m.initial.size(), 2u);
  EXPECT_EQ(m.initial[0].type, "angle");
  EXPECT_NEAR(m.initial[0].number("value"), std::numbers::pi / 2, round_off);
  EXPECT_EQ(m.initial[0].find("rate"), nullptr);
  EXPECT_EQ(m.initial[1].type, "x");
  EXPECT_NEAR(m.initial[1].number("rate"), 10, round_off * 10);
  EXPECT_EQ(m.initial[1].sides[1].body, 1);
  EXPECT_EQ(m.initial[1].words(), "initial condition 'b'");
}

TEST(read_bodies, markers_in_both_frames) {
  const Model m =
      read_good(two_bodies +
                "[[marker]]\nname = \"m\"\nbody = \"b\"\nat = [2, 1]\nangle = \"90 "
                "deg\"\n[[marker]]\nname = \"n\"\nbody = \"b\"\npoint = [1, 0]\nangle = 0.5\n");
  expect_near(m.markers[0].point, {1, 0, 0});
  EXPECT_NEAR(m.markers[0].angle, 0, round_off);
  expect_near(m.markers[1].point, {1, 0, 0});
  EXPECT_EQ(m.markers[1].angle, 0.5);
}

TEST(read_bodies, note_about_missing_gravity) {
  const std::string body = "[[body]]\nname = \"a\"\nmass = 1\ninertia = 1\n";
  const Model without = read_good(body);
  ASSERT_EQ(without.notes.size(), 1u);
  EXPECT_EQ(without.notes[0].id, "model.no-gravity");
  EXPECT_EQ(without.notes[0].severity, Severity::note);
  EXPECT_EQ(without.gravity, Triple{});
  EXPECT_TRUE(read_good("gravity = [0, 0]\n" + body).notes.empty());
}

}  // namespace
}  // namespace cardan
