#pragma once
// The options of a dynamic analysis that its integrator sees.
#include <optional>

#include "cardan/model/options.h"
#include "cardan/ode/registry.h"

namespace cardan {

MethodOptions method_options(const DynamicOptions&);

// Of the integrator with these options; nothing: there is none of that name.
std::optional<Traits> integrator_traits(const DynamicOptions&);

// Settings given that the integrator does not use.
std::optional<Diagnostic> foreign_settings(const DynamicOptions&);

}  // namespace cardan
