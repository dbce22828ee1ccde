// Methods for second-order equations: stability bounds, energy, manifolds; and document 003's
// V-curves.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "cardan/ode/second_order/second_order_explicit.h"
#include "test/ode/exact_problems.h"
#include "test/ode/sources.h"

namespace cardan {
namespace {

using namespace test;

std::unique_ptr<Method> make(OdeProblem& problem, std::string_view name) {
  auto made = make_method(name, {}, problem);
  EXPECT_TRUE(bool(made)) << name;
  return std::move(made).value();
}

// Equal steps of exactly h.
void march(Method& method, double h, long steps) {
  for (long i = 0; i < steps; ++i) {
    ASSERT_EQ(method.attempt(h).kind, Attempt::Kind::ok);
    ASSERT_EQ(method.accept(false), Eval::ok);
  }
}

TEST(VCurve, ValuesOfDocument003) {
  const auto& example = sources()["003"]["v_curve_example"];
  for (const char* name : {"euler", "heun", "rk4", "euler2"}) {
    for (int n = 5; n <= 13; ++n) {
      OwnedMotion problem(
          1, [](double, CView q, CView v, View a) { a[0] = 9.81 - 4 * q[0] - 0.2 * v[0]; });
      const auto method = make(problem, name);
      ASSERT_EQ(method->start(0, Vector{0, 0}, {}), Eval::ok);
      march(*method, 8 / std::exp2(n), 1L << n);
      const double expected = number(example["D"][name]["x"][std::to_string(n)]);
      EXPECT_NEAR(method->state()[0], expected, 2e-12 * (1 + std::abs(expected)))
          << name << " " << n;
    }
  }
}

TEST(Taylor2, DriftOfDocument004) {
  // unit pendulum in x and y, constraint differentiated twice: the distance drifts
  for (const double g : {9.81, 1.0}) {
    OwnedMotion problem(2, [g](double, CView q, CView v, View a) {
      const double lambda = (v[0] * v[0] + v[1] * v[1] - g * q[1]) / (q[0] * q[0] + q[1] * q[1]);
      a[0] = -lambda * q[0];
      a[1] = -g - lambda * q[1];
    });
    const auto method = make(problem, "taylor2");
    ASSERT_EQ(method->start(0, Vector{1, 0, 0, 0}, {}), Eval::ok);
    march(*method, 0.01, 100);
    const auto phi = [&] {
      const CView y = method->state();
      return y[0] * y[0] + y[1] * y[1] - 1;
    };
    EXPECT_NEAR(phi(), g == 1 ? 0.00484551 : 0.155469, g == 1 ? 5e-9 : 5e-7);
    march(*method, 0.01, 100);
    EXPECT_NEAR(phi(), g == 1 ? 0.0296097 : 0.283333, g == 1 ? 5e-8 : 5e-7);
  }
}

TEST(Euler2, StabilityBoundOfDocument003) {
  const auto& limits = sources()["003"]["euler2"]["damped_limits x=w0 h"];
  for (const auto& [text, value] : limits.items()) {
    const double beta = std::stod(text), limit = number(value);
    const std::complex<double> direction =
        beta <= 1 ? std::complex<double>(-beta, std::sqrt(1 - beta * beta)) : -1.0;
    if (beta > 1) continue;  // two real roots: no single z
    EXPECT_LE(amplification(ExplicitScheme::euler2, 0.9999 * limit * direction), 1 + 1e-7) << beta;
    EXPECT_GT(amplification(ExplicitScheme::euler2, 1.0001 * limit * direction), 1 + 1e-7) << beta;
  }
  EXPECT_NEAR(find_method("euler2")->traits({}).imaginary_limit, 2, 1e-6);
  EXPECT_NEAR(find_method("verlet")->traits({}).imaginary_limit, 2, 1e-6);
  EXPECT_EQ(find_method("taylor2")->traits({}).imaginary_limit, 0);
}

TEST(SecondOrder, LocalErrorsOfEuler2) {
  // position h^3; velocity h^2 where a depends on v, h^3 where it does not (document 003)
  for (const bool damped : {false, true}) {
    const auto error = [&](double h) {
      OwnedMotion problem(1, [damped](double, CView q, CView v, View a) {
        a[0] = -q[0] - (damped ? 0.6 * v[0] : 0);
      });
      const auto method = make(problem, "euler2");
      EXPECT_EQ(method->start(0, Vector{1, -0.3}, {}), Eval::ok);
      march(*method, h, 1);
      const double w = damped ? std::sqrt(0.91) : 1, k = damped ? 0.3 : 0;
      const double b = (-0.3 + k) / w, e = std::exp(-k * h), c = std::cos(w * h),
                   s = std::sin(w * h);
      const double q = e * (c + b * s), v = e * ((-k + b * w) * c - (k * b + w) * s);
      return std::pair{std::abs(method->state()[0] - q), std::abs(method->state()[1] - v)};
    };
    const auto coarse = error(0.02), fine = error(0.01);
    EXPECT_NEAR(std::log2(coarse.first / fine.first), 3, 0.1);
    EXPECT_NEAR(std::log2(coarse.second / fine.second), damped ? 2 : 3, 0.1);
  }
}

TEST(SecondOrder, VerletKeepsTheEnergyAndEulerGainsIt) {
  const auto energy_after = [](const char* name, double t) {
    OwnedMotion problem(1, [](double, CView q, CView, View a) { a[0] = -std::sin(q[0]); });
    const auto method = make(problem, name);
    EXPECT_EQ(method->start(0, Vector{1, 0}, {}), Eval::ok);
    march(*method, 0.05, std::lround(t / 0.05));
    const CView y = method->state();
    return 0.5 * y[1] * y[1] - std::cos(y[0]) + std::cos(1.0);
  };
  for (const char* name : {"verlet", "semi-implicit"}) {
    EXPECT_LT(std::abs(energy_after(name, 500)), 0.02) << name;
  }
  EXPECT_GT(energy_after("euler", 20), 0.1);
  EXPECT_GT(energy_after("euler", 40), energy_after("euler", 20));
}

// A unit circle as a manifold: q = (cos, sin) has two entries, v one.
struct Turning final : SecondOrderProblem {
  int positions() const override { return 2; }

  int velocities() const override { return 1; }

  Eval acceleration(double, CView q, CView, View a) override {
    a[0] = -q[1];  // a pendulum: the sine of the angle
    return Eval::ok;
  }

  void rate(CView q, CView v, View dq) const override {
    dq[0] = -q[1] * v[0];
    dq[1] = q[0] * v[0];
  }

  void increment(CView q, CView d, View out) const override {
    const double c = std::cos(d[0]), s = std::sin(d[0]);
    const double x = q[0] * c - q[1] * s, y = q[0] * s + q[1] * c;
    out[0] = x;
    out[1] = y;
  }

  void difference(CView a, CView b, View d) const override {
    d[0] = std::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
  }
};

TEST(Manifold, StepsAndOutputStayOnItAndAgreeWithAngles) {
  for (const char* name : {"taylor2", "euler2", "semi-implicit", "verlet"}) {
    Turning turning;
    FirstOrderForm form(turning);
    OwnedMotion angle(1, [](double, CView q, CView, View a) { a[0] = -std::sin(q[0]); });
    IntegratorOptions options;
    options.step = 0.01;
    Integrator on_circle(make(form, name), {}, options), flat(make(angle, name), {}, options);
    Vector angles;
    flat.output_every(0.037);
    flat.on_output = [&](double, CView y) {
      angles.push_back(y[0]);
      return Flow::go_on;
    };
    std::size_t k = 0;
    on_circle.output_every(0.037);
    ASSERT_EQ(flat.start(0, Vector{1, 0.5}), Eval::ok);
    ASSERT_EQ(flat.advance(3).why, Stop::Why::end);
    on_circle.on_output = [&](double, CView y) {
      EXPECT_NEAR(std::hypot(y[0], y[1]), 1, 1e-13);
      EXPECT_NEAR(y[0], std::cos(angles[k]), 1e-12);
      EXPECT_NEAR(y[1], std::sin(angles[k]), 1e-12);
      ++k;
      return Flow::go_on;
    };
    ASSERT_EQ(on_circle.start(0, Vector{std::cos(1.0), std::sin(1.0), 0.5}), Eval::ok);
    ASSERT_EQ(on_circle.advance(3).why, Stop::Why::end);
    EXPECT_EQ(k, angles.size());
    EXPECT_NEAR(on_circle.y()[2], flat.y()[1], 1e-12);
  }
}

TEST(Manifold, NewtonServiceDifferencesAlongTheTangent) {
  Turning turning;
  const Vector q{std::cos(0.7), std::sin(0.7)}, v{0.3};
  Vector a(1);
  ASSERT_EQ(turning.evaluate(0, q, v, a), Eval::ok);
  ASSERT_EQ(turning.setup(0, q, v, a, 0.5, 0.1, Reuse::nothing), Eval::ok);
  Vector x{1};
  ASSERT_EQ(turning.solve(x), Eval::ok);
  EXPECT_NEAR(x[0], 1 / (1 + 0.5 * std::cos(0.7)), 1e-7);  // a_q = -cos along the angle, a_v = 0
}

// The dense Newton service of a first-order problem, for real and complex shifts.
TEST(NewtonService, SolvesWithEveryShift) {
  LambdaProblem problem(2, [](double, CView y, View d) {
    d[0] = -3 * y[0] + y[0] * y[1];
    d[1] = 1e3 * y[0] - 2 * y[1] * y[1];
  });
  const Vector y{0.5, 2};
  Eigen::Matrix2d f_y;
  f_y << -3 + y[1], y[0], 1e3, -4 * y[1];
  Vector dy(2);
  ASSERT_EQ(problem.evaluate(0, y, dy), Eval::ok);
  const Shift shifts[] = {{0.1, 0}, {0.02, 0.05}};
  problem.reserve(2);
  ASSERT_EQ(problem.setup(0, y, dy, shifts, Reuse::nothing), Eval::ok);
  EXPECT_EQ(problem.stats().jacobian, 1);
  EXPECT_EQ(problem.stats().factorization, 2);
  const Eigen::Vector2cd b(std::complex<double>(1, -2), std::complex<double>(3, 0.5));
  for (int k = 0; k < 2; ++k) {
    const std::complex<double> c(shifts[k].re, shifts[k].im);
    const Eigen::Matrix2cd W = Eigen::Matrix2cd::Identity() - c * f_y.cast<std::complex<double>>();
    Vector re{b[0].real(), b[1].real()}, im{b[0].imag(), b[1].imag()};
    ASSERT_EQ(problem.solve(k, re, im), Eval::ok);
    const Eigen::Vector2cd x(std::complex<double>(re[0], im[0]),
                             std::complex<double>(re[1], im[1]));
    EXPECT_LT((W * x - b).norm(), 1e-5 * b.norm());
  }
  ASSERT_EQ(problem.setup(0, y, dy, shifts, Reuse::factors), Eval::ok);
  EXPECT_EQ(problem.stats().factorization, 2);  // nothing had changed
  Vector product(2), slope(1);
  ASSERT_EQ(problem.f_y_times(0, y, dy, Vector{1, -1}, product), Eval::ok);
  EXPECT_NEAR(product[0], f_y(0, 0) - f_y(0, 1), 1e-5);
  EXPECT_NEAR(product[1], f_y(1, 0) - f_y(1, 1), 1e-3);
  LambdaProblem timed(1, [](double t, CView, View d) { d[0] = std::sin(t); });
  ASSERT_EQ(timed.f_t(0.3, Vector{0}, Vector{std::sin(0.3)}, 0.1, slope), Eval::ok);
  EXPECT_NEAR(slope[0], std::cos(0.3), 1e-7);
}

}  // namespace
}  // namespace cardan
