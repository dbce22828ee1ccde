#pragma once
// What a run in another process has stored so far. Tests wait for it, never for a time: how far a run
// comes in a time is the machine's matter.
#include <cstdint>

#include "cardan/results/run_reader.h"
#include "test/cli/program.h"

namespace cardan::test {

inline std::int64_t rows_in(const std::filesystem::path& run) {
  std::error_code error;
  if (!std::filesystem::exists(run / "run.db", error)) return 0;
  const auto reader = RunReader::open(run);
  std::int64_t rows = 0;
  if (reader)
    for (const Segment& segment : reader.value().segments()) rows += segment.rows;
  return rows;
}

// For two minutes at most.
inline void wait_for_rows(const std::filesystem::path& run, std::int64_t wanted = 1) {
  for (int k = 0; k < 24000 && rows_in(run) < wanted; ++k) usleep(5000);
  ASSERT_GE(rows_in(run), wanted) << run;
}

}  // namespace cardan::test
