#pragma once
// The applied forces of a planar mechanism in the form in which several states are evaluated at once (several_kernel.h):
// weights, springs, dampers and torques whose laws are linear, with forces that are constant or follow time alone. All
// other forces are evaluated by their pools, state by state.
#include <array>
#include <vector>

#include "cardan/element/force/force_law.h"
#include "cardan/system/system.h"

namespace cardan {

class SeveralForces {
 public:
  explicit SeveralForces(const System&);

  // Some force reads requests, which are not evaluated here.
  bool reads_requests() const { return reads_requests_; }

  struct Law {  // stiffness (measure - free) + damping rate + active
    double stiffness, damping, free;
    int active;           // -1: none
    bool stored = false;  // what is added has a potential

    bool reads_rate() const { return damping != 0 || active >= 0; }
  };

  struct
      Spring {  // between points in the frames of bodies; of the ground: body -1 and the place itself
    std::array<int, 2> body;
    std::array<double, 2> x, y;
    double c;
    Law law;
  };

  struct Torque {  // between bodies: measure = weights times angles, less c
    std::array<int, 2> body;
    std::array<double, 2> weight;
    double c;
    Law law;
  };

  const std::vector<double>& weights() const { return weights_; }  // of all velocity coordinates

  const std::vector<Spring>& springs() const { return springs_; }

  const std::vector<Torque>& torques() const { return torques_; }

  int active_count() const { return static_cast<int>(actives_.size()); }

  bool active_changes() const { return active_changes_; }  // with time

  // Number k of state l at out[k * width + l].
  void evaluate_active(int width, const double* time, double* out) const;

  // There are forces without such a form.
  bool others() const { return !others_.empty(); }

  // By body: some of those follow from its angle itself.
  std::vector<char> angles_read() const;

  // They alone. Lists of three numbers a body, two for rotations; number k of state l at [k * width + l]. The workspace
  // is that of the run, for the modes of formulas; its rotations and Q are overwritten.
  struct At {
    const double *time, *q, *rotation, *v;
  };

  void evaluate_others(int width, const At&, Workspace&, double* Q);

 private:
  struct Active {
    const Expression* formula;
    double sign, value;  // value: where it is constant
    bool constant;
  };

  bool add_springs(const ForcePool&);
  bool add_torques(const ForcePool&);
  Law law_of(const ForceLaw&);

  const System& system_;
  bool reads_requests_ = false, active_changes_ = false;
  std::vector<double> weights_;
  std::vector<Spring> springs_;
  std::vector<Torque> torques_;
  std::vector<Active> actives_;
  std::vector<const ForcePool*> others_;
  std::vector<double> one_q_, one_v_;
};

}  // namespace cardan
