// Every option reaches the methods of its row in the table, and every other method refuses it.
#include "cardan/ode/method_options.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "test/ode/exact_problems.h"

namespace cardan {
namespace {

using namespace test;

// x'' = -x + x^2 / 5 - x' / 10: every option changes what is found of it.
std::unique_ptr<OwnedMotion> swing() {
  return std::make_unique<OwnedMotion>(
      1, [](double, CView q, CView v, View a) { a[0] = -q[0] + 0.2 * q[0] * q[0] - 0.1 * v[0]; });
}

MethodOptions with(std::string_view option, std::string_view method) {
  MethodOptions o;
  o.order = method == "pece" || method == "mampc" || method == "bdf-fixed" ? 3 : 0;
  if (option == "alpha") o.alpha = method == "rk2" ? 0.9 : -0.2;
  if (option == "beta") o.beta = 0.4;
  if (option == "gamma") o.gamma = 0.7;
  if (option == "rho_infinity") o.rho_infinity = 0.3;
  if (option == "start") o.start = "self";
  if (option == "variant")
    o.variant = method == "pece"    ? "print"
                : method == "bdf"   ? "ndf"
                : method == "mampc" ? "direct"
                                    : "notes";
  if (option == "variant" && method == "pece") o.start = "self";  // where the variants differ
  return o;
}

double end_of_run(std::string_view name, const MethodOptions& options) {
  auto problem = swing();
  auto made = make_method(name, options, *problem);
  if (!made) {
    ADD_FAILURE() << to_text(made.why().front());
    return 0;
  }
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = 1e-5;
  IntegratorOptions run;
  run.step = 0.1;
  Integrator integrator(std::move(made).value(), tolerance, run);
  EXPECT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
  integrator.advance(2);
  return integrator.y()[0];
}

TEST(MethodOptionTable, EveryOptionReachesItsMethods) {
  for (const MethodOption& option : method_option_table()) {
    for (const std::string_view method : option.methods) {
      ASSERT_NE(find_method(method), nullptr) << method;
      const MethodOptions given = with(option.name, method);
      EXPECT_TRUE(option.given(given)) << option.name;
      EXPECT_FALSE(foreign_options(method, given)) << method;
      MethodOptions usual;
      usual.order = given.order;
      if (option.name != "start") usual.start = given.start;
      EXPECT_FALSE(option.given(usual)) << option.name;
      const double one = end_of_run(method, given), other = end_of_run(method, usual);
      if (option.name == "variant" && method == "mampc")
        EXPECT_NEAR(one, other, 1e-12);  // two forms of the same mean
      else
        EXPECT_NE(one, other) << option.name << " of " << method;
    }
  }
}

TEST(MethodOptionTable, EveryOtherMethodRefusesIt) {
  for (const MethodOption& option : method_option_table()) {
    for (const MethodEntry* method : list_methods()) {
      const auto& of = option.methods;
      if (std::find(of.begin(), of.end(), method->name) != of.end()) continue;
      auto problem = swing();
      const auto made = make_method(method->name, with(option.name, method->name), *problem);
      ASSERT_FALSE(made) << option.name << " of " << method->name;
      EXPECT_EQ(made.why().front().id, "model.unknown-option");
      EXPECT_NE(made.why().front().hint.find(of.front()), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace cardan
