#pragma once
// Coordinates of small motions about a motion. Let theta be a tangent increment of the pose (its
// rotations in space about body axes), dv and da the changes of velocities and accelerations. A
// coordinate x is a row S with
//   x = S theta,   x' = S dv + S_rate theta,   x'' = S da + P theta + V dv.
//
//                            S       S_rate       P                    V
//   shift, ground axes       1       0            0                    0
//   shift, body axes         A^T     -w~ A^T      (w~ w~ - w'~) A^T    -2 w~ A^T
//   turn, ground axes        A       0            0                    A w~
//   turn, body axes          1       -w~          w~ w~ - w'~          -w~
//   joint's own, s(q)        s_q     (s_q v)_q    (s_q a)_q - gamma_q  -gamma_v
//
// from A' = A w~ and theta' = d omega + theta x omega. About a steady motion the coefficients of the
// linear equations are constant in coordinates that move with it, and in those only: joints' own
// always are, axes of the ground where a body moves straight on, axes of the body where it is
// carried along a circle.
#include <string>
#include <vector>

#include <Eigen/Core>

#include "cardan/system/system.h"

namespace cardan {

enum class LinearAxes { of_ground, of_body };

struct CoordinateRows {
  std::vector<std::string> names;  // "x of 'chassis'", "angle of 'hinge'"
  std::vector<UnitKind> units;
  std::vector<double> weights;  // those of larger weight are preferred
  Eigen::MatrixXd S, S_rate, P, V;

  CoordinateRows only(const std::vector<int>& which) const;
};

// All that could be chosen. spinning: weight of the coordinates of bodies that turn.
CoordinateRows coordinate_rows(const System&, const State&, LinearAxes, double spinning);

// As many coordinates as motions, so that they tell the motions apart as well as possible; ascending.
// motions: orthonormal columns; lengths and angles are measured alike (angles times `length`).
std::vector<int> choose_coordinates(const CoordinateRows&,
                                    const Eigen::MatrixXd& motions,
                                    const Eigen::VectorXd& scale,
                                    double length);

}  // namespace cardan
