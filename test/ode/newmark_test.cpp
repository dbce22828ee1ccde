// Newmark's family, HHT and generalized-alpha: order, damping of what the step cannot resolve,
// energy, options, checkpoints.
#include "cardan/base/alloc_guard.h"
#include "test/ode/implicit_problems.h"

namespace cardan::test {
namespace {

struct Case {
  const char* method;
  MethodOptions options;
  int order;
};

MethodOptions newmark(double gamma, double beta) {
  MethodOptions o;
  o.gamma = gamma;
  o.beta = beta;
  return o;
}

MethodOptions hht(double alpha) {
  MethodOptions o;
  o.alpha = alpha;
  return o;
}

MethodOptions generalized(double rho) {
  MethodOptions o;
  o.rho_infinity = rho;
  return o;
}

std::vector<Case> cases() {
  return {{"newmark", {}, 2},
          {"newmark", newmark(0.5, 1.0 / 6), 2},
          {"newmark", newmark(0.5, 0), 2},
          {"newmark", newmark(0.7, 0.36), 1},
          {"hht", {}, 2},
          {"hht", hht(-0.3), 2},
          {"generalized-alpha", {}, 2},
          {"generalized-alpha", generalized(0), 2},
          {"generalized-alpha", generalized(0.5), 2},
          {"generalized-alpha", generalized(1), 2}};
}

std::vector<std::unique_ptr<Second>> problems() {
  const auto circle = [](double t) {
    return std::vector{std::sin(t), std::cos(t)};
  };
  std::vector<std::unique_ptr<Second>> list;
  list.push_back(std::make_unique<Second>([](double, double q, double) { return -q; }, circle, 4));
  list.push_back(std::make_unique<Second>(  // stiffening spring, driven so that q = sin t
      [](double t, double q, double) {
        return -q * q * q + std::pow(std::sin(t), 3) - std::sin(t);
      },
      circle,
      4));
  list.push_back(std::make_unique<Second>(  // damping quadratic in v
      [](double t, double q, double v) {
        return -0.3 * v * std::abs(v) - 2 * q + 0.3 * std::cos(t) * std::abs(std::cos(t)) +
               std::sin(t);
      },
      circle,
      4));
  list.push_back(std::make_unique<Second>(  // overdamped, linear
      [](double, double q, double v) { return -5 * v - 4 * q; },
      [](double t) {
        return std::vector{std::exp(-t) + std::exp(-4 * t), -std::exp(-t) - 4 * std::exp(-4 * t)};
      },
      2));
  list.push_back(std::make_unique<Second>(
      [](double t, double q, double) { return -4 * q + 3 * std::sin(t); },
      [](double t) {
        return std::vector{std::cos(2 * t) + std::sin(t), -2 * std::sin(2 * t) + std::cos(t)};
      },
      3));
  list.push_back(std::make_unique<Second>(  // a hanging rope: q'' = sqrt(1 + v^2)
      [](double, double, double v) { return std::sqrt(1 + v * v); },
      [](double t) {
        return std::vector{std::cosh(t), std::sinh(t)};
      },
      1.5));
  return list;
}

TEST(Newmark, OrderIsMeasuredOnSixProblems) {
  for (const Case& c : cases()) {
    int number = 0;
    for (const auto& p : problems()) {
      FirstOrderForm form(*p);
      const auto error = [&](int n) {
        const Finished run =
            integrate(form, c.method, c.options, p->exact(0), p->end(), p->end() / n);
        return largest_difference(run.y, p->exact(p->end()));
      };
      EXPECT_NEAR(measured_order(error, 100, 800, 1e-11).limit, c.order, 0.1)
          << c.method << " " << c.options.gamma << " " << c.options.alpha << " "
          << c.options.rho_infinity << " problem " << number;
      ++number;
    }
    EXPECT_EQ(find_method(c.method)->traits(c.options).order_max, c.order);
  }
}

double energy(const std::vector<double>& y, double w) {
  return 0.5 * y[1] * y[1] + 0.5 * w * w * y[0] * y[0];
}

// q'' = -w^2 q over 1000 steps: the trapezoidal rule keeps the energy; the others let go of what is
// far beyond the step and nearly keep what it resolves.
TEST(Newmark, DampsWhatTheStepCannotResolve) {
  const auto kept = [](const char* method, const MethodOptions& options, double w) {
    Second p([=](double, double q, double) { return -w * w * q; },
             [](double) {
               return std::vector<double>{1, 0};
             },
             10);
    FirstOrderForm form(p);
    const Finished run = integrate(form, method, options, {1, 0}, 10, 0.01);
    return energy(run.y, w) / energy({1, 0}, w);
  };
  EXPECT_NEAR(kept("newmark", {}, 1), 1, 1e-11);
  EXPECT_NEAR(kept("newmark", {}, 1e5), 1, 1e-6);
  EXPECT_GT(kept("hht", hht(-0.1), 1), 1 - 1e-4);
  EXPECT_LT(kept("hht", hht(-0.1), 1e5), 1e-3);
  EXPECT_GT(kept("generalized-alpha", generalized(0.5), 1), 1 - 1e-4);
  EXPECT_LT(kept("generalized-alpha", generalized(0.5), 1e5), 1e-10);
  EXPECT_NEAR(kept("generalized-alpha", generalized(1), 1e5), 1, 1e-6);
}

TEST(Newmark, RefusesWhatMakesNoSense) {
  Problem first = decay();
  for (const char* method : {"newmark", "hht", "generalized-alpha"}) {
    const auto made = make_method(method, {}, first);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.why().front().id, needs_second_order(method).id);
  }
  Second p([](double, double q, double) { return -q; },
           [](double) {
             return std::vector<double>{1, 0};
           },
           1);
  FirstOrderForm form(p);
  EXPECT_FALSE(make_method("newmark", newmark(1.5, 0.25), form));
  EXPECT_FALSE(make_method("newmark", newmark(0.5, -1), form));
  EXPECT_FALSE(make_method("hht", hht(-0.5), form));
  EXPECT_FALSE(make_method("generalized-alpha", generalized(1.1), form));
  MethodOptions third;
  third.order = 3;
  EXPECT_FALSE(make_method("newmark", third, form));
}

TEST(Newmark, GoesOnFromACheckpointAndDoesNotAllocate) {
  for (const Case& c : cases()) {
    const auto list = problems();
    Second& p = *list[1];
    FirstOrderForm form(p), other(p);
    IntegratorOptions how;
    how.step = 0.013;
    Integrator first(std::move(make_method(c.method, c.options, form)).value(), {}, how);
    ASSERT_EQ(first.start(0, p.exact(0)), Eval::ok);
    ASSERT_EQ(first.advance(1).why, Stop::Why::end);
    Archive saved;
    first.serialize(saved);
    {
      const AllocationGuard guard;
      const Stop stop = first.advance(3);
      EXPECT_EQ(guard.count(), 0) << c.method;
      EXPECT_EQ(stop.why, Stop::Why::end);
    }
    Integrator second(std::move(make_method(c.method, c.options, other)).value(), {}, how);
    ASSERT_EQ(second.start(0, p.exact(0)), Eval::ok);
    Archive from(saved.bytes());
    second.serialize(from);
    ASSERT_TRUE(from.good());
    ASSERT_EQ(second.advance(3).why, Stop::Why::end);
    EXPECT_EQ(first.y()[0], second.y()[0]) << c.method;
    EXPECT_EQ(first.y()[1], second.y()[1]) << c.method;
    EXPECT_NEAR(first.y()[0], p.exact(3)[0], 1e-2) << c.method;
  }
}

}  // namespace
}  // namespace cardan::test
