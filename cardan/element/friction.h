#pragma once
// Coulomb's friction in joints and contacts, regularised: where bodies slide on each other at speed
// s under the load N, each gets a force of size mu(|s|) tanh(|s|/s_t) N against the sliding, with
//   mu(s) = mu_k + (mu_s - mu_k) exp(-(s/s_s)^2).
// The load is that of the joint or contact itself, a function of its multipliers (or of the law of
// a compliant contact), so that  Q = Q_0 + sum_k N_k(lambda) d_k(q, v)  with directions d_k known
// from the motion. Who solves for the multipliers solves for both together:
// system/friction_solver.h.
//
//   revolute       load |reaction|, sliding = pin radius times relative rate
//   translational  load |F/2 + T/L| + |F/2 - T/L| of reaction force and torque on two edges a
//   length
//                  L apart; |F| without L
//   contacts       load = normal force, sliding of the bodies' points that touch
#include <array>
#include <vector>

#include "cardan/element/pool.h"

namespace cardan {

struct FrictionLaw {
  double kinetic = 0, at_rest = 0;  // coefficients mu_k, mu_s
  double stribeck = 0, transition = 1e-3;

  double coefficient(double speed) const;  // with the sign of the speed
};

struct FrictionElement {
  enum class Slide { turn, shift, line, circle };
  enum class Load { norm, edges, normal, compliant };

  Slide slide = Slide::turn;
  Load load = Load::norm;
  FrictionLaw law;
  std::array<int, 2> body{-1, -1};
  std::array<Vec<3>, 2> point{Vec<3>::Zero(), Vec<3>::Zero()};  // from the mass centres, body axes
  Vec<3> axis{1, 0, 0};      // of side 0: the way of sliding (shift, line)
  double radius = 0;         // turn: of the pin; line: of the disc on side 1; circle: on side 0
  double edge_distance = 0;  // of a guide; 0: the torque makes no friction
  std::vector<int> rows;     // equations whose multipliers make the load
  double sign = 1;           // normal: N = -sign lambda; compliant: N = sign times the law's force
  int pool = -1, element = -1;  // compliant: the force that gives the load
};

class FrictionSet {
 public:
  explicit FrictionSet(int dimension) : dimension_(dimension) {}

  int add(FrictionElement);

  int count() const { return static_cast<int>(elements_.size()); }

  FrictionElement& element(int k) { return elements_[static_cast<std::size_t>(k)]; }

  const FrictionElement& element(int k) const { return elements_[static_cast<std::size_t>(k)]; }

  // The generalized force of a unit force along the sliding, on both sides (n_v numbers each,
  // overwritten); returns the speed of sliding, d.v.
  double tangent(int k, const Motion&, View d) const;

  // The same per unit of load as friction makes it: -coefficient(speed) times the tangent.
  double direction(int k, const Motion&, View d) const;

  // N and its slopes to the multipliers of element(k).rows; not for compliant contacts.
  double load(int k, CView lambda, View slopes) const;

 private:
  int dimension_;
  std::vector<FrictionElement> elements_;
};

}  // namespace cardan
