#pragma once
// The range of motion of a driven mechanism: each driver is swept both ways from the start, the others
// standing still, until it locks up or has made a full turn (a slide: until it locks up, or has gone
// many times the mechanism's size).
//
// With s the driver's value, the motion is that of a driver s = s0 + t (driven_motion.h), so that rates
// are slopes: x' = dx/ds. On the way
//   dead centres of an output x   x'(s) = 0
//   velocity ratio                x'(s), its least and largest value
//   time ratio                    of the two strokes of x, at constant speed of a crank
//   transmission angle            between a coupler and the link it moves, at their joint: with e along
//                                 the coupler (two joints), w the direction in which the joint of the
//                                 output can move, tan mu = |e.w|/(e.n), n across w in the link
// are taken from samples, and extremes and zeros between them are found on exact poses.
// Reference: Norton, Design of Machinery, chapters 2 to 4.
#include <functional>
#include <vector>

#include "cardan/analysis/start/assembly.h"
#include "cardan/model/model.h"
#include "cardan/results/summary.h"

namespace cardan {

struct SweptRange {
  DriverRange range;
  // From its least value to its largest; time is the value of the driver.
  std::vector<State> states;
  double rate = 0;      // of the driver at the start, as the model moves it
  bool steady = false;  // and ever after
};

// start: determined by its drivers. A diagnostic: the motion at the start is not.
Result<SweptRange> sweep_driver(const Model&,
                                const Assembly& start,
                                std::size_t driver,
                                const std::function<bool()>& cancelled);

}  // namespace cardan
