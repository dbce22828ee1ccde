// The Newton service of formulations in all coordinates: what it solves is I - c f_y of the f that
// the formulation evaluates.
#include <random>

#include "cardan/analysis/start/assembly.h"
#include "cardan/formulation/formulation.h"
#include "test/mechanisms.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;

constexpr double difference_tolerance = 2e-6;  // central differences of f along one direction

View view(VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

struct Case {
  const char *model, *formulation, *stabilization = "classic";
  double scale = 1;  // of the shift, in s
};

class ImplicitMotionOf : public testing::TestWithParam<Case> {
 protected:
  VectorXd random(Eigen::Index n) {
    return VectorXd::NullaryExpr(n, [&] { return std::uniform_real_distribution<>(-1, 1)(rng_); });
  }

  static VectorXd units(const VectorXd& y) { return y.cwiseAbs().cwiseMax(1); }

  // f_y x by central differences of fourth order.
  VectorXd along(Formulation& of, double t, const VectorXd& y, const VectorXd& x) {
    const double size = x.cwiseQuotient(units(y)).cwiseAbs().maxCoeff();
    const auto f = [&](double h) {
      VectorXd at = y + h / size * x, dy(y.size());
      EXPECT_EQ(of.evaluate(t, view(at), view(dy)), Eval::ok);
      return dy;
    };
    const double h = 3e-5;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) * (size / (12 * h));
  }

  std::mt19937 rng_{3};
};

TEST_P(ImplicitMotionOf, solves_with_the_derivative_of_f) {
  const Case& which = GetParam();
  const System system = system_of(model_file(which.model));
  const Assembly start = assemble(system, 0, system.given_state());
  ASSERT_TRUE(start.ok);
  DynamicOptions options;
  options.formulation = which.formulation;
  options.integrator = "radau5";
  options.stabilization = which.stabilization;
  auto made = make_formulation({system, start.mobility.active, options});
  ASSERT_TRUE(made);
  Formulation& of = *made.value();
  State state = start.state;
  for (double& x : state.v) x += 0.1 * random(1)[0];
  VectorXd y(of.size()), dy(of.size());
  of.reserve(2);
  of.parametrize(state, view(y));
  const double t = of.name() == "reduced" ? 0 : 0.05;  // its poses are those expected at the time
  ASSERT_EQ(of.evaluate(t, view(y), view(dy)), Eval::ok);
  const Shift shifts[] = {{0.01 * which.scale, 0}, {0.02 * which.scale, 0.03 * which.scale}};
  const long evaluations = of.stats().f;
  ASSERT_EQ(of.setup(t, view(y), view(dy), shifts, Reuse::nothing), Eval::ok);
  if (of.name() == "reduced") {
    EXPECT_EQ(of.stats().f - evaluations, 1) << "derivatives are not differenced";
  }

  // Angles that count turns are known to follow, not how their rates bend.
  const Eigen::Index first_turn = system.q_size() - system.turn_count();
  const auto worst = [&](VectorXd found, const VectorXd& b, const VectorXd& x) {
    found -= b;
    if (of.name() != "reduced") found.segment(first_turn, system.turn_count()).setZero();
    const auto size = [&](const VectorXd& d) {
      return d.cwiseQuotient(units(y)).cwiseAbs().maxCoeff();
    };
    return size(found) / (size(b) + size(x));
  };
  for (int repeat = 0; repeat < 3; ++repeat) {
    const VectorXd b = random(y.size()).cwiseProduct(units(y)),
                   b_im = random(y.size()).cwiseProduct(units(y));
    VectorXd x = b;
    ASSERT_EQ(of.solve(0, view(x), {}), Eval::ok);
    const double c = shifts[0].re;
    EXPECT_LE(worst(x - c * along(of, t, y, x), b, x), difference_tolerance) << which.model;

    VectorXd re = b, im = b_im;
    ASSERT_EQ(of.solve(1, view(re), view(im)), Eval::ok);
    const VectorXd f_re = along(of, t, y, re), f_im = along(of, t, y, im);
    const double c_re = shifts[1].re, c_im = shifts[1].im;
    EXPECT_LE(worst(re - c_re * f_re + c_im * f_im, b, re), difference_tolerance) << which.model;
    EXPECT_LE(worst(im - c_re * f_im - c_im * f_re, b_im, im), difference_tolerance) << which.model;
  }
  EXPECT_EQ(of.stats().jacobian, 1);
}

// New shifts with the derivatives of before, and the same shifts again.
TEST(ImplicitMotion, keeps_what_it_may_keep) {
  const System system = system_of(model_file("slider-crank"));
  const Assembly start = assemble(system, 0, system.given_state());
  DynamicOptions options;
  options.formulation = "projected";
  options.integrator = "bdf";
  auto made = make_formulation({system, start.mobility.active, options});
  ASSERT_TRUE(made);
  Formulation& of = *made.value();
  VectorXd y(of.size()), dy(of.size());
  of.reserve(1);
  of.parametrize(start.state, view(y));
  ASSERT_EQ(of.evaluate(0, view(y), view(dy)), Eval::ok);
  const Shift first{0.01, 0}, second{0.02, 0};
  const VectorXd b = VectorXd::LinSpaced(y.size(), -1, 1);
  const auto solved = [&](const Shift& c, Reuse reuse) {
    EXPECT_EQ(of.setup(0, view(y), view(dy), {&c, 1}, reuse), Eval::ok);
    VectorXd x = b;
    EXPECT_EQ(of.solve(0, view(x), {}), Eval::ok);
    return x;
  };
  const VectorXd x_1 = solved(first, Reuse::nothing), x_2 = solved(second, Reuse::jacobian);
  EXPECT_EQ(of.stats().jacobian, 1);
  const long before = of.stats().factorization;
  EXPECT_EQ(solved(second, Reuse::factors), x_2);
  EXPECT_EQ(of.stats().factorization, before);
  EXPECT_EQ(solved(first, Reuse::factors), x_1);  // bit for bit
  EXPECT_EQ(of.stats().jacobian, 1);
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ImplicitMotionOf,
                         testing::Values(Case{"slider-crank", "direct"},
                                         Case{"andrews", "projected", "classic", 1e-3},
                                         Case{"four-bar", "baumgarte", "classic"},
                                         Case{"four-bar", "baumgarte", "feedback"},
                                         Case{"pendulum", "baumgarte", "gradient"},
                                         Case{"four-bar", "baumgarte", "penalty"},
                                         Case{"slider-crank", "hybrid"},
                                         Case{"spatial-four-bar", "hybrid"},
                                         Case{"cart-pole", "projected"},
                                         Case{"motor-slider-crank", "direct"},
                                         Case{"excavator-boom", "projected", "classic", 0.01},
                                         Case{"stick-slip", "direct", "classic", 1e-3},
                                         Case{"spatial-slider-crank", "projected"},
                                         Case{"heavy-top", "direct"},
                                         Case{"tumbling-body", "projected"},
                                         Case{"rolling-disc", "projected"},
                                         Case{"flyball-governor", "projected"},
                                         Case{"stewart-platform", "projected"},
                                         Case{"vehicle", "projected", "classic", 0.01},
                                         Case{"slider-crank", "reduced"},
                                         Case{"andrews", "reduced", "classic", 1e-3},
                                         Case{"double-pendulum", "reduced"},
                                         Case{"cart-pole", "reduced"},
                                         Case{"motor-slider-crank", "reduced"},
                                         Case{"excavator-boom", "reduced", "classic", 0.01},
                                         Case{"spatial-four-bar", "reduced"},
                                         Case{"spatial-slider-crank", "reduced"},
                                         Case{"heavy-top", "reduced"},
                                         Case{"tumbling-body", "reduced"},
                                         Case{"flyball-governor", "reduced", "classic", 1e-3}));

}  // namespace
}  // namespace cardan::test
