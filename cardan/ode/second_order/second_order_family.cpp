// The explicit methods for second-order equations by name.
#include <cmath>

#include "cardan/ode/families.h"
#include "cardan/ode/second_order/second_order_explicit.h"

namespace cardan {

namespace {

// Largest x with no growth up to it, along z = x * direction.
double stability_limit(ExplicitScheme scheme, std::complex<double> direction) {
  const auto stable = [&](double x) {
    return amplification(scheme, x * direction) <= 1 + 1e-7;
  };
  constexpr double step = 1.0 / 64;  // of h lambda, while the limit is searched for
  double in = 0, out = step;
  while (stable(out)) {
    in = out;
    out += step;
  }
  for (int i = 0; i < 50; ++i) {
    const double mid = 0.5 * (in + out);
    (stable(mid) ? in : out) = mid;
  }
  return in < 1e-2 ? 0 : in;  // slow growth from the start is no stability
}

template <ExplicitScheme scheme> Traits describe(std::string_view name, int order) {
  Traits x;
  x.name = name;
  x.order_min = x.order_max = order;
  x.second_order = true;
  x.real_limit = stability_limit(scheme, -1);
  x.imaginary_limit = stability_limit(scheme, {0, 1});
  x.interpolant_order = scheme == ExplicitScheme::verlet ? 3 : 1;
  return x;
}

constexpr std::string_view name_of(ExplicitScheme scheme) {
  constexpr std::string_view names[] = {"taylor2", "euler2", "semi-implicit", "verlet"};
  return names[static_cast<int>(scheme)];
}

template <ExplicitScheme scheme> Traits traits_of(const MethodOptions&) {
  constexpr int order = scheme == ExplicitScheme::verlet ? 2 : 1;
  static const Traits traits = describe<scheme>(name_of(scheme), order);
  return traits;
}

template <ExplicitScheme scheme>
Result<std::unique_ptr<Method>> make(OdeProblem& problem, const MethodOptions& options) {
  if (!problem.second_order()) return needs_second_order(name_of(scheme));
  const Traits traits = traits_of<scheme>(options);
  if (options.order != 0 && options.order != traits.order_max) {
    return bad_option(traits.name,
                      "order",
                      std::to_string(options.order),
                      std::to_string(traits.order_max) + ": the method has no other");
  }
  std::unique_ptr<Method> method = std::make_unique<SecondOrderExplicit>(problem, scheme, traits);
  return method;
}

template <ExplicitScheme scheme> double amplify(const MethodOptions&, std::complex<double> z) {
  return amplification(scheme, z);
}

template <ExplicitScheme scheme> constexpr MethodEntry entry(std::string_view summary) {
  return {name_of(scheme), summary, traits_of<scheme>, make<scheme>, {}, amplify<scheme>};
}

}  // namespace

std::span<const MethodEntry> second_order_family() {
  static const MethodEntry entries[] = {
      entry<ExplicitScheme::taylor2>("Taylor position update, Euler for velocities"),
      entry<ExplicitScheme::euler2>("one evaluation at the middle of the step"),
      entry<ExplicitScheme::semi_implicit>("symplectic Euler: positions from the new velocities"),
      entry<ExplicitScheme::verlet>("velocity Stoermer-Verlet"),
  };
  return entries;
}

}  // namespace cardan
