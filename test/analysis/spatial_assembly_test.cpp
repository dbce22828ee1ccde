// Putting spatial mechanisms together: far-off guesses, and prescribed orientations and angular
// velocities.
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "cardan/analysis/start/assembly.h"
#include "cardan/math/rotation.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

class SpatialGuesses : public testing::TestWithParam<const char*> {};

// Positions off by 40 % of the size, orientations by up to 60 degrees about any axis.
TEST_P(SpatialGuesses, FarOffAssembleInNinetyNineOfAHundredCases) {
  const System system = test::system_of(test::model_file(GetParam()));
  const int trials = std::getenv("CARDAN_FULL") != nullptr ? 1000 : 50;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int assembled = 0;
  for (int k = 0; k < trials; ++k) {
    State guess = system.given_state();
    std::vector<double> shift(guess.v.size());
    for (int b = 0; b < system.body_count(); ++b) {
      for (int i = 0; i < 3; ++i)
        shift[static_cast<std::size_t>(6 * b + i)] = uniform(random) * 0.8 * system.length();
      const Vec<3> turn = Vec<3>(uniform(random), uniform(random), uniform(random)).normalized() *
                          (uniform(random) * std::numbers::pi / 3);
      for (int i = 0; i < 3; ++i) shift[static_cast<std::size_t>(6 * b + 3 + i)] = turn[i];
    }
    std::vector<double> moved(guess.q.size());
    system.advance(guess.q, shift, moved);
    guess.q = moved;
    const Assembly a = assemble(system, 0, guess);
    assembled += a.ok && a.max_position < 1e-10 * system.length() + 1e-13 ? 1 : 0;
  }
  EXPECT_GE(assembled, std::ceil(0.99 * trials));
}

INSTANTIATE_TEST_SUITE_P(Models,
                         SpatialGuesses,
                         testing::Values("heavy-top",
                                         "spatial-slider-crank",
                                         "spatial-four-bar",
                                         "flyball-governor",
                                         "gyroscope",
                                         "universal-train",
                                         "bennett",
                                         "spherical-chain"));

Assembly assembled(const std::string& more) {
  const System system = test::system_of(test::model_of(R"(space = "spatial"
[[body]]
name = "top"
at = [0.1, 0.2, 0.3]
mass = 1
centre = [0, 0, 0.5]
inertia = [1, 1, 0.5]
)" + more));
  return assemble(system, 0, system.given_state());
}

constexpr const char* ball =
    "[[joint]]\ntype = \"spherical\"\nbetween = [\"ground\", \"top\"]\n"
    "points = [[0, 0, 0], [0, 0, 0]]\n";

// The initial conditions move the bodies from where they are drawn, and nothing else is to be said.
bool only_moved(const Diagnostics& notes) {
  return std::all_of(
      notes.begin(), notes.end(), [](const Diagnostic& d) { return d.id == "assembly.moved"; });
}

TEST(SpatialInitial, OrientationAndAngularVelocityArePrescribed) {
  const Vec<3> omega(0.3, -2, 1.5);
  const Quaternion wanted = quaternion_of_vector(Vec<3>(0.4, -0.7, 0.9));
  for (const bool in_body : {false, true}) {
    const Assembly a = assembled(
        std::string(ball) +
        fmt::format("[[initial]]\nbody = \"top\"\norientation = {{ quaternion = [{:.17g}, {:.17g}, "
                    "{:.17g}, {:.17g}] }}\nangular_velocity{} = [0.3, -2, 1.5]\n",
                    wanted[0],
                    wanted[1],
                    wanted[2],
                    wanted[3],
                    in_body ? "_body" : ""));
    ASSERT_TRUE(a.ok);
    EXPECT_TRUE(only_moved(a.notes));
    const Quaternion e(a.state.q.data() + 3);
    EXPECT_NEAR(std::abs(e.dot(wanted)), 1, 1e-13);
    const Mat<3, 3> A = matrix_of_quaternion(wanted);
    const Vec<3> w(a.state.v.data() + 3);
    EXPECT_LT((w - (in_body ? omega : Vec<3>(A.transpose() * omega))).norm(), 1e-12);
  }
}

TEST(SpatialInitial, FixedGuessesOfOrientation) {
  const Assembly a = assembled(R"(orientation = { axis = [1, 2, 3], angle = 1.1 }
angular_velocity = [1, 2, 3]
fixed = ["orientation", "angular_velocity"]
)" + std::string(ball));
  ASSERT_TRUE(a.ok);
  EXPECT_TRUE(only_moved(a.notes));
  const Quaternion wanted = quaternion_of_vector(1.1 * Vec<3>(1, 2, 3).normalized());
  EXPECT_NEAR(std::abs(Quaternion(a.state.q.data() + 3).dot(wanted)), 1, 1e-13);
  EXPECT_LT((Vec<3>(a.state.v.data() + 3) - Vec<3>(1, 2, 3)).norm(), 1e-12);
}

// Rolling binds velocities alone: five positions are free, and three velocities.
TEST(SpatialInitial, PositionsOfARollingBodyAreFree) {
  const Assembly a = assembled(R"([[joint]]
type = "rolling-sphere"
between = ["ground", "top"]
points = [[0, 0, 0], [0, 0, 0]]
axis = [0, 0, 1]
radius = 0.3
[[initial]]
body = "top"
x = 0.4
y = -0.2
orientation = { axis = [1, 0, 0], angle = 0.3 }
angular_velocity = [1, 0, 0]
)");
  ASSERT_TRUE(a.ok);
  EXPECT_TRUE(only_moved(a.notes));
  EXPECT_EQ(a.mobility.dof_here, 3);
}

TEST(SpatialInitial, MoreThanAHingeLeavesIsToldWithItsLine) {
  const Assembly a = assembled(R"(fixed = ["angular_velocity"]
angular_velocity = [0, 0, 2]
[[joint]]
type = "revolute"
between = ["ground", "top"]
points = [[0, 0, 0], [0, 0, 0]]
axis = [0, 0, 1]
)");
  ASSERT_TRUE(a.ok);
  EXPECT_NEAR(a.state.v[5], 2, 1e-12);
  int told = 0;
  for (const auto& d : a.notes) told += d.id == "model.overdetermined-initial" ? 1 : 0;
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace cardan
