#pragma once
// Numbers that follow from the course of a quantity at the rows of a run. Between rows it is taken as
// the parabola through three of them; two rows at one time are both sides of a jump, across which
// nothing is smoothed.
//
//   largest, smallest   of the rows and of the vertices of parabolas through an extreme row
//   integral            each interval by the mean of its two parabolas, at an end or a jump by one
//   mean, rms           integral / duration, sqrt(integral of the square / duration)
//   at, crossing        the value at a time, and the time at which a value is passed, on a line
#include <span>
#include <vector>

namespace cardan {

struct Course {
  std::vector<double> t, y;
};

struct Extreme {
  double value, t;
};

Extreme largest(const Course&);
Extreme smallest(const Course&);
double integral(const Course&);
double mean(const Course&);
double root_mean_square(const Course&);
double value_at(const Course&, double t);                   // NaN outside of its times
double crossing(const Course&, double level, long number);  // NaN: not so often

}  // namespace cardan
