#pragma once
// Why equations of a spatial mechanism are redundant: often because it moves in a plane, and every
// joint prevents leaving the plane anew.
#include <optional>
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

// The normal of a plane such that each of these equations prevents nothing but leaving it: shifts
// along the normal and turns about lines in the plane. None in the plane and where there is none.
std::optional<Vec<3>> plane_held_by(const System&, double t, CView q, const std::vector<int>& rows);

}  // namespace cardan
