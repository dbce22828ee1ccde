// What a run tells of its limits and measures: steps and gains beyond the stability limit, gains that
// were chosen, violations in several norms, independent coordinates, and studies.
#include <cmath>

#include "cardan/io/read_model.h"
#include "cardan/study/largest_step.h"
#include "cardan/study/mechanism_study.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

const std::string spring = R"toml(
gravity = [0, 0]
[[body]]
name = "mass"
at = ["1.01 m", 0]
mass = "1 kg"
inertia = "1 kg*m^2"
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "mass"]
at = ["1 m", 0]
axis = [1, 0]
[[force]]
type = "spring"
name = "spring"
between = ["ground", "mass"]
points = [[0, 0], [0, 0]]
stiffness = "10000 N/m"
free_length = "1 m"
[[analysis]]
type = "dynamic"
until = "2 s"
formulation = "direct"
integrator = "rk4"
)toml";

Model text_model(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
  return model ? std::move(model).value() : Model{};
}

Summary run_with(Model model, const std::function<void(DynamicOptions&)>& change) {
  change(test::dynamic(model));
  Memory rows;
  return run_model(model, rows, {}).summary;
}

const Diagnostic* find(const Summary& s, const std::string& id) {
  for (const Diagnostic& d : s.diagnostics)
    if (d.id == id) return &d;
  return nullptr;
}

Summary spring_with(const char* formulation, double step) {
  return run_with(text_model(spring), [&](DynamicOptions& o) {
    o.formulation = formulation;
    o.step = step;
  });
}

// 100 rad/s: the limit of rk4 on the imaginary axis is sqrt 8.
TEST(Limits, AStepBeyondTheLimitIsToldBeforeTheRun) {
  for (const char* formulation : {"direct", "projected", "partitioned", "null-space"}) {
    SCOPED_TRACE(formulation);
    const Summary wild = spring_with(formulation, 0.03);
    const Diagnostic* told = find(wild, "numeric.beyond-stability");
    ASSERT_NE(told, nullptr);
    EXPECT_NE(told->found.find("100 rad/s"), std::string::npos) << to_text(*told);
    EXPECT_NE(told->expected.find("2.828"), std::string::npos) << to_text(*told);
    EXPECT_NE(wild.status, "complete");
    ASSERT_TRUE(wild.stability);
    EXPECT_NEAR(wild.stability->rate, 100, 0.01);
    EXPECT_NEAR(wild.stability->limit, std::sqrt(8.0), 1e-3);
    const Summary tame = spring_with(formulation, 0.001);
    EXPECT_EQ(tame.status, "complete") << to_text(tame.diagnostics);
    EXPECT_EQ(find(tame, "numeric.beyond-stability"), nullptr);
  }
}

TEST(Limits, GainsBeyondTheLimitAreTold) {
  const Model model = test::model_file("doc002-crank-slider");
  const Summary s = run_with(model, [](DynamicOptions& o) {
    o.alpha = o.beta = 400;
    o.integrator = "mampc";
    o.order = 3;
    o.step = 0.01;
    o.until = 0.2;
  });
  const Diagnostic* told = find(s, "numeric.beyond-stability");
  ASSERT_NE(told, nullptr) << to_text(s.diagnostics);
  EXPECT_NE(told->found.find("alpha h = 4"), std::string::npos) << to_text(*told);
  EXPECT_NE(told->expected.find("1.93"), std::string::npos) << to_text(*told);
}

TEST(Limits, GainsThatWereChosenAreTold) {
  Model model = test::model_file("doc002-crank-slider");
  const auto choose = [](DynamicOptions& o) {
    const DynamicOptions usual;
    o.formulation = "baumgarte";
    o.alpha = o.beta = o.zeta = o.omega = usual.alpha;
    o.integrator = "mampc";
    o.order = 3;
    o.step = 0.01;
    o.until = 0.2;
    o.gains = "stability";
  };
  const Summary s = run_with(model, choose);
  ASSERT_TRUE(s.gains);
  EXPECT_EQ(s.gains->chosen_by, "stability");
  EXPECT_NEAR(s.gains->alpha, 0.5 * 1.934608 / 0.01, 1e-3);
  EXPECT_NE(find(s, "numeric.gains"), nullptr);
  choose(test::dynamic(model));
  Memory rows;
  std::ignore = run_model(model, rows, {});
  EXPECT_EQ(rows.last("stabilization.alpha"), s.gains->alpha);
}

// Predictor-corrector pairs let oscillations grow a little with any step: by far less than their own
// errors, here.
TEST(Limits, AWeakInstabilityOfNoConsequenceIsNotTold) {
  const Model model = test::model_file("doc002-crank-slider");
  for (const char* integrator : {"ampc", "mampc"})
    for (const int order : {2, 3, 4}) {
      SCOPED_TRACE(integrator + std::to_string(order));
      const Summary s = run_with(model, [&](DynamicOptions& o) {
        o.integrator = integrator;
        o.order = order;
      });
      EXPECT_EQ(s.status, "complete") << to_text(s.diagnostics);
      EXPECT_EQ(find(s, "numeric.beyond-stability"), nullptr) << to_text(s.diagnostics);
      EXPECT_LT(s.constraint.max_position, 1e-3);
    }
  const Summary wild = run_with(text_model(spring), [](DynamicOptions& o) {
    o.integrator = "ampc";
    o.order = 3;
    o.step = 0.02;  // 2 steps for each radian
  });
  EXPECT_NE(find(wild, "numeric.beyond-stability"), nullptr) << to_text(wild.diagnostics);
}

// Document 004: a damping ratio is chosen, and the frequency as fast as the step allows. Euler's method
// is stable for zeta omega h < 2 zeta^2.
TEST(Limits, OmegaOfAGivenZetaIsAsFastAsTheStepAllows) {
  const Model model = test::model_file("doc004-pendulum");
  for (const double zeta : {0.1, 0.4, 1.0, 3.0}) {
    SCOPED_TRACE(zeta);
    const auto choose = [&](DynamicOptions& o) {
      o.formulation = "baumgarte";
      o.integrator = "euler";
      o.step = 0.01;
      o.until = 0.5;
      o.zeta = zeta;
    };
    const Summary s = run_with(model, choose);
    ASSERT_TRUE(s.gains) << to_text(s.diagnostics);
    const double limit = zeta < 1 ? 2 * zeta : 2 / (zeta + std::sqrt(zeta * zeta - 1));
    EXPECT_NEAR(s.gains->beta, 0.5 * limit / 0.01, 1e-4 * s.gains->beta);
    EXPECT_NEAR(s.gains->alpha, zeta * s.gains->beta, 1e-12);
    EXPECT_EQ(s.gains->chosen_by, "stability");
    EXPECT_EQ(find(s, "numeric.beyond-stability"), nullptr) << to_text(s.diagnostics);
    const double most = 2 * s.gains->beta;
    const Summary beyond =
        run_with(model, [&](DynamicOptions& o) { choose(o), o.omega = 1.1 * most; });
    EXPECT_NE(find(beyond, "numeric.beyond-stability"), nullptr);
  }
  const Summary without = run_with(model, [](DynamicOptions& o) {
    o.formulation = "baumgarte";
    o.integrator = "dop853";
    o.step = 0;
    o.zeta = 0.1;
  });
  EXPECT_EQ(without.status, "failed");
  EXPECT_NE(find(without, "model.unknown-option"), nullptr);
}

// What puts steps back onto the constraints is Newton's method too, and counted as such.
TEST(Measures, StatisticsCountTheIterationsForConstraints) {
  const Model model = test::model_file("doc002-crank-slider");
  const auto iterations = [&](const char* formulation) {
    const Summary s = run_with(model, [&](DynamicOptions& o) {
      const DynamicOptions usual;
      o.formulation = formulation;
      o.alpha = o.beta = usual.alpha;
      o.integrator = "dop853";
      o.order = 0;
      o.step = 0;
      o.until = 1;
    });
    EXPECT_TRUE(ended_well(s)) << to_text(s.diagnostics);
    EXPECT_GT(s.stats.steps, 5) << formulation;
    return std::pair{s.stats.newton_iterations, s.stats.steps};
  };
  for (const char* formulation : {"projected", "null-space", "partitioned", "tangent-qr"}) {
    const auto [newton, steps] = iterations(formulation);
    EXPECT_GE(newton, 2 * steps) << formulation;  // positions and velocities
  }
  EXPECT_EQ(iterations("direct").first, 0);
}

// Document 002, Table 3: mean over the grid of the 2-norm of phi.
TEST(Measures, MeanNormOfTheDocument) {
  const Model model = test::model_file("equations-crank-slider");
  const Summary s = run_with(model, [](DynamicOptions& o) {
    o.integrator = "mampc";
    o.step = o.output_step = 0.01;
  });
  EXPECT_NEAR(s.constraint.rows_position.mean_norm / 9.865133719e-7, 1, 1e-4);
  EXPECT_GT(s.constraint.steps_position.times, 100);
  EXPECT_NEAR(s.constraint.steps_position.mean_norm / 9.865133719e-7, 1, 0.01);
  EXPECT_GE(s.constraint.rows_position.largest_norm, s.constraint.rows_position.mean_norm);
}

TEST(Measures, HybridTellsItsCorrections) {
  Model model = test::model_file("doc000-pendulum");
  const auto with = [&](double tolerance) {
    return run_with(model, [&](DynamicOptions& o) {
      o.formulation = "hybrid";
      o.integrator = "ode45";
      o.rtol = o.atol = 1e-6;
      o.step = 0;
      o.order = 0;
      o.constraint_tolerance = tolerance;
    });
  };
  const Summary fine = with(1e-9), rough = with(1e-4);
  EXPECT_GT(fine.constraint.corrections, rough.constraint.corrections);
  EXPECT_GT(fine.constraint.before_position.largest, 1e-9);
  EXPECT_EQ(fine.constraint.before_position.times, fine.stats.steps);
  EXPECT_LT(rough.constraint.before_position.largest, 1e-4);
}

TEST(Measures, MultipliersAndResidualsOnRequest) {
  Model model = test::model_file("doc000-pendulum");
  model.output_multipliers = model.output_residuals = true;
  Memory rows;
  const Summary s = run_model(model, rows, {}).summary;
  ASSERT_TRUE(ended_well(s));
  EXPECT_FALSE(s.constraint.joints.empty());
  const std::string joint = model.joints.front().name;
  EXPECT_GE(rows.last("residual.position_norm"), 0);
  EXPECT_TRUE(std::isfinite(rows.last(joint + ".lambda.1")));
  // The reaction is -phi_q^T lambda, and a pin's equations are displacements.
  EXPECT_NEAR(
      std::abs(rows.last(joint + ".lambda.1")), std::abs(rows.last(joint + ".second.fx")), 1e-9);
}

// The equation of a link is (l^2 - c^2) / (2c); what is told is l - c.
TEST(Measures, ALinkIsTooLongByALength) {
  Model model = test::model_file("doc004-pendulum");
  model.output_residuals = true;
  DynamicOptions& o = test::dynamic(model);
  o.until = 5;
  o.max_drift = 10;
  Memory rows;
  const Summary s = run_model(model, rows, {}).summary;
  ASSERT_TRUE(ended_well(s));
  double worst = 0;
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    const double longer = std::hypot(rows.value("bob.x", k), rows.value("bob.y", k)) - 1;
    EXPECT_NEAR(rows.value("residual.position", k), std::abs(longer), 1e-14);
    worst = std::max(worst, std::abs(longer));
  }
  EXPECT_NEAR(rows.last("residual.position"), std::sqrt(1.600219) - 1, 1e-6);
  EXPECT_NEAR(s.constraint.rows_position.largest, worst, 1e-14);
  EXPECT_NEAR(s.constraint.steps_position.largest, worst, 1e-14);  // a step ends with the last row
  double by_joint = 0;
  for (const JointViolation& joint : s.constraint.joints)
    by_joint = std::max(by_joint, joint.steps_position);
  EXPECT_NEAR(by_joint, worst, 1e-14);
}

// Rates at steps: those of rows where every step is one.
TEST(Measures, RatesAtStepsOnRequest) {
  Model model = test::model_file("doc002-crank-slider");
  const auto with = [&](bool asked) {
    model.output_residuals = asked;
    DynamicOptions& o = test::dynamic(model);
    o.until = 0.5;
    o.step = o.output_step = 0.01;
    Memory rows;
    return run_model(model, rows, {}).summary.constraint;
  };
  const ConstraintViolation with_rates = with(true), without = with(false);
  EXPECT_EQ(without.steps_velocity.times, 0);
  ASSERT_EQ(with_rates.steps_velocity.times, with_rates.steps_position.times);
  ASSERT_EQ(with_rates.rows_velocity.times, with_rates.steps_velocity.times + 1);  // and the start
  EXPECT_NEAR(with_rates.steps_velocity.largest_norm,
              with_rates.rows_velocity.largest_norm,
              1e-6 * with_rates.rows_velocity.largest_norm);
  EXPECT_GT(with_rates.steps_velocity.largest_norm, 1e-12);
  for (const JointViolation& joint : with_rates.joints) {
    EXPECT_NEAR(joint.steps_velocity, joint.velocity, 1e-6 * joint.velocity + 1e-18)
        << joint.element;
    EXPECT_NEAR(joint.steps_position, joint.position, 1e-6 * joint.position + 1e-18)
        << joint.element;
  }
}

TEST(Independent, TheUserChoosesAndIsTold) {
  const Model model = test::model_file("doc000-pendulum");
  const std::string body = model.bodies.front().name;
  const auto with = [&](std::vector<std::string> names) {
    return run_with(model, [&](DynamicOptions& o) {
      o.formulation = "partitioned";
      o.integrator = "ode45";
      o.step = 0;
      o.order = 0;
      o.until = 0.01;
      o.independent = std::move(names);
    });
  };
  const Summary chosen = with({body + ".angle"});
  EXPECT_EQ(chosen.status, "complete") << to_text(chosen.diagnostics);
  ASSERT_EQ(chosen.independent.size(), 1U);
  EXPECT_EQ(chosen.independent[0], "angle of '" + body + "'");
  EXPECT_EQ(with({body + ".nothing"}).diagnostics.back().id, "model.unknown-option");
  EXPECT_EQ(with({body + ".x", body + ".y"}).diagnostics.back().id, "model.unknown-option");
  EXPECT_EQ(with({}).independent.size(), 1U);
}

// Where a formulation starts without works of its own, its state is parametrized twice; a stop changes the freedoms.
TEST(Independent, ChosenOnesAreThoseOfTheSteps) {
  const Model model = test::model_file("stiff-double-pendulum");
  const std::vector<std::string> angles{"angle of 'upper'", "angle of 'lower'"};

  struct Methods {
    const char *formulation, *integrator;
    bool given_steps;
  };

  for (const Methods& m : {Methods{"state-space", "newmark", true},
                           {"state-space", "bdf", false},
                           {"haug-yen", "bdf", false}}) {
    SCOPED_TRACE(m.formulation);
    const auto with = [&](double step, std::vector<std::string> names) {
      return run_with(model, [&](DynamicOptions& o) {
        o.formulation = m.formulation;
        o.integrator = m.integrator;
        o.step = m.given_steps ? step : 0;
        o.until = 0.006;
        if (m.given_steps) o.predictor = "zero";
        o.independent = std::move(names);
      });
    };
    // The first step of 3 ms leaves the poses that an angle and a height can reach.
    const Summary chosen = with(0.003, {"upper.angle", "lower.angle"});
    EXPECT_NE(chosen.status, "failed") << to_text(chosen.diagnostics);
    EXPECT_EQ(chosen.independent, angles);
    EXPECT_EQ(with(0.003, {}).status == "failed", m.given_steps);
    EXPECT_EQ(with(0.0005, {"upper.angle", "upper.y"}).diagnostics.back().id, "model.bad-value");
  }
}

TEST(Study, HalvingFindsTheOrderOfAMechanism) {
  Model model = test::model_file("doc000-pendulum");
  DynamicOptions o = test::dynamic(model);
  o.formulation = "partitioned";
  o.integrator = "rk4";
  o.order = 0;
  o.until = 1;
  const Checked checked = check_model(model);
  ASSERT_TRUE(checked.assembly.ok);
  std::vector<std::string> names;
  const auto study =
      halving_study(mechanism_task(*checked.system, checked.assembly, o, {}, names), 4, 4, 9);
  ASSERT_TRUE(study);
  EXPECT_NEAR(study.value().order, 4, 0.15);
  const HalvingPoint& last = study.value().points.back();
  EXPECT_NEAR(last.estimate, last.difference / 15, 1e-15);
  EXPECT_EQ(names.size(), 3U);
}

TEST(Study, LargestStepOfASpring) {
  Model model = text_model(spring);
  DynamicOptions o = test::dynamic(model);
  const Checked checked = check_model(model);
  ASSERT_TRUE(checked.assembly.ok);
  StepSearch search;
  search.first = 0.001;
  search.width = 0.002;
  search.sound = true;
  const LargestStep found = find_largest_step(
      *checked.system, checked.assembly.mobility, checked.assembly.state, o, search);
  // Where it is stable, rk4 damps: the energy is lost long before the limit of 28.28 ms.
  EXPECT_LT(found.step, 0.0283);
  EXPECT_GT(found.step, 0.002);
}

TEST(Study, OptionsAreVaried) {
  Model model = test::model_file("doc002-crank-slider");
  DynamicOptions& o = test::dynamic(model);
  o.until = 0.5;
  o.step = 0.01;
  const auto points = vary_option(model, "alpha", {1, 20});
  ASSERT_TRUE(points);
  ASSERT_EQ(points.value().size(), 2U);
  EXPECT_GT(points.value()[0].violation.rows_position.mean_norm,
            points.value()[1].violation.rows_position.mean_norm);
  EXPECT_FALSE(vary_option(model, "nothing", {1}));
}

}  // namespace
}  // namespace cardan
