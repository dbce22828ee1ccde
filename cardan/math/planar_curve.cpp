// Circles, ellipses and curves in polar coordinates. With e = (cos s, sin s), n = e' = (-sin s, cos
// s), n' = -e:
//   c = r e,  c' = r' e + r n,  c'' = (r'' - r) e + 2 r' n,  c''' = (r''' - 3 r') e + (3 r'' - r) n
#include "cardan/math/planar_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "cardan/math/elementary.h"

namespace cardan {
namespace {

constexpr double turn = 2 * std::numbers::pi;

class Ellipse : public PlanarCurve {
 public:
  Ellipse(double a, double b, const Vec<2>& centre, double tilt)
      : centre_(centre),
        a_(a * elementary::cos(tilt), a * elementary::sin(tilt)),
        b_(-b * elementary::sin(tilt), b * elementary::cos(tilt)) {}

  Point at(double s) const override {
    const double cosine = elementary::cos(s), sine = elementary::sin(s);
    const Vec<2> out = cosine * a_ + sine * b_, along = cosine * b_ - sine * a_;
    return {centre_ + out, along, -out, -along};
  }

  double period() const override { return turn; }

  bool closed() const override { return true; }

 private:
  Vec<2> centre_, a_, b_;  // half axes as vectors
};

class Polar : public PlanarCurve {
 public:
  explicit Polar(FunctionPtr radius) : radius_(std::move(radius)) {}

  Point at(double s) const override {
    const double angle = std::clamp(s - turn * std::floor(s / turn), 0.0, turn);
    const auto [r, d, dd] = radius_->at(angle);
    const double ddd = radius_->third(angle);
    const Vec<2> e(elementary::cos(angle), elementary::sin(angle)), n(-e.y(), e.x());
    return {r * e, d * e + r * n, (dd - r) * e + 2 * d * n, (ddd - 3 * d) * e + (3 * dd - r) * n};
  }

  double period() const override { return turn; }

  bool closed() const override { return true; }

 private:
  FunctionPtr radius_;
};

}  // namespace

PlanarCurvePtr circle_curve(double radius, const Vec<2>& centre) {
  return ellipse_curve(radius, radius, centre, 0);
}

PlanarCurvePtr ellipse_curve(double a, double b, const Vec<2>& centre, double tilt) {
  const bool finite =
      std::isfinite(a) && std::isfinite(b) && std::isfinite(tilt) && centre.allFinite();
  if (!finite || !(a > 0) || !(b > 0))
    throw std::invalid_argument("a circle or ellipse needs positive radii");
  return std::make_shared<Ellipse>(a, b, centre, tilt);
}

std::string fault_in_polar(const Function& radius) {
  const Jet first = radius.at(0), last = radius.at(turn);
  const auto differ = [](double a, double b, double scale) {
    return !(std::abs(a - b) <= 1e-9 * scale);
  };
  double largest = 0;
  for (int i = 0; i < 360; ++i) {
    const double r = radius.at(turn * i / 360).f;
    if (!(r > 0)) return fmt::format("a radius of {} at {} deg", r, i);
    largest = std::max(largest, r);
  }
  if (differ(first.f, last.f, largest))
    return fmt::format("a radius of {} at 0 deg and {} at 360 deg", first.f, last.f);
  if (differ(first.d, last.d, std::max(largest, std::abs(first.d))))
    return fmt::format("a slope of {} at 0 deg and {} at 360 deg", first.d, last.d);
  return {};
}

PlanarCurvePtr polar_curve(FunctionPtr radius) {
  if (!radius) throw std::invalid_argument("polar_curve: no radius");
  const std::string fault = fault_in_polar(*radius);
  if (!fault.empty()) throw std::invalid_argument("polar_curve: " + fault);
  return std::make_shared<Polar>(std::move(radius));
}

}  // namespace cardan
