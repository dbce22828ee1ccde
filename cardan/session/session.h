#pragma once
// One run of a model, as every front end asks for it: read, check, analyses, error estimate, store,
// summary, report. Command line, Python and C++ programs call the same two functions.
//
//   RunRequest request;
//   request.model.path = "model.toml";
//   request.model.give("rtol", "1e-9");
//   const auto run = run_model_file(request);
//   if (run) use(run.value().folder, run.value().outcome.summary);
#include <filesystem>
#include <string>

#include "cardan/analysis/control.h"
#include "cardan/analysis/run.h"
#include "cardan/session/model_request.h"
#include "cardan/session/run_output.h"

namespace cardan {

struct RunRequest {
  ModelRequest model;
  OutputSetting output;
  Control control{};
};

struct RunResult {
  std::filesystem::path folder;  // empty: nothing was worth keeping
  Outcome outcome;               // all diagnostics are in its summary
  bool was_complete = false;     // resume: there was nothing left to do
};

// Faults: the model cannot be read, or the output exists. What goes wrong later is in the outcome,
// and what was computed before it is kept.
Result<RunResult> run_model_file(const RunRequest&);

// Goes on with a run that was stopped or killed, from its last checkpoint. The folder of the output
// setting is not used.
Result<RunResult> resume_run(const std::string& run, const OutputSetting&, const Control&);

// The model of a stored run from its start once more, into another folder.
Result<RunResult> run_stored_again(const std::string& run, const OutputSetting&, const Control&);

}  // namespace cardan
