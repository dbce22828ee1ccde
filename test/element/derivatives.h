#pragma once
// Checks of every derivative of a pool of constraints or forces at random states, against
// differences of fourth order along tangent increments. One line a test: check_constraints(set),
// check_forces(set).
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "cardan/element/element_type.h"

namespace cardan::test {

// Differences of analytic functions of size 1 with steps of 1e-3 are good to 1e-12; two digits are
// left for cancellation in products of several factors.
inline constexpr double difference_tolerance = 1e-10;
// Products that are themselves differences.
inline constexpr double differenced_tolerance = 1e-8;

struct RandomState {
  int dimension, bodies;
  double t = 0;
  Eigen::VectorXd q, v, a;
  std::vector<double> rotation;

  Config config() const;
  Motion motion() const;
  RandomState moved(const Eigen::VectorXd& d) const;  // q (+) d
};

RandomState random_state(int dimension, int bodies, std::mt19937&);

// Same, with the positions and angles near those given.
RandomState state_near(int dimension, const Eigen::VectorXd& q, double spread, std::mt19937&);

struct Worst {  // the largest relative difference of each kind
  std::vector<std::pair<std::string, double>> errors;

  // The reference is a difference with the step it is given.
  void compare(std::string what,
               const Eigen::MatrixXd& x,
               const std::function<Eigen::MatrixXd(double)>& reference);
  double largest() const;
  std::string text() const;
};

Worst constraint_errors(const ConstraintPool&, const RandomState&, std::mt19937&);
Worst force_errors(const ForcePool&,
                   const RandomState&,
                   const Eigen::VectorXd& request_value,
                   const Eigen::VectorXd& request_rate);

// Dense Jacobian of a pool, rows x n_v.
Eigen::MatrixXd dense_phi_q(const ConstraintPool&, const RandomState&);

// All pools of the set at several random states; a failure names pool and derivative.
void check_constraints(const ConstraintSet&, int bodies);
void check_constraints_near(const ConstraintSet&, const Eigen::VectorXd& q, double spread);
void check_forces(const ForceSet&, int bodies, int requests = 0);

}  // namespace cardan::test
