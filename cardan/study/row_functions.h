#pragma once
// Numbers that follow from the course of a quantity at the rows of a run. Between rows it is taken as
// the parabola through three of them; two rows at one time are both sides of a jump, across which
// nothing is smoothed.
//
//   largest, smallest   of the rows and of the vertices of parabolas through an extreme row
//   integral            each interval by the mean of its two parabolas, at an end or a jump by one
//   mean, rms           integral / duration, sqrt(integral of the square / duration)
//   at, crossing        the value at a time, and the time at which a value is passed, on a line
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
