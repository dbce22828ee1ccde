// The joint graph: tree, closures, components; and the condition of loops.
#include "cardan/system/topology.h"

#include <algorithm>
#include <cmath>

#include "cardan/system/motion_solver.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

std::string n_four_bars(int n) {
  return "space = 'planar'\n[[repeat]]\ncount = " + std::to_string(n + 1) +
         "\nindex = 'i'\n"
         "[[repeat.body]]\nname='crank {i}'\nfrom=['i',0]\nto=['i',1]\nmass=1\n"
         "[[repeat.joint]]\ntype='revolute'\nname='pivot {i}'\nbetween=['ground','crank {i}']\n"
         "at=['i',0]\n"
         "[[repeat]]\ncount = " +
         std::to_string(n) +
         "\nindex = 'i'\n"
         "[[repeat.body]]\nname='coupler {i}'\nfrom=['i',1]\nto=['i+1',1]\nmass=1\n"
         "[[repeat.joint]]\ntype='revolute'\nname='left {i}'\nbetween=['crank {i}','coupler {i}']\n"
         "at=['i',1]\n"
         "[[repeat.joint]]\ntype='revolute'\nname='right {i}'\nbetween=['crank {i+1}','coupler "
         "{i}']\nat=['i+1',1]\n";
}

// The pose of n_four_bars with all cranks at an angle from the ground.
std::vector<double> turned(const System& system, int n, double angle) {
  std::vector<double> q = system.given_state().q;
  const auto set = [&](int body, double x, double y, double phi) {
    q[static_cast<std::size_t>(3 * body)] = x;
    q[static_cast<std::size_t>(3 * body + 1)] = y;
    q[static_cast<std::size_t>(3 * body + 2)] = phi;
  };
  for (int i = 0; i <= n; ++i) set(i, i + 0.5 * std::cos(angle), 0.5 * std::sin(angle), angle);
  for (int i = 0; i < n; ++i) set(n + 1 + i, i + 0.5 + std::cos(angle), std::sin(angle), 0);
  return q;
}

double nearness(const System& system, CView q) {
  MotionSolver motion(system,
                      std::vector<char>(static_cast<std::size_t>(system.equations().rows()), 1));
  EXPECT_EQ(motion.linearise(0, q), Eval::ok);
  return motion.min_pivot_ratio();
}

TEST(Topology, AChainIsATree) {
  const System system = test::system_of(test::model_of(test::chain(50)));
  const Topology& topology = system.topology();
  EXPECT_TRUE(topology.open());
  EXPECT_EQ(topology.components, 0);
  EXPECT_TRUE(topology.closures.empty());
  for (int b = 0; b < 50; ++b)
    EXPECT_EQ(topology.branches[static_cast<std::size_t>(b)].depth, b + 1);
}

TEST(Topology, FourBarsInARowAreOneComponent) {
  const System system = test::system_of(test::model_of(n_four_bars(5)));
  const Topology& topology = system.topology();
  EXPECT_EQ(topology.closures.size(), 5U);
  EXPECT_EQ(topology.components, 1);
  for (const auto& closure : topology.closures) EXPECT_EQ(closure.path.size(), 3U);
}

// Two four-bars that share nothing but the ground, and a pendulum on one of them.
TEST(Topology, LoopsThatShareNoEdgeAreApart) {
  std::string text = test::four_bar(2, 2);
  std::string other = text.substr(text.find("[[body]]"));
  for (const char* name : {"crank", "coupler", "rocker", "'A'", "'B'", "'C'", "'D'"})
    for (std::size_t k = other.find(name); k != std::string::npos; k = other.find(name, k + 9))
      other.insert(k + (name[0] == '\'' ? 2 : std::string(name).size()), "2");
  text += other +
          "[[body]]\nname='bob'\nfrom=[1,1]\nto=[1,0]\nmass=1\n"
          "[[joint]]\ntype='revolute'\nname='hook'\nbetween=['coupler','bob']\nat=[1,1]\n";
  const System system = test::system_of(test::model_of(text));
  const Topology& topology = system.topology();
  EXPECT_EQ(topology.closures.size(), 2U);
  EXPECT_EQ(topology.components, 2);
  EXPECT_NE(topology.closures[0].component, topology.closures[1].component);
  EXPECT_EQ(topology.component_of[6], -1);  // the bob
  EXPECT_EQ(std::count(topology.component_of.begin(), topology.component_of.end(), -1), 1);
}

TEST(Topology, ADriverOnAJointClosesALoop) {
  const System system = test::system_of(test::model_of(
      test::chain(3) + "[[driver]]\njoint='pin2'\nname='motor'\nmotion='1 + 2*t'\n"));
  EXPECT_EQ(system.topology().permanent, 1);
  EXPECT_EQ(system.topology().closures.front().path, std::vector<int>{2});
  EXPECT_GT(nearness(system, system.given_state().q), 0.1);
}

TEST(LoopCondition, AnOpenChainIsNeverNear) {
  for (const int n : {3, 30, 300}) {
    const System system = test::system_of(test::model_of(test::chain(n)));
    EXPECT_EQ(nearness(system, system.given_state().q), 1) << n;
  }
}

// A hinge in space is one edge, though its equations come from two elements.
TEST(Topology, AChainOfHingesInSpaceIsATree) {
  const std::string text =
      "space = 'spatial'\n[[repeat]]\ncount = 40\nindex = 'i'\n"
      "[[repeat.body]]\nname='link{i}'\nfrom=['0.1*i',0,0]\nto=['0.1*(i+1)',0,0]\nmass=0.2\n"
      "inertia=[1e-4,2e-4,2e-4]\n"
      "[[repeat]]\ncount = 39\nindex = 'i'\nfirst = 1\n"
      "[[repeat.joint]]\ntype='revolute'\nname='pin{i}'\nbetween=['link{i-1}','link{i}']\n"
      "at=['0.1*i',0,0]\naxis=[0,0,1]\n"
      "[[joint]]\ntype='revolute'\nname='pin0'\nbetween=['ground','link0']\nat=[0,0,0]\n"
      "axis=[0,0,1]\n";
  const System system = test::system_of(test::model_of(text));
  EXPECT_TRUE(system.topology().open());
  EXPECT_EQ(nearness(system, system.given_state().q), 1);
}

// It tends to d^2 / 3.
TEST(LoopCondition, DoesNotFallWithTheNumberOfLoops) {
  for (const double angle : {0.01, 0.05, 0.1})
    for (const int n : {1, 2, 10, 100, 1000}) {
      const System system = test::system_of(test::model_of(n_four_bars(n)));
      const double per_square = nearness(system, turned(system, n, angle)) / (angle * angle);
      EXPECT_GT(per_square, 0.3) << n << ' ' << angle;
      EXPECT_LT(per_square, n < 10 ? 2 : 0.5) << n << ' ' << angle;
    }
}

TEST(LoopCondition, VanishesInASingularPose) {
  const System system = test::system_of(test::model_of(n_four_bars(4)));
  EXPECT_LT(nearness(system, turned(system, 4, 0)), 1e-12);
}

// A loop at the end of a long chain is as near as it is alone.
TEST(LoopCondition, DoesNotSeeWhatHangsElsewhere) {
  std::string text = n_four_bars(1);
  text +=
      "[[repeat]]\ncount = 200\nindex = 'i'\n"
      "[[repeat.body]]\nname='link{i}'\nfrom=['5+0.1*i', 0]\nto=['5+0.1*(i+1)', 0]\nmass=0.2\n"
      "[[repeat]]\ncount = 199\nindex = 'i'\nfirst = 1\n"
      "[[repeat.joint]]\ntype='revolute'\nname='pin{i}'\nbetween=['link{i-1}','link{i}']\n"
      "at=['5+0.1*i', 0]\n"
      "[[joint]]\ntype='revolute'\nname='pin0'\nbetween=['ground','link0']\nat=[5,0]\n";
  const System alone = test::system_of(test::model_of(n_four_bars(1)));
  const System both = test::system_of(test::model_of(text));
  EXPECT_NEAR(
      nearness(both, turned(both, 1, 0.05)) / nearness(alone, turned(alone, 1, 0.05)), 1, 1e-9);
}

}  // namespace
}  // namespace cardan
