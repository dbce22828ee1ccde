#pragma once
// A run in memory with the file that its model came from.
#include <string>

#include "cardan/session/memory_run.h"

namespace cardan::python {

struct MemoryRunData {
  MemoryResult result;
  std::string model;

  const MemorySegment& segment(int k) const {
    return result.run->segments().at(static_cast<std::size_t>(k));
  }
};

}  // namespace cardan::python
