// Cam elements: derivatives, and gaps that are known in closed form.
#include <numbers>

#include <gtest/gtest.h>

#include "cardan/element/planar/cam_curve.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;

constexpr double round_off = 1e-13;

ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.2, -0.1, 0}, {0.6, 0.8, 0}};
  spec.ends[1] = {j, {-0.1, 0.3, 0}, {0.8, -0.6, 0}};
  return spec;
}

struct Wavy final : Function {  // radius of a convex cam

  Jet at(double a) const override {
    return {1 + 0.1 * std::cos(a) + 0.04 * std::sin(2 * a),
            -0.1 * std::sin(a) + 0.08 * std::cos(2 * a),
            -0.1 * std::cos(a) - 0.16 * std::sin(2 * a)};
  }

  bool constant() const override { return false; }
};

PlanarCurvePtr groove() {  // an open curve with a turning point
  return open_spline_curve({{-2, 0}, {-1, 0.6}, {0, 0.1}, {1, -0.5}, {2, 0.3}});
}

std::vector<Part> made(const Made& m) {
  if (!m) ADD_FAILURE() << m.why().id << ": " << m.why().found;
  return m.value();
}

double value(const ConstraintSet& set, const std::vector<double>& q) {
  std::vector<double> phi(static_cast<std::size_t>(set.pool(0).count()));
  set.pool(0).phi({0, q}, phi);
  return phi.back();
}

VectorXd vector(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

ConstraintSet joint_set(std::string_view type, ElementSpec spec, const std::vector<double>& q) {
  ConstraintSet set(2);
  for (const auto& [i, j] : {std::pair{0, 1}, {-1, 1}, {0, -1}}) {
    spec.ends[0].body = i;
    spec.ends[1].body = j;
    made(set.add_joint(type, spec, q));
  }
  return set;
}

TEST(CamDerivatives, point_on_closed_curve) {
  ElementSpec spec = between(0, 1);
  spec.curves = {{"curve", ellipse_curve(1.1, 0.8, {0.05, -0.1}, 0.3)}};
  const std::vector<double> q{0, 0, 0.4, 1.2, 0.9, -0.8};
  check_constraints_near(joint_set("point-on-curve", spec, q), vector(q), 0.2);
}

TEST(CamDerivatives, point_on_open_curve) {
  ElementSpec spec = between(0, 1);
  spec.curves = {{"curve", groove()}};
  const std::vector<double> q{0.1, 0.1, 0.2, 0.3, 0.2, 0.5};
  ConstraintSet set(2);
  made(set.add_joint("point-on-curve", spec, q));
  check_constraints_near(set, vector(q), 0.05);
}

TEST(CamDerivatives, cam_and_flat_face) {
  ElementSpec spec = between(0, 1);
  spec.curves = {{"curve", polar_curve(std::make_shared<Wavy>())}};
  const std::vector<double> q{0, 0, 0.4, 1.2, 0.9, -0.8};
  check_constraints_near(joint_set("cam-flat", spec, q), vector(q), 1);
}

TEST(CamDerivatives, two_cams) {
  ElementSpec spec = between(0, 1);
  spec.curves = {{"curve_i", ellipse_curve(0.5, 0.35, {0.05, -0.1}, 0.3)},
                 {"curve_j", polar_curve(std::make_shared<Wavy>())}};
  const std::vector<double> q{-1.2, 0.3, 0.4, 1.3, 0.9, -0.8};
  check_constraints_near(joint_set("cam-cam", spec, q), vector(q), 0.3);
}

TEST(CamGeometry, support_of_an_ellipse) {
  const double a = 0.7, b = 0.3;
  const SupportFunction support(ellipse_curve(a, b));
  for (int k = -40; k < 40; ++k) {
    const double theta = 0.37 * k, c = std::cos(theta), s = std::sin(theta);
    EXPECT_NEAR(support.at(theta).f, std::sqrt(a * a * c * c + b * b * s * s), round_off);
    EXPECT_NEAR(support.coarse(theta), support.at(theta).f, 1e-3);
  }
}

TEST(CamGeometry, eccentric_circle_and_flat_face) {
  // Circle of radius 0.5 about (0.2, 0) of the cam's frame; the face y = 2 of the ground above it.
  ElementSpec spec;
  spec.ends[0] = {0, {0, 0, 0}, {1, 0, 0}};
  spec.ends[1] = {-1, {0, 2, 0}, {1, 0, 0}};
  spec.curves = {{"curve", circle_curve(0.5, {0.2, 0})}};
  ConstraintSet set(2);
  made(set.add_joint("cam-flat", spec, std::vector<double>{0, 0, 0}));
  for (const double angle : {0.0, 1.0, 2.5, -7.0, 30.0})
    EXPECT_NEAR(value(set, {0.3, 0.1, angle}), 2 - 0.1 - 0.2 * std::sin(angle) - 0.5, round_off);
}

TEST(CamGeometry, face_below_the_cam) {
  ElementSpec spec;
  spec.ends[0] = {0, {0, 0, 0}, {1, 0, 0}};
  spec.ends[1] = {-1, {0, -2, 0}, {1, 0, 0}};
  spec.curves = {{"curve", circle_curve(0.5, {0.2, 0})}};
  ConstraintSet set(2);
  made(set.add_joint("cam-flat", spec, std::vector<double>{0, 0, 0}));
  EXPECT_NEAR(value(set, {0.3, 0.1, 1}), 0.1 + 0.2 * std::sin(1) + 2 - 0.5, round_off);
}

TEST(CamGeometry, gap_of_circles) {
  ElementSpec spec;
  spec.ends[0] = {0, {0.1, 0, 0}, {1, 0, 0}};
  spec.ends[1] = {1, {0, 0.2, 0}, {0, 1, 0}};
  spec.curves = {{"curve_i", circle_curve(0.5)}, {"curve_j", circle_curve(0.3, {0.2, 0})}};
  ConstraintSet set(2);
  made(set.add_joint("cam-cam", spec, std::vector<double>(6, 0.0)));
  std::mt19937 rng(3);
  for (int k = 0; k < 50; ++k) {
    const RandomState s = random_state(2, 2, rng);
    const std::vector<double> q(s.q.begin(), s.q.end());
    const auto point = [&](int b, double x, double y) {
      const double c = std::cos(q[3 * b + 2]), n = std::sin(q[3 * b + 2]);
      return Vec<2>(q[3 * b] + c * x - n * y, q[3 * b + 1] + n * x + c * y);
    };
    // The second circle's centre: 0.2 along the curve's x direction, which is the body's y.
    const double distance = (point(1, 0, 0.4) - point(0, 0.1, 0)).norm();
    EXPECT_NEAR(value(set, q), distance - 0.8, round_off);
  }
}

TEST(CamGeometry, signed_distance_from_a_circle) {
  ElementSpec spec;
  spec.ends[0] = {0, {0, 0, 0}, {1, 0, 0}};
  spec.ends[1] = {1, {0, 0, 0}, {1, 0, 0}};
  spec.curves = {{"curve", circle_curve(0.5)}};
  ConstraintSet set(2);
  made(set.add_joint("point-on-curve", spec, std::vector<double>(6, 0.0)));
  EXPECT_NEAR(value(set, {0, 0, 0, 0.3, 0.4, 0}), 0, round_off);
  EXPECT_NEAR(std::abs(value(set, {0, 0, 1, 0.6, 0.8, 0})), 0.5, round_off);
  EXPECT_NEAR(
      value(set, {0, 0, 1, 0.6, 0.8, 0}), -2.5 * value(set, {0, 0, 2, 0.18, -0.24, 0}), round_off);
}

TEST(CamGeometry, open_curve_goes_on_straight) {
  const CurveFoot foot(open_spline_curve({{0, 0}, {1, 0}, {2, 0}}));
  const auto beyond = foot.of({3.5, 0.7});
  EXPECT_NEAR(beyond.c.x(), 3.5, round_off);
  EXPECT_NEAR(beyond.n.dot(Vec<2>(3.5, 0.7) - beyond.c), 0.7, round_off);
  EXPECT_EQ(beyond.kappa, 0);
}

TEST(CamGeometry, curvature_of_the_foot) {
  const double a = 0.7, b = 0.3;
  const CurveFoot foot(ellipse_curve(a, b));
  const auto end = foot.of({0.9, 0});
  EXPECT_NEAR(end.kappa, a / (b * b), round_off * 100);
  EXPECT_NEAR(end.kappa_s, 0, 1e-11);
}

TEST(CamFaults, hollow_and_open_curves_are_refused) {
  struct Hollow final : Function {
    Jet at(double x) const override {
      return {1 + 0.4 * std::cos(3 * x), -1.2 * std::sin(3 * x), -3.6 * std::cos(3 * x)};
    }

    bool constant() const override { return false; }
  };

  const std::vector<double> q(6, 0.0);
  ElementSpec spec = between(0, 1);
  ConstraintSet set(2);
  for (const PlanarCurvePtr& curve : {polar_curve(std::make_shared<Hollow>()), groove()}) {
    spec.curves = {{"curve", curve}};
    const Made m = set.add_joint("cam-flat", spec, q);
    ASSERT_FALSE(m);
    EXPECT_EQ(m.why().id, "model.curve-not-convex");
  }
  EXPECT_EQ(set.pool_count(), 0);
}

}  // namespace
}  // namespace cardan::test
