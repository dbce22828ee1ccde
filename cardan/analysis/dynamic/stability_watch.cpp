#include "cardan/analysis/dynamic/stability_watch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/formulation/choice.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double grows = 1 + 1e-9;     // |R| from which a solution grows, round-off apart
constexpr double by_itself = 0.01;     // of its size: the real part of what grows by itself
constexpr double much = 10;            // growth over a run that is told in any case
constexpr double clear_growth = 0.01;  // a logarithm of |R| that counts in a single step
constexpr double just_beyond = 1.001;  // of the limit, which the estimate of the rate may miss
constexpr long steps_between = 400;    // one look costs as much as 24 steps of Euler's method

std::string method_text(const MethodEntry& method, const MethodOptions& options) {
  const Traits traits = method.traits(options);
  return options.order > 0 || traits.order_min != traits.order_max
             ? fmt::format("{} of order {}", method.name, traits.order_max)
             : std::string(method.name);
}

}  // namespace

double stability_limit(const MethodEntry& method,
                       const MethodOptions& options,
                       std::complex<double> z) {
  constexpr int parts = 60, halvings = 30;
  double below = 0, above = 0;
  for (int k = 1; k <= parts && above == 0; ++k) {
    const double x = static_cast<double>(k) / parts;
    (method.amplification(options, x * z) > grows ? above : below) = x;
  }
  if (above == 0) return std::abs(z);
  if (below == 0) return 0;
  for (int k = 0; k < halvings; ++k) {
    const double x = 0.5 * (below + above);
    (method.amplification(options, x * z) > grows ? above : below) = x;
  }
  return below * std::abs(z);
}

StabilityWatch::StabilityWatch(const System& system, const DynamicOptions& options)
    : system_(system), options_(options) {}

bool StabilityWatch::grows_at(std::complex<double> z) const {
  return method_->amplification(method_options(options_), z) > grows;
}

// Clearly in one step, where some steps are stable; in any case much over the run.
bool StabilityWatch::grows_much(std::complex<double> z, double limit) const {
  const double growth = elementary::log(method_->amplification(method_options(options_), z));
  return (limit > 0 && growth > clear_growth) ||
         span_ / options_.step * growth > elementary::log(much);
}

Diagnostics StabilityWatch::begin(const Traits& traits,
                                  const State& state,
                                  const std::vector<char>& active,
                                  const std::optional<GainPair>& gains,
                                  double span) {
  const MethodEntry* method = find_method(options_.integrator);
  method_ = nullptr;
  if (traits.adaptive || !(options_.step > 0) || method == nullptr ||
      method->amplification == nullptr)
    return {};
  method_ = method;
  span_ = span;
  Diagnostics list;
  if (gains)
    if (auto told = feedback(*gains)) list.push_back(std::move(*told));
  if (!facts_) {
    facts_.emplace();
    facts_->step = options_.step;
    facts_->rate = 0;
  }
  if (steps_ > 0) return list;
  if (auto told = motion(state, active)) list.push_back(std::move(*told));
  return list;
}

std::optional<Diagnostic> StabilityWatch::step(const State& state,
                                               const std::vector<char>& active) {
  if (method_ == nullptr || ++steps_ % steps_between != 0) return {};
  return motion(state, active);
}

std::optional<Diagnostic> StabilityWatch::motion(const State& state,
                                                 const std::vector<char>& active) {
  const DominantRate fastest = fastest_rate(system_, active, state);
  if (!(fastest.rate > facts_->rate)) return {};
  const std::complex<double> value = fastest.eigenvalue;
  if (value.real() > by_itself * std::abs(value)) return {};
  facts_->rate = std::abs(value);
  facts_->decays = fastest.decays;
  const std::complex<double> z = value * options_.step;
  const Traits traits = method_->traits(method_options(options_));
  facts_->limit = fastest.decays ? traits.real_limit : traits.imaginary_limit;
  if (!grows_at(z)) return {};
  const double limit = stability_limit(*method_, method_options(options_), z), size = std::abs(z);
  facts_->limit = limit;
  if (told_ || size <= just_beyond * limit || !grows_much(z, limit)) return {};
  told_ = true;
  Diagnostic d = fault_at(
      "numeric.beyond-stability",
      fmt::format("the step of {:.4g} s is too long for the fastest part of the motion, which {} "
                  "with {:.4g} {}: step times rate is {:.4g}",
                  options_.step,
                  fastest.decays ? "decays" : "oscillates",
                  std::abs(value),
                  fastest.decays ? "1/s" : "rad/s",
                  size),
      state.t);
  d.severity = Severity::warning;
  d.where = options_.where;
  const std::string words = method_text(*method_, method_options(options_));
  if (limit > 0) {
    d.expected = fmt::format(
        "at most {:.4g} with {}; beyond it errors grow from step to step", limit, words);
    d.hint = fmt::format(
        "use a step of at most {:.4g} s, an integrator that chooses its steps, or "
        "an implicit one",
        limit / std::abs(value));
  } else {
    d.expected = fmt::format("{} lets oscillations grow with any step", words);
    d.hint =
        "use a far smaller step, or an integrator that is stable for oscillations, such as rk4";
  }
  return d;
}

std::optional<Diagnostic> StabilityWatch::feedback(const GainPair& gains) const {
  const std::complex<double> root =
      -gains.alpha -
      std::sqrt(std::complex<double>(gains.alpha * gains.alpha - gains.beta * gains.beta));
  const double h = options_.step;
  if (!(std::abs(root) > 0) || !grows_at(root * h)) return {};
  const double limit = stability_limit(*method_, method_options(options_), root * h);
  if (limit > 0 ? std::abs(root) * h <= just_beyond * limit : !grows_much(root * h, 0)) return {};
  const bool equal = gains.alpha == gains.beta;
  Diagnostic d = fault_at(
      "numeric.beyond-stability",
      equal ? fmt::format("the gains of the constraints are too large for the step: alpha = {:.4g} "
                          "1/s with h = {:.4g} s, alpha h = {:.4g}",
                          gains.alpha,
                          h,
                          gains.alpha * h)
            : fmt::format(
                  "the gains of the constraints are too large for the step: alpha = {:.4g} "
                  "1/s and beta = {:.4g} 1/s with h = {:.4g} s, largest root times h = {:.4g}",
                  gains.alpha,
                  gains.beta,
                  h,
                  std::abs(root) * h));
  d.severity = Severity::warning;
  d.where = options_.where;
  d.expected = fmt::format("at most {:.4g} with {}; beyond it violations of the constraints grow",
                           limit,
                           method_text(*method_, method_options(options_)));
  const double share = limit / (std::abs(root) * h);
  if (!std::isnan(options_.omega))
    d.hint = fmt::format("with this zeta, omega may be {:.4g} 1/s at most", share * gains.beta);
  else
    d.hint = fmt::format(
        "alpha may be {:.4g} 1/s at most with this step, or the step {:.4g} s with "
        "this alpha; gains = \"stability\" chooses it",
        share * gains.alpha,
        share * h);
  return d;
}

void StabilityWatch::serialize(Archive& archive) {
  archive.mark("stability");
  archive.io(steps_);
  archive.io(told_);
  bool known = facts_.has_value();
  archive.io(known);
  if (!known) return;
  if (!facts_) facts_.emplace();
  archive.io(facts_->step);
  archive.io(facts_->limit);
  archive.io(facts_->rate);
  archive.io(facts_->decays);
}

}  // namespace cardan
