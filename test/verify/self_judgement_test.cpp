// A run that cannot be right says so: explosions end, imbalances of energy are doubtful, and right
// runs are neither.
#include <cmath>
#include <complex>

#include "test/verify/support.h"

namespace cardan {
namespace {

const char* const oscillator =
    "gravity = [0, 0]\n"
    "[[body]]\nname='m'\nat=[0.1, 0]\nmass=1\ninertia=1\n"
    "[[joint]]\ntype='translational'\nname='rail'\nbetween=['ground', 'm']\nat=[0, 0]\naxis=[1, "
    "0]\n"
    "[[force]]\ntype='spring'\nbetween=['ground', 'm']\nat=[[-1, 0], [0.1, 0]]\n"
    "stiffness=100\nfree_length=1\n"
    "[[analysis]]\ntype='dynamic'\nuntil=20\n";

struct Given {
  const char* integrator;
  double step;
};

class TooLarge : public testing::TestWithParam<Given> {};

TEST_P(TooLarge, StepsEndAsAFailureOrAreDoubtful) {
  Model model = test::model_of(oscillator);
  test::dynamic(model).integrator = GetParam().integrator;
  test::dynamic(model).step = GetParam().step;
  test::Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_NE(out.summary.status, "complete")
      << "imbalance " << out.summary.energy.max_imbalance << " J of 0.5 J";
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    EXPECT_LT(std::abs(run.value("m.x", k)), 1e4) << "an explosion ends";
}

INSTANTIATE_TEST_SUITE_P(Integrators,
                         TooLarge,
                         testing::Values(Given{"ab", 0.1},
                                         Given{"euler", 0.05},
                                         Given{"euler", 0.005},
                                         Given{"mampc", 0.2},
                                         Given{"rk4", 0.3},
                                         Given{"rk2", 0.15},
                                         Given{"heun", 0.2},
                                         Given{"pece", 0.3},
                                         Given{"verlet", 0.21},
                                         Given{"backward-euler", 0.05}));

class SmallEnough : public testing::TestWithParam<Given> {};

TEST_P(SmallEnough, StepsAreNotDoubtful) {
  Model model = test::model_of(oscillator);
  test::dynamic(model).integrator = GetParam().integrator;
  test::dynamic(model).step = GetParam().step;
  test::Memory run;
  EXPECT_EQ(run_model(model, run, {}).summary.status, "complete");
}

INSTANTIATE_TEST_SUITE_P(Integrators,
                         SmallEnough,
                         testing::Values(Given{"ab", 0.005},
                                         Given{"rk4", 0.02},
                                         Given{"mampc", 0.01},
                                         Given{"verlet", 0.01},
                                         Given{"trapezoidal", 0.01},
                                         Given{"gauss", 0.05},
                                         Given{"ode45", 0},
                                         Given{"adams", 0},
                                         Given{"bdf", 0},
                                         Given{"radau5", 0}));

// A body that spins fast on its tip: the energy of the spin stays, and what moves the top is a small
// part of it. Where it is
// doubtful the centre is off by 3 % of its range and more, elsewhere by 0.5 % and less.
const char* const top =
    "space = 'spatial'\ngravity = [0, 0, -9.81]\n"
    "[[body]]\nname='top'\nmass=15\ncentre=[0, 1, 0]\ninertia=[0.234375, 0.46875, 0.234375]\n"
    "angular_velocity_body=[0, 150, -4.61538]\n"
    "[[joint]]\ntype='spherical'\nname='tip'\nbetween=['ground', 'top']\nat=[0, 0, 0]\n"
    "[[analysis]]\ntype='dynamic'\nuntil=2\n";

std::string status_of_top(const char* integrator, double step) {
  Model model = test::model_of(top);
  test::dynamic(model).integrator = integrator;
  test::dynamic(model).step = step;
  test::Memory run;
  return run_model(model, run, {}).summary.status;
}

TEST(FastSpin, DoesNotHideTheErrorOfTheRest) {
  EXPECT_EQ(status_of_top("euler", 1e-3), "doubtful");
  EXPECT_EQ(status_of_top("euler", 2e-4), "doubtful");
  EXPECT_EQ(status_of_top("heun", 3e-3), "doubtful");
  EXPECT_EQ(status_of_top("heun", 1e-3), "complete");
  EXPECT_EQ(status_of_top("rk4", 3e-3), "complete");
}

// Methods that keep the energy while the oscillation falls behind: a step of 0.2 rad lets the phase of
// the trapezoidal rule fall behind by 0.13 rad in 20 s. Reference: cos(10 t). What is asked are the
// positions of the steps alone, which tell half of the error of some methods and twice that of others:
// a run that is off by half the amplitude is doubtful, one that is off by a tenth is not.
TEST(FallingBehind, IsDoubtful) {
  constexpr double amplitude = 0.1;
  for (const char* integrator :
       {"trapezoidal", "newmark", "verlet", "midpoint", "semi-implicit", "rk2"})
    for (const double step : {0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001}) {
      Model model = test::model_of(oscillator);
      test::dynamic(model).integrator = integrator;
      test::dynamic(model).step = step;
      test::Memory run;
      const std::string status = run_model(model, run, {}).summary.status;
      double off = 0;
      for (std::size_t k = 0; k < run.rows.size(); ++k)
        off =
            std::max(off, std::abs(run.value("m.x", k) - amplitude * std::cos(10 * run.times[k])));
      if (off > amplitude / 2) {
        EXPECT_NE(status, "complete") << integrator << ' ' << step << " off by " << off;
      } else if (off < amplitude / 10) {
        EXPECT_EQ(status, "complete") << integrator << ' ' << step << " off by " << off;
      }
    }
}

// A vibration that a force keeps up against damping forgets its errors: however long it lasts, it does
// not fall behind. Reference: the steady vibration of m x'' + c x' + k x = F sin(w t).
TEST(FallingBehind, IsNoneWhereDampingForgets) {
  constexpr double c = 4, w = 9, k = 100, F = 10;
  for (const char* integrator : {"trapezoidal", "newmark", "midpoint", "rk2"}) {
    std::string text = oscillator;
    text.insert(text.find("stiffness"), fmt::format("damping={}\n", c));
    text += fmt::format("[[force]]\ntype='force'\nbody='m'\nvalue=['{}*sin({}*t)', 0]\n", F, w);
    Model model = test::model_of(text);
    test::dynamic(model).integrator = integrator;
    test::dynamic(model).step = 0.005;
    test::dynamic(model).until = 200;
    test::Memory run;
    EXPECT_EQ(run_model(model, run, {}).summary.status, "complete") << integrator;
    const std::complex<double> X = F / std::complex<double>(k - w * w, c * w);
    EXPECT_NEAR(run.last("m.x"), (X * std::polar(1.0, w * 200)).imag(), 0.01 * std::abs(X));
  }
}

// Vibrations of any size are as exact as those of a metre.
TEST(SmallMotion, IsAsExactAsALargeOne) {
  for (const double size : {0.3, 1e-3, 1e-6, 1e-7})
    for (const char* integrator : {"auto", "dop853", "adams", "bdf", "radau5"})
      for (const bool pushed : {false, true}) {
        std::string text = oscillator;
        text.replace(text.find("free_length=1"),
                     13,
                     fmt::format("free_length={:.17g}", pushed ? 1.1 : 1.1 - size));
        if (pushed)
          text.insert(text.find("mass=1"), fmt::format("velocity=[{:.17g},0]\n", 10 * size));
        Model model = test::model_of(text);
        test::dynamic(model).integrator = integrator;
        test::Memory run;
        ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
        double off = 0;
        for (std::size_t k = 0; k < run.rows.size(); ++k) {
          const double way = pushed ? size * std::sin(10 * run.times[k])
                                    : size * (std::cos(10 * run.times[k]) - 1);
          off = std::max(off, std::abs(run.value("m.x", k) - 0.1 - way));
        }
        EXPECT_LT(off, 1e-3 * size) << integrator << ' ' << size;
      }
}

// The same where nothing moves at the start, and a force moves the mass from 1 s on.
TEST(SmallMotion, IsAsExactWhereItBeginsLater) {
  for (const double size : {1e-3, 1e-6, 1e-8})
    for (const char* integrator : {"auto", "dop853", "adams", "bdf", "radau5"})
      for (const char* law : {"if(t<1,0,1)", "sin(7*t)"}) {
        std::string text = oscillator;
        text.replace(text.find("free_length=1"), 13, "free_length=1.1");
        text += fmt::format(
            "[[force]]\ntype='force'\nbody='m'\nvalue=['{:.17g}*{}', 0]\n", 100 * size, law);
        Model model = test::model_of(text);
        test::dynamic(model).integrator = integrator;
        test::Memory run;
        ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
        const bool sudden = law[0] == 'i';
        double off = 0;
        for (std::size_t k = 0; k < run.rows.size(); ++k) {
          const double t = run.times[k];
          const double way = sudden ? (t > 1 ? 1 - std::cos(10 * (t - 1)) : 0)
                                    : (std::sin(7 * t) - 0.7 * std::sin(10 * t)) / 0.51;
          off = std::max(off, std::abs(run.value("m.x", k) - 0.1 - size * way));
        }
        EXPECT_LT(off, 2e-3 * size) << integrator << ' ' << size << ' ' << law;
      }
}

// Equilibrium: nothing moves but round-off, and nothing is doubtful.
TEST(AtRest, NothingIsDoubtful) {
  for (const char* formulation :
       {"projected", "partitioned", "hybrid", "tangent-qr", "null-space", "reduced"}) {
    Model model = test::model_of(
        "gravity = [0, -9.81]\n"
        "[[body]]\nname='bar'\nfrom=[0, 0]\nto=[0, -1]\nmass=2\n"
        "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground', 'bar']\nat=[0, 0]\n"
        "[[force]]\ntype='spring'\nbetween=['ground', 'bar']\nat=[[0, -3], [0, -1]]\n"
        "stiffness=1000\nfree_length=1\n"
        "[[analysis]]\ntype='dynamic'\nuntil=10\n");
    test::dynamic(model).formulation = formulation;
    test::Memory run;
    EXPECT_EQ(run_model(model, run, {}).summary.status, "complete") << formulation;
  }
}

// A driver whose velocity jumps: the energy that the jump needs comes from nowhere.
TEST(VelocityJump, IsDoubtfulOrFails) {
  for (const char* formulation : {"projected",
                                  "partitioned",
                                  "hybrid",
                                  "tangent-svd",
                                  "null-space",
                                  "reduced",
                                  "half-explicit"}) {
    Model model = test::model_of(
        "gravity = [0, 0]\n"
        "[[curve]]\nname='move'\ntype='linear'\ntable=[[0, 0], [1, 0], [3, 2]]\n"
        "[[body]]\nname='cart'\nat=[0, 0]\nmass=1\ninertia=1\n"
        "[[body]]\nname='rod'\nfrom=[0, 0]\nto=[0, -1]\nmass=1\n"
        "[[joint]]\ntype='translational'\nname='rail'\nbetween=['ground', 'cart']\nat=[0, 0]\n"
        "axis=[1, 0]\n"
        "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['cart', 'rod']\nat=[0, 0]\n"
        "[[driver]]\njoint='rail'\nname='motor'\nmotion='move'\n"
        "[[analysis]]\ntype='dynamic'\nuntil=2\n");
    test::dynamic(model).formulation = formulation;
    test::Memory run;
    const Outcome out = run_model(model, run, {});
    const bool right = std::abs(run.last("rod.omega") + 1.5) < 1e-3;
    EXPECT_TRUE(right || out.summary.status != "complete") << formulation;
  }
}

}  // namespace
}  // namespace cardan
