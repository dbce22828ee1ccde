// The tutorial as a reader types it: files of its pages are written, commands run in one folder, page after page, and what
// the program says is compared with the page, figures to a thousandth. The gallery has every model as the program draws it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "test/cli/program.h"

namespace cardan::test {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    out.push_back(line);
  }
  return out;
}

Lines words_of(const std::string& line) {
  Lines out;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

// The number that a word begins with, and what follows it.
bool number_of(const std::string& word, double& value, std::string& rest) {
  char* end = nullptr;
  value = std::strtod(word.c_str(), &end);
  rest = end;
  return end != word.c_str() && std::isfinite(value);
}

// Equal words; numbers to a thousandth of themselves or of the largest in the line, counts of steps to a twentieth. Times of
// peaks are left out where a motion repeats: equal peaks come in any order.
bool agrees(const std::string& expected, const std::string& found) {
  const Lines a = words_of(expected), b = words_of(found);
  if (a.size() != b.size()) return false;
  double largest = 0;
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double value = 0;
    std::string rest;
    if (!number_of(a[k], value, rest)) continue;
    largest = std::max(largest, std::abs(value));
    if (rest.empty()) numbers.push_back(k);
  }
  const bool table = numbers.size() >= 8, steps = contains(expected, " steps,");
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto place = std::find(numbers.begin(), numbers.end(), k);
    const auto from_right = numbers.end() - place;
    if (a[k] == b[k] || a[k] == "..." || (table && (from_right == 3 || from_right == 5))) continue;
    double x = 0, y = 0;
    std::string after_x, after_y;
    if (!number_of(a[k], x, after_x) || !number_of(b[k], y, after_y) || after_x != after_y)
      return false;
    const double bound = steps ? 0.05 * std::abs(x) + 2 : 1e-3 * std::max(std::abs(x), largest);
    if (!(std::abs(x - y) <= bound)) return false;
  }
  return true;
}

// A line of dots stands for any number of lines.
bool matches(const Lines& expected, std::size_t e, const Lines& found, std::size_t f) {
  if (e == expected.size()) return f == found.size();
  if (expected[e] == "...") {
    for (std::size_t k = f; k <= found.size(); ++k)
      if (matches(expected, e + 1, found, k)) return true;
    return false;
  }
  return f < found.size() && agrees(expected[e], found[f]) &&
         matches(expected, e + 1, found, f + 1);
}

std::string output_of(const Place& place, const std::string& command) {
  const std::string program = fs::path(program_path()).parent_path().string();
  const std::string line = "cd '" + place.path().string() + "' && export PATH='" + program +
                           "':\"$PATH\" && { " + command + "; } > .said 2>&1";
  if (std::system(line.c_str()) == -1) return "the shell did not start";
  return content_of(place / ".said");
}

void check_command(const Place& place, const std::string& page, const Lines& said) {
  const std::string command = said.front().substr(2);
  const Lines expected(said.begin() + 1, said.end());
  const std::string found = output_of(place, command);
  EXPECT_TRUE(matches(expected, 0, lines_of(found), 0)) << page << ": " << command << "\n" << found;
}

// A block of text between ``` lines: a file where its first line names one, commands where it is a console.
int follow_block(const Place& place,
                 const std::string& page,
                 const std::string& kind,
                 Lines block) {
  if (kind == "console") {
    int count = 0;
    Lines said;
    for (const std::string& line : block) {
      if (line.rfind("$ ", 0) == 0) {
        if (!said.empty()) check_command(place, page, said);
        said.clear();
        ++count;
      }
      said.push_back(line);
    }
    if (!said.empty()) check_command(place, page, said);
    return count;
  }
  const std::string name = block.at(0).substr(2);
  if (kind == "csv") block.erase(block.begin());
  std::string text;
  for (const std::string& line : block) text += line + "\n";
  write_text(place / name, text);
  return 0;
}

int follow_page(const Place& place, const fs::path& path) {
  int count = 0;
  std::string kind;
  Lines block;
  for (const std::string& line : lines_of(content_of(path))) {
    if (line.rfind("```", 0) != 0) {
      block.push_back(line);
      continue;
    }
    if (!kind.empty()) count += follow_block(place, path.filename().string(), kind, block);
    kind = kind.empty() ? line.substr(3) : "";
    block.clear();
  }
  EXPECT_TRUE(kind.empty()) << path << ": a block has no end";
  return count;
}

TEST(Tutorial, EveryCommandDoesWhatItsPageSays) {
  const Place place;
  std::set<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir) / "docs/tutorial"))
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) != 0)
      pages.insert(entry.path());
  EXPECT_EQ(pages.size(), 10U);
  int commands = 0;
  for (const fs::path& page : pages) commands += follow_page(place, page);
  EXPECT_GE(commands, 35);
}

TEST(Tutorial, ComparesFiguresAndWords) {
  EXPECT_TRUE(agrees("peak 72.2985 N*m", "peak 72.2986 N*m"));
  EXPECT_FALSE(agrees("peak 72.2985 N*m", "peak 73.1 N*m"));
  EXPECT_FALSE(agrees("peak 72.2985 N*m", "peak 72.2985 N"));
  EXPECT_FALSE(agrees("complete, 3 rows", "failed, 3 rows"));
  EXPECT_TRUE(matches({"a", "...", "c"}, 0, {"a", "b", "b", "c"}, 0));
  EXPECT_FALSE(matches({"a", "...", "c"}, 0, {"a", "b"}, 0));
  EXPECT_FALSE(matches({"a"}, 0, {"a", "b"}, 0));
}

TEST(Gallery, ShowsEveryModelAsTheProgramDrawsIt) {
  const Place place;
  const std::string source = source_dir;
  const std::string command = "CARDAN='" + program_path() + "' '" + source + "/bin/gallery' '" +
                              place.path().string() + "/made'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::size_t models = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(source) / "models"))
    if (fs::exists(entry.path() / "model.toml")) ++models;
  std::size_t pictures = 0;
  for (const auto& entry : fs::directory_iterator(place / "made")) {
    const fs::path kept = fs::path(source) / "docs/gallery" / entry.path().filename();
    EXPECT_EQ(content_of(kept), content_of(entry.path())) << kept << ": run bin/gallery";
    if (entry.path().extension() == ".svg") ++pictures;
    EXPECT_LT(fs::file_size(entry.path()), 40'000U) << entry.path();
  }
  EXPECT_EQ(pictures, models);
}

}  // namespace
}  // namespace cardan::test
