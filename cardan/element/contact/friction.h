#pragma once
// Coulomb's friction in joints and contacts. Where bodies slide on each other with the velocity
// s = T v under the load N, each gets a force against the sliding; where they do not slide, the
// force that holds them, as long as it is within its limit:
//   slides   F = -mu(|s|) N s/|s|,   mu(s) = mu_k + (mu_s - mu_k) exp(-(s/s_s)^2), or mu_k at once
//   sticks   T v = 0,   |F| <= mu_s N
// On request the law is regularised instead, F = -mu(|s|) tanh(|s|/s_t) N s/|s|, and nothing sticks.
// s has one component in the plane and for hinges and slides; contacts and cylindrical joints of
// space have two, spherical joints three. The load is that of the joint or contact itself, a
// function of its multipliers (or of the law of a compliant contact), so that of what slides
//   Q = Q_0 + sum_k N_k(lambda) d_k(q, v),   d_k = -mu T^T s/|s|,
// with directions d_k known from the motion. Who solves for the multipliers solves for both
// together: system/friction_solver.h; sticking is an equation at velocity level (sticking.h). What
// sticks is decided at events: system/stick_solver.h. Loads and slidings: docs/theory/contacts.md;
// those of space are in spatial_friction.cpp.
#include <array>
#include <vector>

#include "cardan/element/pool.h"

namespace cardan {

struct FrictionLaw {
  enum class Kind { coulomb, tanh };

  double kinetic = 0, at_rest = 0;         // coefficients mu_k, mu_s
  double stribeck = 0, transition = 1e-3;  // s_s, where 0 is at once; s_t
  Kind kind = Kind::tanh;
  double still = 0;  // m/s: slower than this nothing slides (coulomb)

  bool sticks() const { return kind == Kind::coulomb; }

  double sliding(double speed) const;      // mu(|s|) of the law of Coulomb
  double coefficient(double speed) const;  // of tanh, with the sign of the speed
  double per_speed(double speed) const;    // the same over the speed, also where that is zero
};

// What Coulomb's friction does between two events (State::mode). A sticking element has the value
// `sticks` plus one bit for each of its equations that is needed: the others follow from those.
struct Sliding {
  enum Mode : int { open = -1, slides = 0, sticks = 1, most = 8 };

  int mode = slides;
  Vec<3> u = Vec<3>::Zero();  // where it slides to, of length one; zero: as the velocity says

  bool holds() const { return mode >= sticks; }

  bool keeps(int row) const { return holds() && (((mode - sticks) >> row) & 1) != 0; }
};

struct FrictionElement {
  enum class Slide {
    turn,    // about a pin: radius times relative rate
    shift,   // along the axis of side 0
    line,    // disc on a line, sphere on a plane
    circle,  // disc on a disc or in a ring, sphere on or in a sphere
    barrel,  // sphere on or in a cylinder about the axis of side 0
    twist,   // along and about the axis of side 0: both slidings of a cylindrical joint
    ball     // of a ball in its socket: radius times relative angular velocity
  };
  enum class Load {
    norm,      // of the reaction force
    edges,     // |F/2 + T/L| + |F/2 - T/L| of force and torque on two edges a length L apart
    thrust,    // of the force along the axis
    normal,    // of a hard contact
    compliant  // of the law of a compliant one
  };
  enum class Rows { force_and_moment, across_and_moment };  // in space, of the joint's equations

  Slide slide = Slide::turn;
  Load load = Load::norm;
  FrictionLaw law;
  std::array<int, 2> body{-1, -1};
  std::array<Vec<3>, 2> point{Vec<3>::Zero(), Vec<3>::Zero()};  // from the mass centres, body axes
  Vec<3> axis{1, 0, 0}, across{0, 1, 0};                        // of side 0
  double radius = 0;         // turn, twist, ball; line: of the disc on side 1; else: on side 0
  double edge_distance = 0;  // of a guide or bearing; 0: the torque makes no friction
  double width = 0;          // of a guide, carries the torque about its axis; 0: no friction of it
  std::vector<int> rows;     // equations whose multipliers make the load
  int stick_row = -1;        // first of the equations that hold it; -1: it cannot stick
  Rows meaning = Rows::force_and_moment;
  double sign = 1;  // normal: N = -sign lambda; compliant: N = sign times the law's force
  int pool = -1, element = -1;  // compliant: the force that gives the load
  bool beside = false;          // a second friction in the joint of the element before
};

class FrictionSet {
 public:
  explicit FrictionSet(int dimension) : dimension_(dimension) {}

  int dimension() const { return dimension_; }

  static constexpr int most_sliding_components = 3,
                       most_numbers = 12;  // components of sliding; of d

  int add(FrictionElement);

  int count() const { return static_cast<int>(elements_.size()); }

  bool any_sticks() const;  // some element follows Coulomb's law

  FrictionElement& element(int k) { return elements_[static_cast<std::size_t>(k)]; }

  const FrictionElement& element(int k) const { return elements_[static_cast<std::size_t>(k)]; }

  int ways(int k) const;  // components of sliding

  // The components of sliding and, one after the other, the generalized forces of a unit force
  // along each of them on both sides (n_v numbers a side), which are the gradients of the
  // components to v.
  void tangents(int k, const Motion&, View d, View s) const;

  // Generalized force of friction per unit of load (both sides, overwritten); returns the speed of
  // sliding, with its sense where there is one component. Nothing where it sticks.
  double direction(int k, const Motion&, const Sliding&, View d) const;

  // In space: the axes (f, g, h) of side 0 in ground axes, in which loads are resolved.
  Mat<3, 3> frame(int k, const Config&) const;

  // N and its slopes to the multipliers of element(k).rows; not for compliant contacts.
  double load(int k, const Mat<3, 3>& frame, CView lambda, View slopes) const;

 private:
  int dimension_;
  std::vector<FrictionElement> elements_;
};

// In space (spatial_friction.cpp).
int spatial_ways(const FrictionElement&);
void spatial_tangents(const FrictionElement&, const Motion&, View d, View s);
double spatial_load(const FrictionElement&, const Mat<3, 3>& frame, CView lambda, View slopes);

}  // namespace cardan
