#pragma once
// Where a method is stable: the set of z = h lambda for which the numerical solution of y' = lambda
// y does not grow. Everything follows from the growth per step, the largest modulus of the roots of
// the method's characteristic polynomial: |R(z)| of one-step methods; for methods of second-order
// equations the growth on the equation whose roots are z and its conjugate.
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "cardan/ode/registry.h"

namespace cardan {

using Growth = std::function<double(std::complex<double> z)>;

// Of a registered method; empty where it is not known.
Growth growth_of(const MethodEntry&, const MethodOptions&);

// The largest x such that nothing grows for z on all of [0, x direction]; 0 where growth starts at
// once, infinity where there is no end. Growth of less than 1e-12 a step is not seen.
double axis_limit(const Growth&, std::complex<double> direction);

// The largest alpha, in degrees, such that the sector |arg(-z)| <= alpha is stable: 90 for A-stable
// methods, 0 where not even the negative real axis is.
double stability_angle(const Growth&);

struct Window {
  double left = -4, right = 1, bottom = -4, top = 4;
};

struct Outline {  // closed curves one after another, NaN between them
  std::vector<double> x, y;
};

// The boundary of the stable set inside a window, which it closes along the window's edge; to about
// 1e-4 of a cell.
Outline stability_outline(const Growth&, const Window&, int cells = 160);

// A window that shows the whole region of methods with bounded ones, and enough of the others; its
// width is `aspect` times its height.
Window stability_window(const std::vector<Growth>&, double aspect = 1.4);

}  // namespace cardan
