#include "cardan/formulation/explicit/gains.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "cardan/formulation/method_settings.h"
#include "cardan/ode/stability.h"

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

// The x up to the limit for which one step of z = x direction leaves least.
double fastest_decay(const MethodEntry& method,
                     const MethodOptions& options,
                     double limit,
                     std::complex<double> direction) {
  if (method.amplification == nullptr) return limit / 2;
  double best = limit / 2, least = INFINITY;
  constexpr int points = 400;
  for (int k = 1; k < points; ++k) {
    const double x = limit * k / points, growth = method.amplification(options, x * direction);
    if (growth < least) {
      least = growth;
      best = x;
    }
  }
  return best;
}

Diagnostic unknown_rule(const DynamicOptions& options) {
  return refuse(options,
                "gains = \"" + options.gains + "\"",
                "stability or ostermeyer, or numbers for alpha and beta");
}

// The omega for a given zeta, as fast as the step allows: both roots have the size of the larger one.
Result<Gains> omega_for(const DynamicOptions& options) {
  const MethodEntry* method = find_method(options.integrator);
  const MethodOptions of = method_options(options);
  if (method == nullptr || method->traits(of).adaptive || !(options.step > 0))
    return refuse(options,
                  "zeta without omega, and steps that are not given",
                  "omega = ..., the frequency of the error");
  if (options.gains != "stability" && options.gains != "ostermeyer") return unknown_rule(options);
  const std::complex<double> root =
      -options.zeta - std::sqrt(std::complex<double>(options.zeta * options.zeta - 1));
  const double known = method->amplification == nullptr ? unknown_limit / std::abs(root)
                                                        : axis_limit(growth_of(*method, of), root);
  if (known == 0)
    return refuse(options,
                  "a zeta with which every violation grows under " + options.integrator,
                  "a larger zeta, or an integrator that is stable for it");
  const double limit = std::min(known, widest / std::abs(root));
  const double share = options.gains == "ostermeyer" ? fastest_decay(*method, of, limit, root)
                                                     : options.safety * limit;
  const double omega = share / options.step;
  return Gains{options.zeta * omega, omega, 0, true};
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
    if (std::isnan(options.omega)) return omega_for(options);
    const double zeta = std::isnan(options.zeta) ? 1 : options.zeta;
    return Gains{zeta * options.omega, options.omega, 0, true};
  }
  const MethodEntry* method = find_method(options.integrator);
  const MethodOptions of = method_options(options);
  double share = options.safety * unknown_limit;
  if (options.gains == "stability") {
    if (method != nullptr) share = options.safety * stability_limit(*method, of);
  } else if (options.gains == "ostermeyer") {
    if (method != nullptr) share = fastest_decay(*method, of, stability_limit(*method, of), -1);
  } else {
    return unknown_rule(options);
  }
  const bool fixed = method != nullptr && !method->traits(of).adaptive && options.step > 0;
  const double first = fixed ? share / options.step : 0;
  return Gains{first, first, share, fixed};
}

}  // namespace cardan
