#pragma once
// Cases with results that are known from outside: published figures, closed forms and solutions that
// were converged in other coordinates. `cardan selftest` runs them on the user's machine, and
// docs/verification.md is made of the same list (models/published.json, which is part of the program
// with the models that it names).
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cardan/analysis/control.h"
#include "cardan/base/result.h"
#include "cardan/session/model_request.h"

namespace cardan {

struct PublishedFile {
  std::string name, text;
};

const std::vector<PublishedFile>& published_files();

struct PublishedFigure {
  std::string channel;      // empty: an eigenvalue of the linearised motion
  std::optional<double> t;  // nothing: at the end
  double value = 0, imaginary = 0;
  double bound = 0;  // the error that is allowed
};

struct PublishedCase {
  std::string name, title, file;
  std::string source;     // where the problem is from
  std::string reference;  // how the figures were made
  ModelRequest request;
  std::vector<PublishedFigure> figures;
  bool for_methods = false;  // all methods are tried on it
};

const std::vector<PublishedCase>& published_cases();

struct FigureResult {
  double value = 0, imaginary = 0, error = 0;
  std::string unit;
};

struct CaseResult {
  std::vector<FigureResult> figures;  // as in the case; empty: the run failed
  Diagnostics faults;                 // why
  bool doubtful = false;              // the run did not trust itself, which is a failure here
  double seconds = 0;

  bool good(const PublishedCase&) const;  // every error is within its bound
  double worst() const;                   // of all errors; NaN: the run failed
};

// With other options of the analysis, as the command line would give them: {"formulation",
// "hybrid"}.
CaseResult run_case(const PublishedCase&,
                    const std::vector<std::pair<std::string, std::string>>& options,
                    const Control&);

}  // namespace cardan
