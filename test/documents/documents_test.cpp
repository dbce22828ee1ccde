// The source documents again: every cell is what its verdict says, and docs/documents/ is what the
// program makes.
//   CARDAN_UPDATE_DOCS=1   writes the pages anew
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "cardan/documents/document_text.h"
#include "test/places.h"

namespace cardan {
namespace {

const std::filesystem::path folder = std::filesystem::path(test::source_dir) / "docs" / "documents";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Documents : public testing::TestWithParam<int> {
 protected:
  const SourceDocument& document() const {
    return source_documents()[static_cast<std::size_t>(GetParam())];
  }
};

TEST_P(Documents, EveryCellIsWhatItsVerdictSays) {
  std::set<std::string> keys;
  for (const DocumentEntry& entry : document().entries) {
    EXPECT_TRUE(keys.insert(entry.key).second) << entry.key;
    const DocumentItem item = entry.make();
    const std::string what = std::string(document().key) + " " + entry.key;
    EXPECT_FALSE(item.how.empty()) << what;
    EXPECT_FALSE(item.tables.empty() && item.plots.empty() && item.verdict != Verdict::lost)
        << what;
    bool wrong = false;
    for (const PrintedTable& table : item.tables)
      for (const PrintedTable::Row& row : table.rows) {
        EXPECT_EQ(row.cells.size() + 1, table.head.size()) << what << ", " << row.label;
        for (const PrintedCell& cell : row.cells) {
          const bool off =
              cell.verdict == Verdict::misprint || cell.verdict == Verdict::not_reproduced;
          wrong = wrong || off;
          if (cell.verdict == Verdict::inferred || cell.verdict == Verdict::lost) continue;
          EXPECT_NE(agrees(cell, table), off)
              << what << ", " << row.label << ": " << cell.printed << " and " << ours_text(cell);
        }
      }
    EXPECT_FALSE(wrong && item.verdict == Verdict::right) << what;
  }
}

TEST_P(Documents, PagesAreWhatTheProgramMakes) {
  std::map<std::string, std::string> pictures;
  const std::string page = as_page(
      document(), [&](const std::string& name, const std::string& svg) { pictures[name] = svg; });
  const std::filesystem::path path = folder / (std::string(document().key) + ".md");
  if (std::getenv("CARDAN_UPDATE_DOCS") != nullptr) {
    std::filesystem::create_directories(folder);
    std::ofstream(path) << page;
    for (const auto& [name, svg] : pictures) std::ofstream(folder / name) << svg;
  }
  EXPECT_EQ(text_of(path), page);
  for (const auto& [name, svg] : pictures) EXPECT_EQ(text_of(folder / name), svg) << name;
}

INSTANTIATE_TEST_SUITE_P(All, Documents, testing::Range(0, 5));

TEST(PrintedCells, AgreeWhenTheDigitsDo) {
  PrintedTable table;
  const auto agree = [&](const char* printed, double ours) {
    return agrees(PrintedCell{printed, ours}, table);
  };
  EXPECT_TRUE(agree("1.235", 1.2347));
  EXPECT_FALSE(agree("1.234", 1.2347));
  EXPECT_TRUE(agree("4.65e-6", 4.6499e-6));
  EXPECT_FALSE(agree("4.65e-6", 4.66e-6));
  EXPECT_TRUE(agree("", 7));
  EXPECT_FALSE(agree("1", std::nan("")));
  table.rounding = Rounding::truncated;
  EXPECT_TRUE(agree("1.234", 1.2347));
  EXPECT_TRUE(agree("-8245.853", -8245.8535));
  EXPECT_FALSE(agree("1.235", 1.2347));
  table.rounding = Rounding::nearest;
  table.within = 0.01;
  EXPECT_TRUE(agree("100", 100.9));
  EXPECT_FALSE(agree("100", 101.1));
}

}  // namespace
}  // namespace cardan
