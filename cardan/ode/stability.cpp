#include "cardan/ode/stability.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double near = 1e-5, far = 1e4;  // the scan; beyond it a method is stable without end
constexpr double ratio = 1.01;            // of neighbouring points of the search outward
constexpr double noise = 1e-12;           // of simple roots
constexpr double noise_double = 1e-7;     // of double roots: the square root of round-off

// First x of the scan with g(x) > tolerance, refined to where that begins; infinity: none.
template <class G> double first_beyond(const G& g, double tolerance, double from) {
  double in = 0, out = from;
  while (out <= far && !(g(out) > tolerance)) {
    in = out;
    out *= ratio;
  }
  if (out > far) return std::numeric_limits<double>::infinity();
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (in + out);
    (g(middle) > tolerance ? out : in) = middle;
  }
  return in;
}

// Largest value of g along a ray, with the maxima of the scan refined by golden section.
template <class G> double largest(const G& g) {
  constexpr double step = 1.05;  // ratio of neighbouring points of the search for a minimum
  double best = -1;
  double a = near, b = near * step, c = near * step * step, ga = g(a), gb = g(b);
  for (; c <= far; a = b, b = c, c *= step) {
    const double gc = g(c);
    if (gb >= ga && gb >= gc) {
      double low = a, high = c;
      const double golden = 2 - std::numbers::phi;
      double left = low + golden * (high - low), right = high - golden * (high - low);
      double gl = g(left), gr = g(right);
      for (int i = 0; i < 60; ++i) {
        if (gl > gr) {
          high = right, right = left, gr = gl;
          gl = g(left = low + golden * (high - low));
        } else {
          low = left, left = right, gl = gr;
          gr = g(right = high - golden * (high - low));
        }
      }
      best = std::max({best, gl, gr});
    }
    ga = gb;
    gb = gc;
  }
  return best;
}

}  // namespace

Growth growth_of(const MethodEntry& entry, const MethodOptions& options) {
  if (!entry.amplification) return {};
  return [&entry, options](std::complex<double> z) {
    return entry.amplification(options, z);
  };
}

double axis_limit(const Growth& growth, std::complex<double> direction) {
  const auto g = [&](double x) {
    return growth(x * direction) - 1;
  };
  const double x = first_beyond(g, noise, near);
  if (std::isinf(x)) return x;
  double deepest = 0;
  for (const double part : {0.25, 0.5, 0.75, 0.9}) deepest = std::min(deepest, g(part * x));
  if (deepest < -noise) {  // truly stable before: the crossing stands clear of round-off
    return first_beyond(g, 1e-14, 0.9 * x);
  }
  // neutral before: a pair of roots that meet and part at once, or growth from the start
  const double doubled = first_beyond(g, noise_double, near);
  return std::isinf(doubled) || doubled < 1.01 * x ? doubled : 0;
}

double stability_angle(const Growth& growth) {
  const auto stable = [&](double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    const std::complex<double> direction(-elementary::cos(angle), elementary::sin(angle));
    return largest([&](double x) { return growth(x * direction) - 1; }) <= 1e-13;
  };
  if (!std::isinf(axis_limit(growth, -1))) return 0;
  double in = 0, out = 90;
  if (stable(90 - 1e-6)) return 90;
  for (int i = 0; i < 36; ++i) {
    const double middle = 0.5 * (in + out);
    (stable(middle) ? in : out) = middle;
  }
  return in;
}

Window stability_window(const std::vector<Growth>& all, double aspect) {
  double reach = 0, height = 0;
  bool unbounded = false;
  for (const Growth& growth : all) {
    const double real = axis_limit(growth, -1), imaginary = axis_limit(growth, {0, 1});
    if (std::isinf(real)) unbounded = true;
    if (std::isfinite(real)) reach = std::max(reach, real);
    if (std::isfinite(imaginary)) height = std::max(height, imaginary);
  }
  if (unbounded) reach = std::max(reach, 6.0);
  reach = std::max(reach, height);
  if (reach == 0) reach = 1;
  const double left = 1.2 * reach, right = unbounded ? 1.3 * reach : 0.5 * reach;
  const double up = std::max(1.2 * std::max(reach, height), 0.5 * (left + right) / aspect);
  const double more = std::max(0.0, 0.5 * (2 * up * aspect - left - right));
  return {-left - more, right + more, -up, up};
}

}  // namespace cardan
