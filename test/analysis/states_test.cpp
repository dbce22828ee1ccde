// First-order states of models against closed forms, in every formulation, with every integrator
// that controls its error; blocks; what refuses them.
#include <cmath>
#include <cstring>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

// A rotor that turns uniformly: its motion costs the integrator nothing.
const std::string rotor =
    "gravity = [0, 0]\n"
    "[[body]]\nname='rotor'\nmass=1\ninertia=0.5\n"
    "[[joint]]\ntype='revolute'\nname='axle'\nbetween=['ground','rotor']\nat=[0,0]\n"
    "[[initial]]\njoint='axle'\nangle=0.2\nrate=1.5\n"
    "[[request]]\nname='phi'\njoint='axle'\n"
    "[[analysis]]\ntype='dynamic'\nuntil=2\noutput_step=0.05\n";

// A charge that settles, and an oscillation of two states.
const std::string circuit =
    rotor +
    "[[state]]\nname='charge'\nunit='V'\ninitial='2 V'\nrate='(10 V - charge)/(0.3 s)'\n"
    "[[state]]\nname='x'\ninitial=1\nrate='4*y/(1 s)'\n"
    "[[state]]\nname='y'\nrate='-4*x/(1 s)'\n";

double worst_error(const Memory& run) {
  double worst = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double t = run.times[k];
    worst = std::max({worst,
                      std::abs(run.value("charge", k) - 10 + 8 * std::exp(-t / 0.3)),
                      std::abs(run.value("x", k) - std::cos(4 * t)),
                      std::abs(run.value("y", k) + std::sin(4 * t))});
  }
  return worst;
}

struct Pair {
  std::string formulation, integrator;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.formulation << " with " << pair.integrator;
}

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const auto& entry : formulations()) {
    if (!entry.carries_states) continue;
    if (entry.built_in_integrator) {
      all.push_back({std::string(entry.name), "auto"});
      continue;
    }
    for (const MethodEntry* method : list_methods())
      if (method->traits({}).adaptive)
        all.push_back({std::string(entry.name), std::string(method->name)});
  }
  return all;
}

class StatesInAll : public testing::TestWithParam<Pair> {};

TEST_P(StatesInAll, FollowTheClosedForm) {
  for (const bool spatial : {false, true}) {
    ReadOptions options;
    options.spatial = spatial;
    auto model = read_model_text(circuit, "test.toml", options);
    ASSERT_TRUE(model);
    DynamicOptions& o = test::dynamic(model.value());
    o.formulation = GetParam().formulation;
    o.integrator = GetParam().integrator;
    o.rtol = o.atol = 1e-7;
    Memory run;
    const Outcome out = run_model(model.value(), run, {});
    ASSERT_EQ(out.summary.status, "complete");
    ASSERT_EQ(run.rows.size(), 41u);
    EXPECT_LT(worst_error(run), 1e-4) << (spatial ? "in space" : "in the plane");
    EXPECT_NEAR(run.last("phi"), 0.2 + 1.5 * 2, 1e-6);  // of steps at 1e-7
  }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, StatesInAll, testing::ValuesIn(pairs()));

// Nothing but the states limits the step here, so leaving them out shows.
TEST(States, CountInTheErrorUnlessToldOtherwise) {
  std::string free = circuit;
  for (const char* name : {"name='charge'", "name='x'", "name='y'"})
    free.replace(free.find(name), std::strlen(name), std::string(name) + "\nerror_control=false");
  for (const char* formulation : {"projected", "partitioned", "null-space", "hybrid", "reduced"}) {
    double error[2];
    long steps[2];
    for (const bool counts : {false, true}) {
      Model model = test::model_of(counts ? circuit : free);
      test::tighten(model, 1e-7);
      test::dynamic(model).formulation = formulation;
      Memory run;
      const Outcome out = run_model(model, run, {});
      ASSERT_EQ(out.summary.status, "complete") << formulation;
      error[counts] = worst_error(run);
      steps[counts] = out.summary.stats.steps;
    }
    EXPECT_LT(error[true], 1e-5) << formulation;
    EXPECT_GT(error[false], 1e-2) << formulation;
    EXPECT_LT(steps[false], steps[true]) << formulation;
  }
}

TEST(States, FixedStepsHaveTheOrderOfTheMethod) {
  double error[2];
  for (const int halved : {0, 1}) {
    Model model = test::model_of(circuit);
    DynamicOptions& o = test::dynamic(model);
    o.formulation = "projected";
    o.integrator = "rk4";
    o.step = 0.05 / (1 + halved);
    Memory run;
    ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
    error[halved] = worst_error(run);
  }
  EXPECT_GT(error[0] / error[1], 12);
  EXPECT_LT(error[0] / error[1], 20);
}

TEST(States, MethodsOfPositionsAndVelocitiesRefuseThem) {
  for (const Pair& pair :
       {Pair{"projected", "newmark"}, Pair{"direct", "verlet"}, Pair{"rattle", "auto"}}) {
    Model model = test::model_of(circuit);
    DynamicOptions& o = test::dynamic(model);
    o.formulation = pair.formulation;
    o.integrator = pair.integrator;
    o.step = 1e-3;
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "failed");
    const Diagnostic& d = out.summary.diagnostics.back();
    EXPECT_EQ(d.id, "model.unknown-option");
    EXPECT_EQ(d.element, "state 'charge'");
    EXPECT_NE(d.found.find(pair.integrator == "auto" ? pair.formulation : pair.integrator),
              std::string::npos)
        << d.found;
    EXPECT_FALSE(d.expected.empty());
  }
}

// phi = 0.2 + 1.5 t, so the integral of phi over 2 s is 3.4.
TEST(States, QuadraturesRunBehindSuchMethods) {
  for (const Pair& pair : {Pair{"projected", "newmark"}, Pair{"rattle", "auto"}}) {
    Model model = test::model_of(
        rotor + "[[state]]\nname='area'\nunit='s'\nerror_control=false\nrate='phi'\n");
    DynamicOptions& o = test::dynamic(model);
    o.formulation = pair.formulation;
    o.integrator = pair.integrator;
    o.step = 1e-2;
    Memory run;
    const Outcome out = run_model(model, run, {});
    ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
    EXPECT_NEAR(run.last("area"), 3.4, 1e-12) << pair.formulation;
  }
}

// y stops growing where x passes 0.37: an event, so that y is exact on both sides of it.
TEST(States, ConditionsInRatesAreLocated) {
  struct Listener : Memory {
    std::vector<Event> events;

    Fault event(const Event& e) override {
      events.push_back(e);
      return {};
    }
  };

  for (const char* formulation : {"projected", "partitioned", "half-explicit"}) {
    Model model = test::model_of(rotor +
                                 "[[state]]\nname='x'\nrate='1/(1 s)'\n"
                                 "[[state]]\nname='y'\nrate='if(x > 0.37, 0, 2)/(1 s)'\n");
    test::tighten(model, 1e-5, std::string(formulation) == "half-explicit" ? "auto" : "ode45");
    test::dynamic(model).formulation = formulation;
    Listener run;
    ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
    EXPECT_NEAR(run.last("y"), 0.74, 1e-12) << formulation;
    ASSERT_EQ(run.events.size(), 1u) << formulation;
    EXPECT_EQ(run.events[0].kind, "switch");
    EXPECT_EQ(run.events[0].element, "condition of state 'y'");
    EXPECT_NEAR(run.events[0].t, 0.37, 1e-12);
  }
}

// A spring whose rest angle is a state: phi'' = -4 (phi - x), x' = phi - x. With d = phi - x:
// compared with a plain Runge-Kutta integration of these three equations.
TEST(States, ForcesDependOnThem) {
  double phi = 0.2, w = 1.5, x = 0;
  const double h = 1e-3;
  for (int step = 0; step < 2000; ++step) {
    const auto f = [](const std::array<double, 3>& s) {
      return std::array<double, 3>{s[1], -4 * (s[0] - s[2]), s[0] - s[2]};
    };
    std::array<double, 3> s{phi, w, x}, sum{}, at = s;
    for (int k = 0; k < 4; ++k) {
      const auto d = f(at);
      const double weight = k == 0 || k == 3 ? 1 : 2, ahead = k < 2 ? h / 2 : h;
      for (std::size_t i = 0; i < 3; ++i) {
        sum[i] += weight * d[i];
        at[i] = s[i] + ahead * d[i];
      }
    }
    phi += h / 6 * sum[0], w += h / 6 * sum[1], x += h / 6 * sum[2];
  }
  for (const auto& entry : formulations()) {
    if (!entry.carries_states) continue;
    Model model =
        test::model_of(rotor +
                       "[[state]]\nname='x'\nrate='(phi - x)/(1 s)'\n"
                       "[[force]]\ntype='torque'\nbody='rotor'\nvalue='-2 N*m*(phi - x)'\n");
    test::tighten(model, 1e-9, entry.built_in_integrator ? "auto" : "ode45");
    test::dynamic(model).formulation = entry.name;
    Memory run;
    ASSERT_EQ(run_model(model, run, {}).summary.status, "complete") << entry.name;
    const double most = entry.name == "index3" ? 3e-6 : 1e-7;  // its methods are of order 2
    EXPECT_NEAR(run.last("phi"), phi, most) << entry.name;
    EXPECT_NEAR(run.last("rotor.omega"), w, most) << entry.name;
    EXPECT_NEAR(run.last("x"), x, most) << entry.name;
  }
}

TEST(States, ResumeIsBitForBit) {
  for (const auto& entry : formulations()) {
    if (!entry.carries_states) continue;
    Model model = test::model_of(circuit +
                                 "[[force]]\ntype='torque'\nbody='rotor'\nvalue='0.1 N*m*x'\n"
                                 "[[input]]\nname='lever'\nvalue=3\n");
    test::tighten(model, 1e-8, entry.built_in_integrator ? "auto" : "ode45");
    test::dynamic(model).formulation = entry.name;
    Memory whole, first, rest;
    ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
    first.checkpoint_every = 3;
    int left = 20;
    Control control;
    control.cancelled = [&] {
      return --left <= 0;
    };
    ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted") << entry.name;
    ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
    ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
    for (std::size_t k = first.rows_at_checkpoint; k < whole.rows.size(); ++k) {
      const auto& row = rest.rows[k - first.rows_at_checkpoint];
      ASSERT_EQ(std::memcmp(row.data(), whole.rows[k].data(), row.size() * sizeof(double)), 0)
          << entry.name << ", row " << k;
    }
  }
}

TEST(Blocks, FollowTheirClosedForms) {
  Model model = test::model_of(
      rotor +
      "[[block]]\ntype='integrator'\nname='area'\ninput='sin(1 rad/s*t)'\nunit='s'\ninitial='1 s'\n"
      "[[block]]\ntype='first-order'\nname='lag'\ninput='3*V0'\ngain=2\ntime_constant='0.2 "
      "s'\nunit='V'\n"
      "[[input]]\nname='V0'\nvalue='1 V'\n"
      "[[block]]\ntype='second-order'\nname='swing'\ninput='1'\nfrequency=5\ndamping=0.3\ninitial="
      "0.5\n"
      "[[block]]\ntype='transfer-function'\nname='same'\ninput='1'\nnumerator=[25]\ndenominator=[1,"
      " 3, 25]\n"
      "[[block]]\ntype='transfer-function'\nname='lead'\ninput='1'\nnumerator=[1, "
      "2]\ndenominator=[1, 1]\n"
      "[[block]]\ntype='pid'\nname='plain'\nerror='sin(1 rad/s*t)'\nkp=2\nki=3\nkd=0.5\n"
      "[[block]]\ntype='pid'\nname='smooth'\nerror='sin(1 rad/s*t)'\nkd=0.5\nfilter_time='0.1 s'\n"
      "[[block]]\ntype='pid'\nname='held'\nerror='1'\nki=1\nkp=0.1\nupper=0.5\n"
      "[[block]]\ntype='dc-motor'\nname='motor'\nvoltage='12*V0'\nspeed='rate(phi)'\n"
      "resistance='2 ohm'\ninductance='0.5 H'\nconstant='0.4 N*m/A'\n");
  test::tighten(model, 1e-9);
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double t = run.times[k];
    EXPECT_NEAR(run.value("area", k), 2 - std::cos(t), 1e-7);
    EXPECT_NEAR(run.value("lag", k), 6 * (1 - std::exp(-5 * t)), 1e-7);
    const double wd = 5 * std::sqrt(1 - 0.09), decay = std::exp(-1.5 * t);
    const double step = 1 - decay * (std::cos(wd * t) + 1.5 / wd * std::sin(wd * t));
    EXPECT_NEAR(run.value("swing", k), 0.5 + 0.5 * step, 1e-7);
    EXPECT_NEAR(run.value("same", k), step, 1e-7);
    EXPECT_NEAR(run.value("lead", k), 2 - std::exp(-t), 1e-7);
    EXPECT_NEAR(
        run.value("plain", k), 2 * std::sin(t) + 3 * (1 - std::cos(t)) + 0.5 * std::cos(t), 1e-7);
    // 0.5 s/(0.1 s + 1) of sin t, from a filter at rest
    const double a = 10;
    EXPECT_NEAR(run.value("smooth", k),
                0.5 * a / (1 + a * a) * (a * std::cos(t) + std::sin(t) - a * std::exp(-a * t)),
                1e-7);
    EXPECT_NEAR(run.value("held", k), std::min(0.1 + t, 0.5), 1e-7);
    EXPECT_NEAR(run.value("held.integral", k), std::min(t, 0.4), 1e-7);
    EXPECT_NEAR(run.value("motor.current", k), (12 - 0.4 * 1.5) / 2 * (1 - std::exp(-4 * t)), 1e-7);
    EXPECT_NEAR(run.value("motor.torque", k), 0.4 * run.value("motor.current", k), 1e-12);
  }
}

TEST(Channels, OfStatesAndInputsHaveTheirNamesAndUnits) {
  Memory run;
  ASSERT_EQ(
      run_model(test::model_of(circuit + "[[input]]\nname='lever'\nunit='m'\nvalue=3\n"), run, {})
          .summary.status,
      "complete");
  const auto find = [&](const std::string& name) {
    return *std::find_if(
        run.channels.begin(), run.channels.end(), [&](const Channel& c) { return c.name == name; });
  };
  EXPECT_EQ(find("charge").unit, "V");
  EXPECT_EQ(find("charge").quantity, "state");
  EXPECT_EQ(find("charge").element, "state charge");
  EXPECT_EQ(find("lever").unit, "m");
  EXPECT_EQ(find("lever").quantity, "input");
  EXPECT_EQ(run.last("lever"), 3);
}

}  // namespace
}  // namespace cardan
