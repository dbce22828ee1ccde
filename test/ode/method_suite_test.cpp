// What every registered method must do: keep its order, interpolate, locate events, run backwards,
// continue from a checkpoint bit for bit, refuse NaN, and not allocate while stepping.
#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

#include <gtest/gtest.h>

#include "cardan/base/alloc_guard.h"
#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "test/ode/exact_problems.h"

namespace cardan {
namespace {

using namespace test;

// A method of the registry, with one of its orders where it has several.
struct Tested {
  const MethodEntry* entry;
  int order = 0;

  MethodOptions options() const {
    MethodOptions o;
    o.order = order;
    o.step = 0.01;
    return o;
  }

  Traits traits() const { return entry->traits(options()); }
};

std::vector<Tested> all_methods() {
  std::vector<Tested> out;
  for (const MethodEntry* entry : list_methods()) {
    const std::string_view name = entry->name;
    if (name == "ab" || name == "am" || name == "pece" || name == "ampc" || name == "mampc") {
      for (int k = 1; k <= 5; ++k) out.push_back({entry, k});
    } else {
      out.push_back({entry, 0});
    }
    if (name == "gauss-simd") out.push_back({entry, 8});
  }
  return out;
}

std::unique_ptr<Method> make(const Tested& tested, OdeProblem& problem) {
  auto made = make_method(tested.entry->name, tested.options(), problem);
  if (!made) throw std::runtime_error(to_text(made.why().front()));
  return std::move(made).value();
}

Tolerance tight(double tol) {
  Tolerance t;
  t.rtol = t.atol = tol;
  return t;
}

std::unique_ptr<OdeProblem> oscillator() {
  return std::make_unique<OwnedMotion>(1, [](double, CView q, CView, View a) { a[0] = -q[0]; });
}

IntegratorOptions steps_for(const Tested& tested, double fixed) {
  IntegratorOptions o;
  if (!tested.traits().adaptive) o.step = fixed;
  return o;
}

// Where a motion turns back velocities are what round-off left, of any size below the tolerance: no method may take its
// first step from them.
TEST(EveryMethod, StartsFromVelocitiesOfRoundOff) {
  for (const Tested& tested : all_methods()) {
    if (!tested.traits().adaptive) continue;
    for (int k = -17; k <= -7; ++k) {
      SCOPED_TRACE(std::string(tested.entry->name) + " 1e" + std::to_string(k));
      OwnedMotion problem(1, [](double, CView, CView, View a) { a[0] = -35; });
      Integrator integrator(make(tested, problem), tight(1e-10), steps_for(tested, 0.01));
      const double start[] = {0, std::pow(10.0, k)};
      ASSERT_EQ(integrator.start(1, start), Eval::ok);
      EXPECT_EQ(integrator.advance(1.5).why, Stop::Why::end);
      EXPECT_NEAR(integrator.y()[0], -35.0 / 8, 1e-5);
    }
  }
}

void PrintTo(const Tested& tested, std::ostream* out) {
  *out << tested.entry->name << tested.order;
}

class MethodSuite : public testing::TestWithParam<Tested> {};

// ---------------------------------------------------------------- order

struct Errors {
  double at_end = 0, between = 0;  // the last step's, and the largest within steps
};

// N equal steps without error control; the interpolant is looked at within every step.
std::optional<Errors> run_fixed(const Tested& tested, const ExactCase& problem, int steps) {
  const auto owned = problem.make();
  const auto method = make(tested, *owned);
  if (method->start(0, problem.y0, tight(1e-13)) != Eval::ok) return {};
  const double h = (tested.traits().order_max < 5 ? problem.t_end : problem.t_long) / steps;
  Vector y(problem.y0.size());
  Errors out;
  for (int i = 0; i < steps; ++i) {
    if (method->attempt(h).kind != Attempt::Kind::ok || method->accept(false) != Eval::ok)
      return {};
    const double end = method->time();
    out.at_end = largest_difference(method->state(), problem.exact(end));
    if (i + 1 != steps && i % 3 != 0) continue;
    for (const double s : {0.3, 0.7}) {
      const double t = method->previous_time() + s * h;
      if (method->interpolate(t, y) != Eval::ok) return {};
      out.between = std::max(out.between, largest_difference(y, problem.exact(t)));
    }
  }
  return out;
}

// Slopes of log(error) over step halvings approach the order as p + c h + ...; a pair extrapolated
// to h = 0 gives p. Where two such limits agree, near the slope itself, the step is small enough
// and round-off still far: the window. Nothing of this knows the order expected.
std::optional<double> slope_in_window(const std::vector<double>& slopes) {
  std::optional<double> found;
  for (std::size_t k = 2; k < slopes.size(); ++k) {
    const double before = 2 * slopes[k - 1] - slopes[k - 2], limit = 2 * slopes[k] - slopes[k - 1];
    if (std::abs(limit - before) < 0.07 && std::abs(limit - slopes[k]) < 0.4) found = limit;
  }
  return found;
}

struct Measured {
  std::optional<double> order, dense_order;  // where there is a window
  double last_slope = 0;
};

std::optional<Measured> measure_order(const Tested& tested, const ExactCase& problem) {
  const Traits traits = tested.traits();
  // implicit methods stop iterating at a fraction of the tolerance; Rosenbrock methods have f_y in
  // their formula, here from differences
  const double floor = traits.implicit ? 5e-11 : 3e-12;
  std::vector<double> slopes, dense_slopes;
  std::optional<Errors> coarse;
  for (int steps = traits.multistep ? 16 : 4; steps <= 2048; steps *= 2) {
    const auto fine = run_fixed(tested, problem, steps);
    if (fine && coarse && coarse->at_end < 1e-2) {
      if (fine->at_end < floor) break;
      slopes.push_back(std::log2(coarse->at_end / fine->at_end));
      dense_slopes.push_back(std::log2(coarse->between / fine->between));
    }
    coarse = fine;
  }
  if (slopes.empty()) return {};
  return Measured{slope_in_window(slopes), slope_in_window(dense_slopes), slopes.back()};
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return 0.5 * (x[(x.size() - 1) / 2] + x[x.size() / 2]);
}

TEST_P(MethodSuite, KeepsItsOrderAndThatOfItsInterpolant) {
  const Tested tested = GetParam();
  const Traits traits = tested.traits();
  if (traits.order_min != traits.order_max) GTEST_SKIP() << "variable order";
  const int dense = std::min(traits.order_max, traits.interpolant_order + 1);
  std::vector<double> slopes;
  std::size_t windows = 0;
  for (const ExactCase& problem : exact_cases()) {
    if (traits.second_order && !problem.second_order) continue;
    if (tested.entry->name == "euler2" && !problem.velocity_dependent) continue;  // order 2 there
    const auto m = measure_order(tested, problem);
    if (!m) continue;
    slopes.push_back(m->last_slope);
    if (m->order) {
      ++windows;
      EXPECT_NEAR(*m->order, traits.order_max, 0.1) << problem.name;
    }
    if (m->dense_order) {
      EXPECT_GT(*m->dense_order, dense - 0.2) << problem.name << ", interpolant";
    }
  }
  // Above order 6 double precision leaves too few halvings; the order conditions are checked apart.
  if (traits.order_max < 7) {
    EXPECT_GE(windows, traits.second_order ? 2u : traits.order_max < 5 ? 5u : 3u);
  }
  // Of order 16 one halving alone lies between the first steps and round-off.
  const double missing = traits.order_max < 7 ? 0.3 : traits.order_max < 14 ? 0.5 : 1.5;
  EXPECT_GT(median(slopes), traits.order_max - missing);
}

// ---------------------------------------------------------------- events

struct Crossings final : Events {
  explicit Crossings(double level) : level_(level) {}

  int count() const override { return 1; }

  Eval values(double, CView y, View g) override {
    g[0] = y[0] - level_;
    return Eval::ok;
  }

  EventAction happened(double t, int, View) override {
    times.push_back(t);
    return EventAction::go_on;
  }

  Vector times;

 private:
  double level_;
};

TEST_P(MethodSuite, LocatesEventsToRoundOffOfItsInterpolant) {
  const Tested tested = GetParam();
  OwnedMotion problem(1, [](double, CView, CView, View a) { a[0] = 0; });  // every method is exact
  Crossings crossings(0.37);
  Integrator integrator(make(tested, problem), tight(1e-9), steps_for(tested, 0.05), &crossings);
  ASSERT_EQ(integrator.start(0, Vector{0, 1}), Eval::ok);
  ASSERT_EQ(integrator.advance(1).why, Stop::Why::end);
  ASSERT_EQ(crossings.times.size(), 1u);
  EXPECT_NEAR(crossings.times[0], 0.37, 1e-13);
}

TEST_P(MethodSuite, FindsEveryCrossingOfAnOscillation) {
  const Tested tested = GetParam();
  const auto problem = oscillator();
  Crossings crossings(0);
  Integrator integrator(make(tested, *problem), tight(1e-6), steps_for(tested, 0.02), &crossings);
  ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
  ASSERT_EQ(integrator.advance(20).why, Stop::Why::end);
  ASSERT_EQ(crossings.times.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(crossings.times[i], M_PI * (0.5 + static_cast<double>(i)), 0.3);
  }
}

// ---------------------------------------------------------------- both directions

TEST_P(MethodSuite, RunsBackwards) {
  const Tested tested = GetParam();
  const auto problem = oscillator();
  Integrator integrator(make(tested, *problem), tight(1e-7), steps_for(tested, 0.005));
  Vector outputs;
  integrator.output_every(0.5);
  integrator.on_output = [&](double t, CView) {
    outputs.push_back(t);
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(1, Vector{std::cos(1), -std::sin(1)}), Eval::ok);
  ASSERT_EQ(integrator.advance(-1).why, Stop::Why::end);
  EXPECT_EQ(integrator.t(), -1);
  EXPECT_NEAR(integrator.y()[0], std::cos(-1), 0.02);
  EXPECT_NEAR(integrator.y()[1], -std::sin(-1), 0.02);
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(outputs[3], -0.5);
}

// ---------------------------------------------------------------- checkpoints

TEST_P(MethodSuite, ContinuesFromACheckpointBitForBit) {
  const Tested tested = GetParam();
  const auto problem = oscillator(), second = oscillator();
  Crossings crossings(0.2), crossings2(0.2);
  const auto build = [&](OdeProblem& p, Events& e) {
    auto out =
        std::make_unique<Integrator>(make(tested, p), tight(1e-6), steps_for(tested, 0.05), &e);
    out->output_every(0.3);
    return out;
  };
  const auto straight = build(*problem, crossings), resumed = build(*second, crossings2);
  std::vector<std::byte> saved;
  Vector outputs, outputs2;
  long count = 0;
  straight->on_step = [&](const StepRecord&) {
    if (++count == 5) {
      Archive archive;
      straight->serialize(archive);
      saved = archive.bytes();
      outputs.clear();
      crossings.times.clear();
    }
    return Flow::go_on;
  };
  straight->on_output = [&](double t, CView y) {
    outputs.insert(outputs.end(), {t, y[0], y[1]});
    return Flow::go_on;
  };
  resumed->on_output = [&](double t, CView y) {
    outputs2.insert(outputs2.end(), {t, y[0], y[1]});
    return Flow::go_on;
  };
  const Vector y0{1, 0}, other{0.5, 0.1};
  ASSERT_EQ(straight->start(0, y0), Eval::ok);
  ASSERT_EQ(straight->advance(6).why, Stop::Why::end);
  ASSERT_FALSE(saved.empty());

  ASSERT_EQ(resumed->start(0, other), Eval::ok);
  Archive archive(saved);
  resumed->serialize(archive);
  ASSERT_TRUE(archive.good());
  ASSERT_EQ(resumed->advance(6).why, Stop::Why::end);
  EXPECT_EQ(resumed->y()[0], straight->y()[0]);
  EXPECT_EQ(resumed->y()[1], straight->y()[1]);
  EXPECT_EQ(outputs2, outputs);
  EXPECT_EQ(crossings2.times, crossings.times);
  EXPECT_EQ(resumed->stats().steps, straight->stats().steps);
}

TEST_P(MethodSuite, IsNotInfluencedByBeingWatched) {
  const Tested tested = GetParam();
  Vector last[2];
  for (const bool watched : {false, true}) {
    const auto problem = oscillator();
    Crossings crossings(0.2);
    Integrator integrator(make(tested, *problem),
                          tight(1e-6),
                          steps_for(tested, 0.05),
                          watched ? &crossings : nullptr);
    if (watched) integrator.output_every(0.013);
    integrator.on_output = [](double, CView) {
      return Flow::go_on;
    };
    ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
    ASSERT_EQ(integrator.advance(6).why, Stop::Why::end);
    last[watched].assign(integrator.y().begin(), integrator.y().end());
  }
  EXPECT_EQ(last[0], last[1]);
}

// ---------------------------------------------------------------- values that are none

TEST_P(MethodSuite, NeverAcceptsNaN) {
  const Tested tested = GetParam();
  OwnedMotion problem(
      1, [](double t, CView q, CView, View a) { a[0] = t > 0.5 ? std::nan("") : -q[0]; });
  Integrator integrator(make(tested, problem), tight(1e-5), steps_for(tested, 0.03));
  ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
  const Stop stop = integrator.advance(1);
  ASSERT_EQ(stop.why, Stop::Why::failure);
  EXPECT_LE(stop.t, 0.52);  // a step may end beyond if f was not asked there
  EXPECT_GT(stop.t, tested.traits().adaptive ? 0.499 : 0.4);
  EXPECT_FALSE(stop.failure.text.empty());
  EXPECT_TRUE(std::isfinite(integrator.y()[0]) && std::isfinite(integrator.y()[1]));
}

// ---------------------------------------------------------------- memory

TEST_P(MethodSuite, DoesNotAllocateWhileStepping) {
  if (!AllocationGuard::active()) GTEST_SKIP() << "allocations are not counted in this build";
  const Tested tested = GetParam();
  const auto problem = oscillator();
  Crossings crossings(0.2);
  crossings.times.reserve(100);
  Integrator integrator(make(tested, *problem), tight(1e-5), steps_for(tested, 0.02), &crossings);
  integrator.output_every(0.1);
  double sum = 0;
  integrator.on_output = [&](double, CView y) {
    sum += y[0];
    return Flow::go_on;
  };
  ASSERT_EQ(integrator.start(0, Vector{1, 0}), Eval::ok);
  const AllocationGuard guard;
  const Stop stop = integrator.advance(5);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(stop.why, Stop::Why::end);
  EXPECT_TRUE(std::isfinite(sum));
}

INSTANTIATE_TEST_SUITE_P(
    All, MethodSuite, testing::ValuesIn(all_methods()), [](const auto& tested) {
      std::string name(tested.param.entry->name);
      std::replace(name.begin(), name.end(), '-', '_');
      return name + (tested.param.order > 0 ? std::to_string(tested.param.order) : "");
    });

}  // namespace
}  // namespace cardan
