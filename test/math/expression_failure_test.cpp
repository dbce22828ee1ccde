// Which operation of a formula has no value, and what it was given.
#include "cardan/math/expression_failure.h"

#include <gtest/gtest.h>

namespace cardan {
namespace {

std::optional<FormulaFailure> failure(const char* text, double x) {
  Scope scope;
  scope.variables = {{"x", dimension::none}};
  const auto formula = Expression::parse(text, scope, {});
  EXPECT_TRUE(formula) << text;
  return failure_of(formula.value(), CView(&x, 1));
}

TEST(ExpressionFailure, NamesTheOperation) {
  using Kind = FormulaFailure::Kind;
  EXPECT_FALSE(failure("sqrt(x)", 2));
  EXPECT_FALSE(failure("if(x > 0, sqrt(x), 0)", -2));
  const auto root = failure("3 + 2*sqrt(x - 1)", -3);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->kind, Kind::root);
  EXPECT_EQ(root->words, "sqrt(-4)");
  const auto division = failure("1/(x - 2) + sqrt(x)", 2);
  ASSERT_TRUE(division);
  EXPECT_EQ(division->kind, Kind::division);
  EXPECT_EQ(division->words, "1/0");
  EXPECT_EQ(failure("log(x)", -1)->kind, Kind::logarithm);
  EXPECT_EQ(failure("asin(x)", 2)->kind, Kind::arc);
  EXPECT_EQ(failure("x^0.5", -1)->kind, Kind::power);
  EXPECT_EQ(failure("sqrt(x)", 0)->kind, Kind::slope);
  EXPECT_EQ(failure("table(x, 0, 0, 1, 3)", 1.5)->kind, Kind::curve);
}

}  // namespace
}  // namespace cardan
