#pragma once
// Residuals of equations as they are told: as lengths in m. The equation of a link is
//   r = (l^2 - c^2) / (2c),   l the distance and c what it should be,
// which is l - c only while the link is nearly right; l - c = 2 c r / (sqrt(c^2 + 2 c r) + c).
// Angles count with the mechanism's size.
#include <vector>

#include "cardan/system/system.h"

namespace cardan {

class LinkLengths {
 public:
  explicit LinkLengths(const System&);

  // Of a residual of positions.
  double length(int row, double residual) const;

 private:
  std::vector<double> link_;   // c by row; 0: no link
  std::vector<double> scale_;  // of the others
};

}  // namespace cardan
