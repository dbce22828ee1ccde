#pragma once
// Zero crossings of g_i(t, y), found on the method's own interpolant.
#include <limits>
#include <optional>
#include <string>

#include "cardan/math/types.h"

namespace cardan {

enum class Crossing { rising, falling, either };
enum class EventAction { go_on, restart, stop };  // restart: y was changed, or f is not smooth here

class Events {
 public:
  virtual ~Events() = default;
  virtual int count() const = 0;

  virtual Crossing direction(int) const { return Crossing::either; }

  virtual std::string name(int i) const { return "event " + std::to_string(i); }

  virtual Eval values(double t, CView y, View g) = 0;

  // What bounds g_i around the state of the last values(): how fast it can change there, its rate,
  // and how far it changes smoothly (the size of what it is the distance from). Nothing: not known.
  struct Reach {
    double speed, rate, size;
  };

  virtual std::optional<Reach> reach(int) const { return {}; }

  // From the state of the last values(): a step beyond which something might be met and left again.
  virtual double longest_step() const { return std::numeric_limits<double>::infinity(); }

  // The sign g_i has from here on when the integration restarts where it was found zero; 0: not
  // known before it moves.
  virtual int side_after(int) const { return 0; }

  // Called in order of time, for equal times in order of i. y may be changed when the answer is
  // restart. On restart or stop the integrator goes back to t; later events of the step have then
  // not happened.
  virtual EventAction happened(double t, int i, View y) = 0;
};

}  // namespace cardan
