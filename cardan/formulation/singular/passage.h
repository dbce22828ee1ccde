#pragma once
// The way through a singular pose for formulations in all coordinates: coordinates p along a basis
// of the tangents beside the pose (chart.h), kept while the mechanism is near it. A state next to
// the constraints is put onto them with its p and p', and interpolated along p very near the pose
// (crossing.h). Moving it mass-orthogonally instead would not be smooth: the normals turn by a
// right angle within the distance that it is off.
#include "cardan/formulation/explicit/chart.h"

namespace cardan {

class Passage {
 public:
  explicit Passage(MotionSolver&);
  ~Passage();

  // The motion on the constraints with the local coordinates of (q, v).
  Eval motion(double t, CView q, CView v, EvaluatedState& out);

  // Its pose alone, of the coordinates p + s p'.
  Eval pose(double t, CView q, CView v, double s, View out);

  void serialize(Archive&);

 private:
  Eval choose(double t, CView q, CView v);
  Eval across(double t, CView q, CView v, EvaluatedState& out);
  Eval beside(double t, CView q, CView v, EvaluatedState& out);

  struct Machinery;
  Machinery& use();  // made when a singular pose is near for the first time

  MotionSolver& motion_;
  const System& system_;
  std::unique_ptr<Machinery> m_;
};

}  // namespace cardan
