#pragma once
// What the elementary functions share: numbers as sums of two, and the tables they start from.
#include <cstdint>

namespace cardan::elementary {

// hi + lo with |lo| at most half a unit in the last place of hi: some 106 bits. The sums and products
// are those of Dekker, "A floating-point technique for extending the available precision", 1971, and
// Knuth, The Art of Computer Programming 2, 4.2.2.
struct Pair {
  double hi = 0, lo = 0;
};

inline Pair ordered_sum(double a, double b) {  // |a| >= |b| or a = 0: exact
  const double s = a + b;
  return {s, b - (s - a)};
}

inline Pair exact_sum(double a, double b) {
  const double s = a + b, c = s - a;
  return {s, (a - (s - c)) + (b - c)};
}

inline Pair exact_product(double a, double b) {  // no part may overflow or underflow
  constexpr double splitter = 134217729;         // 2^27 + 1
  const double p = a * b;
  const double a_big = splitter * a, b_big = splitter * b;
  const double a_hi = a_big - (a_big - a), b_hi = b_big - (b_big - b);
  const double a_lo = a - a_hi, b_lo = b - b_hi;
  return {p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

inline Pair sum(Pair a, Pair b) {
  const Pair s = exact_sum(a.hi, b.hi);
  return ordered_sum(s.hi, s.lo + (a.lo + b.lo));
}

inline Pair product(Pair a, Pair b) {
  const Pair p = exact_product(a.hi, b.hi);
  return ordered_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline Pair quotient(Pair a, Pair b) {
  const double q = a.hi / b.hi;
  const Pair p = exact_product(q, b.hi);
  return ordered_sum(q, (((a.hi - p.hi) - p.lo) + a.lo - q * b.lo) / b.hi);
}

struct LogStart {
  double inverse;  // 1 / c, few bits
  Pair log;        // log(c)
};

extern const Pair exp_table[128];
extern const LogStart log_table[128];
extern const Pair atan_table[65];
extern const std::uint64_t two_over_pi[22];

}  // namespace cardan::elementary
