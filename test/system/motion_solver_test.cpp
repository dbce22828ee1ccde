// The two roads to accelerations agree with each other and with a dense solve, and do not allocate.
#include "cardan/system/motion_solver.h"

#include <Eigen/Dense>

#include "cardan/base/alloc_guard.h"
#include "cardan/system/joint_schur.h"
#include "cardan/system/saddle.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

// (a, lambda) of the forces, gamma and Jacobian in `work`, by a dense matrix with full pivoting in
// long double.
Eigen::VectorXd dense_solution(const System& system,
                               const Workspace& work,
                               const std::vector<char>& active) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const int n = system.v_size(), m = system.equations().rows();
  Matrix K = Matrix::Zero(n + m, n + m);
  const Matrix J = system.equations().dense(work.packed).cast<long double>();
  for (int b = 0; b < system.body_count(); ++b)
    for (int r = 0; r < 3; ++r) K(3 * b + r, 3 * b + r) = system.mass().at(b, r, r);
  Vector right(n + m);
  right << as_vector(CView(work.Q)).cast<long double>(),
      as_vector(CView(work.gamma)).cast<long double>();
  for (int r = 0; r < m; ++r) {
    if (active[static_cast<std::size_t>(r)] != 0) {
      K.block(n + r, 0, 1, n) = J.row(r);
      K.block(0, n + r, n, 1) = J.row(r).transpose();
    } else {
      K(n + r, n + r) = 1;
      right[n + r] = 0;
    }
  }
  return K.fullPivLu().solve(right).cast<double>();
}

struct Case {
  System system;
  Workspace work;
  State state;

  explicit Case(const std::string& model)
      : system(test::system_of(test::model_file(model))),
        work(system.workspace()),
        state(system.given_state()) {
    for (std::size_t k = 0; k < state.v.size(); ++k)
      state.v[k] = 0.1 * std::sin(3.0 * static_cast<double>(k) + 1);
    system.rotations(state.q, work);
    system.equations().phi_q(system.config(0, state.q, work), work.packed);
    system.equations().gamma(system.motion(0, state.q, state.v, work), work.gamma);
    system.evaluate_forces(0, state.q, state.v, work);
  }

  Eigen::VectorXd dense_solution(const std::vector<char>& active) const {
    return cardan::dense_solution(system, work, active);
  }
};

class Saddle : public testing::TestWithParam<const char*> {};

TEST_P(Saddle, SchurAndKktAgreeWithADenseSolve) {
  Case c(GetParam());
  std::vector<char> active(static_cast<std::size_t>(c.system.equations().rows()), 1);
  if (std::string(GetParam()) == "parallelogram") active[3] = 0;
  const Eigen::VectorXd right = c.dense_solution(active);
  for (const bool schur : {true, false}) {
    if (schur && !c.system.mass().regular()) continue;
    std::unique_ptr<SaddleSolver> solver;
    if (schur)
      solver = std::make_unique<JointSchur>(c.system);
    else
      solver = make_kkt(plan_kkt(c.system.equations(), c.system.mass()));
    solver->activate(active);
    ASSERT_TRUE(solver->factor(c.work.packed).ok);
    std::vector<double> a(c.state.v.size()), lambda(active.size());
    solver->solve(c.work.Q, c.work.gamma, a, lambda);
    Eigen::VectorXd found(right.size());
    found << as_vector(CView(a)), as_vector(CView(lambda));
    EXPECT_LT((found - right).norm(), 1e-10 * right.norm()) << (schur ? "Schur" : "KKT");
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         Saddle,
                         testing::Values("andrews",
                                         "slider-crank",
                                         "pendulum",
                                         "double-pendulum",
                                         "quick-return",
                                         "parallelogram",
                                         "gear-train"));

TEST(MotionSolver, ProjectsOntoTheConstraintsMassOrthogonally) {
  Case c("andrews");
  const std::vector<char> active(static_cast<std::size_t>(c.system.equations().rows()), 1);
  MotionSolver solver(c.system, active);
  std::vector<double> q = c.state.q;
  for (std::size_t k = 0; k < q.size(); ++k) q[k] += 1e-5 * std::cos(static_cast<double>(k));
  const std::vector<double> before = q;
  ASSERT_EQ(solver.project_positions(0, q), Eval::ok);
  EXPECT_LT(solver.position_violation(0, q), 1e-14);
  // The correction is M-orthogonal to every motion the constraints allow.
  std::vector<double> correction(q.size()), weighted(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) correction[k] = q[k] - before[k];
  c.system.mass().multiply(correction, weighted);
  const Eigen::MatrixXd J = c.system.equations().dense(c.work.packed);
  const Eigen::MatrixXd kernel = J.fullPivLu().kernel();
  EXPECT_LT((kernel.transpose() * as_vector(CView(weighted))).norm(),
            1e-3 * as_vector(CView(weighted)).norm() * kernel.norm());
  std::vector<double> v = c.state.v;
  ASSERT_EQ(solver.project_velocities(0, q, v), Eval::ok);
  EXPECT_LT(solver.velocity_violation(0, q, v), 1e-13);
}

TEST(MotionSolver, DoesNotAllocate) {
  for (const char* model : {"andrews", "pendulum"}) {  // Schur and KKT
    Case c(model);
    const std::vector<char> active(static_cast<std::size_t>(c.system.equations().rows()), 1);
    MotionSolver solver(c.system, active);
    std::vector<double> a(c.state.v.size()), lambda(active.size()), q = c.state.q, v = c.state.v;
    ASSERT_EQ(solver.accelerations(0, q, v, a, lambda), Eval::ok);
    const AllocationGuard guard;
    EXPECT_EQ(solver.accelerations(0, q, v, a, lambda), Eval::ok);
    EXPECT_EQ(solver.project_positions(0, q), Eval::ok);
    EXPECT_EQ(solver.project_velocities(0, q, v), Eval::ok);
    EXPECT_EQ(guard.count(), 0);
  }
}

// Links with almost no inertia spoil S; the solver must notice and still give the right answer.
TEST(MotionSolver, ExtremeInertiaRatiosAreSolved) {
  for (const double inertia : {1e-3, 1e-6, 1e-9, 1e-12}) {
    std::string text = test::chain(20);
    const std::string key = "mass=0.2\n";
    text.replace(text.find(key), key.size(), "mass=0.2\ninertia=" + std::to_string(0.0) + "\n");
    Model model = test::model_of(text);
    for (auto& body : model.bodies) body.inertia = inertia * body.mass * 0.01;
    const System system = test::system_of(model);
    const std::vector<char> active(static_cast<std::size_t>(system.equations().rows()), 1);
    MotionSolver solver(system, active);
    const State s = system.given_state();
    std::vector<double> a(s.v.size()), lambda(active.size());
    ASSERT_EQ(solver.accelerations(0, s.q, s.v, a, lambda), Eval::ok);
    const Eigen::VectorXd right =
        dense_solution(system, solver.work(), active).head(system.v_size());
    EXPECT_LT((as_vector(CView(a)) - right).norm(), 1e-7 * right.norm()) << inertia;
  }
}

}  // namespace
}  // namespace cardan
