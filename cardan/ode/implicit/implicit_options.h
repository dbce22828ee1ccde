#pragma once
// What the families of implicit methods share when they are made by name.
#include <algorithm>
#include <limits>
#include <string>

#include "cardan/ode/registry.h"

namespace cardan::implicit {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

using Made = Result<std::unique_ptr<Method>>;

// Stable in the whole left half-plane; as many evaluations as the iteration takes.
inline Traits traits(std::string_view name, int order, int interpolant) {
  Traits t;
  t.name = name;
  t.order_min = t.order_max = order;
  t.implicit = true;
  t.real_limit = t.imaginary_limit = infinity;
  t.evaluations = unknown;
  t.interpolant_order = interpolant;
  return t;
}

// The order asked for, or the method's own; 0 when the method has none such.
inline int order_of(const MethodOptions& options, std::span<const int> orders, int own) {
  if (options.order == 0) return own;
  return std::find(orders.begin(), orders.end(), options.order) != orders.end() ? options.order : 0;
}

inline Diagnostic bad_order(std::string_view name,
                            const MethodOptions& options,
                            std::span<const int> orders) {
  std::string all;
  for (const int k : orders) all += (all.empty() ? "" : ", ") + std::to_string(k);
  return bad_option(name, "order", std::to_string(options.order), "one of " + all);
}

}  // namespace cardan::implicit
