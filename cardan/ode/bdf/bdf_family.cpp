// Backward differentiation by name.
#include "cardan/ode/bdf/bdf.h"
#include "cardan/ode/bdf/bdf_fixed.h"
#include "cardan/ode/families.h"
#include "cardan/ode/implicit/implicit_amplification.h"
#include "cardan/ode/implicit/implicit_options.h"

namespace cardan {

namespace {

using implicit::bad_order, implicit::Made, implicit::order_of;

constexpr int bdf_orders[] = {1, 2, 3, 4, 5}, bdf_fixed_orders[] = {1, 2, 3, 4, 5, 6};

// Along the imaginary axis, from characteristic roots; the negative real one is all stable.
constexpr double imaginary_limit[] = {
    0, implicit::infinity, implicit::infinity, 0, 0, 0.710807671014, 0.843138162097};

Traits multistep_traits(std::string_view name, int order) {
  Traits t = implicit::traits(name, order, order);
  t.multistep = true;
  t.imaginary_limit = imaginary_limit[order];
  return t;
}

Traits bdf_fixed_traits(const MethodOptions& options) {
  return multistep_traits("bdf-fixed", std::max(order_of(options, bdf_fixed_orders, 2), 1));
}

Made make_bdf_fixed(OdeProblem& problem, const MethodOptions& options) {
  const int order = order_of(options, bdf_fixed_orders, 2);
  if (order == 0) return bad_order("bdf-fixed", options, bdf_fixed_orders);
  if (!options.start.empty() && options.start != "accurate" && options.start != "self") {
    return bad_option("bdf-fixed", "start", options.start, "accurate or self");
  }
  const auto start = options.start == "self" ? BdfFixed::Start::self : BdfFixed::Start::accurate;
  return std::unique_ptr<Method>(
      std::make_unique<BdfFixed>(problem, bdf_fixed_traits(options), order, start));
}

double amplify_bdf_fixed(const MethodOptions& options, std::complex<double> z) {
  return amplification_bdf(bdf_fixed_traits(options).order_max, 0, z);
}

bool is_ndf(const MethodOptions& options) {
  return options.variant == "ndf";
}

Traits bdf_traits(const MethodOptions& options) {
  Traits t = multistep_traits("bdf", std::max(order_of(options, bdf_orders, 5), 1));
  t.order_min = 1;
  t.adaptive = true;
  if (t.order_max > 2) t.imaginary_limit = implicit::unknown;  // depends on the order of the moment
  return t;
}

Made make_bdf(OdeProblem& problem, const MethodOptions& options) {
  const int order = order_of(options, bdf_orders, 5);
  if (order == 0) return bad_order("bdf", options, bdf_orders);
  if (!options.variant.empty() && options.variant != "bdf" && !is_ndf(options)) {
    return bad_option("bdf", "variant", options.variant, "bdf or ndf");
  }
  return std::unique_ptr<Method>(
      std::make_unique<BdfMethod>(problem, bdf_traits(options), order, is_ndf(options)));
}

double amplify_bdf(const MethodOptions& options, std::complex<double> z) {
  const int order = bdf_traits(options).order_max;
  return amplification_bdf(order, is_ndf(options) ? ndf_kappa(order) : 0, z);
}

}  // namespace

std::span<const MethodEntry> bdf_family() {
  static const MethodEntry entries[] = {
      {"bdf-fixed",
       "backward differentiation of order 1 to 6 (default 2)",
       bdf_fixed_traits,
       make_bdf_fixed,
       {},
       amplify_bdf_fixed},
      {"bdf",
       "backward differentiation of variable order 1 to 5; variant ndf",
       bdf_traits,
       make_bdf,
       "ode15s",
       amplify_bdf},
  };
  return entries;
}

}  // namespace cardan
