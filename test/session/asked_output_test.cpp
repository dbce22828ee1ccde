// [output] tables, plots and animation of a model: files of the run, and data of its report.
#include "cardan/results/asked_output.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/report/report.h"
#include "cardan/results/run_folder.h"
#include "cardan/results/run_reader.h"
#include "cardan/session/session.h"
#include "test/model_text.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

const std::string swing = test::ModelText()
                              .gravity(0, -9.81)
                              .bar("bar", {0, 0}, {1, 0}, 2)
                              .pin("pin", "ground", "bar", {0, 0})
                              .dynamic("until = 1.25\noutput_step = 0.05")
                              .toml();

class Asked : public testing::Test {
 protected:
  Asked() {
    std::string name = (fs::temp_directory_path() / "cardan-asked-XXXXXX").string();
    place_ = mkdtemp(name.data());
  }

  ~Asked() override { fs::remove_all(place_); }

  Result<RunResult> run(const std::string& output, bool force = false) {
    std::ofstream(place_ / "model.toml") << swing << "[output]\n" << output;
    RunRequest request;
    request.model.path = (place_ / "model.toml").string();
    request.output.folder = (place_ / "run").string();
    request.output.force = force;
    return run_model_file(request);
  }

  std::string text(const std::string& name) const {
    std::ifstream file(place_ / "run" / "output" / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  bool there(const std::string& name) const { return fs::exists(place_ / "run" / "output" / name); }

  fs::path place_;
};

std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> out;
  std::stringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    out.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) out.back().push_back(cell);
  }
  return out;
}

// The numbers of an attribute's values, picture by picture.
std::vector<std::vector<double>> pictures_of(const std::string& svg, const std::string& attribute) {
  std::vector<std::vector<double>> out;
  const std::size_t at = svg.find("attributeName=\"" + attribute + "\"");
  if (at == std::string::npos) return out;
  const std::size_t from = svg.find("values=\"", at) + 8;
  std::stringstream list(svg.substr(from, svg.find('"', from) - from));
  for (std::string picture; std::getline(list, picture, ';');) {
    for (char& c : picture)
      if (c == ',') c = ' ';
    std::stringstream numbers(picture);
    out.emplace_back();
    for (double x; numbers >> x;) out.back().push_back(x);
  }
  return out;
}

TEST_F(Asked, FilesHoldWhatTheRowsHold) {
  const auto result = run(
      "tables = ['bar.angle', { name = 'values', channels = ['bar.x', 'bar.omega'], rows = 6 },\n"
      "  { name = 'read', channels = 'bar.angle', at = [0.5, '1000 ms'], format = 'markdown' }]\n"
      "plots = [['bar.x', 'bar.omega'], { name = 'path', channels = 'bar.y', x = 'bar.x', title = "
      "'Path' }]\n"
      "animation = { seconds = 2, names = true, traces = true, arrows = true }\n");
  ASSERT_TRUE(result) << to_text(result.why().front());
  const auto reader = RunReader::open(place_ / "run");
  ASSERT_TRUE(reader);
  const auto& channels = reader.value().segments()[0].channels;
  const auto column = [&](const std::string& name) {
    const auto chosen = select_channels(channels, std::span(&name, 1));
    return reader.value().read(0, chosen.value()).value();
  };

  const auto values = cells_of(text("values.csv"));
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values[0][1], "bar.x [m]");
  const Columns x = column("bar.x"), omega = column("bar.omega");
  EXPECT_EQ(std::stod(values[1][1]), x.values[0].front());
  EXPECT_EQ(std::stod(values[6][2]), omega.values[0].back());
  const auto extremes = cells_of(text("table-1.csv"));
  ASSERT_EQ(extremes.size(), 2U);
  EXPECT_EQ(extremes[1][0], "bar.angle");
  EXPECT_LT(std::stod(extremes[1][4]), -3);  // it swings to nearly -pi
  EXPECT_NE(text("read.md").find(" 0.5 |"), std::string::npos) << text("read.md");

  EXPECT_NE(text("plot-1.svg").find("bar.omega"), std::string::npos);
  EXPECT_NE(text("path.svg").find("Path"), std::string::npos);

  // The bar's end is one metre from its pin in every picture, and where the angle says.
  const std::string film = text("animation.svg");
  const auto ends = pictures_of(film, "points");
  ASSERT_EQ(ends.size(), 51U);  // 25 a second
  const Columns angle = column("bar.angle");
  const auto length = [&](const std::vector<double>& p) {
    return std::hypot(p[2] - p[0], p[3] - p[1]);
  };
  for (const auto& picture : ends) {
    ASSERT_EQ(picture.size(), 4U);
    EXPECT_NEAR(length(picture), length(ends.front()), 0.2);
  }
  const auto& last = ends.back();
  EXPECT_NEAR(std::atan2(last[1] - last[3], last[2] - last[0]),
              std::remainder(angle.values[0].back(), 2 * 3.14159265358979),
              2e-3);
  for (const char* part : {">bar<", ">pin<", "stroke=\"#b3261e\"", "1.25 s"})
    EXPECT_NE(film.find(part), std::string::npos) << part;
}

TEST_F(Asked, TheReportBeginsWithIt) {
  ASSERT_TRUE(
      run("tables = ['bar.angle']\nplots = [{ channels = 'bar.*', x = 'bar.angle', log = true }]\n"
          "animation = { follow = 'bar' }\n"));
  const auto reader = RunReader::open(place_ / "run");
  ASSERT_TRUE(reader);
  const auto data = report_data({&reader.value(), 0, "1"}, {});
  ASSERT_TRUE(data);
  const std::string& page = data.value();
  const std::size_t from = page.find('>') + 1;
  const auto asked =
      nlohmann::json::parse(page.substr(from, page.find("</script>") - from))["asked"];
  EXPECT_EQ(asked["tables"][0]["lines"][1][0], "bar.angle");
  EXPECT_EQ(asked["tables"][0]["numbers"][0], false);
  EXPECT_EQ(asked["plots"][0]["x"], "bar.angle");
  EXPECT_EQ(asked["plots"][0]["log"], true);
  EXPECT_GT(asked["plots"][0]["channels"].size(), 5U);
  EXPECT_EQ(asked["animation"]["follow"], "bar");
}

TEST_F(Asked, WhatIsAskedForIsStored) {
  ASSERT_TRUE(run("channels = ['bar.vx']\ntables = ['pin.second.fx']\nanimation = true\n"));
  const auto reader = RunReader::open(place_ / "run");
  ASSERT_TRUE(reader);
  std::vector<std::string> names;
  for (const Channel& c : reader.value().segments()[0].channels) names.push_back(c.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"bar.x", "bar.y", "bar.angle", "bar.vx", "pin.second.fx"}));
}

TEST_F(Asked, AChannelThatDoesNotExistIsAFaultBeforeTheRun) {
  for (const char* wrong :
       {"tables = ['bar.agnle']\n", "plots = [{ channels = 'bar.x', x = 'bar.agnle' }]\n"}) {
    const auto result = run(wrong);
    const Diagnostics& all = result ? result.value().outcome.summary.diagnostics : result.why();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.back().id, "usage.unknown-channel");
    EXPECT_NE(to_text(all.back()).find("bar.angle"), std::string::npos) << to_text(all.back());
    EXPECT_FALSE(fs::exists(place_ / "run")) << wrong;
  }
}

TEST_F(Asked, FilesOfARunThatIsReplacedGoAndOthersStay) {
  ASSERT_TRUE(run("tables = [{ name = 'old', channels = 'bar.x' }]\nanimation = true\n"));
  ASSERT_TRUE(there("old.csv"));
  std::ofstream(place_ / "run" / "output" / "mine.csv") << "kept\n";
  ASSERT_TRUE(run("tables = [{ name = 'new', channels = 'bar.x' }]\n", true));
  EXPECT_TRUE(there("new.csv"));
  EXPECT_TRUE(there("mine.csv"));
  EXPECT_FALSE(there("old.csv"));
  EXPECT_FALSE(there("animation.svg"));
}

TEST_F(Asked, ResumeMakesFilesThatAreMissing) {
  ASSERT_TRUE(run("tables = ['bar.x']\nplots = ['bar.x']\nanimation = true\n"));
  const std::string table = text("table-1.csv"), plot = text("plot-1.svg"),
                    film = text("animation.svg");
  fs::remove_all(place_ / "run" / "output");
  ASSERT_TRUE(resume_run((place_ / "run").string(), {}, {}));
  EXPECT_EQ(text("table-1.csv"), table);
  EXPECT_EQ(text("plot-1.svg"), plot);
  EXPECT_EQ(text("animation.svg"), film);
  EXPECT_FALSE(table.empty() || plot.empty() || film.empty());
}

}  // namespace
}  // namespace cardan
