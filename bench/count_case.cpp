// What bin/check counts the instructions of, under callgrind with --toggle-collect='*count_these_instructions*':
//   evaluation  one evaluation of the accelerations of Andrews' mechanism
//   chain       the same of 1,000 pins in a row
//   balls, hinges   the same of 1,000 ball joints and of 1,000 hinges in space
//   set-up      from Andrews' model to the first step
//   projected, reduced, gauss   Andrews from the first to the last step at rtol = atol = 1e-9, nothing stored: with dop853,
//                               the last with reduced and gauss-simd
// Each was done once before, so that memory and tables are there.
#include <cstdio>
#include <functional>

#include "evaluation.h"

namespace cardan::bench {

[[gnu::noinline]] void count_these_instructions(const std::function<void()>& call) {
  call();
}

namespace {

void count(const std::function<void()>& call) {
  call();
  count_these_instructions(call);
}

void count_steps(const std::string& formulation, const std::string& integrator) {
  const Model model = example("andrews");
  const System system = value_of(compile(model));
  const Assembly start = assemble(system, 0, system.given_state());
  DynamicOptions options = options_of(model);
  options.formulation = formulation;
  options.integrator = integrator;
  options.rtol = options.atol = 1e-9;
  Simulation simulation(system, start.mobility, options, start.state);
  if (simulation.prepare() || simulation.start()) throw std::runtime_error("no start");
  count_these_instructions([&] {
    if (simulation.step_to(options.until).why != Simulation::Stop::Why::reached)
      throw std::runtime_error("the end was not reached");
  });
  std::printf("%ld evaluations\n", simulation.costs().total().f);
}

bool run(const std::string& name) {
  if (name == "projected" || name == "reduced") {
    count_steps(name, "dop853");
    return true;
  }
  if (name == "gauss") {
    count_steps("reduced", "gauss-simd");
    return true;
  }
  if (name == "set-up") {
    const Model model = example("andrews");
    count([&] { set_up(model); });
    return true;
  }
  Model model;
  if (name == "evaluation")
    model = example("andrews");
  else if (name == "chain")
    model = chain(1000);
  else if (name == "balls" || name == "hinges")
    model = spatial_chain(name == "balls" ? "spherical" : "revolute", 1000);
  else
    return false;
  Evaluation evaluate(model);
  count([&] { evaluate(); });
  return true;
}

}  // namespace

}  // namespace cardan::bench

int main(int count, char** arguments) {
  if (count == 2 && cardan::bench::run(arguments[1])) return 0;
  std::fprintf(
      stderr,
      "count_case: evaluation, chain, balls, hinges, set-up, projected, reduced or gauss\n");
  return 2;
}
