#pragma once
// What is short in time in a formula: the times at which its value or slope may jump, and how long
// a step may be so that nothing is stepped over.
//
//   breaks   found by bisection of the run: an interval of t over which the formula provably stays
//            in one smooth piece has none; the others are halved until two neighbouring numbers
//            are left.
//   bounds   the run is divided until no part of the formula that follows from t alone changes by
//            more than a quarter of its range within one interval; a step is at most as long as the
//            interval it lies in.
#include <functional>
#include <vector>

#include "cardan/math/time_formula.h"

namespace cardan {

struct StepBound {  // from here on, up to the next one
  double from = 0, largest = 0;
};

struct TimeBreaks {
  std::vector<double> times;      // ascending, ends included; the first number of a new piece
  std::vector<StepBound> bounds;  // ascending; empty: none
  bool complete = true;           // nothing can be hidden between breaks under these bounds
};

TimeBreaks time_breaks(const TimeFormula&, double t0, double t1);

// Both together: all times, the smaller bounds.
void add(TimeBreaks& all, const TimeBreaks& more);

// How far from one of these times a value counts as that on its side.
double beside(const std::vector<double>& times);

struct Jump {
  double t = 0, size = 0;
};

// The largest jump of the value at one of the breaks, beyond round-off; size 0: none.
Jump largest_jump(const TimeFormula&, const TimeBreaks&, double t0, double t1);

// Values on both sides of t, a distance away; equal where they differ by no more than slope and
// round-off.
struct Sides {
  double before = 0, after = 0;
};

Sides sides_of(const std::function<double(double)>&, double t, double distance);

}  // namespace cardan
