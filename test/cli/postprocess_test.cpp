// What is made of a run: tables, plots, exports, the report, and what is said when a helper is
// missing.
#include <cstdlib>
#include <sstream>

#include "program.h"

namespace cardan::test {

namespace {

const std::string pendulum = R"(
title = "Pendulum"
gravity = [0, "-9.81 m/s^2"]
[[body]]
name = "rod"
from = [0, 0]
to   = ["1 m", 0]
mass = "1 kg"
[[joint]]
type = "revolute"
name = "pivot"
between = ["ground", "rod"]
at = [0, 0]
[[analysis]]
type = "dynamic"
until = "0.5 s"
output_step = "0.05 s"
)";

class Postprocess : public testing::Test {
 protected:
  Postprocess() {
    write_text(place_ / "pendulum.toml", pendulum);
    EXPECT_EQ(cardan(place_, {"run", "pendulum.toml", "-o", "run", "--no-report"}).code, 0);
  }

  Place place_;
};

TEST_F(Postprocess, ChannelsBehindTimesAreTold) {
  const Said table = cardan(place_, {"table", "run", "--at", "0.25", "rod.angle"});
  EXPECT_EQ(table.code, 2);
  EXPECT_TRUE(contains(table.err, "channels stand before --at")) << table.err;
}

TEST_F(Postprocess, TableAtChosenTimesHoldsTheSamples) {
  const Said csv = cardan(place_, {"export", "run", "-c", "rod.angle"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  std::istringstream lines(csv.out);
  std::string line, wanted;
  while (std::getline(lines, line))
    if (line.starts_with("0.25")) wanted = line.substr(line.find(',') + 1);
  ASSERT_FALSE(wanted.empty()) << csv.out;
  const Said table =
      cardan(place_, {"table", "run", "rod.angle", "--at", "0.25", "--format", "csv"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(contains(table.out, wanted.c_str())) << table.out << " without " << wanted;
  const Said markdown = cardan(place_, {"table", "run", "rod.angle", "--format", "markdown"});
  EXPECT_TRUE(contains(markdown.out, "|")) << markdown.out;
}

TEST_F(Postprocess, PlotsAreSvgOrText) {
  EXPECT_EQ(cardan(place_, {"plot", "run", "rod.angle", "-o", "angle.svg"}).code, 0);
  const std::string svg = content_of(place_ / "angle.svg");
  for (const char* part : {"<svg", "rod.angle", "[rad]", "time"})
    EXPECT_TRUE(contains(svg, part)) << part;
  const Said term = cardan(place_, {"plot", "run", "rod.angle", "--term"});
  EXPECT_EQ(term.code, 0) << term.err;
  EXPECT_GT(std::count(term.out.begin(), term.out.end(), '\n'), 8);
  EXPECT_EQ(cardan(place_, {"plot", "run", "no such channel", "--term"}).code, 2);
}

TEST_F(Postprocess, TheReportIsOneFileThatAsksNothingOfTheNetwork) {
  ASSERT_EQ(cardan(place_, {"report", "run"}).code, 0);
  const std::string page = content_of(place_ / "run/report.html");
  EXPECT_GT(page.size(), 1000u);
  EXPECT_LT(page.size(), 3'000'000u);
  for (const char* part : {"src=\"http", "href=\"http", "url(http", "@import"})
    EXPECT_FALSE(contains(page, part)) << part;
}

TEST_F(Postprocess, FilmsSayWhenTheEncoderOrTheBrowserIsMissing) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", place_.path().c_str(), 1);
  const Said film = cardan(place_, {"animate", "run", "--mp4", "film.mp4"});
  const Said gif = cardan(place_, {"animate", "run", "--gif", "film.gif"});
  setenv("PATH", path.c_str(), 1);
  if (contains(film.err, "io.no-viewer")) GTEST_SKIP() << "built without the viewer";
  EXPECT_EQ(film.code, 7);
  EXPECT_TRUE(contains(film.err, "no ffmpeg in the search path")) << film.err;
  EXPECT_FALSE(std::filesystem::exists(place_ / "film.mp4"));
  if (std::getenv("CARDAN_BROWSER") == nullptr) {
    EXPECT_EQ(gif.code, 7);
    EXPECT_TRUE(contains(gif.err, "Chromium")) << gif.err;
  }
}

// As netCDF's own tool reads it, where it is installed.
TEST_F(Postprocess, ExportsOpenAsNetcdf) {
  const Said made = cardan(place_, {"export", "run", "--netcdf", "-o", "run.nc"});
  if (contains(made.err, "HDF5")) GTEST_SKIP() << "built without HDF5";
  ASSERT_EQ(made.code, 0) << made.err;
  if (std::system("ncdump -h /dev/null >/dev/null 2>&1; test $? -ne 127") != 0)
    GTEST_SKIP() << "no ncdump";
  const std::string command =
      "ncdump -v time " + (place_ / "run.nc").string() + " > " + (place_ / "cdl").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string cdl = content_of(place_ / "cdl");
  for (const char* part : {"time = 11",
                           "double time(time)",
                           "double rod.angle(time)",
                           "rod.angle:units = \"rad\"",
                           "0.05"})
    EXPECT_TRUE(contains(cdl, part)) << part << " in\n" << cdl;
}

// One format at a time: every pair is refused with both names, and nothing is written.
TEST_F(Postprocess, FormatsOfExportExcludeEachOther) {
  const std::vector<std::vector<std::string>> formats{
      {"--csv"}, {"--json"}, {"--netcdf"}, {"--vtk", "frames"}};
  for (const auto& a : formats) {
    for (const auto& b : formats) {
      if (a == b) continue;
      std::vector<std::string> words{"export", "run"};
      words.insert(words.end(), a.begin(), a.end());
      words.insert(words.end(), b.begin(), b.end());
      const Said said = cardan(place_, words);
      EXPECT_EQ(said.code, 2) << a[0] << ' ' << b[0];
      EXPECT_TRUE(said.out.empty()) << said.out;
      EXPECT_TRUE(contains(said.err, a[0].c_str()) && contains(said.err, b[0].c_str())) << said.err;
      EXPECT_TRUE(contains(said.err, "cannot be given together")) << said.err;
      EXPECT_FALSE(std::filesystem::exists(place_ / "run.nc"));
      EXPECT_FALSE(std::filesystem::exists(place_ / "frames"));
    }
  }
}

// An option that the chosen format does not use is refused, not ignored.
TEST_F(Postprocess, OptionsOfOtherFormatsAreRefused) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--frames", "3"},
                                                {"--json", "--errors"},
                                                {"--netcdf", "--errors"},
                                                {"--vtk", "frames", "-o", "out"},
                                                {"--vtk", "frames", "-c", "rod.x"}}) {
    std::vector<std::string> all{"export", "run"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(cardan(place_, all).code, 2) << words.front();
  }
}

// The program, moved away from the programs that it starts, says which one is missing.
TEST_F(Postprocess, AMissingPartIsNamed) {
  const std::filesystem::path alone = place_ / "alone";
  std::filesystem::create_directory(alone);
  std::filesystem::copy_file(program_path(), alone / "cardan");
  const std::string call = (alone / "cardan").string() + " ";
  for (const auto& [arguments, part] :
       {std::pair{"view " + (place_ / "run").string(), "cardan-view"},
        std::pair{
            "export " + (place_ / "run").string() + " --netcdf -o " + (place_ / "x.nc").string(),
            "cardan-netcdf"}}) {
    const int status = std::system((call + arguments + " 2> " + (place_ / "err").string()).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 7) << arguments;
    const std::string err = content_of(place_ / "err");
    EXPECT_TRUE(contains(err, part) && contains(err, "io.no-part")) << err;
  }
}

}  // namespace

}  // namespace cardan::test
