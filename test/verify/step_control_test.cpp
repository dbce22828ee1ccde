// How steps of a mechanism are chosen: a smallest step, tolerances of single components, and the norm
// of the whole motion.
#include <cmath>

#include "cardan/formulation/coordinate_tolerances.h"
#include "cardan/formulation/formulation.h"
#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

// A bar that swings, and a light one behind it that swings much faster.
const std::string two_bars = R"toml(
[[body]]
name = "slow"
mass = "1 kg"
inertia = "0.3 kg*m^2"
at = ["1 m", 0]
angle = "10 deg"
[[body]]
name = "fast"
mass = "1 g"
inertia = "1e-6 kg*m^2"
at = ["5 m", 0]
[[joint]]
type = "revolute"
name = "first"
between = ["ground", "slow"]
points = [[0, 0], ["-1 m", 0]]
[[joint]]
type = "revolute"
name = "second"
between = ["ground", "fast"]
at = ["4.9 m", 0]
[[force]]
type = "rotational-spring"
name = "stiff"
between = ["ground", "fast"]
stiffness = "1 N*m"
free_angle = "5 deg"
[[state]]
name = "heat"
rate = "300/1s*(cos(300 rad/s*t) - heat)"
[[analysis]]
type = "dynamic"
until = 1
output_step = 0.1
)toml";

Model text_model(const std::string& text) {
  auto model = read_model_text(text, "model.toml");
  EXPECT_TRUE(model) << to_text(model ? Diagnostics{} : model.why());
  return model ? std::move(model).value() : Model{};
}

struct Finished {
  Outcome out;
  Memory rows;
};

Finished run_with(const std::function<void(DynamicOptions&)>& change) {
  Model model = text_model(two_bars);
  change(test::dynamic(model));
  Finished r;
  r.out = run_model(model, r.rows, {});
  return r;
}

const Diagnostic* find(const Summary& s, const std::string& id) {
  for (const Diagnostic& d : s.diagnostics)
    if (d.id == id) return &d;
  return nullptr;
}

long steps_with(const std::function<void(DynamicOptions&)>& change) {
  const Finished r = run_with(change);
  EXPECT_TRUE(ended_well(r.out.summary)) << to_text(r.out.summary.diagnostics);
  return r.out.summary.stats.steps;
}

TEST(StepControl, ASmallestStepThatWouldNotDoEndsTheRun) {
  const auto fine = [](DynamicOptions& o) {
    o.formulation = "projected";
    o.integrator = "dop853";
    o.rtol = o.atol = 1e-10;
  };
  const Finished free = run_with(fine);
  ASSERT_EQ(free.out.summary.status, "complete");
  const Finished small = run_with([&](DynamicOptions& o) { fine(o), o.min_step = 1e-7; });
  EXPECT_EQ(small.out.summary.status, "complete");
  EXPECT_EQ(small.out.summary.stats.steps, free.out.summary.stats.steps);
  const Finished large = run_with([&](DynamicOptions& o) { fine(o), o.min_step = 0.05; });
  EXPECT_EQ(large.out.summary.status, "failed");
  const std::string told = to_text(large.out.summary.diagnostics);
  EXPECT_NE(told.find("min_step"), std::string::npos) << told;
}

TEST(StepControl, EachTolerance) {
  const auto loose = [](DynamicOptions& o) {
    o.formulation = "projected";
    o.integrator = "dop853";
    o.rtol = 1e-12;
    o.atol = 1e-2;
  };
  const long all_loose = steps_with(loose);
  const auto with = [&](std::vector<std::string> each) {
    return steps_with([&](DynamicOptions& o) { loose(o), o.atol_each = std::move(each); });
  };
  EXPECT_GT(10 * with({"positions = 1e-9", "velocities = 1e-9"}), 15 * all_loose);
  EXPECT_GT(10 * with({"fast.angle = 1e-9"}), 11 * all_loose);
  EXPECT_LT(10 * with({"slow.angle = 1e-6"}), 11 * all_loose);  // it asks for no short steps
  EXPECT_EQ(with({"fast.omega = 1e-9 rad/s", "fast.omega = 0.01"}), all_loose);  // the last counts
  EXPECT_EQ(with({"positions = 1 cm", "velocities = 0.01"}), all_loose);
  EXPECT_GT(with({"heat = 1e-11"}), all_loose);
}

// Positions and velocities apart: with every formulation that controls its error.
TEST(StepControl, PositionsAndVelocitiesUnderEveryFormulation) {
  for (const FormulationEntry& entry : formulations()) {
    if (entry.name == "rattle") continue;  // it takes given steps
    SCOPED_TRACE(entry.name);
    const auto steps = [&](std::vector<std::string> each) {
      return steps_with([&](DynamicOptions& o) {
        o.formulation = entry.name;
        o.until = 0.2;
        o.rtol = 1e-10;
        o.atol = 0.01;
        o.atol_each = std::move(each);
      });
    };
    EXPECT_GT(steps({"positions = 1e-7", "velocities = 1e-7"}), steps({}));
  }
}

TEST(StepControl, NormControlLooksAtTheWholeMotion) {
  const auto tight = [](DynamicOptions& o) {
    o.formulation = "projected";
    o.integrator = "dop853";
    o.rtol = 1e-8;
    o.atol = 1e-14;
  };
  const long each = steps_with(tight);
  const long whole = steps_with([&](DynamicOptions& o) { tight(o), o.norm_control = true; });
  EXPECT_LT(whole, each);
  EXPECT_GT(whole, 10);
}

TEST(StepControl, WhatMeansNothingIsRefused) {
  const auto refused = [](const std::function<void(DynamicOptions&)>& change,
                          const std::string& id,
                          const std::string& word) {
    const Summary s = run_with(change).out.summary;
    EXPECT_EQ(s.status, "failed") << word;
    const Diagnostic* d = find(s, id);
    ASSERT_NE(d, nullptr) << word << to_text(s.diagnostics);
    EXPECT_NE(to_text(*d).find(word), std::string::npos) << to_text(*d);
  };
  const auto fixed = [](DynamicOptions& o) {
    o.formulation = "projected";
    o.integrator = "rk4";
    o.step = 1e-3;
  };
  refused([&](auto& o) { fixed(o), o.min_step = 1e-6; }, "model.unknown-option", "min_step");
  refused(
      [&](auto& o) { fixed(o), o.norm_control = true; }, "model.unknown-option", "norm_control");
  refused([&](auto& o) { fixed(o), o.atol_each = {"positions = 1"}; },
          "model.unknown-option",
          "atol_each");
  refused([](auto& o) { o.min_step = 1, o.max_step = 0.1; }, "model.bad-value", "min_step");
  for (const auto& [text, word] : {std::pair{"fast.x", "no \"=\""},
                                   {"fast.length = 1", "unknown"},
                                   {"slower.x = 1", "unknown"},
                                   {"fast.x = ", "no number"},
                                   {"fast.x = t", "no number"},
                                   {"fast.x = 0", "not positive"},
                                   {"fast.x = -1e-6", "not positive"},
                                   {"fast.x = 1 s", "s (time)"},
                                   {"fast.omega = 1e-6 m/s", "m"}})
    refused(
        [&, t = std::string(text)](auto& o) {
          o.atol_each = {"positions = 1", t};
        },
        "model.bad-value",
        word);
  for (const char* formulation :
       {"reduced", "partitioned", "tangent-qr", "tangent-svd", "null-space", "state-space"})
    refused(
        [&](auto& o) {
          o.formulation = formulation;
          o.atol_each = {"fast.x = 1e-9"};
        },
        "model.unknown-option",
        formulation);
}

// Where the program may choose, it chooses a formulation that takes single coordinates.
TEST(StepControl, SingleCoordinatesDecideTheFormulation) {
  const Finished r = run_with([](DynamicOptions& o) { o.atol_each = {"fast.angle = 1e-9"}; });
  EXPECT_EQ(r.out.summary.status, "complete") << to_text(r.out.summary.diagnostics);
  EXPECT_EQ(r.out.summary.formulation, "projected");
}

}  // namespace
}  // namespace cardan
