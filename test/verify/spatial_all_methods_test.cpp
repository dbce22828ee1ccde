// Every formulation with every integrator on every spatial model of models/, against a converged
// run of one of them: the lists are those of the program, so that what is added later is tested
// too. CARDAN_FULL runs all pairs; the quick run takes those that between them hold every
// formulation and every integrator, on each model others.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Pair {
  std::string formulation, integrator;
  int order = 0;
  Traits traits;

  std::string words() const {
    return formulation + " + " + integrator + (order > 0 ? fmt::format(":{}", order) : "");
  }
};

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (const FormulationEntry& f : formulations()) {
    const std::string name(f.name);
    if (f.built_in_integrator && name == "rattle") {
      for (const int order : {2, 4, 6}) {
        Traits traits;
        traits.order_min = traits.order_max = order;
        pairs.push_back({name, "auto", order, traits});
      }
    } else if (f.built_in_integrator) {
      Traits traits;
      traits.adaptive = true;
      pairs.push_back({name, "auto", 0, traits});
    } else {
      for (const MethodEntry* m : list_methods())
        pairs.push_back({name, std::string(m->name), 0, m->traits({})});
    }
  }
  return pairs;
}

std::vector<std::string> spatial_models() {
  std::vector<std::string> names;
  for (const auto& folder :
       std::filesystem::directory_iterator(std::string(test::source_dir) + "/models")) {
    if (!std::filesystem::exists(folder.path() / "model.toml")) continue;
    auto read = read_model((folder.path() / "model.toml").string());
    if (!read || read.value().space != Space::spatial) continue;
    const auto& list = read.value().analyses;
    if (std::any_of(list.begin(), list.end(), [](const Analysis& a) {
          return std::holds_alternative<DynamicOptions>(a);
        }))
      names.push_back(folder.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool full() {
  return std::getenv("CARDAN_FULL") != nullptr;
}

constexpr double step = 1e-4;  // of methods with a given one

// The first twentieth of its time, at most 0.1 s; less of large models, whose implicit steps cost
// much.
Model shortened(const std::string& name) {
  Model model = test::model_file(name);
  DynamicOptions& o = test::dynamic(model);
  const double most = model.bodies.size() > 15 ? 0.002 : full() ? 0.1 : 0.03;
  o.until = std::min(o.until / 20, most);
  o.output_step = o.until / 2;
  return model;
}

struct Errors {
  double motion = 0, forces = 0;  // relative to the largest value with the unit
};

bool counts(const Channel& c, bool motion) {
  return motion ? c.quantity == "position" || c.quantity == "velocity"
                : c.quantity == "acceleration" || c.quantity == "reaction";
}

Errors difference(const Memory& run, const Memory& exact) {
  Errors e;
  std::map<std::string, double> size;
  for (const auto& row : exact.rows)
    for (std::size_t k = 0; k < exact.channels.size(); ++k) {
      double& largest = size.try_emplace(exact.channels[k].unit, 1e-3).first->second;
      largest = std::max(largest, std::abs(row[k]));
    }
  // A frame may lie where its body rests: other points of the body move.
  size["m/s"] = std::max(size["m/s"], size["m"] * size["rad/s"]);
  size["m/s^2"] = std::max(size["m/s^2"], size["m"] * size["rad/s^2"]);
  for (std::size_t row = 0; row < exact.rows.size(); ++row)
    for (std::size_t k = 0; k < exact.channels.size(); ++k)
      for (const bool motion : {true, false}) {
        if (!counts(exact.channels[k], motion)) continue;
        const double off =
            std::abs(run.rows[row][k] - exact.rows[row][k]) / size[exact.channels[k].unit];
        double& worst = motion ? e.motion : e.forces;
        if (!(off <= worst)) worst = off;
      }
  return e;
}

// What is refused, with the words that say why.
std::string reason_to_refuse(const std::string& model, const Pair& pair) {
  const FormulationEntry& f = *find_formulation(pair.formulation);
  if (!f.built_in_integrator && pair.traits.second_order && !f.second_order)
    return "an integrator of first-order equations";  // positions and velocities apart
  const System system = test::system_of(test::model_file(model));
  for (int row = 0; row < system.joint_rows(); ++row)
    if (system.equations().at_velocity_level(row) && !f.rolls) return "rolls";
  if (system.friction().any_sticks() && !f.rolls && !f.integrators.empty()) return "sticks";
  if (model == "heavy-top" && pair.formulation == "direct" && pair.traits.order_max == 1 &&
      !pair.traits.second_order)
    return "max_drift";  // 150 rad/s: the constraint error of order one grows to its limit
  const bool rattle = pair.formulation == "rattle";
  if ((rattle || pair.formulation == "coordinate-splitting") && system.friction().count() > 0)
    return "friction, which depends on the reactions";
  const std::vector<std::string> damped{"flyball-governor", "vehicle"};
  if (rattle && std::find(damped.begin(), damped.end(), model) != damped.end())
    return "forces that depend on velocities";
  return {};
}

// Error allowed at a tolerance of 1e-8, or with the step.
Errors allowed(const Pair& pair) {
  const int order = pair.traits.order_max;
  double motion = pair.traits.adaptive ? 1e-5 : order == 1 ? 0.05 : order == 2 ? 1e-3 : 1e-4;
  // Feedback with gains in proportion to 1/h acts on the stages of a step too, which lie off the
  // constraints: one-step methods keep order one only. Without feedback errors add up. Reactions
  // are no measure of either.
  if (pair.formulation != "baumgarte" && pair.formulation != "direct")
    return {motion, 1000 * motion};
  return {std::max(motion, pair.traits.adaptive ? 1e-4 : 1e-2), INFINITY};
}

// An explicit method that cannot take this step in a stiff model.
bool beyond_stability(const std::string& model, const Pair& pair) {
  return model == "flyball-governor" && pair.integrator == "ab";
}

// Derivatives of all local coordinates by differences in each of thousands of small steps: minutes.
bool too_long(const std::string& model, const Pair& pair) {
  return !full() && model == "vehicle" && pair.integrator == "ode23s";
}

// The quick run: every fifth integrator of a model, others for each, every time with another
// formulation.
std::vector<Pair> chosen(std::size_t model) {
  std::vector<Pair> all = all_pairs(), some;
  if (full()) return all;
  std::map<std::string, std::vector<Pair>> by_integrator;
  for (const Pair& pair : all)
    by_integrator[pair.integrator + std::to_string(pair.order)].push_back(pair);
  std::size_t k = model;
  for (const auto& [name, list] : by_integrator)
    if (++k % 5 == 0) some.push_back(list[(k / 5 + model) % list.size()]);
  return some;
}

class SpatialMatrix : public testing::TestWithParam<std::size_t> {};

TEST_P(SpatialMatrix, EveryPairAgreesOrIsRefused) {
  const std::string name = spatial_models()[GetParam()];
  Model model = shortened(name);
  DynamicOptions& o = test::dynamic(model);
  const DynamicOptions given = o;
  o.formulation = "projected";
  o.integrator = "dop853";
  o.rtol = o.atol = 1e-12;
  Memory exact;
  ASSERT_EQ(run_model(model, exact, {}).summary.status, "complete") << name;
  for (const Pair& pair : chosen(GetParam())) {
    o = given;
    o.formulation = pair.formulation;
    o.integrator = pair.integrator;
    o.order = pair.order;
    o.rtol = o.atol = 1e-8;
    o.step = pair.traits.adaptive ? 0 : step;
    if (beyond_stability(name, pair) || too_long(name, pair)) continue;
    Memory run;
    const Outcome out = run_model(model, run, {});
    const std::string words = name + ": " + pair.words(), why = reason_to_refuse(name, pair);
    const Diagnostic last =
        out.summary.diagnostics.empty() ? Diagnostic() : out.summary.diagnostics.back();
    if (!why.empty()) {
      EXPECT_EQ(out.summary.status, "failed") << words;
      EXPECT_NE(to_text(last).find(why), std::string::npos) << words << ": " << to_text(last);
      continue;
    }
    EXPECT_EQ(out.summary.status, "complete") << words << ": " << to_text(last);
    if (run.rows.size() != exact.rows.size()) continue;
    const Errors e = difference(run, exact), most = allowed(pair);
    EXPECT_LT(e.motion, most.motion) << words;
    EXPECT_LT(e.forces, most.forces) << words;
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         SpatialMatrix,
                         testing::Range<std::size_t>(0, spatial_models().size()),
                         [](const auto& one) {
                           std::string text = spatial_models()[one.param];
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace cardan
