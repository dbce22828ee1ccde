#pragma once
// A folder of its own for each test, a store with known contents, and children that are killed.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/results/run_reader.h"
#include "cardan/results/run_writer.h"

namespace cardan::test {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cardan-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  ~Folder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const std::vector<Channel> three_channels{
    {"crank.x", "m", "body crank", "position"},
    {"crank.y", "m", "body crank", "position"},
    {"main bearing.force_x", "N", "joint main bearing", "reaction"}};

// Row number i of every store the tests write.
inline double row_time(std::int64_t i) {
  return 1e-3 * static_cast<double>(i);
}

inline std::vector<double> row_values(std::int64_t i, std::size_t width = 3) {
  std::vector<double> row;
  for (std::size_t k = 0; k < width; ++k)
    row.push_back(std::sin(0.1 * static_cast<double>(i) + static_cast<double>(k)));
  return row;
}

inline std::vector<std::byte> bytes_of(std::int64_t i) {
  std::vector<std::byte> bytes(sizeof i);
  std::memcpy(bytes.data(), &i, sizeof i);
  return bytes;
}

inline std::int64_t number_in(const std::vector<std::byte>& bytes) {
  std::int64_t i = -1;
  if (bytes.size() == sizeof i) std::memcpy(&i, bytes.data(), sizeof i);
  return i;
}

template <class T> T value_of(Result<T> result) {
  if (!result) {
    for (const auto& d : result.why()) ADD_FAILURE() << to_text(d);
    throw std::runtime_error("no value");
  }
  return std::move(result).value();
}

// Rows first..last-1, a checkpoint after every `every` of them, whose content is the number of
// rows.
inline Sink::Fault write_rows(RunWriter& writer,
                              std::int64_t first,
                              std::int64_t last,
                              std::int64_t every) {
  for (std::int64_t i = first; i < last; ++i) {
    if (auto fault = writer.sample(row_time(i), row_values(i))) return fault;
    if ((i + 1) % every == 0)
      if (auto fault = writer.checkpoint(row_time(i), bytes_of(i + 1))) return fault;
  }
  return {};
}

// The rows of the first analysis are exactly row_values(0..n-1); returns n.
inline std::int64_t count_right_rows(const RunReader& reader, int segment = 0) {
  std::int64_t i = 0;
  const auto fault = reader.each_row(segment, [&](double t, std::span<const double> row) {
    const auto expected = row_values(i, row.size());
    EXPECT_EQ(t, row_time(i));
    EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin()));
    ++i;
    return true;
  });
  EXPECT_FALSE(fault) << to_text(*fault);
  return i;
}

}  // namespace cardan::test
