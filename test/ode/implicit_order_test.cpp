// Measured orders of the implicit fixed-step methods: on smooth problems, inside the steps, and on
// the stiff problem of Prothero and Robinson, where the stage order decides.
#include "test/ode/implicit_problems.h"

namespace cardan::test {
namespace {

struct Case {
  const char* method;
  int order;
  int first, last;  // steps of the coarsest run, and at most
  double clear_of;  // what round-off does
};

const Case cases[] = {{"backward-euler", 1, 200, 2000, 1e-12},
                      {"trapezoidal", 2, 40, 1000, 1e-12},
                      {"sdirk", 2, 40, 1000, 1e-11},
                      {"sdirk", 3, 40, 1000, 1e-11},
                      {"sdirk", 4, 20, 1000, 2e-11},
                      {"gauss", 2, 40, 1000, 1e-12},
                      {"gauss", 4, 12, 500, 1e-11},
                      {"gauss", 6, 8, 300, 3e-13},
                      {"gauss", 8, 4, 200, 2e-14},
                      {"radau-fixed", 1, 200, 2000, 1e-12},
                      {"radau-fixed", 3, 40, 500, 1e-12},
                      {"radau-fixed", 5, 12, 300, 1e-12},
                      {"bdf-fixed", 1, 200, 2000, 1e-11},
                      {"bdf-fixed", 2, 100, 1000, 1e-11},
                      {"bdf-fixed", 3, 100, 1000, 1e-11},
                      {"bdf-fixed", 4, 100, 1000, 1e-11},
                      {"bdf-fixed", 5, 60, 1000, 1e-11},
                      {"bdf-fixed", 6, 40, 1000, 2e-12}};

constexpr double within = 0.1;

MethodOptions with_order(int order) {
  MethodOptions options;
  options.order = order;
  return options;
}

TEST(ImplicitOrder, IsMeasuredOnSixProblems) {
  for (const Case& c : cases) {
    for (Problem* p : smooth_problems()) {
      const auto error = [&](int n) {
        return mean_error(*p, c.method, with_order(c.order), n);
      };
      const bool symmetric = std::string_view(c.method) == "gauss";
      const double clear_of = p->size() == 4 ? 10 * c.clear_of : c.clear_of;  // the orbit magnifies
      const Orders order = measured_order(error, c.first, c.last, clear_of, symmetric ? 2 : 1);
      EXPECT_NEAR(order.limit, c.order, within)
          << c.method << " " << c.order << " on " << p->name() << ", last " << order.last;
    }
  }
}

// The largest error at points between the steps falls with the interpolant's own order and one more
// power from the step, or with the method's, whichever is less.
TEST(ImplicitOrder, InterpolantsHaveTheirOrder) {
  for (const Case& c : cases) {
    Problem p = reciprocal();
    const auto error = [&](int n) {
      auto method = make_method(c.method, with_order(c.order), p);
      EXPECT_TRUE(method);
      IntegratorOptions how;
      how.step = p.end() / n;
      Integrator integrator(std::move(method).value(), {}, how);
      double worst = 0;
      integrator.output_every(p.end() / 1009);
      integrator.on_output = [&](double t, CView y) {
        worst = std::max(worst, std::abs(y[0] - p.exact(t)[0]));
        return Flow::go_on;
      };
      EXPECT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
      EXPECT_EQ(integrator.advance(p.end()).why, Stop::Why::end);
      return worst;
    };
    const MethodOptions options = with_order(c.order);
    const int own = find_method(c.method)->traits(options).interpolant_order;
    const double order = measured_order(error, c.first, c.last, 10 * c.clear_of).last;
    EXPECT_GT(order, std::min(own + 1, c.order) - 0.4)
        << c.method << " " << c.order << ": " << order;
  }
}

// y' = lambda (y - phi) + phi' with h |lambda| >> 1: the error falls like h^s / |lambda| with the
// stage order s (stiffly accurate methods), and not at all like h^p.
TEST(ImplicitOrder, ReducesToTheStageOrderOnProtheroRobinson) {
  struct Stiff {
    const char* method;
    int order;
    double expected;
    int first;
  };

  const Stiff list[] = {{"backward-euler", 1, 1, 16},
                        {"trapezoidal", 2, 2, 16},
                        {"sdirk", 2, 1, 16},
                        {"sdirk", 3, 1, 16},
                        {"sdirk", 4, 1, 16},
                        {"gauss", 2, 2, 16},
                        {"gauss", 4, 2, 16},
                        {"gauss", 6, 4, 16},
                        {"radau-fixed", 1, 1, 16},
                        {"radau-fixed", 3, 2, 16},
                        {"radau-fixed", 5, 3, 8},
                        {"bdf-fixed", 1, 1, 16},
                        {"bdf-fixed", 2, 2, 32},
                        {"bdf-fixed", 3, 3, 32}};
  for (const Stiff& c : list) {
    Problem p = prothero_robinson(-1e6);
    const auto error = [&](int n) {
      return mean_error(p, c.method, with_order(c.order), n);
    };
    const double coarse = error(2 * c.first), fine = error(4 * c.first);
    EXPECT_NEAR(std::log2(coarse / fine), c.expected, within)
        << c.method << " " << c.order << ": " << coarse << " " << fine;
  }
}

// The methods with error control, held to a fixed step by a tolerance that forgives everything, on
// linear problems (one Newton correction is exact).
double held_error(Problem& p, const char* method, int steps) {
  auto made = make_method(method, {}, p);
  EXPECT_TRUE(made);
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = 1e3;
  IntegratorOptions how;
  how.step = how.max_step = p.end() / steps;
  Integrator integrator(std::move(made).value(), tolerance, how);
  EXPECT_EQ(integrator.start(0, p.exact(0)), Eval::ok);
  EXPECT_EQ(integrator.advance(p.end()).why, Stop::Why::end);
  EXPECT_EQ(integrator.stats().steps, steps) << method;
  return largest_difference({integrator.y().begin(), integrator.y().end()}, p.exact(p.end()));
}

TEST(ImplicitOrder, OfMethodsWithErrorControl) {
  struct Held {
    const char* method;
    double smooth, stiff;
  };

  for (const Held& c : {Held{"rosenbrock", 4, 3}, Held{"esdirk", 4, 2}, Held{"radau5", 5, 3}}) {
    Problem smooth = forced(), stiff = prothero_robinson(-1e4);
    const auto order = [&](Problem& p, int first, double clear_of) {
      const auto error = [&](int steps) {
        return held_error(p, c.method, steps);
      };
      return measured_order(error, first, 200, clear_of).limit;
    };
    EXPECT_NEAR(order(smooth, 8, 1e-9), c.smooth, within) << c.method;
    EXPECT_NEAR(order(stiff, 8, 2e-11), c.stiff, 2 * within) << c.method;
  }
}

}  // namespace
}  // namespace cardan::test
