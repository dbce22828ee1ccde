// The statistics of a run count what was done: callgrind counts the factorizations of the whole process too.
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

#include <nlohmann/json.hpp>

#include "program.h"

namespace cardan::test {

namespace {

// How often functions whose names fit were called, in a file of callgrind.
long calls_in(const std::string& text, const std::regex& names) {
  std::map<std::string, bool> fits;  // by the number that stands for the name after its first use
  bool wanted = false;
  long calls = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool caller = line.starts_with("fn=("), callee = line.starts_with("cfn=(");
    if (caller || callee) {
      const std::size_t from = line.find('('), to = line.find(')');
      const std::string key = line.substr(from, to - from);
      if (to + 1 < line.size()) fits[key] = std::regex_search(line, names);
      if (callee) wanted = fits[key];
    } else if (wanted && line.starts_with("calls=")) {
      calls += std::stol(line.substr(6));
      wanted = false;
    }
  }
  return calls;
}

TEST(CountedWork, NamesAreFollowedThroughTheFile) {
  const std::string text =
      "fn=(1) main\n1 5\ncfn=(2) a::solve(int)\ncalls=3 7\n1 9\ncfn=(3) b\ncalls=100 7\n"
      "fn=(3)\ncfn=(2)\ncalls=4 1\n1 1\n";
  EXPECT_EQ(calls_in(text, std::regex("a::solve\\(")), 7);
}

TEST(CountedWork, FactorizationsAreThoseOfCallgrind) {
  if (std::system("command -v valgrind >/dev/null") != 0) GTEST_SKIP() << "no valgrind";
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "under a sanitizer";
#endif
  // All factorizations of the saddle-point matrix go through these; each has a source of its own, so none is inlined.
  const std::regex factors(
      "cardan::JointSchur::(factor_pose|accelerate|factor)\\(|Kkt[A-Za-z]*::factor\\(");
  const Place place;
  for (const char* formulation : {"hybrid", "partitioned", "null-space", "projected"}) {
    const std::string folder = std::string("run-") + formulation;
    const std::string command =
        "cd '" + place.path().string() +
        "' && valgrind --tool=callgrind --callgrind-out-file=out " + program_path() + " run " +
        test::source_dir + "/models/doc002-crank-slider --formulation " + formulation +
        " --integrator adams --rtol 1e-7 --atol 1e-7 --until 0.3 --output-step 0.3 "
        "--no-report -o " +
        folder + " >log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << content_of(place / "log");
    const auto summary = nlohmann::json::parse(content_of(place / (folder + "/summary.json")));
    const long told = summary["stats"]["factorizations"];
    const long counted = calls_in(content_of(place / "out"), factors);
    EXPECT_GT(told, 50) << formulation;
    // Assembly, the choice of methods and rows have theirs, which are not those of the steps.
    EXPECT_GE(counted, told) << formulation;
    EXPECT_LE(counted, told + told / 10 + 40) << formulation;
    std::filesystem::remove(place / "out");
  }
}

}  // namespace

}  // namespace cardan::test
