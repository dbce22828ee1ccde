// Foot points and support functions of planar curves: a table made once, then Newton's method in a
// bracket.
#include "cardan/element/planar/cam_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cardan/element/safe_newton.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

constexpr int foot_samples = 256;
constexpr int support_samples = 256;
constexpr int convexity_samples = 1024;
constexpr double turn = 2 * std::numbers::pi;

double cross(const Vec<2>& a, const Vec<2>& b) {
  return a.x() * b.y() - a.y() * b.x();
}

Vec<2> direction(double theta) {
  return {elementary::cos(theta), elementary::sin(theta)};
}

// Curvature and its derivative to the arc length, from derivatives to any parameter.
CurveFoot::Foot frame_at(const PlanarCurve::Point& p) {
  const double speed2 = p.c_s.squaredNorm(), speed = std::sqrt(speed2), area = cross(p.c_s, p.c_ss);
  const Vec<2> t = p.c_s / speed;
  const double kappa = area / (speed2 * speed);
  const double slope =
      cross(p.c_s, p.c_sss) / (speed2 * speed) - 3 * kappa * p.c_s.dot(p.c_ss) / speed2;
  return {p.c, t, perp(t), kappa, slope / speed};
}

}  // namespace

CurveFoot::CurveFoot(PlanarCurvePtr curve) : curve_(std::move(curve)) {
  const int last = curve_->closed() ? foot_samples - 1 : foot_samples;
  for (int k = 0; k <= last; ++k)
    samples_.push_back(curve_->at(curve_->period() * k / foot_samples).c);
}

double CurveFoot::nearest_parameter(const Vec<2>& y) const {
  std::size_t best = 0;
  double least = (samples_[0] - y).squaredNorm();
  for (std::size_t k = 1; k < samples_.size(); ++k) {
    const double distance = (samples_[k] - y).squaredNorm();
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  const double step = curve_->period() / foot_samples, middle = step * static_cast<double>(best);
  const auto slope = [&](double s) {
    const PlanarCurve::Point p = curve_->at(s);
    const Vec<2> d = p.c - y;
    return ValueSlope{d.dot(p.c_s), p.c_s.squaredNorm() + d.dot(p.c_ss)};
  };
  double a = middle - step, b = middle + step;
  if (!curve_->closed()) {
    a = std::max(a, 0.0);
    b = std::min(b, curve_->period());
  }
  if (slope(a).value >= 0) return a;
  if (slope(b).value <= 0) return b;
  return safe_newton(slope, a, b, middle);
}

CurveFoot::Foot CurveFoot::of(const Vec<2>& y) const {
  const double s = nearest_parameter(y);
  Foot foot = frame_at(curve_->at(s));
  if (!curve_->closed() &&
      (s == 0 || s == curve_->period())) {  // on the straight piece beyond the end
    foot.c += foot.t.dot(y - foot.c) * foot.t;
    foot.kappa = foot.kappa_s = 0;
  }
  return foot;
}

SupportFunction::SupportFunction(PlanarCurvePtr curve) : curve_(std::move(curve)) {
  const double period = curve_->period();
  std::vector<Vec<2>> points;
  centre_.setZero();
  for (int k = 0; k < convexity_samples; ++k) {
    points.push_back(curve_->at(period * k / convexity_samples).c);
    centre_ += points.back() / convexity_samples;
  }
  for (const Vec<2>& p : points) size_ = std::max(size_, (p - centre_).norm());

  const double step = period / convexity_samples;
  for (int k = 0; k <= support_samples; ++k) {
    const Vec<2> n = direction(turn * k / support_samples);
    const auto farthest =
        std::max_element(points.begin(), points.end(), [&](const Vec<2>& a, const Vec<2>& b) {
          return n.dot(a) < n.dot(b);
        });
    const double middle = step * static_cast<double>(farthest - points.begin());
    const auto slope = [&](double s) {
      const PlanarCurve::Point p = curve_->at(s);
      return ValueSlope{n.dot(p.c_s), n.dot(p.c_ss)};
    };
    s_.push_back(safe_newton(slope, middle - step, middle + step, middle));
    h_.push_back(n.dot(curve_->at(s_.back()).c));
  }
  // The parameter runs on over its period in the sense of the curve.
  const double sense = cross(curve_->at(s_[0]).c_s, curve_->at(s_[0]).c_ss) > 0 ? 1 : -1;
  for (std::size_t k = 1; k < s_.size(); ++k) {
    const double ahead = std::remainder(s_[k] - s_[k - 1], period);
    s_[k] = s_[k - 1] + (sense * ahead < 0 ? 0 : ahead);
  }
}

double SupportFunction::parameter(double theta) const {
  const double x = (theta / turn - std::floor(theta / turn)) * support_samples;
  const auto k = std::min(static_cast<std::size_t>(x), s_.size() - 2);
  const Vec<2> n = direction(theta);
  const auto slope = [&](double s) {
    const PlanarCurve::Point p = curve_->at(s);
    return ValueSlope{n.dot(p.c_s), n.dot(p.c_ss)};
  };
  const double a = s_[k], b = s_[k + 1], fraction = x - static_cast<double>(k);
  const double g_a = slope(a).value, g_b = slope(b).value;
  if (!(g_a * g_b < 0)) return std::abs(g_a) < std::abs(g_b) ? a : b;  // at a sample
  return safe_newton(slope, a, b, a + fraction * (b - a));
}

// With s(theta) from n.c_s = 0:  h' = n'.c,  h'' = rho - h,  rho = -(n'.c_s)^2 / (n.c_ss) the
// radius of curvature.
TurnJet<double> SupportFunction::at(double theta) const {
  const Vec<2> n = direction(theta), m = perp(n);
  const PlanarCurve::Point p = curve_->at(parameter(theta));
  const double along = m.dot(p.c_s), bending = n.dot(p.c_ss), s_theta = -along / bending;
  const double rho = along * s_theta;
  const double along_theta = m.dot(p.c_ss) * s_theta;
  const double bending_theta = m.dot(p.c_ss) + n.dot(p.c_sss) * s_theta;
  const double rho_theta = 2 * s_theta * along_theta + s_theta * s_theta * bending_theta;
  const double h = n.dot(p.c), h_theta = m.dot(p.c);
  return {h, h_theta, rho - h, rho_theta - h_theta};
}

double SupportFunction::coarse(double theta) const {
  const double x = (theta / turn - std::floor(theta / turn)) * support_samples;
  const auto k = std::min(static_cast<std::size_t>(x), h_.size() - 2);
  return h_[k] + (x - static_cast<double>(k)) * (h_[k + 1] - h_[k]);
}

std::string fault_in_convex(const PlanarCurve& curve) {
  if (!curve.closed()) return "an open curve";
  int left = 0;
  double turned = 0;
  Vec<2> before = curve.at(0).c_s;
  for (int k = 1; k <= convexity_samples; ++k) {
    const PlanarCurve::Point p = curve.at(curve.period() * k / convexity_samples);
    left += cross(p.c_s, p.c_ss) > 0 ? 1 : 0;
    turned += elementary::atan2(cross(before, p.c_s), before.dot(p.c_s));
    before = p.c_s;
  }
  if (left != 0 && left != convexity_samples) return "a curve with hollows";
  return std::abs(std::abs(turned) - turn) < 1 ? "" : "a curve that winds more than once";
}

}  // namespace cardan
