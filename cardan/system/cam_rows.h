#pragma once
// Equations of cams and followers, which touch and cannot pull.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

struct CamRow {
  int constraint,
      row;  // of constraints() and of equations(); the multiplier is positive in pulling
};

std::vector<CamRow> cam_rows(const System&);

}  // namespace cardan
