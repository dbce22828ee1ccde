#pragma once
// Units that somebody wants to see, "mm,deg,kN", instead of those of SI in which results are stored. Each
// stands for one SI symbol, wherever it occurs in a unit: with mm and kN, N*m becomes kN*mm.
#include <string>
#include <string_view>
#include <vector>

#include "cardan/base/result.h"

namespace cardan {

class DisplayUnits {
 public:
  struct Shown {
    double factor = 1;  // of values in SI units
    std::string unit;
  };

  static Result<DisplayUnits> parse(std::string_view list);

  Shown of(const std::string& si_unit) const;

  bool empty() const { return choices_.empty(); }

 private:
  struct Choice {
    std::string symbol, unit;  // "m" by "mm"; a whole unit for rpm
    double factor = 1;         // SI values in one of these
    bool whole = false;
  };

  std::vector<Choice> choices_;
};

}  // namespace cardan
