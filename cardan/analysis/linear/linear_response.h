#pragma once
// What linear equations tell: eigenvalues with mode shapes, stability, the way from inputs to
// channels, and the frequency response.
#include <optional>
#include <vector>

#include "cardan/analysis/linear/linear_system.h"
#include "cardan/math/eigenvalues.h"
#include "cardan/results/summary.h"

namespace cardan {

// Sorted by size, then by real and imaginary part. Where nothing damps and stiffness is symmetric,
// the real parts (or the imaginary ones) are exactly zero.
EigenPairs motion_pairs(const LinearSystem&);

// One mode of each conjugate pair, with the shapes of all bodies.
std::vector<VibrationMode> vibration_modes(const System&,
                                           const State&,
                                           const LinearSystem&,
                                           const EigenPairs&);

// Channels to the states and to the inputs, their rates and accelerations.
struct LinearOutputs {
  Eigen::MatrixXd C, D, D_rate, D_acceleration;
};

// Differences of fourth order of recorded channels (`which`) along the exact changes of the linear
// equations. rate: the largest |eigenvalue|, which tells how fast is fast.
LinearOutputs linear_outputs(const System&,
                             const State&,
                             const LinearSystem&,
                             const std::vector<LinearInput>&,
                             const std::vector<int>& which,
                             bool redundant,
                             double rate);

// At i 2 pi f; nothing where that is an eigenvalue.
std::optional<Eigen::MatrixXcd> frequency_response(const LinearSystem&,
                                                   const LinearOutputs&,
                                                   double frequency);

// The same without rates of inputs in the equations: the states are shifted by multiples of u and
// u', and y = C x + D u + D_rate u' + D_acceleration u''.
struct StateSpace {
  Eigen::MatrixXd A, B, C, D, D_rate, D_acceleration;
};

StateSpace state_space(const LinearSystem&, const LinearOutputs&);

}  // namespace cardan
