#pragma once
// Derivatives of friction along tangent increments of its two bodies, by dual numbers: with the
// force N d of an element (friction.h), N(q, lambda) and d(q, v),
//   d_q, d_v, N_q, N_lambda.
// Loads of compliant contacts follow from the law of the contact, not from multipliers: theirs are
// left at zero.
#include "cardan/element/contact/friction.h"

namespace cardan {

struct FrictionSlopes {
  static constexpr int most = FrictionSet::most_numbers;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  using Numbers = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;

  // Both sides after each other, n_v numbers each; columns of the ground say nothing.
  Numbers d;
  Square d_q, d_v;
  double load = 0;
  Numbers load_q, load_v;
  std::array<double, 8> load_lambda{};  // to the multipliers of FrictionElement::rows
};

void friction_slopes(
    const FrictionSet&, int k, const Motion&, const Sliding&, CView lambda, FrictionSlopes& out);

}  // namespace cardan
