#pragma once
// A planar mechanism of closed groups (group_solver.h, pin_groups.h) at one, four or eight states at once, for the
// accelerations of its inputs alone, with packs of states as numbers (math/pack.h). Centres of bodies are not followed:
// a body has a base B, the known point that it is pinned to, and a vector d fixed in it, from there to the pin
// between the two bodies of a dyad (length one along the frame of a body on a pin). Another point of it is
//   P = B + e,  e = a d + b perp(d),   V + omega perp(e),   A + alpha perp(e) - omega^2 e
// with V, omega for every column of N and A, alpha for beta, the accelerations while those of the inputs are zero. For
// a dyad from P_0 to P_2 with h = d_b x d_c
//   omega_b = (V_2 - V_0) . d_c / h,   omega_c = (V_2 - V_0) . d_b / h
// and alpha the same with A_2 - A_0 + omega_b^2 d_b - omega_c^2 d_c. With mass m, inertia J and centre C of each body
//   sum (m C_k . C_l + J omega_k omega_l) p_l'' = sum C_k . (F - m C'') + omega_k (M - J alpha)
//
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

  Ahead& expected(int body) { return ahead_[static_cast<std::size_t>(body)]; }

  void expect(double t_last, double H);  // when all of them are there

  // p'' where the inputs are p and their rates as given; false: some state is not solved.
  bool accelerations(int width, CView t, CView p, CView rates, Workspace&, View out);

  double guard() const { return guard_; }  // the smallest of the last states

  // Rates of State::z of a state of the last call: powers. Not known where there are forces without a form of their own
  // here, or other states than energies.
  bool knows_powers() const { return ready_ && knows_powers_; }

  double power(EnergyState of, int state) const {
    return of == EnergyState::drivers ? 0 : number(powers_ + StateTable::index(of), state);
  }

  // A state that GroupSolver has found instead, for the next call at the same times: begin with the
  // first of them.
  void note(int state, double t, const GroupSolver&, CView q);

  // Of the last call: the time of a state, the state nearest to a time, and the motion of one,
  // without the angles that no force reads. a may be empty.
  double time_of(int state) const { return number(time_, state); }

  int width() const { return width_; }

  void motion(int state, View q, View rotation, View v, View a) const;

  // Before a call at other times: the states of the last one are kept until the next call of keep(), and are those of
  // motion() again by use_kept().
  void keep();
  void use_kept();

  bool has_kept() const { return kept_width_ > 0; }

  void forget_kept() { kept_width_ = 0; }

  // N of a body: three rows, a column for each input of its part.
  void columns(int body, int state, View out) const;

 private:
  struct Offset {  // a d + b perp(d)
    double a, b;
  };

  struct Motion {  // where the numbers of a body begin
    int d, omega, alpha, turning, angle;
  };

  struct Point {  // and those of a point
    int place, moving, drift;
  };

  struct BodyOf {
    Motion now;
    int base;                // a point; -1: it rests at `place`
    Point at;                // its numbers
    PlaneVector place, own;  // own: the base in the frame of the body
    PlaneVector line;        // d there, over its square
    Offset centre;
    double mass, inertia, inertia_at_base, weight_x, weight_y;
    int part, input;  // its angle; -1: it is in a dyad
    bool shows_angle;
  };

  struct PointOf {
    int body;
    Offset arm;
    Point at;
  };

  struct DyadOf {
    int b, c;  // bodies
    double square_b, square_c, sines, offset;
    Ahead ahead;  // of the angle from d_b to d_c
  };

  struct SpringOf {
    std::array<int, 2> point;  // -1: at `place`
    std::array<PlaneVector, 2> place;
    double c;
    SeveralForces::Law law;
  };

  struct Step {
    int body, input;                // on a pin; body -1: a dyad
    int dyad, first_point, points;  // points of its bodies that something is at, in order_
  };

  struct Part {
    int first, count;  // inputs, in part_inputs_
    std::vector<int> bodies;
  };

  template <int W, bool one> friend struct SeveralKernel;
  friend struct KernelCalls;

  int point_at(int body, PlaneVector s);
  void find_places();
  void add_body(int body, const OuterPin&, PlaneVector line);
  void add_springs();
  void order_points();
  void lay_out();
  void turn_inputs(int width, CView p);
  void show_angles(int width);

  const double* numbers() const { return store_.front().number; }

  double* numbers() { return store_.front().number; }

  PlaneVector pair(int k, int state) const { return {number(k, state), number(k + 1, state)}; }

  PlaneVector arm(const BodyOf& body, const Offset& at, int state) const {
    const PlaneVector d = pair(body.now.d, state);
    return d * at.a + d.perp() * at.b;
  }

  double number(int k, int state) const {
    return numbers()[static_cast<std::size_t>(k * width_ + state)];
  }

  const System& system_;
  SeveralForces forces_;
  bool possible_ = false, ready_ = false, knows_powers_ = false;
  std::vector<Ahead> ahead_;
  std::vector<char> angle_read_;
  std::vector<BodyOf> bodies_;
  std::vector<PointOf> points_;
  std::vector<int> order_;         // points, step by step
  std::vector<int> shown_angles_;  // of bodies
  bool one_each_ = false;          // every part has one input
  std::vector<DyadOf> dyads_;
  std::vector<Step> steps_;
  std::vector<Part> parts_;
  std::vector<SpringOf> springs_;
  std::vector<int> part_inputs_, local_;  // inputs by part; number of an input within its part
  int columns_ = 0;                       // of N kept for each body

  // Where lists of numbers begin: given; by body; by point; by input; by dyad.
  int time_ = 0, p_ = 0, rates_ = 0, d_ = 0, omega_ = 0, turning_ = 0, alpha_ = 0, angle_ = 0;
  int place_ = 0, moving_ = 0, drift_ = 0, force_ = 0, found_ = 0, mass_ = 0, side_ = 0;
  int active_ = 0, powers_ = 0, q_ = 0, rotation_ = 0, v_ = 0, Q_ = 0;
  std::vector<PackPlace> store_, kept_;
  int kept_width_ = 0;  // 0: nothing
  std::vector<double> turned_;
  int width_ = 1;             // of the last call
  int active_width_ = 0;      // of the active forces that are there
  int noted_ = 0;             // states whose sides are known, at noted_time_
  bool sides_known_ = false;  // of the states asked for
  double noted_time_[8] = {};
  double t_last_ = 0, H_ = 1, guard_ = 1;
};

}  // namespace cardan
