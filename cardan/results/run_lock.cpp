#include "cardan/results/run_lock.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardan/results/faults.h"

namespace cardan {

namespace fs = std::filesystem;

namespace {

// Whether the name still leads to the file that is open: who held the lock before may have removed
// it while we waited for nobody else.
bool is_named(int file, const fs::path& path) {
  struct stat open {};

  struct stat named {};

  return fstat(file, &open) == 0 && lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

Result<RunLock> RunLock::take(const fs::path& store) {
  fs::path path = store;
  path += ".lock";
  for (;;) {
    const int file =
        open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0) return write_fault(path, std::strerror(errno));
    RunLock lock(path, file);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      lock.path_.clear();  // not ours to remove
      if (errno == EWOULDBLOCK) return store_busy(store);
      if (errno != EINTR) return write_fault(path, std::strerror(errno));
    } else if (is_named(file, path)) {
      return lock;
    } else {
      lock.path_.clear();
    }
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::exchange(other.file_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

RunLock::~RunLock() {
  if (file_ < 0) return;
  if (!path_.empty()) unlink(path_.c_str());  // before the lock goes, so that nobody else has it
  close(file_);
}

}  // namespace cardan
