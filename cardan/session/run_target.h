#pragma once
// Where a run goes: a folder (run_output.h) or memory (memory_run.h).
#include <memory>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cardan/base/result.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"

namespace cardan {

class StoredRows;

class RunTarget : public Sink {
 public:
  // For error estimates: all samples so far, and where estimates of them go.
  virtual Result<std::unique_ptr<StoredRows>> stored_rows() = 0;
  virtual Fault estimate(int analysis, std::span<const double> row) = 0;

  virtual void keep(std::string key, nlohmann::ordered_json value) = 0;  // one more of the manifest
  virtual Fault finish(const Summary&) = 0;  // stores what is to be said at the end
};

}  // namespace cardan
