#include "cardan/base/catalogue.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "cardan/base/diagnostic.h"
#include "test/places.h"

namespace cardan {
namespace {

TEST(Catalogue, EveryIdOnceWithWords) {
  std::set<std::string_view> seen;
  for (const auto& entry : catalogue()) {
    EXPECT_TRUE(seen.insert(entry.id).second) << entry.id;
    EXPECT_FALSE(entry.title.empty()) << entry.id;
    EXPECT_GT(entry.meaning.size(), 30u) << entry.id;
    EXPECT_GT(entry.remedy.size(), 10u) << entry.id;
    EXPECT_EQ(entry.remedy.back(), '.') << entry.id;
  }
}

TEST(Catalogue, EveryIdHasAnExitCode) {
  for (const auto& entry : catalogue()) {
    Diagnostic d;
    d.id = entry.id;
    const bool ours = entry.id.substr(0, 7) == "defect.";
    EXPECT_EQ(exit_code(d) == 70, ours) << entry.id;  // 70 is also what an unknown prefix gives
  }
}

TEST(Catalogue, Explains) {
  ASSERT_NE(explain("model.unknown-key"), nullptr);
  EXPECT_EQ(explain("model.unknown-key")->id, "model.unknown-key");
  EXPECT_EQ(explain("model.unknown"), nullptr);
  EXPECT_EQ(explain(""), nullptr);
}

// Whatever id the sources mention must be explained.
TEST(Catalogue, HoldsEveryIdOfTheSources) {
  namespace fs = std::filesystem;
  const std::regex id(
      R"re("((usage|syntax|model|assembly|numeric|io|limit|corrupt|defect|interrupted)\.[a-z][a-z0-9-]*)")re");
  std::size_t mentioned = 0;
  for (const char* folder : {"cardan", "apps"}) {
    for (const auto& file : fs::recursive_directory_iterator(fs::path(test::source_dir) / folder)) {
      const auto kind = file.path().extension();
      if (kind != ".cpp" && kind != ".h") continue;
      std::stringstream text;
      text << std::ifstream(file.path()).rdbuf();
      const std::string all = text.str();
      for (std::sregex_iterator i(all.begin(), all.end(), id), end; i != end; ++i, ++mentioned) {
        const std::string name = (*i)[1];
        const bool is_file = name == "model.toml";
        EXPECT_TRUE(is_file || explain(name) != nullptr) << name << " in " << file.path();
      }
    }
  }
  EXPECT_GT(mentioned, 50u);
}

}  // namespace
}  // namespace cardan
