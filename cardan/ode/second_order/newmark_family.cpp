// Newmark's method and its offspring by name.
#include <cmath>

#include <fmt/format.h>

#include "cardan/ode/families.h"
#include "cardan/ode/implicit/implicit_options.h"
#include "cardan/ode/second_order/generalized_alpha.h"

namespace cardan {

namespace {

using implicit::bad_order, implicit::Made;

double or_else(double given, double own) {
  return std::isnan(given) ? own : given;
}

AlphaParameters newmark_of(const MethodOptions& options) {
  const double gamma = or_else(options.gamma, 0.5);
  return {0, 0, gamma, or_else(options.beta, 0.25 * (gamma + 0.5) * (gamma + 0.5))};
}

double hht_alpha(const MethodOptions& options) {
  return or_else(options.alpha, -0.1);
}

double spectral_radius(const MethodOptions& options) {
  return or_else(options.rho_infinity, 0.8);
}

Traits second_order_traits(std::string_view name, const AlphaParameters& par) {
  const double balance = par.gamma - 0.5 - par.alpha_f + par.alpha_m;  // 0: order 2
  Traits t = implicit::traits(name, std::abs(balance) < 1e-12 ? 2 : 1, 3);
  t.second_order = true;
  const bool unconditional = 2 * par.beta >= par.gamma - 1e-15 && par.gamma >= 0.5;
  if (!unconditional) t.real_limit = t.imaginary_limit = implicit::unknown;
  return t;
}

Made make_alpha(OdeProblem& problem,
                const MethodOptions& options,
                const Traits& traits,
                const AlphaParameters& par) {
  if (!problem.second_order()) return needs_second_order(traits.name);
  if (options.order != 0 && options.order != traits.order_max) {
    const int only[] = {traits.order_max};
    return bad_order(traits.name, options, only);
  }
  return std::unique_ptr<Method>(std::make_unique<GeneralizedAlpha>(problem, traits, par));
}

Traits newmark_traits(const MethodOptions& options) {
  return second_order_traits("newmark", newmark_of(options));
}

Made make_newmark(OdeProblem& problem, const MethodOptions& options) {
  const AlphaParameters par = newmark_of(options);
  if (!(par.gamma >= 0 && par.gamma <= 1)) {
    return bad_option("newmark", "gamma", fmt::format("{}", par.gamma), "0 <= gamma <= 1");
  }
  if (!(par.beta >= 0 && par.beta <= 1)) {
    return bad_option("newmark", "beta", fmt::format("{}", par.beta), "0 <= beta <= 1");
  }
  return make_alpha(problem, options, newmark_traits(options), par);
}

double amplify_newmark(const MethodOptions& options, std::complex<double> z) {
  return amplification(newmark_of(options), z);
}

Traits hht_traits(const MethodOptions& options) {
  return second_order_traits("hht", hht_parameters(hht_alpha(options)));
}

Made make_hht(OdeProblem& problem, const MethodOptions& options) {
  const double alpha = hht_alpha(options);
  if (!(alpha >= -1.0 / 3 && alpha <= 0)) {
    return bad_option("hht", "alpha", fmt::format("{}", alpha), "-1/3 <= alpha <= 0");
  }
  return make_alpha(problem, options, hht_traits(options), hht_parameters(alpha));
}

double amplify_hht(const MethodOptions& options, std::complex<double> z) {
  return amplification(hht_parameters(hht_alpha(options)), z);
}

Traits generalized_alpha_traits(const MethodOptions& options) {
  return second_order_traits("generalized-alpha",
                             generalized_alpha_parameters(spectral_radius(options)));
}

Made make_generalized_alpha(OdeProblem& problem, const MethodOptions& options) {
  const double rho = spectral_radius(options);
  if (!(rho >= 0 && rho <= 1)) {
    return bad_option("generalized-alpha", "rho_infinity", fmt::format("{}", rho), "0 <= rho <= 1");
  }
  return make_alpha(
      problem, options, generalized_alpha_traits(options), generalized_alpha_parameters(rho));
}

double amplify_generalized_alpha(const MethodOptions& options, std::complex<double> z) {
  return amplification(generalized_alpha_parameters(spectral_radius(options)), z);
}

}  // namespace

std::span<const MethodEntry> newmark_family() {
  static const MethodEntry entries[] = {
      {"newmark",
       "Newmark's family with gamma and beta (default: trapezoidal)",
       newmark_traits,
       make_newmark,
       {},
       amplify_newmark},
      {"hht",
       "Hilber-Hughes-Taylor with alpha (default -0.1)",
       hht_traits,
       make_hht,
       {},
       amplify_hht},
      {"generalized-alpha",
       "Chung-Hulbert by its spectral radius rho_infinity (default 0.8)",
       generalized_alpha_traits,
       make_generalized_alpha,
       {},
       amplify_generalized_alpha},
  };
  return entries;
}

}  // namespace cardan
