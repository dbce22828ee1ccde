// Limits of stops and contacts, compliant laws and friction: derivatives, energies, directions.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/element/contact/friction.h"
#include "cardan/element/force/force_law.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

constexpr std::string_view types[] = {
    "x", "y", "angle", "distance", "displacement", "disc-line", "disc-disc", "disc-in-ring"};

ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.3, -0.7, 0}, {0.6, 0.9, 0}};
  spec.ends[1] = {j, {-0.4, 0.2, 0}, {-0.3, 0.5, 0}};
  return spec;
}

TEST(Limits, derivatives_of_equations) {
  ConstraintSet set(2);
  for (const auto type : types)
    for (const auto& [i, j] : {std::pair{0, 1}, {-1, 1}, {0, -1}})
      (void)set.add_limit(type, between(i, j), 0.2);
  check_constraints(set, 2);
}

TEST(Limits, derivatives_of_compliant_forces) {
  for (const double onset : {1e-3, 50.0}) {  // beyond the onset, and within it
    ForceSet set(2);
    for (const auto type : types)
      for (const auto& [i, j] : {std::pair{0, 1}, {-1, 1}, {0, -1}})
        (void)set.add_limit(type, between(i, j), {20, 30, 7, 3, onset});
    check_forces(set, 2);
  }
}

TEST(Limits, compliant_law_is_smooth_and_never_pulls) {
  ForceLaw law;
  law.lower = -1;
  law.upper = 2;
  law.stiffness = 300;
  law.damping = 4;
  law.onset = 0.1;
  FormulaPoint none(0, 0, 0, {}, {});
  EXPECT_EQ(law.at(0.5, 3, none).total(), 0);
  EXPECT_GT(law.at(2.05, 0, none).total(), 0);
  EXPECT_LT(law.at(-1.05, 0, none).total(), 0);
  EXPECT_EQ(law.at(2.01, -1000, none).total(), 0);
  for (const double edge : {0.0, 0.1}) {
    const double h = 1e-7;
    const auto before = law.at(2 + edge - h, 0.3, none), after = law.at(2 + edge + h, 0.3, none);
    EXPECT_NEAR(before.total(), after.total(), 1e-4);
    EXPECT_NEAR(before.f_y, after.f_y, 1e-2);
  }
  for (const double y : {-1.3, -1.04, 2.06, 2.5}) {
    const double h = 1e-5;
    EXPECT_NEAR(
        (law.potential(y + h) - law.potential(y - h)) / (2 * h), law.at(y, 0, none).elastic, 1e-6);
  }
}

TEST(Friction, law_has_its_coefficients) {
  const FrictionLaw law{0.3, 0.5, 0.1, 1e-4};
  EXPECT_NEAR(law.coefficient(1e-3), 0.5, 1e-4);
  EXPECT_NEAR(law.coefficient(5), 0.3, 1e-12);
  EXPECT_EQ(law.coefficient(-5), -law.coefficient(5));
  EXPECT_EQ(law.coefficient(0), 0);
}

// The tangent is the gradient of the sliding speed to the velocities, and the force acts and
// reacts.
TEST(Friction, tangent_is_the_gradient_of_sliding) {
  std::mt19937 random(3);
  using Slide = FrictionElement::Slide;
  FrictionSet set(2);
  for (const Slide slide : {Slide::turn, Slide::shift, Slide::line, Slide::circle}) {
    FrictionElement e;
    e.slide = slide;
    e.body = {0, 1};
    e.point = {Vec<3>(0.3, -0.7, 0), Vec<3>(-0.4, 0.2, 0)};
    e.axis = {0.6, 0.9, 0};
    e.radius = 0.25;
    e.law = {0.3, 0.3, 0, 1e-3};
    set.add(e);
  }
  RandomState state = random_state(2, 2, random);
  for (int k = 0; k < set.count(); ++k) {
    std::vector<double> d(6), other(6);
    double speed = 0;
    set.tangents(k, state.motion(), d, View(&speed, 1));
    EXPECT_NEAR(speed, Eigen::Map<Eigen::VectorXd>(d.data(), 6).dot(state.v), 1e-13) << k;
    EXPECT_NEAR(d[0] + d[3], 0, 1e-15);
    EXPECT_NEAR(d[1] + d[4], 0, 1e-15);
    const double about_origin =
        d[2] + d[5] + state.q[0] * d[1] - state.q[1] * d[0] + state.q[3] * d[4] - state.q[4] * d[3];
    EXPECT_NEAR(about_origin, 0, 1e-14) << k;
    set.direction(k, state.motion(), {}, other);
    EXPECT_LE(Eigen::Map<Eigen::VectorXd>(other.data(), 6).dot(state.v), 0);
  }
}

TEST(Friction, slopes_of_loads) {
  FrictionSet set(2);
  FrictionElement e;
  e.rows = {0, 2};
  for (const auto load :
       {FrictionElement::Load::norm, FrictionElement::Load::edges, FrictionElement::Load::normal})
    for (const double length : {0.0, 0.3}) {
      e.load = load;
      e.edge_distance = length;
      set.add(e);
    }
  const std::vector<double> lambda{-1.3, 5, 0.7};
  for (int k = 0; k < set.count(); ++k) {
    std::vector<double> slopes(2, 0.0), none(2);
    const Mat<3, 3> none_needed = Mat<3, 3>::Identity();
    const double N = set.load(k, none_needed, lambda, slopes);
    for (std::size_t r = 0; r < 2; ++r) {
      auto moved = lambda;
      moved[2 * r] += 1e-6;
      EXPECT_NEAR((set.load(k, none_needed, moved, none) - N) / 1e-6, slopes[r], 1e-5)
          << k << " " << r;
    }
  }
}

}  // namespace
}  // namespace cardan::test
