// The explicit Runge-Kutta methods by name.
#include <cmath>

#include <fmt/format.h>

#include "cardan/ode/families.h"
#include "cardan/ode/runge_kutta/runge_kutta.h"
#include "cardan/ode/runge_kutta/runge_kutta_notes.h"

namespace cardan {

namespace {

template <const Tableau& tableau> Traits traits_of(const MethodOptions&) {
  static const Traits traits = tableau_traits(tableau, tableau.name);
  return traits;
}

template <const Tableau& tableau>
Result<std::unique_ptr<Method>> make(OdeProblem& problem, const MethodOptions& options) {
  if (options.order != 0 && options.order != tableau.order) {
    return bad_option(tableau.name,
                      "order",
                      std::to_string(options.order),
                      fmt::format("{}: the method has no other", tableau.order));
  }
  std::unique_ptr<Method> method =
      std::make_unique<RungeKutta>(problem, tableau, traits_of<tableau>(options));
  return method;
}

// "own", or "notes": the step rules of MATLAB's codes of these names.
template <const Tableau& tableau>
Result<std::unique_ptr<Method>> make_pair(OdeProblem& problem, const MethodOptions& options) {
  if (options.variant.empty() || options.variant == "own") return make<tableau>(problem, options);
  if (options.variant != "notes")
    return bad_option(tableau.name, "variant", options.variant, "own or notes");
  const auto usual = make<tableau>(problem, options);
  if (!usual) return usual.why();
  return std::unique_ptr<Method>(
      std::make_unique<NotesRungeKutta>(problem, tableau, traits_of<tableau>(options)));
}

Result<std::unique_ptr<Method>> make_dop853(OdeProblem& problem, const MethodOptions& options) {
  if (options.order != 0 && options.order != 8) {
    return bad_option(
        "dop853", "order", std::to_string(options.order), "8: the method has no other");
  }
  std::unique_ptr<Method> method =
      std::make_unique<Dop853>(problem, traits_of<dop853_tableau>(options));
  return method;
}

double alpha_of(const MethodOptions& options) {
  return std::isnan(options.alpha) ? 0.75 : options.alpha;
}

Traits rk2_traits(const MethodOptions& options) {
  const double alpha = alpha_of(options);
  return tableau_traits(two_stage_tableau(std::isfinite(1 / alpha) ? alpha : 1), "rk2");
}

Result<std::unique_ptr<Method>> make_rk2(OdeProblem& problem, const MethodOptions& options) {
  const double alpha = alpha_of(options);
  if (!std::isfinite(alpha) || !std::isfinite(1 / alpha)) {
    return bad_option("rk2", "alpha", fmt::format("{}", alpha), "a number other than 0");
  }
  if (options.order != 0 && options.order != 2) {
    return bad_option("rk2", "order", std::to_string(options.order), "2: the method has no other");
  }
  std::unique_ptr<Method> method =
      std::make_unique<RungeKutta>(problem, two_stage_tableau(alpha), rk2_traits(options));
  return method;
}

template <const Tableau& tableau> double amplify(const MethodOptions&, std::complex<double> z) {
  static const auto r = stability_polynomial(tableau);
  return std::abs(evaluate_polynomial(r, z));
}

template <const Tableau& tableau>
constexpr MethodEntry entry(std::string_view name, std::string_view summary) {
  return {name, summary, traits_of<tableau>, make<tableau>, {}, amplify<tableau>};
}

}  // namespace

std::span<const MethodEntry> explicit_family() {
  static const MethodEntry entries[] = {
      entry<euler_tableau>("euler", "explicit Euler"),
      entry<heun_tableau>("heun", "Heun: trapezoidal rule with an Euler predictor"),
      entry<midpoint_tableau>("midpoint", "explicit midpoint rule"),
      {"rk2",
       "two stages, the second at t + h/(2 alpha) with weight alpha (default 3/4, Ralston)",
       rk2_traits,
       make_rk2,
       {},
       amplify<heun_tableau>},
      entry<rk3_tableau>("rk3", "Kutta's three-stage method"),
      entry<rk4_tableau>("rk4", "the classical Runge-Kutta method"),
      {"ode23",
       "Bogacki-Shampine 3(2) pair; variant notes",
       traits_of<ode23_tableau>,
       make_pair<ode23_tableau>,
       {},
       amplify<ode23_tableau>},
      {"ode45",
       "Dormand-Prince 5(4) pair; variant notes",
       traits_of<ode45_tableau>,
       make_pair<ode45_tableau>,
       {},
       amplify<ode45_tableau>},
      entry<rkf45_tableau>("rkf45", "Runge-Kutta-Fehlberg 4(5) pair"),
      {"dop853",
       "Dormand-Prince 8(5,3) with dense output of order 7",
       traits_of<dop853_tableau>,
       make_dop853,
       {},
       amplify<dop853_tableau>},
  };
  return entries;
}

}  // namespace cardan
