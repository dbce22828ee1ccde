#pragma once
// The store of a sweep: one SQLite database with what was asked for and a row for each point that is
// done. Rows are written as they come, in transactions; a sweep that is killed stands at the last of
// them and can be gone on with. Samples, where they are kept, lie in files of 256 points each
// (sample_files.h), written before the rows of their points. docs/user-guide/sweeps.md explains all.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cardan/base/result.h"
#include "cardan/results/database.h"
#include "cardan/results/run_lock.h"
#include "cardan/study/design.h"
#include "cardan/study/measure.h"
#include "cardan/study/point_runner.h"
#include "cardan/study/sample_files.h"

namespace cardan {

inline constexpr const char* sweep_store_name = "sweep.db";

struct SweepColumns {  // of a point's row
  std::vector<std::string> parameters, parameter_units, measures, measure_units;
  std::vector<Channel> samples{};  // channels whose rows are kept
};

nlohmann::ordered_json to_json(const SweepColumns&);

struct SweepRow {
  long number = 0;
  std::vector<double> values;
  PointResult result;
};

class SweepStore {
 public:
  // about: what was asked for, to go on with later. A sweep that is there is io.exists, or removed
  // with force, but never while another process writes it.
  static Result<SweepStore> create(const std::filesystem::path& folder,
                                   const nlohmann::ordered_json& about,
                                   const SweepColumns&,
                                   bool force);
  static Result<SweepStore> open(const std::filesystem::path& folder);  // to read
  static Result<SweepStore> open_to_write(const std::filesystem::path& folder);

  const nlohmann::ordered_json& about() const { return about_; }

  const SweepColumns& columns() const { return columns_; }

  const std::filesystem::path& path() const { return path_; }

  Result<std::vector<char>> done(long count) const;  // one flag a point
  std::optional<Diagnostic> add(const SweepRow&);    // visible to others after a moment, or sync()
  std::optional<Diagnostic> sync();

  // In order of their numbers, until the visitor returns false.
  std::optional<Diagnostic> each(const std::function<bool(const SweepRow&)>&) const;
  Result<std::optional<SweepRow>> row(long number) const;

  // The rows that were kept of a point, each t and the channels of columns().samples; empty: none.
  Result<std::vector<double>> samples(long number) const;

 private:
  SweepStore(std::filesystem::path, Database, std::optional<RunLock>);
  std::optional<Diagnostic> read_about();
  SweepRow row_of(const Statement&) const;

  Diagnostic fault(bool writing) const { return store_fault(database_, path_, writing); }

  std::filesystem::path path_;
  mutable Database database_;
  std::optional<RunLock> lock_;
  nlohmann::ordered_json about_;
  SweepColumns columns_;
  std::unique_ptr<Statement> insert_;
  std::optional<SampleFiles> files_;  // to write
  std::int64_t waiting_ = 0;          // rows of the open transaction
  std::int64_t began_ = 0;            // ms
};

// The store of a sweep given as its folder or as the file itself.
std::filesystem::path sweep_file(const std::filesystem::path&);

}  // namespace cardan
