// What `cardan method` shows: made from the data that the methods compute with, so every table must
// give these numbers back.
#include "cardan/ode/method_sheet.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {
namespace {

double value_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  return slash == std::string::npos
             ? std::stod(text)
             : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

const CoefficientTable& table(const MethodSheet& sheet, const std::string& title) {
  for (const CoefficientTable& t : sheet.tables)
    if (t.title.find(title) != std::string::npos) return t;
  ADD_FAILURE() << "no table " << title;
  return sheet.tables.front();
}

MethodSheet sheet_of(const std::string& name, int order = 0) {
  MethodOptions options;
  options.order = order;
  return method_sheet(*find_method(name), options);
}

TEST(MethodSheet, EveryMethodHasOne) {
  for (const MethodEntry* entry : list_methods()) {
    const MethodSheet sheet = method_sheet(*entry, {});
    EXPECT_FALSE(sheet.formula.empty()) << entry->name;
    EXPECT_FALSE(sheet.reference.empty()) << entry->name;
    for (const CoefficientTable& t : sheet.tables)
      for (const auto& row : t.rows) EXPECT_EQ(row.size(), t.head.size()) << entry->name;
    EXPECT_TRUE(entry->traits({}).second_order || !sheet.tables.empty()) << entry->name;
  }
}

// Rows of a Butcher array: sum of a = c, sum of b = 1, whatever stands in them.
TEST(MethodSheet, ButcherArraysAreConsistent) {
  int arrays = 0;
  for (const MethodEntry* entry : list_methods()) {
    for (const CoefficientTable& t : method_sheet(*entry, {}).tables) {
      if (t.title != "Butcher array") continue;
      ++arrays;
      for (const auto& row : t.rows) {
        double sum = 0;
        for (std::size_t k = 2; k < row.size(); ++k)
          if (!row[k].empty()) sum += value_of(row[k]);
        EXPECT_NEAR(sum, row[1].empty() ? 1 : value_of(row[1]), 1e-14) << entry->name << row[0];
      }
    }
  }
  EXPECT_GE(arrays, 15);
}

TEST(MethodSheet, KnownFractions) {
  const CoefficientTable& pair = table(sheet_of("ode45"), "Butcher");
  EXPECT_EQ(pair.rows[4][3], "-25360/2187");
  EXPECT_EQ(pair.rows.back()[6], "-92097/339200");
  const CoefficientTable gamma = table(sheet_of("ab", 5), "backward differences");
  EXPECT_EQ(gamma.rows[5][1], "95/288");
  EXPECT_EQ(gamma.rows[5][2], "-3/160");
  EXPECT_EQ(table(sheet_of("ab", 4), "Adams-Bashforth").rows[1][1], "-59/24");
  EXPECT_EQ(table(sheet_of("mampc", 4), "weights").rows[3][1], "19/270");
  EXPECT_EQ(table(sheet_of("bdf-fixed", 3), "values").rows[0][1], "11/6");
}

// exp(z) - R(z) = C z^(p+1) + ... on y' = lambda y, where R is what a step makes of 1.
TEST(MethodSheet, ErrorConstants) {
  EXPECT_DOUBLE_EQ(sheet_of("euler").error_constant, 0.5);
  EXPECT_DOUBLE_EQ(sheet_of("ab", 2).error_constant, 5.0 / 12);
  EXPECT_DOUBLE_EQ(sheet_of("am", 2).error_constant, -1.0 / 12);
  EXPECT_DOUBLE_EQ(sheet_of("bdf-fixed", 1).error_constant, -0.5);
  int checked = 0;
  for (const MethodEntry* entry : list_methods()) {
    const Traits t = entry->traits({});
    const MethodSheet sheet = method_sheet(*entry, {});
    if (t.multistep || std::isnan(sheet.error_constant) || entry->amplification == nullptr)
      continue;
    const double z = -0.125;
    const double wanted = std::exp(z) - entry->amplification({}, z);
    EXPECT_NEAR(wanted / std::pow(z, t.order_max + 1) / sheet.error_constant, 1, 0.35)
        << entry->name;
    ++checked;
  }
  EXPECT_GE(checked, 12);
}

TEST(MethodSheet, Fractions) {
  EXPECT_EQ(as_fraction(0), "0");
  EXPECT_EQ(as_fraction(-2), "-2");
  EXPECT_EQ(as_fraction(1.0 / 3), "1/3");
  EXPECT_EQ(as_fraction(-92097.0 / 339200), "-92097/339200");
  EXPECT_EQ(as_fraction(std::sqrt(2.0)), "1.4142135623730951");
}

}  // namespace
}  // namespace cardan
