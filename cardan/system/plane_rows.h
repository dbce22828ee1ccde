#pragma once
// Rows of W = phi_q C^-T, M = C C^T, and of gamma of pins in the plane,
//   W = +-[I / sqrt(m) | perp(A s) / sqrt(J)],   gamma = +-w^2 A s
// and products of lists number by number. Compiled for several instruction sets, of which the best is taken at run
// time; all of them give the same bits.
#include <span>

#include "cardan/math/types.h"
#include "cardan/system/row_numbers.h"

namespace cardan {

struct PinRows {
  struct Side {
    int body, weight;            // of the column of rotations in W
    double sx, sy, scale, sign;  // +-s; 1 / sqrt(J)
  };

  int start, row, sides;  // in the order of elimination, of the equations
  Side side[2];
};

void put_weights(std::span<const PinRows>, const double* rotation, double* W);

// The same with gamma.
void put_rows(std::span<const PinRows>, const double* rotation, double* W, const GammaNumbers&);

void multiply_each(CView a, CView b, View out);

}  // namespace cardan
