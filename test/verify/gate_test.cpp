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
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"
#include "cardan/study/comparison.h"
#include "test/verify/random_loops.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;
using test::Random;

constexpr double span = 2, moved = 1e-6, finest = 1e-8, most_condition = 1e4;
constexpr int rows = 40, usual_runs = 5;

struct GateRun {
  Memory memory;
  std::string status, why;
  bool late = false;
};

std::unique_ptr<GateRun> gate_run(const std::string& text,
                                  const Contender& method,
                                  double seconds) {
  auto out = std::make_unique<GateRun>();
  Model model = test::model_of(text + fmt::format("[[analysis]]\ntype = \"dynamic\"\nuntil = {}\n"
                                                  "output_step = {}\nrtol = 1e-6\natol = 1e-6\n",
                                                  span,
                                                  span / rows));
  test::dynamic(model) = with_method(test::dynamic(model), method);
  const auto start = std::chrono::steady_clock::now();
  Control control;
  control.cancelled = [&] {
    return out->late =
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
               seconds;
  };
  const Outcome outcome = run_model(model, out->memory, control);
  out->status = outcome.summary.status;
  for (const Diagnostic& d : outcome.summary.diagnostics)
    if (d.severity == Severity::error || out->status == "doubtful") out->why = to_text(d);
  return out;
}

// Largest difference in position, at rows that both have.
double gap(const Memory& a, const Memory& b) {
  double worst = a.rows.size() == b.rows.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < a.channels.size(); ++k)
    if (a.channels[k].quantity == "position")
      for (std::size_t r = 0; r < std::min(a.rows.size(), b.rows.size()); ++r) {
        const double off = std::abs(a.rows[r][k] - b.rows[r][k]);
        if (!(off <= worst)) worst = off;
      }
  return worst;
}

// A chain of one to four bars on pins, in half of them with springs and dampers to the ground.
test::RandomMechanism random_planar_tree(std::uint64_t seed) {
  Random random(seed);
  test::RandomMechanism out;
  out.kind = "tree";
  out.text = "gravity = [0, -9.81]\n";
  std::vector<Eigen::Vector2d> ends{{0, 0}};
  std::vector<std::string> names{"ground"};
  const int bars = 1 + random.below(4);
  for (int k = 0; k < bars; ++k) {
    const auto from = static_cast<std::size_t>(random.below(static_cast<int>(ends.size())));
    const double angle = random.uniform(-3, 3), length = random.uniform(0.5, 1.5);
    const Eigen::Vector2d to =
        ends[from] + length * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    out.text += fmt::format(
        "[[body]]\nname = \"b{}\"\nfrom = [{}, {}]\nto = [{}, {}]\nmass = {}\n"
        "[[joint]]\ntype = \"revolute\"\nname = \"j{}\"\nbetween = [\"{}\", \"b{}\"]\nat = [{}, "
        "{}]\n",
        k,
        ends[from].x(),
        ends[from].y(),
        to.x(),
        to.y(),
        random.uniform(0.2, 5),
        k,
        names[from],
        k,
        ends[from].x(),
        ends[from].y());
    if (random.below(2) == 0)
      out.text += fmt::format(
          "[[force]]\ntype = \"spring\"\nbetween = [\"ground\", \"b{}\"]\nat = [[{}, 2.5], [{}, "
          "{}]]\nstiffness = {}\ndamping = {}\nfree_length = 1\n",
          k,
          random.uniform(-2, 2),
          to.x(),
          to.y(),
          random.uniform(5, 300),
          random.uniform(0, 5));
    ends.push_back(to);
    names.push_back(fmt::format("b{}", k));
  }
  return out;
}

test::RandomMechanism gate_model(std::uint64_t seed) {
  switch (seed % 5) {
    case 0:
      return test::random_spatial_loop(seed);
    case 1:
      return random_planar_tree(seed);
    default:
      return test::random_planar_loop(seed);
  }
}

std::string with_gravity(std::string text, int pattern) {
  const bool spatial = text.find("gravity = [0, 0, -9.81]") != std::string::npos;
  const std::string usual = spatial ? "[0, 0, -9.81]" : "[0, -9.81]";
  static constexpr const char* planar[] = {
      "[9.81e-6, -9.81]", "[-9.81e-6, -9.81]", "[0, -9.81000981]"};
  static constexpr const char* space[] = {
      "[9.81e-6, 0, -9.81]", "[0, 9.81e-6, -9.81]", "[0, 0, -9.81000981]"};
  return text.replace(text.find(usual), usual.size(), spatial ? space[pattern] : planar[pattern]);
}

Contender at_tolerance(const char* formulation, const char* integrator, double tolerance) {
  return {formulation, integrator, 0, false, tolerance};
}

// All methods that control their error.
std::vector<Contender> gate_methods() {
  ComparisonOptions all;
  all.tolerances = {1e-6};
  for (const FormulationEntry& f : formulations()) all.formulations.emplace_back(f.name);
  for (const MethodEntry* m : list_methods())
    if (m->traits({}).adaptive) all.integrators.emplace_back(m->name);
  DynamicOptions given;
  given.until = span;
  std::vector<Contender> out;
  for (const auto& group : contenders(given, all, span / 200))
    for (const Contender& c : group)
      if (!c.fixed) out.push_back(c);
  return out;
}

struct GateCount {
  int right = 0, doubtful = 0, refused = 0, silent = 0, late = 0, models = 0, no_reference = 0;
  std::string found;
  std::map<std::string, double> worst;  // of the bound, by integrator
};

struct GateReference {
  std::unique_ptr<GateRun> run;  // null: there is none
  double agreement = 0, condition = 0;
};

// Of changes of the initial positions and velocities, by the solution that shares no code.
double growth_of_states(const test::RandomMechanism& mechanism) {
  std::vector<double> times;
  for (int k = 0; k <= rows; ++k) times.push_back(span * k / rows);
  const auto plain = mechanism.reference.solve(times, 1e-9);
  double worst = plain ? 0 : INFINITY;
  for (int pattern = 0; pattern < 3 && plain; ++pattern) {
    const auto changed = mechanism.reference.solve(times, 1e-9, moved, pattern);
    if (!changed) return INFINITY;
    for (std::size_t r = 0; r < times.size(); ++r)
      worst = std::max(worst, ((*plain)[r] - (*changed)[r]).cwiseAbs().maxCoeff() / moved);
  }
  return worst;
}

GateReference gate_reference(const test::RandomMechanism& mechanism, bool planar_loop) {
  constexpr double fine = finest / 1000, patience = 10;
  GateReference out;
  auto first = gate_run(mechanism.text, at_tolerance("tangent-qr", "dop853", fine), patience);
  const auto second = gate_run(mechanism.text, at_tolerance("direct", "adams", fine), patience);
  if (first->status != "complete" || second->status != "complete") return out;
  out.agreement = gap(first->memory, second->memory);
  for (int pattern = 0; pattern < 3; ++pattern) {
    const auto changed = gate_run(with_gravity(mechanism.text, pattern),
                                  at_tolerance("tangent-qr", "dop853", 1e-10),
                                  patience);
    if (changed->status != "complete") return out;
    out.condition = std::max(out.condition, gap(first->memory, changed->memory) / moved);
  }
  if (planar_loop) out.condition = std::max(out.condition, growth_of_states(mechanism));
  out.condition = std::max(out.condition, 1.0);
  if (out.condition <= most_condition) out.run = std::move(first);
  return out;
}

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
