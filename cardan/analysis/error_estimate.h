#pragma once
// The global error of a run, estimated by a second one that is finer.
//
// Fixed step h, order p: y_h = y + C h^p and y_(h/2) = y + C (h/2)^p give the error of the run,
//   |y_h - y| = 2^p / (2^p - 1) |y_h - y_(h/2)|,
// 2^p times what (7.9) of the lecture notes on numerical integration says of y_(h/2). A step that
// is controlled: the second run has a hundredth of the tolerances, and the difference is the
// estimate. A difference passes through zero where the error does not, so a sample takes the
// largest estimate of itself and its two neighbours; what round-off leaves of solved constraints,
// 5e-13 of the largest value of any channel with its unit, is the least it can be. Channels that
// are measures of errors themselves (residuals, the energy balance) or of the integrator (step and
// order) have none.
#include <functional>
#include <span>
#include <vector>

#include "cardan/analysis/run.h"

namespace cardan {

bool wants_error_estimate(const Model&);

// How the dynamic analysis is refined; the words say what the estimate is made of.
struct Refinement {
  DynamicOptions options;
  double factor = 1;  // estimate = factor * |difference|
  std::string words;
};

// `from`: where the analysis began.
Refinement refine(const DynamicOptions&, const Summary& of_the_run, double from);

// Turns differences into estimates, row by row and one row late.
class ErrorRows {
 public:
  ErrorRows(std::span<const Channel>, double factor);
  // The row of the run and that of the finer one; no finer one: not known. Returns the estimates of
  // the row before, or nothing for the first.
  std::span<const double> add(double t, std::span<const double> row, std::span<const double> finer);
  std::span<const double> last();  // the estimates of the last row

  ErrorEstimate summary() const;

 private:
  std::span<const double> combine(std::span<const double> after);

  std::vector<Channel> channels_;
  std::vector<char> has_error_;
  std::vector<std::size_t> kind_;  // the first channel of the same unit
  double factor_;
  std::vector<double> before_, here_, next_, out_, size_;
  std::vector<ChannelError> largest_;
  double t_ = 0;
  long rows_ = 0, unmatched_ = 0;
};

// The samples of a run again, in order.
class StoredRows {
 public:
  virtual ~StoredRows() = default;
  virtual Sink::Fault open(int analysis) = 0;
  virtual bool next(double& t, std::span<double> row) = 0;  // false: no more
};

// One row of estimates per sample of every dynamic analysis, in order.
using EstimateTarget = std::function<Sink::Fault(int analysis, std::span<const double> estimates)>;

// Runs the model again, finer, and puts the estimates into the summaries of the outcome. A finer
// run that fails leaves the rest unknown and is told as a warning; one that is cancelled makes the
// outcome interrupted.
void estimate_errors(const Model&,
                     Outcome&,
                     StoredRows&,
                     const EstimateTarget&,
                     const Control& control,
                     const ModelVariants* variants = nullptr);

}  // namespace cardan
