// Putting mechanisms together: from far-off guesses, with too many or too few conditions, and when
// it cannot be done.
#include "cardan/analysis/start/assembly.h"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "test/mechanisms.h"

namespace cardan {
namespace {

bool has(const Diagnostics& list, std::string_view id, Severity severity = Severity::error) {
  for (const auto& d : list)
    if (d.id == id && d.severity == severity) return true;
  return false;
}

class Guesses : public testing::TestWithParam<const char*> {};

// Positions off by 40 % of the link lengths, angles by 60 degrees.
TEST_P(Guesses, FarOffAssembleInNinetyNineOfAHundredCases) {
  const System system = test::system_of(test::model_file(GetParam()));
  const int trials = std::getenv("CARDAN_FULL") != nullptr ? 1000 : 50;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int assembled = 0;
  for (int k = 0; k < trials; ++k) {
    State guess = system.given_state();
    for (std::size_t i = 0; i < guess.q.size(); ++i)
      guess.q[i] +=
          uniform(random) * (i % 3 == 2 ? std::numbers::pi / 3 : 0.4 * 2 * system.length());
    const Assembly a = assemble(system, 0, guess);
    assembled += a.ok && a.max_position < 1e-10 * system.length() + 1e-13 ? 1 : 0;
  }
  EXPECT_GE(assembled, std::ceil(0.99 * trials));
}

INSTANTIATE_TEST_SUITE_P(Models,
                         Guesses,
                         testing::Values("pendulum",
                                         "double-pendulum",
                                         "slider-crank",
                                         "four-bar",
                                         "quick-return",
                                         "andrews",
                                         "gear-train",
                                         "parallelogram",
                                         "cam-follower"));

TEST(Assembly, KeepsAConsistentGuessAsItIs) {
  const System system = test::system_of(test::model_file("andrews"));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_TRUE(a.ok);
  for (std::size_t k = 0; k < a.state.q.size(); ++k)
    EXPECT_NEAR(a.state.q[k], system.given_state().q[k], 1e-12);
  EXPECT_LT(a.max_velocity, 1e-12);
}

TEST(Assembly, TakesTheNearestPose) {  // a bar on a pivot, drawn too far away: it must not turn
  const System system = test::system_of(
      test::model_of("[[body]]\nname='bar'\nfrom=[0,0]\nto=[1,0]\nmass=1\n[[joint]]\ntype='"
                     "revolute'\nname='p'\nbetween=['ground','bar']\npoints=[[0.3,0],[0,0]]\n"));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_TRUE(a.ok);
  EXPECT_NEAR(a.state.q[0], 0.8, 1e-12);
  EXPECT_NEAR(a.state.q[2], 0, 1e-6);
}

// A four-bar whose coupler moves a ram by a rod. The driver begins at 4.83 rad, a whole turn from the drawn
// angle of the crank; the crank was turned on the way to it, and the ram came to the other side of the rod.
TEST(Assembly, WholeTurnsOfADriverCloseLoopsAsDrawn) {
  const std::string text =
      "[[body]]\nname='crank'\nfrom=[0,0]\nto=[0.012581,-0.105086]\nmass=0.4\n"
      "[[body]]\nname='coupler'\nat=[0.012581,-0.105086]\nangle=1.075557\nmass=0.9\ninertia=0.02\n"
      "[[body]]\nname='rocker'\nat=[0.593222,0.034455]\nangle=2.517463\nmass=0.8\ninertia=0.02\n"
      "[[body]]\nname='rod'\nfrom=[-0.084597,0.106498]\nto=[0.273308,-0.17969]\nmass=1\n"
      "[[body]]\nname='ram'\nat=[0.273308,-0.17969]\nmass=2\ninertia=0.02\n"
      "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n"
      "[[joint]]\ntype='revolute'\nbetween=['crank','coupler']\nat=[0.012581,-0.105086]\n"
      "[[joint]]\ntype='revolute'\nbetween=['coupler','rocker']\nat=[0.229453,0.296427]\n"
      "[[joint]]\ntype='revolute'\nbetween=['ground','rocker']\nat=[0.593222,0.034455]\n"
      "[[joint]]\ntype='revolute'\nbetween=['coupler','rod']\nat=[-0.084597,0.106498]\n"
      "[[joint]]\ntype='revolute'\nbetween=['rod','ram']\nat=[0.273308,-0.17969]\n"
      "[[joint]]\ntype='translational'\nbetween=['ground','ram']\nat=[0.273308,-0.17969]\naxis=[1,"
      "0]\n"
      "[[driver]]\njoint='A'\nname='motor'\nmotion='";
  for (const double turns : {-2.0, -1.0, 0.0, 1.0, 3.0}) {
    const double start = -1.451643 + turns * 2 * std::numbers::pi;
    const System system =
        test::system_of(test::model_of(text + fmt::format("{:.17g}", start) + " + t/(1 s)'\n"));
    const Assembly a = assemble(system, 0, system.given_state());
    ASSERT_TRUE(a.ok) << turns;
    EXPECT_NEAR(a.state.q[2], start, 1e-12) << turns;
    EXPECT_NEAR(a.state.q[12], 0.273308, 1e-4) << turns;
    EXPECT_NEAR(a.state.q[5], 1.075557, 1e-4) << turns;
    EXPECT_FALSE(has(a.notes, "assembly.moved")) << turns;
  }
}

// Bodies that keep their angle to one that is turned are turned with it.
TEST(Assembly, WholeTurnsTakeWhatIsFixedAlong) {
  const System system = test::system_of(
      test::model_of("[[body]]\nname='crank'\nfrom=[0,0]\nto=[0,-0.2]\nmass=1\n"
                     "[[body]]\nname='arm'\nfrom=[0,-0.2]\nto=[0.3,-0.2]\nmass=1\n"
                     "[[joint]]\ntype='fixed'\nbetween=['crank','arm']\nat=[0,-0.2]\n"
                     "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n"
                     "[[driver]]\njoint='A'\nname='motor'\nmotion='270 deg + t/(1 s)'\n"));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_TRUE(a.ok);
  EXPECT_NEAR(a.state.q[2], 1.5 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(a.state.q[5], 2 * std::numbers::pi, 1e-12);
  EXPECT_LE(a.iterations, 2);
  EXPECT_FALSE(has(a.notes, "assembly.moved"));
}

TEST(Assembly, InfeasibleListsTheGapsByJoint) {
  const System system = test::system_of(test::model_file("infeasible"));
  const Assembly a = assemble(system, 0, system.given_state());
  EXPECT_FALSE(a.ok);
  ASSERT_TRUE(has(a.notes, "assembly.infeasible"));
  for (const auto& d : a.notes)
    if (d.id == "assembly.infeasible") {
      ASSERT_GE(d.worst.size(), 2U);
      for (std::size_t k = 1; k < d.worst.size(); ++k)
        EXPECT_GE(d.worst[k - 1].value, d.worst[k].value);
      EXPECT_EQ(exit_code(d), 5);
    }
}

TEST(Assembly, ContradictingConstraintsAreAConflict) {
  const System system =
      test::system_of(test::model_of("[[body]]\nname='block'\nat=[0,0]\nmass=1\ninertia=1\n"
                                     "[[joint]]\ntype='x'\nname='one'\nbody='block'\nvalue=1\n[["
                                     "joint]]\ntype='x'\nname='two'\nbody='block'\nvalue=2\n"));
  const Assembly a = assemble(system, 0, system.given_state());
  EXPECT_FALSE(a.ok);
  EXPECT_TRUE(has(a.notes, "assembly.conflict"));
}

TEST(Assembly, DriversAgainstEachOtherConflictInVelocity) {
  const System system = test::system_of(
      test::model_of("[[body]]\nname='block'\nat=[0,0]\nmass=1\ninertia=1\n"
                     "[[driver]]\ntype='x'\nname='one'\nbody='block'\nmotion='1 "
                     "m/s*t'\n[[driver]]\ntype='x'\nname='two'\nbody='block'\nmotion='2 m/s*t'\n"));
  const Assembly a = assemble(system, 0, system.given_state());
  EXPECT_FALSE(a.ok);
  EXPECT_TRUE(has(a.notes, "assembly.conflict"));
}

TEST(Assembly, InitialConditionsAreMet) {
  const System system = test::system_of(
      test::model_of(test::four_bar(2, 2, "[[initial]]\njoint='A'\nangle='30 deg'\nrate=3\n")));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_TRUE(a.ok);
  EXPECT_NEAR(a.state.v[2], 3, 1e-12);
  EXPECT_FALSE(has(a.notes, "assembly.free-motion", Severity::note));
}

TEST(Assembly, MissingConditionsAreToldAndTooManyToo) {
  const System free = test::system_of(test::model_of(test::four_bar(2, 2)));
  EXPECT_TRUE(
      has(assemble(free, 0, free.given_state()).notes, "assembly.free-motion", Severity::note));
  const System twice = test::system_of(test::model_of(
      test::four_bar(2, 2, "[[initial]]\njoint='A'\nrate=3\n[[initial]]\njoint='D'\nrate=3\n")));
  const Assembly a = assemble(twice, 0, twice.given_state());
  EXPECT_TRUE(a.ok);
  EXPECT_TRUE(has(a.notes, "model.overdetermined-initial", Severity::warning));
  const System wrong = test::system_of(test::model_of(
      test::four_bar(2, 2, "[[initial]]\njoint='A'\nrate=3\n[[initial]]\njoint='D'\nrate=4\n")));
  EXPECT_TRUE(has(assemble(wrong, 0, wrong.given_state()).notes, "model.overdetermined-initial"));
}

TEST(Assembly, AMotionWithoutMassIsNamed) {
  const System system = test::system_of(test::model_of(
      "gravity=[0,-9.81]\n[[body]]\nname='ghost'\nat=[0,0]\nmassless=true\n[[body]]\nname='block'"
      "\nat=[1,0]\nmass=1\ninertia=1\n"
      "[[joint]]\ntype='revolute'\nname='p'\nbetween=['ground','ghost']\nat=[0,0]\n"));
  const Assembly a = assemble(system, 0, system.given_state());
  EXPECT_FALSE(a.ok);
  EXPECT_TRUE(has(a.notes, "model.singular-mass"));
}

}  // namespace
}  // namespace cardan
