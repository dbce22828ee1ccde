// Forces that act in a short part of the way are not stepped over: humps of many kinds over positions,
// lengths, angles and states, from 1e-4 to 1e-1 of the way, with every kind of formulation and
// integrator. What they leave is their work: v^2 = v_0^2 + 2 W/m.
//   CARDAN_NARROW=first:count   other humps
//   CARDAN_FULL                 1000 of them
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Hump {
  std::string formula;  // of X
  double area = 0;
};

constexpr int hump_kinds = 8;

// Between a - 2 w and a + 2 w, but for tails.
Hump hump_of(int kind, double a, double w) {
  const auto f = [](double x) {
    return fmt::format("{:.17g}", x);
  };
  switch (kind) {
    case 0:
      return {"exp(-((X-" + f(a) + ")/" + f(w) + ")^2)", w * std::sqrt(std::numbers::pi)};
    case 1:
      return {
          "(step(X," + f(a - w) + ",0," + f(a) + ",1)-step(X," + f(a) + ",0," + f(a + w) + ",1))",
          w};
    case 2:
      return {
          "table(clamp(X,-99,99),-99,0," + f(a - w) + ",0," + f(a) + ",1," + f(a + w) + ",0,99,0)",
          w};
    case 3:
      return {"(tanh((X-" + f(a) + ")/" + f(w / 10) + ")-tanh((X-" + f(a + w) + ")/" + f(w / 10) +
                  "))/2",
              w};
    case 4:
      return {"1/(1+((X-" + f(a) + ")/" + f(w) + ")^4)", w * std::numbers::pi / std::sqrt(2.0)};
    case 5:
      return {"if(abs(X-" + f(a) + ")<" + f(w) + ",1,0)", 2 * w};
    case 6:
      return {"(X>" + f(a) + ")*(X<" + f(a + w) + ")", w};
    default:
      return {"max(0,1-abs(X-" + f(a) + ")/" + f(w) + ")", w};
  }
}

std::string with(std::string text, const std::string& variable) {
  for (std::size_t at = text.find('X'); at != std::string::npos; at = text.find('X', at))
    text.replace(at, 1, variable);
  return text;
}

constexpr const char* slider =
    "gravity=[0,0]\n[[body]]\nname='b'\nmass=1\ninertia=1\nvelocity=[1,0]\n"
    "[[joint]]\ntype='translational'\nname='g'\nbetween=['ground','b']\nat=[0,0]\naxis=[1,0]\n"
    "[[request]]\nname='x'\njoint='g'\n";
constexpr const char* rotor =
    "gravity=[0,0]\n[[body]]\nname='b'\nmass=1\ninertia=1\nrate=1\n"
    "[[joint]]\ntype='revolute'\nname='g'\nbetween=['ground','b']\nat=[0,0]\n"
    "[[request]]\nname='x'\njoint='g'\n";

struct Course {
  std::string model, channel;
  bool rate = false;  // the channel is the integral itself
};

constexpr int courses = 6;

Course course_of(int place, const std::string& force) {
  const std::string end = "[[analysis]]\ntype='dynamic'\nuntil=10\n";
  switch (place) {
    case 0:
      return {slider +
                  ("[[force]]\ntype='force'\nbody='b'\nvalue=['" + with(force, "x") + "',0]\n") +
                  end,
              "b.vx"};
    case 1:
      return {slider +
                  ("[[request]]\nname='F'\ntype='expression'\nvalue='(" + with(force, "(x/(1 m))") +
                   ")*(1 N)'\n[[force]]\ntype='force'\nbody='b'\nvalue=['F',0]\n") +
                  end,
              "b.vx"};
    case 2:
      return {slider +
                  ("[[force]]\ntype='spring'\nbetween=['ground','b']\npoints=[[-1,0],[0,0]]\n"
                   "force='-(" +
                   with(force, "(length-1)") + ")'\n") +
                  end,
              "b.vx"};
    case 3:
      return {
          rotor + ("[[force]]\ntype='torque'\nbody='b'\nvalue='" + with(force, "x") + "'\n") + end,
          "b.omega"};
    case 4:
      return {slider + ("[[state]]\nname='z'\nrate='" + with(force, "x") + "'\n") + end, "z", true};
    default:  // the place moves too
      return {slider +
                  ("[[force]]\ntype='force'\nbody='b'\nvalue=['" +
                   with(force, "(x-0.25*sin(0.1*t)+0.025*t)") + "',0]\n") +
                  end,
              "b.vx"};
  }
}

struct Chosen {
  const char *formulation, *integrator;
};

constexpr Chosen chosen[] = {{"auto", "auto"},
                             {"projected", "dop853"},
                             {"partitioned", "adams"},
                             {"tangent-qr", "ode45"},
                             {"hybrid", "bdf"},
                             {"reduced", "dop853"},
                             {"null-space", "radau5"},
                             {"half-explicit", "auto"},
                             {"direct", "esdirk"},
                             {"ggl", "auto"},
                             {"state-space", "auto"},
                             {"partitioned", "rosenbrock"}};

TEST(NarrowFormula, IsNotSteppedOver) {
  unsigned first = 1;
  int count = std::getenv("CARDAN_FULL") != nullptr ? 1000 : 120;
  if (const char* given = std::getenv("CARDAN_NARROW")) std::sscanf(given, "%u:%d", &first, &count);
  for (int k = 0; k < count; ++k) {
    std::mt19937_64 random(first + static_cast<unsigned>(k));
    const auto uniform = [&](double a, double b) {
      return a + (b - a) * (static_cast<double>(random()) / 0x1p64);
    };
    const int kind = static_cast<int>(random() % hump_kinds),
              place = static_cast<int>(random() % (courses - 1));
    const Chosen& method = chosen[random() % std::size(chosen)];
    const double w = std::pow(10, uniform(-4, -1)), a = uniform(0.5, 9), work = uniform(-0.4, 1.5);
    const Hump hump = hump_of(kind, a, w);
    const Course course =
        course_of(place, fmt::format("{:.17g}*", work / hump.area) + hump.formula);
    Model model = test::model_of(course.model);
    test::dynamic(model).formulation = method.formulation;
    test::dynamic(model).integrator = method.integrator;
    Memory run;
    const Outcome out = run_model(model, run, {});
    const std::string what = fmt::format("{}: kind {} in place {}, width {:.2g} at {:.3g}, {} {}",
                                         first + static_cast<unsigned>(k),
                                         kind,
                                         place,
                                         w,
                                         a,
                                         method.formulation,
                                         method.integrator);
    ASSERT_EQ(out.summary.status, "complete") << what << to_text(out.summary.diagnostics);
    EXPECT_NEAR(run.last(course.channel), course.rate ? work : std::sqrt(1 + 2 * work), 1e-3)
        << what;
  }
}

// Steps of given length pass over it, and say so where no event told them.
TEST(NarrowFormula, MakesGivenStepsDoubtful) {
  for (int kind = 0; kind < hump_kinds; ++kind) {
    const Hump hump = hump_of(kind, 5.13, 0.02);
    const Course course = course_of(0, "20*" + hump.formula);
    for (const double step : {0.5, 2e-3}) {
      Model model = test::model_of(course.model);
      test::dynamic(model).integrator = "rk4";
      test::dynamic(model).step = step;
      Memory run;
      const std::string status = run_model(model, run, {}).summary.status;
      const bool right = std::abs(run.last("b.vx") - std::sqrt(1 + 40 * hump.area)) < 1e-2;
      EXPECT_TRUE(right || status == "doubtful") << kind << ' ' << step;
      if (step < 0.1) {
        EXPECT_EQ(status, "complete") << kind << ' ' << step;
      }
    }
  }
}

// Formulas that are flat nowhere, and flat ones that are far away, cost no steps.
TEST(NarrowFormula, CostsNothingWhereThereIsNone) {
  for (const char* force :
       {"-4*x", "sin(x/(1 m))", "-(1 N/m^3)*x^3", "0.1*step(x,50,0,60,1)", "exp(-((x+20)/5)^2)"}) {
    Model model = test::model_of(course_of(0, force).model);
    test::dynamic(model).integrator = "dop853";
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete");
    EXPECT_LT(out.summary.stats.steps, 60) << force;
  }
}

// The slip of a wheel: the difference of two large speeds that go together, within a tanh.
TEST(NarrowFormula, CostsNothingWhereLargeNumbersGoTogether) {
  const std::string radius = "(0.3 m + (1 mm)*sin(x/(3 m)))";
  Model model = test::model_of(
      "gravity = [0, 0]\n"
      "[[body]]\nname = 'car'\nmass = 1000\ninertia = 1\nvelocity = [12, 0]\n"
      "[[body]]\nname = 'wheel'\nat = [0, 5]\nmass = 1\ninertia = 1\nrate = 40\n"
      "[[joint]]\ntype = 'translational'\nname = 'road'\nbetween = ['ground', 'car']\n"
      "at = [0, 0]\naxis = [1, 0]\n"
      "[[joint]]\ntype = 'revolute'\nname = 'hub'\nbetween = ['ground', 'wheel']\nat = [0, 5]\n"
      "[[request]]\nname = 'x'\njoint = 'road'\n"
      "[[request]]\nname = 'spin'\njoint = 'hub'\n"
      "[[request]]\nname = 'pull'\ntype = 'expression'\nunit = 'N'\n"
      "value = '(3000 N)*tanh(20*(" +
      radius +
      "*rate(spin) - rate(x))/(abs(rate(x)) + 0.5 m/s))'\n"
      "[[force]]\ntype = 'force'\nbody = 'car'\nvalue = ['pull', 0]\n"
      "[[force]]\ntype = 'torque'\nbody = 'wheel'\nvalue = '-" +
      radius +
      "*pull + (2 N*m)*sin(t/(1 s))'\n"
      "[[analysis]]\ntype = 'dynamic'\nuntil = 10\n");
  for (const char* integrator : {"esdirk", "radau5"}) {
    test::dynamic(model).integrator = integrator;
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete");
    EXPECT_LT(out.summary.stats.steps, 200) << integrator;
    EXPECT_LT(out.summary.stats.rejected, 50) << integrator;
  }
}

TEST(NarrowFormula, ResumesBitForBit) {
  Model model = test::model_of(course_of(1, "50*" + hump_of(0, 4, 0.003).formula).model);
  Memory whole;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  for (const int stop : {3, 8, 15, 25, 40}) {
    Memory first;
    first.checkpoint_every = 1;
    int left = stop;
    Control control;
    control.cancelled = [&] {
      return --left <= 0;
    };
    ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted") << stop;
    Memory rest;
    ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
    ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
    for (std::size_t k = 0; k < rest.rows.size(); ++k)
      ASSERT_EQ(rest.rows[k], whole.rows[first.rows_at_checkpoint + k]) << stop;
  }
}

}  // namespace
}  // namespace cardan
