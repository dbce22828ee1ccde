#pragma once
// What is narrow in a formula of the motion is not stepped over: a force that acts in a short part of
// a track, a table with close points, a condition that holds for a moment. What follows t alone is
// found before the run (math/time_breaks.h); this is about all that moves.
//
// Over a step of length h every variable u of a formula runs along the cubic through u and u' at both
// ends. For each operation that may hide something (math/formula_range.h)
//   S   the values at s = 0, h/4, h/2, 3h/4, h: what the method may have seen
//   E   those at both ends, which is all that some methods see
//   M   those at h/4, h/2, 3h/4, which is all that others see
//   V   the enclosure over an interval of s (math/centred_form.h), halved where it is too wide
// and the step is good if everywhere
//   V within S, widened by its width and by a thousandth of what the operation can be at all,
//   V within E, widened by its width and by a quarter of that, and
//   V within M, widened by four times its width and by a thousandth of that: a step does not reach into
//               what begins close to its end. Where conditions switch there is an event anyway, and
//               steps of given length end where they must.
// The first interval where it is not tells how long the step may be.
#include <optional>
#include <string>
#include <vector>

#include "cardan/ode/archive.h"
#include "cardan/system/formula_parts.h"

namespace cardan {

class FormulaWatch {
 public:
  FormulaWatch(const System&, double span);  // s, of the run

  bool any() const { return parts_.operations() > 0; }

  void begin(const State&);  // where the next step begins
  void forget();             // nothing is known any more of where it begins

  double begun() const { return t_; }  // NaN: nowhere

  // The longest step towards the state in which nothing is hidden; infinite: all the way. given: it
  // cannot be made shorter.
  double longest(const State&, bool given);

  const std::string& found() const { return found_; }  // "force 'bump'": where it was not infinite

  void serialize(Archive&);

 private:
  struct Track {             // of a variable: its value at s is ((c3 s + c2) s + c1) s + c0
    double u = 0, rate = 0;  // at the start
    double c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  };

  void join(double length);
  Reached value(const Track&, double a, double b) const;
  Reached rate(const Track&, double a, double b) const;
  void walk(double a, double b);
  void sample(double length, bool given);
  std::size_t outside() const;
  std::optional<double> first_hidden(double length);

  FormulaParts parts_;
  double least_ = 0;  // no step is cut shorter
  std::vector<Track> tracks_;
  std::vector<double> u_, rate_;  // at the state that was measured last
  std::vector<Reached> values_, rates_, now_;
  std::vector<Interval> whole_, seen_, sampled_, ends_, midst_, allowed_;  // of operations
  double t_, direction_ = 1;
  std::string found_;
};

}  // namespace cardan
