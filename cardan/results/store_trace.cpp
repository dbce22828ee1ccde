#include "cardan/results/store_trace.h"

#include <sys/stat.h>

namespace cardan {

namespace {

FileTrace trace_file(const std::filesystem::path& path) {
  struct stat status {};

  if (stat(path.c_str(), &status) != 0) return {};
  return {
      status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace

StoreTrace trace_of(const std::filesystem::path& store) {
  std::filesystem::path log = store;
  log += "-wal";
  return {
      trace_file(store), trace_file(log), Database::header_of(store).value_or(Database::Header{})};
}

bool changed_in_place(const StoreTrace& before,
                      const Database& open,
                      const std::filesystem::path& store) {
  if (open.header() != before.header) return true;
  const FileTrace now = trace_file(store);
  const bool same_file = now.device == before.store.device && now.number == before.store.number;
  return same_file && now != before.store;
}

}  // namespace cardan
