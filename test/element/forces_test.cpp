// Planar forces: derivatives, potentials, power, outputs, and the spring of length zero.
#include <gtest/gtest.h>

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
    EXPECT_TRUE(std::holds_alternative<ForcePart>(set.add(type, spec, pose)));
  }
  return set;
}

struct Cubic final : Function {
  Jet at(double x) const override { return {2 * x * x * x - x, 6 * x * x - 1, 12 * x}; }
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
  spec.numbers = {{"body_fixed", {1}}};
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

}  // namespace
}  // namespace cardan::test
