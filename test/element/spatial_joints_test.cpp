// Joints of space: derivatives, freedoms left, and poses that the joint's own motion reaches.
#include <numbers>

#include <gtest/gtest.h>

#include "test/element/spatial_frames.h"

namespace cardan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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
    ASSERT_TRUE(made);
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
    ASSERT_TRUE(made);
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

}  // namespace
}  // namespace cardan::test
