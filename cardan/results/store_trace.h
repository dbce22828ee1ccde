#pragma once
// What can be seen of a run store from outside: which file it is, its size, time and header, and the
// same of the log beside it. Equal traces before and after a reading mean that no process wrote, ended
// or replaced the store meanwhile; times alone do not, because the clock of a file system stands still
// for some milliseconds.
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "cardan/results/database.h"

namespace cardan {

struct FileTrace {
  std::uint64_t device = 0, number = 0;  // both 0: there is no such file
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;

  bool operator==(const FileTrace&) const = default;
};

struct StoreTrace {
  FileTrace store, log;
  Database::Header header{};

  bool operator==(const StoreTrace&) const = default;

  // Longer than the clock of a file system stands still.
  static constexpr std::chrono::milliseconds settles{20};
};

StoreTrace trace_of(const std::filesystem::path& store);

// Whether the file that is open has other contents than it had. One that took its name since is
// another file, and leaves the open one alone.
bool changed_in_place(const StoreTrace& before,
                      const Database& open,
                      const std::filesystem::path& store);

}  // namespace cardan
