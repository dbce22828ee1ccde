// What the program says and how it ends, without simulating anything.
#include <nlohmann/json.hpp>

#include "program.h"

namespace cardan::test {

namespace {

TEST(CommandLine, HelpNamesEveryCommand) {
  const Place place;
  const Said said = cardan(place, {"--help"});
  EXPECT_EQ(said.code, 0);
  for (const char* command : {"check", "assemble", "run", "resume", "export", "explain", "new"}) {
    EXPECT_TRUE(contains(said.out, command)) << command;
    const Said help = cardan(place, {command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_TRUE(help.err.empty()) << command;
  }
  const Said run = cardan(place, {"run", "--help"});
  for (const char* option : {"--formulation",
                             "--integrator",
                             "--order",
                             "--step",
                             "--rtol",
                             "--atol",
                             "--until",
                             "--output-step",
                             "--set",
                             "--output",
                             "--force",
                             "--csv",
                             "--no-report",
                             "--json"})
    EXPECT_TRUE(contains(run.out, option)) << option;
  EXPECT_EQ(cardan(place, {"--version"}).code, 0);
}

// What a start costs is mostly the loading of libraries; those that one command needs come with it.
TEST(CommandLine, StartsWithFewLibraries) {
  const Place place;
  setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);  // the loader lists them, and runs nothing
  const Said said = cardan(place, {"--version"});
  unsetenv("LD_TRACE_LOADED_OBJECTS");
  EXPECT_TRUE(contains(said.out, "libc.so")) << said.out;
  EXPECT_LE(std::count(said.out.begin(), said.out.end(), '\n'), 18) << said.out;
  for (const char* library : {"hdf5", "httplib", "libssl", "libcurl"})
    EXPECT_FALSE(contains(said.out, library)) << library;
}

TEST(CommandLine, WrongUseIsTwo) {
  const Place place;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"runn", "x"},
                                             {"run"},
                                             {"run", "a.toml", "b.toml"},
                                             {"run", "a.toml", "--nonsense"},
                                             {"export", "x", "--csv", "--json"},
                                             {"explain", "no.such-id"},
                                             {"run", "a.toml", "--set", "crank"}}) {
    const Said said = cardan(place, words);
    EXPECT_EQ(said.code, 2) << (words.empty() ? "nothing" : words.front());
    EXPECT_TRUE(said.out.empty());
    EXPECT_TRUE(contains(said.err, "error [usage.")) << said.err;
  }
  EXPECT_TRUE(contains(cardan(place, {"runn"}).err, "'cardan run'"));
  EXPECT_TRUE(contains(cardan(place, {"run", "x", "--untill", "2"}).err, "--until"));
}

// Words of other programs and common slips, with what must be said.
TEST(CommandLine, SaysWhatIsMeant) {
  const Place place;
  write_text(place / "bar.toml", "title = 1\n");
  const std::pair<std::vector<std::string>, const char*> slips[] = {
      {{"simulate", "bar.toml"}, "'cardan run'"},
      {{"list"}, "'cardan runs'"},
      {{"graph", "x"}, "'cardan plot'"},
      {{}, "cardan new NAME"},
      {{"run", "bar.tml"}, "did you mean bar.toml?"},
      {{"run", "bar"}, "did you mean bar.toml?"},
      {{"run", "bar.toml", "--set", "L", "1m"}, "--set L=1m"},
      {{"run", "bar.toml", "--set"}, "--set without a value"},
      {{"run", "bar.toml", "--set", "a=1", "b=2"}, "write --set b=2"},
      {{"table", "x", "--channels"}, "names stand behind the run"},
      {{"run", "bar.toml", "--dt", "1ms"}, "--step"},
      {{"run", "bar.toml", "--end", "2"}, "--until"},
      {{"run", "bar.toml", "-t", "2"}, "--until"},
      {{"run", "bar.toml", "--method", "rk4"}, "--integrator"},
      {{"export", "x", "--excel"}, "-o FILE.xlsx"},
      {{"export", "x", "--format", "csv"}, "the end of the name decides"},
      {{"export", "x", "-o", "x.xls"}, "let the end of the name fit"},
      {{"animate", "x", "-o", "x.avi"}, ".gif or .mp4"},
      {{"plot", "bar.toml"}, "this is a model"},
      {{"explain", "drift"}, "numeric.drift"},
      {{"table", "x", "--at", "1 kg"}, "expected s (time)"},
      {{"table", "x", "--at", "60/120 s"}, "a unit belongs to the number before it"}};
  for (const auto& [words, expected] : slips) {
    const Said said = cardan(place, words);
    EXPECT_NE(said.code, 0) << expected;
    EXPECT_TRUE(contains(said.err, expected)) << said.err;
  }
  const Said help = cardan(place, {"help", "run"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(contains(help.out, "--until"));
  EXPECT_TRUE(contains(cardan(place, {"help"}).out, "selftest"));
  EXPECT_TRUE(contains(cardan(place, {"help", "report"}).out, "cardan report [OPTIONS] RUN..."));
}

TEST(CommandLine, ShowsThePlaceThatCannotBeUnderstood) {
  const Place place;
  write_text(place / "bar.toml", "# \xc3\xa4\n[[body]]\nname = \"b\xc3\xa4r\" mass = 3\n");
  const Said said = cardan(place, {"check", "bar.toml"});
  EXPECT_EQ(said.code, 3);
  EXPECT_TRUE(contains(said.err,
                       "        name = \"b\xc3\xa4r\" mass = 3\n"
                       "                     ^\n"))
      << said.err;
  write_text(place / "bar.toml",
             "[[body]]\nmass = \"2 \x1b[31mkg\"\n");  // it must not reach the terminal
  EXPECT_FALSE(contains(cardan(place, {"check", "bar.toml"}).err, "\x1b"));
}

TEST(CommandLine, FaultsAreJsonLinesWhenAsked) {
  const Place place;
  const Said said = cardan(place, {"check", "nowhere.toml", "--json"});
  EXPECT_EQ(said.code, 7);
  EXPECT_TRUE(said.err.empty()) << said.err;
  const auto line = nlohmann::json::parse(said.out);
  EXPECT_EQ(line["type"], "diagnostic");
  EXPECT_EQ(line["id"], "io.open");
  EXPECT_EQ(nlohmann::json::parse(cardan(place, {"run", "--json"}).out)["id"], "usage.bad-option");
}

TEST(CommandLine, ExplainsEveryDiagnostic) {
  const Place place;
  const Said list = cardan(place, {"explain", "--json"});
  EXPECT_EQ(list.code, 0);
  std::istringstream lines(list.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_FALSE(nlohmann::json::parse(line)["remedy"].get<std::string>().empty()) << line;
  EXPECT_GT(count, 30);
  const Said one = cardan(place, {"explain", "model.unknown-key"});
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(contains(one.out, "What to do"));
  EXPECT_TRUE(contains(one.out, "Exit code 4"));
  EXPECT_TRUE(contains(cardan(place, {"explain", "model.unknwon-key"}).err, "model.unknown-key"));
}

// What nothing reports would be explained for nobody.
TEST(CommandLine, EveryDiagnosticIsReportedSomewhere) {
  namespace fs = std::filesystem;
  std::string sources;
  for (const char* folder : {"cardan", "apps", "python"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir) / folder)) {
      const std::string name = entry.path().filename().string();
      const bool source = name.ends_with(".cpp") || name.ends_with(".h") || name.ends_with(".py");
      if (source && !name.starts_with("catalogue_")) sources += content_of(entry.path());
    }
  const Place place;
  std::istringstream lines(cardan(place, {"explain", "--json"}).out);
  for (std::string line; std::getline(lines, line);) {
    const std::string id = nlohmann::json::parse(line)["id"];
    EXPECT_TRUE(contains(sources, "\"" + id + "\"")) << id;
  }
}

TEST(CommandLine, NewNeverReplacesAModel) {
  const Place place;
  EXPECT_EQ(cardan(place, {"new", "press"}).code, 0);
  const std::string first = content_of(place / "press/model.toml");
  EXPECT_TRUE(contains(first, "title   = \"press\""));
  write_text(place / "press/model.toml", "mine");
  const Said again = cardan(place, {"new", "press"});
  EXPECT_EQ(again.code, 7);
  EXPECT_EQ(content_of(place / "press/model.toml"), "mine");
  EXPECT_EQ(cardan(place, {"new", "press", "--force"}).code, 0);
  EXPECT_EQ(content_of(place / "press/model.toml"), first);
  EXPECT_EQ(cardan(place, {"new", "a\"b"}).code, 2);
}

TEST(CommandLine, WhatIsNotARunIsSeven) {
  const Place place;
  write_text(place / "folder/notes.txt", "x");
  for (const char* command : {"export", "resume"}) {
    EXPECT_EQ(cardan(place, {command, "nowhere"}).code, 7) << command;
    EXPECT_EQ(cardan(place, {command, "folder"}).code, 7) << command;
    const Said said = cardan(place, {command, "folder/notes.txt"});
    EXPECT_EQ(said.code, 7) << command;
    EXPECT_TRUE(contains(said.err, "io.not-a-run")) << said.err;
  }
}

}  // namespace

}  // namespace cardan::test
