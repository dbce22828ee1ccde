#pragma once
// A planar mechanism of closed groups (group_solver.h, pin_groups.h) at several states at once, 4 or
// 8: the same equations with packs of states as numbers (math/pack.h),
//   positions, N, velocities; beta of gamma;  (N^T M N) p'' = N^T (Q - M beta)
// Number i of state k stands at [i * width + k]. A state without a pose that is surely on its side is
// not solved here: it is left to GroupSolver, which says why. Where states are asked for at the times of
// the last call, as the passes of an iteration do, every dyad is expected on the side found there.
#include <vector>

#include "cardan/math/pack.h"
#include "cardan/system/group_solver.h"
#include "cardan/system/several_forces.h"

namespace cardan {

class SeveralGroups {
 public:
  explicit SeveralGroups(const System&);

  // Whether mechanisms of this kind are solved here at all, whatever the plan.
  bool possible() const { return possible_; }

  // The plan that the solver has adopted. Not ready: some groups have no closed form.
  void adopt(const GroupSolver&);

  bool ready() const { return ready_; }

  // What is expected of the angle of a body at time t:
  //   value + x (v + x (a + x (c0 + u (c1 + u c2)))),   x = (t - t_last) / H,  u = x + 1
  struct Ahead {
    double value = 0, v = 0, a = 0, c0 = 0, c1 = 0, c2 = 0;
  };

  void expect(double t_last, double H) {
    t_last_ = t_last;
    H_ = H;
  }

  Ahead& expected(int body) { return ahead_[static_cast<std::size_t>(body)]; }

  // p'' where the inputs are p and their rates as given; false: some state is not solved.
  bool accelerations(int width, CView t, CView p, CView rates, Workspace&, View out);

  double guard() const { return guard_; }  // the smallest of the last states

  // A state that GroupSolver has found instead, for the next call at the same times: begin with the
  // first of them.
  void note(int state, double t, const GroupSolver&, CView q);

  // Of the last call: the time of a state, the state nearest to a time, and the motion of one,
  // without the angles that no force reads.
  double time_of(int state) const { return time_[0].number[state]; }

  int nearest(double t) const;
  void motion(int state, View q, View rotation, View v) const;

 private:
  using Numbers = std::vector<PackPlace>;

  struct Outer {  // of pin_groups.h, with its place in the present poses
    int body, known;
    PlaneVector s, s_known;
    int arm, arm_known;
  };

  struct PinOf {
    Outer pin;
    int input;
  };

  struct DyadOf {
    Outer b, c;
    PlaneVector l_b, l_c;
    double square_b, square_c, inverse_b, inverse_c, sines, offset;
    int d_b, d_c, inverse_h, side;  // side: sine from d_b to d_c of the last states
    bool shows_b, shows_c;
  };

  struct Step {
    bool dyad;
    int index, inputs, first;  // of the part: number of inputs, first of them in part_inputs_
  };

  struct Part {
    int first, count;  // inputs, in part_inputs_
    std::vector<int> bodies;
  };

  template <int W> struct Kernel;
  friend struct KernelCalls;

  Outer outer(const OuterPin&);
  int place();  // of two numbers of the present poses
  void show_angles(int width);
  void turn_inputs(int width, CView p);

  SeveralForces forces_;
  bool possible_ = false, ready_ = false;
  int noted_ = 0;             // states whose sides are known, at noted_time_
  bool sides_known_ = false;  // of the states asked for
  PackPlace noted_time_{};
  int width_ = 0;  // columns of N kept for each body
  std::vector<double> diagonal_;
  std::vector<Ahead> ahead_;
  std::vector<PinOf> pins_;
  std::vector<DyadOf> dyads_;
  std::vector<Step> steps_;
  std::vector<Part> parts_;
  std::vector<int> part_inputs_, local_;  // inputs by part; number of an input within its part
  Numbers q_, rotation_, v_, Q_, N_, beta_, present_, mass_, force_;
  Numbers inputs_, time_, result_;  // given and found
  double t_last_ = 0, H_ = 1, guard_ = 1;
};

}  // namespace cardan
