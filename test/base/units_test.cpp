#include "cardan/base/units.h"

#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cardan {
namespace {

double factor(std::string_view symbol) {
  const auto u = find_unit(symbol);
  return u ? u->factor : std::nan("");
}

TEST(Units, FactorsToSi) {
  EXPECT_DOUBLE_EQ(factor("mm"), 1e-3);
  EXPECT_DOUBLE_EQ(factor("ft"), 0.3048);
  EXPECT_DOUBLE_EQ(factor("min"), 60);
  EXPECT_DOUBLE_EQ(factor("rpm"), 2 * std::numbers::pi / 60);
  EXPECT_DOUBLE_EQ(360 * factor("deg"), factor("rev"));
  EXPECT_DOUBLE_EQ(factor("Hz"), 1);  // and not a turn per second
  EXPECT_DOUBLE_EQ(factor("lbf"), 4.4482216152605);
  EXPECT_NEAR(factor("slug"), 14.59390294, 1e-7);
  EXPECT_NEAR(factor("psi"), 6894.757293168, 1e-7);
  EXPECT_DOUBLE_EQ(factor("t"), 1000);
}

TEST(Units, DimensionsFitTogether) {
  EXPECT_EQ(find_unit("N")->dimension, dimension::force);
  EXPECT_EQ(find_unit("J")->dimension, find_unit("Nm")->dimension);
  EXPECT_EQ(find_unit("rpm")->dimension, dimension::rate);
  EXPECT_EQ(find_unit("deg")->dimension, dimension::none);
  EXPECT_EQ(find_unit("bar")->dimension, find_unit("MPa")->dimension);
  const auto product = [](const char* a, const char* b) {
    Dimension d = find_unit(a)->dimension;
    for (std::size_t k = 0; k < d.power.size(); ++k)
      d.power[k] = static_cast<signed char>(d.power[k] + find_unit(b)->dimension.power[k]);
    return d;
  };
  EXPECT_EQ(product("V", "A"), dimension::power);
  EXPECT_EQ(product("ohm", "A"), dimension::voltage);
  EXPECT_EQ(product("H", "Hz"), dimension::resistance);
  EXPECT_EQ(product("ohm", "F"), dimension::time);
  EXPECT_EQ(product("A", "s"), dimension::charge);
}

TEST(Units, UnknownSymbols) {
  for (const char* symbol : {"", "M", "Kg", "mm ", "furlong", "n"})
    EXPECT_FALSE(find_unit(symbol)) << symbol;
}

TEST(Units, EverySymbolOnce) {
  std::set<std::string_view> seen;
  for (const auto& u : all_units()) {
    EXPECT_TRUE(seen.insert(u.symbol).second) << u.symbol;
    EXPECT_GT(u.unit.factor, 0) << u.symbol;
  }
}

TEST(Units, DimensionsInWords) {
  EXPECT_EQ(to_text(dimension::none), "a plain number");
  EXPECT_EQ(to_text(dimension::force), "N (force)");
  EXPECT_EQ(to_text(dimension::rate), "1/s (angular velocity or frequency)");
  EXPECT_EQ(to_text(dimension::density), "kg/m^3 (density)");
  EXPECT_EQ(to_text(dimension::pressure), "Pa (pressure)");
  EXPECT_EQ(to_text(Dimension{{0, 4, 0}}), "m^4");
  EXPECT_EQ(to_text(dimension::voltage), "V (voltage)");
  EXPECT_EQ(si_unit(dimension::voltage), "V");
  EXPECT_EQ(si_unit(dimension::force), "N");
  EXPECT_EQ(si_unit(dimension::power), "W");
  EXPECT_EQ(si_unit(dimension::acceleration), "m/s^2");
  EXPECT_EQ(si_unit(Dimension{{1, 1, -1}}), "kg*m*s^-1");
  EXPECT_EQ(si_unit(dimension::none), "");
}

}  // namespace
}  // namespace cardan
