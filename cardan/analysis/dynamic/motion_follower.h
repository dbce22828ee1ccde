#pragma once
// What is integrated behind a motion, over the interpolant of every accepted step, and changes nothing
// of it.
#include <functional>
#include <optional>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/types.h"
#include "cardan/ode/archive.h"
#include "cardan/system/system.h"

namespace cardan {

class MotionFollower {
 public:
  virtual ~MotionFollower() = default;

  struct Piece {  // of a motion, with the same equations
    const State& start;
    const std::vector<char>& active;
    bool implicit;  // how the motion is integrated
    double rtol, atol;
    std::function<Eval(double t, State&)> at;  // within the last accepted step
    std::function<double()> reached;           // the end of that step
  };

  // A diagnostic ends the run.
  virtual std::optional<Diagnostic> begin(Piece) = 0;

  virtual std::optional<Diagnostic> step() = 0;  // to the end of the last accepted step

  // At a state that was recovered within that step; in order of time.
  virtual std::optional<Diagnostic> at(const State&) = 0;

  virtual void jump() = 0;  // forces may jump where the last step ended

  virtual void serialize(Archive&) = 0;
};

}  // namespace cardan
