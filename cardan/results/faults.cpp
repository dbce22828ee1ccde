#include "cardan/results/faults.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

namespace cardan {

namespace {

Diagnostic fault(const char* id, const std::filesystem::path& path, std::string found) {
  Diagnostic d;
  d.id = id;
  d.where.file = std::make_shared<const std::string>(path.string());
  d.found = std::move(found);
  return d;
}

}  // namespace

Diagnostic write_fault(const std::filesystem::path& path, std::string found) {
  Diagnostic d = fault("io.write", path, "cannot write: " + std::move(found));
  d.hint =
      "see that the disk has room and the folder may be written; what was stored before is kept";
  return d;
}

Diagnostic read_fault(const std::filesystem::path& path, std::string found) {
  Diagnostic d = fault("io.open", path, "cannot read: " + std::move(found));
  d.hint =
      "see that the file may be read; a run that was stopped hard is read from a folder that may "
      "be written";
  return d;
}

Diagnostic missing_file(const std::filesystem::path& path, std::string expected) {
  Diagnostic d = fault("io.open", path, "there is no such file");
  d.expected = std::move(expected);
  return d;
}

Diagnostic already_there(const std::filesystem::path& path) {
  Diagnostic d = fault("io.exists", path, "it exists already and is not overwritten");
  d.hint = "choose another name, or use --force to replace it";
  return d;
}

Diagnostic not_a_run(const std::filesystem::path& path, std::string found) {
  Diagnostic d = fault("io.not-a-run", path, std::move(found));
  d.expected = "a run folder or its run.db";
  return d;
}

Diagnostic store_busy(const std::filesystem::path& path) {
  Diagnostic d = fault("io.busy", path, "another process is writing this run");
  d.hint = "wait for it to end, or stop it";
  return d;
}

Diagnostic changed_store(const std::filesystem::path& path) {
  Diagnostic d = fault("io.busy", path, "another process continued this run while it was read");
  d.hint = "read it again";
  return d;
}

Diagnostic corrupt_store(const std::filesystem::path& path, std::string found) {
  Diagnostic d = fault("corrupt.store", path, "the run store is damaged: " + std::move(found));
  d.hint = "take the copy that was not damaged, or run the model again";
  return d;
}

Diagnostic unknown_channel(std::string pattern, std::string nearest) {
  Diagnostic d;
  d.id = "usage.unknown-channel";
  d.found = fmt::format("no channel matches '{}'", pattern);
  d.expected = "the name of a channel, or a pattern with * and ?";
  if (!nearest.empty()) d.hint = fmt::format("did you mean '{}'?", nearest);
  return d;
}

}  // namespace cardan
