// Spatial bodies against closed solutions and independent references: free turning, the heavy top,
// chains of ball joints.
#include <cmath>
#include <filesystem>
#include <numbers>

#include "cardan/math/rotation.h"
#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

struct Jacobi {
  double sn, cn, dn;
};

// By the arithmetic-geometric mean, k < 1.
Jacobi jacobi(double u, double k) {
  double a[32], c[32];
  double b = std::sqrt(1 - k * k);
  a[0] = 1;
  c[0] = k;
  int n = 0;
  while (std::abs(c[n]) > 1e-16 && n < 30) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

TEST(Spatial, FreeTurningFollowsEllipticFunctions) {
  Model model = test::model_file("tumbling-body");
  test::tighten(model, 1e-14, "dop853");
  test::dynamic(model).until = 20;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  const double I1 = 1, I2 = 2, I3 = 3;
  const Vec<3> w0(0.05, 2, 0.1), I(I1, I2, I3);
  const double E2 = w0.cwiseProduct(w0).dot(I), M2 = w0.cwiseProduct(I).squaredNorm();
  ASSERT_GT(M2, E2 * I2);
  const double speed = std::sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3));
  const double k = std::sqrt((I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1)));
  const Vec<3> top(std::sqrt((E2 * I3 - M2) / (I1 * (I3 - I1))),
                   std::sqrt((E2 * I3 - M2) / (I2 * (I3 - I2))),
                   std::sqrt((M2 - E2 * I1) / (I3 * (I3 - I1))));
  const double u0 = std::ellint_1(k, std::asin(w0.y() / top.y()));
  const Vec<3> momentum = w0.cwiseProduct(I);
  double worst = 0, turned = 0;
  for (std::size_t row = 0; row < run.times.size(); ++row) {
    const Mat<3, 3> A = matrix_of_quaternion(test::quaternion(run, "body", row));
    const Vec<3> w = A.transpose() * test::vector(run, "body.omega_", row);
    const Jacobi j = jacobi(u0 + speed * run.times[row], k);
    worst = std::max(worst, (w - Vec<3>(top.x() * j.cn, top.y() * j.sn, top.z() * j.dn)).norm());
    turned = std::max(turned, (A * w.cwiseProduct(I) - momentum).norm());
  }
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(turned, 1e-10);
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-11);
}

TEST(Spatial, HeavyTop) {
  Model model = test::model_file("heavy-top");
  test::tighten(model, 1e-13, "dop853");
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  const Quaternion q = test::quaternion(run, "top", test::row_at(run, 0.2));
  const Quaternion reference(
      -0.7082791529745004, 0.43878108812637323, 0.5457283961454935, 0.08939975282309051);
  EXPECT_LT(std::min((q - reference).norm(), (q + reference).norm()), 1e-8);
  const Vec<3> half = test::vector(run, "centre.", test::row_at(run, 1)),
               end = test::vector(run, "centre.", run.rows.size() - 1);
  EXPECT_LT((half - Vec<3>(0.17334396409622693, 0.6400885920672943, -0.7484907911368814)).norm(),
            1e-8);
  EXPECT_LT((end - Vec<3>(-0.15041682275235496, -0.724165591639323, -0.6730222695563322)).norm(),
            1e-8);
  // Lagrange's integrals: the spin, the moment of momentum about the vertical, the energy
  const Vec<3> J(15 + 0.234375, 0.46875, 15 + 0.234375);  // about the tip
  double spin = 0, vertical = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const Mat<3, 3> A = matrix_of_quaternion(test::quaternion(run, "top", row));
    const Vec<3> w = A.transpose() * test::vector(run, "top.omega_", row);
    spin = std::max(spin, std::abs(w.y() / 150 - 1));
    const double L = (A * J.cwiseProduct(w)).z();
    const double L0 = J.z() * -4.61538;
    vertical = std::max(vertical, std::abs(L / L0 - 1));
  }
  EXPECT_LT(spin, 1e-10);
  EXPECT_LT(vertical, 1e-10);
  const double kinetic = 0.5 * (J.y() * 150 * 150 + J.z() * 4.61538 * 4.61538);
  EXPECT_LT(out.summary.energy.max_imbalance / kinetic, 1e-10);
  EXPECT_LT(out.summary.constraint.max_position, 1e-13);
}

// What a step does to the length of a quaternion is set right after it, and told.
TEST(Spatial, DriftOfQuaternionsIsMeasured) {
  const auto drift = [](double tolerance) {
    Model model = test::model_file("tumbling-body");
    test::tighten(model, tolerance);
    Memory run;
    const Outcome out = run_model(model, run, {});
    EXPECT_EQ(out.summary.status, "complete");
    for (std::size_t row = 0; row < run.rows.size(); ++row)
      EXPECT_NEAR(test::quaternion(run, "body", row).norm(), 1, 1e-14);
    return out.summary.quaternion_drift;
  };
  const double loose = drift(1e-4), tight = drift(1e-9);
  EXPECT_GT(loose, 1e-7);
  EXPECT_LT(loose, 1e-2);
  EXPECT_GT(tight, 1e-14);
  EXPECT_LT(tight, 1e-3 * loose);
}

// The lowest rigid chain: a spherical pendulum keeps its height's equation of a plane pendulum when
// swung in a plane, whichever plane it is.
TEST(Spatial, BallJointPendulumInAnyPlaneIsAPendulum) {
  const auto swing = [](double x, double y) {
    return test::model_of(fmt::format(
        "space='spatial'\ngravity=[0,0,-9.81]\n"
        "[[body]]\nname='rod'\nfrom=[0,0,0]\nto=[{0},{1},0]\nmass=1\nwidth=0.02\n"
        "[[joint]]\ntype='spherical'\nname='ball'\nbetween=['ground','rod']\nat=[0,0,0]\n"
        "[[request]]\ntype='point'\nname='tip'\nbody='rod'\npoint=[1,0,0]\n"
        "[[analysis]]\ntype='dynamic'\nuntil=3\noutput_step=0.5\nrtol=1e-11\natol=1e-11\n",
        x,
        y));
  };
  Memory along, askew;
  ASSERT_EQ(run_model(swing(1, 0), along, {}).summary.status, "complete");
  ASSERT_EQ(run_model(swing(0.6, 0.8), askew, {}).summary.status, "complete");
  const double inertia = 1.0 / 3 + 0.25 * 0.01 * 0.01, rate2 = 2 * 9.81 * 0.5 / inertia;
  for (std::size_t row = 0; row < along.rows.size(); ++row) {
    EXPECT_NEAR(along.value("tip.z", row), askew.value("tip.z", row), 1e-8);
    EXPECT_NEAR(along.value("tip.x", row) * 0.6, askew.value("tip.x", row), 1e-8);
    const double w = along.value("rod.omega_y", row), z = along.value("tip.z", row);
    EXPECT_NEAR(w * w, -rate2 * z, 1e-7);
  }
}

TEST(Spatial, ChainOfBallJointsKeepsEnergyAndMomentum) {
  Model model = test::model_file("spherical-chain");
  test::tighten(model, 1e-10);
  test::dynamic(model).until = 1;
  Memory run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  EXPECT_LT(out.summary.energy.max_imbalance, 1e-7);
  EXPECT_LT(out.summary.constraint.max_position, 1e-12);
  EXPECT_EQ(out.summary.dof, 30);
}

// Another program's series of a top. Its own error in a coordinate is 4.6e-6 m within 1 s, 9.4e-5
// within 5 s and 3.5e-4 at the end: dop853 at two tolerances, local coordinates and the symplectic
// method of order 6 agree to 1e-10 with each other.
TEST(Spatial, TopOfAnotherProgram) {
  const std::string path = test::shared_case("O_gyro/results.csv");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  Model model = test::model_of(
      "space='spatial'\ngravity=[0,-9.81,0]\n"
      "[[body]]\nname='top'\nmass=7.65366865\ncentre=[0,0,1.5]\n"
      "inertia=[1.10402249,1.10402249,0.932433546]\nangular_velocity=[0,0,62.831853071796]\n"
      "[[joint]]\ntype='spherical'\nname='tip'\nbetween=['ground','top']\nat=[0,0,0]\n"
      "[[request]]\ntype='point'\nname='tip of axis'\nbody='top'\npoint=[0,0,1]\n"
      "[[analysis]]\ntype='dynamic'\nuntil=10\noutput_step=0.05\nrtol=1e-11\natol=1e-11\n"
      "integrator='dop853'\n");
  Memory run, other;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  DynamicOptions& o = test::dynamic(model);
  o.formulation = "partitioned";
  o.rtol = o.atol = 1e-12;
  ASSERT_EQ(run_model(model, other, {}).summary.status, "complete");
  auto table = test::read_table(path);
  const auto& t = table["Time"];
  ASSERT_EQ(t.size(), run.times.size());
  double early = 0, middle = 0, whole = 0;
  for (std::size_t row = 0; row < t.size(); ++row) {
    const Vec<3> theirs(
        table["Gyro.Part1:X"][row], table["Gyro.Part1:Y"][row], table["Gyro.Part1:Z"][row]);
    const Vec<3> ours = test::vector(run, "tip of axis.", row);
    EXPECT_LT((ours - test::vector(other, "tip of axis.", row)).norm(), 2e-10);
    const double off = (ours - theirs).cwiseAbs().maxCoeff();
    if (t[row] <= 1) early = std::max(early, off);
    if (t[row] <= 5) middle = std::max(middle, off);
    whole = std::max(whole, off);
  }
  EXPECT_LT(early, 4.7e-6);
  EXPECT_LT(middle, 9.5e-5);
  EXPECT_LT(whole, 3.5e-4);
}

}  // namespace
}  // namespace cardan
