// Sine, cosine and tangent, and their inverses.
//
// The argument is reduced to x = n pi/2 + r with |r| <= pi/4, r as a sum of two numbers: by pi/2 in
// three parts where n is below 2^20 and r is not small (Cody and Waite, Software Manual for the
// Elementary Functions, 1980), otherwise exactly, by the bits of 2/pi that matter (Payne and Hanek,
// "Radian reduction for trigonometric functions", 1983). On that interval sine and cosine are
//   sin r = r + r^3 S(r^2),   cos r = 1 - r^2/2 + r^4 C(r^2)
// with polynomials of least largest error. The inverses follow from
//   atan(y/x) = atan(c) + atan(t),   t = (y - c x) / (x + c y),   c = k/64 nearest to y/x.
#include <bit>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"
#include "cardan/math/elementary_tables.h"

namespace cardan::elementary {
namespace {

constexpr double quarter_pi = 0x1.921fb54442d18p-1;
constexpr Pair half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr Pair whole_pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Reduced {
  Pair r;
  unsigned n = 0;  // of quarter turns, modulo 4
};

// |x| = m 2^e with the integer m. Bits of 2/pi that give multiples of 4 are left out, 256 of the next
// are taken: x 2/pi modulo 4 to some 200 bits.
[[gnu::noinline]] Reduced reduce_exactly(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(std::abs(x));
  const int e = static_cast<int>(bits >> 52) - 1075;
  const std::uint64_t m = (bits & ((1ULL << 52) - 1)) | (1ULL << 52);
  const int skipped = e > 2 ? e - 2 : 0;
  std::uint64_t window[4];
  for (int k = 0; k < 4; ++k) {
    const int word = skipped / 64 + k, shift = skipped % 64;
    window[3 - k] = shift == 0 ? two_over_pi[word]
                               : two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift);
  }
  std::uint64_t product[5] = {};  // m times the window, least word first
  unsigned __int128 carry = 0;
  for (int k = 0; k < 4; ++k) {
    carry += static_cast<unsigned __int128>(m) * window[k];
    product[k] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  product[4] = static_cast<std::uint64_t>(carry);
  const int point = 256 - (e - skipped);  // so many bits are behind the point
  const auto bits_from = [&](int at) {    // 64 of them
    const int word = at / 64, shift = at % 64;
    const std::uint64_t high = word + 1 < 5 ? product[word + 1] : 0;
    return shift == 0 ? product[word] : product[word] >> shift | high << (64 - shift);
  };
  Reduced out;
  out.n = static_cast<unsigned>(bits_from(point)) & 3U;
  unsigned __int128 f =
      static_cast<unsigned __int128>(bits_from(point - 64)) << 64 | bits_from(point - 128);
  const bool above = (f >> 127) != 0;  // beyond half: from the other side
  if (above) {
    f = -f;
    ++out.n;
  }
  int zeros = 0;
  for (; zeros < 127 && (f >> 127) == 0; ++zeros) f <<= 1;
  const double scale = std::ldexp(1.0, -zeros - 53);
  const Pair fraction{
      static_cast<double>(static_cast<std::uint64_t>(f >> 75)) * scale,
      static_cast<double>(static_cast<std::uint64_t>(f >> 22) & ((1ULL << 53) - 1)) * scale *
          0x1p-53};
  out.r = elementary::product(fraction, half_pi);
  if (above) out.r = {-out.r.hi, -out.r.lo};
  if (x < 0) {
    out.r = {-out.r.hi, -out.r.lo};
    out.n = 4U - out.n;
  }
  out.n &= 3U;
  return out;
}

[[gnu::always_inline]] inline Reduced reduce(double x) {
  if (std::abs(x) <= quarter_pi) return {{x, 0}, 0};
  constexpr double rounder = 0x1.8p52, first = 0x1.921fb54400000p+0, second = 0x1.0b4611a600000p-34,
                   third = 0x1.3198a2e037073p-69;
  if (std::abs(x) < 0x1p20) {
    const double shifted = x * 0x1.45f306dc9c883p-1 + rounder, n = shifted - rounder;
    const Pair r = exact_sum(x - n * first, -(n * second));
    if (std::abs(r.hi) > 0x1p-16)
      return {ordered_sum(r.hi, r.lo - n * third),
              static_cast<unsigned>(std::bit_cast<std::uint64_t>(shifted)) & 3U};
  }
  return reduce_exactly(x);
}

// r + the rest of the sine; the two are the result to more than its last place.
[[gnu::always_inline]] inline Pair sine_parts(Pair r) {
  const double z = r.hi * r.hi;
  const double s =
      -0x1.5555555555555p-3 +
      z * (0x1.1111111111110p-7 +
           z * (-0x1.a01a01a019927p-13 +
                z * (0x1.71de3a545e7cfp-19 +
                     z * (-0x1.ae64540f2209ep-26 +
                          z * (0x1.61217c2a1e368p-33 + z * (-0x1.ab1621c5468a1p-41))))));
  return {r.hi, r.hi * z * s + r.lo * (1 - 0.5 * z)};
}

[[gnu::always_inline]] inline Pair cosine_parts(Pair r) {
  const double z = r.hi * r.hi, half = 0.5 * z, w = 1 - half;
  const double c = 0x1.5555555555555p-5 +
                   z * (-0x1.6c16c16c16960p-10 +
                        z * (0x1.a01a019f4d18ap-16 +
                             z * (-0x1.27e4fa15ca346p-22 +
                                  z * (0x1.1eeb66c3b8405p-29 + z * (-0x1.907c17e2f07b7p-37)))));
  return {w, ((1 - w) - half) + (z * z * c - r.hi * r.lo)};
}

[[gnu::always_inline]] inline double total(Pair p) {
  return p.hi + p.lo;
}

[[gnu::always_inline]] inline double sine_of(Pair r) {
  return std::abs(r.hi) < 0x1p-27 ? r.hi : total(sine_parts(r));
}

[[gnu::always_inline]] inline double cosine_of(Pair r) {
  return total(cosine_parts(r));
}

// atan(y / x) of x, y >= 0, not both 0
Pair arc(Pair y, Pair x) {
  if (y.hi > x.hi) {
    const Pair other = arc(x, y);
    return sum(half_pi, {-other.hi, -other.lo});
  }
  const auto k = static_cast<int>(std::lround(64 * (y.hi / x.hi)));
  Pair t;
  if (k == 0) {
    t = quotient(y, x);
  } else {
    const double c = k / 64.0;
    const Pair cx = exact_product(c, x.hi), cy = exact_product(c, y.hi);
    const Pair above = sum(y, {-cx.hi, -(cx.lo + c * x.lo)});
    const Pair below = sum(x, {cy.hi, cy.lo + c * y.lo});
    t = quotient(above, below);
  }
  const double z = t.hi * t.hi;
  const double rest =
      t.hi * z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 - z * (1.0 / 11)))));
  const Pair start = atan_table[k];
  const Pair s = exact_sum(start.hi, t.hi);
  return ordered_sum(s.hi, s.lo + (start.lo + t.lo + rest));
}

// sqrt(1 - x^2) of |x| <= 1
Pair other_leg(double x) {
  const Pair p = std::abs(x) < 0x1p-300 ? Pair{0, 0} : exact_product(x, x);
  const Pair left = sum({1, 0}, {-p.hi, -p.lo});
  if (left.hi <= 0) return {0, 0};
  const double root = std::sqrt(left.hi);
  const Pair square = exact_product(root, root);
  return ordered_sum(root, (((left.hi - square.hi) - square.lo) + left.lo) / (2 * root));
}

}  // namespace

SineCosine sine_cosine(double x) {
  if (!std::isfinite(x)) return {not_a_number, not_a_number};
  const Reduced at = reduce(x);
  const double s = sine_of(at.r), c = cosine_of(at.r);
  switch (at.n) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

double sin(double x) {
  if (!std::isfinite(x)) return not_a_number;
  const Reduced at = reduce(x);
  const double size = at.n % 2 == 1 ? cosine_of(at.r) : sine_of(at.r);
  return at.n < 2 ? size : -size;
}

double cos(double x) {
  if (!std::isfinite(x)) return not_a_number;
  const Reduced at = reduce(x);
  const double size = at.n % 2 == 1 ? sine_of(at.r) : cosine_of(at.r);
  return at.n == 1 || at.n == 2 ? -size : size;
}

double tan(double x) {
  if (!std::isfinite(x)) return not_a_number;
  const Reduced at = reduce(x);
  if (at.n == 0 && std::abs(at.r.hi) < 0x1p-27) return at.r.hi;
  const Pair s = sine_parts(at.r), c = cosine_parts(at.r);
  const Pair sine = ordered_sum(s.hi, s.lo), cosine = ordered_sum(c.hi, c.lo);
  if (at.n % 2 == 0) return total(quotient(sine, cosine));
  return -total(quotient(cosine, sine));
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return not_a_number;
  const double a = std::abs(y), b = std::abs(x);
  Pair angle;
  if (a == 0 || (std::isinf(b) && !std::isinf(a))) {
    angle = {0, 0};
  } else if (b == 0 || (std::isinf(a) && !std::isinf(b))) {
    angle = half_pi;
  } else if (std::isinf(a)) {
    angle = {quarter_pi, 0.5 * half_pi.lo};
  } else {
    const double ratio = a / b;
    if (ratio > 0x1p60) {
      angle = half_pi;
    } else if (ratio < 0x1p-60) {  // y / x to its last place, also where it is subnormal
      if (x > 0) return std::copysign(ratio, y);
      angle = {0, 0};
    } else if (b > 0x1p-400 && b < 0x1p400) {
      angle = arc({a, 0}, {b, 0});
    } else {  // of another size, so that no product leaves the range
      int k = 0;
      std::frexp(b, &k);
      angle = arc({std::ldexp(a, -k), 0}, {std::ldexp(b, -k), 0});
    }
  }
  if (std::signbit(x)) angle = sum(whole_pi, {-angle.hi, -angle.lo});
  return std::copysign(total(angle), y);
}

double atan(double x) {
  return std::abs(x) < 0x1p-27 ? x : atan2(x, 1);
}

double asin(double x) {
  if (!(std::abs(x) <= 1)) return not_a_number;
  if (std::abs(x) < 0x1p-27) return x;
  return std::copysign(total(arc({std::abs(x), 0}, other_leg(x))), x);
}

double acos(double x) {
  if (!(std::abs(x) <= 1)) return not_a_number;
  const Pair leg = other_leg(x);
  if (x == 1) return 0;
  const Pair angle = x == 0 ? half_pi : arc(leg, {std::abs(x), 0});
  return x < 0 ? total(sum(whole_pi, {-angle.hi, -angle.lo})) : total(angle);
}

}  // namespace cardan::elementary
