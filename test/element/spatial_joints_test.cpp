// Joints of space: derivatives, freedoms left, and poses that the joint's own motion reaches.
#include <numbers>

#include <gtest/gtest.h>

#include "cardan/element/feature.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Motionlaw final : Function {
  Jet at(double t) const override {
    return {0.3 + 0.7 * t + std::sin(2 * t), 0.7 + 2 * std::cos(2 * t), -4 * std::sin(2 * t)};
  }
};

// Frames in two bodies, neither along the body axes.
ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.3, -0.7, 0.2}, {0.6, 0.9, -0.3}, {0.5, 0.1, 0.8}};
  spec.ends[1] = {j, {-0.4, 0.2, 0.5}, {-0.3, 0.5, 0.7}, {0.9, 0.2, 0.1}};
  return spec;
}

Vec<3> unit(const Vec<3>& x) {
  return x.normalized();
}

// Rotation matrix of an end's frame in its body.
Mat<3, 3> frame_of(const ElementEnd& end) {
  Mat<3, 3> F;
  const Vec<3> h = unit(end.axis), f = unit(end.across - h * h.dot(end.across));
  F << f, h.cross(f), h;
  return F;
}

// Coordinates of body 1 such that its end is at `shift` and turned by R, both in axes of end 0.
std::vector<double> placed(const ElementSpec& spec,
                           const std::vector<double>& body0,
                           const Vec<3>& shift,
                           const Mat<3, 3>& R) {
  const Mat<3, 3> A0 = rotation_matrix(body0.data() + 3);
  const Vec<3> r0(body0[0], body0[1], body0[2]);
  const Mat<3, 3> F = A0 * frame_of(spec.ends[0]);
  const Mat<3, 3> A1 = F * R * frame_of(spec.ends[1]).transpose();
  const Vec<3> r1 = r0 + A0 * spec.ends[0].point + F * shift - A1 * spec.ends[1].point;
  const Eigen::Quaterniond e(A1);
  std::vector<double> q = body0;
  q.insert(q.end(), {r1.x(), r1.y(), r1.z(), e.w(), e.x(), e.y(), e.z()});
  return q;
}

std::vector<double> random_body(std::mt19937& rng) {
  const RandomState s = random_state(3, 1, rng);
  return {s.q.data(), s.q.data() + 7};
}

Mat<3, 3> turn(double angle, const Vec<3>& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

double any(std::mt19937& rng) {
  return std::uniform_real_distribution<>(-1.2, 1.2)(rng);
}

const Vec<3> X{1, 0, 0}, Y{0, 1, 0}, Z{0, 0, 1}, O{0, 0, 0};

Vec<3> any_vector(std::mt19937& rng) {
  return {any(rng), any(rng), any(rng)};
}

Mat<3, 3> any_turn(std::mt19937& rng) {
  return turn(2 * any(rng), any_vector(rng));
}

struct Motion3 {
  Vec<3> shift;
  Mat<3, 3> R;
};

struct Case {
  std::string type;
  int freedoms;  // of body 1 relative to body 0
  std::function<Motion3(std::mt19937&)> move;
  std::vector<std::pair<std::string, std::vector<double>>> numbers{};
  std::string label{};

  std::string name() const { return type + (label.empty() ? "" : "_" + label); }
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name();
}

// A link that turns by a about the first axis, with `arm` to the second one, which is tilted by B.
Motion3 link(double a, const Vec<3>& arm, const Mat<3, 3>& B, double b) {
  return {turn(a, Z) * arm, turn(a, Z) * B * turn(b, Z)};
}

std::vector<Case> link_cases() {
  using R = std::mt19937&;
  const Vec<3> arm(0.7, 0.2, 0.3);
  const Mat<3, 3> same = Mat<3, 3>::Identity(), tilted = turn(0.9, X),
                  square = turn(std::numbers::pi / 2, X);
  return {
      {"spherical-spherical",
       5,
       [](R r) {
         return Motion3{0.8 * any_vector(r).normalized(), any_turn(r)};
       }},
      {"distance",
       5,
       [](R r) {
         return Motion3{0.8 * any_vector(r).normalized(), any_turn(r)};
       }},
      {"revolute-spherical",
       4,
       [=](R r) {
         return Motion3{turn(9 * any(r), Z) * arm, any_turn(r)};
       }},
      {"revolute-revolute",
       2,
       [=](R r) { return link(9 * any(r), arm, tilted, any(r)); },
       {},
       "skew"},
      {"revolute-revolute",
       2,
       [=](R r) { return link(9 * any(r), arm, same, any(r)); },
       {},
       "parallel"},
      {"revolute-cylindrical",
       3,
       [=](R r) { return link(9 * any(r), arm + tilted * Z * any(r), tilted, any(r)); },
       {},
       "skew"},
      {"revolute-cylindrical",
       3,
       [=](R r) { return link(9 * any(r), square * Z * any(r), square, any(r)); },
       {},
       "crossing"},
      {"revolute-cylindrical",
       3,
       [=](R r) { return link(9 * any(r), arm + Z * any(r), same, any(r)); },
       {},
       "parallel"},
      {"point-on-sphere",
       5,
       [](R r) {
         return Motion3{0.8 * any_vector(r).normalized(), any_turn(r)};
       }},
      {"point-on-cylinder",
       5,
       [](R r) {
         return Motion3{turn(9 * any(r), Z) * X * 0.4 + any(r) * Z, any_turn(r)};
       }},
      {"orientation",
       3,
       [](R r) {
         return Motion3{any_vector(r), Mat<3, 3>::Identity()};
       }},
  };
}

std::vector<Case> wheel_cases() {
  using R = std::mt19937&;
  return {
      {"screw",
       1,
       [](R r) {
         const double a = 40 * any(r);
         return Motion3{0.7 / (2 * std::numbers::pi) * a * Z, turn(a, Z)};
       },
       {{"pitch", {0.7}}}},
      // Wheels of radii 0.2 and 0.3, the carrier at angle c, the first wheel at a.
      {"gear",
       5,
       [](R r) {
         const double c = 20 * any(r), a = 20 * any(r), b = c - 0.2 / 0.3 * (a - c);
         return Motion3{turn(c - a, Z) * X * 0.5, turn(b - a, Z)};
       },
       {{"radii", {0.2, 0.3}}},
       "spur"},
      {"gear",
       5,
       [](R r) {
         const double c = 20 * any(r), a = 20 * any(r), b = c + 0.2 / 0.6 * (a - c);
         return Motion3{turn(c - a, Z) * X * 0.4, turn(b - a, Z)};
       },
       {{"ratio", {3}}, {"internal", {1}}},
       "internal"},
      // Cones with their tip at -0.3 Z; the second axis is tilted by 1.1.
      {"gear",
       5,
       [](R r) {
         const double c = 20 * any(r), a = 20 * any(r), b = -2.0 / 3 * (a - c);
         const Mat<3, 3> tilt = turn(1.1, Y);
         return Motion3{turn(c - a, Z) * (0.25 * tilt * Z - 0.3 * Z),
                        turn(c - a, Z) * tilt * turn(b, Z)};
       },
       {{"ratio", {1.5}}},
       "bevel"},
      // A worm of one thread along Z, a wheel of 30 teeth with its axis along Y at distance 0.4: a
      // right-handed thread that turns on about Z moves the rim of the wheel next to it along -Z.
      {"worm-gear",
       5,
       [](R r) {
         const double a = 200 * any(r), b = a / 30;
         return Motion3{turn(-a, Z) * X * 0.4,
                        turn(-a, Z) * turn(-std::numbers::pi / 2, X) * turn(-b, Z)};
       },
       {{"ratio", {30}}}},
      // The pinion above its rack rolls forwards by -R times its turn.
      {"rack-and-pinion",
       5,
       [](R r) {
         const double a = 20 * any(r), radius = 0.3;
         return Motion3{turn(-a, Z) * (radius * a * X - radius * Y),
                        turn(-a, Z) * turn(std::numbers::pi / 2, Y)};
       },
       {{"radius", {0.3}}}},
  };
}

std::vector<Case> cases() {
  using R = std::mt19937&;
  return {
      {"spherical",
       3,
       [](R r) {
         return Motion3{O, any_turn(r)};
       }},
      {"revolute",
       1,
       [](R r) {
         return Motion3{O, turn(9 * any(r), Z)};
       }},
      {"fixed",
       0,
       [](R) {
         return Motion3{O, Mat<3, 3>::Identity()};
       }},
      {"cylindrical",
       2,
       [](R r) {
         return Motion3{any(r) * Z, turn(9 * any(r), Z)};
       }},
      {"translational",
       1,
       [](R r) {
         return Motion3{any(r) * Z, Mat<3, 3>::Identity()};
       }},
      // h_j is square to h_i: after any turn about h_i the arm of j points along x.
      {"universal",
       2,
       [](R r) {
         return Motion3{O, turn(9 * any(r), Z) * turn(std::numbers::pi / 2, Y) * turn(any(r), Z)};
       }},
      {"planar",
       3,
       [](R r) {
         return Motion3{any(r) * X + any(r) * Y, turn(9 * any(r), Z)};
       }},
      {"constant-velocity",
       2,
       [](R r) {
         return Motion3{O, turn(any(r), any(r) * X + any(r) * Y)};
       }},
      {"point-on-line",
       4,
       [](R r) {
         return Motion3{any(r) * Z, any_turn(r)};
       }},
      {"point-in-plane",
       5,
       [](R r) {
         return Motion3{any(r) * X + any(r) * Y, any_turn(r)};
       }},
      {"line-in-plane",
       4,
       [](R r) {
         return Motion3{any(r) * X + any(r) * Y,
                        turn(9 * any(r), Z) * turn(std::numbers::pi / 2, Y) * turn(any(r), Z)};
       }},
      {"parallel-axes",
       4,
       [](R r) {
         return Motion3{any_vector(r), turn(9 * any(r), Z)};
       }},
      {"perpendicular-axes",
       5,
       [](R r) {
         return Motion3{any_vector(r),
                        turn(9 * any(r), Z) * turn(std::numbers::pi / 2, Y) * turn(any(r), Z)};
       }},
  };
}

class SpatialJoint : public testing::TestWithParam<Case> {};

std::vector<double> phi_of(const ConstraintSet& set, const std::vector<double>& q) {
  std::vector<double> all;
  for (int k = 0; k < set.pool_count(); ++k) {
    std::vector<double> phi(static_cast<std::size_t>(set.pool(k).count() * set.pool(k).rows()));
    set.pool(k).phi({0, q}, phi);
    all.insert(all.end(), phi.begin(), phi.end());
  }
  return all;
}

MatrixXd jacobian(const ConstraintSet& set, const RandomState& s) {
  MatrixXd J(0, s.v.size());
  for (int k = 0; k < set.pool_count(); ++k) {
    const MatrixXd block = dense_phi_q(set.pool(k), s);
    J.conservativeResize(J.rows() + block.rows(), Eigen::NoChange);
    J.bottomRows(block.rows()) = block;
  }
  return J;
}

TEST_P(SpatialJoint, derivatives) {
  std::mt19937 rng(3);
  ConstraintSet set(3);
  const auto body0 = random_body(rng);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    ElementSpec spec = between(i, j);
    spec.numbers = GetParam().numbers;
    const auto motion = GetParam().move(rng);
    const Made made =
        set.add_joint(GetParam().type, spec, placed(spec, body0, motion.shift, motion.R));
    ASSERT_TRUE(std::holds_alternative<std::vector<Part>>(made));
  }
  check_constraints(set, 2);
}

TEST_P(SpatialJoint, holds_on_its_own_motion_and_leaves_its_freedoms) {
  std::mt19937 rng(4);
  for (int repeat = 0; repeat < 10; ++repeat) {
    ElementSpec spec = between(0, 1);
    spec.numbers = GetParam().numbers;
    const auto body0 = random_body(rng), other0 = random_body(rng);
    const Motion3 start = GetParam().move(rng), later = GetParam().move(rng);
    ConstraintSet set(3);
    const Made made =
        set.add_joint(GetParam().type, spec, placed(spec, body0, start.shift, start.R));
    ASSERT_TRUE(std::holds_alternative<std::vector<Part>>(made));
    const auto q = placed(spec, other0, later.shift, later.R);
    for (const double x : phi_of(set, q)) EXPECT_NEAR(x, 0, 2e-13);
    const RandomState s = state_near(3, Eigen::Map<const VectorXd>(q.data(), 14), 0, rng);
    const MatrixXd J = jacobian(set, s).rightCols(6);
    EXPECT_EQ(J.rows(), 6 - GetParam().freedoms);
    const Eigen::JacobiSVD<MatrixXd> svd(J);
    EXPECT_GT(svd.singularValues().minCoeff(), 1e-2);
  }
}

std::string case_name(const testing::TestParamInfo<Case>& tested) {
  std::string name = tested.param.name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Joints, SpatialJoint, testing::ValuesIn(cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Links, SpatialJoint, testing::ValuesIn(link_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Wheels, SpatialJoint, testing::ValuesIn(wheel_cases()), case_name);

ConstraintSet driver_set(std::string_view type, const std::string& sequence = "") {
  ConstraintSet set(3);
  const std::vector<double> pose(14, 0.0);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    ElementSpec spec = between(i, j);
    if (!sequence.empty()) spec.numbers = {{"sequence=" + sequence, {1}}};
    std::ignore = set.add_measure(type, spec, pose);
    spec.drive = std::make_shared<Motionlaw>();
    std::ignore = set.add_driver(type, spec, pose);
  }
  return set;
}

TEST(SpatialDrivers, derivatives) {
  for (const std::string_view type : {"x", "y", "z", "distance", "displacement", "angle"})
    check_constraints(driver_set(type), 2);
  for (const std::string_view type : {"angle-1", "angle-2", "angle-3"}) {
    check_constraints(driver_set(type, "xyz"), 2);
    check_constraints(driver_set(type, "zxz"), 2);
  }
}

double measure(std::string_view type, const ElementSpec& spec, const std::vector<double>& q) {
  ConstraintSet set(3);
  std::ignore = set.add_measure(type, spec, q);
  return phi_of(set, q)[0];
}

TEST(SpatialDrivers, three_angles_of_every_sequence) {
  std::mt19937 rng(8);
  const std::array<Vec<3>, 3> axes{X, Y, Z};
  const ElementSpec plain = between(0, 1);
  for (const std::string sequence :
       {"xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"}) {
    const bool proper = sequence[0] == sequence[2];
    const double angle[3] = {
        2.5 * any(rng), proper ? 1 + 0.5 * any(rng) : any(rng), 2.5 * any(rng)};
    Mat<3, 3> R = Mat<3, 3>::Identity();
    for (int k = 0; k < 3; ++k) R *= turn(angle[k], axes[sequence[k] - 'x']);
    ElementSpec spec = plain;
    spec.numbers = {{"sequence=" + sequence, {1}}};
    const auto q = placed(spec, random_body(rng), O, R);
    const std::string_view types[] = {"angle-1", "angle-2", "angle-3"};
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(measure(types[k], spec, q), angle[k], 1e-14) << sequence;
  }
}

TEST(SpatialDrivers, angles_of_a_universal_joint) {
  std::mt19937 rng(8);
  ElementSpec spec = between(0, 1);
  spec.numbers = {{"sequence=universal", {1}}};
  // The cross turns by a about the arm of i; j turns by b about its own arm.
  const double a = 0.7, b = -0.4;
  const Mat<3, 3> arm_along_x = (Mat<3, 3>() << 0, 0, 1, 0, -1, 0, 1, 0, 0).finished();
  const auto q = placed(spec, random_body(rng), O, turn(a, Z) * arm_along_x * turn(b, Z));
  EXPECT_NEAR(measure("angle-1", spec, q), a, 1e-14);
  EXPECT_NEAR(measure("angle-2", spec, q), b, 1e-14);
}

TEST(SpatialDrivers, angle_of_a_revolute_joint) {
  std::mt19937 rng(8);
  const ElementSpec spec = between(0, 1);
  for (const double angle : {0.3, -2.9, 3.1})
    EXPECT_NEAR(
        measure("angle", spec, placed(spec, random_body(rng), O, turn(angle, Z))), angle, 1e-14);
}

TEST(SpatialDrivers, angle_is_driven_over_many_turns) {
  struct Fast final : Function {
    Jet at(double t) const override { return {100 * t, 100, 0}; }
  };

  std::mt19937 rng(8);
  ElementSpec spec = between(0, 1);
  spec.drive = std::make_shared<Fast>();
  ConstraintSet set(3);
  std::ignore = set.add_driver("angle", spec, std::vector<double>(14, 0.0));
  for (const double t : {0.0, 0.04, 1.0, 7.7}) {
    const auto q = placed(spec, random_body(rng), O, turn(100 * t + 1e-3, Z));
    double phi = 0;
    set.pool(0).phi({t, q}, {&phi, 1});
    EXPECT_NEAR(phi, 1e-3, 1e-12);
  }
}

}  // namespace
}  // namespace cardan::test
