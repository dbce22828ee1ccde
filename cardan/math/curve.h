#pragma once
// Motion laws and curves as functions of one variable with exact derivatives. The makers throw
// std::invalid_argument when the numbers make no sense; fault_in_table tells a reader beforehand.
#include <string>
#include <vector>

#include "cardan/math/function.h"

namespace cardan {

FunctionPtr constant_curve(double value);
FunctionPtr polynomial(std::vector<double> coefficients);  // c0 + c1 x + c2 x^2 + ...
// offset + amplitude sin(frequency x + phase), frequency in rad per unit of x
FunctionPtr harmonic(double amplitude, double frequency, double phase = 0, double offset = 0);

// From y0 at x0 to y1 at x1, at rest outside. Largest velocity and acceleration of a unit rise in
// unit time:
FunctionPtr cubic_step(double x0,
                       double x1,
                       double y0,
                       double y1);  // 1.5, 6; acceleration jumps at the ends
FunctionPtr quintic_step(double x0, double x1, double y0, double y1);   // 1.875, 5.774
FunctionPtr cycloidal(double x0, double x1, double y0, double y1);      // 2, 6.283
FunctionPtr modified_sine(double x0, double x1, double y0, double y1);  // 1.760, 5.528

// What a table says where it has no points. undefined: NaN, which stops a run with a message.
enum class Outside { undefined, hold, extend, repeat };

FunctionPtr linear_table(std::vector<double> x,
                         std::vector<double> y,
                         Outside = Outside::undefined);

enum class SplineEnds { natural, clamped, periodic };

struct SplineOptions {
  SplineEnds ends = SplineEnds::natural;
  double first_slope = 0, last_slope = 0;  // clamped
  Outside outside = Outside::undefined;    // periodic splines repeat whatever is said here
};

// Twice continuously differentiable. periodic: the last value must equal the first.
FunctionPtr cubic_spline(std::vector<double> x,
                         const std::vector<double>& y,
                         const SplineOptions& = {});

// f on [x0, x0 + period), again and again. The value after n periods is raised by n*gain: an
// indexing motion.
FunctionPtr repeated(FunctionPtr f, double x0, double period, double gain = 0);

// What is wrong with a table in words, empty when nothing is: "x[3] = 2 does not lie beyond x[2] =
// 2".
std::string fault_in_table(const std::vector<double>& x, const std::vector<double>& y);
std::string fault_in_spline(const std::vector<double>& x,
                            const std::vector<double>& y,
                            const SplineOptions&);

}  // namespace cardan
