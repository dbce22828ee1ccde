// Every file of test/bad_models is refused with exactly the faults its first line names, no more
// and no fewer:
//   # expect: model.unknown-key line 7; model.missing-key part.toml line 2
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cardan/base/catalogue.h"
#include "cardan/io/read_model.h"
#include "test/places.h"

namespace cardan {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(test::source_dir) / "test/bad_models";

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> expected_faults(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::string start = "# expect: ";
  if (!line.starts_with(start)) return {};
  std::istringstream parts(line.substr(start.size()));
  std::vector<std::string> list;
  for (std::string part; std::getline(parts, part, ';');)
    list.push_back(part.substr(part.find_first_not_of(' ')));
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<std::string> reported_faults(const Diagnostics& all, const fs::path& path) {
  std::vector<std::string> list;
  for (const auto& d : all) {
    if (d.severity != Severity::error) continue;
    std::string text = d.id;
    if (d.where.file && *d.where.file != path.string())
      text += " " + fs::relative(*d.where.file, folder).string();
    list.push_back(text + " line " + std::to_string(d.where.line));
  }
  std::sort(list.begin(), list.end());
  return list;
}

class BadModel : public testing::TestWithParam<std::string> {};

TEST_P(BadModel, is_refused_with_the_faults_it_has) {
  const fs::path path = folder / (GetParam() + ".toml");
  const std::clock_t start = std::clock();
  const auto model = read_model(path);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_FALSE(model);
  std::string all;
  for (const auto& d : model.why()) {
    all += to_text(d) + "\n";
    EXPECT_FALSE(d.found.empty());
    EXPECT_TRUE(d.where.file) << d.id;
    EXPECT_NE(explain(d.id), nullptr) << d.id << " is not in the catalogue";
    EXPECT_TRUE(d.severity != Severity::error || !d.expected.empty()) << to_text(d);
  }
  EXPECT_EQ(reported_faults(model.why(), path), expected_faults(path)) << all;
  EXPECT_GE(exit_code(model.why()), 3);
  EXPECT_LE(exit_code(model.why()), 8);
  EXPECT_LT(seconds, 1) << "for a file of a few lines";
}

INSTANTIATE_TEST_SUITE_P(corpus, BadModel, testing::ValuesIn(files()), [](const auto& file) {
  std::string name = file.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(bad_models, are_at_least_120) {
  EXPECT_GE(files().size(), 120u);
}

}  // namespace
}  // namespace cardan
