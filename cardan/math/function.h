#pragma once
// A function of one variable with its first two derivatives: motion laws, curves, c(t) of a driver.
#include <cstdint>
#include <limits>
#include <memory>

#include "cardan/math/interval.h"

namespace cardan {

struct Jet {  // value, first and second derivative
  double f = 0, d = 0, dd = 0;
};

// What a function does while its argument runs through an interval.
struct Stretch {
  Interval values;        // encloses them; where it has none, nothing
  bool one_piece = true;  // neither value nor slope jumps
  // What happens over shorter distances of the argument is seen in the values.
  double detail = std::numeric_limits<double>::infinity();
  bool known = true;  // false: nothing of this was said
};

// The number of a smooth piece, of its number in a piece of something around it.
inline std::uint64_t piece_within(std::uint64_t outer, std::uint64_t inner) {
  std::uint64_t h = (outer ^ 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  h ^= (h >> 29U) + inner;
  return (h ^ (h >> 32U)) * 0x94d049bb133111ebU;
}

class Function {
 public:
  virtual ~Function() = default;
  virtual Jet at(double x) const = 0;
  virtual bool constant() const = 0;  // the same value at every x
  // Third derivative, which only cam profiles need; differenced from the second where a function
  // has no formula for it.
  virtual double third(double x) const;

  // For finding what is short in time (math/time_breaks.h). A function that does not say is unknown
  // there, so that steps are bounded for its sake.
  virtual Stretch over(const Interval& x) const;
  virtual std::uint64_t piece(double x) const;  // changes where value or slope jumps
};

using FunctionPtr = std::shared_ptr<const Function>;  // immutable, shared between threads

}  // namespace cardan
