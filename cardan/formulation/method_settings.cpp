#include "cardan/formulation/method_settings.h"

#include "cardan/ode/method_options.h"

namespace cardan {

MethodOptions method_options(const DynamicOptions& options) {
  const IntegratorSettings& given = options.integrator_settings;
  MethodOptions out;
  out.order = options.order;
  out.step = options.step;
  out.alpha = given.alpha;
  out.beta = given.beta;
  out.gamma = given.gamma;
  out.rho_infinity = given.rho_infinity;
  out.start = given.start;
  out.variant = given.variant;
  return out;
}

std::optional<Traits> integrator_traits(const DynamicOptions& options) {
  const MethodEntry* method = find_method(options.integrator);
  if (method == nullptr) return {};
  return method->traits(method_options(options));
}

std::optional<Diagnostic> foreign_settings(const DynamicOptions& options) {
  const MethodEntry* method = find_method(options.integrator);
  auto refused = foreign_options(method != nullptr ? method->name : options.integrator,
                                 method_options(options));
  if (refused)
    refused->where = options.integrator_where.line > 0 ? options.integrator_where : options.where;
  return refused;
}

}  // namespace cardan
