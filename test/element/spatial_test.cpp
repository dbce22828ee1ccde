// The primitives of space: the same code as in the plane, on features that turn with a rotation
// matrix.
#include <gtest/gtest.h>

#include "cardan/element/element_pool.h"
#include "cardan/element/force/law_force_pool.h"
#include "cardan/element/force/point_force_pool.h"
#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

constexpr std::array<std::array<int, 2>, 4> body_pairs{{{0, 1}, {1, 0}, {-1, 1}, {0, -1}}};

template <class P> Pair<P> random_pair(const std::array<int, 2>& body, std::mt19937& rng) {
  Pair<P> pair{P{}, body};
  for (auto& s : pair.primitive.s)
    s = Vec<3>::NullaryExpr([&] { return std::uniform_real_distribution<>(-1, 1)(rng); });
  if constexpr (requires { pair.primitive.c; }) pair.primitive.c = 0.8;
  return pair;
}

template <class P> void check() {
  std::mt19937 rng(5);
  const typename ElementPool<Pair<P>>::Labels labels{};
  ElementPool<Pair<P>> pool("spatial", labels, false);
  for (const auto& body : body_pairs) pool.add(random_pair<P>(body, rng));
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Worst worst = constraint_errors(pool, random_state(3, 2, rng), rng);
    EXPECT_LE(worst.largest(), difference_tolerance) << worst.text();
  }
}

TEST(SpatialDerivatives, coincident) {
  check<Coincident<3>>();
}

TEST(SpatialDerivatives, coordinates) {
  check<Coordinate<3, 0>>();
  check<Coordinate<3, 1>>();
  check<Coordinate<3, 2>>();
}

TEST(SpatialDerivatives, dot1) {
  check<Dot1<3>>();
}

TEST(SpatialDerivatives, dot2) {
  check<Dot2<3>>();
}

TEST(SpatialDerivatives, distance) {
  check<Distance<3>>();
}

TEST(SpatialDerivatives, length) {
  check<Length<3>>();
}

TEST(SpatialDerivatives, spring) {
  std::mt19937 rng(5);
  constexpr std::string_view names[] = {"length", "rate", "force"};
  LawForcePool<Length<3>> pool("spring", {names, names, 1});
  for (const auto& body : body_pairs) {
    ForceLaw law;
    law.stiffness = 3;
    law.damping = 0.7;
    law.free = 0.4;
    Pair<Length<3>> pair = random_pair<Length<3>>(body, rng);
    pair.primitive.c = 0;
    pool.add({pair, {law}, {}});
  }
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Worst worst = force_errors(pool, random_state(3, 2, rng), {}, {});
    EXPECT_LE(worst.largest(), difference_tolerance) << worst.text();
  }
}

TEST(SpatialDerivatives, point_force) {
  std::mt19937 rng(5);
  PointForcePool<3> pool("force");
  for (const bool fixed : {false, true})
    for (const auto& body : body_pairs)
      pool.add({body,
                {Vec<3>(0.3, -0.2, 0.5), Vec<3>(0.1, 0.7, -0.4)},
                {Expression(1.5), Expression(-0.7), Expression(2.0)},
                fixed,
                {}});
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Worst worst = force_errors(pool, random_state(3, 2, rng), {}, {});
    EXPECT_LE(worst.largest(), difference_tolerance) << worst.text();
  }
}

TEST(SpatialDerivatives, gravity) {
  ForceSet set(3);
  set.add_gravity({1, 2, -9.81}, std::vector<double>{2, 3});
  check_forces(set, 2);
}

// A planar mechanism seen in space: same numbers of the same primitives.
TEST(SpatialDerivatives, planar_values_embedded) {
  const double angle[2] = {0.4, -1.3};
  const std::vector<double> q2{0.1, 0.2, angle[0], -0.5, 0.9, angle[1]};
  std::vector<double> q3;
  for (int b = 0; b < 2; ++b) {
    const double* r = &q2[static_cast<std::size_t>(3 * b)];
    for (const double x :
         {r[0], r[1], 0.0, std::cos(angle[b] / 2), 0.0, 0.0, std::sin(angle[b] / 2)})
      q3.push_back(x);
  }
  const std::vector<double> v2{0.3, -0.2, 0.7, 1.1, 0.4, -0.6};
  const std::vector<double> v3{0.3, -0.2, 0, 0, 0, 0.7, 1.1, 0.4, 0, 0, 0, -0.6};
  Pair<Dot2<2>> plane{{}, {0, 1}};
  plane.primitive.s = {Vec<2>(0.6, 0.8), Vec<2>(0.2, -0.1), Vec<2>(-0.3, 0.5)};
  Pair<Dot2<3>> space{{}, {0, 1}};
  for (std::size_t k = 0; k < 3; ++k) space.primitive.s[k] << plane.primitive.s[k], 0;
  const auto p2 = poses_of<2>({0, q2}, plane.body);
  const auto p3 = poses_of<3>({0, q3}, space.body);
  EXPECT_NEAR(plane.phi(p2)[0], space.phi(p3)[0], 1e-15);
  EXPECT_NEAR(plane.gamma(p2, twists_of<2>(p2, v2, plane.body))[0],
              space.gamma(p3, twists_of<3>(p3, v3, space.body))[0],
              1e-15);
}

}  // namespace
}  // namespace cardan::test
