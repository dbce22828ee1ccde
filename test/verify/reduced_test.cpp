// The formulation `reduced` beside `projected`, on mechanisms of all kinds: planar and spatial,
// driven, with gears, cams, stops, contacts, friction and first-order states.
#include <cmath>
#include <cstring>

#include "test/verify/random_loops.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

struct Told : test::Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    events.push_back(e);
    return {};
  }
};

struct Case {
  const char* model;
  double until, tolerance;
};

class ReducedRun : public testing::TestWithParam<Case> {};

TEST_P(ReducedRun, AgreesWithProjected) {
  const auto run = [&](const char* formulation, test::Memory& rows) {
    Model model = test::model_file(GetParam().model);
    DynamicOptions& o = test::dynamic(model);
    o.formulation = formulation;
    o.integrator = "dop853";
    o.order = 0;
    o.step = 0;
    o.rtol = o.atol = 1e-9;
    o.until = GetParam().until;
    o.alpha = o.beta = DynamicOptions::not_given;
    o.max_drift = DynamicOptions{}.max_drift;
    return run_model(model, rows, {});
  };
  test::Memory expected, rows;
  ASSERT_EQ(run("projected", expected).summary.status, "complete");
  const Outcome out = run("reduced", rows);
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_LT(out.summary.constraint.max_position, 1e-12);
  ASSERT_EQ(rows.rows.size(), expected.rows.size());
  for (std::size_t k = 0; k < rows.channels.size(); ++k) {
    if (rows.channels[k].quantity != "position") continue;
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
      ASSERT_NEAR(rows.rows[r][k], expected.rows[r][k], GetParam().tolerance)
          << rows.channels[k].name << " in row " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ReducedRun,
                         testing::Values(Case{"andrews", 0.03, 1e-6},
                                         Case{"bennett", 1, 1e-7},
                                         Case{"bouncing-link", 1, 1e-6},
                                         Case{"cam-follower", 0.5, 1e-9},
                                         Case{"cam-lift-off", 0.5, 1e-7},
                                         Case{"cart-pole", 1, 1e-7},
                                         Case{"delta-robot", 0.5, 1e-8},
                                         Case{"excavator-boom", 1, 1e-7},
                                         Case{"four-bar", 0.5, 1e-9},
                                         Case{"gear-train", 1, 1e-7},
                                         Case{"gyroscope", 0.5, 1e-7},
                                         Case{"helix-bead", 1, 1e-7},
                                         Case{"motor-slider-crank", 0.3, 1e-7},
                                         Case{"pendulum-stops", 2, 1e-7},
                                         Case{"quick-return", 1, 1e-6},
                                         Case{"slider-crank", 0.5, 1e-7},
                                         Case{"spatial-four-bar", 1, 1e-6},
                                         Case{"spatial-slider-crank", 0.5, 1e-7},
                                         Case{"stewart-platform", 0.5, 1e-8},
                                         Case{"stick-slip", 1, 1e-7},
                                         Case{"universal-train", 0.5, 1e-7}),
                         [](const auto& of) {
                           std::string text = of.param.model;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

// A four-bar without a bar that turns right round: each of its arms comes to rest in dead centres of
// the other two bars, where the opposite arm must be the input.
TEST(ReducedPlan, IsRenewedBeforeADeadCentreAndNamesItsJoints) {
  Told run;
  Model model = test::model_of(
      "gravity = [0, -9.81]\n"
      "[[body]]\nname='a'\nfrom=[0,0]\nto=[0.9,0]\nmass=1\n"
      "[[body]]\nname='b'\nfrom=[0.9,0]\nto=[1.5,0.8]\nmass=2\n"
      "[[body]]\nname='c'\nfrom=[1.5,0.8]\nto=[2,0]\nmass=1\n"
      "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','a']\nat=[0,0]\n"
      "[[joint]]\ntype='revolute'\nname='B'\nbetween=['a','b']\nat=[0.9,0]\n"
      "[[joint]]\ntype='revolute'\nname='C'\nbetween=['b','c']\nat=[1.5,0.8]\n"
      "[[joint]]\ntype='revolute'\nname='D'\nbetween=['ground','c']\nat=[2,0]\n"
      "[[analysis]]\ntype='dynamic'\nuntil=5\noutput_step=0.05\nformulation='reduced'\n"
      "rtol=1e-8\natol=1e-8\n");
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-5);
  EXPECT_LT(out.summary.constraint.max_position, 1e-13);
  long renewed = 0;
  for (const Event& e : run.events) {
    if (e.kind != "repartition") continue;
    ++renewed;
    EXPECT_NE(e.text.find("angle of '"), std::string::npos) << e.text;
    EXPECT_NE(e.text.find("dead centre"), std::string::npos) << e.text;
    EXPECT_NE(e.text.find("joint '"), std::string::npos) << e.text;
  }
  EXPECT_GT(renewed, 0);
}

class ResumeReduced : public testing::TestWithParam<const char*> {};

TEST_P(ResumeReduced, IsBitForBit) {
  Model model = test::model_file(GetParam());
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "reduced";
  o.integrator = "dop853";
  Told whole;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  test::Memory first;
  int left = 40;
  Control control;
  control.cancelled = [&] {
    return --left <= 0;
  };
  ASSERT_EQ(run_model(model, first, control).summary.status, "interrupted");
  test::Memory rest;
  const Outcome resumed = run_model(model, rest, {}, first.last_checkpoint);
  ASSERT_EQ(resumed.summary.status, "complete") << to_text(resumed.summary.diagnostics.back());
  ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
  for (std::size_t k = first.rows_at_checkpoint; k < whole.rows.size(); ++k)
    ASSERT_EQ(std::memcmp(rest.rows[k - first.rows_at_checkpoint].data(),
                          whole.rows[k].data(),
                          whole.rows[k].size() * sizeof(double)),
              0)
        << "row " << k;
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ResumeReduced,
                         testing::Values("andrews",
                                         "pendulum",
                                         "pendulum-stops",
                                         "n-four-bar",
                                         "cart-pole",
                                         "spatial-slider-crank",
                                         "heavy-top"),
                         [](const auto& of) {
                           std::string text = of.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

TEST(Reduced, RefusesRollingWithAReason) {
  Model model = test::model_file("rolling-disc");
  test::dynamic(model).formulation = "reduced";
  test::Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "failed");
  EXPECT_EQ(out.summary.diagnostics.back().id, "model.unknown-option");
  EXPECT_NE(out.summary.diagnostics.back().found.find("rolls"), std::string::npos);
}

// An open chain has as many freedoms as links: no dense matrix of them is made.
TEST(Reduced, TakesALongChain) {
  Model model = test::model_of(test::chain(200) +
                               "[[analysis]]\ntype='dynamic'\nuntil=0.05\noutput_step=0.01\n"
                               "formulation='reduced'\nintegrator='ode45'\n");
  test::Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-5);
}

// Increments of bodies in space, counted from the pose of a plan, have dead centres of their own.
// Loops whose inputs come to one are among these.
TEST(ReducedInSpace, RandomLoopsAgreeWithTangentCoordinates) {
  for (const std::uint64_t seed : {1105, 1110, 1115, 3010}) {
    const std::string text = test::random_spatial_loop(seed).text +
                             "[[analysis]]\ntype = \"dynamic\"\nuntil = 1\noutput_step = "
                             "0.05\nrtol = 1e-8\natol = 1e-8\n";
    test::Memory expected, rows;
    const auto run = [&](const char* formulation, test::Memory& into) {
      Model model = test::model_of(text);
      test::dynamic(model).formulation = formulation;
      test::dynamic(model).integrator = "dop853";
      return run_model(model, into, {}).summary.status;
    };
    ASSERT_EQ(run("tangent-qr", expected), "complete") << seed;
    ASSERT_EQ(run("reduced", rows), "complete") << seed;
    ASSERT_EQ(rows.rows.size(), expected.rows.size());
    for (std::size_t k = 0; k < rows.channels.size(); ++k) {
      if (rows.channels[k].quantity != "position") continue;
      for (std::size_t r = 0; r < rows.rows.size(); ++r)
        ASSERT_NEAR(rows.rows[r][k], expected.rows[r][k], 1e-5)
            << seed << ": " << rows.channels[k].name << " in row " << r;
    }
  }
}

}  // namespace
}  // namespace cardan
