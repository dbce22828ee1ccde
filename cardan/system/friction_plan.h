#pragma once
// What a model says of friction, with defaults. Inside of compile.
#include <optional>
#include <variant>

#include "cardan/element/friction.h"
#include "cardan/element/spec.h"

namespace cardan {

std::variant<std::optional<FrictionLaw>, ElementFault> friction_law(const ElementSpec&);

FrictionElement friction_element(const ElementSpec&, const FrictionLaw&);  // its place alone

}  // namespace cardan
