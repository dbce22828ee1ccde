// Measures of a run: what they are of known courses, and what is wrong with a text.
#include "cardan/study/measure.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cardan/study/row_functions.h"

namespace cardan {
namespace {

constexpr double pi = 3.141592653589793;

const std::vector<Channel> channels{{"piston.x", "m", "", ""},
                                    {"piston.vx", "m/s", "", ""},
                                    {"pin.first.fx", "N", "", ""},
                                    {"pin.first.fy", "N", "", ""}};

// x = sin t, its rate, and a force of 3 and 4 times sin t, at uneven times of one turn.
std::vector<double> measured(const std::vector<std::string>& texts) {
  const auto read = Measures::read(texts, channels);
  EXPECT_TRUE(read);
  if (!read) return {};
  Measures::Taking taking(read.value());
  EXPECT_FALSE(taking.open(channels));
  const int rows = 200;
  for (int k = 0; k <= rows; ++k) {
    const double s = static_cast<double>(k) / rows;
    const double t = 2 * pi * (s + 0.1 * s * (1 - s));
    const std::vector<double> row{std::sin(t), std::cos(t), 3 * std::sin(t), 4 * std::sin(t)};
    EXPECT_FALSE(taking.sample(t, row));
  }
  return taking.values();
}

TEST(measure, of_a_sine) {
  const auto x = measured({"a = max(\"piston.x\")",
                           "b = min(\"piston.x\")",
                           "c = time_of_max(\"piston.x\")",
                           "d = mean(\"piston.x\")",
                           "e = rms(\"piston.x\")",
                           "f = integral(abs(\"piston.x\"))",
                           "g = final(\"piston.vx\")",
                           "h = at(\"piston.x\", 1 s)",
                           "i = crossing(\"piston.x\", 0.5 m)",
                           "j = crossing(\"piston.x\", 500 mm, 2)",
                           "k = max(\"pin.force\")",
                           "l = max(max(\"piston.x\"), 2 m) - min(\"piston.x\")",
                           "m = initial(\"piston.vx\")",
                           "n = crossing(\"piston.x\", 2 m)"});
  ASSERT_EQ(x.size(), 14U);
  EXPECT_NEAR(x[0], 1, 1e-7);
  EXPECT_NEAR(x[1], -1, 1e-7);
  EXPECT_NEAR(x[2], pi / 2, 1e-4);
  EXPECT_NEAR(x[3], 0, 1e-8);
  EXPECT_NEAR(x[4], std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(x[5], 4, 1e-3);  // a corner at pi
  EXPECT_EQ(x[6], 1);
  EXPECT_NEAR(x[7], std::sin(1), 2e-4);
  EXPECT_NEAR(x[8], pi / 6, 2e-4);
  EXPECT_NEAR(x[9], 5 * pi / 6, 2e-4);
  EXPECT_NEAR(x[10], 5, 1e-6);
  EXPECT_NEAR(x[11], 3, 1e-7);
  EXPECT_EQ(x[12], 1);
  EXPECT_TRUE(std::isnan(x[13]));
}

TEST(measure, has_the_unit_of_what_it_measures) {
  const auto read = Measures::read({"a = max(\"piston.x\")",
                                    "b = integral(\"pin.force\")",
                                    "c = max(\"piston.x\") / max(\"piston.vx\")"},
                                   channels);
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().list()[0].unit, "m");
  EXPECT_EQ(read.value().list()[1].unit, "kg*m*s^-1");
  EXPECT_EQ(read.value().list()[2].unit, "s");
}

TEST(measure, faults_are_all_told) {
  const auto read = Measures::read({"max(\"piston.x\")",
                                    "a = max(\"pistn.x\")",
                                    "b = max(\"piston.x\" + \"piston.vx\")",
                                    "c = \"piston.x\"",
                                    "d = max(\"piston.x\"",
                                    "e = 1 + 1",
                                    "f = at(\"piston.x\")",
                                    "g = at(\"piston.x\", 1 m)",
                                    "h = max(\"piston.x\") + max(\"piston.vx\")",
                                    "i = max(\"piston.x)",
                                    "j = crossing(\"piston.x\", 0, 1.5)",
                                    "2k = max(\"piston.x\")"},
                                   channels);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.why().size(), 12U);
  EXPECT_EQ(read.why()[1].id, "usage.unknown-channel");
  EXPECT_EQ(read.why()[1].hint, "did you mean \"piston.x\"?");
}

TEST(measure, without_rows_it_is_not_known) {
  const auto read = Measures::read({"a = max(\"piston.x\")"}, channels);
  ASSERT_TRUE(read);
  Measures::Taking taking(read.value());
  EXPECT_TRUE(std::isnan(taking.values()[0]));
}

TEST(row_functions, parabolas_are_exact_and_end_at_jumps) {
  Course course;
  for (const double t : {0.0, 0.5, 1.5, 2.0, 3.0}) {
    course.t.push_back(t);
    course.y.push_back(1 - (t - 1.2) * (t - 1.2));
  }
  EXPECT_DOUBLE_EQ(largest(course).value, 1);
  EXPECT_DOUBLE_EQ(largest(course).t, 1.2);
  EXPECT_NEAR(integral(course), 3 - (1.8 * 1.8 * 1.8 + 1.2 * 1.2 * 1.2) / 3, 1e-14);
  const Course jump{{0, 1, 1, 2}, {0, 0, 1, 1}};
  EXPECT_DOUBLE_EQ(integral(jump), 1);
  EXPECT_EQ(largest(jump).value, 1);
  EXPECT_EQ(crossing(jump, 0.5, 1), 1);
  const Course bad{{0, 1, 2}, {0, std::numeric_limits<double>::quiet_NaN(), 1}};
  EXPECT_TRUE(std::isnan(largest(bad).value));
}

}  // namespace
}  // namespace cardan
