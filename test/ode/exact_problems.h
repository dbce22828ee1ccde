#pragma once
// Initial-value problems with known solutions, for the tests of all methods.
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cardan/ode/second_order/second_order.h"

namespace cardan::test {

using Vector = std::vector<double>;

// y' = f(t, y) from lambdas.
class LambdaProblem final : public OdeProblem {
 public:
  using F = std::function<void(double, CView, View)>;

  LambdaProblem(int n, F f) : n_(n), f_(std::move(f)) {}

  int size() const override { return n_; }

  Eval f(double t, CView y, View dy) override {
    f_(t, y, dy);
    return Eval::ok;
  }

 private:
  int n_;
  F f_;
};

// q'' = a(t, q, q') from lambdas.
class LambdaMotion final : public SecondOrderProblem {
 public:
  using A = std::function<void(double, CView, CView, View)>;

  LambdaMotion(int n, A a) : n_(n), a_(std::move(a)) {}

  int velocities() const override { return n_; }

  Eval acceleration(double t, CView q, CView v, View a) override {
    a_(t, q, v, a);
    return Eval::ok;
  }

 private:
  int n_;
  A a_;
};

struct ExactCase {
  std::string name;
  double t_end = 1;
  double t_long = 1;  // for methods of high order: more error from steps of the same size
  Vector y0;
  std::function<Vector(double)> exact;
  std::function<std::unique_ptr<OdeProblem>()> make;
  bool second_order = false;
  bool velocity_dependent = false;  // second order: a depends on v
};

// A second-order problem and its first-order form in one object.
class OwnedMotion final : public OdeProblem {
 public:
  OwnedMotion(int n, LambdaMotion::A a) : motion_(n, std::move(a)), form_(motion_) {
    motion_.share_stats(stats());
  }

  int size() const override { return form_.size(); }

  Eval f(double t, CView y, View dy) override { return form_.f(t, y, dy); }

  SecondOrderProblem* second_order() override { return &motion_; }

 private:
  LambdaMotion motion_;
  FirstOrderForm form_;
};

// Position and velocity on an ellipse of eccentricity e at time t after pericentre (unit period 2
// pi).
inline Vector kepler(double e, double t) {
  double E = t + e * std::sin(t);
  for (int i = 0; i < 50; ++i) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
  const double b = std::sqrt(1 - e * e), rate = 1 / (1 - e * std::cos(E));
  return {std::cos(E) - e, b * std::sin(E), -std::sin(E) * rate, b * std::cos(E) * rate};
}

inline void kepler_acceleration(double, CView q, CView, View a) {
  const double r2 = q[0] * q[0] + q[1] * q[1], r3 = r2 * std::sqrt(r2);
  a[0] = -q[0] / r3;
  a[1] = -q[1] / r3;
}

inline const std::vector<ExactCase>& exact_cases() {
  static const std::vector<ExactCase> cases = [] {
    std::vector<ExactCase> out;
    const auto first = [&](std::string name,
                           double t_end,
                           double t_long,
                           std::function<Vector(double)> exact,
                           int n,
                           LambdaProblem::F f) {
      out.push_back({std::move(name), t_end, t_long, exact(0), exact, [n, f] {
                       return std::make_unique<LambdaProblem>(n, f);
                     }});
    };
    const auto second = [&](std::string name,
                            double t_end,
                            double t_long,
                            std::function<Vector(double)> exact,
                            int n,
                            LambdaMotion::A a,
                            bool damped) {
      out.push_back({std::move(name),
                     t_end,
                     t_long,
                     exact(0),
                     exact,
                     [n, a] { return std::make_unique<OwnedMotion>(n, a); },
                     true,
                     damped});
    };
    first(
        "linear",
        2,
        2,
        [](double t) {
          return Vector{std::exp(-t) + std::exp(-3 * t), std::exp(-t) - std::exp(-3 * t)};
        },
        2,
        [](double, CView y, View d) {
          d[0] = -2 * y[0] + y[1];
          d[1] = y[0] - 2 * y[1];
        });
    first(
        "nonlinear",
        2,
        3,
        [](double t) { return Vector{1 / (1 + std::sin(t))}; },
        1,
        [](double t, CView y, View d) { d[0] = -y[0] * y[0] * std::cos(t); });
    first(
        "time-dependent",
        2,
        20,
        [](double t) { return Vector{std::exp(std::sin(t))}; },
        1,
        [](double t, CView y, View d) { d[0] = y[0] * std::cos(t); });
    first(
        "logistic",
        3,
        6,
        [](double t) { return Vector{1 / (1 + 3 * std::exp(-t))}; },
        1,
        [](double, CView y, View d) { d[0] = y[0] * (1 - y[0]); });
    second(
        "oscillator",
        3,
        30,
        [](double t) {
          return Vector{std::cos(t), -std::sin(t)};
        },
        1,
        [](double, CView q, CView, View a) { a[0] = -q[0]; },
        false);
    second(
        "two-body", 3, 15, [](double t) { return kepler(0.2, t); }, 2, kepler_acceleration, false);
    second(
        "damped",
        3,
        6,
        [](double t) {
          const double e = std::exp(-0.3 * t), w = std::sqrt(1 - 0.09), c = std::cos(w * t),
                       s = std::sin(w * t);
          return Vector{e * c, e * (-0.3 * c - w * s)};
        },
        1,
        [](double, CView q, CView v, View a) { a[0] = -q[0] - 0.6 * v[0]; },
        true);
    second(
        "driven",  // q = sin t + t/2, friction quadratic in v
        2,
        15,
        [](double t) {
          return Vector{std::sin(t) + 0.5 * t, std::cos(t) + 0.5};
        },
        1,
        [](double t, CView q, CView v, View a) {
          const double s = std::sin(t), c = std::cos(t) + 0.5;
          a[0] = -s - 0.5 * (v[0] * v[0] - c * c) - (q[0] - s - 0.5 * t);
        },
        true);
    return out;
  }();
  return cases;
}

inline double largest_difference(CView a, const Vector& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace cardan::test
