// A motion followed in pieces, from outside.
#include "cardan/analysis/dynamic/simulation.h"

#include "cardan/analysis/analysis_table.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/io/read_model.h"
#include "cardan/model/analysis_type.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

struct Prepared {
  std::unique_ptr<System> system;
  Assembly assembly;
  DynamicOptions options;
};

Prepared prepare(const std::string& name, double until) {
  auto read = read_model(std::string(test::source_dir) + "/models/" + name + "/model.toml");
  EXPECT_TRUE(read);
  Prepared out;
  out.options = test::dynamic(read.value());
  out.options.until = until;
  Checked checked = check_model(read.value());
  EXPECT_TRUE(checked.assembly.ok);
  out.system = std::move(checked.system);
  out.assembly = std::move(checked.assembly);
  return out;
}

TEST(Simulation, EveryAnalysisHasARunner) {
  EXPECT_EQ(analysis_runners().size(), analysis_types().size());
  for (const AnalysisType& type : analysis_types())
    EXPECT_EQ(analysis_runner(type.make()).name, type.name);
}

TEST(Simulation, PiecesAgreeWithTheWhole) {
  Prepared p = prepare("double-pendulum", 1);
  p.options.rtol = p.options.atol = 1e-10;
  Simulation whole(*p.system, p.assembly.mobility, p.options, p.assembly.state);
  ASSERT_FALSE(whole.prepare());
  ASSERT_FALSE(whole.start());
  ASSERT_EQ(whole.step_to(1).why, Simulation::Stop::Why::reached);
  Simulation pieces(*p.system, p.assembly.mobility, p.options, p.assembly.state);
  ASSERT_FALSE(pieces.prepare());
  ASSERT_FALSE(pieces.start());
  for (int k = 1; k <= 20; ++k) {
    ASSERT_EQ(pieces.step_to(0.05 * k).why, Simulation::Stop::Why::reached);
    EXPECT_DOUBLE_EQ(pieces.state().t, 0.05 * k);
  }
  for (std::size_t k = 0; k < whole.state().q.size(); ++k)
    EXPECT_NEAR(whole.state().q[k], pieces.state().q[k], 1e-7);
}

// Back to an earlier state: the same motion again.
TEST(Simulation, StateCanBeSet) {
  Prepared p = prepare("double-pendulum", 1);
  p.options.rtol = p.options.atol = 1e-9;
  Simulation s(*p.system, p.assembly.mobility, p.options, p.assembly.state);
  ASSERT_FALSE(s.prepare());
  ASSERT_FALSE(s.start());
  s.step_to(0.3);
  const State kept = s.state();
  s.step_to(0.6);
  const State once = s.state();
  ASSERT_TRUE(s.set_state(kept).empty());
  EXPECT_EQ(s.state().t, kept.t);
  s.step_to(0.6);
  for (std::size_t k = 0; k < once.q.size(); ++k) EXPECT_NEAR(s.state().q[k], once.q[k], 1e-6);
}

// A mass on a line, pushed by an input that changes between steps: x'' = u / m.
TEST(Simulation, InputsActFromWhereTheyAreSet) {
  auto read = read_model_text(R"(gravity = [0, 0]
[[body]]
name = "cart"
at = [0, 0]
mass = 2
inertia = 1
[[joint]]
type = "translational"
name = "rail"
between = ["ground", "cart"]
axis = [1, 0]
[[input]]
name = "push"
unit = "N"
value = 0
[[force]]
type = "force"
name = "pusher"
body = "cart"
value = ["push", 0]
[[analysis]]
type = "dynamic"
until = 2
)",
                              "model.toml");
  ASSERT_TRUE(read) << to_text(read.why());
  Checked checked = check_model(read.value());
  ASSERT_TRUE(checked.assembly.ok) << to_text(checked.diagnostics);
  Simulation s(*checked.system,
               checked.assembly.mobility,
               test::dynamic(read.value()),
               checked.assembly.state);
  ASSERT_FALSE(s.prepare());
  ASSERT_FALSE(s.start());
  ASSERT_FALSE(s.set_input("push", 4));
  s.step_to(1);
  ASSERT_FALSE(s.set_input("push", -4));
  s.step_to(2);
  EXPECT_NEAR(s.state().v[0], 0, 1e-6);
  EXPECT_NEAR(s.state().q[0], 2, 1e-6);
  EXPECT_TRUE(s.set_input("pull", 1));
}

}  // namespace
}  // namespace cardan
