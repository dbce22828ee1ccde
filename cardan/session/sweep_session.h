#pragma once
// Sweeps as every front end asks for them: a model, what varies, what is measured; a store comes out.
//
//   SweepRequest request;
//   request.model.path = "model.toml";
//   request.vary = {"stiffness=20:5:40 N/mm"};
//   request.measures = {"peak = max(abs(\"wrist pin.force\"))"};
//   const auto sweep = run_sweep(request, {}, {});
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cardan/session/model_request.h"
#include "cardan/session/session.h"
#include "cardan/study/sweep.h"
#include "cardan/study/sweep_store.h"

namespace cardan {

struct SweepRequest {
  ModelRequest model;
  std::vector<std::string> vary;  // study/variation.h
  DesignSetting design;
  std::vector<std::string> measures;   // study/measure.h
  std::vector<std::string> samples{};  // channels whose rows are kept, with * and ?
  // Where these lines stand in the model file; empty: they do not.
  std::vector<SourcePos> vary_where{}, measures_where{};
};

// With what a [[sweep]] block of the model says; name empty: the only one.
Result<SweepRequest> with_block(SweepRequest, const std::string& name);

struct SweepOutput {
  std::string folder;  // empty: sweeps/<model>/<number>
  bool force = false;
};

struct SweepResult {
  std::filesystem::path folder;
  SweepTally tally;
};

// A sweep that is checked and can be run: for who brings workers of his own.
class ReadySweep {
 public:
  static Result<ReadySweep> make(const SweepRequest&);
  ReadySweep(ReadySweep&&) noexcept;
  ReadySweep& operator=(ReadySweep&&) noexcept;
  ~ReadySweep();

  const SweepRequest& request() const;
  const Design& design() const;
  const PointRunner& runner() const;
  SweepColumns columns() const;
  nlohmann::ordered_json about() const;  // what was asked for

 private:
  struct Parts;
  explicit ReadySweep(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

Result<SweepResult> run_sweep(const SweepRequest&, const SweepOutput&, const SweepControl&);

// The points that are missing. Refused: a store of another version of the program.
Result<SweepResult> resume_sweep(const std::string& store, const SweepControl&);

// One point again as an ordinary run, and whether its measures are those of the store to the bit.
struct PointAgain {
  RunResult run;
  SweepRow row;
  std::vector<double> measures;
  bool same = false;
};

Result<PointAgain> run_point_again(const std::string& store,
                                   long number,
                                   const OutputSetting&,
                                   const Control&);

SweepRequest sweep_request(
    const nlohmann::ordered_json& about);  // throws nlohmann::json::exception

std::string sweep_table(const SweepStore&, Diagnostics& faults);  // comma-separated values

}  // namespace cardan
