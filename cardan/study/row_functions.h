#pragma once
// Numbers that follow from the course of a quantity at the rows of a run. Between two rows it is the
// cubic with their values and slopes; a slope is that of the polynomial of degree 4 through a row and
// two on each side, beside ends and jumps of the parabola through three:
//   y(t) = y0 + (y1 - y0) s + (t - t0)(t - t1) ((1 - s) c0 + s c1),   s = (t - t0) / (t1 - t0)
// Two rows at one time are both sides of a jump, across which nothing is smoothed.
//
//   largest, smallest   of the rows and of the cubics beside an extreme row
//   integral            h (y0 + y1) / 2 - h^3 (c0 + c1) / 12 of each interval
//   mean, rms           integral / duration, sqrt(integral of the square / duration)
//   at, crossing        the value at a time, and the time at which a value is passed
//
// With y as numbers with slopes (sloped.h) they have those of the same formulas, at fixed times of the rows.
#include <vector>

#include "cardan/study/sloped.h"

namespace cardan {

template <class Y> struct CourseOf {  // Y: double or Sloped
  std::vector<double> t;
  std::vector<Y> y;
};

using Course = CourseOf<double>;
using SlopedCourse = CourseOf<Sloped>;

template <class Y> struct ExtremeOf { Y value, t; };

template <class Y> ExtremeOf<Y> largest(const CourseOf<Y>&);
template <class Y> ExtremeOf<Y> smallest(const CourseOf<Y>&);
template <class Y> Y integral(const CourseOf<Y>&);
template <class Y> Y mean(const CourseOf<Y>&);
template <class Y> Y root_mean_square(const CourseOf<Y>&);
template <class Y> Y value_at(const CourseOf<Y>&, double t);  // NaN outside of its times
template <class Y> Y crossing(const CourseOf<Y>&, double level, long number);  // NaN: not so often

}  // namespace cardan
