#pragma once
// What is measured of one evaluation of the accelerations, and of everything before the first step.
#include "cardan/analysis/dynamic/simulation.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/system/motion_solver.h"
#include "mechanisms.h"

namespace cardan::bench {

// At the model's own state.
class Evaluation {
 public:
  explicit Evaluation(const Model& model)
      : system_(value_of(compile(model))),
        solver_(system_,
                std::vector<char>(static_cast<std::size_t>(system_.equations().rows()), 1)),
        state_(system_.given_state()),
        a_(state_.v.size()),
        lambda_(static_cast<std::size_t>(system_.equations().rows())) {}

  int bodies() const { return system_.body_count(); }

  void operator()() {
    if (solver_.accelerations(0, state_.q, state_.v, a_, lambda_) != Eval::ok)
      throw std::runtime_error("no accelerations at this state");
  }

 private:
  System system_;
  MotionSolver solver_;
  State state_;
  std::vector<double> a_, lambda_;
};

inline DynamicOptions options_of(const Model& model) {
  for (const auto& analysis : model.analyses)
    if (const auto* dynamic = std::get_if<DynamicOptions>(&analysis)) return *dynamic;
  throw std::runtime_error("the model has no dynamic analysis");
}

// Compile, assemble, and everything up to the first step.
inline void set_up(const Model& model) {
  const System system = value_of(compile(model));
  const Assembly start = assemble(system, 0, system.given_state());
  Simulation simulation(system, start.mobility, options_of(model), start.state);
  if (simulation.prepare() || simulation.start()) throw std::runtime_error("no start");
}

}  // namespace cardan::bench
