#include "cardan/formulation/explicit/gains.h"

#include <algorithm>
#include <cmath>

#include "cardan/formulation/method_settings.h"

namespace cardan {

namespace {

constexpr double unknown_limit = 1;  // of integrators whose limit is not known
constexpr double widest = 4;  // implicit integrators have no limit: no gain beyond this many steps

Diagnostic refuse(const DynamicOptions& options, std::string found, std::string expected) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.where;
  d.element = "formulation \"" + options.formulation + "\"";
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

double stability_limit(const MethodEntry& method, const MethodOptions& options) {
  const double limit = method.traits(options).real_limit;
  return limit > 0 ? std::min(limit, widest) : unknown_limit;
}

double fastest_decay(const MethodEntry& method, const MethodOptions& options) {
  if (method.amplification == nullptr) return unknown_limit / 2;
  const double limit = stability_limit(method, options);
  double best = limit / 2, least = INFINITY;
  constexpr int points = 400;
  for (int k = 1; k < points; ++k) {
    const double x = limit * k / points, growth = method.amplification(options, -x);
    if (growth < least) {
      least = growth;
      best = x;
    }
  }
  return best;
}

constexpr double share_of_mean = 0.2;  // of the gain at the limit, for steps that vary
constexpr double most_rise = 2;        // times the lowest gain so far
constexpr long first_steps = 20;
constexpr double hysteresis =
    1.3;  // changes of the mean step that are not worth a change of the gain

}  // namespace

void FollowedGain::step(double h) {
  if (share_ <= 0 || fixed_) return;
  total_ += std::abs(h);
  if (++steps_ < first_steps) return;
  double wanted = share_of_mean * share_ * static_cast<double>(steps_) / total_;
  lowest_ = lowest_ > 0 ? std::min(lowest_, wanted) : wanted;
  wanted = std::min(wanted, most_rise * lowest_);
  if (wanted > hysteresis * gain_ || wanted * hysteresis < gain_) gain_ = wanted;
}

void FollowedGain::serialize(Archive& archive) {
  archive.io(gain_);
  archive.io(total_);
  archive.io(lowest_);
  archive.io(steps_);
}

Result<Gains> choose_gains(const DynamicOptions& options) {
  const bool pair = !std::isnan(options.alpha) || !std::isnan(options.beta);
  const bool oscillator = !std::isnan(options.zeta) || !std::isnan(options.omega);
  if (pair && oscillator)
    return refuse(options, "both (alpha, beta) and (zeta, omega)", "one of the two pairs");
  if (pair) {
    const double alpha = std::isnan(options.alpha) ? options.beta : options.alpha;
    return Gains{alpha, std::isnan(options.beta) ? alpha : options.beta, 0, true};
  }
  if (oscillator) {
    if (std::isnan(options.omega))
      return refuse(options, "zeta without omega", "omega = ..., the frequency of the error");
    const double zeta = std::isnan(options.zeta) ? 1 : options.zeta;
    return Gains{zeta * options.omega, options.omega, 0, true};
  }
  const MethodEntry* method = find_method(options.integrator);
  const MethodOptions of = method_options(options);
  double share = options.safety * unknown_limit;
  if (options.gains == "stability") {
    if (method != nullptr) share = options.safety * stability_limit(*method, of);
  } else if (options.gains == "ostermeyer") {
    if (method != nullptr) share = fastest_decay(*method, of);
  } else {
    return refuse(options,
                  "gains = \"" + options.gains + "\"",
                  "stability or ostermeyer, or numbers for alpha and beta");
  }
  const bool fixed = method != nullptr && !method->traits(of).adaptive && options.step > 0;
  const double first = fixed ? share / options.step : 0;
  return Gains{first, first, share, fixed};
}

}  // namespace cardan
