// Degrees of freedom, redundancy and singular poses of mechanisms whose answers are known.
#include "cardan/analysis/start/mobility.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "cardan/analysis/run.h"
#include "cardan/analysis/start/assembly.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

struct Expected {
  const char* model;
  int dof, redundant;
};

class Models : public testing::TestWithParam<Expected> {};

TEST_P(Models, HaveTheirDegreesOfFreedom) {
  const System system = test::system_of(test::model_file(GetParam().model));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_TRUE(a.ok);
  EXPECT_EQ(a.mobility.dof, GetParam().dof);
  EXPECT_EQ(static_cast<int>(a.mobility.redundant.size()), GetParam().redundant);
  EXPECT_EQ(a.mobility.pose, PoseKind::regular);
  EXPECT_GT(a.mobility.distance_to_singular, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All,
                         Models,
                         testing::Values(Expected{"pendulum", 1, 0},
                                         Expected{"double-pendulum", 2, 0},
                                         Expected{"slider-crank", 1, 0},
                                         Expected{"four-bar", 0, 0},
                                         Expected{"quick-return", 1, 0},
                                         Expected{"andrews", 1, 0},
                                         Expected{"gear-train", 1, 0},
                                         Expected{"parallelogram", 1, 1}),
                         [](const auto& p) {
                           std::string name = p.param.model;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Mobility, RedundancyOfTheParallelogramIsStructuralAndNamesItsJoints) {
  const System system = test::system_of(test::model_file("parallelogram"));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_EQ(a.mobility.redundant.size(), 1U);
  EXPECT_TRUE(a.mobility.redundant[0].structural);
  EXPECT_EQ(a.mobility.active[static_cast<std::size_t>(a.mobility.redundant[0].row)], 0);
  EXPECT_EQ(a.mobility.indeterminate.size(), 6U);  // all six pins share the loop
}

// Friction of a reaction that is not unique is warned of, with the joint.
TEST(Mobility, FrictionOfAnUndeterminedReaction) {
  Model model = test::model_file("parallelogram");
  for (Element& e : model.joints)
    if (e.name == "lower pin 1")
      e.settings.insert(e.settings.end(), {{"friction", 0.1}, {"pin_radius", 0.01}});
  const Checked checked = check_model(model);
  const auto found =
      std::find_if(checked.diagnostics.begin(), checked.diagnostics.end(), [](const Diagnostic& d) {
        return d.id == "assembly.undetermined-friction";
      });
  ASSERT_NE(found, checked.diagnostics.end());
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(found->element, "joint 'lower pin 1'");
}

// A parallelogram with two cranks lying flat: two branches meet, the rank drops in this pose only.
TEST(Mobility, FlatParallelogramIsABifurcation) {
  const System system = test::system_of(test::model_of(
      "gravity=[0,-9.81]\n"
      "[[body]]\nname='crank'\nfrom=[0,0]\nto=[1,0]\nmass=1\n[[body]]\nname='coupler'\nfrom=[1,0]"
      "\nto=[3,0]\nmass=1\n"
      "[[body]]\nname='rocker'\nfrom=[2,0]\nto=[3,0]\nmass=1\n"
      "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n[[joint]]\ntype="
      "'revolute'\nname='B'\nbetween=['crank','coupler']\nat=[1,0]\n"
      "[[joint]]\ntype='revolute'\nname='C'\nbetween=['coupler','rocker']\nat=[3,0]\n[[joint]]"
      "\ntype='revolute'\nname='D'\nbetween=['ground','rocker']\nat=[2,0]\n"));
  const Mobility m = analyse_mobility(system, 0, system.given_state().q);
  EXPECT_EQ(m.dof, 1);
  EXPECT_EQ(m.dof_here, 2);
  EXPECT_EQ(m.pose, PoseKind::bifurcation);
  ASSERT_EQ(m.redundant.size(), 1U);
  EXPECT_FALSE(m.redundant[0].structural);
  EXPECT_TRUE(m.indeterminate.empty());
}

// A slider-crank stretched out and driven at its slider: the driver cannot decide which way the
// crank turns.
// A table on several parallel rockers has redundant equations in every pose; where it is drawn flat
// others depend on each other besides. As many equations are kept as are independent elsewhere.
TEST(Mobility, RedundantMechanismsDrawnFlatKeepTheEquationsThatCount) {
  for (const int rockers : {3, 4, 5})
    for (const double angle : {0.0, 0.7, 3.14159265358979312}) {
      const double x = 0.3 * std::cos(angle), y = angle == 0.7 ? 0.3 * std::sin(angle) : 0;
      std::string text = fmt::format(
          "gravity=[0,-9.81]\n[[body]]\nname='table'\nat=[{},{}]\nmass=3\ninertia=0.2\n", x, y);
      for (int k = 0; k < rockers; ++k)
        text += fmt::format(
            "[[body]]\nname='r{0}'\nfrom=[{1},0]\nto=[{2},{3}]\nmass=0.5\n"
            "[[joint]]\ntype='revolute'\nname='f{0}'\nbetween=['ground','r{0}']\nat=[{1},0]\n"
            "[[joint]]\ntype='revolute'\nname='h{0}'\nbetween=['r{0}','table']\nat=[{2},{3}]\n",
            k,
            0.4 * k,
            0.4 * k + x,
            y);
      const System system = test::system_of(test::model_of(text));
      const Mobility m = analyse_mobility(system, 0, system.given_state().q);
      EXPECT_EQ(m.dof, 1) << rockers << " rockers at " << angle;
      EXPECT_EQ(std::count(m.active.begin(), m.active.end(), 1), m.structural_rank)
          << rockers << " rockers at " << angle;
      const auto structural = std::count_if(
          m.redundant.begin(), m.redundant.end(), [](const auto& r) { return r.structural; });
      EXPECT_EQ(structural, m.equations - m.structural_rank) << rockers << " rockers at " << angle;
    }
}

TEST(Mobility, StretchedSliderCrankIsADeadCentreOfItsSliderDriver) {
  const System system = test::system_of(test::model_of(
      "[[body]]\nname='crank'\nfrom=[0,0]\nto=[1,0]\nmass=1\n[[body]]\nname='rod'\nfrom=[1,0]\nto=["
      "3,0]\nmass=1\n[[body]]\nname='slider'\nat=[3,0]\nmass=1\ninertia=1\n"
      "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n[[joint]]\ntype="
      "'revolute'\nname='B'\nbetween=['crank','rod']\nat=[1,0]\n"
      "[[joint]]\ntype='revolute'\nname='C'\nbetween=['rod','slider']\nat=[3,0]\n[[joint]]\ntype='"
      "translational'\nname='guide'\nbetween=['ground','slider']\naxis=[1,0]\n"
      "[[driver]]\nname='push'\ntype='x'\nbody='slider'\nmotion='3'\n"));
  const Mobility m = analyse_mobility(system, 0, system.given_state().q);
  EXPECT_EQ(m.dof, 0);
  EXPECT_EQ(m.pose, PoseKind::dead_centre);
}

TEST(Mobility, DenseAndSparseRankAgree) {  // 250 links have more rows than the dense analysis takes
  const System small = test::system_of(test::model_of(test::chain(100))),
               large = test::system_of(test::model_of(test::chain(250)));
  EXPECT_EQ(analyse_mobility(small, 0, small.given_state().q).dof, 100);
  EXPECT_EQ(analyse_mobility(large, 0, large.given_state().q).dof, 250);
}

TEST(Mobility, RedundancyIsFoundInALargeSystemToo) {
  std::string text =
      test::chain(250) +
      "[[joint]]\ntype='revolute'\nname='again'\nbetween=['link99','link100']\nat=[10,0]\n";
  const System system = test::system_of(test::model_of(text));
  const Mobility m = analyse_mobility(system, 0, system.given_state().q);
  EXPECT_EQ(m.dof, 250);
  ASSERT_EQ(m.redundant.size(), 2U);
  for (const auto& r : m.redundant) {
    std::set<std::string> joints;
    for (const int row : r.set)
      joints.insert(system.constraints()[static_cast<std::size_t>(system.constraint_of(row))].name);
    EXPECT_EQ(joints, (std::set<std::string>{"again", "pin100"}));
  }
}

}  // namespace
}  // namespace cardan
