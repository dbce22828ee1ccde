#pragma once
// What a report says about one analysis of a run, as JSON: title, status, channels, scene, events,
// diagnostics, mobility, model text, summary and manifest. viewer/src/data/format.ts is its reader.
#include <nlohmann/json_fwd.hpp>

#include "cardan/report/report_columns.h"
#include "cardan/results/run_reader.h"

namespace cardan {

struct ReportRun {
  const RunReader* run = nullptr;
  int segment = 0;  // -1: the run ended before its first analysis
  std::string id;   // what the page calls the run
};

Result<nlohmann::ordered_json> report_document(const ReportRun&, const PackedColumns&);

// "completed", "failed", "interrupted" or "running", from the summary beside the store, or from the
// store alone.
std::string run_status(const RunReader&);

// The summary beside the store; an empty object when there is none.
nlohmann::ordered_json run_summary(const RunReader&);

// The title that the model gives itself, else the name of its file.
std::string run_title(const RunReader&);

// The analysis a reader wants to see first: the last that has more than one row, else the last.
int main_segment(const RunReader&);

}  // namespace cardan
