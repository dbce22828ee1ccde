// Every formulation on the same mechanisms, against references that were converged independently.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Case {
  const char *formulation, *integrator;
  double step = 0;
  int order = 0;
};

std::string label(const testing::TestParamInfo<Case>& info) {
  std::string text = std::string(info.param.formulation) + "_" + info.param.integrator +
                     (info.param.order > 0 ? std::to_string(info.param.order) : "");
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

Model prepared(const std::string& name, const Case& c, double tolerance) {
  Model model = test::model_file(name);
  DynamicOptions& o = test::dynamic(model);
  o.formulation = c.formulation;
  o.integrator = c.integrator;
  o.rtol = o.atol = tolerance;
  o.step = c.step;
  o.order = c.order;
  return model;
}

class Andrews : public testing::TestWithParam<Case> {};

TEST_P(Andrews, MeetsTheReference) {
  Model model = prepared("andrews", GetParam(), 1e-11);
  test::dynamic(model).until = 0.03;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_NEAR(run.last("K1.angle"), 15.810771195153707, 1e-8);
  EXPECT_NEAR(run.last("K3.angle"), 0.040822240119645805, 1e-9);
  EXPECT_NEAR(run.last("K7.angle"), 1.0480807410419379, 1e-9);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         Andrews,
                         testing::Values(Case{"direct", "dop853"},
                                         Case{"baumgarte", "dop853"},
                                         Case{"projected", "dop853"},
                                         Case{"projected", "adams"},
                                         Case{"partitioned", "dop853"},
                                         Case{"partitioned", "adams"},
                                         Case{"hybrid", "dop853"},
                                         Case{"hybrid", "adams"},
                                         Case{"tangent-svd", "dop853"},
                                         Case{"tangent-qr", "ode45"},
                                         Case{"null-space", "dop853"},
                                         Case{"reduced", "dop853"},
                                         Case{"reduced", "adams"},
                                         Case{"half-explicit", "auto"}),
                         label);

TEST(AndrewsPartition, FirstChoiceIsTheCrankAngle) {
  Model model = prepared("andrews", {"partitioned", "ode45"}, 1e-6);

  struct Told : Memory {
    std::vector<Event> events;

    Fault event(const Event& e) override {
      events.push_back(e);
      return {};
    }
  } run;

  test::dynamic(model).until = 0.03;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_EQ(out.summary.independent, std::vector<std::string>{"angle of 'K1'"});
  for (const Event& e : run.events) {
    EXPECT_EQ(e.kind, "repartition");
    EXPECT_NE(e.text.find(" of '"), std::string::npos) << e.text;
  }
}

class PendulumRun : public testing::TestWithParam<Case> {};

TEST_P(PendulumRun, MeetsTheReference) {
  Model model = prepared("pendulum", GetParam(), 1e-12);
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_NEAR(run.last("bob.x"), -0.275087462576, 1e-8);
  EXPECT_NEAR(run.last("bob.y"), -0.961419205099, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         PendulumRun,
                         testing::Values(Case{"direct", "dop853"},
                                         Case{"baumgarte", "dop853"},
                                         Case{"partitioned", "dop853"},
                                         Case{"hybrid", "dop853"},
                                         Case{"tangent-svd", "dop853"},
                                         Case{"tangent-qr", "dop853"},
                                         Case{"null-space", "dop853"},
                                         Case{"reduced", "dop853"},
                                         Case{"reduced", "adams"},
                                         Case{"half-explicit", "auto"},
                                         Case{"rattle", "auto", 2e-3, 6}),
                         label);

class BarPendulum : public testing::TestWithParam<Case> {};

// The example of coordinate partitioning, against its elliptic functions; 5.0766... = phi(10).
TEST_P(BarPendulum, MeetsTheReference) {
  Model model = prepared("doc000-pendulum", GetParam(), 1e-12);
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  const double turn = 8 * std::atan(1.0);
  EXPECT_NEAR(std::remainder(run.last("bar.angle") - 5.0766620388802595595, turn), 0, 1e-8);
  EXPECT_NEAR(run.last("bar.omega"), -0.18559574349354691406, 1e-8);
  EXPECT_NEAR(run.last("centre.x"), 0.35627014689060962972, 1e-8);
  EXPECT_NEAR(run.last("centre.y"), -0.93438299558293730626, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         BarPendulum,
                         testing::Values(Case{"direct", "dop853"},
                                         Case{"baumgarte", "dop853"},
                                         Case{"projected", "dop853"},
                                         Case{"projected", "adams"},
                                         Case{"partitioned", "dop853"},
                                         Case{"hybrid", "dop853"},
                                         Case{"tangent-svd", "dop853"},
                                         Case{"tangent-qr", "dop853"},
                                         Case{"null-space", "dop853"},
                                         Case{"reduced", "dop853"},
                                         Case{"reduced", "adams"},
                                         Case{"half-explicit", "auto"},
                                         Case{"rattle", "auto", 5e-3, 6}),
                         label);

// A fixed step halved: the error falls with the order of the composition.
TEST(RattleOrder, MeasuredOnThePendulum) {
  const auto error = [](int order, double h) {
    Model model = prepared("pendulum", {"rattle", "auto", h, order}, 1e-6);
    test::dynamic(model).until = 2;
    Memory run;
    EXPECT_EQ(run_model(model, run, {}).summary.status, "complete");
    auto table = test::read_csv("models/pendulum/reference/pendulum_10s.csv");
    return std::hypot(run.last("bob.x") - table["x"][200], run.last("bob.y") - table["y"][200]);
  };
  EXPECT_NEAR(std::log2(error(2, 0.01) / error(2, 0.005)), 2, 0.2);
  EXPECT_NEAR(std::log2(error(4, 0.04) / error(4, 0.02)), 4, 0.5);
  EXPECT_NEAR(std::log2(error(6, 0.04) / error(6, 0.02)), 6, 1.0);
}

TEST(AutomaticChoice, IsToldInOneLine) {
  Model model = prepared("andrews", {"auto", "auto"}, 1e-6);
  test::dynamic(model).until = 0.01;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.formulation, "projected");
  EXPECT_EQ(out.summary.integrator, "ode45");
  const auto& notes = out.summary.diagnostics;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const Diagnostic& d) {
    return d.id == "numeric.auto-choice";
  }));
  Model stiff = test::model_of(
      "[[body]]\nname='bar'\nat=[0,0]\nmass=1\ninertia=1\nrate=1\n[[joint]]\ntype='revolute'\nname="
      "'pin'\nbetween=['ground','bar']\nat=[0,0]\n"
      "[[force]]\ntype='rotational-spring'\nname='brake'\nbetween=['ground','bar']\nstiffness="
      "1\ndamping=1e6\n"
      "[[analysis]]\ntype='dynamic'\nuntil=10\n");
  Memory other;
  const Outcome slow = run_model(stiff, other, {});
  EXPECT_EQ(slow.summary.status, "complete");
  EXPECT_EQ(slow.summary.integrator, "radau5");
}

class Variants : public testing::TestWithParam<const char*> {};

// All relatives of the stabilisation keep the error bounded where direct integration lets it grow.
TEST_P(Variants, KeepTheConstraintError) {
  const auto violation = [](const char* formulation, double until) {
    Model model = prepared("doc002-crank-slider", {formulation, "rk4", 5e-3}, 1e-6);
    DynamicOptions& o = test::dynamic(model);
    o.alpha = o.beta = DynamicOptions::not_given;
    if (o.formulation == "baumgarte") o.stabilization = GetParam();
    o.until = until;
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
    return out.summary.constraint.max_position;
  };
  EXPECT_LT(violation("baumgarte", 40), 1.5 * violation("baumgarte", 10));
  EXPECT_GT(violation("direct", 40), 3 * violation("direct", 10));
}

TEST_P(Variants, FollowTheToleranceToTheTrueMotion) {
  const auto end = [&](const Case& c, double tolerance, const char* variant) {
    Model model = prepared("double-pendulum", c, tolerance);
    DynamicOptions& o = test::dynamic(model);
    o.until = 2;
    if (variant != nullptr) o.stabilization = variant;
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics);
    return std::vector<double>{run.last("upper.angle"), run.last("lower.angle")};
  };
  const auto truth = end({"partitioned", "dop853"}, 1e-13, nullptr);
  const auto error = [&](double tolerance) {
    const auto found = end({"baumgarte", "dop853"}, tolerance, GetParam());
    return std::max(std::abs(found[0] - truth[0]), std::abs(found[1] - truth[1]));
  };
  EXPECT_LT(error(1e-10), 1e-8);
  EXPECT_LT(error(1e-12), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Stabilisations,
                         Variants,
                         testing::Values("classic", "adaptive", "penalty", "gradient", "feedback"));

TEST(Gains, ByOstermeyersCriterionAndByStability) {
  for (const char* how : {"stability", "ostermeyer"}) {
    Model model = prepared("doc002-crank-slider", {"baumgarte", "mampc", 0.01, 3}, 1e-6);
    DynamicOptions& o = test::dynamic(model);
    o.alpha = o.beta = DynamicOptions::not_given;
    o.gains = how;
    Memory run;
    const Outcome out = run_model(model, run, {});
    ASSERT_EQ(out.summary.status, "complete") << how;
    EXPECT_LT(out.summary.constraint.max_position, 1e-3) << how;
  }
}

TEST(Pairs, ThatMakeNoSenseAreRefused) {
  Model model = prepared("pendulum", {"partitioned", "taylor2", 0.01}, 1e-6);
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option");
  EXPECT_NE(out.summary.diagnostics.back().expected.find("projected"), std::string::npos);
  Model damped = prepared("double-pendulum", {"rattle", "auto", 0.01}, 1e-6);
  Memory other;
  EXPECT_EQ(run_model(damped, other, {}).summary.status, "failed");
}

class ResumeFormulation : public testing::TestWithParam<Case> {};

TEST_P(ResumeFormulation, IsBitForBit) {
  Model model = prepared("slider-crank", GetParam(), 1e-7);
  Memory whole;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  Memory first;
  int left = 60;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  Memory rest;
  ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = first.rows_at_checkpoint; k < whole.rows.size(); ++k)
    ASSERT_EQ(std::memcmp(rest.rows[k - first.rows_at_checkpoint].data(),
                          whole.rows[k].data(),
                          whole.rows[k].size() * sizeof(double)),
              0)
        << "row " << k;
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         ResumeFormulation,
                         testing::Values(Case{"direct", "ode45"},
                                         Case{"baumgarte", "ode45"},
                                         Case{"baumgarte", "verlet", 1e-4},
                                         Case{"projected", "ab", 1e-4, 3},
                                         Case{"projected", "verlet", 1e-4},
                                         Case{"partitioned", "ode45"},
                                         Case{"partitioned", "adams"},
                                         Case{"hybrid", "ode45"},
                                         Case{"tangent-svd", "ode45"},
                                         Case{"null-space", "ode45"},
                                         Case{"reduced", "ode45"},
                                         Case{"reduced", "adams"},
                                         Case{"reduced", "rk4", 1e-4},
                                         Case{"reduced", "radau5"},
                                         Case{"half-explicit", "auto"},
                                         Case{"rattle", "auto", 1e-4, 4}),
                         label);

}  // namespace
}  // namespace cardan
