// What forces, requests and drivers depend on is asked of their formulas: also where a condition
// hides a term at the start, and through requests that use each other.
#include <gtest/gtest.h>

#include "cardan/system/system.h"
#include "test/io/read_text.h"

namespace cardan {
namespace {

System compiled(const std::string& text) {
  const Model model = read_good(text);
  auto system = compile(model);
  if (!system)
    for (const auto& d : system.why()) ADD_FAILURE() << to_text(d);
  return std::move(system).value();
}

// A mass in a guide, with forces that the test adds.
std::string guided(const std::string& more) {
  return R"toml(
gravity = [0, -9.81]
[[body]]
name = "mass"
at = [0, 0]
mass = 1
inertia = 1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "mass"]
axis = [1, 0]
)toml" + more;
}

std::string spring(const std::string& keys) {
  return "[[force]]\ntype = \"spring\"\nname = \"s\"\nbetween = [\"ground\", \"mass\"]\n"
         "points = [[-1, 0], [0, 0]]\n" +
         keys;
}

TEST(Dependence, of_springs_and_dampers) {
  const auto of = [](const std::string& keys) {
    return compiled(guided(spring(keys))).forces()[0].dependence;
  };
  EXPECT_EQ(of("stiffness = 100"), (Dependence{.positions = true}));
  EXPECT_EQ(of("stiffness = 100\ndamping = 0"), (Dependence{.positions = true}));
  EXPECT_EQ(of("stiffness = 100\ndamping = 2"), (Dependence{.positions = true, .rates = true}));
  EXPECT_EQ(of("damper = \"3 N*s/m*rate\""), (Dependence{.positions = true, .rates = true}));
  EXPECT_EQ(of("damper = \"3 N\""), (Dependence{.positions = true}));
  EXPECT_EQ(of("force = \"3*t\""), (Dependence{.time = true, .positions = true}));
  EXPECT_EQ(of("force = \"if(t > 0.5, 4*rate, 0)\""),
            (Dependence{.time = true, .positions = true, .rates = true, .conditions = true}));
}

TEST(Dependence, runs_through_requests) {
  const System system = compiled(guided(R"toml(
[[request]]
type = "x"
name = "place"
body = "mass"
[[request]]
type = "expression"
name = "doubled"
value = "2*place"
[[request]]
type = "expression"
name = "clock"
value = "3*t"
[[request]]
type = "expression"
name = "speed"
value = "rate(doubled)"
[[force]]
type = "force"
name = "by place"
body = "mass"
value = ["doubled*1 N/m", 0]
[[force]]
type = "force"
name = "by speed"
body = "mass"
value = ["speed*1 N*s/m", "clock*1 N/s"]
)toml"));
  const Dependence position{.positions = true}, rate{.positions = true, .rates = true},
      time{.time = true};
  EXPECT_EQ(system.requests()[0].value, position);
  EXPECT_EQ(system.requests()[0].rate, rate);
  EXPECT_EQ(system.requests()[1].value, position);
  EXPECT_EQ(system.requests()[1].rate, rate);
  EXPECT_EQ(system.requests()[2].value, time);
  EXPECT_EQ(system.requests()[3].value, rate);
  EXPECT_EQ(system.forces()[0].dependence, position);
  EXPECT_EQ(system.forces()[1].dependence,
            (Dependence{.time = true, .positions = true, .rates = true}));
  EXPECT_TRUE(system.force_dependence().rates);
  EXPECT_TRUE(system.depends_on_time());
}

TEST(Dependence, of_drivers_contacts_and_friction) {
  const std::string driver = "[[driver]]\njoint = \"guide\"\nmotion = ";
  EXPECT_FALSE(compiled(guided("")).depends_on_time());
  EXPECT_FALSE(compiled(guided(driver + "0.2")).depends_on_time());
  const System moved = compiled(guided(driver + "\"0.1*t\""));
  EXPECT_TRUE(moved.depends_on_time());
  EXPECT_TRUE(moved.constraints()[1].dependence.time);
  EXPECT_FALSE(moved.constraints()[0].dependence.time);
  const std::string stop = "[[stop]]\njoint = \"guide\"\nupper = 1\nstiffness = 1000\n";
  EXPECT_FALSE(compiled(guided(stop)).force_dependence().rates);
  EXPECT_TRUE(compiled(guided(stop + "damping = 1\n")).force_dependence().rates);
  const System rubbing = compiled(R"toml(
[[body]]
name = "mass"
mass = 1
inertia = 1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "mass"]
axis = [1, 0]
friction = 0.2
)toml");
  EXPECT_EQ(rubbing.force_dependence(),
            (Dependence{.positions = true, .rates = true, .reactions = true}));
}

// In space the gyroscopic torque, which is of inertia, is not an applied force.
TEST(Dependence, leaves_inertia_out) {
  const std::string body = R"toml(
space = "spatial"
[[body]]
name = "top"
mass = 1
inertia = [1, 2, 3]
)toml";
  EXPECT_EQ(compiled(body).force_dependence(), Dependence{});
  const System system = compiled(body + R"toml(
[[force]]
type = "torque"
name = "motor"
body = "top"
value = [0, 0, "if(t > 0.5, 1, 0)"]
)toml");
  EXPECT_EQ(system.force_dependence(),
            (Dependence{.time = true, .positions = true, .conditions = true}));
}

}  // namespace
}  // namespace cardan
