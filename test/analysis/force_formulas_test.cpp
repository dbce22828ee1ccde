// Formulas of forces in a run: conditions are located whatever the force, and a method for forces
// of positions refuses others.
#include <gtest/gtest.h>

#include "cardan/element/embed.h"
#include "cardan/io/read_model.h"
#include "test/io/read_text.h"
#include "test/verify/space_runs.h"

namespace cardan::test {
namespace {

// A rotor of inertia 1 with a torque of 10 from t = 0.5 on: omega(1) = 5. Steps of 0.07 do not meet
// it.
const std::string plane = R"toml(
gravity = [0, 0]
[[body]]
name = "rotor"
mass = 1
inertia = 1
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "rotor"]
at = [0, 0]
[[force]]
type = "torque"
name = "motor"
between = ["ground", "rotor"]
value = "if(t > 0.5, 10, 0)"
[[analysis]]
type = "dynamic"
until = 1
integrator = "rk4"
step = 0.07
)toml";

std::string space(const std::string& force) {
  return R"toml(
space = "spatial"
[[body]]
name = "rotor"
mass = 1
inertia = [1, 1, 1]
[[joint]]
type = "revolute"
name = "hinge"
between = ["ground", "rotor"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "motor"
between = ["ground", "rotor"]
)toml" + force +
         R"toml(
[[analysis]]
type = "dynamic"
until = 1
integrator = "rk4"
step = 0.07
)toml";
}

void expect_located(const Model& model, const char* omega) {
  Events run;
  complete(model, run);
  const auto times = run.times_of("switch");
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], 0.5, 1e-9);
  EXPECT_NEAR(run.last(omega), 5, 1e-8);
}

TEST(ForceFormulas, conditions_are_located_in_the_plane_and_in_space) {
  expect_located(read_good(plane), "rotor.omega");
  expect_located(read_good(space("type = \"torque\"\nvalue = [0, 0, \"if(t > 0.5, 10, 0)\"]")),
                 "rotor.omega_z");
  expect_located(read_good(space("type = \"general-force\"\n"
                                 "value = [0, 0, 0, 0, 0, \"if(t > 0.5, 10, 0)\"]")),
                 "rotor.omega_z");
  expect_located(embed_in_space(read_good(plane)).model, "rotor.omega_z");
}

// A damper that acts from t = 0.5 on is a force of velocities at t = 0 as well.
TEST(ForceFormulas, rattle_refuses_a_rate_behind_a_condition) {
  Model model = read_good(R"toml(
gravity = [0, 0]
[[body]]
name = "mass"
mass = 1
inertia = 1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "mass"]
axis = [1, 0]
[[force]]
type = "spring"
name = "s"
between = ["ground", "mass"]
points = [[-1, 0], [0, 0]]
stiffness = 100
free_length = 0.9
force = "if(t > 0.5, 4*rate, 0)"
[[analysis]]
type = "dynamic"
until = 2
formulation = "rattle"
step = 0.001
)toml");
  Events run;
  const Outcome refused = run_model(model, run, {});
  EXPECT_NE(refused.summary.status, "complete");
  EXPECT_TRUE(std::any_of(refused.summary.diagnostics.begin(),
                          refused.summary.diagnostics.end(),
                          [](const Diagnostic& d) { return d.id == "model.unknown-option"; }));
}

}  // namespace
}  // namespace cardan::test
