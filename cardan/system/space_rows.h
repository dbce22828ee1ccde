#pragma once
// Rows of W = phi_q C^-T, M = C C^T, and of gamma of the joints of space with formulas of their own: points that
// stay together (balls, the points of hinges)
//   W = +-[I / sqrt(m) | -A s~ C_J^-T],   gamma = -+A w~ w~ s
// and axes that stay parallel (parallel_axes.h). Compiled for several instruction sets, of which the best is taken
// at run time; all of them give the same bits.
#include <span>

#include "cardan/system/parallel_axes.h"
#include "cardan/system/row_numbers.h"

namespace cardan {

struct BallRows {
  struct Side {
    int body = 0, weight = 0;  // of the columns of rotations in W
    double sign = 1;
    Vec<3> s;     // +-s
    Mat<3, 3> K;  // W = A K
  };

  int start, row, stride,
      sides;  // in the order of elimination, of the equations; rows of the block of W
  Side side[2];
};

// Where the numbers of all bodies and rows are; inverse: of C of all bodies, seven each (JointSchur).
struct SpaceNumbers {
  const double *rotation, *inverse;
  double* W;
};

void put_weights(std::span<const BallRows>, const SpaceNumbers&);
void put_weights(std::span<const ParallelAxes>, const SpaceNumbers&);

// The same with gamma.
void put_rows(std::span<const BallRows>, const SpaceNumbers&, const GammaNumbers&);
void put_rows(std::span<const ParallelAxes>, const SpaceNumbers&, const GammaNumbers&);

}  // namespace cardan
