// Breaks and step bounds of formulas in t: found where they are, none where there are none.
#include "cardan/math/time_breaks.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "cardan/math/curve.h"
#include "test/math/expression_check.h"

namespace cardan {
namespace {

constexpr double pi = std::numbers::pi;

// With t as a bare number, so that formulas need no units.
Result<Expression> parse_plain(const std::string& text) {
  Scope scope = test_scope();
  scope.variables[0].dimension = dimension::none;
  return Expression::parse(text, scope, test_place());
}

TimeFormula formula(const std::string& text) {
  auto e = parse_plain(text);
  EXPECT_TRUE(e) << text << "\n" << reasons(e);
  return TimeFormula(e ? e.value() : Expression());
}

std::vector<double> inside(std::vector<double> times, double from, double until) {
  std::erase_if(times, [&](double t) { return std::abs(t - from) < 1e-12 || t == until; });
  return times;
}

struct Given {
  std::string text;
  std::vector<double> times;
  double error = 4e-15;  // relative: condition of the formula times round-off
};

void PrintTo(const Given& g, std::ostream* out) {
  *out << g.text;
}

class Breaks : public testing::TestWithParam<Given> {};

TEST_P(Breaks, AreFoundToTheLastDigits) {
  const auto& [text, times, error] = GetParam();
  const std::vector<double> found = inside(time_breaks(formula(text), 0, 10).times, 0, 10);
  ASSERT_EQ(found.size(), times.size()) << text;
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(found[k], times[k], error * std::max(1.0, times[k])) << text;
}

TEST(Breaks, AtTheEndsOfTheRunCount) {
  EXPECT_EQ(time_breaks(formula("floor(t)"), 1, 3).times, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(time_breaks(formula("abs(t-1)"), 1, 3).times, (std::vector<double>{1}));
  EXPECT_EQ(time_breaks(formula("floor(t)"), 1.5, 2.5).times, (std::vector<double>{2}));
}

std::vector<double> every(double first, double period, double end) {
  std::vector<double> list;
  for (int k = 0; first + k * period < end; ++k) list.push_back(first + k * period);
  return list;
}

std::vector<double> mod_pulses() {
  std::vector<double> list{0.001};
  for (int k = 1; k < 10; ++k) {
    list.push_back(k);
    list.push_back(k + 0.001);
  }
  return list;
}

const double window = std::acos(0.99999999);  // cos(t - 5) above it: two ends close together

INSTANTIATE_TEST_SUITE_P(
    Formulas,
    Breaks,
    testing::Values(Given{"step(t,5,0,5.001,1000)-step(t,5.001,0,5.002,1000)", {5, 5.001, 5.002}},
                    Given{"step5(t,5,0,5.00001,x)", {5, 5.00001}},
                    Given{"if(mod(t,1)<0.001,1000,0)", mod_pulses()},
                    Given{"table(clamp(t,0,10),0,0,5,0,5.001,1000,5.002,0,10,0)",
                          {5, 5.001, 5.002}},
                    Given{"table(clamp(t,0,8),0,0,5,5,10,10)", {8}},
                    Given{"abs(t-3)+max(t,2)", {2, 3}},
                    Given{"floor(2*t)", every(0.5, 0.5, 10)},
                    Given{"ceil(t/3)*x", every(3, 3, 10)},
                    Given{"sign(sin(t))", {pi, 2 * pi, 3 * pi}},
                    Given{"if(t>2 and t<2.0001,x,y)", {2, 2.0001}},
                    Given{"if(t>2 and t<2.0001,x,y)+0*heaviside(x-t)", {2, 2.0001}},
                    Given{"if(cos(t-5)>0.99999999,1,0)", {5 - window, 5 + window}, 1e-12},
                    Given{"heaviside(t^2-2)", {std::sqrt(2.0)}},
                    Given{"law(t)", {2}},
                    Given{"law(t^2)", {std::sqrt(2.0)}},
                    Given{"if(t<5,0,floor(t/2))", {5, 6, 8}},
                    Given{"heaviside(t-5)*floor(t/2)", {5, 6, 8}},
                    Given{"deadband(t-5,1)", {4, 6}},
                    // smooth in t, or switched by what is not known of t alone
                    Given{"exp(-t)*sin(3*t)+t^3", {}},
                    Given{"abs(x-t)", {}},
                    Given{"if(x>t,1,0)", {}},
                    Given{"abs(t+1)", {}},
                    Given{"x*y", {}}));

TEST(Breaks, OfCurves) {
  const auto times = [](const FunctionPtr& f) {
    return inside(time_breaks(TimeFormula(f), 0, 10).times, 0, 10);
  };
  EXPECT_EQ(times(harmonic(1, 2)).size(), 0U);
  EXPECT_EQ(times(polynomial({1, 2, 3})).size(), 0U);
  EXPECT_EQ(times(cycloidal(2, 3, 0, 1)).size(), 2U);
  EXPECT_EQ(times(linear_table({0, 1, 2, 4}, {0, 1, 2, 0}, Outside::hold)).size(), 2U)
      << "three points on a line";
  EXPECT_EQ(times(repeated(quintic_step(0.5, 1, 0, 1), 0, 2, 1)).size(), 14U)
      << "start, end and repetition; the last end of period coincides with the end of the run";
  EXPECT_EQ(times(cubic_spline({0, 1, 2, 20}, {0, 1, 0, 3})).size(), 0U);
  EXPECT_EQ(times(cubic_spline({1, 2, 3, 4}, {0, 1, 0, 3}, {.outside = Outside::hold})).size(), 2U);
}

// A formula may be given as one with requests, which are functions of time in turn.
TEST(Breaks, AreFoundThroughOtherFormulas) {
  const auto inner = std::make_shared<TimeFormula>(formula("(t-5)/0.001"));
  const auto outer = parse_plain("exp(-x^2)+floor(x/1000)");
  ASSERT_TRUE(outer) << reasons(outer);
  const TimeBreaks found = time_breaks(TimeFormula(outer.value(), {nullptr, inner}), 0, 10);
  EXPECT_EQ(inside(found.times, 0, 10).size(), 9U);
  double least = 10;
  for (const auto& b : found.bounds) least = std::min(least, b.largest);
  EXPECT_LT(least, 0.001);
}

// Long pulses too are short for a step that is as long as the run.
TEST(Breaks, WidePulsesBoundTheStep) {
  const TimeBreaks found = time_breaks(formula("exp(-((t-5)/0.6)^2)"), 0, 10);
  ASSERT_FALSE(found.bounds.empty());
  for (const auto& b : found.bounds) {
    if (std::abs(b.from - 5) < 1) {
      EXPECT_LT(b.largest, 0.4) << b.from;
    }
  }
  EXPECT_TRUE(time_breaks(formula("exp(-0.01*x)"), 0, 10).bounds.empty());
}

TEST(Breaks, TooManyBecomeABound) {
  const TimeBreaks found = time_breaks(formula("floor(1e6*t)"), 0, 10);
  EXPECT_FALSE(found.complete);
  EXPECT_TRUE(found.times.empty());
  ASSERT_EQ(found.bounds.size(), 1U);
  EXPECT_LE(found.bounds[0].largest, 0.001);
}

double bound_at(const TimeBreaks& breaks, double t) {
  double h = std::numeric_limits<double>::infinity();
  for (const auto& b : breaks.bounds)
    if (b.from <= t) h = b.largest;
  return h;
}

TEST(Bounds, AreSmallWhereAFormulaIsFastAndOnlyThere) {
  for (const char* text : {"1000*exp(-((t-5.0123)/0.001)^2)",
                           "x+1e6*t-1/cosh((t-5.0123)/0.001)^2*y",
                           "1/(1+((t-5.0123)/0.001)^2)",
                           "tanh((t-5.0123)/0.001)"}) {
    const TimeBreaks found = time_breaks(formula(text), 0, 10);
    EXPECT_TRUE(found.complete) << text;
    EXPECT_TRUE(found.times.empty()) << text;
    EXPECT_LT(bound_at(found, 5.0123), 0.001) << text;
    EXPECT_LT(bound_at(found, 5.0127), 0.001) << text;
    EXPECT_GT(bound_at(found, 2), 0.05) << text;
    EXPECT_GT(bound_at(found, 9), 0.05) << text;
    EXPECT_LT(found.bounds.size(), 200U) << text;
  }
}

TEST(Bounds, FollowAnOscillation) {
  const TimeBreaks found = time_breaks(formula("x*sin(200*t)"), 0, 10);
  EXPECT_TRUE(found.complete);
  for (const auto& b : found.bounds) {
    EXPECT_LT(b.largest, 2 * pi / 200 / 3);
    EXPECT_GT(b.largest, 2 * pi / 200 / 200);
  }
  EXPECT_TRUE(time_breaks(formula("0*sin(200*t)"), 0, 10).bounds.empty());
  EXPECT_GT(bound_at(time_breaks(formula("if(t<9,0,sin(200*t))"), 0, 10), 3), 0.05);
  const TimeBreaks faster = time_breaks(formula("sin(1e7*t)"), 0, 10);
  EXPECT_FALSE(faster.complete) << "too fast to be resolved";
  EXPECT_LT(bound_at(faster, 3), 0.01);
}

TEST(Bounds, OfASplineAreItsPieces) {
  std::vector<double> x, y;
  for (int k = 0; k <= 100; ++k) {
    x.push_back(0.1 * k);
    y.push_back(k == 47 ? 1 : 100 * k);  // a small tooth on a steep line
  }
  const TimeBreaks found = time_breaks(TimeFormula(cubic_spline(x, y)), 0, 10);
  EXPECT_TRUE(found.complete);
  EXPECT_LE(bound_at(found, 4.7), 0.1001);
}

TEST(Bounds, OfWhatIsNotKnownAreNotComplete) {
  struct Any : Function {
    Jet at(double) const override { return {}; }

    bool constant() const override { return false; }
  };

  EXPECT_FALSE(time_breaks(TimeFormula(std::make_shared<Any>()), 0, 10).complete);
}

TEST(Bounds, OfTwoFormulasAreTheSmaller) {
  TimeBreaks all{{1, 3}, {{0, 5}, {4, 1}, {6, 5}}, true};
  add(all, {{2, 3}, {{0, 2}, {5, 9}}, true});
  EXPECT_EQ(all.times, (std::vector<double>{1, 2, 3}));
  ASSERT_EQ(all.bounds.size(), 3U);
  EXPECT_EQ(all.bounds[0].largest, 2);
  EXPECT_EQ(all.bounds[1].from, 4);
  EXPECT_EQ(all.bounds[1].largest, 1);
  EXPECT_EQ(all.bounds[2].largest, 5);
}

// The enclosure must hold whatever the formula and the interval are.
TEST(Intervals, EncloseTheValues) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(0, 1);
  const std::vector<std::string> formulas{"sin(3*t)*cos(t)-tan(t/9)",
                                          "exp(-t^2)+sinh(t/4)/cosh(t/5)",
                                          "sqrt(t)+log(t+0.1)+log10(t+1)",
                                          "asin(t/20)+acos(t/20)+atan(t-5)",
                                          "tanh(t-4)*(t-3)^3-2^t",
                                          "t^-2+(t+1)^0.7",
                                          "mod(t,0.7)",
                                          "floor(t)+ceil(2*t)",
                                          "abs(t-4)-min(t,3)+max(t,7)",
                                          "deadband(t-5,1)*hypot(t,sin(t))",
                                          "atan2(sin(t),cos(t))",
                                          "step(t,2,1,4,-3)+step5(t,8,0,3,2)",
                                          "if(t>3 and t<6,sin(t),-t)",
                                          "sign(sin(t))+heaviside(cos(t))",
                                          "profile(t)+law(t/3)",
                                          "1/(t+0.2)-1/(0.3+cos(t)^2)",
                                          "table(clamp(t,0,9),0,1,2,-1,3,4,9,0)",
                                          "if(sin(t)>0.3 or not (t<2),1,2)*t"};
  for (const auto& text : formulas) {
    const TimeFormula f = formula(text);
    for (int k = 0; k < 200; ++k) {
      const double width = std::pow(10, -4 * number(random)) * 10;
      const double a = 0.001 + (10 - width) * number(random), b = a + width;
      const Stretch s = f.over({a, b});
      const std::uint64_t piece = f.piece(a);
      for (int i = 0; i <= 40; ++i) {
        const double t = a + (b - a) * i / 40, value = f.value(t);
        const double slack = 1e-12 * (1 + std::abs(value));
        EXPECT_TRUE(value >= s.values.lo - slack && value <= s.values.hi + slack)
            << text << " on [" << a << ", " << b << "] at " << t << ": " << value << " is not in ["
            << s.values.lo << ", " << s.values.hi << "]";
        if (s.one_piece) {
          EXPECT_EQ(f.piece(t), piece) << text << " at " << t;
        }
      }
    }
  }
}

TEST(Jumps, AreSizedAndKinksAreNone) {
  const auto jump = [](const std::string& text) {
    const TimeFormula f = formula(text);
    return largest_jump(f, time_breaks(f, 0, 10), 0, 10);
  };
  EXPECT_DOUBLE_EQ(jump("if(t<1,0,0.5)").size, 0.5);
  EXPECT_DOUBLE_EQ(jump("if(t<1,0,0.5)").t, 1);
  EXPECT_NEAR(jump("mod(t,1)").size, 1, 1e-9);
  EXPECT_NEAR(jump("1e-6*floor(t/7)").size, 1e-6, 1e-15);
  for (const char* text : {"abs(t-1)",
                           "step(t,5,0,5.00001,1)",
                           "table(clamp(t,0,3),0,0,1,0,3,2)",
                           "sin(2*t)",
                           "1e6*max(t,2)",
                           "if(t<5,t,10-t)",
                           "law(t)",
                           "floor(t)+mod(t,1)"})
    EXPECT_EQ(jump(text).size, 0) << text;
}

}  // namespace
}  // namespace cardan
