// Every option that a command does not use is refused: those of other commands, and those that do nothing beside what
// else was said.
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "program.h"
#include "test/model_text.h"

namespace cardan::test {

namespace {

// The options of every command, from the script for completion.
std::map<std::string, std::set<std::string>> options_of_commands(const Place& place) {
  const std::string script = cardan(place, {"completion", "bash"}).out;
  std::map<std::string, std::set<std::string>> all;
  const std::regex line(R"(^\s*([a-z]+)\) options="([^"]*)\")");
  std::istringstream lines(script);
  for (std::string text; std::getline(lines, text);) {
    std::smatch found;
    if (!std::regex_search(text, found, line)) continue;
    std::istringstream words(found[2]);
    for (std::string word; words >> word;)
      if (word.starts_with("--")) all[found[1]].insert(word);
  }
  return all;
}

TEST(Options, ThoseOfOtherCommandsAreRefused) {
  const Place place;
  const auto all = options_of_commands(place);
  ASSERT_GT(all.size(), 25U);
  std::set<std::string> every;
  for (const auto& [command, own] : all) every.insert(own.begin(), own.end());
  ASSERT_GT(every.size(), 120U);
  // Each option with two commands that do not have it; all pairs in the full run.
  const bool full = std::getenv("CARDAN_FULL") != nullptr;
  std::vector<std::string> commands;
  for (const auto& [command, own] : all) commands.push_back(command);
  std::size_t turn = 0;
  for (const std::string& option : every) {
    int tried = 0;
    for (std::size_t k = 0; k < commands.size() && (full || tried < 2); ++k) {
      const std::string& command = commands[(turn + 7 * k) % commands.size()];
      if (all.at(command).contains(option)) continue;
      ++tried;
      const Said said = cardan(place, {command, "x", option, "1"});
      EXPECT_EQ(said.code, 2) << command << ' ' << option;
      EXPECT_TRUE(contains(said.err + said.out, "usage."))
          << command << ' ' << option << ": " << said.err;
    }
    ++turn;
  }
}

// What follows an option that wants a value is not taken for it where it is an option itself.
TEST(Options, AnOptionIsNoValueOfAnother) {
  const Place place;
  const std::vector<std::vector<std::string>> lines{{"report", "run", "--pdf", "-o", "x.pdf"},
                                                    {"run", "bar.toml", "--until", "--force"},
                                                    {"export", "run", "-o", "--force"}};
  for (const auto& line : lines) {
    const Said said = cardan(place, line);
    EXPECT_EQ(said.code, 2) << line[0];
    EXPECT_TRUE(contains(said.err, "a value is missing")) << said.err;
  }
}

TEST(Options, ThoseThatDoNothingAreRefused) {
  const Place place;
  write_text(place / "bar.toml",
             ModelText()
                 .gravity(0, -9.81)
                 .bar("bar", {0, 0}, {1, 0}, 1)
                 .pin("pin", "ground", "bar", {0, 0})
                 .dynamic("until = 0.1")
                 .toml());
  ASSERT_EQ(cardan(place, {"run", "bar.toml", "-o", "run", "--no-report"}).code, 0);
  const std::vector<std::vector<std::string>> useless{
      {"run", "bar.toml", "--force"},
      {"run", "bar.toml", "--alpha", "3", "--formulation", "projected"},
      {"run", "bar.toml", "--constraint-tolerance", "1e-6", "--formulation", "partitioned"},
      {"run", "bar.toml", "--integrator", "rk4:gamma=0.5", "--step", "0.01"},
      {"plot", "run", "bar.x", "--term", "-o", "x.svg"},
      {"plot", "run", "bar.x", "--term", "--force"},
      {"plot", "run", "bar.x", "--term", "--size", "300", "200"},
      {"plot", "run", "bar.x", "--equal"},
      {"plot", "run", "bar.x", "--log", "--error"},
      {"table", "run", "bar.x", "--format", "csv", "--digits", "3"},
      {"table", "run", "bar.x", "--force"},
      {"table", "run", "bar.x", "--at", "0.1", "--rows", "3"},
      {"report", "run", "--pdf", "x.pdf", "--open"},
      {"report", "run", "--pdf", "x.pdf", "-o", "x.html"},
      {"export", "run", "--json", "--errors"},
      {"export", "run", "--mat", "--errors"},
      {"export", "run", "--xlsx", "--raw-names"},
      {"export", "run", "--frames", "3"},
      {"export", "run", "--vtk", "x", "-c", "bar.x"},
      {"study", "bar.toml", "--largest-step", "--halvings", "3", "5"},
      {"study", "bar.toml", "--largest-step", "--watch", "bar.x"},
      {"study", "bar.toml", "--vary", "rtol=1e-6,1e-7", "--watch", "bar.x"},
      {"study", "bar.toml", "--step-halving", "--step", "0.01"},
      {"study", "bar.toml", "--step-halving", "--error-estimate"},
      {"study", "bar.toml", "--tolerance", "--rtol", "1e-6"},
      {"study", "bar.toml", "--tolerance", "--output-step", "0.01"},
      {"study", "bar.toml", "--step-halving", "--force"},
      {"matrices", "bar.toml", "--formulation", "projected"},
      {"matrices", "bar.toml", "--rtol", "1e-6"},
      {"matrices", "bar.toml", "--force"},
      {"method", "--order", "3"},
      {"method", "--output", "x.svg"},
      {"method", "rk4", "--force"},
      {"method", "rk4", "--gamma", "0.5"},
      {"documents", "004", "--force"},
      {"sweep", "bar.toml", "--vary", "a=1,2", "--measure", "x = last(bar.x)", "--sobol"},
      {"sweep", "bar.toml", "--vary", "a=1,2", "--measure", "x = last(bar.x)", "--seed", "3"},
      {"sweep",
       "bar.toml",
       "--vary",
       "a=1,2",
       "--measure",
       "x = last(bar.x)",
       "--zip",
       "--sample",
       "4"},
      {"sweep", "bar.toml", "--vary", "a=1,2", "--measure", "x = last(bar.x)", "--points", "3"},
      {"sweep",
       "bar.toml",
       "--vary",
       "a=1,2",
       "--measure",
       "x = last(bar.x)",
       "--sensitivity",
       "a"},
      {"sweep", "resume", "store", "--vary", "a=1,2"},
      {"sweep", "resume", "store", "--until", "3"},
      {"sweep", "resume", "store", "-o", "elsewhere"},
      {"sweep", "rerun", "store", "1", "--measure", "x = max(\"bar.x\")"},
      {"sweep", "rerun", "store", "1", "--set", "a=3"},
      {"sweep", "show", "store", "--workers", "2"},
      {"sweep", "show", "store", "--force"},
      {"sweep", "page", "store", "--sample", "5"},
  };
  for (const auto& words : useless) {
    std::string text;
    for (const std::string& word : words) text += " " + word;
    const Said said = cardan(place, words);
    EXPECT_TRUE(said.code == 2 || said.code == 4) << text << ": " << said.code;
    EXPECT_TRUE(contains(said.err, "usage.") || contains(said.err, "model.unknown-option"))
        << text << ": " << said.err;
  }
  EXPECT_FALSE(std::filesystem::exists(place / "plot.svg"));
}

}  // namespace

}  // namespace cardan::test
