// S by joints against dense solves: every kind of joint, plane and space, equations left out.
#include "cardan/system/joint_schur.h"

#include <Eigen/Dense>
#include <fmt/format.h>

#include "cardan/base/alloc_guard.h"
#include "cardan/system/motion_solver.h"
#include "cardan/system/wide_operands.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

constexpr double solver = 1e-9;

struct Problem {
  System system;
  Workspace work;
  State state;
  std::vector<char> active;

  explicit Problem(const std::string& model) : Problem(test::model_file(model)) {}

  explicit Problem(const Model& model)
      : system(test::system_of(model)),
        work(system.workspace()),
        state(system.given_state()),
        active(static_cast<std::size_t>(system.equations().rows()), 0) {
    std::fill_n(active.begin(), system.joint_rows(), 1);
    for (std::size_t k = 0; k < state.v.size(); ++k)
      state.v[k] = 0.1 * std::sin(3.0 * static_cast<double>(k) + 1);
    system.rotations(state.q, work);
    system.equations().phi_q(system.config(0, state.q, work), work.packed);
    system.equations().gamma(system.motion(0, state.q, state.v, work), work.gamma);
    system.evaluate_forces(0, state.q, state.v, work);
  }

  Eigen::MatrixXd active_jacobian() const {
    Eigen::MatrixXd J = system.equations().dense(work.packed);
    for (Eigen::Index r = 0; r < J.rows(); ++r)
      if (active[static_cast<std::size_t>(r)] == 0) J.row(r).setZero();
    return J;
  }

  // Accelerations that the equations determine, whether they depend on each other or not.
  Eigen::VectorXd dense_accelerations() const {
    const int n = system.v_size();
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    const int n_v = system.body_size();
    for (int b = 0; b < system.body_count(); ++b)
      for (int r = 0; r < n_v; ++r)
        for (int c = 0; c < n_v; ++c) M(b * n_v + r, b * n_v + c) = system.mass().at(b, r, c);
    const Eigen::MatrixXd J = active_jacobian();
    const Eigen::MatrixXd MJ = M.ldlt().solve(J.transpose());
    const Eigen::VectorXd free = M.ldlt().solve(as_vector(CView(work.Q)));
    Eigen::VectorXd gamma = as_vector(CView(work.gamma));
    for (Eigen::Index r = 0; r < gamma.size(); ++r)
      if (active[static_cast<std::size_t>(r)] == 0) gamma[r] = 0;
    const Eigen::VectorXd lambda =
        (J * MJ).completeOrthogonalDecomposition().solve(J * free - gamma);
    return free - MJ * lambda;
  }
};

class JointSchurOf : public testing::TestWithParam<const char*> {};

TEST_P(JointSchurOf, GivesTheAccelerationsOfADenseSolve) {
  Problem p(GetParam());
  if (!trusts_schur(p.system.mass(), p.system.length()) || p.system.friction().count() > 0)
    GTEST_SKIP();
  const Eigen::VectorXd right = p.dense_accelerations();
  JointSchur joints(p.system);
  joints.activate(p.active);
  std::vector<double> a(p.state.v.size()), lambda(p.active.size());
  Workspace work = p.work;
  std::fill(work.packed.begin(), work.packed.end(), NAN);
  std::fill(work.gamma.begin(), work.gamma.end(), NAN);
  const Motion here = p.system.motion(0, p.state.q, p.state.v, work);
  ASSERT_TRUE(joints.accelerate(here, work, a, lambda).ok);
  EXPECT_LT((as_vector(CView(a)) - right).norm(), solver * right.norm());
  EXPECT_LT((as_vector(CView(work.gamma)) - as_vector(CView(p.work.gamma))).norm(),
            solver * (1 + as_vector(CView(p.work.gamma)).norm()));
  for (std::size_t r = 0; r < p.active.size(); ++r) {
    if (p.active[r] == 0) {
      EXPECT_EQ(lambda[r], 0);
    }
  }

  // the same from a Jacobian given as a whole, and with the factor of the pose
  for (const bool whole : {true, false}) {
    if (whole)
      ASSERT_TRUE(joints.factor(p.work.packed).ok);
    else
      ASSERT_TRUE(joints.factor_pose(here.config(), work).ok);
    joints.solve(p.work.Q, p.work.gamma, a, lambda);
    EXPECT_LT((as_vector(CView(a)) - right).norm(), solver * right.norm());
  }
}

TEST_P(JointSchurOf, MultipliesAsTheJacobianDoes) {
  Problem p(GetParam());
  if (!p.system.mass().regular()) GTEST_SKIP();
  JointSchur joints(p.system);
  Workspace work = p.work;
  joints.fresh_pose(p.system.config(0, p.state.q, work), work);
  std::vector<double> found(p.active.size()), right(found);
  joints.multiply(work, p.state.v, found);
  p.system.equations().multiply(p.work.packed, p.state.v, right);
  for (std::size_t r = 0; r < right.size(); ++r) EXPECT_NEAR(found[r], right[r], 1e-12);
}

TEST_P(JointSchurOf, LeavesOutEquationsThatAreNotActive) {
  Problem p(GetParam());
  if (!trusts_schur(p.system.mass(), p.system.length()) || p.system.friction().count() > 0)
    GTEST_SKIP();
  for (std::size_t r = 0; r < p.active.size(); r += 3) p.active[r] = 0;
  JointSchur joints(p.system);
  joints.activate(p.active);
  std::vector<double> a(p.state.v.size()), lambda(p.active.size());
  Workspace work = p.work;
  const Motion here = p.system.motion(0, p.state.q, p.state.v, work);
  ASSERT_TRUE(joints.accelerate(here, work, a, lambda).ok);
  const Eigen::VectorXd right = p.dense_accelerations();
  EXPECT_LT((as_vector(CView(a)) - right).norm(), solver * right.norm());
  std::fill(p.active.begin(), p.active.end(), 0);  // and takes them in again
  std::fill_n(p.active.begin(), p.system.joint_rows(), 1);
  joints.activate(p.active);
  ASSERT_TRUE(joints.accelerate(here, work, a, lambda).ok);
  const Eigen::VectorXd all = p.dense_accelerations();
  EXPECT_LT((as_vector(CView(a)) - all).norm(), solver * all.norm());
}

INSTANTIATE_TEST_SUITE_P(Models,
                         JointSchurOf,
                         testing::Values("andrews",
                                         "slider-crank",
                                         "quick-return",
                                         "gear-train",
                                         "cam-follower",
                                         "four-cylinder-engine",
                                         "six-bar-stephenson",
                                         "n-four-bar",
                                         "scissor-lift",
                                         "spatial-slider-crank",
                                         "spatial-four-bar",
                                         "spherical-chain",
                                         "stewart-platform",
                                         "universal-train",
                                         "rolling-disc",
                                         "delta-robot",
                                         "vehicle"));

// A bent chain and a ring of bodies in space, joined alike: balls, hinges with axes askew. Inertias small
// beside m l^2 make small pivots.
Model joined_in_space(const std::string& joint, double inertia, bool ring) {
  std::string text = "space = 'spatial'\ngravity = [0, 1, -9.81]\n";
  const int n = 9;
  for (int k = 0; k < n; ++k)
    text += fmt::format(
        "[[body]]\nname='b{0}'\nat=[{1}, {2}, {3}]\nmass={4}\ninertia=[{5}, {6}, {7}]\n",
        k,
        0.3 * k,
        0.1 * (k % 3),
        0.2 * (k % 2),
        1 + 0.1 * k,
        inertia,
        1.5 * inertia,
        1.2 * inertia);
  for (int k = 0; k < (ring ? n + 1 : n); ++k) {
    text += fmt::format("[[joint]]\ntype='{}'\nname='j{}'\nbetween=['{}','{}']\nat=[{}, {}, {}]\n",
                        joint,
                        k,
                        k == 0 ? "ground" : fmt::format("b{}", k - 1),
                        k == n ? "ground" : fmt::format("b{}", k),
                        0.3 * k - 0.15,
                        0.05 * (k % 4),
                        0.1);
    if (joint == "revolute")
      text += fmt::format("axis=[{}, 1, {}]\n", 0.3 * (k % 3), 0.2 - 0.1 * (k % 5));
  }
  return test::model_of(text);
}

TEST(JointSchur, ChainsAndRingsInSpace) {
  for (const char* joint : {"spherical", "revolute"})
    for (const double inertia : {0.1, 1e-3, 1e-5})
      for (const bool ring : {false, true}) {
        Problem p(joined_in_space(joint, inertia, ring));
        const std::string what = fmt::format("{} {} {}", joint, inertia, ring);
        const Eigen::VectorXd right = p.dense_accelerations();
        JointSchur joints(p.system);
        joints.activate(p.active);
        std::vector<double> a(p.state.v.size()), lambda(p.active.size()), found(p.active.size());
        Workspace work = p.work;
        std::fill(work.gamma.begin(), work.gamma.end(), NAN);
        const Motion here = p.system.motion(0, p.state.q, p.state.v, work);
        ASSERT_TRUE(joints.accelerate(here, work, a, lambda).ok) << what;
        EXPECT_LT((as_vector(CView(a)) - right).norm(), solver * right.norm()) << what;
        EXPECT_LT((as_vector(CView(work.gamma)) - as_vector(CView(p.work.gamma))).norm(),
                  1e-12 * (1 + as_vector(CView(p.work.gamma)).norm()))
            << what;
        std::vector<double> product(found);
        joints.multiply(work, p.state.v, found);
        p.system.equations().multiply(p.work.packed, p.state.v, product);
        for (std::size_t r = 0; r < found.size(); ++r)
          EXPECT_NEAR(found[r], product[r], 1e-12) << what;
      }
}

// The bits do not depend on the operands that a processor has.
TEST(JointSchur, HasTheSameBitsWithNarrowOperands) {
  if (!elimination::takes_wide_operands()) GTEST_SKIP() << "this processor has none that are wide";
  for (const char* joint : {"spherical", "revolute"})
    for (const double inertia : {0.1, 1e-5})
      for (const bool ring : {false, true}) {
        Problem p(joined_in_space(joint, inertia, ring));
        std::vector<double> numbers[2];
        for (const bool wide : {false, true}) {
          elimination::allow_wide_operands(wide);
          JointSchur joints(p.system);
          joints.activate(p.active);
          std::vector<double> a(p.state.v.size()), lambda(p.active.size());
          Workspace work = p.work;
          const Motion here = p.system.motion(0, p.state.q, p.state.v, work);
          ASSERT_TRUE(joints.accelerate(here, work, a, lambda).ok);
          a.insert(a.end(), lambda.begin(), lambda.end());
          numbers[wide ? 1 : 0] = a;
        }
        EXPECT_EQ(numbers[0], numbers[1]) << joint << inertia << ring;
      }
}

TEST(JointSchur, FactorsWithoutAllocating) {
  if (!AllocationGuard::active()) GTEST_SKIP();
  for (const char* model : {"andrews", "vehicle"}) {
    Problem p(model);
    MotionSolver motion(p.system, p.active);
    std::vector<double> a(p.state.v.size()), lambda(p.active.size());
    ASSERT_EQ(motion.accelerations(0, p.state.q, p.state.v, a, lambda), Eval::ok);
    const AllocationGuard guard;
    ASSERT_EQ(motion.accelerations(0, p.state.q, p.state.v, a, lambda), Eval::ok);
    ASSERT_EQ(motion.linearise(0, p.state.q), Eval::ok);
    EXPECT_EQ(guard.count(), 0) << model;
  }
}

// Where a pivot falls, as next to a singular pose, the solver says so.
TEST(JointSchur, SeesPivotsFall) {
  Problem p("andrews");
  JointSchur joints(p.system);
  const auto factor = [&](const State& at) {
    p.system.rotations(at.q, p.work);
    ASSERT_TRUE(joints.factor_pose(p.system.config(0, at.q, p.work), p.work).ok);
  };
  factor(p.state);
  EXPECT_FALSE(joints.pivots_kept());  // nothing is remembered yet
  joints.remember_pivots(0.8);
  factor(p.state);
  EXPECT_TRUE(joints.pivots_kept());
  joints.remember_pivots(1.01);
  factor(p.state);
  EXPECT_FALSE(joints.pivots_kept());
}

}  // namespace
}  // namespace cardan
