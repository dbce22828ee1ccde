#pragma once
// Impacts and the choice of the contacts that hold, for all hard limits that are closed together.
// With G the gradients of the gaps and B those of sliding, and velocities that satisfy the joints
// and drivers before and after (every response below goes through their saddle-point matrix):
//   impact         v+ = v- + W (G^T p + B^T r),   0 <= p  _|_  G v+ + e G v- >= 0   (G v- < 0),
//                  |r| <= mu p against the sliding after the impact (sticking when r can hold it),
//                  one component a contact in the plane, two in space
//   acceleration   0 <= N  _|_  gap'' >= 0,   gap'' = G a(N) - gamma
// A closed limit whose N is zero because others carry it rests; it is asked again when they change.
// Energy lost: -sum p (g-' + g+')/2 - sum r (s- + s+)/2; what drivers do in the impact is the rest
// of the change of kinetic energy. Reference: Pfeiffer & Glocker (1996), 5 and 8; Stewart &
// Trinkle, Int. J. Numer. Meth. Eng. 39 (1996).
#include <vector>

#include "cardan/system/motion_solver.h"

namespace cardan {

enum LimitMode : int { open_limit = 0, kept_limit = 1, resting_limit = 2 };

class ContactSolver {
 public:
  ContactSolver(const System&, const std::vector<char>& joints);  // equations of joints that hold

  struct Gap {
    double gap = 0, rate = 0;
  };

  const std::vector<Gap>& gaps(double t, CView q, CView v);  // of all limits

  struct Hit {
    int limit = 0;
    double before = 0, after = 0;  // rates of the gap
    double impulse = 0;
    bool rebounds = false;  // false: too slow, or no restitution
  };

  struct Impact {
    bool ok = true;
    std::vector<Hit> hits;
    double lost = 0, drivers = 0;       // energy
    bool restitution_given_up = false;  // with it the impact would have made energy
  };

  // The velocities after the impact, for the limits listed (closed ones).
  Impact impact(State&, const std::vector<int>& closed);

  // Modes of the limits listed (closed, not approaching), into state.mode. False: friction leaves
  // no solution.
  bool hold(State&, const std::vector<int>& closed);

  // Of the limit, at a state with multipliers: pushes the bodies apart when positive.
  double normal_force(int limit, CView lambda) const;

  MotionSolver& motion() { return motion_; }

 private:
  struct Responses {
    Eigen::MatrixXd G, B;      // gradients in columns
    Eigen::MatrixXd WG, WB;    // velocities they cause
    std::vector<int> rubbing;  // which limits of the list have columns in B
    int ways = 1;              // columns of each: components of sliding
    std::vector<double> v;     // velocities without what they violate joints and drivers by
  };

  bool respond(const State&, const std::vector<int>& closed, Responses&);
  const FrictionLaw& law_of(int limit) const;  // of a limit that rubs
  Eigen::MatrixXd with_friction(const State&,
                                const std::vector<int>& closed,
                                const Responses&) const;

  struct Impulses {
    Eigen::VectorXd p, r;
  };

  // b = (g + e g-, s) before the impact; false: none found.
  bool planar_impulses(const std::vector<int>& closed,
                       const Responses&,
                       const Eigen::MatrixXd& A,
                       const Eigen::VectorXd& b,
                       Impulses&) const;
  bool spatial_impulses(const std::vector<int>& closed,
                        const Responses&,
                        const Eigen::MatrixXd& A,
                        const Eigen::VectorXd& b,
                        Impulses&) const;
  bool apply(
      State&, const std::vector<int>& closed, const Responses&, const Eigen::VectorXd& e, Impact&);

  const System& system_;
  MotionSolver motion_;
  std::vector<Gap> gaps_;
  std::vector<double> rates_;
};

}  // namespace cardan
