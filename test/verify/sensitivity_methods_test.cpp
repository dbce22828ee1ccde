// Derivatives of a motion by parameters do not depend on how the motion is computed: all formulations
// and methods against figures computed elsewhere, and the motion is that of a run without them.
#include "cardan/formulation/formulation.h"
#include "test/verify/derived_runs.h"

namespace cardan::test {
namespace {

struct HowTo {
  std::string formulation, integrator;
  double rtol, step;  // step: of methods that do not choose it
  double tolerance;   // of the derivatives, relative to the largest by the same parameter
};

std::vector<std::pair<std::string, OptionValue>> options_of(const HowTo& how) {
  std::vector<std::pair<std::string, OptionValue>> options{
      {"formulation", how.formulation}, {"rtol", how.rtol}, {"atol", how.rtol / 10}};
  if (!how.integrator.empty()) options.emplace_back("integrator", how.integrator);
  if (how.step > 0) options.emplace_back("step", how.step);
  return options;
}

void expect_double_pendulum(const HowTo& how) {
  SCOPED_TRACE(how.formulation + " " + how.integrator);
  const Json all = reference_of("double-pendulum-sensitivity").at("d_state_at_2");
  Json table;
  for (const char* name : {"L1", "m2", "start1"}) table[name] = all.at(name);
  const auto run = run_derived(
      case_file("double-pendulum-sensitivity", "model.toml"),
      {{"dynamic"}, names_of(table), 2, 1, {}, {"upper.*", "lower.*"}, options_of(how)});
  expect_complete(*run);
  ASSERT_EQ(run->memory.rows.size(), 3U);
  const std::vector<std::string> channels{
      "upper.angle", "lower.angle", "upper.omega", "lower.omega"};
  for (const auto& [name, values] : table.items()) {
    double size = 0;
    for (const Json& value : values) size = std::max(size, std::abs(value.get<double>()));
    for (std::size_t k = 0; k < channels.size(); ++k)
      EXPECT_NEAR(run->slope(2, channels[k], name), values[k].get<double>(), how.tolerance * size)
          << channels[k] << " by " << name;
  }
}

TEST(SensitivityMethods, EveryFormulation) {
  for (const FormulationEntry& entry : formulations()) {
    if (entry.built_in_integrator && !entry.integrators.empty()) continue;  // below
    const std::string name(entry.name);
    if (name == "rattle")
      expect_double_pendulum({name, "", 1e-8, 1e-3, 1e-3});
    else if (entry.built_in_integrator)
      expect_double_pendulum({name, "", 1e-9, 0, 1e-6});
    else
      expect_double_pendulum({name, "dop853", 1e-9, 0, 2e-6});
  }
}

TEST(SensitivityMethods, FormulationsThatAreMethods) {
  for (const FormulationEntry& entry : formulations())
    for (const std::string_view method : entry.integrators) {
      const bool second = entry.name == "index3" || method == "newmark" || method == "trapezoidal";
      expect_double_pendulum({std::string(entry.name),
                              std::string(method),
                              second ? 1e-5 : 1e-7,
                              0,
                              second ? 2e-3 : 1e-4});
    }
}

TEST(SensitivityMethods, ReducedWithItsMethods) {
  expect_double_pendulum({"reduced", "gauss-simd", 1e-9, 0, 1e-6});
  expect_double_pendulum({"reduced", "radau5", 1e-9, 0, 1e-6});
  expect_double_pendulum({"reduced", "adams", 1e-9, 0, 1e-5});
}

TEST(SensitivityMethods, MethodsOfPositionsAndThoseWithoutIteration) {
  expect_double_pendulum({"projected", "verlet", 1e-6, 1e-3, 1e-3});
  expect_double_pendulum({"projected", "rosenbrock", 1e-7, 0, 1e-4});
}

// The derivatives stand behind the motion and change no bit of it.
TEST(SensitivityMethods, LeaveTheMotionAsItIs) {
  for (const std::string formulation : {"reduced", "half-explicit", "haug-yen"}) {
    Asked asked{{"dynamic"}, {"L1"}, 1, 0.1, {}, {"upper.*"}, {{"formulation", formulation}}};
    const std::string path = case_file("double-pendulum-sensitivity", "model.toml");
    const auto with = run_derived(path, asked);
    asked.by.clear();
    const auto without = run_derived(path, asked);
    ASSERT_EQ(with->memory.rows.size(), without->memory.rows.size());
    for (std::size_t row = 0; row < with->memory.rows.size(); ++row)
      for (std::size_t k = 0; k < without->memory.channels.size(); ++k)
        EXPECT_EQ(with->memory.rows[row][k], without->memory.rows[row][k])
            << formulation << ", " << without->memory.channels[k].name;
  }
}

}  // namespace
}  // namespace cardan::test
