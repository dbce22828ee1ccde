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

// The derivative of f along a change of t and y, by differences.
std::vector<double> slope(FormulaSystem& system, double t, std::vector<double> y, int component) {
  constexpr double step = 1e-6;
  std::vector<double> up(y.size()), down(y.size());
  double& x = component < 0 ? t : y[static_cast<std::size_t>(component)];
  x += step;
  EXPECT_EQ(system.f(t, y, up), Eval::ok);
  x -= 2 * step;
  EXPECT_EQ(system.f(t, y, down), Eval::ok);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = (up[i] - down[i]) / (2 * step);
  return up;
}

TEST(FormulaSystem, HasExactDerivatives) {
  const auto system = make({"x'' = -x*x' + sin(t*z)", "z' = x^2*z - exp(-t)"});
  ASSERT_TRUE(system);
  const std::vector<double> y{0.7, -0.4, 1.3};
  const double t = 0.9;
  std::vector<double> J(9), f(3), f_t(3);
  ASSERT_TRUE(system->jacobian(t, y, J));
  ASSERT_EQ(system->f(t, y, f), Eval::ok);
  ASSERT_EQ(system->f_t(t, y, f, 0.1, f_t), Eval::ok);
  for (int j = 0; j < 3; ++j) {
    const std::vector<double> by_y = slope(*system, t, y, j);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(J[static_cast<std::size_t>(j) * 3 + i], by_y[i], 1e-8);
  }
  const std::vector<double> by_t = slope(*system, t, y, -1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(f_t[i], by_t[i], 1e-8);
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

std::vector<double> end_of(FormulaSystem& system,
                           std::vector<double> y,
                           double until,
                           const std::string& integrator = "dop853") {
  const auto wrong = system.begin(0, y);
  EXPECT_FALSE(wrong) << to_text(*wrong);
  auto method = make_method(integrator, {}, system);
  EXPECT_TRUE(method) << integrator;
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = 1e-11;
  Integrator run(std::move(method).value(), tolerance, {});
  EXPECT_EQ(run.start(0, y), Eval::ok) << integrator;
  EXPECT_EQ(run.advance(until).why, Stop::Why::end) << integrator;
  return {run.y().begin(), run.y().end()};
}

TEST(SingularMass, AFactorOfZeroLeavesAnEquation) {
  for (const char* integrator : {"dop853", "radau5", "bdf", "adams", "ode45"}) {
    const auto system = make({"e*x' = 1 - x", "y' = x - y"}, {{"e", "0", {}}});
    ASSERT_TRUE(system);
    const auto y = end_of(*system, {3, 0}, 1, integrator);  // x is put to 1
    EXPECT_TRUE(system->has_singular_mass());
    EXPECT_NEAR(y[0], 1, 1e-12) << integrator;
    EXPECT_NEAR(y[1], 1 - std::exp(-1.0), 1e-9) << integrator;
  }
}

// x' + y' = -x twice: y = 2 x, so 3 x' = -x. What x + y was at the start stays.
TEST(SingularMass, DependentRowsLeaveTheirDifference) {
  const auto system = make({"x' + y' = -x", "2*x' + 2*y' = -y"});
  ASSERT_TRUE(system);
  const auto y = end_of(*system, {0, 3}, 1);
  EXPECT_NEAR(y[0], std::exp(-1.0 / 3), 1e-10);
  EXPECT_NEAR(y[1], 2 * std::exp(-1.0 / 3), 1e-10);
}

// The same equation as a row of zeros and as 0 = ..., with a mass matrix that follows x.
TEST(SingularMass, ARowOfZerosIsAnAlgebraicEquation) {
  const auto zeros = make({"(2 + x^2)*x' + z' = -x + y", "0*y' + 0*z' = x^2 + y - 1", "z' = x*y"});
  const auto plain = FormulaSystem::make(
      texts({"(2 + x^2)*x' + z' = -x + y", "0 = x^2 + y - 1", "z' = x*y"}), {}, {{"y", "0", {}}});
  ASSERT_TRUE(zeros && plain);
  const std::vector<std::string>& names = plain.value()->names();
  const auto from = [](const FormulaSystem& system) {
    std::vector<double> y(3);
    y[static_cast<std::size_t>(system.component("x"))] = 0.5;
    return y;
  };
  const auto a = end_of(*zeros, from(*zeros), 2);
  const auto b = end_of(*plain.value(), from(*plain.value()), 2, "radau5");
  for (std::size_t k = 0; k < names.size(); ++k)
    EXPECT_NEAR(a[static_cast<std::size_t>(zeros->component(names[k]))], b[k], 1e-9) << names[k];
}

// A mass on a slider whose speed is given by a spring to a massless point: x'' = -y, 0 = y - x - x'.
TEST(SingularMass, SecondOrderBesideAnEquationWithoutMass) {
  const auto system = make({"2*x'' = -2*y", "0*x'' + 0*y' = y - x - x'"});
  ASSERT_TRUE(system);
  const auto y = end_of(*system, {1, 0, 0}, 1);  // x, y, x'
  const double w = std::sqrt(0.75), s = std::exp(-0.5);
  EXPECT_NEAR(y[0], s * (std::cos(w) + 0.5 / w * std::sin(w)), 1e-9);
  EXPECT_NEAR(y[1], y[0] + y[2], 1e-12);
}

TEST(SingularMass, HigherIndexAndSinglePointsAreTold) {
  const auto told = [](const std::vector<std::string>& equations,
                       const std::vector<NamedText>& declared,
                       std::vector<double> y) {
    const auto system = FormulaSystem::make(texts(equations), {}, declared);
    EXPECT_TRUE(system);
    const auto wrong = system.value()->begin(0, y);
    return wrong ? wrong->id + " " + wrong->found : std::string();
  };
  EXPECT_NE(told({"x'' = -x - z", "0 = x - sin(t)"}, {{"z", "0", {}}}, {0, 0, 1}).find("index"),
            std::string::npos);
  EXPECT_NE(told({"x' + 0*z' = z", "0*z' = x - sin(t)"}, {}, {0, 1}).find("index"),
            std::string::npos);
  EXPECT_NE(told({"t*x' + 0*y' = x", "y' = 1"}, {}, {0, 0}).find("nearby"), std::string::npos);
  EXPECT_EQ(told({"x' = -x + y", "0 = x^2 + y - 1"}, {{"y", "0", {}}}, {0.5, 0}), "");
  EXPECT_NE(told({"x' = y", "0 = y^2 + x^2 + 1"}, {{"y", "0", {}}}, {0.5, 1}).find("no values"),
            std::string::npos);
}

}  // namespace
}  // namespace cardan
