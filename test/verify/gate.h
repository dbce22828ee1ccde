#pragma once
// What the gate is made of: random models, runs of them by any method, and references with a condition.
// Used by the gate itself (gate_test.cpp) and by what weighs methods against each other
// (error_shares_test.cpp).
#include <memory>
#include <string>
#include <vector>

#include "cardan/study/comparison.h"
#include "test/verify/random_loops.h"
#include "test/verify/support.h"

namespace cardan::test {

struct GateRun {
  Memory memory;
  std::string status, why;
  long steps = 0;
  bool late = false;
};

// A model's motion, in 40 rows; late: stopped after so many seconds of the processor.
std::unique_ptr<GateRun> gate_run(const std::string& text,
                                  const Contender&,
                                  double seconds,
                                  double until = 2);

// Largest difference in position, at rows that both have.
double gap(const Memory& a, const Memory& b);

// A loop in space (seeds 0 modulo 5), a chain of bars in the plane (1), loops in the plane.
RandomMechanism gate_model(std::uint64_t seed);

Contender at_tolerance(const char* formulation, const char* integrator, double tolerance);

// All methods that control their error.
std::vector<Contender> gate_methods();

struct GateReference {
  std::unique_ptr<GateRun> run;  // null: there is none
  double agreement = 0, condition = 0;
};

GateReference gate_reference(const RandomMechanism&, bool planar_loop);

}  // namespace cardan::test
