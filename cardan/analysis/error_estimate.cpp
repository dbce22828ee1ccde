#include "cardan/analysis/error_estimate.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double tighter = 100;            // ratio of the tolerances of the two runs
constexpr double least_tolerance = 5e-14;  // what round-off allows an integrator to aim at
constexpr double same_moment = 1e-9;       // relative to the distance of the samples

// Compares the samples of the finer run with those stored, as both come.
class Comparing : public Sink {
 public:
  Comparing(const std::vector<Refinement>& refinements,
            StoredRows& stored,
            const EstimateTarget& target)
      : refinements_(refinements), stored_(stored), target_(target) {}

  Fault open(std::span<const Channel> channels) override {
    if (Fault fault = end_analysis()) return fault;
    ++analysis_;
    if (at_end() || refinements_[static_cast<std::size_t>(analysis_)].words.empty()) return {};
    rows_ = std::make_unique<ErrorRows>(channels,
                                        refinements_[static_cast<std::size_t>(analysis_)].factor);
    row_.assign(channels.size(), 0.0);
    if (Fault fault = stored_.open(analysis_)) return fault;
    have_ = stored_.next(t_, row_);
    return {};
  }

  Fault sample(double t, std::span<const double> finer) override {
    if (!rows_) return {};
    while (have_ && earlier(t_, t))  // samples that only the run has
      if (Fault fault = pass({})) return fault;
    return have_ && together(t_, t) ? pass(finer) : Fault();
  }

  Fault finish() { return end_analysis(); }

  std::vector<std::pair<int, ErrorEstimate>> estimates;

 private:
  bool at_end() const { return analysis_ >= static_cast<int>(refinements_.size()); }

  bool together(double a, double b) const {
    return std::abs(a - b) <= same_moment * std::max(distance_, 1e-300) || a == b;
  }

  bool earlier(double a, double b) const { return !together(a, b) && (b - a) * direction_ > 0; }

  // One row of the run done, the next fetched.
  Fault pass(std::span<const double> finer) {
    const auto done = rows_->add(t_, row_, finer);
    const double before = t_;
    if (!done.empty())
      if (Fault fault = target_(analysis_, done)) return fault;
    have_ = stored_.next(t_, row_);
    if (have_ && t_ != before) {
      direction_ = t_ > before ? 1 : -1;
      distance_ = std::abs(t_ - before);
    }
    return {};
  }

  Fault end_analysis() {
    if (!rows_) return {};
    while (have_)
      if (Fault fault = pass({})) return fault;
    const auto done = rows_->last();
    Fault fault;
    if (!done.empty()) fault = target_(analysis_, done);
    estimates.emplace_back(analysis_, rows_->summary());
    rows_.reset();
    return fault;
  }

  const std::vector<Refinement>& refinements_;
  StoredRows& stored_;
  const EstimateTarget& target_;
  std::unique_ptr<ErrorRows> rows_;
  int analysis_ = -1;
  double t_ = 0, direction_ = 1, distance_ = 0;
  std::vector<double> row_;
  bool have_ = false;
};

void note_failure(const Summary& finer, Summary& summary) {
  if (finer.status == "interrupted") {
    summary.status = "interrupted";
    summary.diagnostics.push_back(finer.diagnostics.back());
    return;
  }
  Diagnostic d;
  d.id = "numeric.error-estimate";
  d.severity = Severity::warning;
  d.t = finer.t_end;
  d.found = "the finer run that the error estimate needs ended early";
  for (const Diagnostic& why : finer.diagnostics)
    if (why.severity == Severity::error) d.found += ": " + why.found;
  d.hint = "samples from there on have no estimate";
  summary.diagnostics.push_back(std::move(d));
}

// The longest step of the finer run: a tenth of what the first was allowed, so that not both can step
// over the same thing. Where a run has as many steps as samples, samples were its bound.
double shorter_step(const DynamicOptions& given, const Summary& run, double from) {
  const double span = std::abs(given.until - from);
  double allowed = std::min(given.max_step, span / 200);
  if (given.output_step > 0 &&
      static_cast<double>(run.stats.steps) * given.output_step > 0.9 * span)
    allowed = std::min(allowed, given.output_step);
  return allowed / 10;
}

}  // namespace

bool wants_error_estimate(const Model& model) {
  return std::any_of(model.analyses.begin(), model.analyses.end(), [](const Analysis& a) {
    const auto* dynamic = std::get_if<DynamicOptions>(&a);
    return dynamic != nullptr && dynamic->error_estimate;
  });
}

Refinement refine(const DynamicOptions& given, const Summary& run, double from) {
  Refinement out{given, 1, {}};
  DynamicOptions& o = out.options;
  const FormulationEntry* formulation = find_formulation(run.formulation);
  if (formulation != nullptr) {  // what "auto" chose must not be chosen otherwise the second time
    o.formulation = run.formulation;
    if (!formulation->built_in_integrator) o.integrator = run.integrator;
  }
  if (run.fixed_order > 0) {
    const double power = elementary::exp2(run.fixed_order);
    out.factor = power / (power - 1);
    o.step /= 2;
    o.rtol /= power, o.atol /= power;  // of what formulations solve for
    o.constraint_tolerance /= power;
    out.words =
        fmt::format("step halved to {:.6g} s, Richardson with order {}", o.step, run.fixed_order);
    return out;
  }
  const double share = std::max(1 / tighter, least_tolerance / o.rtol);
  if (share >
      0.5) {  // nothing finer is possible: the difference to a coarser run is an upper bound
    o.rtol *= 10, o.atol *= 10, o.atol_each_share *= 10, o.constraint_tolerance *= 10;
    out.words = fmt::format("difference to a run at rtol = {:.2g}, an upper bound", o.rtol);
    return out;
  }
  o.rtol *= share, o.atol *= share, o.atol_each_share *= share, o.constraint_tolerance *= share;
  o.max_step = shorter_step(given, run, from);
  o.min_step = 0;
  out.factor = 1 / (1 - share);  // errors fall like the tolerance
  out.words =
      fmt::format("difference to a run at rtol = {:.2g}, atol = {:.2g} with steps up to {:.2g} s",
                  o.rtol,
                  o.atol,
                  o.max_step);
  return out;
}

void estimate_errors(const Model& model,
                     Outcome& outcome,
                     StoredRows& stored,
                     const EstimateTarget& target,
                     const Control& control,
                     const ModelVariants* variants) {
  Model finer = model;
  std::vector<Refinement> refinements(model.analyses.size());
  const std::size_t done = outcome.summary.earlier.size() + 1;
  const auto summary_of = [&](std::size_t k) -> Summary& {
    return k + 1 < done ? outcome.summary.earlier[k] : outcome.summary;
  };
  for (std::size_t k = 0; k < std::min(done, model.analyses.size()); ++k)
    if (auto* options = std::get_if<DynamicOptions>(&finer.analyses[k])) {
      refinements[k] = refine(*options, summary_of(k), k == 0 ? 0 : summary_of(k - 1).t_end);
      *options = refinements[k].options;
      options->rows = "grid";
    }
  Comparing comparing(refinements, stored, target);
  Control quiet = control;
  quiet.watch = false;
  const Outcome second = run_model(finer, comparing, quiet, {}, variants);
  if (!ended_well(second.summary)) note_failure(second.summary, outcome.summary);
  if (second.summary.status == "interrupted") return;
  if (const auto fault = comparing.finish()) {
    outcome.summary.status = "failed";
    outcome.summary.diagnostics.push_back(*fault);
    return;
  }
  for (auto& [k, estimate] : comparing.estimates) {
    estimate.method = refinements[static_cast<std::size_t>(k)].words;
    summary_of(static_cast<std::size_t>(k)).error_estimate = std::move(estimate);
  }
}

}  // namespace cardan
