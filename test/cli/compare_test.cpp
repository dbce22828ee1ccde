// cardan compare and cardan run --error-estimate as a user meets them.
#include <nlohmann/json.hpp>

#include "cardan/results/run_reader.h"
#include "program.h"
#include "test/cli/stored_rows.h"
#include "test/places.h"

namespace cardan::test {

namespace {

const std::string double_pendulum =
    std::string(source_dir) + "/test/cli/models/double_pendulum.toml";

std::vector<std::string> quick(const std::string& model) {
  return {"compare",
          model,
          "--until",
          "0.1 s",
          "--formulations",
          "projected,direct",
          "--integrators",
          "ode45",
          "--tolerances",
          "1e-4,1e-7",
          "--budget",
          "20"};
}

TEST(Compare, WritesTablesAndPlots) {
  const Place place;
  const Said said = cardan(place, quick(double_pendulum));
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "For an accuracy of 1e-06 use")) << said.out;
  EXPECT_TRUE(contains(said.err, "projected + ode45")) << said.err;
  for (const char* name :
       {"work-precision.svg", "drift.svg", "comparison.csv", "comparison.json", "comparison.md"})
    EXPECT_FALSE(content_of(place / ("compare/double_pendulum/" + std::string(name))).empty())
        << name;
}

// The example of docs/user-guide/compare.md, by its figures.
TEST(Compare, TheExampleOfItsPageIsTrue) {
  const Place place;
  const Said said = cardan(place,
                           {"compare",
                            std::string(source_dir) + "/models/doc002-crank-slider",
                            "--formulations",
                            "baumgarte",
                            "--integrators",
                            "ampc:3,mampc:3",
                            "--steps",
                            "0.01,0.001",
                            "-o",
                            "out"});
  ASSERT_EQ(said.code, 0) << said.err;
  const auto runs = nlohmann::json::parse(content_of(place / "out/comparison.json"));
  const auto of = [&](const char* method, double step, const char* what) {
    for (const auto& trial : runs.at("trials"))
      if (trial.at("integrator") == method && trial.value("step", 0.0) == step)
        return trial.at(what)
            .at(what == std::string("drift") ? "position" : "relative")
            .get<double>();
    ADD_FAILURE() << method << " " << step;
    return 0.0;
  };
  EXPECT_NEAR(of("ampc", 0.01, "drift") / of("mampc", 0.01, "drift"), 2.8, 0.1);
  EXPECT_NEAR(of("ampc", 0.001, "drift") / of("mampc", 0.001, "drift"), 27, 1);
  EXPECT_NEAR(of("ampc", 0.001, "error") / of("mampc", 0.001, "error"), 14, 0.5);
  EXPECT_NEAR(of("mampc", 0.01, "error") / of("ampc", 0.01, "error"), 7, 0.5);
}

TEST(Compare, PutsItsAdviceIntoTheModel) {
  const Place place;
  const std::string text = content_of(double_pendulum);
  write_text(place / "m.toml", text);
  auto words = quick("m.toml");
  words.insert(words.end(), {"--write", "--json"});
  const Said said = cardan(place, words);
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string now = content_of(place / "m.toml");
  EXPECT_NE(now, text);
  EXPECT_TRUE(contains(now, "\"ode45\"")) << now;
  EXPECT_EQ(now.substr(0, text.find("[[analysis]]")), text.substr(0, text.find("[[analysis]]")));
  EXPECT_EQ(cardan(place, {"check", "m.toml"}).code, 0);
  EXPECT_TRUE(contains(said.out, "\"type\":\"comparison\""));
  EXPECT_TRUE(contains(said.out, "\"type\":\"written\""));
}

TEST(Compare, NamesThatAreWrongAreTold) {
  const Place place;
  const Said said = cardan(place, {"compare", double_pendulum, "--integrators", "ode54"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(contains(said.err, "ode45")) << said.err;
}

TEST(ErrorEstimate, IsStoredAndShown) {
  const Place place;
  const Said run = cardan(place,
                          {"run",
                           double_pendulum,
                           "--until",
                           "0.2 s",
                           "--rtol",
                           "1e-4",
                           "--atol",
                           "1e-5",
                           "--error-estimate",
                           "--no-report",
                           "-o",
                           "out"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "estimated errors")) << run.out;
  const auto summary = nlohmann::json::parse(content_of(place / "out/summary.json"));
  const double largest = summary["error_estimate"]["channels"]["lower.x"]["max"];
  EXPECT_GT(largest, 1e-12);
  EXPECT_LT(largest, 1e-2);
  const Said trusted = cardan(place, {"table", "out", "lower.x", "--digits", "15", "--rows", "2"});
  const Said all =
      cardan(place, {"table", "out", "lower.x", "--digits", "15", "--rows", "2", "--all-digits"});
  EXPECT_LT(trusted.out.size(), all.out.size()) << trusted.out << all.out;
  const Said csv = cardan(place, {"export", "out", "-c", "lower.x", "--errors"});
  EXPECT_TRUE(contains(csv.out, "lower.x error [m]")) << csv.out;
  EXPECT_EQ(cardan(place, {"plot", "out", "lower.x", "--error", "-o", "e.svg"}).code, 0);
}

// Not of the point at which a body is pinned to the ground.
TEST(ErrorEstimate, SpeaksOfWhatMoves) {
  const Place place;
  write_text(
      place / "bar.toml",
      "gravity = [0, -9.81]\n[[body]]\nname = \"bar\"\nfrom = [0, 0]\nto = [1, 0]\nmass = 1\n"
      "[[joint]]\ntype = \"revolute\"\nname = \"pin\"\nbetween = [\"ground\", \"bar\"]\nat = [0, "
      "0]\n"
      "[[analysis]]\ntype = \"dynamic\"\nuntil = 0.5\n");
  const Said run =
      cardan(place, {"run", "bar.toml", "--error-estimate", "--no-report", "-o", "out"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, " rad (bar.angle at")) << run.out;
  EXPECT_FALSE(contains(run.out, " m (bar.")) << run.out;
  EXPECT_FALSE(contains(run.out, " m/s (bar.")) << run.out;
}

TEST(ErrorEstimate, ComesAfterARunThatWasInterrupted) {
  const Place place;
  const std::vector<std::string> words{"run",
                                       double_pendulum,
                                       "--until",
                                       "100 s",
                                       "--integrator",
                                       "ode45",
                                       "--rtol",
                                       "1e-11",
                                       "--no-report",
                                       "--error-estimate",
                                       "-o",
                                       "out"};
  const pid_t child = start(place, words);
  wait_for_rows(place / "out");
  kill(child, SIGINT);
  const Said stopped = finish(place, child);
  ASSERT_EQ(stopped.code, 130) << stopped.out << stopped.err;
  const Said resumed = cardan(place, {"resume", "out", "--no-report"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  auto whole = words;
  whole.back() = "whole";
  ASSERT_EQ(cardan(place, whole).code, 0);
  const auto columns = [&](const char* name) {
    const auto reader = RunReader::open(place / name);
    const int last = static_cast<int>(reader.value().segments().size()) - 1;
    return reader.value().estimates(last, std::vector<int>{0, 1}).value();
  };
  EXPECT_EQ(columns("out"), columns("whole"));
  EXPECT_FALSE(columns("out").front().empty());
}

}  // namespace

}  // namespace cardan::test
