#pragma once
// The diagnostics of files and run stores, worded once.
#include <filesystem>
#include <string>

#include "cardan/base/diagnostic.h"

namespace cardan {

Diagnostic write_fault(const std::filesystem::path&, std::string found);      // io.write
Diagnostic read_fault(const std::filesystem::path&, std::string found);       // io.open
Diagnostic missing_file(const std::filesystem::path&, std::string expected);  // io.open
Diagnostic already_there(const std::filesystem::path&);                       // io.exists
Diagnostic not_a_run(const std::filesystem::path&, std::string found);        // io.not-a-run
Diagnostic store_busy(const std::filesystem::path&);                          // io.busy
Diagnostic changed_store(const std::filesystem::path&);                       // io.busy
Diagnostic corrupt_store(const std::filesystem::path&, std::string found);    // corrupt.store
Diagnostic unknown_channel(std::string pattern, std::string nearest);  // usage.unknown-channel

}  // namespace cardan
