// What is short in time is not stepped over: pulses of many kinds, from 1e-5 to 1e-1 of the run, as
// force, torque, input, rate of a state and driver. What they leave at the end is their integral.
//   CARDAN_FULL   1000 pulses for each integrator instead of 90
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "cardan/ode/registry.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

constexpr double pi = std::numbers::pi, run_time = 10, mass = 2;

std::string block(const std::string& force, const std::string& more = "") {
  return fmt::format(
      "[[body]]\nname='block'\nmass={}\ninertia=1\n"
      "[[joint]]\ntype='translational'\nname='guide'\nbetween=['ground','block']\nat=[0,0]\n"
      "axis=[1,0]\n{}"
      "[[force]]\ntype='force'\nbody='block'\nvalue=['{}',0]\n"
      "[[analysis]]\ntype='dynamic'\nuntil={}\n",
      mass,
      more,
      force,
      run_time);
}

enum class Place { force, torque, input, state, driver };
constexpr int places = 5;

struct Case {
  std::string model, channel;
  double factor = 1;  // of the channel at the end, for the integral of the pulse
};

const std::string analysis = fmt::format("[[analysis]]\ntype='dynamic'\nuntil={}\n", run_time);

Case case_of(Place place, const std::string& pulse) {
  const std::string body = fmt::format("[[body]]\nname='block'\nmass={}\ninertia=3\n", mass);
  const std::string guide =
      "[[joint]]\ntype='translational'\nname='guide'\nbetween=['ground','block']\nat=[0,0]\n"
      "axis=[1,0]\n";
  switch (place) {
    case Place::force:
      return {block(pulse), "block.vx", mass};
    case Place::torque:
      return {body +
                  "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['ground','block']\nat=[0,0]\n"
                  "[[force]]\ntype='torque'\nbody='block'\nvalue='" +
                  pulse + "'\n" + analysis,
              "block.omega",
              3};
    case Place::input:
      return {
          block("u", "[[input]]\nname='u'\nunit='N'\nmotion='" + pulse + "'\n"), "block.vx", mass};
    case Place::state:
      return {body + guide + "[[state]]\nname='z'\nrate='" + pulse + "'\n" + analysis, "z"};
    case Place::driver:  // and a state that sums up where it is
      break;
  }
  return {body + guide + "[[driver]]\njoint='guide'\nname='motor'\nmotion='0.00001*(" + pulse +
              ")'\n[[request]]\nname='x'\njoint='guide'\n"
              "[[state]]\nname='z'\nrate='x/(0.00001 m)/(1 s)'\n" +
              analysis,
          "z"};
}

struct Pulse {
  std::string formula;
  double impulse = 0;
};

double simpson(const std::function<double(double)>& f, double a, double b) {
  constexpr int parts = 20'000;
  const double h = (b - a) / parts;
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    const double x = a + k * h;
    sum += h / 6 * (f(x) + 4 * f(x + 0.5 * h) + f(x + h));
  }
  return sum;
}

double rise(double t, double a, double b) {  // step(t, a, 0, b, 1)
  const double u = std::clamp((t - a) / (b - a), 0.0, 1.0);
  return u * u * (3 - 2 * u);
}

class Pulses {
 public:
  explicit Pulses(std::uint64_t seed) : random_(seed) {}

  Pulse next(int kind, double shortest) {  // a share of the run
    const double w = run_time * std::pow(10, uniform(std::log10(shortest), -1));
    const double a = uniform(0, run_time - 4 * w), size = uniform(0.5, 2), f = size / w;
    const double ramp = w * uniform(0.05, 0.4);
    switch (kind) {
      case 0:
      case 1: {
        const char* law = kind == 0 ? "step" : "step5";
        return {fmt::format("{0:.17g}*({1}(t,{2:.17g},0,{3:.17g},1)-{1}(t,{4:.17g},0,{5:.17g},1))",
                            f,
                            law,
                            a,
                            a + ramp,
                            a + w,
                            a + w + ramp),
                f * w};
      }
      case 2: {
        const double c = a + 2 * w;
        return {fmt::format("{:.17g}*exp(-((t-{:.17g})/{:.17g})^2)", f, c, w),
                size * std::sqrt(pi) / 2 * (std::erf((run_time - c) / w) + std::erf(c / w))};
      }
      case 3:
        return {
            fmt::format("table(clamp(t,0,{0}),-1,0,{1:.17g},0,{2:.17g},{3:.17g},{4:.17g},0,{5},0)",
                        run_time,
                        a,
                        a + ramp,
                        f,
                        a + w,
                        run_time + 1),
            size / 2};
      case 4: {
        const double period = w * uniform(1.5, 20), count = run_time / period;
        const double whole = std::floor(count), last = (count - whole) * period;
        if (count > 400) return next(kind, shortest);
        return {fmt::format("if(mod(t,{:.17g})<{:.17g},{:.17g},0)", period, w, f),
                whole * size + f * std::min(last, w)};
      }
      case 5:
        return {fmt::format("if(t>{0:.17g} and t<{1:.17g},{2:.17g}*sin({3:.17g}*(t-{0:.17g})),0)",
                            a,
                            a + w,
                            f,
                            pi / w),
                2 * size / pi};
      case 6: {
        const double c = a + 2 * w;
        return {fmt::format("{:.17g}/cosh((t-{:.17g})/{:.17g})^2", f, c, w),
                size * (std::tanh((run_time - c) / w) + std::tanh(c / w))};
      }
      case 7: {  // a product: the beginning of a Gaussian cut off by a step
        const double c = a + 2 * w;
        const auto force = [=](double t) {
          return f * std::exp(-std::pow((t - c) / w, 2)) * rise(t, c, c + ramp);
        };
        return {
            fmt::format("{:.17g}*exp(-((t-{:.17g})/{:.17g})^2)*step(t,{:.17g},0,{:.17g},1)",
                        f,
                        c,
                        w,
                        c,
                        c + ramp),
            simpson(force, c, c + ramp) + simpson(force, c + ramp, std::min(run_time, c + 12 * w))};
      }
      default:  // max(0, ...) of a parabola, and beside it something slow
        return {fmt::format("{:.17g}*max(0,1-((t-{:.17g})/{:.17g})^2)+sin(1*t)", f, a + 2 * w, w),
                4 * size / 3 + 1 - std::cos(run_time)};
    }
  }

  static constexpr int kinds = 9;

 private:
  double uniform(double from, double to) {
    return from + (to - from) * std::uniform_real_distribution<double>(0, 1)(random_);
  }

  std::mt19937_64 random_;
};

bool ended_well(const Outcome& out) {
  return out.summary.status == "complete" || out.summary.status == "doubtful";
}

class ShortPulse : public testing::TestWithParam<std::string> {};

std::vector<std::string> controlled_integrators() {
  std::vector<std::string> names;
  for (const MethodEntry* entry : list_methods())
    if (entry->traits({}).adaptive) names.emplace_back(entry->name);
  return names;
}

TEST_P(ShortPulse, IsNotSteppedOver) {
  const std::string integrator = GetParam();
  const int count = std::getenv("CARDAN_FULL") != nullptr ? 1000 : 2 * places * Pulses::kinds;
  Pulses pulses(20'240 + integrator.size());
  double worst = 0;
  int doubtful = 0;
  for (int k = 0; k < count; ++k) {
    const int kind = k % Pulses::kinds;
    auto place = static_cast<Place>(k / Pulses::kinds % places);
    if (place == Place::driver && (kind == 4 || kind == 6))
      place = Place::force;  // its position would jump; 1/cosh^2 has no derivatives far away
    const Pulse pulse = pulses.next(kind, place == Place::driver ? 1e-4 : 1e-5);
    const Case tried = case_of(place, pulse.formula);
    Model model = test::model_of(tried.model);
    test::dynamic(model).integrator = integrator;
    Memory run;
    const Outcome out = run_model(model, run, {});
    ASSERT_TRUE(ended_well(out)) << k << ": " << pulse.formula
                                 << to_text(out.summary.diagnostics.back());
    const double error = std::abs(run.last(tried.channel) * tried.factor / pulse.impulse - 1);
    EXPECT_LT(error, 2e-4) << k << ": " << pulse.formula << ", " << out.summary.stats.steps
                           << " steps";
    worst = std::max(worst, error);
    doubtful += out.summary.status == "doubtful" ? 1 : 0;
  }
  // Multistep methods start at low orders behind every break and lose some energy there; so do those of order 2.
  const Traits traits = find_method(integrator)->traits({});
  EXPECT_LE(doubtful, count / (traits.multistep ? 5 : traits.order_max == 2 ? 15 : 50));
  RecordProperty("worst", fmt::format("{:.3g}", worst));
  RecordProperty("doubtful", doubtful);
}

INSTANTIATE_TEST_SUITE_P(Integrators, ShortPulse, testing::ValuesIn(controlled_integrators()));

// The pulse of a force may stand in a request that it uses.
TEST(ShortPulse, IsFoundThroughRequests) {
  Model model =
      test::model_of(block("1000 N*exp(-when^2)+late*1 N",
                           "[[request]]\ntype='expression'\nname='when'\nvalue='(t-5 s)/0.001 s'\n"
                           "[[request]]\ntype='expression'\nname='late'\n"
                           "value='step(t,7,0,7.001,1000)-step(t,7.001,0,7.002,1000)'\n"));
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  EXPECT_NEAR(run.last("block.vx") * mass, std::sqrt(pi) + 1, 1e-4);
}

// A pulse whose place depends on the motion cannot be found beforehand: steps stay bounded.
TEST(ShortPulse, ThatFollowsTheMotionKeepsTheBound) {
  const std::string measure =
      "[[request]]\nname='x'\njoint='guide'\n"
      "[[request]]\nname='late'\ntype='expression'\nvalue='t/(1 s) - x/(1 m)'\n";
  for (const char* force : {"exp(-((t-5 s)/(0.5 s)-x/(1 m))^2)", "exp(-(late-5)^2)"}) {
    Model model = test::model_of(block(force, measure));
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete");
    EXPECT_GE(out.summary.stats.steps, 200) << force;
  }
}

// Where nothing is short, no steps are spent: a slow force is integrated in a few.
TEST(ShortPulse, CostsNothingWhereThereIsNone) {
  Model model = test::model_of(block("2*t"));
  test::dynamic(model).integrator = "dop853";
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete");
  EXPECT_LT(out.summary.stats.steps, 60);
  EXPECT_NEAR(run.last("block.vx") * mass, 100, 1e-3);
}

// Quarter car: a bump of two steps of 0.1 s at 12.3 s. Reference: scipy, largest step 5 ms.
TEST(ShortPulse, RoadBumpMovesTheCar) {
  Model model = test::model_of(
      "[[body]]\nname='wheel'\nat=[0,0]\nmass=40\ninertia=1\n"
      "[[body]]\nname='car'\nat=[0,0.5]\nmass=400\ninertia=50\n"
      "[[joint]]\ntype='translational'\nname='road'\nbetween=['ground','wheel']\naxis=[0,1]\n"
      "[[joint]]\ntype='translational'\nname='strut'\nbetween=['wheel','car']\naxis=[0,1]\n"
      "[[driver]]\njoint='road'\nname='bump'\n"
      "motion='step(t,12.3,0,12.4,0.05)-step(t,12.4,0,12.5,0.05)'\n"
      "[[force]]\ntype='spring'\nname='suspension'\nbetween=['wheel','car']\n"
      "points=[[0,0],[0,0]]\nstiffness=20000\ndamping=1500\n"
      "[[analysis]]\ntype='dynamic'\nuntil=20\n");
  Memory run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  double highest = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    highest = std::max(highest, run.value("car.y", k) - 0.5);
  EXPECT_NEAR(highest, 0.0275463, 1e-5);
}

class QuickMove : public testing::TestWithParam<const char*> {};

// A pendulum on a slide that moves 0.1 m within 50 ms: against a run with small steps.
TEST_P(QuickMove, SwingsThePendulum) {
  const auto swing = [&](double largest) {
    Model model = test::model_of(
        "gravity=[0,-9.81]\n"
        "[[curve]]\nname='travel'\ntype='quintic-step'\nfrom=[5,0]\nto=[5.05,0.1]\n"
        "[[body]]\nname='cart'\nmass=1\ninertia=1\n"
        "[[body]]\nname='bob'\nat=[0,-1]\nmass=1\ninertia=0.1\n"
        "[[joint]]\ntype='translational'\nname='slide'\nbetween=['ground','cart']\nat=[0,0]\n"
        "axis=[1,0]\n"
        "[[driver]]\njoint='slide'\nmotion='travel(t)'\n"
        "[[joint]]\ntype='revolute'\nbetween=['cart','bob']\nat=[0,0]\n"
        "[[analysis]]\ntype='dynamic'\nuntil=10\noutput_step=0.02\n");
    test::dynamic(model).formulation = GetParam();
    if (largest > 0) {
      test::tighten(model, 1e-10);
      test::dynamic(model).max_step = largest;
    }
    Memory run;
    EXPECT_EQ(run_model(model, run, {}).summary.status, "complete");
    return run.last("bob.angle");
  };
  const double right = swing(0.005);
  EXPECT_GT(std::abs(right), 0.01);
  EXPECT_NEAR(swing(0), right, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         QuickMove,
                         testing::Values("partitioned", "projected", "hybrid", "tangent-qr"));

// Breaks are met by runs that go on from a checkpoint as by those that were never interrupted.
TEST_P(ShortPulse, ResumesBitForBit) {
  Model model = test::model_of(
      block("if(mod(t,1)<0.001,1000,0)+500*exp(-((t-4.56)/0.002)^2)+table(clamp(t,0,10),0,0,2.5,0,"
            "2.501,70,2.502,0,10,0)"));
  test::dynamic(model).integrator = GetParam();
  Memory whole;
  ASSERT_TRUE(ended_well(run_model(model, whole, {})));
  for (const int stop : {15, 60, 61, 62, 63, 64, 120, 200}) {
    Memory first;
    first.checkpoint_every = 1;
    int left = stop;
    Control control;
    control.cancelled = [&] {
      return --left <= 0;
    };
    ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
    Memory rest;
    ASSERT_TRUE(ended_well(run_model(model, rest, {}, first.last_checkpoint)));
    ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
    for (std::size_t k = 0; k < rest.rows.size(); ++k)
      ASSERT_EQ(std::memcmp(rest.rows[k].data(),
                            whole.rows[first.rows_at_checkpoint + k].data(),
                            rest.rows[k].size() * sizeof(double)),
                0)
          << "stopped after " << stop << " steps, row " << k;
  }
}

std::string driven(const std::string& motion) {
  return "gravity=[0,0]\n"
         "[[body]]\nname='cart'\nmass=1\ninertia=1\n"
         "[[joint]]\ntype='translational'\nname='rail'\nbetween=['ground','cart']\nat=[0,0]\n"
         "axis=[1,0]\n"
         "[[driver]]\njoint='rail'\nname='motor'\nmotion='" +
         motion + "'\n[[analysis]]\ntype='dynamic'\nuntil=2\n";
}

TEST(DriverJump, IsRefusedWithItsTimeAndSize) {
  for (const char* motion : {"if(t<1,0,0.5)", "0.5*floor(1*t)", "if(sin(pi*t/2)>0.7,0.5,0)"}) {
    Memory run;
    const Outcome out = run_model(test::model_of(driven(motion)), run, {});
    EXPECT_EQ(out.exit_code(), 4) << motion;
    ASSERT_FALSE(out.summary.diagnostics.empty()) << motion;
    const Diagnostic& d = out.summary.diagnostics.front();
    EXPECT_EQ(d.id, "model.driver-jump");
    EXPECT_EQ(d.element, "driver 'motor'");
    EXPECT_NE(d.found.find("0.5 "), std::string::npos) << d.found;
    EXPECT_TRUE(run.rows.empty());
  }
}

TEST(DriverJump, IsNoneWhereThePositionIsContinuous) {
  for (const char* motion :
       {"step5(t,1,0,1.001,0.5)", "0.1*sin(1*t)", "0.1*t+0.01*step(t,0.5,0,1,1)"}) {
    Memory run;
    EXPECT_EQ(run_model(test::model_of(driven(motion)), run, {}).summary.status, "complete")
        << motion;
  }
}

}  // namespace
}  // namespace cardan
