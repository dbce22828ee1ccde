#pragma once
// A planar model as a spatial one in the plane z = 0: the same bodies, thin plates now, and the
// same elements, with axes along z where they turn and in the plane where they slide.
#include "cardan/model/model.h"

namespace cardan {

// Faults where a type has no counterpart in space. Bodies that no hinge, slide or weld ties to the
// ground get a planar joint "plane of ..." that keeps them in the plane.
struct Embedded {
  Model model;
  Diagnostics faults;
};

Embedded embed_in_space(const Model& planar);

}  // namespace cardan
