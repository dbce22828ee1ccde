// Constant forces and actuators that follow their own length or angle have a potential, the same in
// motions and equilibria. What follows time, rates or other motions is work.
#include <cmath>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

Model text_model(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
  return model ? std::move(model).value() : Model{};
}

struct Finished {
  Outcome out;
  Memory rows;
};

Finished run(const Model& model) {
  Finished r;
  r.out = run_model(model, r.rows, {});
  EXPECT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  return r;
}

// A carriage on a guide, a bar that turns on it, and what acts on them.
std::string carriage(const std::string& analysis) {
  return R"toml(
gravity = [0, 0]
[[body]]
name = "carriage"
at = ["0.3 m", 0]
mass = "2 kg"
inertia = "1 kg*m^2"
[[body]]
name = "bar"
at = ["0.3 m", 0]
angle = "20 deg"
mass = "1 kg"
inertia = "0.2 kg*m^2"
centre = ["0.5 m", 0]
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "carriage"]
at = [0, 0]
axis = [1, 0]
[[joint]]
type = "revolute"
name = "pin"
between = ["carriage", "bar"]
at = ["0.3 m", 0]
[[force]]
type = "force"
name = "push"
body = "bar"
point = ["1 m", 0]
value = ["3 N", "-2 N"]
[[force]]
type = "spring"
name = "gas"
between = ["ground", "carriage"]
points = [["-1 m", 0], [0, 0]]
force = "(20*(length/1m)^3 - 5*(length/1m)^2 - 12)*1 N"
[[force]]
type = "rotational-spring"
name = "hinge"
between = ["carriage", "bar"]
torque = "(4*angle + angle^3)*1 N*m"
[[force]]
type = "torque"
name = "twist"
between = ["carriage", "bar"]
value = "0.5 N*m"
)toml" + analysis;
}

double gas(double from, double to) {  // integral of 20 l^3 - 5 l^2 - 12
  const auto F = [](double l) {
    return 5 * l * l * l * l - 5 * l * l * l / 3 - 12 * l;
  };
  return F(to) - F(from);
}

double potential(double x, double angle) {
  const double drawn = 20 * std::acos(-1.0) / 180;
  const double reach_x = x + std::cos(angle), reach_y = std::sin(angle);
  const auto hinge = [](double a) {
    return 2 * a * a + a * a * a * a / 4;
  };
  return -3 * reach_x + 2 * reach_y + gas(1.3, 1 + x) + hinge(angle) - hinge(drawn) - 0.5 * angle;
}

TEST(ForcePotentials, MotionsShowThemAndBalance) {
  for (const char* formulation : {"reduced", "projected", "partitioned", "ggl"}) {
    SCOPED_TRACE(formulation);
    Model model =
        text_model(carriage("[[analysis]]\ntype = \"dynamic\"\nuntil = 2\n"
                            "rtol = 1e-9\natol = 1e-11\noutput_step = 0.05\n"));
    test::dynamic(model).formulation = formulation;
    const Finished r = run(model);
    for (std::size_t k = 0; k < r.rows.rows.size(); ++k) {
      EXPECT_NEAR(r.rows.value("energy.potential", k),
                  potential(r.rows.value("carriage.x", k), r.rows.value("bar.angle", k)),
                  1e-11);
      EXPECT_EQ(r.rows.value("energy.applied", k), 0);
    }
    EXPECT_GT(r.rows.last("energy.kinetic"), 0.1);
    EXPECT_LT(r.out.summary.energy.max_imbalance, 1e-6);
  }
}

// The equilibrium's potential, its rows' and those of a motion that begins there are one number.
TEST(ForcePotentials, EquilibriaAndMotionsShowTheSame) {
  const Finished r = run(text_model(carriage(
      "[[analysis]]\ntype = \"equilibrium\"\n[[analysis]]\ntype = \"dynamic\"\nuntil = 1\n")));
  const Summary& still = r.out.summary.earlier.front();
  ASSERT_EQ(still.equilibria.size(), 1u);
  const double x = r.rows.last("carriage.x"), angle = r.rows.last("bar.angle");
  EXPECT_NEAR(still.equilibria[0].potential, potential(x, angle), 1e-10);
  EXPECT_NEAR(r.rows.value("energy.potential", 0), still.equilibria[0].potential, 1e-10);
  EXPECT_NEAR(r.rows.last("energy.potential"), still.equilibria[0].potential, 1e-10);
  const auto slope = [&](double dx, double da) {
    constexpr double h = 1e-5;
    return (potential(x + h * dx, angle + h * da) - potential(x - h * dx, angle - h * da)) /
           (2 * h);
  };
  EXPECT_NEAR(slope(1, 0), 0, 1e-8);
  EXPECT_NEAR(slope(0, 1), 0, 1e-8);
}

// Several states at once: the method that evaluates eight of them has its own sums.
TEST(ForcePotentials, WhatEvaluatesSeveralStatesBooksTheSame) {
  const std::string text = R"toml(
[[body]]
name = "bar"
angle = "30 deg"
mass = "1 kg"
inertia = "0.2 kg*m^2"
centre = ["0.5 m", 0]
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [0, 0]
[[force]]
type = "torque"
name = "motor"
body = "bar"
value = "VALUE"
[[analysis]]
type = "dynamic"
until = 3
formulation = "reduced"
integrator = "gauss-simd"
)toml";
  const auto with = [&](const std::string& value) {
    std::string own = text;
    return run(text_model(own.replace(own.find("VALUE"), 5, value)));
  };
  const Finished constant = with("2 N*m"), over_time = with("2 N*m*(1 + 0*t/1s)");
  const double turned = constant.rows.last("bar.angle");
  EXPECT_GT(std::abs(turned), 1);
  EXPECT_EQ(constant.rows.last("energy.applied"), 0);
  EXPECT_NEAR(over_time.rows.last("energy.applied"),
              2 * (over_time.rows.last("bar.angle") - std::acos(-1.0) / 6),
              1e-5);
  EXPECT_NEAR(constant.rows.last("energy.potential") - over_time.rows.last("energy.potential"),
              -2 * turned,
              1e-4);
  EXPECT_LT(constant.out.summary.energy.max_imbalance, 1e-4);
}

}  // namespace
}  // namespace cardan
