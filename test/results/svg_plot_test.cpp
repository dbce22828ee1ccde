#include "cardan/report/svg_plot.h"

#include <cmath>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include "cardan/report/svg_plot_scale.h"

namespace cardan {
namespace {

PlotScale scale_of(std::vector<double> values, bool log = false, int about = 6) {
  PlotAxis axis;
  axis.log = log;
  return make_scale(axis, {&values}, about);
}

TEST(SvgPlot, LinearTicksStandAtRoundNumbersInsideTheRange) {
  const PlotScale s = scale_of({0.03, 0.97});
  ASSERT_EQ(s.ticks.size(), 4u);
  EXPECT_EQ(s.ticks.front().text, "0.2");
  EXPECT_EQ(s.ticks.back().text, "0.8");
}

TEST(SvgPlot, SmallAndLargeValuesShareAPowerOfTen) {
  EXPECT_EQ(scale_of({0, 3e-7}).factor, -9 + 0);
  EXPECT_EQ(scale_of({0, 2.5e6}).factor, 6);
  EXPECT_EQ(scale_of({0, 250}).factor, 0);
}

TEST(SvgPlot, LogTicksAreDecades) {
  const PlotScale s = scale_of({2e-9, 5e-3}, true, 10);
  int labelled = 0;
  for (const PlotTick& t : s.ticks) labelled += t.power ? 1 : 0;
  EXPECT_EQ(labelled, 6);  // 1e-8 ... 1e-3
  EXPECT_DOUBLE_EQ(s.pixel(1e-6), std::log(1e-6 / 2e-9) / std::log(5e-3 / 2e-9));
}

TEST(SvgPlot, ConstantAndEmptyDataStillHaveARange) {
  EXPECT_LT(scale_of({3, 3, 3}).low, 3);
  EXPECT_GT(scale_of({0, 0}).high, 0);
  EXPECT_LT(scale_of({}).low, scale_of({}).high);
}

TEST(SvgPlot, GapsBreakTheLineAndUnshowableValuesAreCounted) {
  Plot plot;
  plot.y.log = true;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  plot.curves.push_back(
      {.name = "error", .x = {0, 1, 2, 3, 4, 5}, .y = {1, 10, nan, 10, 0, 100}, .colour = {}});
  const std::string text = svg(plot);
  const std::regex line("<path d='(M[^']*)' fill='none' stroke='#2563c9'");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, line));
  const std::string path = found[1];
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 3);
  EXPECT_NE(text.find("1 value not above 0 not shown"), std::string::npos);
}

TEST(SvgPlot, TextIsEscaped) {
  Plot plot;
  plot.title = "<script>&\"";
  EXPECT_EQ(svg(plot).find("<script>"), std::string::npos);
}

TEST(SvgPlot, EqualAxesGiveEqualLengths) {
  Plot plot;
  plot.equal_axes = true;
  PlotCurve circle;
  circle.colour = "#123456";
  for (int i = 0; i <= 4; ++i)
    circle.x.push_back(std::cos(i * M_PI / 2)), circle.y.push_back(std::sin(i * M_PI / 2));
  plot.curves.push_back(circle);
  const std::string text = svg(plot);
  const std::regex line("<path d='M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)L");
  std::smatch m;
  ASSERT_TRUE(std::regex_search(text, m, line));
  EXPECT_NEAR(std::stod(m[1]) - std::stod(m[3]), std::stod(m[2]) - std::stod(m[4]), 0.02);
}

}  // namespace
}  // namespace cardan
