// A motion that becomes stiff on its way: the explicit method that was chosen at the start gives way
// to an implicit one, once, with a note and an event; runs go on bit for bit over it; a method that
// was asked for stays.
#include <algorithm>
#include <cstring>

#include "test/verify/support.h"

namespace cardan {
namespace {

// A bar that falls, and from 1 s on turns in something very thick. In space and in the plane.
std::string falling_bar(bool space) {
  const std::string body =
      space ? "space='spatial'\ngravity=[0,-9.81,0]\n"
              "[[body]]\nname='bar'\nmass=1\ninertia=[0.01,0.1,0.1]\nat=[0.5,0,0]\n"
              "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground','bar']\n"
              "at=[0,0,0]\naxis=[0,0,1]\n"
            : "gravity=[0,-9.81]\n"
              "[[body]]\nname='bar'\nmass=1\ninertia=0.1\nat=[0.5,0]\n"
              "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground','bar']\n"
              "at=[0,0]\n";
  return body +
         "[[request]]\nname='turn'\njoint='pin'\n"
         "[[force]]\ntype='torque'\nbody='bar'\n" +
         (space ? "value=[0,0,'-(0.1+1e5*step(t,1,0,1.1,1))*rate(turn)*(1 N*m*s)']\n"
                : "value='-(0.1+1e5*step(t,1,0,1.1,1))*rate(turn)*(1 N*m*s)'\n") +
         "[[analysis]]\ntype='dynamic'\nuntil=10\n";
}

struct Told : test::Memory {
  std::vector<Event> changes;

  Fault event(const Event& e) override {
    if (e.kind == "change-over") changes.push_back(e);
    return {};
  }
};

long notes_of(const Outcome& out) {
  const auto& all = out.summary.diagnostics;
  return std::count_if(
      all.begin(), all.end(), [](const Diagnostic& d) { return d.id == "numeric.change-over"; });
}

class ChangeOver : public testing::TestWithParam<bool> {};

TEST_P(ChangeOver, HappensOnceAndKeepsTheMotion) {
  Model model = test::model_of(falling_bar(GetParam()));
  Told run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
  ASSERT_EQ(run.changes.size(), 1U);
  EXPECT_EQ(notes_of(out), 1);
  EXPECT_GT(run.changes.front().t, 1);
  EXPECT_LT(run.changes.front().t, 1.2);
  EXPECT_LT(out.summary.stats.steps, 3000);
  Model tight = test::model_of(falling_bar(GetParam()));
  test::tighten(tight, 1e-10, "radau5");
  Told other;
  const Outcome reference = run_model(tight, other, {});
  EXPECT_EQ(notes_of(reference), 0);
  const char* channel = GetParam() ? "pin.angle" : "bar.angle";
  ASSERT_EQ(run.rows.size(), other.rows.size());
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    EXPECT_NEAR(run.value(channel, k), other.value(channel, k), 2e-5) << run.times[k];
}

TEST_P(ChangeOver, IsPartOfTheCheckpoint) {
  const Model model = test::model_of(falling_bar(GetParam()));
  Told whole;
  const Outcome all = run_model(model, whole, {});
  for (const long steps : {40L, all.summary.stats.steps / 2, all.summary.stats.steps - 20}) {
    Told first, rest;
    long left = steps;
    Control control;
    control.cancelled = [&] {
      return --left <= 0;
    };
    ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
    ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
    EXPECT_EQ(first.changes.size() + rest.changes.size(), 1U) << steps;
    ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
    for (std::size_t k = first.rows_at_checkpoint; k < whole.rows.size(); ++k)
      ASSERT_EQ(std::memcmp(rest.rows[k - first.rows_at_checkpoint].data(),
                            whole.rows[k].data(),
                            whole.rows[k].size() * sizeof(double)),
                0)
          << "row " << k << " after " << steps << " steps";
  }
}

INSTANTIATE_TEST_SUITE_P(PlaneAndSpace, ChangeOver, testing::Bool());

}  // namespace
}  // namespace cardan
