// Motions that start at another time than 0, forwards and backwards ([assembly] time).
#include <cmath>

#include "test/model_text.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

std::string pushed(const std::string& start,
                   const std::string& velocity,
                   const std::string& until) {
  return test::ModelText()
      .gravity(0, 0)
      .block("mass", {0, 0}, 2, 1, velocity)
      .slide("rail", "ground", "mass", {0, 0}, {1, 0})
      .force("push", "mass", "4 N*cos(2*t/(1 s))", "0 N")
      .line(start)
      .dynamic("until = " + until + "\noutput_step = 0.125\nrtol = 1e-11\natol = 1e-12")
      .toml();
}

// x'' = 2 cos 2t: x' = sin 2t, x = (1 - cos 2t) / 2 from rest at 0.
double x_of(double t) {
  return (1 - std::cos(2 * t)) / 2;
}

Memory run(const std::string& text) {
  Memory rows;
  const Outcome out = run_model(test::model_of(text), rows, {});
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  return rows;
}

TEST(StartTime, ForwardsAndBackwardsFromOne) {
  const std::string there = fmt::format("velocity = [{:.17g}, 0]\n", std::sin(2.0));
  for (const auto& [until, rows_there] : {std::pair{"2.5", 13}, {"-0.5", 13}}) {
    const Memory rows = run(pushed("[assembly]\ntime = 1\n", there, until));
    ASSERT_EQ(rows.times.size(), static_cast<std::size_t>(rows_there)) << until;
    EXPECT_EQ(rows.times.front(), 1);
    EXPECT_EQ(rows.times.back(), std::stod(until));
    for (std::size_t k = 0; k < rows.times.size(); ++k) {
      const double t = rows.times[k];
      EXPECT_NEAR(rows.value("mass.x", k), x_of(t) - x_of(1), 1e-9) << t;
      EXPECT_NEAR(rows.value("mass.vx", k), std::sin(2 * t), 1e-9) << t;
      EXPECT_NEAR(rows.value("mass.ax", k), 2 * std::cos(2 * t), 1e-9) << t;
    }
  }
}

TEST(StartTime, BackwardsFromZeroIsAskedFor) {
  const Memory rows = run(pushed("[assembly]\ntime = 0\n", "", "-1"));
  EXPECT_EQ(rows.times.back(), -1);
  EXPECT_NEAR(rows.last("mass.x"), x_of(-1), 1e-9);
  const auto refused = read_model_text(pushed("", "", "-1"), "test.toml");
  ASSERT_FALSE(refused);
  EXPECT_NE(to_text(refused.why().front()).find("[assembly] time = 0"), std::string::npos);
}

// A driven mechanism at a time of its own is where it is then.
TEST(StartTime, DriversAreEvaluatedThere) {
  Model model = test::model_file("four-bar");
  KinematicOptions o;
  o.until = 0.5;
  o.output_step = 0.05;
  model.analyses = {o};
  Memory whole, part;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  model.start_time = 0.25;
  ASSERT_EQ(run_model(model, part, {}).summary.status, "complete");
  ASSERT_EQ(part.rows.size(), 6U);
  for (std::size_t k = 0; k < part.rows.size(); ++k)
    for (const char* name :
         {"crank.angle", "coupler.angle", "rocker.angle", "rocker.omega", "rocker.alpha"})
      EXPECT_NEAR(
          std::remainder(part.value(name, k) - whole.value(name, k + 5), 2 * 3.14159265358979312),
          0,
          1e-9)
          << name << ' ' << k;
}

TEST(StartTime, WithoutItTimesEndAboveZero) {
  const auto refused = read_model_text(pushed("", "", "-1"), "m.toml");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.why().front().id, "model.bad-value");
}

}  // namespace
}  // namespace cardan
