// What varies: ranges, lists, distributions, and the points that follow from them.
#include "cardan/study/variation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "cardan/study/design.h"
#include "cardan/study/unit_points.h"

namespace cardan {
namespace {

std::vector<ParameterInfo> parameters() {
  ParameterInfo stiffness, crank, count;
  stiffness.name = "stiffness";
  stiffness.dimension = dimension::stiffness;
  crank.name = "crank";
  crank.dimension = dimension::length;
  count.name = "n";
  return {stiffness, crank, count};
}

std::vector<double> values(const std::string& text) {
  const auto found = read_variation(text, parameters());
  EXPECT_TRUE(found) << text;
  return found ? found.value().values : std::vector<double>();
}

std::string refused(const std::string& text) {
  const auto found = read_variation(text, parameters());
  if (found) return "";
  const Diagnostic& d = found.why().front();
  return d.id + " " + d.found + " " + d.expected + " " + d.hint;
}

using List = std::vector<double>;

TEST(variation, ranges_and_lists) {
  EXPECT_EQ(values("stiffness=20:5:40 N/mm"), (List{20e3, 25e3, 30e3, 35e3, 40e3}));
  EXPECT_EQ(values("crank = 60:10:90 mm"), (List{0.06, 0.07, 0.08, 0.09}));
  EXPECT_EQ(values("crank=0:0.1:0.5"), (List{0, 0.1, 0.2, 0.3, 0.4, 0.5}));
  EXPECT_EQ(values("crank=60 mm, 0.08, 9 cm"), (List{0.06, 0.08, 0.09}));
  EXPECT_EQ(values("stiffness=10,20,30 N/mm"), (List{10e3, 20e3, 30e3}));  // one unit for all
  EXPECT_EQ(values("stiffness=10,20"), (List{10, 20}));
  EXPECT_EQ(values("crank=6 cm:10 mm:80 mm"), (List{0.06, 0.07, 0.08}));
  EXPECT_EQ(values("crank=90:-10:70 mm"), (List{0.09, 0.08, 0.07}));
  EXPECT_EQ(values("crank=1:2:4"), (List{1, 3}));  // the end is not reached
  EXPECT_EQ(values("crank=1e-3:1e-3:3e-3 m"), (List{1e-3, 2e-3, 3e-3}));
  EXPECT_EQ(values("n=5:1:5"), (List{5}));
}

// How ranges are written elsewhere, and what that would otherwise be taken for.
TEST(variation, ranges_of_other_languages_are_named) {
  EXPECT_NE(refused("crank=60:80:5 mm").find("the step stands between start and end: 60:5:80 mm"),
            std::string::npos);
  EXPECT_NE(refused("crank=linspace(60,80,5) mm").find("a range is start:step:end"),
            std::string::npos);
  EXPECT_NE(refused("crank=[60,80] mm").find("a list 60,70,80 mm"), std::string::npos);
  EXPECT_NE(refused("crank=60..80 mm").find("a range is start:step:end"), std::string::npos);
  EXPECT_NE(refused("crank=60-80 mm").find("a unit with each number"), std::string::npos);
  EXPECT_EQ(values("crank=60 mm - 5 mm, 1e-2"), (List{0.055, 0.01}));
}

// Numbers without the unit that the model has are in SI units, and refused where that is far from it.
TEST(variation, a_lost_unit_is_asked_for) {
  std::vector<ParameterInfo> all = parameters();
  all[1].value = 0.08;
  all[1].text = "80 mm";
  const auto said = [&](const std::string& text) {
    const auto found = read_variation(text, all);
    return found ? "" : found.why().front().expected + " " + found.why().front().hint;
  };
  EXPECT_NE(said("crank=60,70").find("write 60 mm, or 60 m if"), std::string::npos);
  EXPECT_NE(said("crank=60:5:80").find("the model has crank = 80 mm"), std::string::npos);
  for (const char* good : {"crank=60:5:80 mm",
                           "crank=0.06,0.07",
                           "crank=0.06:0.0005:0.08",
                           "crank=60 m",
                           "crank=normal(80, 0.05 mm)",
                           "crank=normal(0.08, 5e-5)",
                           "crank=0"})
    EXPECT_EQ(said(good), "") << good;
}

TEST(variation, what_makes_no_sense_is_named) {
  EXPECT_NE(refused("crnk=1:1:2").find("did you mean 'crank'?"), std::string::npos);
  EXPECT_NE(refused("crank=1:1:2 kg").find("length"), std::string::npos);
  EXPECT_NE(refused("crank=3:1:1").find("empty"), std::string::npos);
  EXPECT_NE(refused("crank=1:0:3").find("the step is zero"), std::string::npos);
  EXPECT_NE(refused("crank=").find("empty"), std::string::npos);
  EXPECT_NE(refused("crank").find("name="), std::string::npos);
  EXPECT_NE(refused("crank=1:2").find("start:step:end"), std::string::npos);
  EXPECT_NE(refused("crank=1,x").find("'x'"), std::string::npos);
  EXPECT_NE(refused("crank=0:1e-9:1").find("limit.points a sweep of 1000000001 points"),
            std::string::npos);
  EXPECT_NE(refused("crank=normal(1)").find("mean, standard deviation"), std::string::npos);
  EXPECT_NE(refused("crank=normal(1, -1)").find("not negative"), std::string::npos);
  EXPECT_NE(refused("crank=uniform(2, 1)").find("rise"), std::string::npos);
  EXPECT_NE(refused("crank=normal(1 kg, 1)").find("length"), std::string::npos);
}

TEST(variation, distributions) {
  const auto found = read_variation("crank=normal(80 mm, 0.05 mm)", parameters());
  ASSERT_TRUE(found);
  ASSERT_TRUE(found.value().distribution);
  const auto one_unit = read_variation("crank=normal(80, 0.05 mm)", parameters());
  ASSERT_TRUE(one_unit);
  EXPECT_DOUBLE_EQ(one_unit.value().distribution->quantile(0.5), 0.08);
  EXPECT_DOUBLE_EQ(found.value().distribution->quantile(0.5), 0.08);
  EXPECT_NEAR(found.value().distribution->quantile(0.8413447460685429), 0.08 + 5e-5, 1e-18);
}

// Values of Phi^-1 to all digits, from tables.
TEST(distribution, quantiles) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 2e-15);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 4e-15);
  EXPECT_NEAR(normal_quantile(1e-12), -7.034483825301131, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0);
  const Distribution triangle{DistributionKind::triangular, {0, 1, 3}};
  EXPECT_DOUBLE_EQ(triangle.quantile(1.0 / 3), 1);
  EXPECT_DOUBLE_EQ(triangle.quantile(1.0 / 12), 0.5);
  EXPECT_DOUBLE_EQ(triangle.quantile(1 - 1.0 / 6), 2);
  const Distribution lognormal{DistributionKind::lognormal, {2, 0.5}};
  EXPECT_DOUBLE_EQ(lognormal.quantile(0.5), 2);
}

TEST(unit_points, latin_hypercubes_have_one_point_in_each_part) {
  const auto points = latin_hypercube(3, 50, 7);
  ASSERT_EQ(points.size(), 3U);
  for (const auto& column : points) {
    std::set<int> parts;
    for (const double u : column) parts.insert(static_cast<int>(u * 50));
    EXPECT_EQ(parts.size(), 50U);
  }
  EXPECT_EQ(points, latin_hypercube(3, 50, 7));
  EXPECT_NE(points, latin_hypercube(3, 50, 8));
  EXPECT_NE(points[0], points[1]);
}

// The first points of the published sequence, and its property: each of the 2^k equal parts of an
// axis has one of 2^k points, in each variable.
TEST(unit_points, sobol) {
  const auto plain = plain_sobol_points(3, 4);
  EXPECT_EQ(plain[0], (List{0, 0.5, 0.75, 0.25}));
  EXPECT_EQ(plain[1], (List{0, 0.5, 0.25, 0.75}));
  EXPECT_EQ(plain[2], (List{0, 0.5, 0.25, 0.75}));
  for (const auto& column : sobol_points(most_sobol_variables, 256, 3)) {
    std::set<int> parts;
    for (const double u : column) parts.insert(static_cast<int>(u * 256));
    EXPECT_EQ(parts.size(), 256U);
  }
}

Variation list(const std::string& name, List numbers) {
  return {name, "", std::move(numbers), {}};
}

TEST(design, grid_zip_and_sample) {
  const auto grid = Design::make({list("a", {1, 2}), list("b", {10, 20, 30})}, {});
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid.value().count(), 6);
  EXPECT_EQ(grid.value().point(0), (List{1, 10}));
  EXPECT_EQ(grid.value().point(4), (List{2, 20}));
  const auto zip = Design::make({list("a", {1, 2}), list("b", {10, 20})}, {DesignKind::zip});
  ASSERT_TRUE(zip);
  EXPECT_EQ(zip.value().point(1), (List{2, 20}));
  EXPECT_FALSE(Design::make({list("a", {1, 2}), list("b", {1})}, {DesignKind::zip}));
  EXPECT_FALSE(Design::make({}, {}));
  EXPECT_FALSE(Design::make({list("a", {1}), list("a", {1})}, {}));
  Variation normal = list("a", {});
  normal.distribution = Distribution{DistributionKind::normal, {5, 2}};
  EXPECT_FALSE(Design::make({normal}, {}));
  const auto sample = Design::make({normal}, {DesignKind::latin_hypercube, 2000, 1});
  ASSERT_TRUE(sample);
  double sum = 0, squares = 0;
  for (long k = 0; k < 2000; ++k) {
    const double x = sample.value().point(k)[0];
    sum += x;
    squares += (x - 5) * (x - 5);
  }
  EXPECT_NEAR(sum / 2000, 5, 1e-3);
  EXPECT_NEAR(std::sqrt(squares / 2000), 2, 5e-3);
}

TEST(design, too_many_points_are_refused_with_their_number) {
  List thousand(1000);
  std::iota(thousand.begin(), thousand.end(), 0);
  const auto made =
      Design::make({list("a", thousand), list("b", thousand), list("c", thousand)}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.why().front().id, "limit.points");
  EXPECT_EQ(made.why().front().found, "a sweep of 1000000000 points");
}

}  // namespace
}  // namespace cardan
