// Space: angles that count turns, couplers, rolling at velocity level, and forces.
#include <numbers>

#include <gtest/gtest.h>

#include "cardan/element/feature.h"
#include "cardan/element/spatial/spatial_offset.h"
#include "cardan/element/spatial/turns.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Eigen::VectorXd;
constexpr double pi = std::numbers::pi;

ElementSpec between(int i, int j) {
  ElementSpec spec;
  spec.ends[0] = {i, {0.3, -0.7, 0.2}, {0.6, 0.9, -0.3}, {0.5, 0.1, 0.8}};
  spec.ends[1] = {j, {-0.4, 0.2, 0.5}, {-0.3, 0.5, 0.7}, {0.9, 0.2, 0.1}};
  return spec;
}

ElementSpec plain(int i, int j) {  // frames along the body axes
  ElementSpec spec;
  spec.ends[0] = {i, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  spec.ends[1] = {j, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  return spec;
}

std::vector<double> turned_about_z(double angle) {
  return {0, 0, 0, std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
}

const std::vector<double> pose{
    0.1, -0.2, 0.3, 0.8, 0.36, 0.48, 0, -0.6, 0.7, 0.2, 0.48, 0, 0.6, 0.64};

double only_value(const ConstraintSet& set, const std::vector<double>& q) {
  double phi = 0;
  set.pool(0).phi({0, q}, {&phi, 1});
  return phi;
}

TEST(Turns, are_counted_behind_the_bodies_coordinates) {
  WindingTable table(7);
  ConstraintSet set(3, &table);
  std::ignore = set.add_measure("angle", plain(-1, 0));
  ASSERT_EQ(table.count(), 1);
  std::vector<double> q = turned_about_z(0.3);
  q.push_back(0);
  table.start(std::span(q).first(7), std::span(q).subspan(7));
  EXPECT_NEAR(q[7], 0.3, 1e-15);
  double angle = 0.3;
  for (int step = 0; step < 200; ++step) {  // steps of less than half a turn, 80 turns in all
    angle += 2.5;
    const std::vector<double> body = turned_about_z(angle);
    std::copy(body.begin(), body.end(), q.begin());
    EXPECT_NEAR(only_value(set, q), angle, 1e-12);
    table.settle(q);
    EXPECT_NEAR(q[7], angle, 1e-12);
  }
}

TEST(Turns, start_at_the_value_asked_for_and_share_equal_angles) {
  WindingTable table(14);
  ConstraintSet set(3, &table);
  ElementSpec spec = between(0, 1);
  std::ignore = set.add_measure("angle", spec);
  spec.numbers = {{"value", {31}}};
  std::ignore = set.add_measure("angle", spec);
  ForceSet forces(3, &table);
  spec.numbers = {{"free_angle", {30}}};
  std::ignore = forces.add("rotational-spring", spec, pose);
  ASSERT_EQ(table.count(), 1);
  double start[2] = {0, 0};
  table.start(pose, start);
  EXPECT_LE(std::abs(start[0] - 31), pi);
  spec.numbers.clear();  // free in the pose: counts for itself
  std::ignore = forces.add("rotational-spring", spec, pose);
  ASSERT_EQ(table.count(), 2);
  table.start(pose, start);
  EXPECT_LE(std::abs(start[1]), pi);
}

TEST(Turns, move_at_the_rate_of_the_angle) {
  std::mt19937 rng(3);
  WindingTable table(14);
  ConstraintSet set(3, &table);
  std::ignore = set.add_measure("angle", between(0, 1));
  std::ignore = set.add_measure("angle-1", between(-1, 1));
  const RandomState s = random_state(3, 2, rng);
  std::vector<double> rates(2), before(2), after(2);
  table.rates(std::span(s.q.data(), 14), std::span(s.v.data(), 12), rates);
  const double h = 1e-5;
  const RandomState back = s.moved(-h * s.v), forth = s.moved(h * s.v);
  table.start(std::span(back.q.data(), 14), before);
  table.start(std::span(forth.q.data(), 14), after);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(rates[k], (after[k] - before[k]) / (2 * h), 1e-7);
}

TEST(Turns, a_spring_winds_up) {
  WindingTable table(7);
  ForceSet set(3, &table);
  ElementSpec spec = plain(-1, 0);
  spec.numbers = {{"stiffness", {2}}, {"free_angle", {0}}};
  std::ignore = set.add("rotational-spring", spec, turned_about_z(0));
  std::vector<double> q = turned_about_z(1.0), v(6, 0.0), Q(6, 0.0);
  q.push_back(6 * pi);  // three turns and one radian
  set.pool(0).add_Q({0, q, v}, {}, Q);
  EXPECT_NEAR(Q[5], -2 * (6 * pi + 1), 1e-12);
  EXPECT_NEAR(set.pool(0).potential({0, q}), (6 * pi + 1) * (6 * pi + 1), 1e-11);
}

TEST(Turns, gears_without_a_common_pitch_count) {
  WindingTable table(14);
  ConstraintSet set(3, &table);
  ElementSpec spec = plain(0, 1);
  const double first = 0.2, second = 0.2 * std::numbers::sqrt2;
  spec.numbers = {{"radii", {first, second}}};
  const auto placed = [&](double a, double b) {
    std::vector<double> q = turned_about_z(a), other = turned_about_z(b);
    other[0] = first + second;
    q.insert(q.end(), other.begin(), other.end());
    return q;
  };
  std::ignore = set.add_joint("gear", spec, placed(0, 0));
  ASSERT_EQ(table.count(), 2);
  std::vector<double> q = placed(0, 0);
  q.resize(16);
  table.start(std::span(q).first(14), std::span(q).subspan(14));
  for (int step = 0; step < 100; ++step) {
    const double a = 1.7 * step;
    const std::vector<double> bodies = placed(a, -a * first / second);
    std::copy(bodies.begin(), bodies.end(), q.begin());
    EXPECT_NEAR(only_value(set, q), 0, 1e-12);
    table.settle(q);
  }
}

TEST(SpatialCoupler, derivatives_and_many_turns) {
  for (const auto& [one, two] :
       {std::pair{true, true}, {true, false}, {false, true}, {false, false}}) {
    ConstraintSet set(3);
    ElementSpec spec;
    spec.coupled = {{between(0, 1).ends, one, 2}, {between(2, 3).ends, two, -0.5}};
    std::vector<double> q = pose;
    q.insert(q.end(), pose.begin(), pose.end());
    const Made made = set.add_joint("coupler", spec, q);
    ASSERT_TRUE(made);
    EXPECT_NEAR(only_value(set, q), 0, 1e-15);
    check_constraints(set, 4);
  }
  ConstraintSet set(3);
  ElementSpec spec;
  spec.coupled = {{plain(-1, 0).ends, true, 1}, {plain(-1, 1).ends, true, 3}};
  const auto placed = [](double a, double b) {
    std::vector<double> q = turned_about_z(a), other = turned_about_z(b);
    q.insert(q.end(), other.begin(), other.end());
    return q;
  };
  std::ignore = set.add_joint("coupler", spec, placed(0.3, 0.1));
  for (const double turns : {0.2, -7.3, 400.1})
    EXPECT_NEAR(only_value(set, placed(0.3 - 3 * turns, 0.1 + turns)), 0, 1e-12);
}

class Rolling : public testing::TestWithParam<bool> {};

ConstraintSet rolling_set(bool disc, const ElementSpec& spec, const std::vector<double>& q) {
  ConstraintSet set(3);
  ElementSpec with_radius = spec;
  with_radius.numbers = {{"radius", {0.4}}};
  const Made made = set.add_joint(disc ? "rolling-disc" : "rolling-sphere", with_radius, q);
  EXPECT_TRUE(made);
  return set;
}

TEST_P(Rolling, derivatives) {
  ConstraintSet set = rolling_set(GetParam(), between(0, 1), pose);
  EXPECT_TRUE(set.pool(0).at_velocity_level(0));
  EXPECT_FALSE(set.pool(1).at_velocity_level(0));
  check_constraints(set, 2);
}

// Upright along x on the plane z = 0.
TEST_P(Rolling, straight_ahead) {
  ElementSpec spec = plain(-1, 0);
  spec.ends[1].axis = {0, 1, 0};
  spec.ends[1].across = {1, 0, 0};
  const std::vector<double> q{0.3, 0.1, 0.4, 1, 0, 0, 0};
  const ConstraintSet set = rolling_set(GetParam(), spec, q);
  std::mt19937 rng(1);
  RandomState s = state_near(3, Eigen::Map<const VectorXd>(q.data(), 7), 0, rng);
  s.v << 0.4 * 2, 0, 0, 0, 2, 0;  // forwards at R omega, turning about y
  EXPECT_NEAR((dense_phi_q(set.pool(0), s) * s.v).norm(), 0, 1e-15);
  s.v << 0.4 * 2, 0, 0, 0, -2, 0;
  EXPECT_NEAR((dense_phi_q(set.pool(0), s) * s.v).norm(), 1.6, 1e-15);
  double height = 1;
  set.pool(1).phi({0, q}, {&height, 1});
  EXPECT_NEAR(height, 0, 1e-15);
  s.v << 0, 0, 0, 0, 0, 5;  // spinning on the spot
  EXPECT_NEAR((dense_phi_q(set.pool(0), s) * s.v).norm(), 0, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Wheels, Rolling, testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "disc" : "sphere");
});

Expression formula(std::string_view text) {
  Scope scope;
  for (const char* name : {"t", "length", "rate", "a", "a_rate", "b", "b_rate"})
    scope.variables.push_back({name, {}});
  auto parsed = Expression::parse(text, scope, {});
  EXPECT_TRUE(parsed) << text;
  return parsed.value();
}

ForceSet force_set(std::string_view type, ElementSpec spec) {
  ForceSet set(3);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 0}, {-1, 1}, {0, -1}}) {
    spec.ends[0].body = i;
    spec.ends[1].body = j;
    EXPECT_TRUE(set.add(type, spec, pose));
  }
  return set;
}

ElementSpec loaded() {
  ElementSpec spec = between(0, 1);
  spec.inputs = {2, 0};
  spec.formulas = {{"fx", formula("3*sin(t) + a*b_rate")},
                   {"fy", formula("2 + a_rate^2*b")},
                   {"fz", formula("a - b")},
                   {"tx", formula("cos(t)*b")},
                   {"ty", formula("1.5 + a")},
                   {"tz", formula("a_rate")},
                   {"force", formula("length^2*rate + sin(t)*a - a_rate")},
                   {"torque", formula("length*rate + sin(t) + b")}};
  return spec;
}

TEST(SpatialForces, derivatives) {
  for (const std::string& type : type_names(Kind::force, Space::spatial)) {
    ElementSpec spec = loaded();
    spec.numbers = {{"stiffness", {3, 5, 2, 4, 1, 6}},
                    {"damping", {0.7, 0.4, 0.2, 0.3, 0.5, 0.1}},
                    {"free_length", {0.9}},
                    {"free_angle", {0.2}}};
    if (type != "bushing") check_forces(force_set(type, spec), 2, 3);
  }
  for (const char* frame : {"body", "first", "second"})
    for (const std::string_view type : {"force", "torque", "general-force"}) {
      ElementSpec spec = loaded();
      spec.choices = {{"frame", frame}};
      check_forces(force_set(type, spec), 2, 3);
    }
}

// Likewise in space, where a torque has no potential.
TEST(SpatialForces, forces_with_a_potential) {
  const std::vector<double> v{0.4, -0.7, 1.3, 0.2, 0.9, -0.6, 0.3, 0.1, -0.8, 0.5, -0.2, 0.7};
  const std::vector<double> some{0.3, 0.5, 0.7};
  const auto check = [&](std::string_view type, const ElementSpec& spec, bool stored) {
    SCOPED_TRACE(type);
    const ForceSet set = force_set(type, spec);
    check_forces(set, 2, 3);
    const double power = set.pool(0).power({0.4, pose, v}, {some, some});
    EXPECT_EQ(power == 0, stored) << power;
  };
  ElementSpec spec = between(0, 1);
  spec.inputs = {2, 0};
  spec.formulas = {{"fx", formula("3")},
                   {"fy", formula("-2")},
                   {"fz", formula("1.5")},
                   {"force", formula("length^3 - 2*length")},
                   {"torque", formula("3*cos(2*length)")}};
  for (const std::string_view type : {"force", "spring", "rotational-spring"})
    check(type, spec, true);
  spec.choices = {{"frame", "body"}};
  check("force", spec, false);
  for (const auto& [frame, stored] :
       {std::pair{"ground", false}, {"first", true}, {"second", false}}) {
    spec.choices = {{"frame", frame}};
    check("general-force", spec, stored);
  }
  const auto on_the_second = [&](const char* frame) {
    ElementSpec alone = spec;
    alone.ends[0].body = -1;
    alone.choices = {{"frame", frame}};
    ForceSet set(3);
    std::ignore = set.add("general-force", alone, pose);
    check_forces(set, 2, 3);
    return set.pool(0).power({0.4, pose, v}, {some, some});
  };
  EXPECT_EQ(on_the_second("ground"), 0);
  EXPECT_EQ(on_the_second("first"), 0);
  EXPECT_NE(on_the_second("second"), 0);
  spec.choices.clear();
  spec.formulas = {{"tx", formula("1")}, {"ty", formula("2")}, {"tz", formula("3")}};
  check("torque", spec, false);
}

TEST(SpatialForces, derivatives_of_bushings_up_to_large_turns) {
  std::mt19937 rng(11);
  ElementSpec spec = plain(0, 1);
  spec.numbers = {{"stiffness", {3, 5, 2, 4, 1, 6}}, {"damping", {0.7, 0.4, 0.2, 0.3, 0.5, 0.1}}};
  spec.ends[0].point = {0.3, -0.7, 0.2};
  const ForceSet set = force_set("bushing", spec);
  VectorXd q(14);
  q << 0, 0, 0, 1, 0, 0, 0, 0.1, 0.2, 0.3, 1, 0, 0, 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Worst worst = force_errors(set.pool(0), state_near(3, q, 0.6, rng), {}, {});
    EXPECT_LE(worst.largest(), difference_tolerance) << worst.text();
  }
}

TEST(SpatialForces, act_and_react) {
  for (const std::string& type : type_names(Kind::force, Space::spatial)) {
    if (type == "force") continue;  // acts at two points that have come apart
    ElementSpec spec = loaded();
    spec.numbers = {
        {"stiffness", {3, 5, 2, 4, 1, 6}}, {"free_length", {0.9}}, {"free_angle", {0.2}}};
    ForceSet set(3);
    std::ignore = set.add(type, spec, pose);
    const std::vector<double> v{0.4, -0.7, 1.3, 0.2, 0.9, -0.6, 0.3, 0.1, -0.8, 0.5, -0.2, 0.7};
    const std::vector<double> value{0.3, 0.5, 0.7}, rate{1, 2, 3};
    VectorXd Q = VectorXd::Zero(12);
    set.pool(0).add_Q({0.4, pose, v}, {value, rate}, {Q.data(), 12});
    Vec<3> force = Vec<3>::Zero(), moment = Vec<3>::Zero();
    for (int b = 0; b < 2; ++b) {
      const Vec<3> F = Q.segment<3>(6 * b), r(pose.data() + 7 * b);
      force += F;
      moment += r.cross(F) + rotation_matrix(pose.data() + 7 * b + 3) * Q.segment<3>(6 * b + 3);
    }
    EXPECT_GT(Q.norm(), 0.1) << type;
    EXPECT_NEAR(force.norm(), 0, 1e-14) << type;
    EXPECT_NEAR(moment.norm(), 0, 1e-14) << type;
    std::vector<double> out(set.pool(0).outputs().size());
    EXPECT_EQ(out.size(), set.pool(0).output_units().size());
    set.pool(0).output({0.4, pose, v}, {value, rate}, 0, out);
    for (const double x : out) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(SpatialForces, bushing_resists_a_turn_about_any_axis_in_proportion) {
  ElementSpec spec = plain(-1, 0);
  spec.numbers = {{"stiffness", {0, 0, 0, 2, 2, 2}}};
  ForceSet set(3);
  std::ignore = set.add("bushing", spec, turned_about_z(0));
  for (const double angle : {0.0, 1e-6, 0.3, 0.92, 1.5, 3.0}) {
    const Vec<3> axis = Vec<3>(1, -2, 0.5).normalized(), e = std::sin(angle / 2) * axis;
    const std::vector<double> q{0, 0, 0, std::cos(angle / 2), e.x(), e.y(), e.z()}, v(6, 0.0);
    VectorXd Q = VectorXd::Zero(6);
    set.pool(0).add_Q({0, q, v}, {}, {Q.data(), 6});
    EXPECT_NEAR((Q.tail<3>() + 2 * angle * axis).norm(), 0, 1e-12) << angle;
    EXPECT_NEAR(set.pool(0).potential({0, q}), angle * angle, 1e-12);
  }
}

TEST(SpatialForces, angle_over_sine_joins_its_series) {
  for (const double c : {0.6 - 1e-9, 0.6 + 1e-9, 0.999, -0.5}) {
    const AngleOverSine h(c);
    const double h_reference = std::acos(c) / std::sqrt(1 - c * c);
    EXPECT_NEAR(h.f, h_reference, 1e-13);
    EXPECT_NEAR((1 - c * c) * h.d, c * h.f - 1, 1e-13);
    EXPECT_NEAR((1 - c * c) * h.dd, h.f + 3 * c * h.d, 1e-12);
    EXPECT_NEAR((1 - c * c) * h.ddd, 4 * h.d + 5 * c * h.dd, 1e-12);
  }
}

}  // namespace
}  // namespace cardan::test
