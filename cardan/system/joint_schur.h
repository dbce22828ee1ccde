#pragma once
// Accelerations and multipliers through S = phi_q M^-1 phi_q^T, joint by joint:
//   W = phi_q C^-T with M = C C^T,   S = W W^T,   S lambda = W C^-1 f - g,   C^T a = C^-1 f - W^T lambda
// One pass over the joints writes W and gamma, one over the columns of the elimination
// (elimination_plan.h) forms S, factors it and solves forwards, one more solves backwards and finds the
// accelerations. Points that stay together (pins, balls, the points of hinges) write their rows of W
// and gamma here, with constants that contain the masses:
//   plane:  W = +-[I / sqrt(m) | perp(A s) / sqrt(J)]      space:  W = +-[I / sqrt(m) | -A s~ C_J^-T]
// (plane_rows.h, space_rows.h), axes that stay parallel too, all other elements through their pools. S loses accuracy when inertias are small against m l^2; the
// residual phi_q a - g shows it, and refinement with the kept factor cures moderate cases.
#include <vector>

#include "cardan/system/applied_forces.h"
#include "cardan/system/elimination.h"
#include "cardan/system/plane_rows.h"
#include "cardan/system/saddle.h"
#include "cardan/system/space_rows.h"
#include "cardan/system/system.h"

namespace cardan {

class JointSchur final : public SaddleSolver {
 public:
  explicit JointSchur(const System&);
  JointSchur(const JointSchur&) = delete;
  JointSchur& operator=(const JointSchur&) = delete;

  void activate(const std::vector<char>& active) override;

  // Of a Jacobian given as a whole, with the forces of the last solution.
  Health factor(CView packed) override;

  // Of the pose whose rotations are in the workspace; phi_q of elements without formulas here into
  // its packed Jacobian.
  Health factor_pose(const Config&, Workspace&);

  // The same with the accelerations, in one go; fills work.Q and work.gamma.
  Health accelerate(const Motion&, Workspace&, View a, View lambda);

  void solve(CView f, CView g, View a, View lambda) override;

  // d with M d + phi_q^T mu = 0, phi_q d = g, without refinement: for iterations that look at their
  // own residual.
  void correct(CView g, View d);

  double residual() const override { return residual_; }  // 0: not looked at, pivots are sound

  // phi_q x in the pose whose rotations are in the workspace; after `fresh_pose` with new phi_q of
  // elements without formulas here.
  void fresh_pose(const Config&, Workspace&) const;
  void multiply(const Workspace&, CView x, View out) const;

  // Whether no pivot of the last factor is smaller, relative to its row, than a share of what it was when
  // remember_pivots() was called last. Where a loop comes near a singular pose, some pivot falls.
  bool pivots_kept() const { return pivots_kept_; }

  void remember_pivots(double share);

  // No joint can lose rank by itself: all are points that stay together, with parallel axes or without.
  bool joints_keep_rank() const { return keep_rank_; }

 private:
  using Column = EliminationPlan::Column;

  struct Place {  // of a block of the equations
    int column, row;
  };

  struct Constant {  // the columns of W that do not change: k I
    int incidence, place, stride;
    bool at_top;
    double k;
  };

  struct Part {  // a block of the equations at one body, weighed from the packed Jacobian
    int turns, others, stride, body, offset, rows;
    bool first;  // of this body in the block: it writes, others add
  };

  void lay_out();
  void place_blocks();
  int incidence_at(const Column&, int body) const;
  bool add_pins(int pool);
  bool add_balls(int pool);
  bool add_axes(int pool);
  void add_parts(int pool);
  void add_part(int block, std::vector<Part>&) const;
  const ConstraintPool* pool_of_block(int block) const;
  void choose_kernels();
  void clear_inactive();
  void weigh_parts(const double* packed, const std::vector<Part>&);
  void evaluate(const Config&, Workspace&);  // W
  void evaluate(const Motion&, Workspace&);  // and gamma, into g_ and the workspace
  void evaluate_others(const Config&, Workspace&);
  void take_rows(CView g);  // into g_
  void load(CView f);
  void unload(View a) const;
  elimination::Numbers numbers();
  void refine(double scale, bool sound);
  elimination::Weakest no_pivots();
  Health health(const elimination::Weakest&);
  Health factor_weights();
  void finish(double scale,
              bool sound,
              View a,
              View lambda);  // sound: the residual is not looked at

  const System& system_;
  const Equations& equations_;
  const EliminationPlan& plan_;
  AppliedForces forces_;
  int n_v_;
  std::vector<Place> places_;
  std::vector<PinRows> pins_;
  std::vector<BallRows> balls_;
  std::vector<ParallelAxes> axes_;
  std::vector<Constant> constants_;
  std::vector<Part> parts_;  // of pools that evaluate themselves
  std::vector<int> pools_, part_blocks_;
  std::vector<int> inactive_;                    // columns with equations that do not hold
  std::vector<char> anchored_;                   // by incidence
  std::vector<char> held_, kernel_;              // by equation; kernel by column
  std::vector<double> weight_;                   // C^-1 by body
  std::vector<double> all_;                      // W, others, k, B, inverse, product, x, g, y
  View W_, others_, k_, B_, inverse_, product_;  // parts of it, see elimination::Numbers
  View x_, g_;                                   // in the order of elimination
  View y_;                                       // by body
  elimination::Tapes tapes_;
  std::vector<double> lambda_;          // in the order of elimination
  std::vector<double> pivots_, sizes_;  // of the last factor, see elimination::Weakest
  std::vector<double> floor_;           // infinite: not remembered
  std::vector<char> skipped_;
  double residual_ = 0;
  bool any_skipped_ = false, keep_rank_ = true, pivots_kept_ = false;
  bool sound_ = false;  // no pivot is so small that digits could be lost
};

}  // namespace cardan
