// Units that somebody wants to see instead of those of SI.
#include "cardan/results/display_units.h"

#include <gtest/gtest.h>

namespace cardan {
namespace {

TEST(DisplayUnits, ReplaceSymbolsWhereverTheyOccur) {
  const auto units = DisplayUnits::parse("mm, deg,kN");
  ASSERT_TRUE(units);
  const auto expect = [&](const char* si, const char* unit, double factor) {
    const auto shown = units.value().of(si);
    EXPECT_EQ(shown.unit, unit);
    EXPECT_NEAR(shown.factor / factor, 1, 1e-14) << si;
  };
  expect("m", "mm", 1e3);
  expect("m/s^2", "mm/s^2", 1e3);
  expect("N", "kN", 1e-3);
  expect("N*m", "kN*mm", 1);
  expect("rad/s", "deg/s", 180 / 3.14159265358979323846);
  expect("kg*m^2", "kg*mm^2", 1e6);
  expect("1/m", "1/mm", 1e-3);
  expect("N*m/rad", "kN*mm/deg", 3.14159265358979323846 / 180);
  expect("", "", 1);
}

TEST(DisplayUnits, KnowWholeUnits) {
  const auto units = DisplayUnits::parse("rpm,kNm");
  ASSERT_TRUE(units);
  EXPECT_EQ(units.value().of("rad/s").unit, "rpm");
  EXPECT_NEAR(units.value().of("rad/s").factor, 30 / 3.14159265358979323846, 1e-12);
  EXPECT_EQ(units.value().of("N*m").unit, "kNm");
  EXPECT_EQ(units.value().of("m").unit, "m");
}

TEST(DisplayUnits, RefuseWhatIsNoUnit) {
  EXPECT_FALSE(DisplayUnits::parse("mm,fathom"));
  EXPECT_TRUE(DisplayUnits::parse("").value().empty());
}

}  // namespace
}  // namespace cardan
