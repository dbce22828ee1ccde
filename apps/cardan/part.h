#pragma once
// Parts of Cardan that need large libraries (the HTTP server of `cardan view`, HDF5) are programs
// of their own, so that no other command waits for those libraries to load. They lie beside the
// program where it was built, and in libexec/cardan where it is installed.
#include <string>
#include <vector>

#include "cardan/base/diagnostic.h"

namespace cardan::app {

// Puts the part in the place of this process, so its exit code and its signals are ours. Comes back
// only when that fails, with the reason.
Diagnostic become_part(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace cardan::app
