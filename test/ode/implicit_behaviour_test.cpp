// What every implicit method must do besides being accurate: go on from a checkpoint bit for bit,
// not be influenced by output, not allocate while stepping, come through NaN, run backwards, find
// events.
#include "cardan/base/alloc_guard.h"
#include "test/ode/implicit_problems.h"

namespace cardan::test {
namespace {

struct Case {
  const char* method;
  int order = 0;
  bool adaptive = false;
  const char* variant = "";
};

const Case cases[] = {{"backward-euler"},
                      {"trapezoidal"},
                      {"sdirk", 2},
                      {"sdirk", 4},
                      {"gauss", 4},
                      {"gauss", 8},
                      {"radau-fixed", 3},
                      {"radau-fixed", 5},
                      {"bdf-fixed", 1},
                      {"bdf-fixed", 4},
                      {"bdf", 0, true},
                      {"bdf", 0, true, "ndf"},
                      {"radau5", 0, true},
                      {"esdirk", 0, true},
                      {"rosenbrock", 0, true}};

std::string name(const Case& c) {
  return std::string(c.method) + " " + std::to_string(c.order) + " " + c.variant;
}

// Van der Pol's oscillator, moderately stiff; the Jacobian is differenced.
Problem van_der_pol() {
  return {"van der Pol",
          [](double, CView y, View d) {
            d[0] = y[1];
            d[1] = 10 * (1 - y[0] * y[0]) * y[1] - y[0];
          },
          [](double) {
            return std::vector<double>{2, 0};
          },
          4};
}

std::unique_ptr<Integrator> make(Problem& p,
                                 const Case& c,
                                 double rtol = 1e-5,
                                 Events* events = nullptr) {
  MethodOptions options;
  options.order = c.order;
  options.variant = c.variant;
  auto method = make_method(c.method, options, p);
  EXPECT_TRUE(method) << name(c);
  Tolerance tolerance;
  tolerance.rtol = rtol;
  tolerance.atol = rtol;
  IntegratorOptions how;
  how.step = c.adaptive ? 0 : 0.01;
  return std::make_unique<Integrator>(std::move(method).value(), tolerance, how, events);
}

std::vector<double> state(const Integrator& integrator) {
  return {integrator.y().begin(), integrator.y().end()};
}

void expect_same_from_checkpoint(double at) {
  for (const Case& c : cases) {
    Problem p = van_der_pol();
    const auto first = make(p, c);
    ASSERT_EQ(first->start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(first->advance(at).why, Stop::Why::end) << name(c);
    Archive saved;
    first->serialize(saved);
    ASSERT_EQ(first->advance(p.end()).why, Stop::Why::end) << name(c);

    Problem other = van_der_pol();
    const auto second = make(other, c);
    ASSERT_EQ(second->start(0, p.exact(0)), Eval::ok);
    Archive from(saved.bytes());
    second->serialize(from);
    EXPECT_TRUE(from.good()) << name(c);
    ASSERT_EQ(second->advance(p.end()).why, Stop::Why::end) << name(c);
    EXPECT_EQ(state(*first), state(*second)) << name(c);
    EXPECT_EQ(first->stats().f, second->stats().f) << name(c);
    EXPECT_EQ(first->stats().steps, second->stats().steps) << name(c);
  }
}

TEST(ImplicitBehaviour, GoesOnFromACheckpointBitForBit) {
  expect_same_from_checkpoint(1.3);
}

TEST(ImplicitBehaviour, GoesOnFromACheckpointWithinTheStart) {
  expect_same_from_checkpoint(0.02);
}

TEST(ImplicitBehaviour, OutputDoesNotInfluenceTheRun) {
  for (const Case& c : cases) {
    Problem p = van_der_pol();
    const auto plain = make(p, c);
    ASSERT_EQ(plain->start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(plain->advance(p.end()).why, Stop::Why::end) << name(c);
    const std::vector<double> expected = state(*plain);
    const auto watched = make(p, c);
    int count = 0;
    watched->output_every(0.0173);
    watched->on_output = [&](double, CView) {
      ++count;
      return Flow::go_on;
    };
    ASSERT_EQ(watched->start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(watched->advance(p.end()).why, Stop::Why::end) << name(c);
    EXPECT_EQ(state(*watched), expected) << name(c);
    EXPECT_GT(count, 200);
  }
}

TEST(ImplicitBehaviour, DoesNotAllocateWhileStepping) {
  for (const Case& c : cases) {
    Problem p = van_der_pol();
    const auto integrator = make(p, c);
    double sum = 0;
    integrator->output_every(0.0173);
    integrator->on_output = [&](double, CView y) {
      sum += y[0];
      return Flow::go_on;
    };
    ASSERT_EQ(integrator->start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(integrator->advance(0.1).why, Stop::Why::end) << name(c);
    const AllocationGuard guard;
    const Stop stop = integrator->advance(p.end());
    EXPECT_EQ(guard.count(), 0) << name(c);
    EXPECT_EQ(stop.why, Stop::Why::end);
  }
}

// y' = sqrt(1 - y^2), y = sin t: not a number where an iterate passes 1.
TEST(ImplicitBehaviour, ComesThroughValuesThatAreNoNumbers) {
  for (const Case& c : cases) {
    if (!c.adaptive) continue;
    Problem p(
        "arc",
        [](double, CView y, View d) { d[0] = std::sqrt(1 - y[0] * y[0]); },
        [](double t) { return std::vector{std::sin(t)}; },
        1.55);
    const auto integrator = make(p, c, 1e-7);
    ASSERT_EQ(integrator->start(0, p.exact(0)), Eval::ok);
    const Stop stop = integrator->advance(p.end());
    ASSERT_EQ(stop.why, Stop::Why::end) << name(c) << ": " << stop.failure.text;
    EXPECT_NEAR(integrator->y()[0], std::sin(p.end()), 1e-5) << name(c);
  }
}

TEST(ImplicitBehaviour, GivesUpWhereTheProblemEnds) {
  for (const Case& c : cases) {
    if (!c.adaptive) continue;  // a fixed step may jump over
    Problem p(
        "blow-up",
        [](double, CView y, View d) { d[0] = y[0] * y[0]; },
        [](double t) { return std::vector{1 / (1 - t)}; },
        2);
    const auto integrator = make(p, c);
    ASSERT_EQ(integrator->start(0, p.exact(0)), Eval::ok);
    const Stop stop = integrator->advance(p.end());
    ASSERT_EQ(stop.why, Stop::Why::failure) << name(c);
    EXPECT_NEAR(stop.t, 1, 0.05) << name(c);
    EXPECT_NE(stop.failure.cause, Cause::none) << name(c);
  }
}

TEST(ImplicitBehaviour, RunsBackwards) {
  for (const Case& c : cases) {
    Problem p = logistic();
    const auto integrator = make(p, c, 1e-7);
    ASSERT_EQ(integrator->start(3, p.exact(3)), Eval::ok);
    ASSERT_EQ(integrator->advance(0).why, Stop::Why::end) << name(c);
    EXPECT_NEAR(integrator->y()[0], p.exact(0)[0], 5e-3) << name(c);
    if (c.adaptive) {
      EXPECT_NEAR(integrator->y()[0], p.exact(0)[0], 1e-5) << name(c);
    }
  }
}

class Crossings final : public Events {
 public:
  std::vector<double> times;

  int count() const override { return 1; }

  Eval values(double, CView y, View g) override {
    g[0] = y[0] - 0.5;
    return Eval::ok;
  }

  EventAction happened(double t, int, View) override {
    times.push_back(t);
    return EventAction::go_on;
  }
};

// cos t = 1/2 at pi/3, 5 pi/3, 7 pi/3.
TEST(ImplicitBehaviour, FindsEventsToThePrecisionOfTheRun) {
  const double third = std::acos(-1.0) / 3;
  for (const Case& c : cases) {
    if (!c.adaptive && c.order < 8) continue;
    Problem p = oscillator();
    Crossings crossings;
    const bool bdf = std::string(c.method) == "bdf";  // of low order: not made for this precision
    const auto integrator = make(p, c, bdf ? 3e-13 : 1e-12, &crossings);
    ASSERT_EQ(integrator->start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(integrator->advance(8).why, Stop::Why::end) << name(c);
    ASSERT_EQ(crossings.times.size(), 3u) << name(c);
    for (int k = 0; k < 3; ++k) {
      const double expected[] = {third, 5 * third, 7 * third};
      EXPECT_NEAR(crossings.times[static_cast<std::size_t>(k)], expected[k], bdf ? 1e-9 : 1e-10)
          << name(c);
    }
  }
}

}  // namespace
}  // namespace cardan::test
