// The reference of a comparison: runs at very fine tolerances by methods that share neither
// formulation nor integrator, until two of them agree. Their steps are a tenth of what other runs are
// allowed, so that not all can step over the same thing.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "cardan/study/comparison.h"

namespace cardan {

namespace {

constexpr double finer = 1e-6;  // tolerances, against the accuracy
constexpr double margin = 10;   // the reference shall be so much better than the accuracy
constexpr double shorter = 10;  // steps, against those allowed to all methods

struct Candidate {
  const char *formulation, *integrator;
};

constexpr Candidate candidates[] = {{"projected", "dop853"},
                                    {"partitioned", "adams"},
                                    {"half-explicit", "auto"},
                                    {"null-space", "ode45"},
                                    {"tangent-qr", "adams"},
                                    {"projected", "radau5"},
                                    {"direct", "dop853"}};

std::string words_for(const Contender& method) {
  return fmt::format("{} ({})", method.name(), method.settings_text());
}

Diagnostic no_reference(const Contender& method, const std::string& reason) {
  Diagnostic d;
  d.id = "numeric.comparison";
  d.severity = Severity::note;
  d.found = fmt::format("no reference by {}: {}", words_for(method), reason);
  return d;
}

bool independent(const Contender& a, const Contender& b) {
  return a.formulation != b.formulation && a.integrator != b.integrator;
}

// Whether the last run agrees better with an earlier one than any two did before.
void look_for_agreement(const std::vector<TrialRun>& runs, double length, Reference& out) {
  const TrialRun& last = runs.back();
  for (const TrialRun& run : runs) {
    if (!independent(run.trial.method, last.trial.method)) continue;
    const double apart = error_norms(run.run, last.run, length).relative;
    if (apart >= out.agreement) continue;  // false as long as it is not known
    out.agreement = apart;
    out.run = run.run;
    out.words = words_for(run.trial.method) + " and " + words_for(last.trial.method);
  }
}

// What other runs are allowed without max_step, see Simulation::largest_step.
double longest_of_references(const DynamicOptions& given) {
  double allowed = std::min(given.max_step, std::abs(given.until) / 200);
  if (given.output_step > 0) allowed = std::min(allowed, given.output_step);
  return allowed / shorter;
}

}  // namespace

Reference make_reference(const Model& model,
                         const ComparisonOptions& options,
                         double length,
                         double seconds,
                         const ComparisonControl& control) {
  Reference out;
  const double fine = std::clamp(options.accuracy * finer, 1e-13, 1e-10);
  const auto start = std::chrono::steady_clock::now();
  const auto left = [&] {
    return seconds -
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<TrialRun> runs;
  for (const Candidate& c : candidates) {
    const std::size_t before = runs.size();
    for (const double tolerance : {fine, 100 * fine}) {
      if (left() <= 0 || (control.cancelled && control.cancelled())) break;
      Contender method{c.formulation, c.integrator, 0, false, tolerance};
      if (const DynamicOptions* given = compared_analysis(model))
        method.longest = longest_of_references(*given);
      if (control.progress)
        control.progress("reference by " + method.name(), runs.size(), std::size(candidates));
      TrialRun run = try_method(model, method, options.channels, left() / 2, control.cancelled);
      if (run.trial.state == Trial::State::complete) {
        runs.push_back(std::move(run));
        break;
      }
      out.failures.push_back(no_reference(method, run.trial.reason));
    }
    if (runs.size() > before) look_for_agreement(runs, length, out);
    out.converged = out.agreement <= options.accuracy / margin;
    if (out.converged) return out;
  }
  if (out.words.empty() && !runs.empty()) {
    out.run = runs.front().run;
    out.words = words_for(runs.front().trial.method) + " alone";
  }
  return out;
}

}  // namespace cardan
