#pragma once
// Local coordinates p of the constraint manifold: B (q (-) q_0) = p - p_0 with constant B (freedoms
// x increments), and the way back from them by Newton's method:
//   positions    phi(t, q) = 0,  B (q (-) q_0) = p - p_0
//   velocities   phi_q v = nu,     B L v = r
// where (q (-) q_0)' = L v: L = 1 in the plane; of rotation vectors in space see increment.h.
// Both need [phi_q; B L]^-1. With the factor of M and phi_q at hand it is d = d_1 + T c:
//   phi_q d_1 = g of least mass norm
//   M T_j + phi_q^T mu = (B L)^T_j,   phi_q T_j = 0       the tangents T
//   (B L T) c = s - B L d_1
// So the cost follows the sparse factor and the number of freedoms,
// and rows left out as redundant stay out.
#include <vector>

#include "cardan/formulation/singular/crossing.h"
#include "cardan/math/dense.h"

namespace cardan {

class Chart {
 public:
  explicit Chart(MotionSolver&);

  int freedoms() const { return static_cast<int>(T_.cols()); }

  // p of coordinates themselves (p_0 = q_0), or along the columns of a basis (p_0 = 0).
  void select(const std::vector<int>& coordinates, CView q_0);
  void along(const Eigen::MatrixXd& basis, CView q_0);

  const std::vector<int>& selected() const { return selected_; }

  void coordinates(CView q, View p) const;                        // p of q
  void rates(CView q, CView v, View r) const;                     // B L v
  void accelerations(CView q, CView v, CView a, View out) const;  // B (L a + L' v)

  // Largest rotation of a body from q_0 to q, in space: the chart ends before half a turn.
  double rotation(CView q) const;
  static constexpr double widest_rotation = 1;  // rad, beyond which it is to be renewed

  // q: guess, then solution. guarded: one that may have lost its branch is refused.
  Eval positions(double t, CView p, View q, bool guarded = true);
  Eval tangents(double t, CView q);                     // T and the factor in this pose
  Eval velocities(double t, CView q, CView r, View v);  // after tangents() there

  struct Place {
    double t;
    CView p, r, q;  // local coordinates, their rates, a guess for the pose
  };

  // Pose, velocities, accelerations and multipliers of a place, by interpolation between places on
  // the line through it along `direction` (velocities) near a singular pose.
  Eval motion(const Place&, CView direction, SingularPoseInterpolator&, EvaluatedState& out);

  // The same without interpolation.
  Eval motion(const Place&, EvaluatedState& out);

  int iterations() const { return iterations_; }  // of the last positions()

  // After tangents(): the largest motion of a coordinate (angles times the mechanism's size) per
  // unit of a selected one; along a basis 1 / cos of the angle between it and the tangents.
  double stretch() const;

  void serialize(class Archive&);

 private:
  Eval solved(double t, CView p, CView r, CView guess, bool guarded, EvaluatedState& out);
  void correct(CView g, CView s);  // d_ with phi_q d = g, B d = s
  void apply(CView x, Eigen::VectorXd& out) const;
  void apply_rate(CView x, Eigen::VectorXd& out) const;  // B L x, L of the last tangents()

  const System& system_;
  MotionSolver& motion_;
  std::vector<int> selected_;
  Eigen::MatrixXd B_;  // empty when coordinates are selected
  std::vector<double> q_0_, p_0_;
  Eigen::MatrixXd T_, BT_;
  mutable Eigen::MatrixXd inverse_, stretched_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd c_, off_;
  mutable Eigen::VectorXd s_;
  std::vector<double> row_, zero_, no_motion_, g_, mu_, d_, start_, p_s_, q_s_, shift_;
  std::vector<double> here_;  // q (-) q_0 of the last tangents()
  mutable std::vector<double> away_, turned_;
  int iterations_ = 0;
};

}  // namespace cardan
