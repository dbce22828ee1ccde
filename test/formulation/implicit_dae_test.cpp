// The direct implicit formulations: index3, ggl, extra-multipliers, overdetermined, haug-yen and
// coordinate-splitting.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Pair {
  const char *formulation, *integrator;
};

constexpr Pair pairs[] = {{"index3", "generalized-alpha"},
                          {"index3", "hht"},
                          {"index3", "newmark"},
                          {"ggl", "bdf"},
                          {"ggl", "radau5"},
                          {"extra-multipliers", "bdf"},
                          {"overdetermined", "bdf"},
                          {"haug-yen", "bdf"},
                          {"coordinate-splitting", "bdf"}};

bool full() {
  return std::getenv("CARDAN_FULL") != nullptr;
}

std::string words(const Pair& pair) {
  return std::string(pair.formulation) + " + " + pair.integrator;
}

Outcome run(Model& model, const Pair& pair, double step, double tolerance, Memory& to) {
  DynamicOptions& o = test::dynamic(model);
  o.formulation = pair.formulation;
  o.integrator = pair.integrator;
  o.step = step;
  o.rtol = o.atol = tolerance;
  return run_model(model, to, {});
}

// The largest difference of a channel relative to its range, and at least a thousandth of the
// largest value with its unit. Only motion and forces: works are not under error control.
struct Worst {
  double error = 0;
  std::string channel;
};

Worst difference(const std::vector<std::vector<double>>& rows, const Memory& exact) {
  std::map<std::string, double> size;
  for (const auto& row : exact.rows)
    for (std::size_t k = 0; k < row.size(); ++k) {
      double& largest = size.try_emplace(exact.channels[k].unit, 1e-3).first->second;
      largest = std::max(largest, std::abs(row[k]));
    }
  Worst worst;
  for (std::size_t k = 0; k < exact.channels.size(); ++k) {
    const Channel& c = exact.channels[k];
    if (c.quantity != "position" && c.quantity != "velocity" && c.quantity != "acceleration" &&
        c.quantity != "reaction")
      continue;
    double low = INFINITY, high = -INFINITY, off = 0;
    for (std::size_t r = 0; r < exact.rows.size(); ++r) {
      low = std::min(low, exact.rows[r][k]);
      high = std::max(high, exact.rows[r][k]);
      off = std::max(off, std::abs(rows[r][k] - exact.rows[r][k]));
    }
    off /= std::max(high - low, 1e-3 * size[c.unit]);
    if (!(off <= worst.error)) worst = {off, c.name};
  }
  return worst;
}

struct Scene {
  const char* model;
  double until;
  bool quick = true;
};

class ImplicitDae : public testing::TestWithParam<Scene> {};

TEST_P(ImplicitDae, EveryPairAgreesWithAnExplicitRun) {
  const Scene& scene = GetParam();
  if (!scene.quick && !full()) GTEST_SKIP() << "only in the full run";
  Model model = test::model_file(scene.model);
  test::dynamic(model).until = scene.until;
  test::dynamic(model).output_step = scene.until / 8;
  Memory exact;
  ASSERT_EQ(run(model, {"projected", "dop853"}, 0, 1e-12, exact).summary.status, "complete");
  for (const Pair& pair : pairs) {
    const std::string_view integrator = pair.integrator;
    const double tolerance = integrator == "radau5" ? 1e-9 : integrator == "bdf" ? 1e-11 : 1e-9;
    Memory found;
    const Outcome out = run(model, pair, 0, tolerance, found);
    const std::string text = std::string(scene.model) + ": " + words(pair);
    ASSERT_EQ(out.summary.status, "complete") << text << "\n" << to_text(out.summary.diagnostics);
    ASSERT_EQ(found.rows.size(), exact.rows.size()) << text;
    const Worst worst = difference(found.rows, exact);
    fmt::print("{:50} {:.2g} {} steps {} newton {} jac {}\n",
               text,
               worst.error,
               worst.channel,
               out.summary.stats.steps,
               out.summary.stats.newton_iterations,
               out.summary.stats.jacobians);
    EXPECT_LT(worst.error, 1e-6) << text << ", " << worst.channel;
  }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ImplicitDae,
                         testing::Values(Scene{"slider-crank", 0.05},
                                         Scene{"four-bar", 0.1},
                                         Scene{"spatial-slider-crank", 0.05},
                                         Scene{"heavy-top", 0.02}),
                         [](const auto& one) {
                           std::string text = one.param.model;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace cardan
