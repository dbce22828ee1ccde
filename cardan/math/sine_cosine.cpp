// x = n pi/2 + y_0 + y_1 with |y_0| <= pi/4, pi/2 in three parts of 33 bits, so that n times each of
// the first two is exact for |n| < 2^20; then polynomials for sin(y_0 + y_1) and cos(y_0 + y_1), and
// n mod 4 says which of them is which. Larger angles are left to elementary.h. Reference for
// reduction and polynomials: W. J. Cody, W. Waite, Software Manual for the Elementary Functions
// (1980), and fdlibm (Sun Microsystems, 1993), whose coefficients these are.
#include "cardan/math/sine_cosine.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr std::size_t at_once = 8;
constexpr double largest_angle = 1e6;  // rad: beyond it the reduction is not exact

struct Batch {
  double x[at_once], cosine[at_once], sine[at_once];
};

[[gnu::always_inline]] inline void evaluate_batch(Batch& b) {
  // 2/pi.
  constexpr double two_over_pi = 6.36619772367581382433e-01;
  constexpr double whole = 6755399441055744.0;  // 1.5 2^52: adding it rounds to integers
  // pi/2 in three parts.
  constexpr double part_1 = 1.57079632673412561417e+00, part_2 = 6.07710050630396597660e-11,
                   rest_2 = 2.02226624879595063154e-21;
  // Of the polynomial for the sine.
  constexpr double s1 = -1.66666666666666324348e-01, s2 = 8.33333333332248946124e-03,
                   s3 = -1.98412698298579493134e-04, s4 = 2.75573137070700676789e-06,
                   s5 = -2.50507602534068634195e-08, s6 = 1.58969099521155010221e-10;
  // Of the polynomial for the cosine.
  constexpr double c1 = 4.16666666666666019037e-02, c2 = -1.38888888888741095749e-03,
                   c3 = 2.48015872894767294178e-05, c4 = -2.75573143513906633035e-07,
                   c5 = 2.08757232129817482790e-09, c6 = -1.13596475577881948265e-11;
  for (std::size_t i = 0; i < at_once; ++i) {
    const double x = b.x[i], shifted = x * two_over_pi + whole, n = shifted - whole;
    const auto quarter = std::bit_cast<std::uint64_t>(shifted);
    const double r = x - n * part_1, w = n * part_2, t = r - w;
    const double low = n * rest_2 - ((r - t) - w), y0 = t - low, y1 = (t - y0) - low;
    const double z = y0 * y0, v = z * y0;
    const double ps = s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)));
    const double sine = y0 - ((z * (0.5 * y1 - v * ps) - y1) - v * s1);
    const double pc = z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))));
    const double half = 0.5 * z, one = 1 - half;
    const double cosine = one + (((1 - one) - half) + (z * pc - y0 * y1));
    const std::uint64_t swap = -(quarter & 1), sb = std::bit_cast<std::uint64_t>(sine),
                        cb = std::bit_cast<std::uint64_t>(cosine), both = (sb ^ cb) & swap;
    const std::uint64_t sine_sign = (quarter & 2) << 62, cosine_sign = ((quarter + 1) & 2) << 62;
    b.sine[i] = std::bit_cast<double>((sb ^ both) ^ sine_sign);
    b.cosine[i] = std::bit_cast<double>((cb ^ both) ^ cosine_sign);
  }
}

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
void evaluate_angles(const double* angles, std::size_t stride, std::size_t count, double* out) {
  Batch b;
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t n = count - first < at_once ? count - first : at_once;
    bool small = true;
    for (std::size_t i = 0; i < n; ++i) {
      b.x[i] = angles[(first + i) * stride];
      small = small && std::abs(b.x[i]) < largest_angle;
    }
    for (std::size_t i = n; i < at_once; ++i) b.x[i] = 0;
    double* to = out + 2 * first;
    if (small) {
      evaluate_batch(b);
      for (std::size_t i = 0; i < n; ++i) {
        to[2 * i] = b.cosine[i];
        to[2 * i + 1] = b.sine[i];
      }
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      to[2 * i] = elementary::cos(b.x[i]);
      to[2 * i + 1] = elementary::sin(b.x[i]);
    }
  }
}

}  // namespace

void cosines_and_sines(const double* angles, std::size_t stride, std::size_t count, double* out) {
  evaluate_angles(angles, stride, count, out);
}

}  // namespace cardan
