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
  EXPECT_NEAR(x[7], std::sin(1), 2e-7);
  EXPECT_NEAR(x[8], pi / 6, 2e-7);
  EXPECT_NEAR(x[9], 5 * pi / 6, 2e-7);
  EXPECT_NEAR(x[10], 5, 1e-6);
  EXPECT_NEAR(x[11], 3, 1e-7);
  EXPECT_EQ(x[12], 1);
  EXPECT_TRUE(std::isnan(x[13]));
}

TEST(measure, names_without_a_dot_are_channels_too) {
  const std::vector<Channel> own{
      {"lift", "m", "", ""}, {"bar.x", "m", "", ""}, {"bar.angle", "rad", "", ""}};
  const auto read = Measures::read({"stroke = max(lift) - min(2*lift - bar.x) + e*1 m"}, own);
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().list().front().unit, "m");
  Measures::Taking taking(read.value());
  ASSERT_FALSE(taking.open(own));
  for (int k = 0; k <= 10; ++k) {
    const double t = 0.1 * k;
    ASSERT_FALSE(taking.sample(t, std::vector<double>{t, 3 * t, 0}));
  }
  EXPECT_NEAR(taking.values().front(), 1 - (2 - 3) + std::exp(1), 1e-12);
}

TEST(measure, a_channel_that_is_not_there_is_told_with_those_that_are) {
  const std::vector<Channel> own{
      {"lift", "m", "", ""}, {"bar.x", "m", "", ""}, {"bar.angle", "rad", "", ""}};
  const std::pair<const char*, const char*> cases[] = {
      {"a = max(lif)", "did you mean \"lift\"?"},
      {"a = max(bar.elevation)", "'bar' has x, angle"},
      {"a = max(\"guide.thing\")", "channels are those of lift, bar"}};
  for (const auto& [text, hint] : cases) {
    const auto read = Measures::read({text}, own);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.why().front().id, "usage.unknown-channel") << text;
    EXPECT_EQ(read.why().front().hint, hint) << text;
  }
}

// A parabola through a step between two rows that are close would bend the long intervals beside it.
TEST(measure, names_without_blanks_need_no_quotes) {
  const auto x = measured({"a = max(abs(pin.first.fx + pin.first.fy)) + 1.5 N",
                           "b = max(abs(`pin.first.fx` + \"pin.first.fy\")) + 1.5 N",
                           "c = max(2.5*piston.x)"});
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[0], 8.5, 1e-6);
  EXPECT_EQ(x[0], x[1]);
  EXPECT_NEAR(x[2], 2.5, 1e-6);
}

TEST(measure, a_sudden_step_bends_nothing_beside_it) {
  Course x;
  for (const double t : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}) x.t.push_back(t), x.y.push_back(0);
  for (const double t : {0.50001, 0.6, 0.7, 0.8, 0.9, 1.0}) x.t.push_back(t), x.y.push_back(1);
  EXPECT_NEAR(value_at(x, 0.45), 0, 1e-12);
  EXPECT_NEAR(value_at(x, 0.57), 1, 1e-12);
  EXPECT_NEAR(integral(x), 0.5, 1e-4);
  EXPECT_NEAR(root_mean_square(x), std::sqrt(0.5), 1e-4);
  EXPECT_NEAR(crossing(x, 0.5, 1), 0.500005, 1e-9);
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
  // Formulas are named as they were written.
  EXPECT_NE(read.why()[8].expected.find("\"max(\"piston.x\") + max(\"piston.vx\")\""),
            std::string::npos)
      << read.why()[8].expected;
  for (const Diagnostic& d : read.why())
    for (const char* name : {"course_", "channel_"})
      EXPECT_EQ(d.expected.find(name), std::string::npos) << d.expected;
}

// x = a sin(b t) with a, b parameters: what every function gives has the derivative of the same
// function of rows with other parameters, and at extremes and integrals that of the closed form.
TEST(measure, has_the_derivatives_of_its_formulas) {
  const std::vector<Channel> with_slopes{{"piston.x", "m", "", ""},
                                         {"piston.vx", "m/s", "", ""},
                                         {"pin.first.fx", "N", "", ""},
                                         {"pin.first.fy", "N", "", ""},
                                         {"d(piston.x)/d(a)", "", "", ""},
                                         {"d(piston.x)/d(b)", "", "", ""},
                                         {"d(piston.vx)/d(a)", "", "", ""},
                                         {"d(piston.vx)/d(b)", "", "", ""},
                                         {"d(pin.first.fx)/d(a)", "", "", ""},
                                         {"d(pin.first.fx)/d(b)", "", "", ""},
                                         {"d(pin.first.fy)/d(a)", "", "", ""},
                                         {"d(pin.first.fy)/d(b)", "", "", ""}};
  const std::vector<std::string> texts{"c0 = max(\"piston.x\")",
                                       "c1 = min(\"piston.x\")",
                                       "c2 = time_of_max(\"piston.x\")",
                                       "c3 = mean(\"piston.x\"^2)",
                                       "c4 = rms(\"piston.x\")",
                                       "c5 = integral(abs(\"piston.x\"))",
                                       "c6 = final(\"piston.vx\")",
                                       "c7 = at(\"piston.x\", 1 s)",
                                       "c8 = crossing(\"piston.x\", 0.5 m)",
                                       "c9 = max(\"pin.force\") / initial(\"piston.vx\")",
                                       "c10 = time_of_min(\"piston.x\")"};
  const auto read = Measures::read(texts, with_slopes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value().channels(),
            (std::vector<std::string>{"piston.x", "piston.vx", "pin.first.fx", "pin.first.fy"}));

  struct Numbers {
    std::vector<double> values, slopes;
  };

  const auto of = [&](double a, double b) {
    Measures::Taking taking(read.value(), {"a", "b"});
    EXPECT_FALSE(taking.open(with_slopes));
    for (int k = 0; k <= 300; ++k) {
      const double t = 2 * pi * k / 300.0;
      const double s = std::sin(b * t), c = std::cos(b * t);
      const std::vector<double> row{a * s,
                                    a * b * c,
                                    3 * a * s,
                                    4 * a * s,
                                    s,
                                    a * t * c,
                                    b * c,
                                    a * c - a * b * t * s,
                                    3 * s,
                                    3 * a * t * c,
                                    4 * s,
                                    4 * a * t * c};
      EXPECT_FALSE(taking.sample(t, row));
    }
    return Numbers{taking.values(), taking.slopes()};
  };
  const double a = 1.3, b = 0.9, h = 1e-6;
  const Numbers here = of(a, b);
  ASSERT_EQ(here.slopes.size(), 2 * texts.size());
  const Numbers more[2] = {of(a + h, b), of(a, b + h)}, less[2] = {of(a - h, b), of(a, b - h)};
  for (std::size_t k = 0; k < texts.size(); ++k)
    for (std::size_t p = 0; p < 2; ++p)
      EXPECT_NEAR(here.slopes[2 * k + p],
                  (more[p].values[k] - less[p].values[k]) / (2 * h),
                  2e-7 * (1 + std::abs(here.slopes[2 * k + p])))
          << texts[k] << " by " << (p == 0 ? "a" : "b");
  EXPECT_NEAR(here.slopes[0], 1, 1e-7);
  EXPECT_NEAR(here.slopes[1], 0, 1e-5);
  EXPECT_NEAR(here.slopes[5], -pi / (2 * b * b), 1e-3);
  // Without channels of derivatives they are not known.
  Measures::Taking bare(read.value(), {"a"});
  EXPECT_FALSE(bare.open(channels));
  EXPECT_FALSE(bare.sample(0, std::vector<double>{1, 1, 1, 1}));
  EXPECT_TRUE(std::isnan(bare.slopes()[0]));
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
  EXPECT_EQ(value_at(Course{{0, 0.3}, {1, 2}}, 3 * 0.1), 2);  // the end but for round-off
  EXPECT_TRUE(std::isnan(value_at(Course{{0, 0.3}, {1, 2}}, 0.300001)));
  const Course bad{{0, 1, 2}, {0, std::numeric_limits<double>::quiet_NaN(), 1}};
  EXPECT_TRUE(std::isnan(largest(bad).value));
}

}  // namespace
}  // namespace cardan
