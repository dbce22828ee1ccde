// The user guide names every function and unit, and its examples are right.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cardan/math/expression_types.h"
#include "test/math/expression_check.h"
#include "test/places.h"

namespace cardan {
namespace {

std::string manual() {
  std::stringstream text;
  text << std::ifstream(std::string(test::source_dir) + "/docs/user-guide/expressions.md").rdbuf();
  return text.str();
}

TEST(ExpressionManual, ListsEveryFunctionAndUnit) {
  const std::string text = manual();
  ASSERT_GT(text.size(), 1000u);
  for (const auto& rule : function_rules())
    EXPECT_NE(text.find(fmt::format("`{}(", rule.name)), std::string::npos) << rule.name;
  for (const auto& u : all_units())
    EXPECT_NE(text.find(fmt::format("`{}`", u.symbol)), std::string::npos) << u.symbol;
}

TEST(ExpressionManual, StatesTheLimits) {
  const std::string text = manual();
  for (const char* limit : {"200 nested", "10,000 numbers", "256 intermediate"})
    EXPECT_NE(text.find(limit), std::string::npos) << limit;
  EXPECT_EQ(max_depth, 200);
  EXPECT_EQ(max_operations, 10000);
  EXPECT_EQ(max_stack, 256);
}

TEST(ExpressionManual, ExamplesAreAccepted) {
  for (const char* text : {"35 mm",
                           "9.81 m/s^2",
                           "7.8 g/cm^3",
                           "5 kg*s/m",
                           "3 1/s",
                           "2 s^-1",
                           "1/2 m",
                           "2 m^2",
                           "10 rad/s*t",
                           "5 m*gap",
                           "5 deg*sin(2 rev/s*t)",
                           "sin(2*pi*5 Hz*t)",
                           "max(0, crank)",
                           "crank + 0.01",
                           "2*crank",
                           "sin(5*t)",
                           "sin(5 rad/s*t)",
                           "-500 kg/s^2*gap",
                           "-500*gap",
                           "table(clamp(x, 0, 1), 0, 5, 1, 7)",
                           "if(x > 0, sqrt(x), 0)"}) {
    const auto e = parse(text);
    EXPECT_TRUE(e) << text << "\n" << reasons(e);
  }
  EXPECT_FALSE(parse("crank mm"));
  EXPECT_FALSE(parse("crank + 3 s"));
}

}  // namespace
}  // namespace cardan
