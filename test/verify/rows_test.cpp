// Rows follow the motion, and what is said of channels does not depend on rows.
#include <algorithm>
#include <cmath>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

Model press(const std::string& speed, double until) {
  ReadOptions options;
  options.set.emplace_back("speed", speed);
  auto model = read_model(std::string(test::source_dir) + "/models/press/model.toml", options);
  EXPECT_TRUE(model);
  test::dynamic(model.value()).until = until;
  return std::move(model).value();
}

const ChannelStatistics& of(const Summary& summary, const std::string& name) {
  for (const ChannelStatistics& c : summary.channels)
    if (c.channel == name) return c;
  ADD_FAILURE() << "no channel " << name;
  return summary.channels.front();
}

Control following() {  // as runs that are stored
  Control control;
  control.rows_follow = true;
  return control;
}

bool warns(const Summary& summary, const char* id) {
  return std::any_of(summary.diagnostics.begin(), summary.diagnostics.end(), [&](const auto& d) {
    return d.id == id;
  });
}

void expect_press_peaks(const Summary& s) {
  EXPECT_NEAR(of(s, "ram.x").least, 0.18, 1e-5);
  EXPECT_NEAR(of(s, "ram.x").largest, 0.30, 1e-5);
  EXPECT_NEAR(of(s, "motor.torque").least, -3957, 20);
  EXPECT_NEAR(of(s, "motor.torque").largest, 3961, 20);
  EXPECT_NEAR(of(s, "main bearing.first.fy").least, -25037, 125);
  EXPECT_NEAR(of(s, "main bearing.first.fy").largest, 24929, 125);
  EXPECT_NEAR(of(s, "motor.torque").mean, 0, 20);
}

// A row every 25 ms is one in a turn.
TEST(Rows, FollowAPressThatTurnsOncePerRowOfTheGrid) {
  Memory run;
  const Outcome out = run_model(press("2400 rpm", 1), run, following());
  ASSERT_EQ(out.summary.status, "complete");
  expect_press_peaks(out.summary);
  EXPECT_GT(run.rows.size(), 800U);
  double least = 1, largest = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    least = std::min(least, run.value("ram.x", k));
    largest = std::max(largest, run.value("ram.x", k));
    EXPECT_GE(run.times[k], k > 0 ? run.times[k - 1] : 0);
  }
  EXPECT_NEAR(least, 0.18, 1e-3);
  EXPECT_NEAR(largest, 0.30, 1e-3);
  EXPECT_FALSE(warns(out.summary, "numeric.coarse-rows"));
}

TEST(Rows, OfACoarseGridAreWarnedOfAndThePeaksAreRight) {
  Model model = press("2400 rpm", 1);
  test::dynamic(model).output_step = 0.025;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(run.rows.size(), 41U);
  expect_press_peaks(out.summary);
  EXPECT_TRUE(warns(out.summary, "numeric.coarse-rows"));
}

TEST(Rows, OfAGridOrOfStepsOrBoth) {
  std::map<std::string, std::size_t> count;
  for (const char* rows : {"grid", "steps", "both"}) {
    Model model = press("2400 rpm", 1);
    test::dynamic(model).output_step = 0.05;
    test::dynamic(model).rows = rows;
    Memory run;
    const Outcome out = run_model(model, run, {});
    expect_press_peaks(out.summary);
    count[rows] = run.rows.size();
  }
  EXPECT_EQ(count["grid"], 21U);
  EXPECT_GT(count["steps"], 800U);
  EXPECT_GT(count["both"], 800U);
}

TEST(Rows, KeepToABoundAndSayTheError) {
  Model model = press("2400 rpm", 1);
  test::dynamic(model).max_rows = 500;
  Memory run;
  const Outcome out = run_model(model, run, following());
  EXPECT_LE(run.rows.size(), 510U);
  EXPECT_GT(out.summary.rows.error, 1e-3);
  EXPECT_EQ(static_cast<std::size_t>(out.summary.rows.stored), run.rows.size());
  expect_press_peaks(out.summary);
}

// The ball's velocity just before and just behind each impact.
TEST(Rows, LieOnBothSidesOfEvents) {
  Model model = test::model_file("bouncing-link");
  test::dynamic(model).rows = "both";
  Memory run;
  const Outcome out = run_model(model, run, following());
  ASSERT_TRUE(ended_well(out.summary));
  std::size_t both = 0;
  for (std::size_t k = 1; k < run.times.size(); ++k)
    both += run.times[k] - run.times[k - 1] <= 1e-9;
  EXPECT_GT(both, 2U);
  EXPECT_NEAR(of(out.summary, "link.vy").least, -2.49236, 2e-3);
}

// A kinematic run of the same press has the same trouble with rows.
TEST(Rows, FollowADrivenMotion) {
  Model model = press("2400 rpm", 1);
  InverseOptions inverse;
  inverse.until = 1;
  model.analyses = {inverse};
  Memory run;
  const Outcome out = run_model(model, run, following());
  ASSERT_EQ(out.summary.status, "complete");
  expect_press_peaks(out.summary);
  EXPECT_GT(run.rows.size(), 800U);
}

// Rows that wait to be thinned are in the checkpoint.
TEST(Rows, AreTheSameAfterAResume) {
  for (const char* name : {"press", "bouncing-link"}) {
    Model model = test::model_file(name);
    Memory whole;
    const Outcome all = run_model(model, whole, following());
    ASSERT_TRUE(ended_well(all.summary)) << name;
    Memory first;
    first.checkpoint_every = 7;
    int left = 60;
    Control control = following();
    control.cancelled = [&] {
      return --left <= 0;
    };
    ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
    ASSERT_FALSE(first.last_checkpoint.empty());
    Memory rest;
    const Outcome resumed = run_model(model, rest, following(), first.last_checkpoint);
    first.times.resize(first.rows_at_checkpoint);
    first.rows.resize(first.rows_at_checkpoint);
    first.times.insert(first.times.end(), rest.times.begin(), rest.times.end());
    first.rows.insert(first.rows.end(), rest.rows.begin(), rest.rows.end());
    EXPECT_EQ(first.times, whole.times) << name;
    EXPECT_EQ(first.rows, whole.rows) << name;
    ASSERT_EQ(resumed.summary.channels.size(), all.summary.channels.size());
    for (std::size_t k = 0; k < all.summary.channels.size(); ++k) {
      EXPECT_EQ(resumed.summary.channels[k].largest, all.summary.channels[k].largest);
      EXPECT_EQ(resumed.summary.channels[k].rms, all.summary.channels[k].rms);
    }
  }
}

// Whatever the rows, the imbalance of energy and the violation of constraints are those of all steps.
TEST(Rows, DoNotDecideHowFarARunIsTrusted) {
  Model model = test::model_file("four-bar");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "baumgarte";
  o.integrator = "rk4";
  o.step = 0.005;
  std::vector<Summary> said;
  for (const double share : {1.0, 1.0 / 20, 1.0 / 400}) {
    o.output_step = share * o.until;
    Memory run;
    said.push_back(run_model(model, run, {}).summary);
  }
  for (const Summary& s : said) {
    EXPECT_NEAR(s.energy.max_imbalance / said.back().energy.max_imbalance, 1, 0.1);
    EXPECT_NEAR(s.constraint.max_position / said.back().constraint.max_position, 1, 0.1);
  }
}

// Methods that run past the end and come back by interpolation store nothing of what lies behind it.
TEST(Rows, EndWithTheRun) {
  for (const char* integrator : {"bdf", "adams", "ode45"}) {
    Model model = test::model_of(
        "gravity=[0,0]\n[[body]]\nname='b'\nmass=1\ninertia=1\nvelocity=[1,0]\n"
        "[[analysis]]\ntype='dynamic'\nuntil=10\n");
    test::dynamic(model).integrator = integrator;
    test::Memory run;
    ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
    EXPECT_EQ(run.times.back(), 10) << integrator;
    EXPECT_TRUE(std::is_sorted(run.times.begin(), run.times.end()));
  }
}

}  // namespace
}  // namespace cardan
