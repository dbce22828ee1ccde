// Planar forces: derivatives, potentials, power, outputs, and the spring of length zero.
#include <gtest/gtest.h>

#include "cardan/element/force/force_law.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;

ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.3, -0.7, 0}, {0.6, 0.9, 0}};
  spec.ends[1] = {j, {-0.4, 0.2, 0}, {-0.3, 0.5, 0}};
  return spec;
}

const std::vector<double> pose{0.1, -0.2, 0.3, 1.1, 0.7, -2.2};

Expression formula(std::string_view text) {
  Scope scope;
  for (const char* name : {"t", "length", "rate", "a", "a_rate", "b", "b_rate"})
    scope.variables.push_back({name, {}});
  auto parsed = Expression::parse(text, scope, {});
  EXPECT_TRUE(parsed) << text;
  return parsed.value();
}

ForceSet force_set(std::string_view type, ElementSpec spec) {
  ForceSet set(2);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    spec.ends[0].body = i;
    spec.ends[1].body = j;
    EXPECT_TRUE(set.add(type, spec, pose));
  }
  return set;
}

struct Cubic final : Function {
  Jet at(double x) const override { return {2 * x * x * x - x, 6 * x * x - 1, 12 * x}; }

  bool constant() const override { return false; }
};

TEST(ForceDerivatives, gravity) {
  ForceSet set(2);
  set.add_gravity({1.5, -9.81, 0}, std::vector<double>{2, 3});
  check_forces(set, 2);
}

TEST(ForceDerivatives, force_in_ground_axes) {
  ElementSpec spec = between(0, 1);
  spec.inputs = {2, 0};
  spec.formulas = {{"fx", formula("3*sin(t) + a*b_rate")}, {"fy", formula("2 + a_rate^2*b")}};
  check_forces(force_set("force", spec), 2, 3);
}

TEST(ForceDerivatives, force_in_body_axes) {
  ElementSpec spec = between(0, 1);
  spec.inputs = {1, 2};
  spec.choices = {{"frame", "body"}};
  spec.formulas = {{"fx", formula("3*sin(t) + a*b_rate")}, {"fy", formula("2 + a_rate^2*b")}};
  check_forces(force_set("force", spec), 2, 3);
}

TEST(ForceDerivatives, torque) {
  ElementSpec spec = between(0, 1);
  spec.inputs = {1, 2};
  spec.formulas = {{"value", formula("cos(t) + a*b_rate")}};
  check_forces(force_set("torque", spec), 2, 3);
}

TEST(ForceDerivatives, linear_spring) {
  ElementSpec spec = between(0, 1);
  spec.numbers = {{"stiffness", {3}}, {"damping", {0.7}}, {"free_length", {0.9}}};
  check_forces(force_set("spring", spec), 2);
}

TEST(ForceDerivatives, spring_of_curves_with_actuator) {
  ElementSpec spec = between(0, 1);
  spec.inputs = {1};
  spec.functions = {{"spring", std::make_shared<Cubic>()}, {"damper", std::make_shared<Cubic>()}};
  spec.formulas = {{"force", formula("length^2*rate + sin(t)*a - a_rate")}};
  check_forces(force_set("spring", spec), 2, 2);
}

TEST(ForceDerivatives, rotational_spring) {
  ElementSpec spec = between(0, 1);
  spec.numbers = {{"stiffness", {3}}, {"damping", {0.7}}};
  spec.functions = {{"spring", std::make_shared<Cubic>()}};
  spec.formulas = {{"torque", formula("length*rate + sin(t)")}};
  check_forces(force_set("rotational-spring", spec), 2);
}

TEST(ForceDerivatives, bushing) {
  ElementSpec spec = between(0, 1);
  spec.numbers = {{"stiffness", {3, 5, 2}}, {"damping", {0.7, 0.4, 0.2}}};
  check_forces(force_set("bushing", spec), 2);
}

// Forces that follow positions alone have a potential and no power; check_forces compares the two
// with what the forces do.
TEST(ForceDerivatives, forces_with_a_potential) {
  const std::vector<double> v{0.4, -0.7, 1.3, 0.2, 0.9, -0.6};
  const auto check = [&](std::string_view type, const ElementSpec& spec, bool stored) {
    SCOPED_TRACE(type);
    const ForceSet set = force_set(type, spec);
    check_forces(set, 2, 3);
    const std::vector<double> some{0.3, 0.5, 0.7};
    const double power = set.pool(0).power({0.4, pose, v}, {some, some});
    EXPECT_EQ(power == 0, stored) << power;
  };
  const auto with = [](std::string_view key, std::string_view text) {
    ElementSpec spec = between(0, 1);
    spec.inputs = {2, 0};
    spec.numbers = {{"stiffness", {3}}, {"free_length", {0.9}}, {"free_angle", {0.2}}};
    spec.formulas = {{std::string(key), formula(text)}};
    return spec;
  };
  ElementSpec constant = with("fx", "3");
  constant.formulas.emplace_back("fy", formula("-2*pi"));
  check("force", constant, true);
  check("torque", with("value", "4"), true);
  check("spring", with("force", "5"), true);
  check("spring", with("force", "length^3 - 2*length"), true);
  check("rotational-spring", with("torque", "3*cos(2*length)"), true);
  constant.formulas.back().second = formula("sin(t)*a");  // one of two components
  check("force", constant, false);
  constant.formulas.back().second = formula("-2");
  constant.choices = {{"frame", "body"}};  // it turns with the body
  check("force", constant, false);
  for (const std::string_view text : {"length*t", "length + rate", "length + 0*t + b", "a"})
    check("spring", with("force", text), false);
  check("torque", with("value", "4 + a"), false);
}

// A quadrature from the free length could pass over what is narrow, or a pole.
TEST(Forces, an_actuator_that_may_be_narrow_is_power) {
  for (const char* text : {"1/(length - 0.3)",
                           "exp(-((length - 0.5)/0.001)^2)",
                           "step(length, 0.4, 0, 0.401, 1)",
                           "if(length > 0.5, 1, 0)",
                           "length^0.5"}) {
    ElementSpec spec = between(-1, 1);
    spec.numbers = {{"free_length", {0.2}}};
    spec.formulas = {{"force", formula(text)}};
    ForceSet set(2);
    std::ignore = set.add("spring", spec, pose);
    const std::vector<double> v{0.4, -0.7, 1.3, 0.2, 0.9, -0.6};
    const double power = set.pool(0).power({0, pose, v}, {});
    std::vector<double> out(3);
    set.pool(0).output({0, pose, v}, {}, 0, out);
    EXPECT_NEAR(power, -formula(text).value(std::vector<double>{0, out[0]}) * out[1], 1e-12)
        << text;
    EXPECT_EQ(set.pool(0).potential({0, pose}), 0) << text;
  }
}

VectorXd force(const ForcePool& pool,
               const std::vector<double>& q,
               const std::vector<double>& v,
               double t = 0) {
  VectorXd Q = VectorXd::Zero(static_cast<Eigen::Index>(v.size()));
  pool.add_Q({t, q, v}, {}, {Q.data(), v.size()});
  return Q;
}

const std::vector<double> velocity{0.4, -0.7, 1.3, 0.2, 0.9, -0.6};

std::vector<double> outputs(const ForcePool& pool, int element, double t = 0) {
  std::vector<double> out(pool.outputs().size());
  pool.output({t, pose, velocity}, {}, element, out);
  return out;
}

TEST(Forces, name_and_unit_every_output) {
  for (const std::string& type : type_names(Kind::force)) {
    ForceSet set = force_set(type, between(0, 1));
    const ForcePool& pool = set.pool(0);
    EXPECT_EQ(pool.type(), type);
    EXPECT_EQ(pool.outputs().size(), pool.output_units().size());
    EXPECT_FALSE(pool.outputs().empty());
    for (const double x : outputs(pool, 0)) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(Forces, spring_pulls_its_ends_together) {
  ElementSpec spec;
  spec.ends[0] = {-1, {1, 0, 0}, {1, 0, 0}};
  spec.ends[1] = {0, {0, 0, 0}, {1, 0, 0}};
  spec.numbers = {{"stiffness", {100}}, {"damping", {5}}, {"free_length", {2}}};
  ForceSet set(2);
  std::ignore = set.add("spring", spec, std::vector<double>(3, 0.0));
  const std::vector<double> q{4, 4, 0.3}, v{0.3, 0.4, 9};  // length 5, growing at 0.5
  const VectorXd Q = force(set.pool(0), q, v);
  const double tension = 100 * 3 + 5 * 0.5;
  EXPECT_NEAR(Q[0], -0.6 * tension, 1e-12);
  EXPECT_NEAR(Q[1], -0.8 * tension, 1e-12);
  EXPECT_NEAR(Q[2], 0, 1e-12);
  std::vector<double> out(3);
  set.pool(0).output({0, q, v}, {}, 0, out);
  EXPECT_NEAR(out[0], 5, 1e-14);
  EXPECT_NEAR(out[1], 0.5, 1e-14);
  EXPECT_NEAR(out[2], tension, 1e-12);
  EXPECT_NEAR(set.pool(0).potential({0, q}), 450, 1e-12);
  EXPECT_NEAR(set.pool(0).dissipation({0, q, v}, {}), 5 * 0.25, 1e-14);
  EXPECT_NEAR(set.pool(0).power({0, q, v}, {}), -5 * 0.25, 1e-14);
}

TEST(Forces, free_length_and_angle_default_to_the_pose) {
  for (const std::string_view type : {"spring", "rotational-spring"}) {
    ElementSpec spec = between(0, 1);
    spec.numbers = {{"stiffness", {100}}};
    ForceSet set(2);
    std::ignore = set.add(type, spec, pose);
    EXPECT_EQ(set.pool(0).potential({0, pose}), 0);
    EXPECT_EQ(force(set.pool(0), pose, velocity).norm(), 0);
  }
}

TEST(Forces, spring_without_length_has_no_direction) {
  ElementSpec spec;
  spec.ends[0].body = -1;
  spec.ends[1].body = 0;
  spec.numbers = {{"stiffness", {7}}, {"damping", {2}}, {"free_length", {0}}};
  ForceSet set(2);
  std::ignore = set.add("spring", spec, std::vector<double>(3, 0.0));
  const std::vector<double> q(3, 0.0), v{1, 2, 3};
  EXPECT_EQ(force(set.pool(0), q, v).norm(), 0);
  for (const double x : [&] {
         std::vector<double> out(3);
         set.pool(0).output({0, q, v}, {}, 0, out);
         return out;
       }())
    EXPECT_TRUE(std::isfinite(x));
  // Its stiffness is that of a spring in all directions.
  Eigen::Matrix3d Q_q = Eigen::Matrix3d::Zero();
  const std::array<Slot, 4> slots{Slot{}, Slot{}, Slot{}, Slot{0, 3}};
  set.pool(0).add_Q_q({0, q, v}, {}, 1, {Q_q.data(), slots});
  EXPECT_NEAR(Q_q(0, 0), -7, 1e-14);
  EXPECT_NEAR(Q_q(1, 1), -7, 1e-14);
  EXPECT_TRUE(Q_q.allFinite());
}

TEST(Forces, act_and_react) {
  const Expression value = formula("1 + t");
  for (const std::string& type : type_names(Kind::force)) {
    ElementSpec spec = between(0, 1);
    spec.ends[1].point = spec.ends[0].point;
    spec.numbers = {{"stiffness", {3, 4, 5}},
                    {"damping", {0.1, 0.2, 0.3}},
                    {"free_length", {0.5}},
                    {"free_angle", {0.2}}};
    spec.formulas = {
        {"fx", value}, {"fy", value}, {"value", value}, {"force", value}, {"torque", value}};
    ForceSet set(2);
    std::ignore = set.add(type, spec, pose);
    const VectorXd Q = force(set.pool(0), pose, velocity, 0.3);
    EXPECT_GT(Q.norm(), 0.1) << type;
    EXPECT_NEAR(Q[0] + Q[3], 0, 1e-14) << type;
    EXPECT_NEAR(Q[1] + Q[4], 0, 1e-14) << type;
    if (type == "force") continue;  // acts at two points that have come apart
    const double moment =
        Q[2] + Q[5] + pose[0] * Q[1] - pose[1] * Q[0] + pose[3] * Q[4] - pose[4] * Q[3];
    EXPECT_NEAR(moment, 0, 1e-14) << type;
  }
}

TEST(Forces, springs_do_not_care_which_end_is_first) {
  ElementSpec spec = between(0, 1);
  spec.numbers = {{"stiffness", {3}}, {"damping", {0.1}}, {"free_length", {0.5}}};
  ForceSet set(2), swapped(2);
  std::ignore = set.add("spring", spec, pose);
  std::swap(spec.ends[0], spec.ends[1]);
  std::ignore = swapped.add("spring", spec, pose);
  EXPECT_EQ(force(set.pool(0), pose, velocity), force(swapped.pool(0), pose, velocity));
}

TEST(Forces, torque_turns_the_second_body_on) {
  ElementSpec spec = between(-1, 0);
  spec.formulas = {{"value", formula("3 + t")}};
  ForceSet set(2);
  std::ignore = set.add("torque", spec, pose);
  EXPECT_EQ(force(set.pool(0), pose, velocity, 2)[2], 5);
  EXPECT_EQ(outputs(set.pool(0), 0, 2)[0], 5);
  EXPECT_DOUBLE_EQ(set.pool(0).power({2, pose, velocity}, {}), 5 * velocity[2]);
}

TEST(Forces, potential_of_a_spring_curve) {
  struct Kinked final : Function {  // slope 1, and 10 beyond 0.3

    Jet at(double x) const override {
      return {x < 0.3 ? x : 0.3 + 10 * (x - 0.3), x < 0.3 ? 1.0 : 10.0, 0};
    }

    bool constant() const override { return false; }
  };

  const Kinked f;
  EXPECT_NEAR(integral(f, 0, 1), 0.5 * 0.09 + 0.7 * 0.3 + 5 * 0.49, 1e-12);
  EXPECT_NEAR(integral(f, 1, 0), -integral(f, 0, 1), 1e-12);
  EXPECT_NEAR(integral(Cubic(), -1, 2), 0.5 * 15 - 0.5 * 3, 1e-13);
}

TEST(Forces, unknown_types_and_too_many_inputs) {
  ForceSet set(2);
  EXPECT_THROW(std::ignore = set.add("magic", between(0, 1), pose), std::invalid_argument);
  ElementSpec spec = between(0, 1);
  spec.inputs.assign(33, 0);
  EXPECT_FALSE(set.add("torque", spec, pose));
}

}  // namespace
}  // namespace cardan::test
