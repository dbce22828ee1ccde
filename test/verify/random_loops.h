#pragma once
// Random mechanisms with closed loops, from a seed: the same text on every machine.
//   planar: loops of four and five bars, slider-cranks, two loops; bars of 0.6 to 1.2 m, 0.1 to
//           10 kg, gravity, in half of them springs or a torque that varies in time
//   spatial: chains of bars on hinges, closed by a rod of fixed length or a rod on two balls
#include <cstdint>
#include <string>

#include "test/verify/planar_reference.h"

namespace cardan::test {

class Random {  // splitmix64; distributions of the standard library differ between compilers
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}

  double uniform(double low, double high);
  int below(int n);  // 0 ... n - 1

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

struct RandomMechanism {
  std::string text;  // of a model file, without an analysis
  std::string kind;
  PlanarReference reference;  // the same mechanism for an independent solution; planar only
};

RandomMechanism random_planar_loop(std::uint64_t seed);
RandomMechanism random_spatial_loop(std::uint64_t seed);

}  // namespace cardan::test
