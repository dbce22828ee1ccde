// The implicit Runge-Kutta and Rosenbrock methods by name.
#include <array>

#include "cardan/ode/families.h"
#include "cardan/ode/implicit/gauss.h"
#include "cardan/ode/implicit/implicit_amplification.h"
#include "cardan/ode/implicit/implicit_options.h"
#include "cardan/ode/implicit/ode23s.h"
#include "cardan/ode/implicit/radau5.h"
#include "cardan/ode/implicit/rosenbrock.h"
#include "cardan/ode/implicit/sdirk.h"

namespace cardan {

namespace {

using implicit::bad_order, implicit::Made, implicit::order_of;

// ---------------------------------------------------------------- diagonally implicit

template <const DiagonalTableau& tableau> Traits diagonal_traits(const MethodOptions&) {
  Traits t = implicit::traits(tableau.name, tableau.order, tableau.order < 2 ? 1 : 3);
  if (tableau.error_order > 0) t.adaptive = true;
  if (tableau.dense_degree > 0) t.interpolant_order = tableau.dense_degree;
  return t;
}

template <const DiagonalTableau& tableau>
Made make_diagonal(OdeProblem& problem, const MethodOptions& options) {
  const int only[] = {tableau.order};
  if (order_of(options, only, tableau.order) == 0) return bad_order(tableau.name, options, only);
  return std::unique_ptr<Method>(
      std::make_unique<DiagonalMethod>(problem, diagonal_traits<tableau>(options), tableau));
}

template <const DiagonalTableau& tableau>
double amplify_diagonal(const MethodOptions&, std::complex<double> z) {
  return amplification(tableau, z);
}

constexpr int sdirk_orders[] = {2, 3, 4};

const DiagonalTableau& sdirk_tableau(const MethodOptions& options) {
  const int order = order_of(options, sdirk_orders, 4);
  return order == 2 ? sdirk2_tableau : order == 3 ? sdirk3_tableau : sdirk4_tableau;
}

Traits sdirk_traits(const MethodOptions& options) {
  return implicit::traits("sdirk", sdirk_tableau(options).order, 3);
}

Made make_sdirk(OdeProblem& problem, const MethodOptions& options) {
  if (order_of(options, sdirk_orders, 4) == 0) return bad_order("sdirk", options, sdirk_orders);
  return std::unique_ptr<Method>(
      std::make_unique<DiagonalMethod>(problem, sdirk_traits(options), sdirk_tableau(options)));
}

double amplify_sdirk(const MethodOptions& options, std::complex<double> z) {
  return amplification(sdirk_tableau(options), z);
}

// ---------------------------------------------------------------- collocation

constexpr int gauss_orders[] = {2, 4, 6, 8}, radau_orders[] = {1, 3, 5};

int gauss_stages(const MethodOptions& options) {
  return std::max(order_of(options, gauss_orders, 6), 2) / 2;
}

int radau_stages(const MethodOptions& options) {
  return (std::max(order_of(options, radau_orders, 5), 1) + 1) / 2;
}

Traits gauss_traits(const MethodOptions& options) {
  const int s = gauss_stages(options);
  return implicit::traits("gauss", 2 * s, s < 3 ? 3 : 2 * s - 1);
}

Made make_gauss(OdeProblem& problem, const MethodOptions& options) {
  if (order_of(options, gauss_orders, 6) == 0) return bad_order("gauss", options, gauss_orders);
  return std::unique_ptr<Method>(
      std::make_unique<GaussMethod>(problem, gauss_traits(options), gauss_stages(options)));
}

double amplify_gauss(const MethodOptions& options, std::complex<double> z) {
  static const std::array<ImplicitTableau, 4> tableaux{
      gauss_tableau(1), gauss_tableau(2), gauss_tableau(3), gauss_tableau(4)};
  return amplification(tableaux[static_cast<std::size_t>(gauss_stages(options) - 1)], z);
}

Traits radau_fixed_traits(const MethodOptions& options) {
  const int s = radau_stages(options);
  return implicit::traits("radau-fixed", 2 * s - 1, s);
}

Made make_radau_fixed(OdeProblem& problem, const MethodOptions& options) {
  if (order_of(options, radau_orders, 5) == 0) {
    return bad_order("radau-fixed", options, radau_orders);
  }
  return std::unique_ptr<Method>(std::make_unique<CollocationMethod>(
      problem, radau_fixed_traits(options), radau_tableau(radau_stages(options))));
}

double amplify_radau(const MethodOptions& options, std::complex<double> z) {
  static const std::array<ImplicitTableau, 3> tableaux{
      radau_tableau(1), radau_tableau(2), radau_tableau(3)};
  return amplification(tableaux[static_cast<std::size_t>(radau_stages(options) - 1)], z);
}

Traits radau5_traits(const MethodOptions&) {
  Traits t = implicit::traits("radau5", 5, 3);
  t.adaptive = true;
  return t;
}

Made make_radau5(OdeProblem& problem, const MethodOptions& options) {
  const int only[] = {5};
  if (order_of(options, only, 5) == 0) return bad_order("radau5", options, only);
  return std::unique_ptr<Method>(std::make_unique<Radau5>(problem, radau5_traits(options)));
}

// ---------------------------------------------------------------- Rosenbrock

Traits rosenbrock_traits(const MethodOptions&) {
  Traits t = implicit::traits("rosenbrock", 4, 3);
  t.adaptive = true;
  t.evaluations = 7;  // and those of the Jacobian
  return t;
}

Made make_rosenbrock(OdeProblem& problem, const MethodOptions& options) {
  const int only[] = {4};
  if (order_of(options, only, 4) == 0) return bad_order("rosenbrock", options, only);
  return std::unique_ptr<Method>(std::make_unique<Rosenbrock>(problem, rosenbrock_traits(options)));
}

Traits ode23s_traits(const MethodOptions&) {
  Traits t = implicit::traits("ode23s", 2, 2);
  t.adaptive = true;
  t.evaluations = 2;  // and those of the Jacobian
  return t;
}

Made make_ode23s(OdeProblem& problem, const MethodOptions& options) {
  const int only[] = {2};
  if (order_of(options, only, 2) == 0) return bad_order("ode23s", options, only);
  return std::unique_ptr<Method>(std::make_unique<Ode23s>(problem, ode23s_traits(options)));
}

double amplify_ode23s(const MethodOptions&, std::complex<double> z) {
  return amplification_ode23s(z);
}

double amplify_rosenbrock(const MethodOptions&, std::complex<double> z) {
  return amplification_rosenbrock(z);
}

}  // namespace

std::span<const MethodEntry> implicit_family() {
  static const MethodEntry entries[] = {
      {"backward-euler",
       "implicit Euler",
       diagonal_traits<backward_euler_tableau>,
       make_diagonal<backward_euler_tableau>,
       {},
       amplify_diagonal<backward_euler_tableau>},
      {"trapezoidal",
       "implicit trapezoidal rule",
       diagonal_traits<trapezoidal_tableau>,
       make_diagonal<trapezoidal_tableau>,
       {},
       amplify_diagonal<trapezoidal_tableau>},
      {"sdirk",
       "diagonally implicit Runge-Kutta of order 2, 3 or 4 (default)",
       sdirk_traits,
       make_sdirk,
       {},
       amplify_sdirk},
      {"gauss",
       "Gauss collocation of order 2, 4, 6 (default) or 8",
       gauss_traits,
       make_gauss,
       {},
       amplify_gauss},
      {"radau-fixed",
       "Radau IIA collocation of order 1, 3 or 5 (default)",
       radau_fixed_traits,
       make_radau_fixed,
       {},
       amplify_radau},
      {"radau5", "Radau IIA of order 5", radau5_traits, make_radau5, {}, amplify_radau},
      {"esdirk",
       "Kennedy-Carpenter 4(3), diagonally implicit",
       diagonal_traits<esdirk4_tableau>,
       make_diagonal<esdirk4_tableau>,
       {},
       amplify_diagonal<esdirk4_tableau>},
      {"rosenbrock",
       "RODASP 4(3): linearly implicit, one Jacobian a step",
       rosenbrock_traits,
       make_rosenbrock,
       {},
       amplify_rosenbrock},
      {"ode23s",
       "Rosenbrock formula of order 2 with one Jacobian a step",
       ode23s_traits,
       make_ode23s,
       {},
       amplify_ode23s},
      {"ode23t",
       "trapezoidal rule that chooses its steps",
       diagonal_traits<ode23t_tableau>,
       make_diagonal<ode23t_tableau>,
       {},
       amplify_diagonal<ode23t_tableau>},
      {"ode23tb",
       "TR-BDF2: trapezoidal rule, then backward differentiation",
       diagonal_traits<ode23tb_tableau>,
       make_diagonal<ode23tb_tableau>,
       {},
       amplify_diagonal<ode23tb_tableau>},
  };
  return entries;
}

}  // namespace cardan
