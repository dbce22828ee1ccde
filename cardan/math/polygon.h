#pragma once
// What curves through points ask of the points, in the plane and in space.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cardan/math/types.h"

namespace cardan {

template <int D> bool repeats_first(const std::vector<Vec<D>>& points) {
  return points.size() > 1 && points.front() == points.back();
}

// Why no curve leads through them, in words; empty when one does.
template <int D> std::string polygon_fault(const std::vector<Vec<D>>& points, bool closed) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite()) return fmt::format("point {} is not finite", i + 1);
  const std::size_t count = points.size() - (closed && repeats_first(points) ? 1 : 0);
  const std::size_t least = closed ? 3 : 2;
  if (count < least)
    return fmt::format("{} different points where at least {} are needed", count, least);
  double size = 0;
  for (const auto& p : points) size = std::max(size, (p - points[0]).norm());
  for (std::size_t i = 1; i < points.size(); ++i)
    if (!((points[i] - points[i - 1]).norm() > 1e-12 * size))
      return fmt::format("points {} and {} coincide", i, i + 1);
  return {};
}

// The length of the polygon up to each point.
template <int D> std::vector<double> lengths_along(const std::vector<Vec<D>>& points) {
  std::vector<double> s{0};
  for (std::size_t i = 1; i < points.size(); ++i)
    s.push_back(s.back() + (points[i] - points[i - 1]).norm());
  return s;
}

}  // namespace cardan
