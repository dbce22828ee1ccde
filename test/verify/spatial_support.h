#pragma once
// Vectors and orientations out of the channels of a spatial run.
#include <fmt/format.h>

#include "cardan/math/rotation.h"
#include "test/verify/support.h"

namespace cardan::test {

inline Vec<3> vector(const Memory& run, const std::string& prefix, std::size_t row) {
  return {run.value(prefix + "x", row), run.value(prefix + "y", row), run.value(prefix + "z", row)};
}

inline Quaternion quaternion(const Memory& run, const std::string& body, std::size_t row) {
  return {run.value(body + ".qw", row),
          run.value(body + ".qx", row),
          run.value(body + ".qy", row),
          run.value(body + ".qz", row)};
}

inline std::size_t row_at(const Memory& run, double t) {
  std::size_t best = 0;
  for (std::size_t row = 0; row < run.times.size(); ++row)
    if (std::abs(run.times[row] - t) < std::abs(run.times[best] - t)) best = row;
  EXPECT_NEAR(run.times[best], t, 1e-9);
  return best;
}

// Data of others that is read where it is present and never copied.
inline std::string shared_case(const std::string& name) {
  return std::string(test::source_dir) + "/../shared/cases/" + name;
}

inline std::map<std::string, std::vector<double>> read_table(const std::string& path,
                                                             char separator = ',') {
  std::ifstream file(path);
  std::string line;
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream cells(line);
    std::string cell;
    const bool head = names.empty();
    for (std::size_t k = 0; std::getline(cells, cell, separator); ++k) {
      if (head)
        names.push_back(cell);
      else if (k < names.size())
        columns[names[k]].push_back(std::stod(cell));
    }
  }
  return columns;
}

}  // namespace cardan::test
