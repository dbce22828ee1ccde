// Eigenvalues over a parameter: against figures computed elsewhere to many digits, against runs with
// single values, and where lines cross.
#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/io/parametric_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

std::string locus_case(const std::string& name) {
  return std::string(test::source_dir) + "/test/reference/analyses/" + name;
}

nlohmann::json locus_reference(const std::string& name) {
  std::ifstream file(locus_case(name) + "/reference.json");
  EXPECT_TRUE(file.good()) << name;
  return nlohmann::json::parse(file);
}

using Values = std::vector<std::pair<std::string, std::string>>;

Outcome linearise(const Result<ParametricModel>& read,
                  const std::string& locus,
                  bool equilibrium = false) {
  EXPECT_TRUE(read) << (read ? "" : to_text(read.why()));
  if (!read) return {};
  Model model = read.value().model();
  model.analyses.clear();
  if (equilibrium) model.analyses.emplace_back(EquilibriumOptions{});
  LineariseOptions options;
  options.locus = locus;
  model.analyses.emplace_back(options);
  test::Memory memory;
  return run_model(model, memory, {}, {}, &read.value());
}

Outcome linearise_case(const std::string& name,
                       const std::string& locus,
                       const Values& values = {},
                       bool equilibrium = false) {
  ReadOptions set;
  set.set = values;
  return linearise(
      ParametricModel::read(locus_case(name) + "/model.toml", set), locus, equilibrium);
}

RootLocus locus_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.summary.status, "complete") << to_text(outcome.summary.diagnostics);
  EXPECT_TRUE(outcome.summary.linear && outcome.summary.linear->locus);
  if (!outcome.summary.linear || !outcome.summary.linear->locus) return {};
  return *outcome.summary.linear->locus;
}

TEST(RootLocus, FindsTheFlutterLoadsOfZieglersColumn) {
  const auto reference = locus_reference("ziegler-column");
  const RootLocus damped = locus_of(linearise_case("ziegler-column", "P = 100:50:600"));
  ASSERT_EQ(damped.points.size(), 11U);
  ASSERT_EQ(damped.changes.size(), 1U);
  EXPECT_EQ(damped.changes[0].from, "stable");
  EXPECT_EQ(damped.changes[0].to, "unstable");
  const double with = reference.at("flutter_load_with_damping");
  EXPECT_NEAR(damped.changes[0].value, with, 1e-7 * with);
  const RootLocus free =
      locus_of(linearise_case("ziegler-column", "P = 100:50:600", {{"c1", "0"}, {"c2", "0"}}));
  ASSERT_EQ(free.changes.size(), 1U);
  const double without = reference.at("flutter_load_without_damping");
  EXPECT_NEAR(free.changes[0].value, without, 1e-9 * without);
}

TEST(RootLocus, FindsTheSpeedsAtWhichABicycleIsStable) {
  const RootLocus found = locus_of(linearise_case("bicycle", "speed = 3:0.5:8"));
  ASSERT_EQ(found.points.size(), 11U);
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_EQ(found.changes[0].from, "unstable");
  EXPECT_NEAR(found.changes[0].value, 4.29238253634, 1e-7);
  EXPECT_EQ(found.changes[1].to, "unstable");
  EXPECT_NEAR(found.changes[1].value, 6.02426201539, 1e-7);
}

// Every point is what a run with that value gives, the equilibrium before it too.
TEST(RootLocus, HasTheEigenvaluesOfSingleRuns) {
  const RootLocus found =
      locus_of(linearise_case("double-pendulum-linear", "m2 = 0.5:0.25:1.5", {}, true));
  ASSERT_EQ(found.points.size(), 5U);
  for (const LocusPoint& point : found.points) {
    EXPECT_EQ(point.about, "equilibrium");
    const Outcome single = linearise_case(
        "double-pendulum-linear", "", {{"m2", fmt::format("{:.17g}", point.value)}}, true);
    ASSERT_TRUE(single.summary.linear);
    ASSERT_EQ(single.summary.linear->eigenvalues.size(), point.eigenvalues.size());
    for (const ComplexNumber& x : single.summary.linear->eigenvalues) {
      double nearest = 1e300;
      for (const ComplexNumber& y : point.eigenvalues)
        nearest = std::min(nearest, std::hypot(x[0] - y[0], x[1] - y[1]));
      EXPECT_LT(nearest, 1e-8);
    }
  }
}

// Two masses on springs that know nothing of each other: their frequencies cross at k = 100.
constexpr const char* two_masses = R"(
[parameters]
k = 40

[[body]]
name = "one"
at = [0, 0]
mass = 1
inertia = 1

[[body]]
name = "two"
at = [0, 1]
mass = 1
inertia = 1

[[joint]]
type = "translational"
between = ["ground", "one"]
at = [0, 0]
axis = [1, 0]

[[joint]]
type = "translational"
between = ["ground", "two"]
at = [0, 1]
axis = [1, 0]

[[force]]
type = "spring"
name = "first"
between = ["ground", "one"]
at = [[-1, 0], [0, 0]]
stiffness = 100
free_length = 1

[[force]]
type = "spring"
name = "second"
between = ["ground", "two"]
at = [[-1, 1], [0, 1]]
stiffness = "k"
free_length = 1
)";

TEST(RootLocus, GoesStraightOnWhereLinesCross) {
  const RootLocus found =
      locus_of(linearise(ParametricModel::read_text(two_masses, "two.toml"), "k = 40:7:180"));
  ASSERT_EQ(found.points.size(), 21U);
  const std::size_t n = found.points.front().eigenvalues.size();
  ASSERT_EQ(n, 4U);
  int fixed = 0, growing = 0;
  for (std::size_t e = 0; e < n; ++e) {
    bool stays = true, follows = true;
    for (const LocusPoint& point : found.points) {
      const double w = std::abs(point.eigenvalues[e][1]);
      stays = stays && std::abs(w - 10) < 1e-9;
      follows = follows && std::abs(w - std::sqrt(point.value)) < 1e-9;
    }
    fixed += stays ? 1 : 0;
    growing += follows ? 1 : 0;
  }
  EXPECT_EQ(fixed, 2);
  EXPECT_EQ(growing, 2);
}

TEST(RootLocus, TellsWhatIsWrongWithARange) {
  const auto why = [](const std::string& locus) {
    const Outcome outcome = linearise(ParametricModel::read_text(two_masses, "two.toml"), locus);
    EXPECT_EQ(outcome.summary.status, "failed") << locus;
    EXPECT_FALSE(outcome.summary.linear) << "refused before anything is computed";
    return outcome.summary.diagnostics.empty() ? "" : outcome.summary.diagnostics.back().id;
  };
  EXPECT_EQ(why("stiff = 1:1:3"), "usage.unknown-parameter");
  EXPECT_EQ(why("k"), "model.bad-value");
  EXPECT_EQ(why("k = 1:3"), "model.bad-value");
  EXPECT_EQ(why("k = 1:0:3"), "model.bad-value");
  EXPECT_EQ(why("k = 1:-1:3"), "model.bad-value");
  EXPECT_EQ(why("k = 1:one:3"), "model.bad-value");
  EXPECT_EQ(why("k = 1:1e-9:3"), "model.bad-value");
}

}  // namespace
}  // namespace cardan
