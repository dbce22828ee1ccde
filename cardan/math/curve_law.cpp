// Motion laws from rest to rest: y = y0 + (y1 - y0) s(u), u = (x - x0)/(x1 - x0), with s on [0, 1]
//   cubic          3 u^2 - 2 u^3
//   quintic        10 u^3 - 15 u^4 + 6 u^5
//   cycloidal      u - sin(2 pi u)/(2 pi)
//   modified sine  (pi u - sin(4 pi u)/4)/(4 + pi)              0   <= u <= 1/8
//                  (2 + pi u - 9/4 sin((4 u + 1) pi/3))/(4 + pi)  1/8 <= u <= 7/8
//                  (4 + pi u - sin(4 pi u)/4)/(4 + pi)          7/8 <= u <= 1
// Reference: Norton, Cam Design and Manufacturing Handbook, 2nd ed., 2009, chapters 3 and 4.
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "cardan/math/curve.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

constexpr double pi = std::numbers::pi;
using Derivatives = std::array<double, 4>;  // s, s', s'', s'''
using Law = Derivatives (*)(double u);

Derivatives cubic(double u) {
  return {u * u * (3 - 2 * u), 6 * u * (1 - u), 6 - 12 * u, -12};
}

Derivatives quintic(double u) {
  const double w = 1 - u;
  return {u * u * u * (10 - u * (15 - 6 * u)),
          30 * u * u * w * w,
          60 * u * w * (w - u),
          60 - 360 * u * w};
}

Derivatives cycloid(double u) {
  const double k = 2 * pi, sine = elementary::sin(k * u), cosine = elementary::cos(k * u);
  return {u - sine / k, 1 - cosine, k * sine, k * k * cosine};
}

// (rest + pi u - amplitude sin(k u + phase))/(4 + pi)
Derivatives sine_piece(double u, double rest, double amplitude, double k, double phase) {
  const double sine = amplitude * elementary::sin(k * u + phase),
               cosine = amplitude * elementary::cos(k * u + phase);
  const double c = 1 / (4 + pi);
  return {
      c * (rest + pi * u - sine), c * (pi - k * cosine), c * k * k * sine, c * k * k * k * cosine};
}

Derivatives modified(double u) {
  if (u < 0.125) return sine_piece(u, 0, 0.25, 4 * pi, 0);
  if (u <= 0.875) return sine_piece(u, 2, 2.25, 4 * pi / 3, pi / 3);
  return sine_piece(u, 4, 0.25, 4 * pi, 0);
}

class Rise : public Function {
 public:
  Rise(Law law, double x0, double x1, double y0, double y1)
      : law_(law), x0_(x0), x1_(x1), y0_(y0), y1_(y1) {}

  Jet at(double x) const override {
    if (x <= x0_) return {y0_, 0, 0};
    if (x >= x1_) return {y1_, 0, 0};
    const double span = x1_ - x0_, rise = y1_ - y0_;
    const Derivatives s = law_((x - x0_) / span);
    return {y0_ + rise * s[0], rise * s[1] / span, rise * s[2] / (span * span)};
  }

  bool constant() const override { return y0_ == y1_; }

  double third(double x) const override {
    if (x <= x0_ || x >= x1_) return 0;
    const double span = x1_ - x0_;
    return (y1_ - y0_) * law_((x - x0_) / span)[3] / (span * span * span);
  }

  Stretch over(const Interval& x) const override {  // they rise from end to end
    return {Interval::between(at(x.lo).f, at(x.hi).f), piece(x.lo) == piece(x.hi)};
  }

  std::uint64_t piece(double x) const override { return x <= x0_ ? 0 : x >= x1_ ? 2 : 1; }

 private:
  Law law_;
  double x0_, x1_, y0_, y1_;
};

FunctionPtr rise(Law law, double x0, double x1, double y0, double y1) {
  const bool finite =
      std::isfinite(x0) && std::isfinite(x1) && std::isfinite(y0) && std::isfinite(y1);
  if (!finite || !(x0 < x1))
    throw std::invalid_argument("a motion law needs finite numbers and x0 < x1");
  return std::make_shared<Rise>(law, x0, x1, y0, y1);
}

}  // namespace

FunctionPtr cubic_step(double x0, double x1, double y0, double y1) {
  return rise(cubic, x0, x1, y0, y1);
}

FunctionPtr quintic_step(double x0, double x1, double y0, double y1) {
  return rise(quintic, x0, x1, y0, y1);
}

FunctionPtr cycloidal(double x0, double x1, double y0, double y1) {
  return rise(cycloid, x0, x1, y0, y1);
}

FunctionPtr modified_sine(double x0, double x1, double y0, double y1) {
  return rise(modified, x0, x1, y0, y1);
}

}  // namespace cardan
