#include "cardan/element/spatial/space_curve_foot.h"

#include <algorithm>
#include <cmath>

#include "cardan/element/safe_newton.h"
#include "cardan/math/elementary.h"

namespace cardan {
namespace {

constexpr int fewest = 256, most = 20000;
constexpr double turn_per_node = 0.1;  // radians of the tangent

// Gauss's five points and weights on [-1, 1].
constexpr std::array<std::array<double, 2>, 5> gauss{{{-0.9061798459386640, 0.2369268850561891},
                                                      {-0.5384693101056831, 0.4786286704993665},
                                                      {0, 0.5688888888888889},
                                                      {0.5384693101056831, 0.4786286704993665},
                                                      {0.9061798459386640, 0.2369268850561891}}};

// Steps within a piece of the curve.
int steps_in(const SpaceCurve& curve, double a, double b) {
  const int looks = std::max(8, static_cast<int>(most * (b - a) / curve.period()));
  const int least = static_cast<int>(std::ceil(fewest * (b - a) / curve.period()));
  double turned = 0;
  Vec<3> before = curve.at(a).c_s.normalized();
  for (int k = 1; k <= looks; ++k) {
    const Vec<3> t = curve.at(a + (b - a) * k / looks).c_s.normalized();
    turned += (t - before).norm();
    before = t;
  }
  return std::clamp(static_cast<int>(turned / turn_per_node) + 1, least, most);
}

}  // namespace

SpaceCurveFoot::SpaceCurveFoot(SpaceCurvePtr curve) : curve_(std::move(curve)) {
  const auto add = [&](double s) {
    const SpaceCurve::Point p = curve_->at(s);
    Node node{s, p.c, p.c_s.normalized(), Vec<3>::Zero()};
    node.m = nodes_.empty() ? node.t.unitOrthogonal() : carried(nodes_.back(), s, node.t);
    nodes_.push_back(node);
  };
  const std::vector<double>& pieces = curve_->pieces();
  add(pieces.front());
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const double a = pieces[i - 1], b = pieces[i];
    const int steps = steps_in(*curve_, a, b);
    for (int k = 1; k <= steps; ++k) add(k == steps ? b : a + (b - a) * k / steps);
  }
}

double SpaceCurveFoot::parameter(int k) const {
  const int rounds = nodes() - 1;  // the last node is the first one again
  if (k < 0) return nodes_[static_cast<std::size_t>(k + rounds)].s - curve_->period();
  if (k > rounds) return nodes_[static_cast<std::size_t>(k - rounds)].s + curve_->period();
  return nodes_[static_cast<std::size_t>(k)].s;
}

Vec<3> SpaceCurveFoot::carried(const Node& from, double s, const Vec<3>& t) const {
  const double half = 0.5 * (s - from.s), middle = 0.5 * (s + from.s);
  double angle = 0;
  for (const auto& [x, weight] : gauss) {
    const SpaceCurve::Point p = curve_->at(middle + half * x);
    const double speed = p.c_s.norm();
    const Vec<3> here = p.c_s / speed;
    angle += weight * half * from.t.cross(here).dot(p.c_ss) / (speed * (1 + from.t.dot(here)));
  }
  const Vec<3> least = from.m - t.dot(from.m) / (1 + from.t.dot(t)) * (from.t + t);
  const Vec<3> m = elementary::cos(angle) * least + elementary::sin(angle) * t.cross(least);
  return (m - t * t.dot(m)).normalized();
}

double SpaceCurveFoot::nearest_parameter(const Vec<3>& y) const {
  int best = 0;
  double least = (nodes_[0].c - y).squaredNorm();
  for (int k = 1; k < nodes(); ++k)
    if (const double d = (nodes_[static_cast<std::size_t>(k)].c - y).squaredNorm(); d < least) {
      least = d;
      best = k;
    }
  const auto slope = [&](double s) {
    const SpaceCurve::Point p = curve_->at(s);
    const Vec<3> d = p.c - y;
    return ValueSlope{d.dot(p.c_s), p.c_s.squaredNorm() + d.dot(p.c_ss)};
  };
  double a = parameter(best - 1), b = parameter(best + 1);
  if (!curve_->closed()) {
    a = std::max(a, curve_->first());
    b = std::min(b, curve_->last());
  }
  if (slope(a).value >= 0) return a;
  if (slope(b).value <= 0) return b;
  return safe_newton(slope, a, b, parameter(best));
}

SpaceCurveFoot::Foot SpaceCurveFoot::of(const Vec<3>& y) const {
  double s = nearest_parameter(y);
  const double first = curve_->first();
  const bool beyond = !curve_->closed() && (s <= first || s >= curve_->last());
  if (curve_->closed()) s -= curve_->period() * std::floor((s - first) / curve_->period());
  const SpaceCurve::Point p = curve_->at(s);
  const double speed = p.c_s.norm();
  Foot foot;
  foot.c = p.c;
  foot.t = p.c_s / speed;
  auto node = std::upper_bound(
      nodes_.begin(), nodes_.end(), s, [](double x, const Node& n) { return x < n.s; });
  if (node != nodes_.begin()) --node;
  foot.m[0] = carried(*node, s, foot.t);
  foot.m[1] = foot.t.cross(foot.m[0]);
  if (beyond) {  // straight
    foot.c += foot.t.dot(y - foot.c) * foot.t;
    foot.kappa.setZero();
    foot.kappa_s.setZero();
    return foot;
  }
  // t' = (c'' - t (t.c''))/|c'|^2; kappa_k' = m_k.t'' as m_k' is along t.
  const double v2 = speed * speed;
  for (int i = 0; i < 2; ++i) {
    const Vec<3>& m = foot.m[static_cast<std::size_t>(i)];
    foot.kappa[i] = m.dot(p.c_ss) / v2;
    foot.kappa_s[i] = (m.dot(p.c_sss) - 3 * foot.kappa[i] * p.c_s.dot(p.c_ss)) / (v2 * speed);
  }
  return foot;
}

}  // namespace cardan
