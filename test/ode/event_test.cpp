// Events: directions, simultaneous ones, double roots, restarts, stops.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "test/ode/exact_problems.h"

namespace cardan {
namespace {

using namespace test;

struct Happening {
  double t;
  int i;
  friend bool operator==(const Happening&, const Happening&) = default;
};

struct LambdaEvents final : Events {
  using G = std::function<double(double, CView)>;

  explicit LambdaEvents(std::vector<G> all, std::vector<Crossing> ways = {})
      : g(std::move(all)), directions(std::move(ways)) {
    directions.resize(g.size(), Crossing::either);
  }

  int count() const override { return static_cast<int>(g.size()); }

  Crossing direction(int i) const override { return directions[static_cast<std::size_t>(i)]; }

  Eval values(double t, CView y, View out) override {
    for (std::size_t i = 0; i < g.size(); ++i) out[i] = g[i](t, y);
    return Eval::ok;
  }

  EventAction happened(double t, int i, View y) override {
    log.push_back({t, i});
    return action ? action(t, i, y) : EventAction::go_on;
  }

  std::vector<G> g;
  std::vector<Crossing> directions;
  std::function<EventAction(double, int, View)> action;
  std::vector<Happening> log;
};

std::unique_ptr<Integrator> oscillator(OdeProblem& problem,
                                       Events& events,
                                       double tol,
                                       std::string_view name = "dop853",
                                       double max_step = 1e300) {
  auto made = make_method(name, {}, problem);
  EXPECT_TRUE(bool(made));
  Tolerance t;
  t.rtol = t.atol = tol;
  IntegratorOptions options;
  options.max_step = max_step;
  auto out = std::make_unique<Integrator>(std::move(made).value(), t, options, &events);
  EXPECT_EQ(out->start(0, Vector{1, 0}), Eval::ok);
  return out;
}

LambdaProblem circle() {
  return {2, [](double, CView y, View d) {
            d[0] = y[1];
            d[1] = -y[0];
          }};
}

TEST(Events, TimesAreGoodToTheToleranceOfTheSolution) {
  for (const char* name : {"ode45", "dop853", "adams", "rkf45"}) {
    auto problem = circle();
    LambdaEvents events({[](double, CView y) {
      return y[0];
    }});
    const auto integrator = oscillator(problem, events, 1e-12, name);
    ASSERT_EQ(integrator->advance(20).why, Stop::Why::end);
    ASSERT_EQ(events.log.size(), 6u) << name;
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(
          events.log[k].t, M_PI * (0.5 + static_cast<double>(k)), name[0] == 'r' ? 2e-9 : 1e-10)
          << name;
    }
  }
}

TEST(Events, DirectionsAreTold) {
  auto problem = circle();
  const auto g = [](double, CView y) {
    return y[0];
  };
  LambdaEvents events({g, g, g}, {Crossing::falling, Crossing::rising, Crossing::either});
  const auto integrator = oscillator(problem, events, 1e-9);
  ASSERT_EQ(integrator->advance(12).why, Stop::Why::end);
  std::vector<int> order;
  for (const Happening& e : events.log) order.push_back(e.i);
  EXPECT_EQ(order, (std::vector<int>{0, 2, 1, 2, 0, 2, 1, 2}));
}

TEST(Events, SimultaneousOnesComeInOrderAtOneTime) {
  auto problem = circle();
  LambdaEvents events({[](double, CView y) { return y[0] - 0.5; },
                       [](double, CView y) { return y[0] * 3 - 1.5; },
                       [](double, CView y) { return 0.2 - y[0]; },
                       [](double, CView y) {
                         return 0.5 - y[0];
                       }});
  const auto integrator = oscillator(problem, events, 1e-9);
  ASSERT_EQ(integrator->advance(1.5).why, Stop::Why::end);
  ASSERT_EQ(events.log.size(), 4u);
  EXPECT_EQ(events.log[0].i, 0);
  EXPECT_EQ(events.log[1].i, 1);
  EXPECT_EQ(events.log[2].i, 3);
  EXPECT_EQ(events.log[3].i, 2);
  EXPECT_EQ(events.log[0].t, events.log[1].t);
  EXPECT_EQ(events.log[1].t, events.log[2].t);
  EXPECT_NEAR(events.log[0].t, std::acos(0.5), 1e-8);
}

TEST(Events, BothRootsOfADipWithinAStepAreFound) {
  LambdaProblem problem(2, [](double, CView, View d) {
    d[0] = 1;
    d[1] = 0;
  });
  for (const double at : {0.11, 0.43, 0.5, 0.77, 0.98}) {
    for (const double width : {1e-2, 1e-4}) {
      LambdaEvents events({[&](double t, CView) {
        return (t - at) * (t - at) - width * width;
      }});
      const auto integrator = oscillator(problem, events, 1e-3, "ode45");
      ASSERT_EQ(integrator->advance(1).why, Stop::Why::end);
      ASSERT_EQ(events.log.size(), 2u) << at << " " << width;
      EXPECT_NEAR(events.log[0].t, at - width, 1e-9);
      EXPECT_NEAR(events.log[1].t, at + width, 1e-9);
    }
  }
}

TEST(Events, ATouchAtTheEndOfAStepCountsOnce) {
  LambdaProblem problem(2, [](double, CView, View d) {
    d[0] = 1;
    d[1] = 0;
  });
  for (const auto& way : {Crossing::either, Crossing::falling}) {
    LambdaEvents events({[](double t, CView) {
                          return (t - 0.5) * (t - 0.5);
                        }},
                        {way});
    const auto integrator = oscillator(problem, events, 1e-3, "ode45", 0.125);  // steps end at 0.5
    ASSERT_EQ(integrator->advance(1).why, Stop::Why::end);
    ASSERT_EQ(events.log.size(), 1u);
    EXPECT_NEAR(events.log[0].t, 0.5, 1e-8);
  }
  LambdaEvents rising({[](double t, CView) {
                        return (t - 0.5) * (t - 0.5);
                      }},
                      {Crossing::rising});
  const auto integrator = oscillator(problem, rising, 1e-3, "ode45", 0.125);
  ASSERT_EQ(integrator->advance(1).why, Stop::Why::end);
  EXPECT_TRUE(rising.log.empty());
}

TEST(Events, ACrossingExactlyAtTheEndOfAStepCountsOnce) {
  LambdaProblem problem(2, [](double, CView, View d) {
    d[0] = 1;
    d[1] = 0;
  });
  LambdaEvents events({[](double t, CView) {
    return t - 0.5;
  }});
  const auto integrator = oscillator(problem, events, 1e-3, "ode45", 0.125);
  ASSERT_EQ(integrator->advance(0.5).why, Stop::Why::end);
  ASSERT_EQ(integrator->advance(1).why, Stop::Why::end);
  ASSERT_EQ(events.log.size(), 1u);
  EXPECT_EQ(events.log[0].t, 0.5);
}

TEST(Events, StopAndGoOn) {
  auto problem = circle();
  LambdaEvents events({[](double, CView y) {
    return y[0];
  }});
  events.action = [](double, int, View) {
    return EventAction::stop;
  };
  const auto integrator = oscillator(problem, events, 1e-10);
  double reported = 0;
  integrator->on_step = [&](const StepRecord& r) {
    reported = r.t;
    return Flow::go_on;
  };
  const Stop first = integrator->advance(10);
  EXPECT_EQ(reported, first.t);
  EXPECT_EQ(first.why, Stop::Why::event);
  EXPECT_EQ(first.event, 0);
  EXPECT_NEAR(first.t, M_PI / 2, 1e-8);
  EXPECT_NEAR(integrator->y()[0], 0, 1e-8);
  EXPECT_NEAR(integrator->y()[1], -1, 1e-8);
  const Stop second = integrator->advance(10);
  EXPECT_EQ(second.why, Stop::Why::event);
  EXPECT_NEAR(second.t, 1.5 * M_PI, 1e-8);
  const Stop third = integrator->advance(7);
  EXPECT_EQ(third.why, Stop::Why::end);
  EXPECT_EQ(integrator->stats().events, 2);
}

// A ball from height 1 loses half of its energy at each bounce; times and heights are known.
TEST(Events, BouncesRestartTheMotion) {
  for (const char* name : {"ode45", "dop853", "adams"}) {
    LambdaProblem problem(2, [](double, CView y, View d) {
      d[0] = y[1];
      d[1] = -2;
    });
    LambdaEvents events({[](double, CView y) {
                          return y[0];
                        }},
                        {Crossing::falling});
    const double loss = std::sqrt(0.5);
    events.action = [&](double, int, View y) {
      y[1] = -loss * y[1];
      return EventAction::restart;
    };
    const auto integrator = oscillator(problem, events, 1e-10, name);
    Vector outputs;
    integrator->output_every(0.25);
    integrator->on_output = [&](double, CView y) {
      outputs.push_back(y[0]);
      return Flow::go_on;
    };
    ASSERT_EQ(integrator->advance(4).why, Stop::Why::end) << name;
    double t = 1, speed = 2;
    ASSERT_GE(events.log.size(), 3u);
    for (const Happening& e : events.log) {
      EXPECT_NEAR(e.t, t, 1e-9) << name;
      speed *= loss;
      t += speed;
    }
    EXPECT_EQ(outputs.size(), 17u);
    for (const double height : outputs) EXPECT_GT(height, -1e-12) << name;
  }
}

// Who is told of a step that ends where something restarts can still look into it: the area under the
// heights of the ball, by Simpson's rule on the interpolant of each step, which is exact for parabolas.
TEST(Events, AStepThatEndsInARestartCanBeLookedInto) {
  for (const char* name : {"ode45", "dop853", "adams", "bdf", "radau5"}) {
    LambdaProblem problem(2, [](double, CView y, View d) {
      d[0] = y[1];
      d[1] = -2;
    });
    LambdaEvents events({[](double, CView y) {
                          return y[0];
                        }},
                        {Crossing::falling});
    const double loss = std::sqrt(0.5);
    events.action = [&](double, int, View y) {
      y[1] = -loss * y[1];
      return EventAction::restart;
    };
    const auto integrator = oscillator(problem, events, 1e-10, name);
    double area = 0, before = 1, reached = 0;
    Vector middle(2);
    integrator->on_step = [&](const StepRecord& step) {
      EXPECT_EQ(step.t_old, reached);
      EXPECT_EQ(integrator->method().interpolate(0.5 * (step.t_old + step.t), middle), Eval::ok);
      const double end = std::min(step.t, 4.0);  // of methods that run past it
      if (step.t > end) {
        EXPECT_EQ(integrator->method().interpolate(0.5 * (step.t_old + end), middle), Eval::ok);
      }
      const double height = middle[0];
      double there = step.y[0];
      if (step.t > end) {
        EXPECT_EQ(integrator->method().interpolate(end, middle), Eval::ok);
        there = middle[0];
      }
      area += (end - step.t_old) / 6 * (before + 4 * height + there);
      before = there;
      reached = step.t;
      return Flow::go_on;
    };
    ASSERT_EQ(integrator->advance(4).why, Stop::Why::end) << name;
    double exact = 2.0 / 3, t = 1, speed = 2 * loss;
    for (; t + speed < 4; t += speed, speed *= loss) exact += speed * speed * speed / 6;
    const double rest = 4 - t;
    exact += rest * rest * (speed / 2 - rest / 3);
    EXPECT_NEAR(area, exact, 1e-7) << name;
  }
}

TEST(Events, ThoseBehindARestartHaveNotHappened) {
  LambdaProblem problem(2, [](double, CView, View d) {
    d[0] = 1;
    d[1] = 0;
  });
  LambdaEvents events(
      {[](double, CView y) { return y[0] - 1.3; },  // y is set back before it gets there
       [](double, CView y) {
         return y[0] - 1.2;
       }});
  events.action = [](double, int i, View y) {
    if (i == 1) y[0] = -5;
    return i == 1 ? EventAction::restart : EventAction::go_on;
  };
  const auto integrator = oscillator(problem, events, 1e-3);
  ASSERT_EQ(integrator->advance(2).why, Stop::Why::end);
  ASSERT_EQ(events.log.size(), 1u);
  EXPECT_EQ(events.log[0].i, 1);
  EXPECT_NEAR(integrator->y()[0], -5 + 1.8, 1e-9);
}

}  // namespace
}  // namespace cardan
