// All equilibria of a truss that snaps through, and a linkage whose equilibrium is a singular pose.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/io/read_model.h"
#include "test/verify/support.h"

namespace cardan {
namespace {

// Two springs of 10 kN/m from (-0.5, 0) and (0.5, 0) to a mass at height y, free at y = 0.1, with a load P:
//   2 k y (l0/l - 1) = P,   l = sqrt(0.25 + y^2)
double truss_force(double y, double P) {
  const double l0 = std::sqrt(0.26);
  return 2e4 * y * (l0 / std::sqrt(0.25 + y * y) - 1) - P;
}

std::vector<EquilibriumPoint> truss(double P) {
  const std::string spring = R"(
[[force]]
type        = "spring"
between     = ["ground", "mass"]
at          = [[{}, 0], [0, 0.1]]
stiffness   = 1e4
free_length = 0.50990195135927845
)";
  const std::string text = fmt::format(R"(gravity = [0, 0]

[[body]]
name    = "mass"
at      = [0, 0.1]
mass    = 1
inertia = 1

[[joint]]
type    = "translational"
between = ["ground", "mass"]
at      = [0, 0.1]
axis    = [0, 1]

[[force]]
type  = "force"
body  = "mass"
value = [0, {}]
{}{}
[[analysis]]
type = "equilibrium"
all  = true
)",
                                       -P,
                                       fmt::format(fmt::runtime(spring), -0.5),
                                       fmt::format(fmt::runtime(spring), 0.5));
  const auto model = read_model_text(text, "truss.toml");
  EXPECT_TRUE(model) << (model ? "" : to_text(model.why()));
  if (!model) return {};
  test::Memory memory;
  const Outcome outcome = run_model(model.value(), memory, {});
  EXPECT_EQ(outcome.summary.status, "complete") << to_text(outcome.summary.diagnostics);
  return outcome.summary.equilibria;
}

void expect_kinds(double P, std::vector<std::string> kinds) {
  const auto found = truss(P);
  std::vector<std::string> told;
  for (const EquilibriumPoint& e : found) {
    told.push_back(e.kind);
    EXPECT_NEAR(truss_force(e.coordinates.front().q[1], P), 0, 1e-6) << P;  // springs: 200 N
  }
  std::sort(told.begin(), told.end());
  std::sort(kinds.begin(), kinds.end());
  EXPECT_EQ(told, kinds) << P;
}

TEST(EquilibriumAll, OfATrussThatSnapsThrough) {
  expect_kinds(0, {"stable", "stable", "maximum"});
  expect_kinds(5, {"stable", "stable", "maximum"});
  expect_kinds(10, {"stable", "stable", "maximum"});
  expect_kinds(14, {"stable", "stable", "maximum"});
  expect_kinds(20, {"stable"});  // beyond the load at which it snaps
}

// Two bars on two springs have saddles that straight walks from the drawing do not meet; a search over a
// grid of both angles knows the first six. Walks along the valleys and ridges from what was found do.
TEST(EquilibriumAll, OfTwoBarsWithSprings) {
  struct Spring {
    double x, y, point, stiffness, free_length;
  };

  struct Bars {
    double length[2], mass[2];
    Spring springs[2];
    long stable, saddles, maxima;
  };

  const Bars cases[] = {
      {{0.6397, 0.4454},
       {0.9909, 0.5874},
       {{-0.4881, 0.2746, 0.4299, 247.3, 0.2881}, {0.02141, -0.5515, 0.2928, 42.3, 0.569}},
       1,
       4,
       1},
      {{0.3036, 0.2478},
       {0.6272, 0.316},
       {{-0.0789, -0.4717, 0.2258, 268.5, 0.1216}, {0.3083, 0.6125, 0.1866, 32.66, 0.1107}},
       2,
       6,
       2}};
  for (const Bars& bars : cases) {
    std::string text = fmt::format(R"(gravity = [0, -9.81]
[[body]]
name = "upper"
from = [0, 0]
to = [{0}, 0]
mass = {2}
[[body]]
name = "lower"
from = [{0}, 0]
to = [{1}, 0]
mass = {3}
[[joint]]
type = "revolute"
between = ["ground", "upper"]
at = [0, 0]
[[joint]]
type = "revolute"
between = ["upper", "lower"]
at = [{0}, 0]
[[analysis]]
type = "equilibrium"
all = true
)",
                                   bars.length[0],
                                   bars.length[0] + bars.length[1],
                                   bars.mass[0],
                                   bars.mass[1]);
    for (const Spring& spring : bars.springs)
      text += fmt::format(R"([[force]]
type = "spring"
between = ["ground", "lower"]
points = [[{}, {}], [{}, 0]]
stiffness = {}
free_length = {}
)",
                          spring.x,
                          spring.y,
                          spring.point,
                          spring.stiffness,
                          spring.free_length);
    const auto model = read_model_text(text, "bars.toml");
    ASSERT_TRUE(model) << to_text(model.why());
    test::Memory memory;
    const Outcome outcome = run_model(model.value(), memory, {});
    EXPECT_EQ(outcome.summary.status, "complete") << to_text(outcome.summary.diagnostics);
    const auto& found = outcome.summary.equilibria;
    const auto count = [&](const char* kind) {
      return std::count_if(
          found.begin(), found.end(), [&](const auto& e) { return e.kind == kind; });
    };
    EXPECT_EQ(count("stable"), bars.stable);
    EXPECT_EQ(count("saddle"), bars.saddles);
    EXPECT_EQ(count("maximum"), bars.maxima);
  }
}

// A rod on a ball joint turns freely about itself: each of its equilibria is one of endlessly many, and
// told once.
TEST(EquilibriumAll, OfAFamilyOneIsTold) {
  const auto model = read_model_text(R"(space = "spatial"
gravity = [0, 0, -9.81]

[[body]]
name    = "rod"
at      = [0, 0, 0]
mass    = 1
centre  = [0, 0, 0.5]
inertia = [0.1, 0.1, 0.01]

[[joint]]
type    = "spherical"
between = ["ground", "rod"]
at      = [0, 0, 0]

[[force]]
type        = "spring"
between     = ["ground", "rod"]
at          = [[0.3, 0.2, 1.0], [0, 0, 1]]
stiffness   = 20
free_length = 0.5

[[analysis]]
type = "equilibrium"
all  = true
)",
                                     "rod.toml");
  ASSERT_TRUE(model) << to_text(model.why());
  test::Memory memory;
  const Outcome outcome = run_model(model.value(), memory, {});
  ASSERT_EQ(outcome.summary.status, "complete");
  std::vector<std::string> kinds;
  for (const EquilibriumPoint& e : outcome.summary.equilibria) kinds.push_back(e.kind);
  // The lowest one (neutral: the rod may turn about itself), a saddle, and two maxima, one where the
  // spring is pressed and one where it is stretched: 1 - 1 + 2 = 2, as it must be on a sphere.
  EXPECT_EQ(kinds, (std::vector<std::string>{"neutral", "saddle", "maximum", "maximum"}));
}

// Where the linkage folds flat, equations depend on each other and reactions are not determined. All
// equations hold all the same, also the one that was left out as redundant at the start. The angles of
// such a pose are known to half the digits of what closes the joints.
TEST(EquilibriumAll, NewtonsMethodFindsASingularPose) {
  double lowest = 0;
  std::vector<double> first;
  for (const char* method : {"energy", "newton", "dfp", "settling"}) {
    Model model = test::model_file("bennett");
    model.analyses.clear();
    EquilibriumOptions options;
    options.method = method;
    model.analyses.emplace_back(options);
    test::Memory memory;
    const Outcome outcome = run_model(model, memory, {});
    ASSERT_EQ(outcome.summary.status, "complete") << method;
    ASSERT_EQ(outcome.summary.equilibria.size(), 1U);
    EXPECT_EQ(outcome.summary.equilibria.front().kind, "stable");
    const double potential = outcome.summary.equilibria.front().potential;
    if (lowest == 0) lowest = potential;
    EXPECT_NEAR(potential, lowest, 1e-8 * std::abs(lowest)) << method;
    EXPECT_LT(outcome.summary.constraint.max_position, 1e-12) << method;
    std::vector<double> all;
    for (const BodyPose& pose : outcome.summary.equilibria.front().coordinates)
      all.insert(all.end(), pose.q.begin(), pose.q.end());
    if (first.empty()) first = all;
    for (std::size_t k = 0; k < all.size(); ++k)
      EXPECT_NEAR(std::abs(all[k]), std::abs(first[k]), 1e-7) << method << k;
  }
}

}  // namespace
}  // namespace cardan
