// The gate: random runs of (model, formulation, integrator, tolerance). A run that says "complete"
// and lies beyond
//   100 * tolerance * condition
// is a silent deviation; there must be none.
//   reference   two formulations with different integrators, at a thousandth of the finest tolerance,
//               that agree to a tenth of the bound; models without such a pair are counted
//   condition   the largest growth of three changes of 1e-6: of gravity, which every model has, and of
//               the initial state where there is an independent solution (planar_reference.h)
//   CARDAN_GATE=first:count:runs   other seeds of models, and runs of each
// Each model is run with five methods, each at its own tolerance.
#include "test/verify/gate.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

namespace cardan {
namespace {

using test::at_tolerance;
using test::gap;
using test::gate_methods;
using test::gate_model;
using test::gate_reference;
using test::gate_run;
using test::GateReference;
using test::GateRun;
using test::Random;

constexpr int usual_runs = 5;

struct GateCount {
  int right = 0, doubtful = 0, refused = 0, silent = 0, late = 0, models = 0, no_reference = 0;
  std::string found;
  std::map<std::string, double> worst;  // of the bound, by integrator
};

void gate_judge(GateCount& count,
                std::uint64_t seed,
                const std::string& kind,
                const GateReference& reference,
                const Contender& method,
                const GateRun& run) {
  const std::string words =
      fmt::format("  {} {}, {} at {:.1e}", seed, kind, method.name(), method.setting);
  const double bound = 100 * method.setting * reference.condition;
  if (run.late) {
    ++count.late;
    count.found += words + ": stopped after 20 s\n";
  } else if (run.status == "failed") {
    ++count.refused;
    count.found += words + ": refused: " + run.why + "\n";
  } else if (run.status == "doubtful") {
    ++count.doubtful;
    const double off = gap(reference.run->memory, run.memory);
    count.found +=
        words + fmt::format(": doubtful ({:.2g} of the bound): {}\n", off / bound, run.why);
  } else {
    const double off = gap(reference.run->memory, run.memory);
    double& worst = count.worst[method.integrator];
    worst = std::max(worst, off / bound);
    if (off <= bound) {
      ++count.right;
      return;
    }
    ++count.silent;
    count.found += words + fmt::format(": SILENT, off by {:.3g}, bound {:.3g}\n", off, bound);
  }
}

// Two loops that pass close by folded poses: forces of 1e5 N for a millisecond. Estimates of one or two
// components were small by chance there (42 times the bound), violations of `direct` grew.
TEST(Gate, ShortPeaksOfForceAreFollowed) {
  const auto mechanism = gate_model(1007);
  const GateReference reference = gate_reference(mechanism, true);
  ASSERT_TRUE(reference.run);
  GateCount count;

  static constexpr struct {
    const char *formulation, *integrator;
  } methods[] = {{"tangent-qr", "dop853"},
                 {"partitioned", "dop853"},
                 {"direct", "ode45"},
                 {"partitioned", "ode45"},
                 {"partitioned", "adams"},
                 {"hybrid", "adams"},
                 {"tangent-qr", "esdirk"}};

  for (const auto& m : methods)
    for (const double tolerance : {1e-5, 3e-6, 1e-6, 3.6e-7, 1.7e-7, 1e-7}) {
      const Contender method = at_tolerance(m.formulation, m.integrator, tolerance);
      gate_judge(
          count, 1007, mechanism.kind, reference, method, *gate_run(mechanism.text, method, 20));
    }
  EXPECT_EQ(count.right, 42) << count.found;
}

TEST(Gate, RandomRunsAreRightOrSaySo) {
  std::uint64_t first = 100;
  int models = std::getenv("CARDAN_FULL") != nullptr ? 400 : 10;
  int runs_per_model = usual_runs;
  if (const char* given = std::getenv("CARDAN_GATE"))
    std::sscanf(given, "%lu:%d:%d", &first, &models, &runs_per_model);
  const std::vector<Contender> methods = gate_methods();
  ASSERT_GT(methods.size(), 50U);
  GateCount count;
  for (std::uint64_t seed = first; seed < first + static_cast<unsigned>(models); ++seed) {
    const auto mechanism = gate_model(seed);
    ++count.models;
    const GateReference reference = gate_reference(mechanism, seed % 5 >= 2);
    if (!reference.run) {
      ++count.no_reference;
      continue;
    }
    Random random(7 * seed);
    for (int k = 0; k < runs_per_model; ++k) {
      Contender method =
          methods[static_cast<std::size_t>(random.below(static_cast<int>(methods.size())))];
      method.setting = std::pow(10, random.uniform(-8, -4));
      if (reference.agreement > 10 * method.setting * reference.condition) {
        ++count.no_reference;  // the pair must agree to a tenth of the bound
        continue;
      }
      const auto run = gate_run(mechanism.text, method, 20);
      gate_judge(count, seed, mechanism.kind, reference, method, *run);
    }
  }
  std::cout << fmt::format(
                   "{} models: {} right, {} doubtful, {} refused, {} silent deviations, {} "
                   "stopped, {} without a reference\n",
                   count.models,
                   count.right,
                   count.doubtful,
                   count.refused,
                   count.silent,
                   count.late,
                   count.no_reference)
            << count.found;
  for (const auto& [integrator, worst] : count.worst)
    std::cout << fmt::format("  largest error of {}: {:.2g} of the bound\n", integrator, worst);
  EXPECT_EQ(count.silent, 0);
  EXPECT_EQ(count.late, 0);
}

}  // namespace
}  // namespace cardan
