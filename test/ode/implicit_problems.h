#pragma once
// Problems with known solutions for the tests of the implicit methods, and runs of them.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "cardan/ode/second_order/second_order.h"

namespace cardan::test {

using Rhs = std::function<void(double t, CView y, View dy)>;
using Solution = std::function<std::vector<double>(double t)>;

class Problem : public OdeProblem {
 public:
  Problem(std::string name, Rhs rhs, Solution exact, double end, Rhs jacobian = {})
      : name_(std::move(name)),
        rhs_(std::move(rhs)),
        jacobian_(std::move(jacobian)),
        exact_(std::move(exact)),
        end_(end),
        size_(static_cast<int>(exact_(0).size())) {}

  int size() const override { return size_; }

  Eval f(double t, CView y, View dy) override {
    rhs_(t, y, dy);
    return Eval::ok;
  }

  bool jacobian(double t, CView y, View J) override {
    if (jacobian_) jacobian_(t, y, J);
    return static_cast<bool>(jacobian_);
  }

  const std::string& name() const { return name_; }

  std::vector<double> exact(double t) const { return exact_(t); }

  double end() const { return end_; }

 private:
  std::string name_;
  Rhs rhs_, jacobian_;
  Solution exact_;
  double end_;
  int size_;
};

// ---------------------------------------------------------------- smooth problems

inline Problem decay() {
  return {"decay",
          [](double, CView y, View d) { d[0] = -y[0]; },
          [](double t) { return std::vector{std::exp(-t)}; },
          4,
          [](double, CView, View J) {
            J[0] = -1;
          }};
}

inline Problem reciprocal() {  // nonlinear and time-dependent
  return {"reciprocal",
          [](double t, CView y, View d) { d[0] = -y[0] * y[0] * std::cos(t); },
          [](double t) { return std::vector{1 / (1 + std::sin(t))}; },
          2,
          [](double t, CView y, View J) {
            J[0] = -2 * y[0] * std::cos(t);
          }};
}

inline Problem logistic() {
  return {"logistic",
          [](double, CView y, View d) { d[0] = y[0] * (1 - y[0]); },
          [](double t) { return std::vector{1 / (1 + 3 * std::exp(-t))}; },
          3,
          [](double, CView y, View J) {
            J[0] = 1 - 2 * y[0];
          }};
}

inline Problem oscillator() {
  return {"oscillator",
          [](double, CView y, View d) {
            d[0] = y[1];
            d[1] = -y[0];
          },
          [](double t) {
            return std::vector{std::cos(t), -std::sin(t)};
          },
          10,
          [](double, CView, View J) {
            J[0] = J[3] = 0;
            J[1] = -1;
            J[2] = 1;
          }};
}

inline Problem forced() {  // linear, time-dependent, coupled
  return {"forced",
          [](double t, CView y, View d) {
            d[0] = -2 * y[0] + y[1] + 2 * std::sin(t);
            d[1] = y[0] - 2 * y[1] + 2 * (std::cos(t) - std::sin(t));
          },
          [](double t) {
            return std::vector{2 * std::exp(-t) + std::sin(t), 2 * std::exp(-t) + std::cos(t)};
          },
          2,
          [](double, CView, View J) {
            J[0] = J[3] = -2;
            J[1] = J[2] = 1;
          }};
}

inline Problem two_body() {  // eccentricity 0.3; exact by Kepler's equation
  return {"two-body",
          [](double, CView y, View d) {
            const double r = std::hypot(y[0], y[1]), k = 1 / (r * r * r);
            d[0] = y[2];
            d[1] = y[3];
            d[2] = -k * y[0];
            d[3] = -k * y[1];
          },
          [](double t) {
            const double e = 0.3, b = std::sqrt(1 - e * e);
            double E = t;
            for (int i = 0; i < 60; ++i) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
            const double rate = 1 / (1 - e * std::cos(E));
            return std::vector{
                std::cos(E) - e, b * std::sin(E), -std::sin(E) * rate, b * std::cos(E) * rate};
          },
          3};
}

inline std::vector<Problem*> smooth_problems() {
  static Problem all[] = {decay(), reciprocal(), logistic(), oscillator(), forced(), two_body()};
  std::vector<Problem*> list;
  for (Problem& p : all) list.push_back(&p);
  return list;
}

// y' = lambda (y - sin t) + cos t (Prothero & Robinson), y = sin t from the start on.
inline Problem prothero_robinson(double lambda) {
  return {"Prothero-Robinson",
          [=](double t, CView y, View d) { d[0] = lambda * (y[0] - std::sin(t)) + std::cos(t); },
          [](double t) { return std::vector{std::sin(t)}; },
          1.5,
          [=](double, CView, View J) {
            J[0] = lambda;
          }};
}

// ---------------------------------------------------------------- second order

class Second final : public SecondOrderProblem {
 public:
  using Acceleration = std::function<double(double t, double q, double v)>;

  Second(Acceleration a, Solution exact, double end)
      : a_(std::move(a)), exact_(std::move(exact)), end_(end) {}

  int velocities() const override { return 1; }

  Eval acceleration(double t, CView q, CView v, View a) override {
    a[0] = a_(t, q[0], v[0]);
    return Eval::ok;
  }

  std::vector<double> exact(double t) const { return exact_(t); }

  double end() const { return end_; }

 private:
  Acceleration a_;
  Solution exact_;
  double end_;
};

// ---------------------------------------------------------------- runs

struct Finished {
  Stop stop;
  std::vector<double> y;
  Stats stats;
};

inline Finished integrate(OdeProblem& problem,
                          std::string_view method,
                          const MethodOptions& options,
                          const std::vector<double>& y0,
                          double end,
                          double step,
                          const Tolerance& tolerance = {}) {
  Result<std::unique_ptr<Method>> made = make_method(method, options, problem);
  if (!made) {
    ADD_FAILURE() << to_text(made.why().front());
    return {};
  }
  IntegratorOptions how;
  how.step = step;
  Integrator integrator(std::move(made).value(), tolerance, how);
  EXPECT_EQ(integrator.start(0, y0), Eval::ok);
  Finished run;
  run.stop = integrator.advance(end);
  EXPECT_NE(run.stop.why, Stop::Why::failure) << method << ": " << run.stop.failure.text;
  run.y.assign(integrator.y().begin(), integrator.y().end());
  run.stats = integrator.stats();
  return run;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double e = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    e = std::max(e, std::abs(a[i] - b[i]));
  }
  return e;
}

// Root mean square over the steps and components: no accidental zero of the error can spoil an
// order.
inline double mean_error(Problem& p,
                         std::string_view method,
                         const MethodOptions& options,
                         int steps) {
  Result<std::unique_ptr<Method>> made = make_method(method, options, p);
  if (!made) {
    ADD_FAILURE() << to_text(made.why().front());
    return 0;
  }
  IntegratorOptions how;
  how.step = p.end() / steps;
  Integrator integrator(std::move(made).value(), {}, how);
  double sum = 0;
  long count = 0;
  integrator.on_step = [&](const StepRecord& step) {
    const std::vector<double> exact = p.exact(step.t);
    for (std::size_t i = 0; i < exact.size(); ++i, ++count) {
      sum += (step.y[i] - exact[i]) * (step.y[i] - exact[i]);
    }
    return Flow::go_on;
  };
  EXPECT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
  const Stop stop = integrator.advance(p.end());
  EXPECT_EQ(stop.why, Stop::Why::end) << method << " on " << p.name() << ": " << stop.failure.text;
  return std::sqrt(sum / static_cast<double>(count));
}

struct Orders {
  double last = std::numeric_limits<double>::quiet_NaN();   // between the two finest runs
  double limit = std::numeric_limits<double>::quiet_NaN();  // extrapolated to h = 0
};

// The order of a ladder of runs, each with half as many steps again, down to errors that stand
// clear of round-off. With p(h) = p + O(h^power) the last two orders tell the limit.
inline Orders measured_order(const std::function<double(int steps)>& error,
                             int first,
                             int last,
                             double clear_of,
                             int power = 1) {
  Orders out;
  double coarse = error(first), before = out.last;
  for (int n = first, next = first + first / 2; next <= last; n = next, next += next / 2) {
    const double fine = error(next);
    if (!(fine > clear_of)) break;
    before = out.last;
    out.last = std::log(coarse / fine) / std::log(static_cast<double>(next) / n);
    coarse = fine;
  }
  const double ratio = std::pow(1.5, power);
  out.limit = (ratio * out.last - before) / (ratio - 1);
  return out;
}

}  // namespace cardan::test
