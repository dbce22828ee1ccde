// Stepping allocates nothing, whatever the formulation: what a run needs is made before its first step.
#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/run.h"
#include "cardan/base/alloc_guard.h"
#include "cardan/formulation/formulation.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

struct Counted {
  long allocations = 0, steps = 0;
};

// Of a short run behind its first steps; nothing where the pair is refused.
std::optional<Counted> counted(const Model& model, const DynamicOptions& options) {
  const Checked checked = check_model(model);
  EXPECT_TRUE(checked.assembly.ok);
  Simulation run(*checked.system, checked.assembly.mobility, options, checked.assembly.state);
  if (run.prepare() || run.start()) return {};
  const double until = options.until;
  if (run.step_to(until / 10).why != Simulation::Stop::Why::reached) {
    ADD_FAILURE() << options.formulation << " does not reach " << until / 10;
    return {};
  }
  Counted out;
  const long before = run.costs().steps();
  const AllocationGuard guard;
  const auto stop = run.step_to(until);
  out.allocations = guard.count();
  EXPECT_EQ(stop.why, Simulation::Stop::Why::reached) << options.formulation;
  out.steps = run.costs().steps() - before;
  return out;
}

TEST(FormulationAllocation, SteppingAllocatesNothing) {
  if (!AllocationGuard::active()) GTEST_SKIP() << "allocations are not counted in this build";
  for (const char* name : {"slider-crank", "four-bar", "spatial-slider-crank"})
    for (const FormulationEntry& entry : formulations()) {
      if (entry.name == "auto" || entry.built_in_integrator) continue;  // implicit_dae_test.cpp
      const Model model = test::model_file(name);
      for (const char* integrator : {"rk4", "dop853", "adams"}) {
        DynamicOptions o;
        o.formulation = entry.name;
        o.integrator = integrator;
        o.until = 0.006;  // 300 steps: fewer than to the next look at the limits of stability
        (o.integrator == "rk4" ? o.step : o.max_step) = 2e-5;
        const auto found = counted(model, o);
        if (!found) continue;
        ASSERT_GT(found->steps, 200) << entry.name << ' ' << integrator;
        // Once in a while something is made anew; a step that allocates has more than all of these.
        EXPECT_LT(found->allocations, found->steps / 4)
            << name << ", " << entry.name << " + " << integrator << ": " << found->allocations
            << " in " << found->steps << " steps";
      }
    }
}

}  // namespace
}  // namespace cardan
