// Values, derivatives and evaluation of formulas.
#include "cardan/math/expression.h"

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "cardan/base/alloc_guard.h"
#include "test/math/curve_check.h"
#include "test/math/expression_check.h"

namespace cardan {
namespace {

constexpr std::array<double, 5> point{0.3, 0.7, -1.2, 0.02, -0.5};  // t, x, y, gap, rate(gap)

double value(std::string_view text) {
  const auto e = parse(text);
  EXPECT_TRUE(e) << text << "\n" << reasons(e);
  return e ? e.value().value(point) : std::nan("");
}

TEST(Expression, ArithmeticAndPrecedence) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("24/4/3"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("-+-3"), 3);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("1e3 + .5 + 2. + 1.5E-1"), 1002.65);
  EXPECT_EQ(value(" \t 1\n+\r\n2 "), 3);
}

// What a function of a number gives is a number beside a unit; what may have an understood unit keeps it.
TEST(Expression, FunctionsOfNumbersLeaveAUnitAsItIs) {
  for (const char* text : {"5 N*sin(x)",
                           "sin(x)*5 N",
                           "5 N*(1 - cos(x))",
                           "2*sin(x)*5 N",
                           "5 N*(x > 0)",
                           "5 N*if(x > 0, 0, 1)",
                           "5 N*step5(x, 0, 0, 1, 1)",
                           "5 N*table(x, 0, 0, 1, 1)",
                           "5 N/(2 + sin(x))",
                           "3 N + 5 N*tanh(x)"}) {
    const auto e = parse(text);
    ASSERT_TRUE(e) << text << "\n" << reasons(e);
    EXPECT_FALSE(e.value().plain()) << text;
    EXPECT_EQ(e.value().dimension(), dimension::force) << text;
  }
  for (const char* text :
       {"sin(x)", "0.1*sin(x)", "2*t", "5 N*table(x, 0, 0, 1, 0.02)", "0.5*t*sin(x)"}) {
    const auto e = parse(text);
    ASSERT_TRUE(e) << text << "\n" << reasons(e);
    EXPECT_TRUE(e.value().plain()) << text;
  }
}

TEST(Expression, Logic) {
  EXPECT_EQ(value("1 < 2"), 1);
  EXPECT_EQ(value("2 <= 1"), 0);
  EXPECT_EQ(value("2 >= 2 and 3 > 2"), 1);
  EXPECT_EQ(value("1 == 2 or 1 != 2"), 1);
  EXPECT_EQ(value("not 1 > 2"), 1);
  EXPECT_EQ(value("not 1 and 0"), 0);
  EXPECT_EQ(value("1 or 0 and 0"), 1);
  EXPECT_EQ(value("if(x > 0, 10, 20)"), 10);
  EXPECT_EQ(value("if(x < 0, 10, 20)"), 20);
  EXPECT_EQ(value("1 + 1 == 2"), 1);
}

TEST(Expression, FunctionsAndConstants) {
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("e"), std::numbers::e);
  EXPECT_EQ(value("min(3, 1, 2)"), 1);
  EXPECT_EQ(value("max(3, 1, 2)"), 3);
  EXPECT_EQ(value("min(4)"), 4);
  EXPECT_EQ(value("clamp(5, 0, 2)"), 2);
  EXPECT_EQ(value("clamp(-5, 0, 2)"), 0);
  EXPECT_EQ(value("clamp(1, 0, 2)"), 1);
  EXPECT_EQ(value("mod(-1, 3)"), 2);
  EXPECT_EQ(value("mod(7, 3)"), 1);
  EXPECT_EQ(value("sign(-3) + sign(0) + sign(2)"), 0);
  EXPECT_EQ(value("heaviside(-1) + heaviside(0) + heaviside(3)"), 2);
  EXPECT_EQ(value("deadband(3, 1) + deadband(-3, 2) + deadband(0.5, 1)"), 1);
  EXPECT_EQ(value("floor(-1.5) + ceil(-1.5)"), -3);
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("atan2(1, -1)"), 0.75 * std::numbers::pi);
  EXPECT_EQ(value("sqrt(16) + abs(-1)"), 5);
  EXPECT_EQ(value("log10(1000)"), 3);
  EXPECT_EQ(value("step(5, 0, 1, 2, 3)"), 3);
  EXPECT_EQ(value("step(-1, 0, 1, 2, 3)"), 1);
  EXPECT_EQ(value("step(1, 0, 1, 2, 3)"), 2);
  EXPECT_EQ(value("step(0.25, 0, 0, 1, 1)"), 0.15625);
  EXPECT_NEAR(value("step5(0.25, 0, 0, 1, 1)"), 0.103515625, 1e-15);
  EXPECT_EQ(value("table(2.5, 1, 10, 2, 20, 4, 0)"), 15);
  EXPECT_EQ(value("profile(x)"), 0.5 + 2 * std::sin(3 * 0.7 + 0.1));
  EXPECT_EQ(value("n*crank"), 3 * 0.08);
  EXPECT_EQ(value("rate(gap)"), -0.5);
}

TEST(Expression, UnitsOfResultsReadBack) {
  namespace dim = dimension;
  for (const Dimension d : {dim::mass,
                            dim::length,
                            dim::velocity,
                            dim::rate,
                            dim::acceleration,
                            dim::inertia,
                            dim::force,
                            dim::torque,
                            dim::stiffness,
                            dim::damping,
                            dim::pressure,
                            dim::power,
                            dim::rotational_damping,
                            dim::density,
                            dim::volume,
                            dim::voltage,
                            dim::resistance,
                            dim::inductance,
                            dim::capacitance,
                            dim::charge,
                            Dimension{{1, 1, -1}},
                            Dimension{{-2, 3, 1}}}) {
    const auto one = Expression::parse("1 " + si_unit(d), Scope{}, {});
    ASSERT_TRUE(one) << si_unit(d);
    EXPECT_EQ(one.value().value({}), 1) << si_unit(d);
    EXPECT_TRUE(one.value().dimension() == d) << si_unit(d);
  }
}

TEST(Expression, AQuantityIsTheNearestDoubleOfItsSiValue) {
  EXPECT_EQ(value("35 mm"), 0.035);
  EXPECT_EQ(value("1001 mm"), 1.001);
  EXPECT_EQ(value("0.3mm"), 0.0003);
  EXPECT_EQ(value("9.81 m/s^2"), 9.81);
  EXPECT_EQ(value("7.8 g/cm^3"), 7800);
  EXPECT_EQ(value("2 N/mm"), 2000);
  EXPECT_EQ(value("5 mN*mm"), 5e-6);
  EXPECT_EQ(value("3 1/ms"), 3000);
  EXPECT_EQ(value("2 s^-1"), 2);
  EXPECT_DOUBLE_EQ(value("300 rpm"), 10 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("180 deg"), std::numbers::pi);
  EXPECT_EQ(value("2 t"), 2000);
  EXPECT_EQ(value("36 km/h"), 10);
  EXPECT_EQ(value("6 m/min*2"), 0.2);
  EXPECT_EQ(value("1/2 m"), 0.5);  // 1/(2 m)
  EXPECT_EQ(value("2 m^2"), 2);    // and not (2 m)^2
  EXPECT_EQ(value("10 rad/s*t"), 3);
}

TEST(Expression, UndefinedStaysUndefined) {
  const double nan = std::nan("");
  const auto at_nan = [&](std::string_view text) {
    std::array<double, 5> p = point;
    p[1] = nan;
    return parse(text).value().value(p);
  };
  for (const char* text : {"x",
                           "min(x, 1)",
                           "max(1, x)",
                           "x^0",
                           "1^x",
                           "hypot(x, 1e300*(1e300 + y))",
                           "if(x > 0, 1, 2)",
                           "x == x",
                           "not x",
                           "x and 0",
                           "sign(x)",
                           "abs(x)",
                           "step(x, 0, 0, 1, 1)",
                           "clamp(x, 0, 1)",
                           "deadband(x, 1)",
                           "heaviside(x)",
                           "table(x, 0, 0, 1, 1)",
                           "law(x)",
                           "profile(x)"}) {
    EXPECT_TRUE(std::isnan(at_nan(text))) << text;
  }
  EXPECT_TRUE(std::isnan(value("sqrt(-x)")));
  EXPECT_TRUE(std::isnan(value("log(y)")));
  EXPECT_TRUE(std::isnan(value("asin(2*x)")));
  EXPECT_TRUE(std::isnan(value("table(x, 1, 1, 2, 2)")));  // below the first point
  EXPECT_EQ(value("if(x > 0, 5, sqrt(y))"), 5);            // the branch not taken does not matter
}

// Every function, at random points, against differences.
TEST(Expression, DerivativesAgreeWithDifferences) {
  const char* formulas[] = {"x*y + x/(y + 3) - y",
                            "x^3 - 2*y^2",
                            "abs(x)^y",
                            "(x^2 + 1)^(y/2)",
                            "2^x",
                            "x^2.5 + (x*x)^0.5",
                            "x^-2",
                            "sin(x)*cos(y)",
                            "tan(x/2)",
                            "asin(x/3)*acos(y/3)",
                            "atan(x*y)",
                            "atan2(x, y)",
                            "sinh(x) + cosh(y)",
                            "tanh(x*y)",
                            "exp(x*y)",
                            "log(x + 3)",
                            "log10(y + 4)",
                            "sqrt(x + 3)",
                            "hypot(x, y)",
                            "abs(x*y)",
                            "min(x, y^2, 1 + x*y)",
                            "max(x, y)*x",
                            "clamp(x*y, -1, 1)*y",
                            "deadband(x, y/9)*x",
                            "mod(x, 0.7)*y",
                            "mod(3, x + 3)",
                            "sign(x)*x^2",
                            "heaviside(x)*sin(x)",
                            "floor(x)*x",
                            "ceil(y)*x^2",
                            "if(x > y, x*x, y*x)",
                            "(x < y)*x^2",
                            "-x^2*-y",
                            "step(x, -1, y, 1.5, x*y)",
                            "step5(x*y, -2, y, 2, 3)",
                            "profile(x*y)",
                            "law(x)*y",
                            "table(x, -9, 1, -1, 3, 0.5, -2, 9, 4)*y",
                            "x and y",
                            "sin(x + cos(y*exp(x/4)))^2/(1 + x^2)"};
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0.2, 1.9);
  for (const char* text : formulas) {
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed) << text << "\n" << reasons(parsed);
    const Expression& e = parsed.value();
    int checked = 0;
    for (int i = 0; i < 60 && checked < 20; ++i) {
      std::array<double, 5> p{0, uniform(random) * 0.97, uniform(random), 0, 0};
      std::array<double, 5> d;
      EXPECT_EQ(e.gradient(p, d), e.value(p)) << text;
      for (const std::size_t k : {1u, 2u}) {
        const auto moved = [&](double u) {
          auto q = p;
          q[k] = u;
          return q;
        };
        const auto slope = [&](double u) {
          return e.jet(moved(u), static_cast<int>(k)).d;
        };
        const double h = 2e-4;
        // Skip points with a kink or jump of a piecewise formula within reach of the difference.
        const double wide = difference([&](double u) { return e.value(moved(u)); }, p[k], h);
        const double narrow = difference([&](double u) { return e.value(moved(u)); }, p[k], h / 3);
        if (std::abs(wide - narrow) > 1e-7 * (1 + std::abs(wide))) continue;
        ++checked;
        const Jet j = e.jet(p, static_cast<int>(k));
        EXPECT_EQ(j.f, e.value(p)) << text;
        EXPECT_DOUBLE_EQ(j.d, d[k]) << text;
        expect_slope(j.d, wide, text, p[k]);
        if (std::abs(slope(p[k] + 3 * h) - slope(p[k] - 3 * h) - 6 * h * j.dd) < 1e-3)
          expect_slope(j.dd, difference(slope, p[k], h), text, p[k]);
      }
    }
    EXPECT_GE(checked, 10) << text;
  }
}

// bend(w) = (f_x w)_x: on its own direction it is the second derivative of the jet, and it is
// symmetric; across, differences of the gradient.
TEST(Expression, BendsOfFormulas) {
  const char* formulas[] = {"x*y",
                            "x^2*y^3",
                            "sin(x*y) + exp(x)/y",
                            "atan2(x, y)",
                            "hypot(x, y)",
                            "x^y",
                            "max(x, y)*y^2",
                            "step5(x*y, -2, y, 2, 3)",
                            "law(x)*y"};
  const std::array<double, 5> p{0, 0.8, 1.3, 0, 0};
  for (const char* text : formulas) {
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed) << text;
    const Expression& e = parsed.value();
    std::array<double, 5> d, slope, along_x, along_y;
    const std::array<double, 5> x{0, 1, 0, 0, 0}, y{0, 0, 1, 0, 0};
    EXPECT_EQ(e.bend(p, x, slope, along_x), e.gradient(p, d)) << text;
    EXPECT_EQ(slope, d) << text;
    (void)e.bend(p, y, slope, along_y);
    EXPECT_DOUBLE_EQ(along_x[1], e.jet(p, 1).dd) << text;
    EXPECT_DOUBLE_EQ(along_y[2], e.jet(p, 2).dd) << text;
    EXPECT_NEAR(along_x[2], along_y[1], 1e-14 * (1 + std::abs(along_x[2]))) << text;
    const double mixed = difference(
        [&](double u) {
          auto q = p;
          q[2] = u;
          return e.jet(q, 1).d;
        },
        p[2],
        2e-4);
    EXPECT_NEAR(along_x[2], mixed, 1e-9 * (1 + std::abs(mixed))) << text;
  }
}

TEST(Expression, DerivativesWhereAFactorIsSingular) {
  std::array<double, 5> p{0, 2, 0, 0, 0}, d;
  EXPECT_EQ(parse("x*sqrt(y)").value().gradient(p, d), 0);
  EXPECT_EQ(d[1], 0);  // sqrt has no slope at 0, but y does not move with x
  EXPECT_EQ(parse("x^2*y^2 + y^1 + y^0").value().jet(p, 2).d, 1);
  EXPECT_EQ(parse("x^2*y^2").value().jet(p, 2).dd, 8);
  EXPECT_EQ(parse("y^x").value().jet(p, 1).d, 0);
  EXPECT_EQ(parse("(y - 1)^3").value().jet(p, 2).d, 3);
}

TEST(Expression, ManyVariables) {
  Scope scope;
  std::string text = "0";
  for (int k = 0; k < 11; ++k) {
    scope.variables.push_back({fmt::format("v{}", k), dimension::none});
    if (k != 4) text += fmt::format(" + {}*v{}^2", k + 1, k);
  }
  const auto e = Expression::parse(text, scope, {});
  ASSERT_TRUE(e);
  std::vector<double> v(11), d(11, 99.0);
  for (std::size_t k = 0; k < 11; ++k) v[k] = 0.1 * static_cast<double>(k) - 0.3;
  EXPECT_EQ(e.value().gradient(v, d), e.value().value(v));
  for (std::size_t k = 0; k < 11; ++k)
    EXPECT_DOUBLE_EQ(d[k], k == 4 ? 0 : 2 * static_cast<double>(k + 1) * v[k]);
  EXPECT_TRUE(e.value().uses(3));
  EXPECT_FALSE(e.value().uses(4));
  EXPECT_FALSE(e.value().uses(-1));
  EXPECT_FALSE(e.value().uses(11));
  EXPECT_TRUE(std::isnan(e.value().value(std::span(v).first(5))));  // too few arguments
}

TEST(Expression, ConstantsAreFolded) {
  EXPECT_TRUE(parse("sin(2)*crank + profile(1)").value().constant());
  EXPECT_TRUE(parse("if(n > 2, 4, x)").value().constant());  // the branch not taken is dropped
  EXPECT_FALSE(parse("if(n > 2, x, 4)").value().constant());
  EXPECT_FALSE(parse("if(n < 2, y, x)").value().uses(2));
  EXPECT_EQ(value("if(zero == 0, 1, 1/zero)"), 1);
  EXPECT_EQ(value("if(zero == 0, x, 1/zero)"), 0.7);
}

TEST(Expression, WithoutText) {
  EXPECT_EQ(Expression().value({}), 0);
  EXPECT_TRUE(Expression().constant());
  EXPECT_TRUE(Expression().plain());
  EXPECT_EQ(Expression(2.5).value({}), 2.5);
  EXPECT_EQ(Expression(2.5).jet({}, 0).d, 0);
  std::array<double, 2> d{1, 1};
  EXPECT_EQ(Expression(2.5).gradient(d, d), 2.5);
  EXPECT_EQ(d[0], 0);
}

TEST(Expression, AsFunction) {
  const FunctionPtr f = as_function(parse("3*t^2 + sin(2*t)").value());
  check_derivatives(*f, 0.4);
  EXPECT_NEAR(f->third(0.4), -8 * std::cos(0.8), 1e-7);
}

TEST(Expression, EvaluationDoesNotAllocate) {
  const auto e =
      parse(
          "step(x, 0, y, 1, sin(x*y)) + profile(x) + table(x, 0, 1, 1, 2) + max(x, y, t*5) + gap*n")
          .value();
  std::array<double, 5> d;
  const AllocationGuard guard;
  double sum = e.value(point) + e.gradient(point, d) + e.jet(point, 1).dd;
  EXPECT_EQ(guard.count(), 0);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(Expression, NamesIn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in("2*pi*speed*t + sin(rate(gap)) - speed"), (Names{"speed", "t", "gap"}));
  EXPECT_EQ(names_in("35 mm + 2 N*m/rad*spring.angle"), (Names{"spring.angle"}));
  EXPECT_EQ(names_in("lift(angle) + if(a > b and not c, 1, d)"),
            (Names{"angle", "a", "b", "c", "d"}));
  EXPECT_EQ(names_in("a + (b"), (Names{"a", "b"}));
  EXPECT_EQ(names_in(""), Names{});
}

TEST(Expression, ConditionsAnswerAsOnTheirSide) {
  auto e = parse("if(x > 0.5, 10, 20) + sign(y) + if(t <= 0.4 s, 100, 200)");
  ASSERT_TRUE(e);
  Expression f = e.value();
  ASSERT_EQ(f.conditions(), 3);
  f.number_conditions(2);
  EXPECT_EQ(f.value(point), 10 - 1 + 100);
  std::vector<int> sides{0, 0, -1, 1, 1};
  EXPECT_EQ(f.value(point, sides), 20 + 1 + 200);
  sides = {0, 0, 0, 0, 0};  // by the operands
  EXPECT_EQ(f.value(point, sides), f.value(point));
  std::vector<double> values(5, 7.0);
  f.condition_values(point, sides, values);
  EXPECT_NEAR(values[2], 0.2, 1e-15);
  EXPECT_EQ(values[3], -1.2);
  EXPECT_NEAR(values[4], -0.1, 1e-15);
  EXPECT_EQ(values[0], 7);
  auto slope = parse("if(x > 0.5, 3*x, 5*x)");
  ASSERT_TRUE(slope);
  std::array<double, 5> d{};
  const std::vector<int> other{-1};
  EXPECT_NEAR(slope.value().gradient(point, d, other), 3.5, 1e-15);
  EXPECT_EQ(d[1], 5);
}

}  // namespace
}  // namespace cardan
