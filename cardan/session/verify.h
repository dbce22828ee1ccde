#pragma once
// A stored run is run again and compared bit by bit with what was stored.
#include <string>

#include "cardan/analysis/control.h"
#include "cardan/base/result.h"
#include "cardan/results/run_difference.h"

namespace cardan {

struct Verification {
  RunDifference difference;
  bool whole = true;         // false: the stored run was stopped, so it is compared as a beginning
  bool interrupted = false;  // the second run was, so nothing is known
  // What made the stored run where it is not what runs now; otherwise empty.
  std::string other_version, other_processor;
};

// The second run goes to a folder for temporary files and is removed; with `keep` it goes there and
// stays.
Result<Verification> verify_run(const std::string& run, const std::string& keep, const Control&);

}  // namespace cardan
