// Systems of equations written as formulas.
#include "cardan/ode/formula_system.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "cardan/ode/study_differences.h"
#include "test/ode/sources.h"

namespace cardan {
namespace {

std::vector<NamedText> texts(const std::vector<std::string>& list) {
  std::vector<NamedText> out;
  for (const std::string& s : list) out.push_back({"", s, {}});
  return out;
}

std::unique_ptr<FormulaSystem> make(const std::vector<std::string>& equations,
                                    const std::vector<NamedText>& parameters = {}) {
  auto made = FormulaSystem::make(texts(equations), parameters);
  if (!made) {
    ADD_FAILURE() << to_text(made.why().front());
    return nullptr;
  }
  return std::move(made).value();
}

std::vector<std::string> ids(const std::vector<std::string>& equations,
                             const std::vector<NamedText>& parameters = {}) {
  const auto made = FormulaSystem::make(texts(equations), parameters);
  std::vector<std::string> out;
  if (!made) {
    for (const Diagnostic& d : made.why()) out.push_back(d.id);
  }
  return out;
}

TEST(FormulaSystem, ReadsFirstAndSecondOrder) {
  const auto mixed = make({"x'' = -k*x - 0.1*x' + z", "z' = -2*z + t"}, {{"k", "4", {}}});
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->names(), (std::vector<std::string>{"x", "z", "x'"}));
  EXPECT_EQ(mixed->second_order(), nullptr);
  const std::vector<double> y{1, 2, 3};
  std::vector<double> dy(3);
  ASSERT_EQ(mixed->f(0.5, y, dy), Eval::ok);
  EXPECT_DOUBLE_EQ(dy[0], 3);
  EXPECT_DOUBLE_EQ(dy[1], -3.5);
  EXPECT_DOUBLE_EQ(dy[2], -4 - 0.3 + 2);
}

TEST(FormulaSystem, DividesByAFactorOnTheLeft) {
  const auto mass = make({"2*(m + 1)*x'' = -k*x + x'"}, {{"k", "4", {}}, {"m", "3", {}}});
  ASSERT_TRUE(mass);
  const std::vector<double> y{1, 2};
  std::vector<double> dy(2);
  ASSERT_EQ(mass->f(0, y, dy), Eval::ok);
  EXPECT_DOUBLE_EQ(dy[1], -2.0 / 8);
}

TEST(FormulaSystem, KnowsPositionsAndVelocities) {
  const auto pendulum = make({"a'' = -sin(a) - c*a'", "b'' = a - b"}, {{"c", "1/10", {}}});
  ASSERT_TRUE(pendulum && pendulum->second_order());
  const std::vector<double> q{1, 2}, v{3, 4};
  std::vector<double> a(2);
  ASSERT_EQ(pendulum->second_order()->evaluate(0, q, v, a), Eval::ok);
  EXPECT_DOUBLE_EQ(a[0], -std::sin(1.0) - 0.3);
  EXPECT_DOUBLE_EQ(a[1], -1);
  EXPECT_EQ(pendulum->stats().f, 1) << "counted with the first-order form";
  for (const char* method : {"newmark", "verlet", "generalized-alpha"}) {
    EXPECT_TRUE(make_method(method, {}, *pendulum)) << method;
  }
}

TEST(FormulaSystem, PutsDefinitionsIn) {
  const auto orbit = make({"r = hypot(x, y)", "k = 1/r^3", "x'' = -k*x", "y'' = -k*y"});
  ASSERT_TRUE(orbit);
  std::vector<double> dy(4);
  ASSERT_EQ(orbit->f(0, std::vector<double>{3, 4, 0, 0}, dy), Eval::ok);
  EXPECT_DOUBLE_EQ(dy[2], -3.0 / 125);
  EXPECT_DOUBLE_EQ(dy[3], -4.0 / 125);
}

TEST(FormulaSystem, HasExactDerivatives) {
  const auto system = make({"x'' = -x*x' + sin(t*z)", "z' = x^2*z - exp(-t)"});
  ASSERT_TRUE(system);
  const std::vector<double> y{0.7, -0.4, 1.3};
  const double t = 0.9;
  std::vector<double> J(9), f(3), f_t(3), up(3), down(3);
  ASSERT_TRUE(system->jacobian(t, y, J));
  ASSERT_EQ(system->f(t, y, f), Eval::ok);
  ASSERT_EQ(system->f_t(t, y, f, 0.1, f_t), Eval::ok);
  constexpr double step = 1e-6;
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<double> x = y;
    x[j] += step;
    ASSERT_EQ(system->f(t, x, up), Eval::ok);
    x[j] -= 2 * step;
    ASSERT_EQ(system->f(t, x, down), Eval::ok);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(J[j * 3 + i], (up[i] - down[i]) / (2 * step), 1e-8);
    }
  }
  ASSERT_EQ(system->f(t + step, y, up), Eval::ok);
  ASSERT_EQ(system->f(t - step, y, down), Eval::ok);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(f_t[i], (up[i] - down[i]) / (2 * step), 1e-8);
}

TEST(FormulaSystem, TellsWhatIsWrong) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids({"x' = x", "x' = 2"}), Ids{"model.duplicate-name"});
  EXPECT_EQ(ids({"x' = y"}), Ids{"model.unknown-name"});
  EXPECT_EQ(ids({"x' = x +"}), Ids{"syntax.expression"});
  EXPECT_EQ(ids({"x''' = x"}), Ids{"syntax.expression"});
  EXPECT_EQ(ids({"2 = x"}), Ids{"syntax.expression"});
  EXPECT_EQ(ids({"nothing"}), Ids{"syntax.expression"});
  EXPECT_EQ(ids({}), Ids{"model.empty"});
  EXPECT_EQ(ids({"t' = 1"}), Ids{"model.duplicate-name"});
  EXPECT_EQ(ids({"x' = x"}, {{"x", "3", {}}}), Ids{"model.duplicate-name"});
  EXPECT_EQ(ids({"x' = k*x"}, {{"k", "2*q", {}}})[0], "model.unknown-name");
  EXPECT_EQ(ids({"x' = -x'"})[0], "model.unknown-name") << "a rate that its own equation gives";
}

// Table 7.4.5 of document 000: Adams-Bashforth of rising order on x' = x with h = 0.1.
TEST(DifferenceTable, OfDocument000) {
  const auto system = make({"x' = x"});
  const auto& columns = test::sources()["000"]["7.4.5"]["values_columns_t0_to_t4"];
  std::vector<std::pair<double, std::vector<double>>> points;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    points.push_back({0.1 * static_cast<double>(i), {test::number(columns[i][0])}});
  }
  const auto rows = difference_table(*system, points, 5);
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].differences.size(), i + 1);
    EXPECT_EQ(rows[i].order, static_cast<int>(i) + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(rows[i].differences[j][0], test::number(columns[i][j]), 1e-14);
    }
  }
  // order 3 at t = 0.3: predictor h gamma_3 nabla^3 f = 0.1 * 3/8 * -0.002125; the corrector's
  // from f at the predicted point
  const auto third = difference_table(*system, points, 3);
  EXPECT_NEAR(third[3].predictor_error[0], 0.1 * 3 / 8 * -0.002125, 1e-16);
  const double predicted = 1.342875 + 0.1 * (1.342875 + 0.127875 / 2 + 0.012875 * 5 / 12);
  const double d1 = predicted - 1.342875, d2 = d1 - 0.127875, d3 = d2 - 0.012875,
               d4 = d3 + 0.002125;
  EXPECT_NEAR(third[3].corrector_error[0], 0.1 * -19 / 720 * d4, 1e-16);
  EXPECT_TRUE(third[0].predictor_error.empty());
}

}  // namespace
}  // namespace cardan
