#pragma once
// A mechanism solved group by group (group_plan.h), its motion reduced to the inputs p:
//   positions      phi = 0 with the inputs as given: closed form (pin_groups.h) or Newton's method
//   velocities     phi_q v = nu,      v of the inputs as given
//   accelerations  a = N p'' + beta,  phi_q beta = gamma, beta of the inputs = 0
//                  (N^T M N) p'' = N^T (Q - M beta)
//   multipliers    phi_q^T lambda = Q - M a, groups in reverse order
// N has a column for every input: the velocities when it moves at rate one and the others rest. All
// of them use the same small factors, forwards or transposed. Columns of N and the matrix N^T M N
// are kept for each connected part of the mechanism by itself.
//
// In the plane an input is a coordinate of a body. In space inputs are increments from the pose
// q_0 of the plan, rotations as rotation vectors (math/rotation.h): L(d) omega is their rate.
#include <vector>

#include "cardan/system/group_plan.h"
#include "cardan/system/pin_groups.h"
#include "cardan/system/saddle.h"

namespace cardan {

class GroupSolver final : public SaddleSolver {
 public:
  // Evaluates into the workspace given: rotations, phi, phi_q.
  GroupSolver(const System&, const std::vector<char>& active, Workspace&);

  // q_0: origin of the increments; a pose on the constraints at time t.
  void adopt(const GroupPlan&, double t, CView q_0);

  const std::vector<int>& inputs() const { return inputs_; }

  // So many inputs in one part that the sparse factor of S is the cheaper way: no N, no solve().
  bool many() const { return many_; }

  // All groups are solved in closed form, which uses nothing of a guess but its angles.
  bool closed() const { return general_.empty(); }

  // In the pose of the last positions(): the smallest pivot or sine of a transmission angle, and
  // the group that has it.
  double guard() const { return guard_; }

  int weakest() const { return weakest_; }

  // N of velocity coordinate k and input j, 0 in another part of the mechanism; unless many().
  double column(int k, int j) const {
    const int body = k / n_v_, part = part_of_body_[static_cast<std::size_t>(body)];
    const auto& own = parts_[static_cast<std::size_t>(part)].inputs;
    const auto local = static_cast<std::size_t>(local_input_[static_cast<std::size_t>(j)]);
    if (local >= own.size() || own[local] != j) return 0;
    return N_[static_cast<std::size_t>(k * width_) + local];
  }

  // ---- inputs of a motion
  void values(CView q, View p) const;
  void rates(CView q, CView v, View out) const;
  void accelerations(CView q, CView v, CView a, View out) const;
  double rotation(CView q) const;  // largest one of an input's body from q_0, in space

  // ---- a motion of the inputs
  Eval positions(double t, CView p, View q);  // q: guess, then solution
  // Behind positions(): angles of bodies in closed groups, which stay those of the guess where no
  // force reads them.
  void show_angles(View q) const;
  Eval linearise(double t, CView q);  // after positions(): the factors there, and N
  void velocities(double t, CView q, CView rates, View v);
  void gamma(double t, CView q, CView v, View out) const;

  // Accelerations for forces Q and gamma, false: not finite; the multipliers that go with them.
  bool accelerations_of(CView Q, CView gamma, View a);
  void multipliers(CView Q, CView a, View lambda);

  // ---- as a solver of the saddle-point equations, in the pose of linearise()
  Health factor(CView packed) override;  // a mistake: linearise() does it
  void solve(CView f, CView g, View a, View lambda) override;

  double residual() const override { return residual_; }

  void activate(const std::vector<char>&) override;

  // ---- the plan as it is solved
  enum class Kind { pin, dyad, general };

  struct Step {
    Kind kind;
    int index, group, part;
  };

  struct PartOf {  // a connected part of the mechanism
    std::vector<int> inputs, bodies;
    Eigen::MatrixXd mass;
    Eigen::VectorXd force;
  };

  const std::vector<Step>& steps() const { return steps_; }

  const std::vector<PartOf>& parts() const { return parts_; }

  const std::vector<PinGroup>& pins() const { return pins_; }

  const std::vector<Dyad>& dyads() const { return dyads_; }

 private:
  struct Entry {  // a stretch of n_v numbers of the packed Jacobian
    int row, offset, stride;
    int target;  // inside: first column of the group; outside: body
  };

  struct Input {
    int row, number;   // in the group; among all
    int coordinate;    // of velocities
    int body, column;  // first column of the body in the group
    int local;         // coordinate of the body
  };

  struct General {
    int group = 0, n = 0, part = 0;
    std::vector<int> bodies, rows;
    std::vector<Entry> inside, outside;
    std::vector<Input> inputs;
    std::vector<double> row_scale, column_scale, lu;
    std::vector<int> pivot;
    double guard = 1;
  };

  struct MassEntry {  // of a body's block that is not zero
    int row, column;
    double value;
  };

  bool add_pin(const Group&, int group);
  bool add_dyad(const Group&, int group);
  void add_general(const Group&, int group);
  OuterPin outer_pin(int constraint, int body) const;
  void find_parts(const GroupPlan&);
  void scale(General&);
  void fill(General&, CView q);
  void factor_general(CView q);
  void note_guard(double guard, int group);
  bool march(CView p, View q);  // closed groups exactly, the others by one step of Newton's method
  void correct(General&, CView p, View q);
  double input_gap(CView p, CView q) const;
  double worst_row() const;
  void forward(const double* g, CView rates, View x);
  void solve_general(const General&, const double* g, const double* x, int stride, double* out);
  void columns();
  bool reduce_mass();
  void inertia_left(CView Q, CView a);
  void increment(int body, CView q, double* out) const;

  const System& system_;
  const Equations& equations_;
  Workspace& work_;
  std::vector<char> active_;
  int n_v_;
  std::vector<double> reach_, row_length_;
  std::vector<int> block_of_row_;
  std::vector<char> angle_read_;  // by body
  std::vector<std::vector<MassEntry>> mass_;
  std::vector<double> diagonal_;  // of the mass matrix: all of it in the plane
  std::vector<Step> steps_;
  std::vector<PinGroup> pins_;
  std::vector<Dyad> dyads_;
  std::vector<General> general_;
  std::vector<PartOf> parts_;
  std::vector<int> inputs_, part_of_body_, local_input_;
  std::vector<double> q_0_, N_, d_, r_, beta_, start_, scratch_, zero_rates_;
  int width_ = 0;                       // columns of N kept for each body
  bool many_ = false, closed_ = false;  // closed_: some groups are solved in closed form
  bool one_input_ = false;              // of a planar mechanism in one part
  double reduced_mass_ = 0;             // then
  double guard_ = 1, residual_ = 0;
  int weakest_ = -1;
};

}  // namespace cardan
