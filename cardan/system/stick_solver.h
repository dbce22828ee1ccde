#pragma once
// Which closed limits hold and which friction sticks, decided for all of them together by the
// accelerations at one state. With the forces x (normal forces N of the limits, friction r along
// its tangents), their responses and the accelerations b without them,
//   limits      0 <= N  _|_  G a - gamma >= 0
//   sticks      T a = gamma,   |r| <= mu_s N
//   slides      r = -mu N w;  w along the sliding, or along T a - gamma where it begins to slide
//   a = a_0 + W (G^T N + T^T r),   N of joints a function of lambda = lambda_0 + L x.
// What stands still is first taken to stick. The limits are a linear complementarity problem for
// given modes (loads of joints follow by Newton's method); the friction that exceeds its limit most
// then slides, one that would be pushed back sticks again, until all agree. Of more limits than rigid
// bodies determine as many carry as are independent, those whose smallest force is largest, or those
// that did before; the others rest. Where that goes round in circles, all of them are found at once (stick_cones.cpp). Holding forces that
// rigid bodies do not determine are shared so that the largest |r|/(mu_s N) is smallest (Lawson's
// algorithm). Where the limits have no solution or several, nothing is chosen: that is the paradox of
// Painleve. Nor where modes do not settle, which proves no contradiction. References: Pfeiffer & Glocker, Multibody Dynamics with
// Unilateral Contacts (1996), 5, 6 and 8; C. L. Lawson (1961) in Cheney, Introduction to
// Approximation Theory.
#include <string>
#include <vector>

#include "cardan/math/dense.h"
#include "cardan/system/motion_solver.h"

namespace cardan {

// Length of State::slide while the speed is still that of the beginning, where round-off and errors
// of integration are no stop; later 1.
inline constexpr double just_begun = 0.5;

class StickSolver {
 public:
  explicit StickSolver(const System&);

  enum class Role : char {
    judged,   // by its mode and its speed
    stopped,  // its sliding has just passed zero
    released  // its holding force has just reached its limit
  };

  struct Answer {
    // unsettled: the search ended without an answer, which proves nothing.
    enum class Kind { found, none, several, unsettled } kind = Kind::found;
    int friction = -1, limit = -1;  // what is to blame; -1: neither
  };

  // Modes of the closed limits listed and of all friction, into the state. `opening`: those of the list
  // that carry nothing any more. `joints` solves with the equations of joints and drivers.
  Answer decide(MotionSolver& joints,
                State&,
                const std::vector<int>& closed,
                const std::vector<int>& opening,
                const std::vector<Role>& roles);

  // For each friction what is left of its limit at a state with multipliers: mu_s N - |r| where it
  // sticks. Where what sticks is redundant, shared as above.
  void margins(MotionSolver& joints, const State&, std::vector<double>& out);

  // T v of an element, by a workspace that has the rotations.
  Vec<3> slip(int k, const State&, const Workspace&) const;

 private:
  enum class Part { open, fixed, sticks, begins };

  struct Rub {                                   // a friction element that takes part
    int k = 0, first = 0, ways = 1, limit = -1;  // place in x; of the list of closed limits
    Part part = Part::sticks;
    double mu = 0, given = 0;   // of sliding; load of a compliant contact
    Vec<3> w = Vec<3>::Zero();  // where it slides to
    Mat<3, 3> frame = Mat<3, 3>::Identity();
    int returns = 0;  // how often it went back to sticking
  };

  bool respond(MotionSolver&, const State&, const std::vector<int>& closed);
  void gather(const State&, const Workspace&, const std::vector<Role>&);
  double load(const Rub&, Eigen::VectorXd* slopes) const;
  void update_multipliers();
  void choose_rows();

  struct Equations {
    Eigen::MatrixXd M, own;
    Eigen::VectorXd q;
  };

  Equations of_limits();
  Answer choose_limits(const std::vector<int>& closed);
  std::vector<std::vector<Eigen::Index>> carriers(const std::vector<char>& may);
  Answer settle(const std::vector<Eigen::Index>& carriers,
                const std::vector<int>& closed,
                const std::vector<Rub>& at_first,
                double allowed,
                bool releases);
  bool solve_forces();
  Vec<3> force(const Rub&) const;
  Vec<3> rise(const Rub&) const;  // T a - gamma
  bool change_parts();
  std::vector<double> shared_ratios();
  Eigen::MatrixXd idle_forces(const std::vector<Eigen::Index>& S) const;
  void write(State&, const std::vector<int>& closed);
  bool limits_agree(int pass) const;
  bool presses(int k, const State&, Workspace&) const;
  Answer blamed(Answer::Kind) const;
  Answer search(const std::vector<int>& closed);

  // ---- all friction at once (stick_cones.cpp)
  struct Cones;
  bool settle_by_cones(const std::vector<int>& closed, bool releases);
  void begin_cones(Cones&) const;
  void follow_friction(const Cones&);
  bool sweep_cones(const Cones&, double closeness, int& left);
  void cone_residual(const Cones&, Eigen::VectorXd& F, Eigen::MatrixXd* J);
  bool newton_on_cones(const Cones&);
  bool solve_cones(Cones&);
  bool take_parts(Cones&);
  bool parts_agree();

  const System& system_;
  const FrictionSet& set_;
  std::vector<int> contact_of_;  // of friction; -1: a joint
  std::vector<Rub> rubs_;
  Eigen::Index limits_ = 0;
  Eigen::MatrixXd F_, A_, L_, D_;  // forces, their accelerations, multipliers, F^T A
  Eigen::VectorXd free_;           // of D: what each force does to bodies without joints
  Eigen::VectorXd b_, x_, lambda_0_, lambda_;
  std::vector<char> kept_, rests_, needed_;  // limits; equations of sticking, by place in x
  std::vector<char> may_carry_;              // limits
  bool positive_ = true;                     // determinant of the forces' equations
  double load_scale_ = 0, allowed_ = 1;      // of all forces; |r|/(mu_s N) that still sticks
};

// Smallest possible max_e |r_e|/c_e over r = r_0 + Z s; r_0 becomes r. Groups of rows by `of`.
void share_evenly(const Eigen::MatrixXd& Z,
                  const std::vector<int>& of,
                  const std::vector<double>& c,
                  Eigen::VectorXd& r);

}  // namespace cardan
