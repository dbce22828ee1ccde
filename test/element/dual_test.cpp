// The element algebra on dual numbers: derivatives without differences, to round-off.
#include <Eigen/Core>
#include <gtest/gtest.h>
#include <unsupported/Eigen/AutoDiff>

#include "cardan/element/pair.h"
#include "cardan/element/planar/planar_primitive.h"

namespace cardan::test {
namespace {

constexpr double round_off = 1e-13;

using Dual = Eigen::AutoDiffScalar<Eigen::Vector<double, 6>>;  // one derivative for each coordinate
                                                               // of two planar bodies

template <class P> void check(Pair<P> pair) {
  const double q[6] = {0.1, -0.3, 0.7, 0.9, 0.4, -1.1}, v[6] = {0.4, 0.2, -0.6, -0.5, 1.2, 0.8};
  Dual x[6], w[6];
  for (int k = 0; k < 6; ++k) {
    x[k] = Dual(q[k], 6, k);
    w[k] = Dual(v[k], Eigen::Vector<double, 6>::Zero());
  }
  const std::array<Pose<2>, 2> at{pose_from<2>(q), pose_from<2>(q + 3)};
  const std::array<Twist<2>, 2> moving{twist_from<2>(at[0], v), twist_from<2>(at[1], v + 3)};
  const std::array<Pose<2, Dual>, 2> dual{pose_from<2>(x), pose_from<2>(x + 3)};
  const std::array<Twist<2, Dual>, 2> dual_moving{twist_from<2>(dual[0], w),
                                                  twist_from<2>(dual[1], w + 3)};

  const auto phi = pair.phi(dual);
  const auto phi_q = pair.phi_q(at);
  const auto gamma = pair.gamma(dual, dual_moving);
  const auto gamma_q = pair.gamma_q(at, moving);
  for (int r = 0; r < P::rows; ++r)
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(phi[r].derivatives()[k], phi_q[k / 3](r, k % 3), round_off);
      EXPECT_NEAR(gamma[r].derivatives()[k], gamma_q[k / 3](r, k % 3), round_off * 10);
    }
}

template <class P> Pair<P> pair_with_features() {
  Pair<P> pair;
  for (std::size_t k = 0; k < pair.primitive.s.size(); ++k)
    pair.primitive.s[k] =
        Vec<2>(0.3 + 0.2 * static_cast<double>(k), 0.5 - 0.4 * static_cast<double>(k));
  if constexpr (requires { pair.primitive.c; }) pair.primitive.c = 0.6;
  return pair;
}

TEST(DualNumbers, agree_with_the_chain_rule) {
  check(pair_with_features<Coincident<2>>());
  check(pair_with_features<Coordinate<2, 1>>());
  check(pair_with_features<Distance<2>>());
  check(pair_with_features<Length<2>>());
  check(pair_with_features<Dot1<2>>());
  check(pair_with_features<Dot2<2>>());
  check(pair_with_features<Angle>());
  check(pair_with_features<PlanarOffset>());
  auto rack = pair_with_features<RackAndPinion>();
  rack.primitive.set_radius(0.3);
  check(rack);
}

}  // namespace
}  // namespace cardan::test
