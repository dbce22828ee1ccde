// With directions v_1 .. v_32 of a variable, point k + 1 follows from point k by x ^= v_c, where c is
// the number of the lowest zero bit of k (Antonov & Saleev's order). Directions come from a primitive
// polynomial x^s + a_1 x^(s-1) + ... + 1 over the field of two elements and odd m_1 .. m_s:
//   v_i = m_i 2^(32 - i) for i <= s,
//   v_i = v_(i-s) ^ (v_(i-s) >> s) ^ a_1 v_(i-1) ^ ... ^ a_(s-1) v_(i-s+1) after that.
#include <array>
#include <bit>

#include "cardan/study/unit_points.h"

namespace cardan {

namespace {

struct Direction {
  unsigned degree, coefficients;  // a_1 is the highest bit
  std::array<std::uint32_t, 7> m;
};

// Of the second variable on, from the table of Joe and Kuo.
constexpr std::array<Direction, most_sobol_variables - 1> directions{
    {{1, 0, {1}},
     {2, 1, {1, 3}},
     {3, 1, {1, 3, 1}},
     {3, 2, {1, 1, 1}},
     {4, 1, {1, 1, 3, 3}},
     {4, 4, {1, 3, 5, 13}},
     {5, 2, {1, 1, 5, 5, 17}},
     {5, 4, {1, 1, 5, 5, 5}},
     {5, 7, {1, 1, 7, 11, 19}},
     {5, 11, {1, 1, 5, 1, 1}},
     {5, 13, {1, 1, 1, 3, 11}},
     {5, 14, {1, 3, 5, 5, 31}},
     {6, 1, {1, 3, 3, 9, 7, 49}},
     {6, 13, {1, 1, 1, 15, 21, 21}},
     {6, 16, {1, 3, 1, 13, 27, 49}},
     {6, 19, {1, 1, 1, 15, 7, 5}},
     {6, 22, {1, 3, 1, 15, 13, 25}},
     {6, 25, {1, 1, 5, 5, 19, 61}},
     {7, 1, {1, 3, 7, 11, 23, 15, 103}},
     {7, 4, {1, 3, 7, 13, 13, 15, 69}}}};

constexpr unsigned bits = 32;

std::array<std::uint32_t, bits> directions_of(std::size_t variable) {
  std::array<std::uint32_t, bits> v{};
  if (variable == 0) {
    for (unsigned i = 0; i < bits; ++i) v[i] = std::uint32_t{1} << (bits - 1 - i);
    return v;
  }
  const Direction& given = directions[variable - 1];
  const unsigned s = given.degree;
  for (unsigned i = 0; i < bits; ++i) {
    if (i < s) {
      v[i] = given.m[i] << (bits - 1 - i);
      continue;
    }
    v[i] = v[i - s] ^ (v[i - s] >> s);
    for (unsigned k = 1; k < s; ++k)
      if ((given.coefficients >> (s - 1 - k)) & 1U) v[i] ^= v[i - k];
  }
  return v;
}

// From number 0 on; shift: what each number is changed by, and half a unit of the last digit added.
std::vector<double> column(std::size_t variable,
                           std::size_t count,
                           std::uint32_t shift,
                           double half) {
  const auto v = directions_of(variable);
  std::vector<double> out(count);
  std::uint32_t x = 0;
  for (std::size_t k = 0; k < count; ++k) {
    out[k] = (static_cast<double>(x ^ shift) + half) * 0x1p-32;
    x ^= v[static_cast<std::size_t>(std::countr_one(k))];
  }
  return out;
}

}  // namespace

UnitPoints plain_sobol_points(std::size_t variables, std::size_t count) {
  UnitPoints out;
  for (std::size_t d = 0; d < variables; ++d) out.push_back(column(d, count, 0, 0));
  return out;
}

UnitPoints sobol_points(std::size_t variables, std::size_t count, std::uint64_t seed) {
  RandomBits random(seed);
  UnitPoints out;
  for (std::size_t d = 0; d < variables; ++d)
    out.push_back(column(d, count, static_cast<std::uint32_t>(random.next() >> 32), 0.5));
  return out;
}

}  // namespace cardan
