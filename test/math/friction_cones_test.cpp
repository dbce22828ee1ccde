// Impacts with friction on round cones: conditions of random problems, isotropy, closed forms.
#include "cardan/math/friction_cones.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace cardan {
namespace {

using Index = Eigen::Index;

struct Problem {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  std::vector<FrictionCone> cones;
  Index contacts = 0;
};

// Contacts of one body with unequal inertias: normals first, then two tangents each.
Problem random_problem(std::mt19937& rng, Index contacts, double mu, bool redundant) {
  std::uniform_real_distribution<> any(-1, 1);
  const Index freedoms = redundant ? 6 : 3 * contacts + 2;
  Eigen::MatrixXd G(freedoms, 3 * contacts);
  for (double& x : G.reshaped()) x = any(rng);
  Problem p;
  p.contacts = contacts;
  p.A = G.transpose() * G;
  Eigen::VectorXd v(freedoms);
  for (double& x : v) x = any(rng);
  p.b = G.transpose() * v;
  for (Index k = 0; k < contacts; ++k)
    p.cones.push_back({k, contacts + 2 * k, mu * (1 + 0.1 * static_cast<double>(k))});
  return p;
}

void expect_solution(const Problem& p, const Eigen::VectorXd& z) {
  const Eigen::VectorXd w = p.A * z + p.b;
  const double size = 1 + z.cwiseAbs().maxCoeff(), tolerance = 1e-10 * size;
  for (const auto& k : p.cones) {
    const double N = z[k.normal];
    const Eigen::Vector2d r = z.segment<2>(k.tangent), s = w.segment<2>(k.tangent);
    EXPECT_GE(N, -tolerance);
    EXPECT_GE(w[k.normal], -tolerance);
    EXPECT_NEAR(N * w[k.normal], 0, tolerance);
    EXPECT_LE(r.norm(), k.mu * N + tolerance);
    // The loss is the largest the cone allows.
    EXPECT_NEAR(r.dot(s), -k.mu * N * s.norm(), tolerance);
  }
}

TEST(FrictionCones, random_problems_are_solved) {
  std::mt19937 rng(11);
  int solved = 0, wanted = 0;
  for (const bool redundant : {false, true})
    for (const double mu : {0.1, 0.4})
      for (Index contacts = 1; contacts <= 6; ++contacts)
        for (int repeat = 0; repeat < 20; ++repeat) {
          const Problem p = random_problem(rng, contacts, mu, redundant);
          Eigen::VectorXd z;
          ++wanted;
          if (!solve_friction_cones(p.A, p.b, p.contacts, p.cones, z)) continue;
          ++solved;
          expect_solution(p, z);
        }
  // Random gradients couple contacts far more than bodies do; what is not solved is told.
  EXPECT_GE(solved, wanted * 95 / 100) << solved << " of " << wanted;
}

TEST(FrictionCones, turning_the_tangents_turns_the_solution) {
  std::mt19937 rng(5);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Problem p = random_problem(rng, 2, 0.3, false);
    Eigen::MatrixXd R = Eigen::MatrixXd::Identity(6, 6);
    for (Index k = 0; k < 2; ++k)
      R.block<2, 2>(2 + 2 * k, 2 + 2 * k) = Eigen::Rotation2Dd(0.7 + 1.1 * k).toRotationMatrix();
    const Eigen::MatrixXd A = R * p.A * R.transpose();
    const Eigen::VectorXd b = R * p.b;
    Eigen::VectorXd z, turned;
    const bool one = solve_friction_cones(p.A, p.b, 2, p.cones, z);
    EXPECT_EQ(one, solve_friction_cones(A, b, 2, p.cones, turned));
    if (!one) continue;
    EXPECT_LT((R * z - turned).norm(), 1e-11 * (1 + z.norm()));
  }
}

// A sphere of mass m: w_n = p/m, w_t = 7/2 r/m. It sticks where 2/7 |s| m <= mu p.
TEST(FrictionCones, sphere_slips_or_sticks) {
  const double m = 0.3;
  const Eigen::MatrixXd A = Eigen::Vector3d(1, 3.5, 3.5).asDiagonal() * (1 / m);
  for (const double mu : {0.05, 0.9}) {
    const Eigen::Vector3d b(-2, 3, -4);
    Eigen::VectorXd z;
    ASSERT_TRUE(solve_friction_cones(A, b, 1, {{0, 1, mu}}, z));
    EXPECT_NEAR(z[0], 2 * m, 1e-15);
    const double r = std::min(mu * 2 * m, 5 * m / 3.5);
    EXPECT_NEAR(z[1], -r * 3 / 5, 1e-15);
    EXPECT_NEAR(z[2], r * 4 / 5, 1e-15);
  }
}

}  // namespace
}  // namespace cardan
