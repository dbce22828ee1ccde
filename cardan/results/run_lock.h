#pragma once
// One writer of a run for the life of a process: a file RUN.db.lock beside the store, locked with
// flock(2). The system lets the lock go when the process ends, however it ends; the file is removed
// by who holds it.
#include <filesystem>

#include "cardan/base/result.h"

namespace cardan {

class RunLock {
 public:
  // For the store of this name, there or not yet; its folder must exist. io.busy where another
  // process, or another part of this one, has it.
  static Result<RunLock> take(const std::filesystem::path& store);

  RunLock(RunLock&&) noexcept;
  RunLock& operator=(RunLock&&) noexcept;
  ~RunLock();

 private:
  RunLock(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace cardan
