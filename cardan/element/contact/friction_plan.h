#pragma once
// What a model says of friction, with defaults, and how joints slide: the friction rules of the
// element types.
#include <optional>

#include "cardan/element/element_type.h"

namespace cardan {

// Nothing: there is none.
Result<std::optional<FrictionLaw>, ElementFault> friction_law(const ElementSpec&);

FrictionElement friction_element(const ElementSpec&, const FrictionLaw&);  // its place alone

FrictionPlan planar_hinge_friction(const ElementSpec&, FrictionElement);
FrictionPlan hinge_friction(const ElementSpec&, FrictionElement);
FrictionPlan slide_friction(const ElementSpec&, FrictionElement);
FrictionPlan sleeve_friction(const ElementSpec&, FrictionElement);
FrictionPlan socket_friction(const ElementSpec&, FrictionElement);

}  // namespace cardan
