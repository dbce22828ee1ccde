// Inverse dynamics of every model whose drivers determine its motion: drivers' powers are the rate of
// energy and what is dissipated, in every row.
#include <algorithm>
#include <filesystem>
#include <set>

#include "cardan/model/analysis_type.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

TEST(Powers, BalanceInEveryRowOfEveryModel) {
  const std::set<std::string> reasons{"model.underdriven", "model.not-available"};
  int balanced = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(test::source_dir) + "/models")) {
    const std::string name = entry.path().filename().string();
    if (!std::filesystem::exists(entry.path() / "model.toml") || name == "infeasible") continue;
    Model model = test::model_file(name);
    model.analyses = analyses_of_type(model.analyses, *find_analysis("inverse"));
    test::Memory memory;
    const Outcome outcome = run_model(model, memory, {});
    if (outcome.summary.status == "failed") {
      // Nothing drives it, or it is no motion that drivers determine.
      const Diagnostics& told = outcome.summary.diagnostics;
      EXPECT_TRUE(std::any_of(
          told.begin(), told.end(), [&](const Diagnostic& d) { return reasons.count(d.id) > 0; }))
          << name << ": " << to_text(told);
      continue;
    }
    EXPECT_EQ(outcome.summary.status, "complete") << name;
    EXPECT_LT(outcome.summary.power_imbalance, 1e-9) << name;
    EXPECT_FALSE(outcome.summary.reaction_peaks.empty()) << name;
    ++balanced;
  }
  EXPECT_GE(balanced, 9);
}

}  // namespace
}  // namespace cardan
