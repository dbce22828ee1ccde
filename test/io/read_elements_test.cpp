// Joints, drivers, forces, requests and initial conditions as read.
#include <cmath>
#include <numbers>

#include "test/io/read_text.h"

namespace cardan {
namespace {

Element joint_of(const std::string& keys) {
  return read_good(two_bodies + "[[joint]]\n" + keys).joints.at(0);
}

TEST(read_elements, one_point_in_the_given_pose) {
  const Element e = joint_of("type = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [1, 2]\n");
  ASSERT_EQ(e.sides.size(), 2u);
  EXPECT_EQ(e.sides[0].body, 0);
  EXPECT_EQ(e.sides[1].body, 1);
  expect_near(e.sides[0].point, {1, 0, 0});  // a's x axis is the ground's y axis
  expect_near(e.sides[1].point, {2, 1, 0});
  EXPECT_EQ(e.name, "revolute 1");
  EXPECT_EQ(e.words(), "joint 'revolute 1'");
}

TEST(read_elements, three_ways_to_say_the_same) {
  const Element by_at = joint_of(
      "type = \"translational\"\nbetween = [\"ground\", \"b\"]\nat = [3, 4]\naxis = [0, 2]\n");
  const Element by_points = joint_of(
      "type = \"translational\"\nbetween = [\"ground\", \"b\"]\npoints = [[3, 4], [4, -1]]\naxes = "
      "[[0, 1], [1, 0]]\n");
  const Model m = read_good(two_bodies + R"TOML(
[[marker]]
name = "m"
body = "ground"
point = [3, 4]
angle = "90 deg"
[[marker]]
name = "n"
body = "b"
at = [3, 4]
angle = "90 deg"
[[joint]]
type = "translational"
markers = ["m", "n"]
)TOML");
  const Element by_body =
      joint_of("type = \"translational\"\nbody = \"b\"\npoint = [4, -1]\naxis = [0, 1]\n");
  for (const Element& e : {by_points, m.joints.at(0), by_body})
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(e.sides[k].body, by_at.sides[k].body);
      expect_near(e.sides[k].point, by_at.sides[k].point);
      expect_near(e.sides[k].axis, by_at.sides[k].axis);
    }
}

TEST(read_elements, directions_may_have_units) {
  const Element e = joint_of(
      "type = \"translational\"\nbetween = [\"ground\", \"b\"]\nat = [3, 4]\n"
      "axis = [0, \"3 m - 20 cm\"]\n");
  expect_near(e.sides[0].axis, {0, 1, 0});
}

TEST(read_elements, axis_alone_takes_the_second_bodys_origin) {
  const Element e =
      joint_of("type = \"translational\"\nbetween = [\"ground\", \"b\"]\naxis = [1, 0]\n");
  expect_near(e.sides[0].point, {2, 0, 0});
  expect_near(e.sides[1].point, {0, 0, 0});
  expect_near(e.sides[1].axis, {0, -1, 0});
}

TEST(read_elements, fixed_joint_keeps_the_pose) {
  const Element e = joint_of("type = \"fixed\"\nbetween = [\"a\", \"b\"]\n");
  expect_near(e.sides[0].axis, {0, -1, 0});
  expect_near(e.sides[1].axis, {0, -1, 0});
  expect_near(e.sides[0].point, {-1, -1, 0});  // b's origin [2, 0] seen from a
}

TEST(read_elements, a_point_on_each_side) {
  const Element e = joint_of(
      "type = \"distance\"\nbetween = [\"ground\", \"b\"]\nat = [[5, 5], [2, 2]]\nvalue = \"3 "
      "m\"\n");
  expect_near(e.sides[0].point, {5, 5, 0});
  expect_near(e.sides[1].point, {2, 0, 0});
  EXPECT_EQ(e.number("value"), 3);
  EXPECT_EQ(joint_of("type = \"distance\"\nbetween = [\"ground\", \"b\"]\nat = [[5, 5], [2, 2]]\n")
                .find("value"),
            nullptr);
}

TEST(read_elements, absolute_coordinates) {
  const Element e = joint_of("type = \"x\"\nbody = \"b\"\nat = [2, 1]\n");
  EXPECT_EQ(e.sides[0].body, ground);
  expect_near(e.sides[0].point, {0, 0, 0});
  expect_near(e.sides[1].point, {1, 0, 0});
}

TEST(read_elements, gears_and_cams) {
  const Element gear = joint_of(
      "type = \"gear\"\nbetween = [\"a\", \"b\"]\nradii = [\"20 mm\", 0.04]\ninternal = true\n");
  EXPECT_EQ(std::get<std::vector<double>>(*gear.find("radii")), (std::vector<double>{0.02, 0.04}));
  EXPECT_TRUE(std::get<bool>(*gear.find("internal")));
  const std::string curve =
      "[[curve]]\nname = \"profile\"\ntype = \"circle\"\nradius = 0.05\ncentre = [0.01, 0]\n";
  const Element cam = joint_of(
      "type = \"point-on-curve\"\nbetween = [\"a\", \"b\"]\ncurve = \"profile\"\nat = [2, 0]\n" +
      curve);
  expect_near(cam.sides[0].point, {0, 0, 0});
  expect_near(cam.sides[0].axis, {1, 0, 0});
  expect_near(cam.sides[1].point, {0, 0, 0});
  const auto profile = std::get<PlanarCurvePtr>(*cam.find("curve"));
  EXPECT_NEAR(profile->at(0).c.x(), 0.06, 1e-15);
  const Element pair = joint_of(
      "type = \"cam-cam\"\nbetween = [\"a\", \"b\"]\ncurves = [\"profile\", \"profile\"]\n" +
      curve);
  EXPECT_EQ(std::get<PlanarCurvePtr>(*pair.find("curve_i")),
            std::get<PlanarCurvePtr>(*pair.find("curve_j")));
}

const std::string pin =
    "[[joint]]\ntype = \"revolute\"\nname = \"pin\"\nbetween = [\"a\", \"b\"]\nat = [1, 2]\n";
const std::string slide =
    "[[joint]]\ntype = \"translational\"\nname = \"slide\"\nbetween = [\"ground\", \"b\"]\naxis = "
    "[1, 0]\n";

TEST(read_elements, driver_on_a_joint) {
  const Model m = read_good(two_bodies + pin + slide +
                            "[[driver]]\njoint = \"pin\"\nmotion = \"5 deg + 60 "
                            "rpm*t\"\n[[driver]]\njoint = \"slide\"\nmotion = 0.2\n");
  EXPECT_EQ(m.drivers[0].type, "angle");
  EXPECT_EQ(m.drivers[0].joint, "pin");
  expect_near(m.drivers[0].sides[1].point, m.joints[0].sides[1].point);
  const Jet c = std::get<FunctionPtr>(*m.drivers[0].find("motion"))->at(2);
  EXPECT_NEAR(c.f, std::numbers::pi / 36 + 4 * std::numbers::pi, 1e-13);
  EXPECT_NEAR(c.d, 2 * std::numbers::pi, 1e-14);
  EXPECT_EQ(c.dd, 0);
  EXPECT_EQ(m.drivers[1].type, "displacement");
  EXPECT_EQ(std::get<FunctionPtr>(*m.drivers[1].find("motion"))->at(5).f, 0.2);
}

TEST(read_elements, formulas_of_requests) {
  const Model m = read_good(two_bodies + pin + R"TOML(
[[force]]
type = "torque"
body = "b"
value = "-(2 N*m*s)*rate(power_angle) - (3 N*m)*sin(other) + 1 N*m*sin(2*t)"
[[request]]
name = "power_angle"
joint = "pin"
[[request]]
type = "expression"
name = "other"
value = "2*power_angle + rate(power_angle)*1 s"
)TOML");
  const Element& torque = m.forces.at(0);
  EXPECT_EQ(torque.inputs, (std::vector<int>{0, 1}));
  const auto& f = std::get<Expression>(*torque.find("value"));
  const std::vector<double> x{
      0.25, 0, 0, 7, 1.5, 0.3, 9};  // t, -, -, power_angle, its rate, other, its rate
  EXPECT_NEAR(f.value(x), -2 * 1.5 - 3 * std::sin(0.3) + std::sin(0.5), 1e-14);
  EXPECT_EQ(m.requests.at(1).inputs, (std::vector<int>{0}));
  const auto& g = std::get<Expression>(*m.requests[1].find("value"));
  EXPECT_NEAR(g.value(std::vector<double>{0, 0, 0, 0.4, 0.1}), 0.9, 1e-14);
}

TEST(read_elements, springs) {
  const Model m = read_good(two_bodies + R"TOML(
[[force]]
type = "spring"
name = "s"
between = ["ground", "b"]
points = [["400 mm", 0], [0, 0]]
stiffness = "2 N/mm"
damping = 5
free_length = "120 mm"
force = "1 N*length/1 m + (2 N*s/m)*rate"
[[force]]
type = "rotational-spring"
between = ["a", "b"]
stiffness = 10
torque = "3 N*m*angle"
[[force]]
type = "bushing"
between = ["a", "b"]
at = [1, 1]
stiffness = [1, 2, 3]
[[force]]
type = "force"
body = "b"
point = [1, 0]
frame = "body"
value = ["5 N", "t*1 N/s"]
)TOML");
  const Element& spring = m.forces[0];
  EXPECT_EQ(std::get<std::string>(*m.forces[3].find("frame")), "body");
  EXPECT_EQ(spring.number("stiffness"), 2000);
  EXPECT_EQ(spring.number("free_length"), 0.12);
  EXPECT_NEAR(
      std::get<Expression>(*spring.find("force")).value(std::vector<double>{0, 2, 3}), 8, 1e-14);
  EXPECT_EQ(m.forces[1].find("free_angle"), nullptr) << "taken from the pose";
  EXPECT_NEAR(std::get<Expression>(*m.forces[1].find("torque")).value(std::vector<double>{0, 2, 3}),
              6,
              1e-14);
  EXPECT_EQ(std::get<std::vector<double>>(*m.forces[2].find("stiffness")).size(), 3u);
  EXPECT_EQ(std::get<std::string>(*m.forces[3].find("frame")), "body");
  EXPECT_EQ(std::get<Expression>(*m.forces[3].find("fx")).value(std::vector<double>{7, 0, 0}), 5);
  EXPECT_EQ(std::get<Expression>(*m.forces[3].find("fy")).value(std::vector<double>{7, 0, 0}), 7);
  expect_near(m.forces[3].sides[0].point, {2, 1, 0});
}

TEST(read_elements, coordinates_of_points_in_formulas) {
  const Model m = read_good(two_bodies + R"TOML(
[[request]]
type = "point"
name = "first"
body = "a"
[[request]]
type = "point"
name = "tip"
body = "b"
[[force]]
type = "torque"
body = "b"
value = "(1 N)*tip.x + (2 N)*tip.y + (1 N*s)*rate(tip.y)"
)TOML");
  EXPECT_EQ(m.forces.at(0).inputs, (std::vector<int>{1, 3}))
      << "y of the second point comes behind all requests";
  const auto& f = std::get<Expression>(*m.forces[0].find("value"));
  EXPECT_NEAR(f.value(std::vector<double>{0, 0, 0, 3, 0, 5, 7}), 3 + 10 + 7, 1e-14);
}

TEST(read_elements, laws_of_springs) {
  const Model m = read_good(two_bodies + R"TOML(
[[curve]]
name = "valve"
type = "linear"
table = [[-1, "-50 N"], [0, 0], [1, "20 N"]]
outside = "extend"
[[force]]
type = "spring"
between = ["ground", "b"]
at = [[0, 0], [2, 0]]
spring = "(100 N/m^2)*length^2"
damper = "valve"
[[force]]
type = "rotational-spring"
between = ["a", "b"]
spring = "3 N*m*sin(angle)"
)TOML");
  EXPECT_NEAR(std::get<FunctionPtr>(*m.forces[0].find("spring"))->at(0.5).d, 100, 1e-12);
  EXPECT_NEAR(std::get<FunctionPtr>(*m.forces[0].find("damper"))->at(-2).f, -100, 1e-12);
  EXPECT_NEAR(
      std::get<FunctionPtr>(*m.forces[1].find("spring"))->at(0.5).f, 3 * std::sin(0.5), 1e-14);
}

TEST(read_elements, initial_conditions) {
  const Model m = read_good(two_bodies + pin + slide + R"TOML(
[[initial]]
joint = "pin"
angle = "30 deg"
rate = 2
[[initial]]
joint = "slide"
velocity = "3 m/s"
[[initial]]
body = "b"
x = 1
vy = 2
rate = 3
[[initial]]
body = "b"
point = [1, 0]
y = 4
[[initial]]
between = ["a", "b"]
points = [[0, 0], [1, 1]]
distance = 2
rate = "1 m/s"
[[initial]]
between = ["a", "b"]
angle = 0.5
)TOML");
  ASSERT_EQ(m.initial.size(), 8u);
  const char* types[] = {"angle", "displacement", "x", "y", "angle", "y", "distance", "angle"};
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(m.initial[k].type, types[k]) << k;
  EXPECT_NEAR(m.initial[0].number("value"), std::numbers::pi / 6, 1e-15);
  EXPECT_EQ(m.initial[0].number("rate"), 2);
  EXPECT_EQ(m.initial[1].number("rate"), 3);
  EXPECT_EQ(m.initial[1].find("value"), nullptr);
  EXPECT_EQ(m.initial[3].number("rate"), 2);
  EXPECT_EQ(m.initial[3].find("value"), nullptr);
  expect_near(m.initial[5].sides[1].point, {1, 0, 0});
  EXPECT_EQ(m.initial[6].number("rate"), 1);
}

}  // namespace
}  // namespace cardan
