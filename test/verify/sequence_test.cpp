// Several analyses in a row, and what is stored of them.
#include <algorithm>
#include <cmath>

#include "test/verify/support.h"

namespace cardan {
namespace {

const std::string pendulum =
    "gravity = [0, -9.81]\n"
    "[[body]]\nname='bar'\nfrom=[0, 0]\nto=[1, 0]\nmass=1\n"
    "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground', 'bar']\nat=[0, 0]\n"
    "[[initial]]\njoint='pin'\nangle=0.5\nrate=2\n";

// A sink that keeps the rows of each analysis apart.
struct Parts : test::Memory {
  std::vector<std::size_t> starts;

  Fault open(std::span<const Channel> c) override {
    starts.push_back(rows.size());
    return Memory::open(c);
  }
};

TEST(Sequence, AnAssemblyInBetweenKeepsTheState) {
  const Model model =
      test::model_of(pendulum + "[[analysis]]\ntype='dynamic'\nuntil=0.7\n" +
                     "[[analysis]]\ntype='assembly'\n" + "[[analysis]]\ntype='dynamic'\nuntil=1\n");
  Parts run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  ASSERT_EQ(run.starts.size(), 3u);
  const std::size_t end = run.starts[1] - 1, assembled = run.starts[1], next = run.starts[2];
  for (const char* channel : {"bar.angle", "bar.omega", "pin.first.fx", "energy.kinetic"}) {
    EXPECT_NEAR(run.value(channel, assembled), run.value(channel, end), 1e-9) << channel;
    EXPECT_NEAR(run.value(channel, next), run.value(channel, end), 1e-9) << channel;
  }
  // The same motion as without it.
  const Model whole = test::model_of(pendulum + "[[analysis]]\ntype='dynamic'\nuntil=1\n");
  test::Memory other;
  ASSERT_EQ(run_model(whole, other, {}).summary.status, "complete");
  EXPECT_NEAR(run.last("bar.angle"), other.last("bar.angle"), 1e-5);
}

TEST(Sequence, AnEarlierEndTimeIsToldToRunBackwards) {
  const auto told = [](const char* first, const char* second) {
    const Model model = test::model_of(pendulum + first + second);
    test::Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.exit_code(), 0);
    const auto& all = out.summary.diagnostics;
    return std::count_if(
        all.begin(), all.end(), [](const Diagnostic& d) { return d.id == "numeric.backwards"; });
  };
  const char *one = "[[analysis]]\ntype='dynamic'\nuntil=1\n",
             *two = "[[analysis]]\ntype='dynamic'\nuntil=2\n";
  EXPECT_EQ(told(one, two), 0);
  EXPECT_EQ(told(two, one), 1);
}

TEST(Sequence, ReactionsOfRedundantJointsAreTheSameInEveryAnalysis) {
  const Model model = test::model_of(
      "space = 'spatial'\ngravity = [0, 0, -9.81]\n"
      "[[body]]\nname='door'\nat=[0.5, 0, 1]\nmass=10\ninertia=[1, 1, 1]\n"
      "[[joint]]\ntype='revolute'\nname='lower'\nbetween=['ground', 'door']\nat=[0, 0, 0]\n"
      "axis=[0, 0, 1]\n"
      "[[joint]]\ntype='revolute'\nname='upper'\nbetween=['ground', 'door']\nat=[0, 0, 2]\n"
      "axis=[0, 0, 1]\n"
      "[[analysis]]\ntype='assembly'\n[[analysis]]\ntype='dynamic'\nuntil=0.1\n");
  Parts run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  for (const char* channel : {"lower.second.fz", "upper.second.fz", "lower.second.fx"})
    EXPECT_NEAR(run.value(channel, 0), run.value(channel, run.starts[1]), 1e-9) << channel;
  EXPECT_NEAR(run.value("lower.second.fz", 0), 49.05, 1e-6);
}

TEST(Sequence, APatternThatFitsNoChannelIsAFault) {
  const Model model = test::model_of(pendulum + "[output]\nchannels=['bar.x', 'brr.*']\n" +
                                     "[[analysis]]\ntype='dynamic'\nuntil=1\n");
  test::Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "usage.unknown-channel");
  EXPECT_TRUE(run.rows.empty());
  EXPECT_TRUE(out.summary.final.empty()) << "nothing to store: an older run is kept";
  const Model good = test::model_of(pendulum + "[output]\nchannels=['bar.x', 'b*.y']\n" +
                                    "[[analysis]]\ntype='dynamic'\nuntil=1\n");
  ASSERT_EQ(run_model(good, run, {}).summary.status, "complete");
  EXPECT_EQ(run.channels.size(), 2u);
}

}  // namespace
}  // namespace cardan
