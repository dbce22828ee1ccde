// Branches, ranges of motion and iterations as a user sees them.
#include <nlohmann/json.hpp>

#include "program.h"

namespace cardan::test {
namespace {

const std::string four_bar = std::string(source_dir) + "/models/four-bar/model.toml";

nlohmann::json summary_of(const Place& place) {
  return nlohmann::json::parse(content_of(place / "out/summary.json"));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BranchCommands, AssembleListsTheBranches) {
  const Place place;
  const Said said = cardan(place, {"assemble", four_bar, "--branches", "-o", "out", "--no-report"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "2 branches")) << said.out;
  const auto summary = summary_of(place);
  ASSERT_EQ(summary["branches"].size(), 2U);
  EXPECT_EQ(summary["branches"][0]["number"], 1);
  EXPECT_EQ(summary["branches"][0]["chosen"], true);
  EXPECT_EQ(summary["branches"][1]["coordinates"]["coupler"].size(), 3U);
  const std::string picture = content_of(place / "out/branches.svg");
  EXPECT_TRUE(has(picture, "<svg")) << picture.size();
  EXPECT_TRUE(has(picture, "branch 2"));
}

TEST(BranchCommands, KinematicSweepsTheRange) {
  const Place place;
  const Said said = cardan(place, {"kinematic", four_bar, "--range", "-o", "out", "--no-report"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "crank, turns fully")) << said.out;
  EXPECT_TRUE(has(said.out, "transmission angle")) << said.out;
  const auto range = summary_of(place)["range"];
  ASSERT_EQ(range.size(), 1U);
  EXPECT_EQ(range[0]["kind"], "crank");
  // the lengths of the linkage and the cosine rule
  EXPECT_NEAR(range[0]["outputs"][0]["least"]["value"].get<double>(), 1.8080149, 1e-6);
}

TEST(BranchCommands, TraceShowsIterations) {
  const Place place;
  const Said silent = cardan(place, {"kinematic", four_bar, "-o", "out", "--no-report"});
  const Said said =
      cardan(place, {"kinematic", four_bar, "--trace", "-o", "out", "--force", "--no-report"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_FALSE(has(silent.out, "Newton"));
  EXPECT_TRUE(has(said.out, "Newton  1: largest gap")) << said.out.substr(0, 500);
}

}  // namespace
}  // namespace cardan::test
