// Exponential, logarithm, power and the hyperbolic functions.
//
// exp: x = n ln2/128 + r, exp(x) = 2^(n/128) (1 + r + r^2/2 + ...), the first factor from a table.
// log: x = 2^k m with m near 1, m = c (1 + r) with c of a table, log x = k ln2 + log c + log(1 + r).
// (Tang, "Table-driven implementation of the exponential function" and "... of the logarithm function
// in IEEE floating-point arithmetic", ACM TOMS 1989, 1990.) Both are had as sums of two numbers, so
// that powers x^y = exp(y log x) keep their last place.
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "cardan/math/elementary.h"
#include "cardan/math/elementary_tables.h"

namespace cardan::elementary {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Pair ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Pair one_over_ln2{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
constexpr Pair one_over_ln10{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};

struct Power2 {  // part 2^k
  Pair part;
  int k = 0;
};

// |x| < 800
Power2 exp_parts(Pair x) {
  constexpr double rounder = 0x1.8p52, first = 0x1.62e42fef80000p-8, second = 0x1.1cf79abc9e3b4p-43;
  const double shifted = x.hi * 0x1.71547652b82fep+7 + rounder, number = shifted - rounder;
  const int n = static_cast<int>(number);
  const Pair near = exact_sum(x.hi - number * first, -(number * second));
  const Pair r = exact_sum(near.hi, near.lo + x.lo);
  const double z = r.hi,
               rest = r.lo +
                      z * z * (0.5 + z * (1.0 / 6 + z * (1.0 / 24 + z * (1.0 / 120 + z / 720))));
  const Pair start = exp_table[n & 127];
  return {ordered_sum(start.hi, start.lo + start.hi * (z + rest)), n >> 7};
}

double whole(const Power2& p) {
  const double x = p.part.hi + p.part.lo;
  if (p.k > -1022 && p.k < 1023)
    return x * std::bit_cast<double>(static_cast<std::uint64_t>(p.k + 1023) << 52);
  return std::ldexp(x, p.k);
}

// x > 0 and finite
Pair log_parts(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  int k = 0;
  if (bits < (1ULL << 52)) {  // subnormal
    bits = std::bit_cast<std::uint64_t>(x * 0x1p52);
    k = -52;
  }
  constexpr std::uint64_t origin = 0x3fe6800000000000;  // 0.703125
  const std::uint64_t over = bits - origin;
  k += static_cast<int>(static_cast<std::int64_t>(over) >> 52);
  const double m = std::bit_cast<double>(bits - (over & (0xfffULL << 52)));
  const LogStart& start = log_table[over >> 45 & 127];
  // m / c - 1 exactly: m in two halves times few bits
  const double m_hi = std::bit_cast<double>(std::bit_cast<std::uint64_t>(m) & (~0ULL << 27));
  const Pair r = exact_sum(m_hi * start.inverse - 1, (m - m_hi) * start.inverse);
  const Pair square = std::abs(r.hi) < 0x1p-200 ? Pair{} : exact_product(r.hi, r.hi);
  const double z = r.hi;
  double series = 1.0 / 10;
  for (const double c : {1.0 / 9, 1.0 / 8, 1.0 / 7, 1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3})
    series = c - z * series;
  const double rest = z * square.hi * series - 0.5 * (square.lo + 2 * r.hi * r.lo);
  constexpr double ln2_first = 0x1.62e42fefa4000p-1, ln2_second = -0x1.8432a1b0e2634p-43;
  const Pair base = exact_sum(k * ln2_first, start.log.hi);
  const Pair with_r = exact_sum(base.hi, r.hi);
  const Pair with_square = exact_sum(with_r.hi, -0.5 * square.hi);
  return ordered_sum(
      with_square.hi,
      with_square.lo + (with_r.lo + (base.lo + (k * ln2_second + start.log.lo + r.lo + rest))));
}

// What log gives where there is no finite result; otherwise nothing.
bool log_edge(double x, double& out) {
  if (x > 0 && x < infinite) return false;
  out = x == 0 ? -infinite : x > 0 ? x : undefined;  // x > 0: infinite
  return true;
}

bool integer(double y) {
  return std::floor(y) == y;
}

bool odd(double y) {
  return integer(y) && std::abs(y) < 0x1p53 && std::fmod(y, 2) != 0;
}

// x^n of a small whole number, by products of pairs
double whole_power(double x, int n) {
  Pair out{1, 0}, factor{x, 0};
  for (int left = std::abs(n); left > 0; left /= 2) {
    if (left % 2 == 1) out = product(out, factor);
    if (left > 1) factor = product(factor, factor);
  }
  if (n < 0) out = quotient({1, 0}, out);
  return out.hi + out.lo;
}

// Where a number that is not finite, or zero, goes in: as ISO C says.
double power_edge(double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (std::isnan(x) || std::isnan(y)) return undefined;
  const double size = std::abs(x);
  if (std::isinf(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? infinite : 0;
  }
  const double result = (size == 0) == (y > 0) ? 0 : infinite;
  return std::signbit(x) && odd(y) ? -result : result;
}

// exp(|x|) and exp(-|x|) halved
struct Halves {
  Pair up, down;
};

Halves halves(double x) {
  const Power2 e = exp_parts({std::abs(x), 0});
  const double scale = std::ldexp(1.0, e.k - 1);
  const Pair up{e.part.hi * scale, e.part.lo * scale};
  return {up, quotient({0.25, 0}, up)};
}

// exp(|x|) / 2 where the other half of sinh and cosh is below the last place
double large_half(double x) {
  const double size = std::abs(x);
  if (size > 711) return infinite;
  const Power2 e = exp_parts({size, 0});
  return whole({e.part, e.k - 1});
}

// x + x^3/6 + ... of |x| < 0.3
Pair small_sinh(double x) {
  const double z = x * x;
  double series = 1.0 / 15 / 14;
  for (const double c : {13.0 * 12, 11.0 * 10, 9.0 * 8, 7.0 * 6, 5.0 * 4, 3.0 * 2})
    series = (1 + z * series) / c;
  return ordered_sum(x, x * (z * series));
}

}  // namespace

double exp(double x) {
  if (std::isnan(x)) return undefined;
  if (x > 710) return infinite;
  if (x < -746) return 0;
  return whole(exp_parts({x, 0}));
}

double exp2(double x) {
  if (std::isnan(x)) return undefined;
  if (x >= 1024) return infinite;
  if (x < -1076) return 0;
  return whole(exp_parts(product({x, 0}, ln2)));
}

double log(double x) {
  double edge = 0;
  if (log_edge(x, edge)) return edge;
  const Pair p = log_parts(x);
  return p.hi + p.lo;
}

double log2(double x) {
  double edge = 0;
  if (log_edge(x, edge)) return edge;
  const Pair p = product(log_parts(x), one_over_ln2);
  return p.hi + p.lo;
}

double log10(double x) {
  double edge = 0;
  if (log_edge(x, edge)) return edge;
  const Pair p = product(log_parts(x), one_over_ln10);
  return p.hi + p.lo;
}

double pow(double x, double y) {
  if (y == 2) return x * x;
  const double size = std::abs(x);
  if (!(size > 0 && size < infinite) || !std::isfinite(y) || y == 0 || x == 1)
    return power_edge(x, y);
  if (x < 0 && !integer(y)) return undefined;
  if (integer(y) && std::abs(y) <= 8 && size > 0x1p-60 && size < 0x1p60)
    return whole_power(x, static_cast<int>(y));
  const double sign = x < 0 && odd(y) ? -1 : 1;
  const Pair log_x = log_parts(size);
  const double about = y * log_x.hi;
  if (about > 710) return sign * infinite;
  if (about < -746) return sign * 0.0;
  if (std::abs(about) < 0x1p-60) return sign;  // x^y = 1 to the last place
  return sign * whole(exp_parts(product({y, 0}, log_x)));
}

double sinh(double x) {
  if (!std::isfinite(x)) return x;
  if (std::abs(x) < 0.3) {
    const Pair p = small_sinh(x);
    return p.hi + p.lo;
  }
  if (std::abs(x) > 40) return std::copysign(large_half(x), x);
  const Halves h = halves(x);
  const Pair p = sum(h.up, {-h.down.hi, -h.down.lo});
  return std::copysign(p.hi + p.lo, x);
}

double cosh(double x) {
  if (!std::isfinite(x)) return std::abs(x);
  if (std::abs(x) > 40) return large_half(x);
  const Halves h = halves(x);
  const Pair p = sum(h.up, h.down);
  return p.hi + p.lo;
}

double tanh(double x) {
  if (std::isnan(x)) return undefined;
  const double size = std::abs(x);
  if (size > 20) return std::copysign(1.0, x);
  if (size < 0.3) {
    const Halves h = halves(x);
    const Pair p = quotient(small_sinh(size), sum(h.up, h.down));
    return std::copysign(p.hi + p.lo, x);
  }
  const Power2 e = exp_parts({2 * size, 0});  // tanh x = 1 - 2 / (exp(2 x) + 1)
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(e.k + 1023) << 52);
  const Pair part = quotient({2, 0}, sum({e.part.hi * scale, e.part.lo * scale}, {1, 0}));
  const Pair p = sum({1, 0}, {-part.hi, -part.lo});
  return std::copysign(p.hi + p.lo, x);
}

namespace {

double root_of_squares(double x, double y, double z) {
  Pair squares = exact_product(x, x);
  if (std::abs(y) > 0x1p-400) squares = sum(squares, exact_product(y, y));
  if (std::abs(z) > 0x1p-400) squares = sum(squares, exact_product(z, z));
  const double root = std::sqrt(squares.hi);
  const Pair square = exact_product(root, root);
  return root + (((squares.hi - square.hi) - square.lo) + squares.lo) / (2 * root);
}

}  // namespace

double hypot(double x, double y, double z) {
  if (std::isinf(x) || std::isinf(y) || std::isinf(z)) return infinite;
  if (std::isnan(x) || std::isnan(y) || std::isnan(z)) return undefined;
  double a = std::abs(x), b = std::abs(y), c = std::abs(z);
  if (a < b) std::swap(a, b);
  if (a < c) std::swap(a, c);
  if (a == 0) return 0;
  if (a > 0x1p-300 && a < 0x1p300) return root_of_squares(a, b, c);
  int k = 0;
  std::frexp(a, &k);
  return std::ldexp(root_of_squares(std::ldexp(a, -k), std::ldexp(b, -k), std::ldexp(c, -k)), k);
}

double hypot(double x, double y) {
  return hypot(x, y, 0);
}

}  // namespace cardan::elementary
