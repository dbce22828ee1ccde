#pragma once
// A formula seen as a function of time: which values it takes over an interval of t, whether it
// stays in one smooth piece there, and how fast its parts change. Variable 0 is t. Other variables
// are functions of time themselves, or unknown; parts that follow from t alone are what is judged.
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cardan/math/expression.h"
#include "cardan/math/function.h"

namespace cardan {

struct Instruction;

class TimeFormula {
 public:
  using Ptr = std::shared_ptr<const TimeFormula>;

  // variables[k]: variable k as a function of time; null, or behind the list: unknown.
  explicit TimeFormula(const Expression&, std::vector<Ptr> variables = {});
  explicit TimeFormula(FunctionPtr);

  bool uses_time() const { return uses_time_; }

  // The ranges of all operations at the times looked at so far.
  struct Seen {
    std::map<const TimeFormula*, std::vector<Interval>> ranges;
  };

  struct Reach {
    Interval values;
    bool own = true;        // follows from t alone
    bool time = false;      // depends on t
    bool one_piece = true;  // no part that follows from t alone jumps or has a kink
    // The largest change of such a part over the interval, as a share of its range so far.
    double change = 0;
    bool known = true;  // no function of t is unknown, none of t and unknowns together is bent

    bool mixed() const { return time && !own; }
  };

  // An interval that is one point adds to what was seen.
  Reach reach(const Interval& t, Seen&) const;

  Stretch over(const Interval& t) const;

  // A number that differs in neighbouring pieces.
  std::uint64_t piece(double t) const { return place(t).piece; }

  double value(double t) const { return place(t).value; }  // NaN where it does not follow from t

 private:
  struct Place {
    double value = 0;
    bool own = true;
    std::uint64_t piece = 0;
  };

  class Walk;
  Place place(double t) const;
  static Place apply(const Instruction&, const Place* x, const std::vector<FunctionPtr>&);

  std::shared_ptr<const Expression::Program> program_;  // null: the constant 0
  std::vector<Ptr> variables_;
  bool uses_time_ = false;
};

}  // namespace cardan
