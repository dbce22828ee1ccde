#pragma once

// Where rows of W and gamma get their numbers from and go to.

namespace cardan {

struct GammaNumbers {
  const double* v;
  double *ordered, *rows;  // gamma in the order of elimination, of the equations
};

}  // namespace cardan
