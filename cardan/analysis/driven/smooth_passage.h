#pragma once
// The motion through a singular pose that it passes smoothly. In a pose whose singular value is s, of its
// usual size, round-off eps leaves eps/s in positions, eps/s^2 in velocities and eps/s^3 in
// accelerations, though the motion itself is smooth. So the motion is followed to the other side first;
// from t* - w to t* + w it is then the polynomial of degree 7 through eight states beside the pose,
//   x(t) = sum_k x_k prod_{j != k} (t - t_j) / (t_k - t_j),    t_k = t* +- w, 2 w, 3 w, 4 w
// of q (increments from one of them), v and a. Poses that were closed between the t_k tell whether
// the polynomial follows the motion.
#include <array>
#include <vector>

#include "cardan/ode/archive.h"
#include "cardan/results/summary.h"
#include "cardan/system/system.h"

namespace cardan {

class SmoothPassage {
 public:
  static constexpr std::array<double, 8> nodes{-4, -3, -2, -1, 1, 2, 3, 4};  // in units of w
  static constexpr std::array<double, 4> checks{-2.5, -1.5, 1.5, 2.5};

  // w: negative where time runs backwards. States at the nodes.
  SmoothPassage(const System&, SingularPose, double w, std::vector<State> at_nodes);

  double from() const { return pose_.t - w_; }

  double to() const { return pose_.t + w_; }

  const SingularPose& pose() const { return pose_; }

  const State& end() const { return at_nodes_[4]; }  // at to()

  bool holds(double t) const { return (t - from()) * (t - to()) <= 0; }

  void at(double t, State&) const;  // fills t, q, v, a

  const std::vector<State>& states() const { return at_nodes_; }

  std::vector<double> weights(double t) const;  // of the states, at t

  // How far a state is from it: its pose, and its velocities, in units of length.
  std::pair<double, double> distance(const State&) const;

  void serialize(Archive&);

 private:
  void increments();

  const System& system_;
  SingularPose pose_;
  double w_;
  std::vector<State> at_nodes_;
  std::vector<std::vector<double>> d_;  // increments of q from the fourth of them
};

}  // namespace cardan
