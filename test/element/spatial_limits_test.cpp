// Limits of stops and contacts in space, and friction there: derivatives, directions, loads.
#include <cmath>

#include <gtest/gtest.h>

#include "cardan/element/contact/friction.h"
#include "cardan/element/spatial/spatial_primitive.h"
#include "cardan/element/spatial/turns.h"
#include "test/element/spatial_frames.h"

namespace cardan::test {
namespace {

constexpr std::string_view types[] = {"x",
                                      "y",
                                      "z",
                                      "angle",
                                      "angle-1",
                                      "angle-2",
                                      "angle-3",
                                      "distance",
                                      "displacement",
                                      "sphere-plane",
                                      "sphere-sphere",
                                      "sphere-in-sphere",
                                      "sphere-cylinder",
                                      "sphere-in-cylinder"};

TEST(SpatialLimits, derivatives_of_equations) {
  ConstraintSet set(3);
  for (const auto type : types)
    for (const auto& [i, j] : {std::pair{0, 1}, {-1, 1}, {0, -1}})
      (void)set.add_limit(type, between(i, j), 0.2);
  check_constraints(set, 2);
}

TEST(SpatialLimits, derivatives_of_compliant_forces) {
  for (const double onset : {1e-3, 50.0})  // beyond the onset, and within it
    for (const auto& [i, j] : {std::pair{0, 1}, {-1, 1}, {0, -1}}) {
      ForceSet set(3);
      for (const auto type : types) (void)set.add_limit(type, between(i, j), {3.5, 9, 7, 3, onset});
      check_forces(set, 2);
    }
}

TEST(SpatialLimits, measure_what_they_say) {
  std::mt19937 rng(4);
  const ElementSpec spec = between(0, 1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Vec<3> d = any_vector(rng);
    const auto q = placed(spec, random_body(rng), d, turn(0.4, Z));
    const auto value = [&](std::string_view type) {
      ConstraintSet set(3);
      (void)set.add_limit(type, spec, 0.1);
      return phi_of(set, q)[0] + 0.1;
    };
    EXPECT_NEAR(value("sphere-plane"), d.z(), 1e-13);
    EXPECT_NEAR(value("displacement"), d.z(), 1e-13);
    EXPECT_NEAR(value("sphere-sphere"), d.norm(), 1e-13);
    EXPECT_NEAR(value("sphere-cylinder"), std::hypot(d.x(), d.y()), 1e-13);
    EXPECT_NEAR(value("angle"), 0.4, 1e-13);
  }
}

// On the axis, and where centres coincide, nothing becomes undefined: the direction is zero.
TEST(SpatialLimits, finite_where_the_direction_is_undefined) {
  std::mt19937 rng(4);
  const ElementSpec spec = between(0, 1);
  const auto q = placed(spec, random_body(rng), {0, 0, 0}, any_turn(rng));
  RandomState state = random_state(3, 2, rng);
  state.q = Eigen::Map<const Eigen::VectorXd>(q.data(), 14);
  ConstraintSet set(3);
  for (const auto type : {"sphere-in-sphere", "sphere-in-cylinder"})
    (void)set.add_limit(type, spec, 0.5);
  for (int k = 0; k < set.pool_count(); ++k) {
    double phi = 0, gamma = 0;
    set.pool(k).phi({0, q}, View(&phi, 1));
    EXPECT_NEAR(phi, -0.5, 1e-12);
    set.pool(k).gamma({0, q, CView(state.v.data(), 12)}, View(&gamma, 1));
    EXPECT_TRUE(std::isfinite(gamma));
  }
}

TEST(SpatialLimits, angles_count_turns) {
  std::mt19937 rng(4);
  const ElementSpec spec = between(0, 1);
  WindingTable turns(14);
  ConstraintSet set(3, &turns);
  (void)set.add_limit("angle", spec, 20.0);
  auto q = placed(spec, random_body(rng), {0, 0, 0}, turn(0.3, Z));
  q.push_back(0.3 + 6 * std::numbers::pi + 0.5);
  EXPECT_NEAR(phi_of(set, q)[0], 0.3 + 6 * std::numbers::pi - 20, 1e-12);
}

// ---------------------------------------------------------------- friction

using Slide = FrictionElement::Slide;

FrictionElement rubbing(Slide slide) {
  FrictionElement e;
  e.slide = slide;
  e.body = {0, 1};
  const ElementSpec spec = between(0, 1);
  e.point = {spec.ends[0].point, spec.ends[1].point};
  e.axis = spec.ends[0].axis;
  e.across = spec.ends[0].across;
  e.radius = 0.25;
  e.law = {0.3, 0.4, 0.5, 0.2};
  return e;
}

TEST(SpatialFriction, tangents_are_gradients_of_sliding_and_act_and_react) {
  std::mt19937 rng(3);
  FrictionSet set(3);
  for (const Slide slide : {Slide::turn,
                            Slide::shift,
                            Slide::line,
                            Slide::circle,
                            Slide::barrel,
                            Slide::twist,
                            Slide::ball})
    set.add(rubbing(slide));
  const RandomState state = random_state(3, 2, rng);
  for (int k = 0; k < set.count(); ++k) {
    const auto m = static_cast<std::size_t>(set.ways(k));
    std::vector<double> d(12 * m), s(m), along(12);
    set.tangents(k, state.motion(), d, s);
    double square = 0;
    for (std::size_t c = 0; c < m; ++c) {
      const Eigen::Map<const Vec<12>> row(d.data() + 12 * c);
      EXPECT_NEAR(s[c], row.dot(state.v), 1e-13) << k;
      EXPECT_LT((row.segment<3>(0) + row.segment<3>(6)).norm(), 1e-15) << k;
      Vec<3> moment = Vec<3>::Zero();  // about the origin, in ground axes
      for (std::ptrdiff_t i = 0; i < 2; ++i) {
        const Vec<3> r = state.q.segment<3>(7 * i), F = row.segment<3>(6 * i);
        moment +=
            r.cross(F) + rotation_matrix(state.q.data() + 7 * i + 3) * row.segment<3>(6 * i + 3);
      }
      EXPECT_LT(moment.norm(), 1e-14) << k;
      square += s[c] * s[c];
    }
    // The force is against the sliding and as large as the law says.
    const double speed = set.direction(k, state.motion(), {}, along);
    EXPECT_NEAR(std::abs(speed), std::sqrt(square), 1e-13);
    const double power = Eigen::Map<const Vec<12>>(along.data()).dot(state.v);
    EXPECT_NEAR(power, -set.element(k).law.coefficient(speed) * speed, 1e-13) << k;
  }
}

// Touching points: what both bodies' surfaces do there.
TEST(SpatialFriction, sliding_of_a_sphere_on_each_surface) {
  std::mt19937 rng(8);
  for (const Slide slide : {Slide::line, Slide::circle, Slide::barrel}) {
    FrictionSet set(3);
    set.add(rubbing(slide));
    const RandomState state = random_state(3, 2, rng);
    const Mat<3, 3> A0 = rotation_matrix(state.q.data() + 3),
                    A1 = rotation_matrix(state.q.data() + 10);
    const FrictionElement& e = set.element(0);
    const Vec<3> r0 = state.q.segment<3>(0), r1 = state.q.segment<3>(7);
    const Vec<3> x0 = r0 + A0 * e.point[0], x1 = r1 + A1 * e.point[1], h = A0 * unit(e.axis);
    const Vec<3> d = x1 - x0, radial = d - h * h.dot(d);
    const Vec<3> n = slide == Slide::line ? h : slide == Slide::circle ? unit(d) : unit(radial);
    const Vec<3> place = slide == Slide::line     ? Vec<3>(x1 - e.radius * h)
                         : slide == Slide::circle ? Vec<3>(x0 + e.radius * n)
                                                  : Vec<3>(x1 - radial + e.radius * n);
    const auto speed_of = [&](const Vec<3>& r, const Mat<3, 3>& A, int first) -> Vec<3> {
      return state.v.segment<3>(first) + (A * state.v.segment<3>(first + 3)).cross(place - r);
    };
    Vec<3> slip = speed_of(r1, A1, 6) - speed_of(r0, A0, 0);
    slip -= n * n.dot(slip);
    std::vector<double> out(12);
    EXPECT_NEAR(set.direction(0, state.motion(), {}, out), slip.norm(), 1e-13);
    const Vec<3> force(out[6], out[7], out[8]);
    EXPECT_LT((force + e.law.coefficient(slip.norm()) * unit(slip)).norm(), 1e-13);
  }
}

TEST(SpatialFriction, smooth_at_rest) {
  const FrictionLaw law{0.3, 0.4, 0.5, 0.2};
  EXPECT_NEAR(law.per_speed(0), 2.0, 1e-15);
  EXPECT_NEAR(law.per_speed(1e-6), law.per_speed(3e-6), 1e-9);
  EXPECT_EQ(law.per_speed(0.7), law.coefficient(0.7) / 0.7);
  FrictionSet set(3);
  set.add(rubbing(Slide::ball));
  std::mt19937 rng(3);
  RandomState state = random_state(3, 2, rng);
  state.v.setZero();
  std::vector<double> d(12, 1.0);
  EXPECT_EQ(set.direction(0, state.motion(), {}, d), 0);
  for (const double x : d) EXPECT_EQ(x, 0);
}

TEST(SpatialFriction, slopes_of_loads) {
  using Load = FrictionElement::Load;
  using Rows = FrictionElement::Rows;
  std::mt19937 rng(6);
  FrictionSet set(3);
  const auto add = [&](Slide slide, Load load, Rows rows, int count, double length, double width) {
    FrictionElement e = rubbing(slide);
    e.load = load;
    e.meaning = rows;
    e.edge_distance = length;
    e.width = width;
    for (int r = 0; r < count; ++r) e.rows.push_back(r + 1);
    set.add(e);
  };
  for (const double length : {0.0, 0.4}) {
    add(Slide::turn, Load::edges, Rows::force_and_moment, 5, length, 0);
    add(Slide::twist, Load::edges, Rows::across_and_moment, 4, length, 0);
    add(Slide::shift, Load::edges, Rows::across_and_moment, 5, length, length);
  }
  add(Slide::turn, Load::thrust, Rows::force_and_moment, 5, 0, 0);
  add(Slide::ball, Load::norm, Rows::force_and_moment, 3, 0, 0);
  const RandomState state = random_state(3, 2, rng);
  const std::vector<double> lambda{9, -1.3, 0.4, 0.7, 0.25, -0.6, 3};
  for (int k = 0; k < set.count(); ++k) {
    const Mat<3, 3> frame = set.frame(k, state.config());
    const std::size_t rows = set.element(k).rows.size();
    std::vector<double> slopes(rows), none(rows);
    const double N = set.load(k, frame, lambda, slopes);
    EXPECT_GT(N, 0);
    for (std::size_t r = 0; r < rows; ++r) {
      auto up = lambda, down = lambda;
      up[r + 1] += 1e-5;
      down[r + 1] -= 1e-5;
      const double slope = (set.load(k, frame, up, none) - set.load(k, frame, down, none)) / 2e-5;
      EXPECT_NEAR(slope, slopes[r], 1e-9) << k << " " << r;
    }
  }
}

}  // namespace
}  // namespace cardan::test
