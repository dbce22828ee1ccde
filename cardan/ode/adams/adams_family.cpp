// The Adams methods by name.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/ode/adams/adams.h"
#include "cardan/ode/adams/adams_stability.h"
#include "cardan/ode/families.h"

namespace cardan {

namespace {

constexpr int highest = 12;

constexpr std::string_view name_of(AdamsScheme scheme) {
  constexpr std::string_view names[] = {"ab", "am", "pece", "ampc", "mampc"};
  return names[static_cast<int>(scheme)];
}

int order_of(const MethodOptions& options) {
  return options.order == 0 ? 4 : options.order;
}

bool raises_order(AdamsScheme scheme) {
  return scheme == AdamsScheme::pece || scheme == AdamsScheme::mampc;
}

template <AdamsScheme scheme> Traits traits_of(const MethodOptions& options) {
  const int k = std::clamp(order_of(options), 1, highest);
  const StabilityLimits limits = adams_limits(scheme, k);
  Traits x;
  x.name = name_of(scheme);
  x.order_min = x.order_max = raises_order(scheme) ? k + 1 : k;
  x.implicit = scheme == AdamsScheme::am;
  x.multistep = true;
  x.real_limit = limits.real;
  x.imaginary_limit = limits.imaginary;
  x.evaluations = scheme == AdamsScheme::ab   ? 1
                  : scheme == AdamsScheme::am ? std::numeric_limits<double>::quiet_NaN()
                                              : 2;
  x.interpolant_order = k + 1;
  return x;
}

Diagnostic unknown_word(std::string_view name,
                        std::string_view option,
                        const std::string& found,
                        std::string expected) {
  return bad_option(name, option, fmt::format("\"{}\"", found), std::move(expected));
}

template <AdamsScheme scheme>
Result<std::unique_ptr<Method>> make(OdeProblem& problem, const MethodOptions& options) {
  constexpr std::string_view name = name_of(scheme);
  AdamsOptions adams;
  adams.scheme = scheme;
  adams.order = order_of(options);
  if (adams.order < 1 || adams.order > highest) {
    return bad_option(name, "order", std::to_string(options.order), "1 to 12");
  }
  if (options.start == "self") {
    adams.start = AdamsStart::self;
  } else if (options.start == "small-steps") {
    adams.start = AdamsStart::small_steps;
  } else if (!options.start.empty() && options.start != "accurate") {
    return unknown_word(name, "start", options.start, "accurate, self or small-steps");
  }
  if (scheme == AdamsScheme::pece && options.variant == "print") {
    adams.all_terms = true;
  } else if (scheme == AdamsScheme::mampc && options.variant == "direct") {
    adams.direct = true;
  } else if (!options.variant.empty()) {
    const bool known = (scheme == AdamsScheme::pece && options.variant == "text") ||
                       (scheme == AdamsScheme::mampc && options.variant == "weighted");
    const std::string all = scheme == AdamsScheme::pece    ? "text or print"
                            : scheme == AdamsScheme::mampc ? "weighted or direct"
                                                           : "none: the method has no variants";
    if (!known) return unknown_word(name, "variant", options.variant, all);
  }
  std::unique_ptr<Method> method =
      std::make_unique<AdamsFixed>(problem, adams, traits_of<scheme>(options));
  return method;
}

template <AdamsScheme scheme> double amplify(const MethodOptions& options, std::complex<double> z) {
  return adams_amplification(scheme, std::clamp(order_of(options), 1, highest), z);
}

template <AdamsScheme scheme> constexpr MethodEntry entry(std::string_view summary) {
  return {name_of(scheme), summary, traits_of<scheme>, make<scheme>, {}, amplify<scheme>};
}

int max_order(const MethodOptions& options) {
  return options.order == 0 ? highest : options.order;
}

Traits adams_traits(const MethodOptions& options) {
  Traits x;
  x.name = "adams";
  x.order_min = 2;  // with local extrapolation
  x.order_max = std::clamp(max_order(options), 1, highest) + 1;
  x.multistep = true;
  x.adaptive = true;
  const StabilityLimits limits = adams_limits(AdamsScheme::pece, 1);
  x.real_limit = limits.real;  // at its lowest order, to which a stiff problem drives it
  x.imaginary_limit = limits.imaginary;
  x.evaluations = 2;
  x.interpolant_order = x.order_max;
  return x;
}

Result<std::unique_ptr<Method>> make_adams(OdeProblem& problem, const MethodOptions& options) {
  const int most = max_order(options);
  if (most < 1 || most > highest) {
    return bad_option(
        "adams", "order", std::to_string(options.order), "a highest order from 1 to 12");
  }
  std::unique_ptr<Method> method = std::make_unique<Adams>(problem, most, adams_traits(options));
  return method;
}

double amplify_adams(const MethodOptions& options, std::complex<double> z) {
  return adams_amplification(AdamsScheme::pece, std::clamp(order_of(options), 1, highest), z);
}

}  // namespace

std::span<const MethodEntry> adams_family() {
  static const MethodEntry entries[] = {
      entry<AdamsScheme::ab>("Adams-Bashforth of order k = 1..12"),
      entry<AdamsScheme::am>("Adams-Moulton of order k = 1..12, iterated to convergence"),
      entry<AdamsScheme::pece>("Adams-Bashforth k predicts, Adams-Moulton k+1 corrects once"),
      entry<AdamsScheme::ampc>("Adams-Bashforth k predicts, Adams-Moulton k corrects once"),
      entry<AdamsScheme::mampc>("weighted mean of Adams-Bashforth k and Adams-Moulton k"),
      {"adams",
       "Adams PECE of variable step and order 1..12 with local extrapolation",
       adams_traits,
       make_adams,
       "ode113",
       amplify_adams},
  };
  return entries;
}

}  // namespace cardan
