// Which numbers without a unit a formula of a motion is a multiple of.
#include "cardan/math/bare_numbers.h"

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "cardan/math/expression.h"

namespace cardan {
namespace {

// Formulas of the time with parameters: start = 90, of no unit, and others with one.
BareNumbers numbers_of(const std::string& text) {
  Scope scope;
  scope.variables = {{"t", dimension::time}};
  scope.constant = [](std::string_view name) -> std::optional<Scope::Constant> {
    if (name == "start") return Scope::Constant{90, {}, true};
    if (name == "turn") return Scope::Constant{6.2831853, dimension::none, false};
    if (name == "speed") return Scope::Constant{12.5, dimension::rate, false};
    if (name == "period") return Scope::Constant{0.1, dimension::time, false};
    return std::nullopt;
  };
  const auto parsed = Expression::parse(text, scope, {});
  EXPECT_TRUE(parsed) << text;
  return parsed ? bare_numbers(parsed.value()) : BareNumbers{};
}

TEST(BareNumbers, OfWhatATimeMultiplies) {
  for (const char* text : {"720*t",
                           "t*720",
                           "-720*t",
                           "2*360*t",
                           "8*start*t",
                           "60 deg + 720*t",
                           "720*t/(1 s)",
                           "720*t/period",
                           "720*(t - 2 s)",
                           "720*max(0, t)",
                           "720*t^2",
                           "1440*t/2",
                           "720*t - 0.5*sin(3 rad/s*t)"})
    EXPECT_EQ(numbers_of(text).moving, 720) << text;
}

TEST(BareNumbers, OfWhatStaysBounded) {
  for (const char* text : {"90",
                           "start",
                           "90*sin(5 rad/s*t)",
                           "90*(1 - cos(5 rad/s*t))",
                           "90*step5(t, 0 s, 0, 1 s, 1)",
                           "step(t, 0 s, 0, 1 s, 90)",
                           "if(t < 1 s, 0, 90)",
                           "start*tanh(t/period)",
                           "90*exp(-t/(1 s))",
                           "table(t, 0 s, 0, 1 s, 90, 2 s, 45)",
                           "speed*t + 90",
                           "mod(720 deg/s*t, 90)"})
    EXPECT_EQ(numbers_of(text).still, 90) << text;
}

TEST(BareNumbers, AreNoneWhereAUnitIsNamed) {
  for (const char* text : {"720 deg/s*t",
                           "speed*t",
                           "100 rpm*t",
                           "2*pi*t",
                           "2*pi*t/period",
                           "90*pi/180*sin(t/period)",
                           "30*turn",
                           "90 deg*sin(t/period)",
                           "atan2(30, 40)",
                           "3*asin(0.5)",
                           "step5(t, 0 s, 0 deg, 20 s, 90 deg)",
                           "if(t < 20 s, 0 deg, 90 deg)"}) {
    const BareNumbers found = numbers_of(text);
    EXPECT_FALSE(found.still > 6.3) << text;
    EXPECT_FALSE(found.moving > 6.3) << text;
  }
}

TEST(BareNumbers, TimesAreNoAngles) {
  for (const char* text :
       {"0.5*(t - 30 s)", "0.5*t/(20 ms)", "mod(t, 30 s)", "sin(360*t)", "2*t/(30 s)"}) {
    const BareNumbers found = numbers_of(text);
    EXPECT_FALSE(found.still > 6.3) << text;
    EXPECT_FALSE(found.moving > 6.3) << text;
  }
}

}  // namespace
}  // namespace cardan
