// Every formulation with every integrator on every spatial model of models/, against a converged run of one of them: the lists
// are those of the program, so that what is added later is tested too. CARDAN_FULL runs all pairs; the quick run takes those
// that between them hold every formulation and every integrator, on each model others.
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
    if (f.own_integrator && name == "rattle") {
      for (const int order : {2, 4, 6}) {
        Traits traits;
        traits.order_min = traits.order_max = order;
        pairs.push_back({name, "auto", order, traits});
      }
    } else if (f.own_integrator) {
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

// Over the first part of its time; 0.3 s of anything that is longer.
Model shortened(const std::string& name) {
  Model model = test::model_file(name);
  DynamicOptions& o = test::dynamic(model);
  o.until = std::min(o.until / 20, 0.1);
  o.output_step = o.until / 3;
  return model;
}

struct Errors {
  double motion = 0, forces = 0;  // relative to the largest value with the unit
};

Errors difference(const Memory& run, const Memory& exact) {
  Errors e;
  for (std::size_t k = 0; k < exact.channels.size(); ++k) {
    const Channel& c = exact.channels[k];
    const bool motion = c.quantity == "position" || c.quantity == "velocity";
    if (!motion && c.quantity != "acceleration" && c.quantity != "reaction") continue;
    double size = 1e-3, off = 0;
    for (std::size_t row = 0; row < exact.rows.size(); ++row) {
      off = std::max(off, std::abs(run.rows[row][k] - exact.rows[row][k]));
      for (std::size_t i = 0; i < exact.channels.size(); ++i)
        if (exact.channels[i].unit == c.unit && exact.channels[i].quantity == c.quantity)
          size = std::max(size, std::abs(exact.rows[row][i]));
    }
    double& worst = motion ? e.motion : e.forces;
    if (!(off / size <= worst)) worst = off / size;
  }
  return e;
}

class SpatialMatrix : public testing::TestWithParam<std::string> {};

TEST_P(SpatialMatrix, EveryPairAgreesOrIsRefused) {
  const std::string name = GetParam();
  Model model = shortened(name);
  DynamicOptions& o = test::dynamic(model);
  const DynamicOptions given = o;
  o.formulation = "projected";
  o.integrator = "dop853";
  o.rtol = o.atol = 1e-12;
  Memory exact;
  ASSERT_EQ(run_model(model, exact, {}).summary.status, "complete") << name;
  for (const Pair& pair : all_pairs()) {
    o = given;
    o.formulation = pair.formulation;
    o.integrator = pair.integrator;
    o.order = pair.order;
    o.rtol = o.atol = 1e-8;
    o.step = pair.traits.adaptive ? 0 : o.until / 1000;
    Memory run;
    const auto start = std::clock();
    const Outcome out = run_model(model, run, {});
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    if (out.summary.status != "complete") {
      printf("FAIL %s %s %.2f: %s\n", name.c_str(), pair.words().c_str(), seconds, to_text(out.summary.diagnostics.back()).c_str());
      continue;
    }
    const Errors e = difference(run, exact);
    printf("DONE %s %s p=%d%s motion %.2e forces %.2e  time %.2f\n", name.c_str(), pair.words().c_str(), pair.traits.order_max, pair.traits.adaptive ? "a":"f", e.motion, e.forces, seconds);
    fflush(stdout);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SpatialMatrix, testing::ValuesIn(spatial_models()), [](const auto& one) {
  std::string text = one.param;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

}  // namespace
}  // namespace cardan
