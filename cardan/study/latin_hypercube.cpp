#include <numeric>
#include <utility>

#include "cardan/study/unit_points.h"

namespace cardan {

std::uint64_t RandomBits::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double RandomBits::unit() {
  return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53;
}

std::uint64_t RandomBits::below(std::uint64_t count) {
  const std::uint64_t whole = UINT64_MAX - UINT64_MAX % count;  // what is above would favour some
  std::uint64_t x = next();
  while (x >= whole) x = next();
  return x % count;
}

UnitPoints latin_hypercube(std::size_t variables, std::size_t count, std::uint64_t seed) {
  RandomBits random(seed);
  UnitPoints out(variables, std::vector<double>(count));
  std::vector<std::size_t> part(count);
  for (auto& column : out) {
    std::iota(part.begin(), part.end(), std::size_t{0});
    for (std::size_t k = count; k > 1; --k) std::swap(part[k - 1], part[random.below(k)]);
    for (std::size_t k = 0; k < count; ++k)
      column[k] = (static_cast<double>(part[k]) + random.unit()) / static_cast<double>(count);
  }
  return out;
}

}  // namespace cardan
