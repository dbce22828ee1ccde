// Methods whose stages are evaluated side by side, by name.
#include <limits>

#include "cardan/ode/families.h"
#include "cardan/ode/several/gauss_simd.h"

namespace cardan {

namespace {

constexpr int usual_order = 16, lower_order = 8;

Traits gauss_simd_traits(const MethodOptions& options) {
  Traits t;
  t.name = "gauss-simd";
  t.order_min = t.order_max = options.order == lower_order ? lower_order : usual_order;
  t.adaptive = true;
  t.weighs_errors = true;
  t.real_limit = t.imaginary_limit = t.evaluations = std::numeric_limits<double>::quiet_NaN();
  t.interpolant_order = t.order_max;
  return t;
}

Result<std::unique_ptr<Method>> make_gauss_simd(OdeProblem& problem, const MethodOptions& options) {
  if (options.order != 0 && options.order != lower_order && options.order != usual_order)
    return bad_option("gauss-simd", "order", std::to_string(options.order), "one of 8, 16");
  const Traits traits = gauss_simd_traits(options);
  return std::unique_ptr<Method>(
      std::make_unique<GaussSimd>(problem, traits, traits.order_max / 2));
}

}  // namespace

std::span<const MethodEntry> several_family() {
  static const MethodEntry entries[] = {
      {"gauss-simd",
       "Gauss collocation of order 8 or 16 (default), stages side by side in one processor",
       gauss_simd_traits,
       make_gauss_simd},
  };
  return entries;
}

}  // namespace cardan
