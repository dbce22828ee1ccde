// Motion in independent coordinates: the residual of Newton's method, its exact Jacobian (eq. 29),
// what Fisette and Vaneghem leave out of it (eq. 40), and its sparse form.
#include <filesystem>
#include <random>

#include "cardan/analysis/start/assembly.h"
#include "cardan/formulation/formulation.h"
#include "cardan/formulation/implicit/state_space_motion.h"
#include "cardan/formulation/mechanism_equations.h"
#include "test/mechanisms.h"

namespace cardan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Form = IndependentMotion::Form;
using Neglect = IndependentMotion::Neglect;

constexpr double round_off = 1e-12;

// A mechanism at the end of a step of Newmark's formulas from its assembled state, with random
// velocities before it and random accelerations s behind it.
class Step {
 public:
  explicit Step(const std::string& model, Form form = Form::dense, double h = 0.01, int seed = 5)
      : system_(system_of(model_file(model))),
        start_(assemble(system_, 0, system_.given_state())),
        motion_(system_, start_.mobility.active),
        equations_(motion_),
        in_(equations_, form),
        h_(h),
        rng_(static_cast<unsigned>(seed)) {
    EXPECT_TRUE(start_.ok);
    motion_.use_inputs(start_.state.u);
    in_.choose(0, start_.state.q);
    at_ = in_.point();
    s_ = random(in_.freedoms());
    rates_ = VectorXd(in_.freedoms());
    for (int j = 0; j < in_.freedoms(); ++j)
      rates_[j] =
          start_.state.v[static_cast<std::size_t>(in_.independent()[static_cast<std::size_t>(j)])] +
          0.3 * random(1)[0];
  }

  double beta_h2() const { return 0.25 * h_ * h_; }

  double gamma_h() const { return 0.5 * h_; }

  VectorXd random(Eigen::Index n) {
    return VectorXd::NullaryExpr(n, [&] { return std::uniform_real_distribution<>(-1, 1)(rng_); });
  }

  VectorXd psi(const VectorXd& s) {
    for (int j = 0; j < in_.freedoms(); ++j) {
      const auto k = static_cast<std::size_t>(in_.independent()[static_cast<std::size_t>(j)]);
      at_.d[k] = h_ * rates_[j] + beta_h2() * s[j];
      at_.v[k] = rates_[j] + gamma_h() * s[j];
      at_.a[k] = s[j];
    }
    EXPECT_EQ(in_.follow(h_, start_.state.q, start_.state.z, at_), Eval::ok);
    return at_.psi;
  }

  // The derivative along a direction, from values alone: Chebyshev's polynomial through `count`
  // points of [-radius, radius]. psi is analytic, so this converges to round-off with large radii,
  // where differences of nearby values cannot get.
  //   c_j = 2/n sum psi(x_k) T_j(x_k),   psi'(0) = sum over odd j of (-1)^((j-1)/2) j c_j / radius
  VectorXd along(const VectorXd& direction, double radius, int count) {
    VectorXd sum = VectorXd::Zero(direction.size());
    for (int k = 0; k < count; ++k) {
      const double angle = M_PI * (k + 0.5) / count;
      double weight = 0;
      for (int j = 1, sign = 1; j < count; j += 2, sign = -sign)
        weight += sign * j * std::cos(j * angle);
      sum += 2.0 / count * weight * psi(s_ + radius * std::cos(angle) * direction);
    }
    return sum / radius;
  }

  MatrixXd matrix(Neglect neglect) {
    psi(s_);
    in_.linearise(at_, start_.state.z, neglect);
    return in_.mass() + gamma_h() * in_.damping() + beta_h2() * in_.stiffness();
  }

  // Goes on from another pose, up to so far away along the independent coordinates, where others may be
  // independent. Half as far where there is no such pose.
  void wander(double far) {
    const auto sizes = system_.length();
    for (; far > 1e-3; far *= 0.5) {
      std::fill(at_.d.begin(), at_.d.end(), 0.0);
      for (const int k : in_.independent())
        at_.d[static_cast<std::size_t>(k)] =
            far * random(1)[0] * (equations_.is_angle(k) ? 1 : sizes);
      if (in_.kinematics(0, start_.state.q, at_) != Eval::ok) continue;
      if (equations_.position_violation(0, at_.q) > 1e-12 * sizes) continue;
      start_.state.q = at_.q;
      break;
    }
    in_.choose(0, start_.state.q);
    at_ = in_.point();
    s_ = random(in_.freedoms());
    rates_ = random(in_.freedoms());
  }

  System system_;
  Assembly start_;
  MotionSolver motion_;
  MechanismEquations equations_;
  IndependentMotion in_;
  IndependentMotion::Point at_;
  double h_;
  std::mt19937 rng_;
  VectorXd s_, rates_;
};

struct Case {
  const char* model;
  double h = 0.01;
  double s = 1;  // size of the accelerations
};

class StateSpace : public testing::TestWithParam<Case> {};

TEST_P(StateSpace, satisfies_all_constraints) {
  Step step(GetParam().model, Form::dense, GetParam().h);
  step.psi(GetParam().s * step.s_);
  const auto& at = step.at_;
  EXPECT_LE(step.equations_.position_violation(at.t, at.q), 1e-12);
  EXPECT_LE(step.equations_.velocity_violation(at.t, at.q, at.v), 1e-10);
  std::vector<double> rates(at.lambda.size());
  ASSERT_EQ(step.equations_.evaluate(at.t, at.q, at.v, at.lambda, step.start_.state.z), Eval::ok);
  step.equations_.multiply_phi_q(at.a, rates);
  for (std::size_t r = 0; r < rates.size(); ++r) {
    if (step.equations_.active()[r] != 0) {
      EXPECT_NEAR(rates[r], step.equations_.gamma()[r], 1e-8 * (1 + std::abs(rates[r])));
    }
  }
}

TEST_P(StateSpace, jacobian_is_the_derivative_of_the_residual) {
  Step step(GetParam().model, Form::dense, GetParam().h);
  step.s_ *= GetParam().s;
  const MatrixXd exact = step.matrix(Neglect::nothing);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const VectorXd x = step.random(step.in_.freedoms());
    const VectorXd found = exact * x;
    // Velocities move by up to some m/s; how far psi is analytic depends on the mechanism.
    double best = 1;
    for (const double e : {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0})
      for (const int count : {6, 10, 16, 24}) {
        if (best <= round_off) break;
        const VectorXd values = step.along(x, e * GetParam().s / step.gamma_h() * 0.1, count);
        best = std::min(best, (found - values).norm() / found.norm());
      }
    EXPECT_LE(best, round_off) << GetParam().model;
  }
}

// The same of every model that has freedoms, in three random poses each.
TEST(StateSpaceEverywhere, jacobian_is_the_derivative_of_the_residual) {
  int models = 0;
  for (const auto& folder :
       std::filesystem::directory_iterator(std::string(source_dir) + "/models")) {
    const std::string name = folder.path().filename();
    if (!std::filesystem::exists(folder.path() / "model.toml") || name == "infeasible") continue;
    const System system = system_of(model_file(name));
    int freedoms = system.v_size();
    bool rolls = false;
    const Assembly start = assemble(system, 0, system.given_state());
    ASSERT_TRUE(start.ok) << name;
    for (int row = 0; row < static_cast<int>(start.mobility.active.size()); ++row) {
      if (start.mobility.active[static_cast<std::size_t>(row)] == 0) continue;
      --freedoms;
      rolls = rolls || system.equations().at_velocity_level(row);
    }
    if (freedoms == 0 || rolls) continue;
    ++models;
    for (int seed = 1; seed <= 3; ++seed) {
      Step step(name, Form::dense, 1e-3, seed);
      if (step.motion_.friction().any()) break;  // Newmark's formulas refuse it
      step.wander(0.3);
      const MatrixXd exact = step.matrix(Neglect::nothing);
      const VectorXd x = step.random(step.in_.freedoms());
      const VectorXd found = exact * x;
      double best = 1;
      for (double e = 0.01; e < 2000 && best > round_off; e *= 2)
        for (const int count : {6, 10, 16, 24, 40}) {
          const VectorXd values = step.along(x, e / step.gamma_h() * 0.1, count);
          best = std::min(best, (found - values).norm() / found.norm());
          if (best <= round_off) break;
        }
      EXPECT_LE(best, round_off) << name << ", pose " << seed;
    }
  }
  EXPECT_GE(models, 30);
}

TEST_P(StateSpace, what_is_neglected_is_eq_40) {
  Step step(GetParam().model, Form::dense, GetParam().h);
  step.s_ *= GetParam().s;
  const MatrixXd exact = step.matrix(Neglect::nothing), fv = step.matrix(Neglect::fisette_vaneghem);
  const MatrixXd neglected = step.gamma_h() * step.in_.neglected_damping() +
                             step.beta_h2() * step.in_.neglected_stiffness();
  EXPECT_LE((exact - fv - neglected).norm(), round_off * exact.norm());
}

// Where Psi = 0, s = a(d, v) of the equations of motion, whose derivatives also follow from the whole
// saddle-point matrix: Psi_s = M_r (1 - gamma h a_v - beta h^2 a_d).
TEST_P(StateSpace, jacobian_agrees_with_the_saddle_point_matrix) {
  Step step(GetParam().model, Form::dense, GetParam().h);
  step.psi(step.s_);
  auto& at = step.at_;
  ASSERT_EQ(step.equations_.accelerations(at.t, at.q, at.v, step.start_.state.z, at.a, at.lambda),
            Eval::ok);
  for (int pass = 0; pass < 30; ++pass) {  // the step that ends with these accelerations
    const VectorXd before = step.s_;
    for (int j = 0; j < step.in_.freedoms(); ++j)
      step.s_[j] =
          at.a[static_cast<std::size_t>(step.in_.independent()[static_cast<std::size_t>(j)])];
    if ((step.s_ - before).norm() <= 1e-13 * step.s_.norm()) break;
    const VectorXd left = step.psi(step.s_);
    step.in_.linearise(at, step.start_.state.z, Neglect::nothing);
    ASSERT_TRUE(step.in_.factor(step.beta_h2(), step.gamma_h()));
    VectorXd x = -left;
    step.in_.solve({x.data(), static_cast<std::size_t>(x.size())});
    step.s_ += x;
    for (int j = 0; j < step.in_.freedoms(); ++j)
      at.a[static_cast<std::size_t>(step.in_.independent()[static_cast<std::size_t>(j)])] =
          step.s_[j];
  }
  const MatrixXd exact = step.matrix(Neglect::nothing);
  IndependentMotion::Slopes slopes;
  step.in_.slopes(at, step.start_.state.z, slopes);
  const Eigen::Index f = step.in_.freedoms();
  MatrixXd a(f, 2 * f);
  for (Eigen::Index j = 0; j < f; ++j)
    a.row(j) = slopes.a.row(step.in_.independent()[static_cast<std::size_t>(j)]).head(2 * f);
  const MatrixXd other =
      step.in_.mass() *
      (MatrixXd::Identity(f, f) - step.gamma_h() * a.rightCols(f) - step.beta_h2() * a.leftCols(f));
  EXPECT_LE((exact - other).norm(), round_off * exact.norm()) << GetParam().model;
}

TEST_P(StateSpace, sparse_form_makes_the_same_steps) {
  for (const Neglect neglect : {Neglect::nothing, Neglect::fisette_vaneghem}) {
    Step dense(GetParam().model, Form::dense, GetParam().h);
    Step sparse(GetParam().model, Form::sparse, GetParam().h);
    dense.s_ *= GetParam().s;
    const VectorXd psi = dense.psi(dense.s_);
    EXPECT_LE((sparse.psi(dense.s_) - psi).norm(), 1e-10 * (1 + psi.norm()));
    VectorXd x = dense.random(dense.in_.freedoms()), y = x;
    const VectorXd d = dense.random(x.size()), v = dense.random(x.size());
    VectorXd from_d(x.size()), from_s(x.size());
    const auto view = [](VectorXd& of) {
      return View{of.data(), static_cast<std::size_t>(of.size())};
    };
    const auto seen = [](const VectorXd& of) {
      return CView{of.data(), static_cast<std::size_t>(of.size())};
    };
    for (auto* step : {&dense, &sparse}) {
      step->in_.linearise(step->at_, step->start_.state.z, neglect);
      ASSERT_TRUE(step->in_.factor(step->beta_h2(), step->gamma_h()));
    }
    dense.in_.solve(view(x));
    sparse.in_.solve(view(y));
    EXPECT_LE((x - y).norm(), 1e-8 * x.norm()) << GetParam().model;
    dense.in_.respond(seen(d), seen(v), view(from_d));
    sparse.in_.respond(seen(d), seen(v), view(from_s));
    EXPECT_LE((from_d - from_s).norm(), 1e-8 * (1 + from_d.norm())) << GetParam().model;
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         StateSpace,
                         testing::Values(Case{"slider-crank"},
                                         Case{"andrews", 1e-4, 1e4},
                                         Case{"andrews-stiff", 1e-4, 1e4},
                                         Case{"stiff-double-pendulum", 1e-3},
                                         Case{"pendulum"},
                                         Case{"double-pendulum"},
                                         Case{"quick-return"},
                                         Case{"n-four-bar"},
                                         Case{"gear-train"},
                                         Case{"doc002-crank-slider"},
                                         Case{"cart-pole"},
                                         Case{"excavator-boom", 1e-3},
                                         Case{"heavy-top"},
                                         Case{"gyroscope"},
                                         Case{"tumbling-body"},
                                         Case{"helix-bead"},
                                         Case{"flyball-governor", 1e-3},
                                         Case{"spatial-slider-crank"},
                                         Case{"spatial-four-bar"},
                                         Case{"bennett", 1e-3},
                                         Case{"universal-train", 1e-3},
                                         Case{"spherical-chain"},
                                         Case{"vehicle", 1e-3}),
                         [](const auto& name) {
                           std::string word = name.param.model;
                           std::replace(word.begin(), word.end(), '-', '_');
                           return word;
                         });

// ---------------------------------------------------------------- y' = f of the other formulas

struct FormulaCase {
  std::string model;
  double c = 0.01;
};

class StateSpaceFormula : public testing::TestWithParam<FormulaCase> {};

// (I - c f_y) x = b, with f_y x by differences of fourth order.
TEST_P(StateSpaceFormula, solves_with_the_derivative_of_f) {
  const std::string& name = GetParam().model;
  const System system = system_of(
      name.rfind("chain", 0) == 0 ? model_of(chain(std::stoi(name.substr(6)))) : model_file(name));
  const Assembly start = assemble(system, 0, system.given_state());
  ASSERT_TRUE(start.ok);
  DynamicOptions options;
  options.formulation = "state-space";
  options.integrator = "bdf";
  auto made = make_formulation({system, start.mobility.active, options});
  ASSERT_TRUE(made);
  Formulation& of = *made.value();
  const auto view = [](VectorXd& x) {
    return View{x.data(), static_cast<std::size_t>(x.size())};
  };
  VectorXd y(of.size()), dy(of.size());
  of.reserve(1);
  of.parametrize(start.state, view(y));
  const Tolerance tolerance = of.tolerance(options);
  std::mt19937 rng(4);
  const auto random = [&] {
    return std::uniform_real_distribution<>(-1, 1)(rng);
  };
  for (Eigen::Index k = 0; k < y.size(); ++k)
    if (!tolerance.ignored[static_cast<std::size_t>(k)]) y[k] += 0.02 * random();
  ASSERT_EQ(of.evaluate(0.01, view(y), view(dy)), Eval::ok);
  const Shift shift{GetParam().c, 0};
  ASSERT_EQ(of.setup(0.01, view(y), view(dy), {&shift, 1}, Reuse::nothing), Eval::ok);
  const VectorXd b = VectorXd::NullaryExpr(y.size(), random);
  VectorXd x = b;
  ASSERT_EQ(of.solve(0, view(x), {}), Eval::ok);
  const auto f = [&](double h) {
    VectorXd at = y + h * x, out(y.size());
    EXPECT_EQ(of.evaluate(0.01, view(at), view(out)), Eval::ok);
    return out;
  };
  double best = 1;
  for (const double h : {1e-4, 1e-3}) {
    const VectorXd along = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h * 1.0);
    const VectorXd gap = x - GetParam().c * along - b;
    best = std::min(best, gap.cwiseAbs().maxCoeff() / (1 + x.cwiseAbs().maxCoeff()));
  }
  EXPECT_LE(best, 1e-7) << name;
}

INSTANTIATE_TEST_SUITE_P(Models,
                         StateSpaceFormula,
                         testing::Values(FormulaCase{"slider-crank"},
                                         FormulaCase{"andrews-stiff", 1e-6},
                                         FormulaCase{"double-pendulum"},
                                         FormulaCase{"cart-pole"},
                                         FormulaCase{"motor-slider-crank", 1e-3},
                                         FormulaCase{"heavy-top"},
                                         FormulaCase{"flyball-governor", 1e-5},
                                         FormulaCase{"spatial-slider-crank"},
                                         FormulaCase{"spherical-chain"},
                                         FormulaCase{"chain 25", 1e-3}));

}  // namespace
}  // namespace cardan::test
