#pragma once
// Points that fill the unit cube, for samples.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cardan {

// Random numbers that are the same everywhere: splitmix64 (Steele, Lea & Flood, OOPSLA 2014).
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  double unit();                             // 0 < u < 1
  std::uint64_t below(std::uint64_t count);  // 0 .. count - 1, all alike

 private:
  std::uint64_t state_;
};

// One list of coordinates for each variable.
using UnitPoints = std::vector<std::vector<double>>;

// Latin hypercube: each variable has one value in each of `count` equal parts of its range, in an
// order of its own (McKay, Beckman & Conover, Technometrics 21 (1979) 239).
UnitPoints latin_hypercube(std::size_t variables, std::size_t count, std::uint64_t seed);

inline constexpr std::size_t most_sobol_variables = 21;

// Sobol' sequence with the directions of Joe & Kuo (SIAM J. Sci. Comput. 30 (2008) 2635), each
// variable shifted digit by digit by a number that follows from the seed.
UnitPoints sobol_points(std::size_t variables, std::size_t count, std::uint64_t seed);

// Without the shift: the sequence as it is published, its points from number 0 on.
UnitPoints plain_sobol_points(std::size_t variables, std::size_t count);

}  // namespace cardan
