#pragma once
// What cams have that other joints do not.
#include "cardan/element/element_type.h"

namespace cardan {

// Surfaces that touch from outside, whose equation is the gap between them: their multiplier is
// negative where they push each other. A positive one would have to hold them together.
bool only_pushes(const ElementType&);

}  // namespace cardan
