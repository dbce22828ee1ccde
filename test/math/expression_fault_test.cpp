// Dimensions of formulas, what is said about faults, and limits.
#include <ctime>
#include <random>

#include <gtest/gtest.h>

#include "cardan/base/catalogue.h"
#include "cardan/math/expression.h"
#include "test/math/expression_check.h"

namespace cardan {
namespace {

struct Measured {
  const char* text;
  Dimension dimension;
  bool plain;
};

TEST(ExpressionDimension, OfFormulas) {
  const Measured cases[] = {
      {"35 mm", dimension::length, false},
      {"30 deg", dimension::none, false},
      {"5", dimension::none, true},
      {"2*pi*n", dimension::none, true},
      {"2*crank", dimension::length, false},
      {"crank + 1", dimension::length, false},
      {"1 + crank", dimension::length, false},
      {"crank*crank", dimension::area, false},
      {"crank/(2 s)", dimension::velocity, false},
      {"mass*9.81 m/s^2", dimension::force, false},
      {"crank^2", dimension::area, false},
      {"sqrt(crank^2 + gap^2)", dimension::length, false},
      {"(crank^2)^0.5", dimension::length, false},
      {"(crank^3)^(1/3)", dimension::length, false},
      {"crank/gap", dimension::none, false},
      {"sin(x)", dimension::none, true},
      {"atan2(crank, gap)", dimension::none, true},
      {"max(0, crank)", dimension::length, false},
      {"if(t > 1 s, 0, 5 N)", dimension::force, false},
      {"step(t, 0, 0, 1 s, 5 N)", dimension::force, false},
      {"table(gap, 0, 0 N, 1 cm, 5 N)", dimension::force, false},
      {"3 rad/s*t", dimension::none, false},
      {"rate(gap)", dimension::velocity, false},
      {"profile(t)", dimension::none, true},
      {"gap > 1 mm", dimension::none, true},
      {"(gap > 1 mm)*crank", dimension::length, false},  // a condition is a number
      {"2*t", dimension::time, true},                    // the unit of 2 is understood
      {"t/2 + 3 m", dimension::length, false},
      {"t", dimension::time, false},
      {"t^2", Dimension{{0, 0, 2}}, false},
      {"0*t", dimension::time, true},
  };
  for (const auto& c : cases) {
    const auto e = parse(c.text);
    ASSERT_TRUE(e) << c.text << "\n" << reasons(e);
    EXPECT_EQ(to_text(e.value().dimension()), to_text(c.dimension)) << c.text;
    EXPECT_EQ(e.value().plain(), c.plain) << c.text;
  }
}

struct Faulty {
  const char* text;
  const char* id;
  int at;  // characters into the formula
};

TEST(ExpressionFault, IdAndColumn) {
  const Faulty cases[] = {
      {"", "syntax.expression", 0},
      {"   ", "syntax.expression", 0},
      {"1 +", "syntax.expression", 3},
      {"1 + * 2", "syntax.expression", 4},
      {"(1 + 2", "syntax.expression", 6},
      {"1 + 2)", "syntax.expression", 5},
      {"1 2", "syntax.expression", 2},
      {"2 crank", "syntax.expression", 2},
      {"2pi", "syntax.expression", 1},
      {"sin(1, 2)", "syntax.expression", 5},
      {"atan2(1)", "syntax.expression", 7},
      {"sin()", "syntax.expression", 4},
      {"step(x, 0, 0, 1)", "syntax.expression", 15},
      {"min(1,)", "syntax.expression", 6},
      {"1 < x < 2", "syntax.expression", 6},
      {"x = 2", "syntax.expression", 2},
      {"x ** 2", "syntax.expression", 2},
      {"x && y", "syntax.expression", 2},
      {"x @ y", "syntax.expression", 2},
      {"x + \xC2\xB0", "syntax.expression", 4},
      {"x + \xFF\xFE", "syntax.expression", 4},
      {"and 1", "syntax.expression", 0},
      {"5 m^(2)", "syntax.expression", 4},
      {"5 m^2^2", "syntax.expression", 5},
      {"5 m^0.5", "syntax.expression", 4},
      {"rate(2)", "syntax.expression", 5},
      {"rate()", "syntax.expression", 5},
      {"table(x, 1)", "syntax.expression", 10},
      {"crnk", "model.unknown-name", 0},
      {"1 + rate(gop)", "model.unknown-name", 9},
      {"sine(1)", "model.unknown-name", 0},
      {"sin", "model.unknown-name", 0},
      {"crank*mm", "model.unknown-name", 6},
      {"5/s", "model.unknown-name", 2},
      {"crank(3)", "model.unknown-name", 0},
      {"crank + mass", "model.wrong-unit", 6},
      {"crank - 30 deg", "model.wrong-unit", 6},
      {"crank < mass", "model.wrong-unit", 6},
      {"min(crank, mass)", "model.wrong-unit", 0},
      {"sin(crank)", "model.wrong-unit", 0},
      {"exp(t)", "model.wrong-unit", 0},
      {"sqrt(crank)", "model.wrong-unit", 0},
      {"crank^0.5", "model.wrong-unit", 5},
      {"crank^x", "model.wrong-unit", 5},
      {"2^crank", "model.wrong-unit", 1},
      {"not crank", "model.wrong-unit", 0},
      {"crank and 1", "model.wrong-unit", 6},
      {"if(crank, 1, 2)", "model.wrong-unit", 0},
      {"if(x, crank, mass)", "model.wrong-unit", 0},
      {"step(t, 0 m, 0, 1 m, 1)", "model.wrong-unit", 0},
      {"atan2(crank, 2 kg)", "model.wrong-unit", 0},
      {"table(t, 0 m, 1, 1 m, 2)", "model.wrong-unit", 0},
      {"crank^99", "model.wrong-unit", 5},
      {"1 m^50*m^50", "model.wrong-unit", 7},
      {"crank^40*crank^40", "model.wrong-unit", 8},
      {"2 kg*N", "model.ambiguous-unit", 5},
      {"2 m/N", "model.ambiguous-unit", 4},
      {"1/0", "model.not-finite", 1},
      {"x + sqrt(-2)", "model.not-finite", 4},
      {"x*log(zero)", "model.not-finite", 2},
      {"1e999", "model.not-finite", 0},
      {"2*(1 + 0/0)^2", "model.not-finite", 8},
      {"table(x, 0, 0, 1, 1/0)", "model.not-finite", 0},
      {"step(x, 1, 0, 1, 5)", "model.bad-value", 0},
      {"table(x, 1, 0, 1, 5)", "model.bad-value", 0},
      {"table(x, 1, 0, 2, y)", "model.bad-value", 0},
      {"table(x, 1, 0, 2, 5, 3)", "model.bad-value", 0},
  };
  for (const auto& c : cases) {
    const auto e = parse(c.text);
    ASSERT_FALSE(e) << c.text;
    ASSERT_EQ(e.why().size(), 1u) << c.text << "\n" << reasons(e);
    const Diagnostic& d = e.why().front();
    EXPECT_EQ(d.id, c.id) << c.text << "\n" << to_text(d);
    EXPECT_EQ(d.where.column, 100 + c.at) << c.text << "\n" << to_text(d);
    EXPECT_EQ(d.where.line, 5);
    EXPECT_EQ(*d.where.file, "model.toml");
    EXPECT_FALSE(d.found.empty());
    EXPECT_FALSE(d.expected.empty());
    EXPECT_NE(explain(d.id), nullptr);
  }
}

TEST(ExpressionFault, AllAtOnce) {
  const auto e = parse("crnk + 2*mas - sin(crank) + 3*foo(1, 2)");
  ASSERT_FALSE(e);
  ASSERT_EQ(e.why().size(), 4u) << reasons(e);
  EXPECT_NE(e.why()[0].hint.find("crank"), std::string::npos);
  EXPECT_NE(e.why()[1].hint.find("mass"), std::string::npos);
}

TEST(ExpressionFault, Hints) {
  const std::pair<const char*, const char*> cases[] = {{"2 crank", "2*crank"},
                                                       {"x ** 2", "x^2"},
                                                       {"x = 2", "=="},
                                                       {"crank*mm", "1 mm"},
                                                       {"sqr(x)", "sqrt"},
                                                       {"rate(gop)", "rate(gap)"},
                                                       {"2 kg*N", "(1 N)"},
                                                       {"sin(t)", "rad/s"},
                                                       {"30 \xC2\xB0", "deg"},
                                                       {"\xE2\x88\x92"
                                                        "3",
                                                        "minus"},
                                                       {"9.81 m/s2", "s^2"},
                                                       {"9.81 m / sec^2", "unit s?"},
                                                       {"3 kg*mm4", "mm^4"},
                                                       {"3 kgm2", "kg*m^2"},
                                                       {"3 kg.mm2", "kg*mm^2"},
                                                       {"3 kilograms", "kg"},
                                                       {"3 minutes", "min"},
                                                       {"gap t", "* before t"},
                                                       {"2*gap x", "* before x"}};
  for (const auto& [text, hint] : cases) {
    const auto e = parse(text);
    ASSERT_FALSE(e) << text;
    EXPECT_NE(e.why().front().hint.find(hint), std::string::npos) << text << "\n" << reasons(e);
  }
}

TEST(ExpressionFault, InTheSecondLine) {
  const auto e = parse("1 +\n  crnk");
  ASSERT_FALSE(e);
  EXPECT_EQ(e.why().front().where.line, 6);
  EXPECT_EQ(e.why().front().where.column, 3);
}

TEST(ExpressionFault, AFaultyParameterIsNotReportedTwice) {
  for (const char* text :
       {"broken", "2*broken + crank", "sin(2*broken) + crank", "table(x, 0, broken, 1, 2)"}) {
    const auto e = parse(text);
    ASSERT_TRUE(e) << text << reasons(e);
    EXPECT_TRUE(e.value().plain());
  }
  EXPECT_FALSE(parse("broken + crnk"));
}

TEST(ExpressionFault, NamesOfTheModelComeFirst) {
  Scope scope = test_scope();
  scope.constant = [](std::string_view name) -> std::optional<Scope::Constant> {
    if (name == "e") return Scope::Constant{0.8, {}, true};
    return std::nullopt;
  };
  EXPECT_EQ(Expression::parse("e", scope, {}).value().value({}), 0.8);
  // Whether a unit is also a name is asked without evaluating it, so that lazy parameters cannot
  // run in circles.
  scope.known = [](std::string_view name) {
    return name == "m";
  };
  scope.constant = [](std::string_view) -> std::optional<Scope::Constant> {
    ADD_FAILURE() << "evaluated";
    return std::nullopt;
  };
  EXPECT_EQ(Expression::parse("2 N*m", scope, {}).why().front().id, "model.ambiguous-unit");
  EXPECT_TRUE(
      Expression::parse("35 m", scope, {}));  // directly after a number it can only be a unit
}

std::string many(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

double seconds(const std::string& text) {  // of processor time
  const std::clock_t start = std::clock();
  (void)parse(text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// What such a text may take: twenty times what a formula takes per character, on this machine and in
// this build, and the grain of the clock.
double allowed(const std::string& text) {
  static const double per_character = [] {
    const std::string formula = "0" + many("+x", 4000);
    double least = seconds(formula);
    for (int k = 0; k < 4; ++k) least = std::min(least, seconds(formula));
    return least / static_cast<double>(formula.size());
  }();
  return 20 * per_character * static_cast<double>(text.size()) + 0.02;
}

TEST(ExpressionLimit, NestingAndLength) {
  const std::string deep[] = {many("(", 100000) + "1" + many(")", 100000),
                              many("-", 100000) + "1",
                              many("sin(", 100000),
                              many("2^", 100000) + "2",
                              many("not ", 100000) + "1",
                              many("if(x,", 100000),
                              many("(-", 50000)};
  for (const auto& text : deep) {
    const auto e = parse(text);
    ASSERT_FALSE(e);
    EXPECT_EQ(e.why().front().id, "limit.expression") << text.substr(0, 20);
    EXPECT_LT(seconds(text), allowed(text));
  }
  const std::string wide[] = {"0" + many("+x", 100000),
                              "min(1" + many(",x", 100000) + ")",
                              "table(x" + many(",1", 100000) + ")",
                              "x" + many("*x", 1000000)};
  for (const auto& text : wide) {
    const auto e = parse(text);
    ASSERT_FALSE(e);
    EXPECT_EQ(e.why().front().id, "limit.expression") << text.substr(0, 20);
    EXPECT_LT(seconds(text), allowed(text));
  }
}

TEST(ExpressionLimit, WithinItEverythingWorks) {
  EXPECT_EQ(parse(many("(", 150) + "x" + many(")", 150)).value().value(std::array{0.0, 2.0}), 2);
  EXPECT_EQ(parse("0" + many("+x", 4000)).value().value(std::array{0.0, 2.0}), 8000);
  const auto towers = parse(many("x+x*x^(", 60) + "x" + many(")", 60));
  ASSERT_TRUE(towers) << reasons(towers);
  const auto high = parse(many("x or x and x<x+x*x^(", 60) + "x" + many(")", 60));
  ASSERT_FALSE(high);
  EXPECT_EQ(high.why().front().id, "limit.expression");
}

TEST(ExpressionLimit, LongTokensAreHandled) {
  for (const std::string_view piece : {"1", "a", " ", "\xF0"}) {
    const std::string text = many(piece, 1000000);
    EXPECT_LT(seconds(text), allowed(text)) << piece;
  }
  const auto e = parse(many("a", 100000));
  ASSERT_FALSE(e);
  EXPECT_LT(to_text(e.why().front()).size(), 1000u);
}

// Whatever the text, the parser returns and the value can be computed.
TEST(ExpressionLimit, RandomTextNeverBreaksIt) {
  const char* pieces[] = {"1",      "2.5",   "1e9",  "x",    "t",        "gap",       "crank",
                          "broken", "+",     "-",    "*",    "/",        "^",         "(",
                          ")",      ",",     "sin(", "if(",  "step(",    " ",         "table(",
                          "min(",   "mm",    " m",   "N",    "<",        "==",        "and",
                          "not ",   "rate(", "gap)", "zero", "profile(", "\xC2",      "\xB0",
                          "@",      "1/s",   "^2",   "e",    "pi",       "deadband(", "clamp(",
                          "0",      "rad"};
  std::mt19937 random(5);
  const std::array<double, 5> point{0.3, 0.7, -1.2, 0.02, -0.5};
  std::array<double, 5> d;
  int valid = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const auto length = random() % 12;
    for (unsigned k = 0; k < length; ++k) text += pieces[random() % std::size(pieces)];
    if (const auto e = parse(text)) {
      ++valid;
      const double f = e.value().value(point), g = e.value().gradient(point, d),
                   h = e.value().jet(point, 1).f;
      EXPECT_TRUE(f == g || std::isnan(f)) << text;
      EXPECT_TRUE(f == h || std::isnan(f)) << text;
    } else {
      for (const auto& fault : e.why()) EXPECT_NE(explain(fault.id), nullptr) << text;
    }
  }
  EXPECT_GT(valid, 500);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 30, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    (void)parse(text);
  }
}

}  // namespace
}  // namespace cardan
