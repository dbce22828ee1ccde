// Mistakes that people make, and what they are told: each model of test/mistakes with its line in
// table.txt, which names the exit codes of `check` and `run` and what must be said.
//   05-rpm-unit-as-angle | 4 | 4 | "speed*t"
// A code of - is not tried. Texts are separated by " & "; each must be said by one of the two commands.
#include <map>
#include <sstream>

#include "program.h"

namespace cardan::test {

namespace {

const std::filesystem::path folder = std::filesystem::path(source_dir) / "test/mistakes";

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

std::vector<std::string> parts_of(const std::string& line, const std::string& by) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = line.find(by); at != std::string::npos; at = line.find(by, from)) {
    parts.push_back(trimmed(line.substr(from, at - from)));
    from = at + by.size();
  }
  parts.push_back(trimmed(line.substr(from)));
  return parts;
}

TEST(Mistakes, AreToldInAWayThatHelps) {
  std::ifstream table(folder / "table.txt");
  std::map<std::string, int> seen;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = parts_of(line, " | ");
    ASSERT_EQ(parts.size(), 4U) << line;
    ++seen[parts[0]];
    const Place place;
    const std::string model = (folder / (parts[0] + ".toml")).string();
    std::string said;
    const std::pair<const char*, std::string> commands[] = {{"check", parts[1]}, {"run", parts[2]}};
    for (const auto& [command, code] : commands) {
      if (code == "-") continue;
      const Said answer = cardan(place, {command, model});
      EXPECT_EQ(std::to_string(answer.code), code) << command << " " << parts[0] << "\n"
                                                   << answer.err;
      said += answer.out + answer.err;
    }
    for (const std::string& text : parts_of(parts[3], " & "))
      EXPECT_TRUE(contains(said, text)) << parts[0] << " should say: " << text << "\n" << said;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_EQ(seen[entry.path().stem().string()], 1) << entry.path().stem();
  }
}

}  // namespace

}  // namespace cardan::test
