#pragma once
// Motion in independent coordinates, for Newton's method on their accelerations s. The velocities
// of a mechanism are split into independent ones, index v, and dependent ones, index u. From the
// pose q_n, with the increments d_v, the velocities v_v and s of the independent ones,
//   phi(t, q_n (+) d) = 0                 d_u by Newton's method
//   phi_q v = nu                          v_u
//   phi_q a = gamma,  a_v = s             a_u
//   phi_u^T lambda = (Q - M a)_u          lambda
//   Psi(s) = (M a + phi_q^T lambda - Q)_v
// and along Newmark's d_v = ... + beta h^2 s, v_v = ... + gamma h s (eq. 29)
//   Psi_s = (M X)_v + H^T (M X)_u + gamma h (S_v + H^T S_u) + beta h^2 (R_v + H^T R_u),
//   X = (H, 1),  phi_u H = -phi_v                                               (31)
//   phi_u J = -(phi_q v)_q X                                                    (32)
//   phi_u L = (gamma_q - (phi_q a)_q) X + gamma_v (J, 0)                        (33)
//   phi_u N = gamma_v X                                                         (34)
//   R = ((phi_q^T lambda)_q + (M a)_q - Q_q) X - Q_v (J, 0) + M (L, 0)          (35)
//   S = M (N, 0) - Q_v X                                                        (36)
// all from one LU factorization of phi_u. Fisette and Vaneghem neglect N, L and (phi_q^T lambda)_q;
// what they leave out is eq. 40.
//
// In space q_n (+) d is no sum: a change x of d moves the pose by dq = T x (transport), so positions
// have phi_q T in place of phi_q, and X in front of derivatives by q is T (H_T, 1).
//
// Large mechanisms have one sparse matrix of static pattern instead, for the increments
// (x, dv, da, dlambda) with the linearised constraints; H would fill up. Both give the same steps.
//
// Reference: Haug, Negrut & Iancu, "A state-space-based implicit integration algorithm for
// differential-algebraic equations of multibody dynamics", Mech. Struct. Mach. 25 (1997).
#include <limits>
#include <memory>
#include <vector>

#include "cardan/formulation/motion_equations.h"
#include "cardan/math/dense.h"
#include "cardan/math/sparse_lu.h"

namespace cardan {

// [phi_q; B] with B the rows that pick the independent ones: dense for few, sparse for many.
class DependentBlock {
 public:
  using Matrix = MotionEquations::Matrix;

  void prepare(bool sparse, std::vector<int> rows, std::vector<int> independent, int size);

  [[nodiscard]] bool factor(const Matrix& phi_q);

  // phi_q x = g (all equations, those not active are not read), x_v given in x.
  void solve(CView g, View x);

  // phi_u^T lambda = f_u; and what is left of f in the independent rows, f_v - phi_v^T lambda.
  void solve_transposed(CView f, View lambda, View left);

  const Eigen::MatrixXd& H() const { return H_; }  // dense alone; after tangents()

  void tangents();  // phi_u H = -phi_v

  // X_u of phi_u X_u = right side, columns at once; dense alone.
  Eigen::MatrixXd dependent(const Eigen::MatrixXd& right) const { return lu_.solve(right); }

  const std::vector<int>& dependents() const { return dependent_; }

 private:
  void make_pattern(const Matrix& phi_q);

  bool sparse_ = false;
  int size_ = 0;
  std::vector<int> rows_, independent_, dependent_;  // active rows, columns
  Eigen::MatrixXd phi_u_, phi_v_, H_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd g_, u_;
  std::vector<int> from_;  // entry of phi_q that an entry of the sparse matrix is; -1: one of B
  std::vector<double> values_, x_;
  std::unique_ptr<SparseOrder> order_;
  std::unique_ptr<SparseLu<double>> sparse_lu_;
};

class StateSpaceSystem;

class IndependentMotion {
 public:
  using Matrix = MotionEquations::Matrix;
  enum class Form { automatic, dense, sparse };
  enum class Neglect { nothing, fisette_vaneghem };

  explicit IndependentMotion(MotionEquations&, Form = Form::automatic);
  ~IndependentMotion();

  // Independent coordinates for a pose, by elimination with full pivoting.
  void prefer(std::vector<int> wanted) { wanted_ = std::move(wanted); }  // of the first choice

  void choose(double t, CView q);
  std::vector<int> best_choice(double t, CView q);
  void use(const std::vector<int>& independent);

  const std::vector<int>& independent() const { return independent_; }

  int freedoms() const { return static_cast<int>(independent_.size()); }

  bool sparse() const { return sparse_; }

  struct Point {
    double t = 0;
    std::vector<double> q, v, a, lambda, d;
    Eigen::VectorXd psi;
  };

  Point point() const;  // of the right sizes

  // From the pose q_n, with given independent parts of at.d, at.v and at.a; the rest of at.d is a
  // guess. Everything else of `at` follows. z: first-order states.
  Eval follow(double t, CView q_n, CView z, Point& at);

  // The same as far as positions and velocities go.
  Eval kinematics(double t, CView q_n, Point& at);

  // The derivatives of a motion that has been followed by kinematics, with all forces: along changes
  // of the independent parts of d, of those of v, and of z (columns in this order), how x = change
  // of d, v, a, lambda follow. Dense.
  struct Slopes {
    Eigen::MatrixXd x, v, a, lambda;
  };

  void slopes(const Point& at, CView z, Slopes&);

  // Moves at.d along the tangents of the last follow, by `change` of its independent part.
  void shift(CView change, Point& at);

  // Passes of Newton's method for the positions, in all calls.
  long passes() const { return passes_; }

  // Largest motion of a dependent coordinate per unit of an independent one, angles times the
  // mechanism's size, in the pose of the last follow. Sparse: when all independent ones move at
  // once.
  double stretch();

  // The derivatives at the point of the last follow.
  void linearise(const Point& at, CView z, Neglect);

  // Psi_s for beta h^2 and gamma h. False: singular.
  [[nodiscard]] bool factor(double beta_h2, double gamma_h);

  // s: (b) -> Psi_s^-1 b.
  void solve(View s);

  // The change of s that follows from changes of d_v and v_v that s does not make.
  void respond(CView d_v, CView v_v, View s);

  // Sparse, for y = (d, w, z) of other formulas (state_space_formulas.cpp): the derivatives at the
  // point of the last kinematics with its a and lambda, and solves with I - c f_y.
  void linearise_formulas(const Point& at, CView z);
  [[nodiscard]] bool factor_formulas(double c);
  void solve_formulas(View d, View w, View z);

  // Dense alone: Psi_s = mass + gamma h damping + beta h^2 stiffness.
  const Eigen::MatrixXd& mass() const { return mass_; }

  const Eigen::MatrixXd& damping() const { return damping_; }

  const Eigen::MatrixXd& stiffness() const { return stiffness_; }

  // What eq. 40 says that Fisette and Vaneghem neglect, for the parts of gamma h and beta h^2.
  const Eigen::MatrixXd& neglected_damping() const { return neglected_damping_; }

  const Eigen::MatrixXd& neglected_stiffness() const { return neglected_stiffness_; }

  // The worst entry of Psi, and its equation of motion in words.
  std::string worst_text(const Point&) const;

 private:
  void turned_jacobian(CView d);  // P_ = phi_q T
  const Matrix& position_jacobian(CView d);
  Eval positions(double t, CView q_n, Point& at);
  void take_independent(CView all, View some) const;
  void linearise_dense(const Point& at, Neglect);
  Eigen::MatrixXd spread(const Eigen::MatrixXd& dependent) const;  // with rows of zeros
  Eigen::MatrixXd tangents(DependentBlock&) const;
  Eigen::MatrixXd active(const Eigen::MatrixXd& all_equations) const;
  Eigen::MatrixXd position_tangents(const Point& at, Eigen::MatrixXd& x);  // dq; x as well

  MotionEquations& of_;
  std::size_t n_, m_;
  bool sparse_, spatial_;
  std::vector<int> rows_;  // active equations
  std::vector<int> independent_, wanted_;
  double first_choice_ = std::numeric_limits<double>::quiet_NaN();  // its time
  std::vector<int> turning_;  // first velocity of each rotation in space
  DependentBlock at_velocities_, at_positions_;
  std::vector<double> T_[3];  // columns of T of all bodies
  Matrix P_, bend_;
  std::vector<double> g_, x_, f_, left_;
  Eigen::MatrixXd mass_, damping_, stiffness_, neglected_damping_, neglected_stiffness_;
  Eigen::MatrixXd X_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd right_;
  std::unique_ptr<StateSpaceSystem> system_, shifted_;  // sparse: of Newmark, of other formulas
  double c_ = 0;
  long passes_ = 0;
};

// out = in T, column by column, where T turns the rotations that begin at `turning`.
void times_turns(const MotionEquations::Matrix& in,
                 const std::vector<int>& turning,
                 const std::vector<double> (&T)[3],
                 MotionEquations::Matrix& out);

}  // namespace cardan
