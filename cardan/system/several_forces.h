#pragma once
// Q of the applied forces of a planar mechanism at several states at once, 4 or 8 (math/pack.h).
// Weights, springs, dampers and torques whose laws are linear, with forces that are constant or
// follow time alone, are evaluated as packs; all other forces state by state.
#include <vector>

#include "cardan/element/force/force_law.h"
#include "cardan/math/pack.h"
#include "cardan/system/system.h"

namespace cardan {

class SeveralForces {
 public:
  explicit SeveralForces(const System&);

  // Some force reads requests, which are not evaluated here.
  bool reads_requests() const { return reads_requests_; }

  // Lists of three numbers a body, two for rotations. Angles as far as forces read them
  // (AppliedForces::angles_read).
  struct At {
    const PackPlace *time, *q, *rotation, *v;
  };

  // The workspace is that of the run, for the modes of formulas; its rotations and Q are overwritten.
  void evaluate(int width, const At&, Workspace&, PackPlace* Q);

 private:
  struct Law {
    double stiffness, damping, free;
    int active;  // place in active_; -1: none
  };

  struct Spring {  // between points; of the ground: body -1 and the place itself
    int body[2];
    double x[2], y[2], c;
    Law law;
  };

  struct Torque {  // between bodies
    int body[2];
    double weight[2], c;
    Law law;
  };

  struct Active {
    const Expression* formula;
    double sign;
    bool constant;
  };

  template <int W> struct Kernel;
  friend struct ForceCalls;

  bool add_springs(const ForcePool&);
  bool add_torques(const ForcePool&);
  Law law_of(const ForceLaw&);
  void evaluate_active(int width, const PackPlace* time);
  void one_by_one(int width, const At&, Workspace&, PackPlace* Q);

  const System& system_;
  bool reads_requests_ = false;
  std::vector<double> one_q_, one_v_;
  std::vector<double> constant_;  // weights
  std::vector<Spring> springs_;
  std::vector<Torque> torques_;
  std::vector<Active> actives_;
  std::vector<PackPlace> active_;
  std::vector<const ForcePool*> others_;
};

}  // namespace cardan
