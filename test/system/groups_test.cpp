// Plans of groups, and a mechanism solved group by group against the factor of S.
#include <algorithm>
#include <cmath>
#include <set>

#include "cardan/system/group_solver.h"
#include "cardan/system/motion_solver.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

// A model with its joints and drivers active.
struct Mechanism {
  explicit Mechanism(const Model& model)
      : system(test::system_of(model)),
        state(system.given_state()),
        active(static_cast<std::size_t>(system.equations().rows()), 0),
        motion(system, active) {
    std::fill_n(active.begin(), system.joint_rows(), 1);
    motion.activate(active);
  }

  CView jacobian() {
    system.rotations(state.q, motion.work());
    system.equations().phi_q(system.config(0, state.q, motion.work()), motion.work().packed);
    return motion.work().packed;
  }

  GroupPlan plan() { return GroupPlanner(system, active).plan(jacobian()); }

  System system;
  State state;
  std::vector<char> active;
  MotionSolver motion;
};

std::vector<std::size_t> sizes(const GroupPlan& plan) {
  std::vector<std::size_t> list;
  for (const Group& g : plan.groups) list.push_back(g.bodies.size());
  return list;
}

TEST(GroupPlan, OfAndrewsMechanismIsACrankAndThreeDyads) {
  Mechanism of(test::model_file("andrews"));
  const GroupPlan plan = of.plan();
  EXPECT_EQ(sizes(plan), (std::vector<std::size_t>{1, 2, 2, 2}));
  ASSERT_EQ(plan.inputs().size(), 1U);
  EXPECT_EQ(of.system.coordinate_label(plan.inputs()[0]), "angle of 'K1'");
  EXPECT_GT(plan.guard, 0.3);
}

TEST(GroupPlan, OfAChainHasABodyAGroup) {
  Mechanism of(test::model_of(test::chain(50)));
  const GroupPlan plan = of.plan();
  EXPECT_EQ(plan.groups.size(), 50U);
  EXPECT_EQ(plan.inputs().size(), 50U);
  EXPECT_GT(plan.guard, 0.5);
  for (const int k : plan.inputs()) EXPECT_TRUE(of.system.layout().turns(k));
}

TEST(GroupPlan, OfFourBarsInARowGoesThroughTheirDyads) {
  Model model = test::model_file("n-four-bar");
  Mechanism of(model);
  const GroupPlan plan = of.plan();
  EXPECT_EQ(sizes(plan), (std::vector<std::size_t>{1, 2, 2}));
}

// A plate on three links, of which one stands on a driven crank: plate and links close only together.
TEST(GroupPlan, KeepsALoopTogetherThatDoesNotFallApart) {
  const auto bar = [](const char* name, const char* from, const char* to) {
    return fmt::format("[[body]]\nname='{}'\nfrom={}\nto={}\nmass=1\n", name, from, to);
  };
  const auto pin = [](const char* name, const char* i, const char* j, const char* at) {
    return fmt::format(
        "[[joint]]\ntype='revolute'\nname='{}'\nbetween=['{}','{}']\nat={}\n", name, i, j, at);
  };
  Mechanism of(
      test::model_of(bar("crank", "[0,0]", "[0.1,0.3]") + bar("a", "[0.1,0.3]", "[0.2,1]") +
                     bar("b", "[1,0]", "[1.1,1]") + bar("c", "[1.5,0]", "[0.7,1.4]") +
                     bar("plate", "[0.2,1]", "[1.1,1]") + pin("O", "ground", "crank", "[0,0]") +
                     pin("A", "crank", "a", "[0.1,0.3]") + pin("B", "ground", "b", "[1,0]") +
                     pin("C", "ground", "c", "[1.5,0]") + pin("D", "a", "plate", "[0.2,1]") +
                     pin("E", "b", "plate", "[1.1,1]") + pin("F", "c", "plate", "[0.7,1.4]") +
                     "[[driver]]\njoint='O'\nname='motor'\nmotion='2*t'\n"));
  const GroupPlan plan = of.plan();
  EXPECT_TRUE(plan.inputs().empty());
  EXPECT_EQ(sizes(plan), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(plan.largest(), 12);
  EXPECT_GT(plan.guard, 0.01);
}

// The dyad of coupler and rocker nearly in line: the guard of the plan is its.
TEST(GroupPlan, GuardOfADyadFallsWithItsTransmissionAngle) {
  double before = 1;
  for (const double height : {0.15, 0.05, 0.015}) {
    Mechanism of(test::model_of(fmt::format(
        "[[body]]\nname='crank'\nfrom=[0,0]\nto=[0.3,0]\nmass=1\n"
        "[[body]]\nname='coupler'\nfrom=[0.3,0]\nto=[1,{0}]\nmass=1\n"
        "[[body]]\nname='rocker'\nfrom=[1,{0}]\nto=[1.7,0]\nmass=1\n"
        "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n"
        "[[joint]]\ntype='revolute'\nname='B'\nbetween=['crank','coupler']\nat=[0.3,0]\n"
        "[[joint]]\ntype='revolute'\nname='C'\nbetween=['coupler','rocker']\nat=[1,{0}]\n"
        "[[joint]]\ntype='revolute'\nname='D'\nbetween=['ground','rocker']\nat=[1.7,0]\n"
        "[[driver]]\njoint='A'\nname='motor'\nmotion='1*t'\n",
        height)));
    GroupPlanner planner(of.system, of.active);
    const GroupPlan plan = planner.plan(of.jacobian());
    const double guard = planner.guard(plan, of.jacobian());
    EXPECT_NEAR(guard, plan.guard, 1e-12);
    EXPECT_LT(guard, 0.6 * before);
    before = guard;
    ASSERT_GE(plan.weakest, 0);
    const std::string words = planner.words(plan.groups[static_cast<std::size_t>(plan.weakest)]);
    EXPECT_EQ(words, "joint 'B', joint 'C' and joint 'D'");
  }
}

class GroupsOf : public testing::TestWithParam<const char*> {};

TEST_P(GroupsOf, HaveAsManyEquationsAsUnknownsAndStandOnThoseBefore) {
  Mechanism of(test::model_file(GetParam()));
  const GroupPlan plan = of.plan();
  std::set<int> known, rows;
  const Equations& equations = of.system.equations();
  for (const Group& g : plan.groups) {
    EXPECT_EQ(g.size(), static_cast<int>(g.bodies.size()) * of.system.body_size());
    known.insert(g.bodies.begin(), g.bodies.end());
    for (const int r : g.rows) {
      EXPECT_TRUE(rows.insert(r).second);
      for (const auto& block : equations.blocks()) {
        if (r < block.first_row || r >= block.first_row + block.rows) continue;
        for (const auto& term : equations.terms(block)) EXPECT_EQ(known.count(term.body), 1U);
      }
    }
  }
  EXPECT_EQ(static_cast<int>(known.size()), of.system.body_count());
  EXPECT_EQ(static_cast<int>(rows.size()), of.system.joint_rows());
}

// Positions close all joints; velocities, accelerations and multipliers are those of the factor of S.
TEST_P(GroupsOf, MoveAsTheWholeMechanismDoes) {
  Mechanism of(test::model_file(GetParam()));
  const System& system = of.system;
  Workspace& work = of.motion.work();
  GroupSolver solver(system, of.active, work);
  solver.adopt(of.plan(), 0, of.state.q);
  const std::size_t f = solver.inputs().size();
  std::vector<double> p(f), rates(f), back(f);
  solver.values(of.state.q, p);
  for (std::size_t j = 0; j < f; ++j) {
    p[j] += 0.002 * std::sin(2.0 + static_cast<double>(j));
    rates[j] = std::cos(static_cast<double>(j));
  }
  std::vector<double> q = of.state.q, v(of.state.v.size()), a(v.size()), a_s(v.size());
  std::vector<double> lambda(of.active.size()), lambda_s(of.active.size());
  ASSERT_EQ(solver.positions(0, p, q), Eval::ok);
  solver.show_angles(q);
  EXPECT_LT(of.motion.position_violation(0, q), 1e-12 * std::max(1.0, system.length()));
  solver.values(q, back);
  for (std::size_t j = 0; j < f; ++j) EXPECT_NEAR(back[j], p[j], 1e-12);
  ASSERT_EQ(solver.linearise(0, q), Eval::ok);
  solver.velocities(0, q, rates, v);
  EXPECT_LT(of.motion.velocity_violation(0, q, v), 1e-11 * std::max(1.0, system.largest_move(v)));
  solver.rates(q, v, back);
  for (std::size_t j = 0; j < f; ++j) EXPECT_NEAR(back[j], rates[j], 1e-11);
  ASSERT_EQ(of.motion.accelerations(0, q, v, a_s, lambda_s), Eval::ok);
  ASSERT_EQ(solver.positions(0, p, q), Eval::ok);
  solver.show_angles(q);
  ASSERT_EQ(solver.linearise(0, q), Eval::ok);
  solver.gamma(0, q, v, work.gamma);
  system.evaluate_forces(0, q, v, work);
  if (solver.many()) return;
  solver.solve(work.Q, work.gamma, a, lambda);
  const double scale = 1 + as_vector(CView(a_s)).cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], a_s[k], 1e-8 * scale) << k;
  double force = 1;
  for (const double x : lambda_s) force = std::max(force, 1 + std::abs(x));
  for (std::size_t r = 0; r < lambda.size(); ++r)
    EXPECT_NEAR(lambda[r], lambda_s[r], 1e-8 * force) << r;
}

INSTANTIATE_TEST_SUITE_P(Models,
                         GroupsOf,
                         testing::Values("andrews",
                                         "cart-pole",
                                         "double-pendulum",
                                         "excavator-boom",
                                         "four-bar",
                                         "n-four-bar",
                                         "pendulum",
                                         "quick-return",
                                         "slider-crank",
                                         "heavy-top",
                                         "spatial-slider-crank",
                                         "spherical-chain",
                                         "tumbling-body"));

}  // namespace
}  // namespace cardan
