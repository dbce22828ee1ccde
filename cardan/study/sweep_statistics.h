#pragma once
// What the points of a sweep say together, of each measure over all points that have it:
//   mean, standard deviation with n - 1, quantiles on lines between sorted values (at q (n - 1)),
//   Pearson's correlation with each parameter: sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2),
//   main effects: for each value of a parameter the mean of the measure over all points that have it; where a parameter has more than
//   `most_values` values, over ten groups of points with rising values.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cardan/study/sweep_store.h"

namespace cardan {

inline constexpr std::array<double, 5> sweep_quantiles{0.01, 0.05, 0.5, 0.95, 0.99};

struct MeasureStatistics {
  std::string name, unit;
  long count = 0, least_point = 0, largest_point = 0;
  double least = 0, largest = 0, mean = 0, deviation = 0;
  std::array<double, sweep_quantiles.size()> quantiles{};
  std::vector<double> correlation;  // by parameter; NaN: one of both does not change
  // By parameter: its value, or the mean of a group, and the mean of the measure.
  std::vector<std::vector<std::pair<double, double>>> effects;
};

Result<std::vector<MeasureStatistics>> sweep_statistics(const SweepStore&);

nlohmann::ordered_json to_json(const MeasureStatistics&);

}  // namespace cardan
