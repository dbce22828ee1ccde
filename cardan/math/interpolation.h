#pragma once
// Polynomial approximation of a function from its derivatives at a point, or from its values at
// equally spaced points, with an estimate of the error.
#include "cardan/math/types.h"

namespace cardan {

struct Approximation {
  double value = 0;
  double error = 0;  // estimate of f - value: the first term left out; NaN if it is not known
};

// Taylor: value = sum_{j<k} f^(j) dt^j / j!, error ~ f^(k) dt^k / k! when `derivatives` has it.
Approximation taylor_polynomial(CView derivatives, int k, double dt);

// Backward differences of values given newest first: on return x[i] = nabla^i f_n.
void backward_differences(View x);

// Newton's backward-difference polynomial through k points, s = (t - t_n) / h:
// value = sum_{i<k} C(s + i - 1, i) nabla^i f_n, error ~ C(s + k - 1, k) nabla^k f_n when it is
// given.
Approximation newton_backward(CView differences, int k, double s);

// Weights of the differences in value and integral of that polynomial:
//   P(t_n + s h) = sum w_i nabla^i f_n,   w_i = C(s + i - 1, i)
//   int_0^s P du = sum w_i nabla^i f_n,   w_i = int_0^s C(u + i - 1, i) du    (times h in t)
void newton_backward_weights(double s, View w);
void newton_backward_integral_weights(double s, View w);  // at most 16 of them

}  // namespace cardan
