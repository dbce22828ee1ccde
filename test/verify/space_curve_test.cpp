// A bead on curves in space: a helix with its closed solution, and a closed track run through
// several times by every formulation.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

const std::string bead = R"(space = "spatial"
gravity = [0, 0, -9.81]
[[body]]
name = "bead"
at = [0.5, 0, 0]
mass = 0.2
inertia = [1e-4, 1e-4, 1e-4]
[[joint]]
name = "wire"
type = "point-on-curve"
between = ["ground", "bead"]
points = [[0, 0, 0], [0, 0, 0]]
axis = [0, 0, 1]
across = [1, 0, 0]
curve = "wire"
[[analysis]]
type = "dynamic"
until = 2
output_step = 0.05
rtol = 1e-11
atol = 1e-11
)";

Memory run_bead(const std::string& curve, const std::string& formulation, double velocity_y = 0) {
  Model model = test::model_of(bead + curve +
                               fmt::format("[[initial]]\nbody = \"bead\"\nvy = {}\n", velocity_y));
  test::dynamic(model).formulation = formulation;
  Memory run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "complete") << formulation;
  return run;
}

// z = -g t^2/2 times the square of the sine of the slope; the reaction's part across holds the
// weight's share and the centripetal force.
TEST(SpaceCurve, BeadFallsDownAHelix) {
  constexpr double R = 0.5, b = 0.1, g = 9.81, share = b * b / (R * R + b * b);
  const Memory run = run_bead(
      "[[curve]]\nname = \"wire\"\ntype = \"space-curve\"\nx = \"0.5 m * cos(u)\"\ny = \"0.5 m * "
      "sin(u)\"\nz = \"0.1 m * u\"\nfrom = -20\nto = 1\n",
      "auto");
  ASSERT_FALSE(run.rows.empty());
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.times[row], z = -g * share * t * t / 2;
    EXPECT_NEAR(run.value("bead.z", row), z, 1e-9);
    EXPECT_NEAR(run.value("bead.x", row), R * std::cos(z / b), 1e-8);
    EXPECT_NEAR(run.value("bead.y", row), R * std::sin(z / b), 1e-8);
    const double turning = -g * share * t / b;  // s'
    const Vec<3> inward(-std::cos(z / b), -std::sin(z / b), 0);
    const Vec<3> along(R * -std::sin(z / b), R * std::cos(z / b), b);
    const Vec<3> acceleration = R * turning * turning * inward + along * (-g * share / b);
    const Vec<3> force = 0.2 * (acceleration - Vec<3>(0, 0, -g));
    EXPECT_NEAR(test::vector(run, "wire.second.f", row).norm(), force.norm(), 1e-7);
  }
}

class Track : public testing::TestWithParam<const char*> {};

TEST_P(Track, EnergyIsKeptOverSeveralRounds) {
  std::string points;
  for (int k = 0; k < 16; ++k) {
    const double a = k * 6.283185307179586 / 16;
    points +=
        fmt::format("[{}, {}, {}], ", 0.5 * std::cos(a), 0.4 * std::sin(a), 0.1 * std::sin(2 * a));
  }
  const Memory run = run_bead(
      "[[curve]]\nname = \"wire\"\ntype = \"space-spline\"\nclosed = "
      "true\npoints = [" +
          points + "]\n",
      GetParam(),
      6);
  ASSERT_FALSE(run.rows.empty());
  double far = 0;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double energy = 0.1 * test::vector(run, "bead.v", row).squaredNorm() +
                          0.2 * 9.81 * run.value("bead.z", row);
    const double before = 0.1 * test::vector(run, "bead.v", 0).squaredNorm();
    EXPECT_NEAR(energy, before, 1e-6 * before);
    far = std::max(far, -run.value("bead.x", row));
  }
  EXPECT_GT(far, 0.49);
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         Track,
                         testing::Values("projected", "baumgarte", "partitioned", "tangent-qr"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cardan
