#pragma once
// One model by many methods: what each costs and how far it is from the truth.
//
// The truth is a reference made by two independent methods at very fine tolerances; where they
// agree, it is converged. Errors are measured variable by variable: e_i = |p_i - p_ref_i| at the
// samples, the sup-norm max e_i and when it occurs, the 2-norm sqrt(sum e_i^2), and the relative
// error 100 max e_i / |p_ref| there, in per cent. Methods are ranked by the processor time they
// need to keep every variable within the accuracy asked for, relative to the largest value that any
// variable of its kind and unit has.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cardan/analysis/run.h"
#include "cardan/study/largest_step.h"

namespace cardan {

struct Contender {
  std::string formulation, integrator;  // integrator "auto": the formulation's own
  int order = 0;
  bool fixed = false;  // step is given, otherwise the tolerance
  double setting = 0;  // step or relative tolerance
  double longest = std::numeric_limits<double>::infinity();  // s: no longer steps

  std::string name() const;           // "projected + dop853"
  std::string settings_text() const;  // "rtol = 1e-08", "step = 1 ms"
  bool same_method(const Contender&) const;
};

struct ErrorNorms {  // of the worst variable
  std::string channel, unit;
  double sup = Summary::unknown, at = 0, two_norm = Summary::unknown,
         percent = Summary::unknown;   // NaN: the reference is zero there
  double relative = Summary::unknown;  // what the accuracy is compared with
};

struct Trial {
  Contender method;
  enum class State { complete, failed, skipped } state = State::skipped;
  std::string reason;  // of a failure, or why it was not run
  bool too_slow = false;
  ErrorNorms error;
  double drift = Summary::unknown, velocity_drift = Summary::unknown,
         imbalance = Summary::unknown;  // largest over time
  RunStatistics stats;                  // cpu_seconds: of the thread, least of some repetitions
  std::vector<double> times, drifts;    // over time
};

// An implicit method with given steps: how large they may be.
struct StepLimit {
  std::string method;  // "state-space + newmark, jacobian fv"
  LargestStep found;
  double iterations() const;  // of Newton's method in a step, at the largest one
};

// What the comparison keeps of a run: the chosen variables at the samples.
struct Trajectory {
  std::vector<Channel> channels;
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
};

struct Reference {
  Trajectory run;
  std::string words;                    // how it was made
  double agreement = Summary::unknown;  // of the two methods, relative; NaN: there was only one
  bool converged = false;               // agreement well below the accuracy
  Diagnostics failures;                 // of methods that were tried
};

struct ComparisonOptions {
  double accuracy = 1e-6;
  std::vector<std::string> formulations,
      integrators;                        // "mampc:3" has an order; empty: all sensible
  std::vector<double> tolerances, steps;  // empty: chosen
  std::vector<std::string> channels;      // patterns; empty: the positions of bodies
  double budget = 60;                     // seconds for everything
};

struct ComparisonControl {
  std::function<void(const std::string& what, std::size_t done, std::size_t all)> progress;
  std::function<bool()> cancelled;
};

struct Comparison {
  ComparisonOptions options;
  Reference reference;
  std::vector<Trial> trials;
  std::optional<Trial> present;  // the model's own settings
  std::vector<StepLimit> step_limits;
  std::vector<std::size_t> ranking;  // one trial a method: the cheapest that meets the accuracy,
                                     // cheapest first; then those that do not, most exact first
  std::size_t winners = 0;           // how many of the ranking meet it
  std::string advice;                // a recommendation in words
  bool complete = true;              // false: time ran out or the user stopped it
  double seconds = 0;
};

// Faults of the model itself, and names that are none, are the only ones that make it fail.
Result<Comparison> compare_methods(const Model&,
                                   const ComparisonOptions&,
                                   const ComparisonControl&);

// ---- parts of it

// The last dynamic analysis of the model, which is what methods are compared on; null: none.
const DynamicOptions* compared_analysis(const Model&);

// All methods to be tried, in groups of falling promise: settings from coarse to fine.
std::vector<std::vector<Contender>> contenders(const DynamicOptions&,
                                               const ComparisonOptions&,
                                               double usual_step);

// The keys of the analysis block that make it use this method.
DynamicOptions with_method(const DynamicOptions&, const Contender&);

struct TrialRun {
  Trial trial;
  Trajectory run;
};

// Runs it in memory, at most so many seconds; refers to nothing outside.
TrialRun try_method(const Model&,
                    const Contender&,
                    const std::vector<std::string>& channels,
                    double seconds,
                    const std::function<bool()>& cancelled);

// length: the size of the mechanism, the least that distances are compared with; angles and
// quaternions are compared with 1 at least.
ErrorNorms error_norms(const Trajectory& reference, const Trajectory& run, double length);

Reference make_reference(const Model&,
                         const ComparisonOptions&,
                         double length,
                         double seconds,
                         const ComparisonControl&);

// Of all implicit methods that take given steps and that the options do not leave out.
std::vector<StepLimit> find_step_limits(const Checked&,
                                        const DynamicOptions&,
                                        const ComparisonOptions&,
                                        const std::function<bool()>& stop);

void rank(Comparison&);  // fills ranking and winners
std::string advise(const Comparison&);

}  // namespace cardan
