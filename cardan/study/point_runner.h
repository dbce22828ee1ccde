#pragma once
// One point of a sweep: the model with other values of its parameters is run and measured. The
// structure of the nominal system is shared by all; every point is a function of its values alone, so
// that it is the same to the bit whoever runs it, and when.
#include <memory>
#include <string>
#include <vector>

#include "cardan/analysis/control.h"
#include "cardan/base/result.h"
#include "cardan/model/model_variants.h"
#include "cardan/study/measure.h"

namespace cardan {

class System;

struct PointResult {
  std::string status;            // complete, doubtful, failed, interrupted
  std::string cause;             // id of the first error; empty: none
  Diagnostics why;               // errors and warnings
  std::vector<double> measures;  // NaN: not known
  std::vector<double> slopes;  // of the measures by the sensitivities asked for, measure by measure
  std::vector<double> samples;  // rows of t and the channels that are kept
};

struct PointWishes {
  std::vector<std::string> measures;  // study/measure.h
  std::vector<std::string> samples;   // channels whose rows are kept, with * and ?
};

class PointRunner {
 public:
  // Checks the nominal model and the measures on it. The variants must outlive the runner.
  static Result<PointRunner> make(const ModelVariants&,
                                  const Model& nominal,
                                  std::vector<std::string> parameters,
                                  const PointWishes&);
  PointRunner(PointRunner&&) noexcept;
  PointRunner& operator=(PointRunner&&) noexcept;
  ~PointRunner();

  const Measures& measures() const { return measures_; }

  const std::vector<Channel>& samples() const { return samples_; }  // that are kept

  // Several threads may call it at once.
  PointResult run(const std::vector<double>& values, const Control&) const;

 private:
  PointRunner(const ModelVariants&,
              std::vector<std::string>,
              std::unique_ptr<const System>,
              Measures,
              std::vector<Channel> samples);

  const ModelVariants* variants_;
  std::vector<std::string> parameters_;
  std::unique_ptr<const System> nominal_;
  Measures measures_;
  std::vector<Channel> samples_;
  std::vector<std::string> needed_;  // channels that a point records; empty: those of the model
  bool only_ends_ = false;           // measures read the first and the last row
};

}  // namespace cardan
