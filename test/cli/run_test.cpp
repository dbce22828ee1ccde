// Runs of small models through the program: files, exit codes, interruption, and nothing ever
// replaced unasked.
#include <nlohmann/json.hpp>

#include "cardan/results/run_reader.h"
#include "program.h"
#include "test/cli/stored_rows.h"
#include "test/places.h"

namespace cardan::test {

namespace {

const std::string double_pendulum =
    std::string(test::source_dir) + "/test/cli/models/double_pendulum.toml";

nlohmann::json summary_in(const std::filesystem::path& folder) {
  return nlohmann::json::parse(content_of(folder / "summary.json"));
}

TEST(Run, TheStarterModelRuns) {
  const Place place;
  ASSERT_EQ(cardan(place, {"new", "press"}).code, 0);
  const Said check = cardan(place, {"check", "press"});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_FALSE(check.out.empty());
  const Said run = cardan(place, {"run", "press", "--until", "50 ms"});
  EXPECT_EQ(run.code, 0) << run.err;
  const auto summary = summary_in(place / "runs/press/1");
  EXPECT_EQ(summary["status"], "complete");
  EXPECT_NEAR(summary["t_end"].get<double>(), 0.05, 1e-12);
  EXPECT_EQ(summary["dof"], 1);
  EXPECT_EQ(summary["final"]["crank"]["q"].size(), 3u);
  EXPECT_EQ(cardan(place, {"run", "press", "--until", "10 ms"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(place / "runs/press/2/run.db"));
}

TEST(Run, KeepsARunUnlessForced) {
  const Place place;
  const std::vector<std::string> words{"run", double_pendulum, "--until", "0.1 s", "-o", "out"};
  ASSERT_EQ(cardan(place, words).code, 0);
  const std::string before = content_of(place / "out/summary.json");
  const Said again = cardan(place, words);
  EXPECT_EQ(again.code, 7);
  EXPECT_TRUE(contains(again.err, "io.exists"));
  EXPECT_EQ(content_of(place / "out/summary.json"), before);

  // A model with a fault must not cost the old run, force or not.
  write_text(place / "bad.toml", "title = 3\n");
  EXPECT_EQ(cardan(place, {"run", "bad.toml", "-o", "out", "--force"}).code, 4);
  EXPECT_EQ(content_of(place / "out/summary.json"), before);

  auto forced = words;
  forced.insert(forced.end(), {"--force", "--csv"});
  EXPECT_EQ(cardan(place, forced).code, 0);
  EXPECT_TRUE(content_of(place / "out/samples.csv").starts_with("analysis,t [s],"));
}

// Forty turns a second, of which a grid of 200 rows would see none.
TEST(Run, PeaksOfAFastPressAreItsOwn) {
  const Place place;
  const Said run = cardan(place,
                          {"run",
                           std::string(test::source_dir) + "/models/press",
                           "--set",
                           "speed=2400 rpm",
                           "--until",
                           "5",
                           "-o",
                           "out"});
  ASSERT_EQ(run.code, 0) << run.err;

  const struct {
    const char* channel;
    double least, largest;
  } known[] = {{"ram.x", 0.18, 0.3},
               {"motor.torque", -3960, 3960},
               {"main bearing.first.fy", -25000, 25000}};

  const auto summary = summary_in(place / "out");
  for (const auto& [channel, least, largest] : known) {
    const auto& of = summary["channels"][channel];
    EXPECT_NEAR(of["least"].get<double>(), least, 0.01 * std::abs(least)) << channel;
    EXPECT_NEAR(of["largest"].get<double>(), largest, 0.01 * largest) << channel;
    const Said table = cardan(place, {"table", "out", channel, "--format", "csv"});
    const std::string line = table.out.substr(table.out.find('\n') + 1);
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    ASSERT_GT(cells.size(), 6U) << table.out;
    EXPECT_NEAR(std::stod(cells[4]), least, 0.01 * std::abs(least)) << table.out;
    EXPECT_NEAR(std::stod(cells[6]), largest, 0.01 * largest) << table.out;
  }
}

TEST(Run, DoubtfulResultsAreLoud) {
  const Place place;
  const std::vector<std::string> words{"run",
                                       double_pendulum,
                                       "--integrator",
                                       "euler",
                                       "--step",
                                       "10 ms",
                                       "--until",
                                       "2 s",
                                       "-o",
                                       "out"};
  const Said run = cardan(place, words);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "numeric.doubtful")) << run.err;
  EXPECT_TRUE(contains(run.out, "doubtful")) << run.out;
  EXPECT_EQ(summary_in(place / "out")["status"], "doubtful");
  EXPECT_TRUE(contains(content_of(place / "out/report.html"), "doubtful"));
  EXPECT_EQ(cardan(place, {"resume", "out"}).code, 0);  // there is nothing to do
  auto strict = words;
  strict.insert(strict.end(), {"--force", "--strict"});
  EXPECT_EQ(cardan(place, strict).code, 6);
  const Said fine = cardan(place, {"run", double_pendulum, "-o", "fine", "--strict"});
  EXPECT_EQ(fine.code, 0) << fine.err;
}

TEST(Run, AStoreWithoutItsFolderHasItsSummary) {
  const Place place;
  ASSERT_EQ(cardan(place, {"run", double_pendulum, "--until", "0.1 s", "-o", "out"}).code, 0);
  std::filesystem::create_directory(place / "alone");
  std::filesystem::copy_file(place / "out/run.db", place / "alone/run.db");
  const auto run = RunReader::open(place / "alone/run.db");
  ASSERT_TRUE(run);
  const auto stored = run.value().summary();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored.value().dump(),
            nlohmann::ordered_json::parse(content_of(place / "out/summary.json")).dump());
}

TEST(Run, TheRelativeToleranceAloneScalesTheAbsoluteOne) {
  const Place place;
  ASSERT_EQ(
      cardan(place, {"run", double_pendulum, "--until", "0.1 s", "--rtol", "1e-7", "-o", "out"})
          .code,
      0);
  const auto run = RunReader::open(place / "out");
  ASSERT_TRUE(run);
  const auto settings = run.value().manifest().value()["settings"]["analyses"][1];
  EXPECT_NEAR(settings["rtol"].get<double>(), 1e-7, 1e-19);
  EXPECT_NEAR(settings["atol"].get<double>(), 1e-9, 1e-21);  // the file has 1e-9 and 1e-11
}

TEST(Run, ExportsWhatWasStored) {
  const Place place;
  EXPECT_EQ(cardan(place, {"run", double_pendulum, "--set", "unused=1"}).code, 2);
  ASSERT_EQ(cardan(place, {"run", double_pendulum, "--until", "0.1 s", "-o", "out"}).code, 0);
  const Said csv = cardan(place, {"export", "out", "--csv", "-c", "upper.*"});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_TRUE(contains(csv.out, "upper.x [m]"));
  EXPECT_FALSE(contains(csv.out, "lower."));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'),
            1 + 1 + 11);  // header, assembly, 0 to 0.1 s in 10 ms

  const Said json = cardan(place, {"export", "out/run.db", "--json"});
  EXPECT_EQ(json.code, 0);
  const auto all = nlohmann::json::parse(json.out);
  EXPECT_EQ(all["analyses"][1]["t"].size(), 11u);
  EXPECT_EQ(all["manifest"]["settings"]["analyses"][1]["rtol"], 1e-9);
  EXPECT_EQ(cardan(place, {"export", "out", "-c", "uper.x"}).code, 2);
  EXPECT_EQ(cardan(place, {"export", "out", "-o", "out.csv"}).code, 0);
  EXPECT_EQ(cardan(place, {"export", "out", "-o", "out.csv"}).code, 7);
}

TEST(Run, AFaultyModelLeavesNothingBehind) {
  const Place place;
  write_text(place / "bad.toml", "titel = \"x\"\n");
  const Said said = cardan(place, {"run", "bad.toml"});
  EXPECT_EQ(said.code, 4);
  EXPECT_TRUE(contains(said.err, "bad.toml:1:1")) << said.err;
  EXPECT_FALSE(std::filesystem::exists(place / "runs"));
}

// What a model includes is part of it: a run is not continued with another mechanism.
TEST(Run, ResumeRefusesAChangedInclude) {
  const Place place;
  const std::string part =
      "[[body]]\nname = \"bar\"\nfrom = [0, 0]\nto = [1, 0]\nmass = 1\n"
      "[[joint]]\ntype = \"revolute\"\nname = \"pin\"\nbetween = [\"ground\", \"bar\"]\nat = [0, "
      "0]\n";
  write_text(place / "part.toml", part);
  write_text(place / "model.toml",
             "include = [\"part.toml\"]\ngravity = [0, -9.81]\n"
             "[[analysis]]\ntype = \"dynamic\"\nuntil = 100000\noutput_step = 0.1\n");
  const pid_t child = start(place, {"run", "model.toml", "-o", "out"});
  wait_for_rows(place / "out");
  kill(child, SIGKILL);
  finish(place, child);
  write_text(place / "part.toml", part + "# changed\n");
  const Said changed = cardan(place, {"resume", "out"});
  EXPECT_EQ(changed.code, 7);
  EXPECT_TRUE(contains(changed.err, "io.model-changed")) << changed.err;

  write_text(place / "part.toml", part);
  const std::int64_t before = rows_in(place / "out");
  const pid_t again = start(place, {"resume", "out"});
  wait_for_rows(place / "out", before + 1);
  kill(again, SIGINT);
  const Said stopped = finish(place, again);
  EXPECT_EQ(stopped.code, 130) << stopped.err;
}

// The channel of the impulses steps up at each impact by what the momentum of the link changes there.
TEST(Run, ImpulsesOfImpactsAreChannels) {
  const Place place;
  const std::string model = std::string(source_dir) + "/models/bouncing-link";
  ASSERT_EQ(cardan(place, {"run", model, "-q", "--no-report", "--rows", "both", "-o", "hit"}).code,
            0);
  const auto all = nlohmann::json::parse(cardan(place, {"export", "hit", "--json"}).out);
  const auto& run = all["analyses"][0];
  const auto column = [&](const std::string& name) {
    for (std::size_t k = 0; k < run["channels"].size(); ++k)
      if (run["channels"][k]["name"] == name) return run["values"][k].get<std::vector<double>>();
    ADD_FAILURE() << name;
    return std::vector<double>();
  };
  const auto t = run["t"].get<std::vector<double>>();
  const auto vy = column("link.vy"), left = column("left end.impulse"),
             right = column("right end.impulse");
  constexpr double mass = 0.6;
  int impacts = 0;
  for (std::size_t i = 1; i < t.size(); ++i) {
    const double steps = left[i] + right[i] - left[i - 1] - right[i - 1];
    EXPECT_GE(left[i], left[i - 1]);
    EXPECT_GE(right[i], right[i - 1]);
    if (t[i] != t[i - 1]) {
      EXPECT_NEAR(steps, 0, 1e-12) << t[i];
      continue;
    }
    EXPECT_NEAR(mass * (vy[i] - vy[i - 1]), steps, 1e-9) << t[i];
    impacts += steps > 0 ? 1 : 0;
  }
  EXPECT_GE(impacts, 5);
  double told = 0;
  for (const auto& event : all["events"])
    if (const std::string text = event["text"]; event["kind"] == "impact")
      told += std::stod(text.substr(text.find("impulse ") + 8));
  EXPECT_NEAR(left.back() + right.back(), told, 1e-5 * told);
}

TEST(Runs, AreListedWithWhatWasChanged) {
  const Place place;
  const std::string pendulum = std::string(source_dir) + "/models/pendulum/model.toml";
  EXPECT_TRUE(contains(cardan(place, {"runs"}).out, "no runs"));
  EXPECT_EQ(cardan(place, {"runs", "nowhere"}).code, 7);
  ASSERT_EQ(cardan(place, {"run", pendulum, "--until", "1", "-o", "all/one", "--no-report"}).code,
            0);
  const Said listed = cardan(place, {"runs", "all"});
  EXPECT_EQ(listed.code, 0);
  EXPECT_TRUE(contains(listed.out, "all/one")) << listed.out;
  EXPECT_TRUE(contains(listed.out, "until = 1")) << listed.out;
}

TEST(Run, CtrlCKeepsEverything) {
  const Place place;
  const pid_t child = start(place, {"run", double_pendulum, "--until", "10000 s", "-o", "out"});
  wait_for_rows(place / "out", 11);
  kill(child, SIGINT);
  const Said said = finish(place, child);
  EXPECT_EQ(said.code, 130) << said.err;
  EXPECT_TRUE(contains(said.out, "cardan resume out")) << said.out;
  EXPECT_EQ(summary_in(place / "out")["status"], "interrupted");
  auto reader = RunReader::open(place / "out");
  ASSERT_TRUE(reader);
  EXPECT_GT(reader.value().segments().at(1).rows, 10);
}

}  // namespace

}  // namespace cardan::test
