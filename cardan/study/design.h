#pragma once
// All points of a sweep: every combination of values (grid, the last variable fastest), values side by
// side (zip), or a sample.
#include <cstdint>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/study/variation.h"

namespace cardan {

inline constexpr long most_points = 1'000'000;

enum class DesignKind { grid, zip, latin_hypercube, sobol };

struct DesignSetting {
  DesignKind kind = DesignKind::grid;
  long count = 0;  // of a sample
  std::uint64_t seed = 0;
};

class Design {
 public:
  // Refused: too many points (limit.points, with their number), lists of different lengths side by
  // side, distributions without a sample.
  static Result<Design> make(std::vector<Variation>, const DesignSetting&);

  const std::vector<Variation>& variations() const { return variations_; }

  long count() const { return count_; }

  std::vector<double> point(long number) const;  // from 0; one value for each variation

 private:
  std::vector<Variation> variations_;
  DesignSetting setting_;
  long count_ = 0;
  std::vector<std::vector<double>> sample_;  // unit cube, by variation
};

Diagnostic too_many_points(double count);

}  // namespace cardan
