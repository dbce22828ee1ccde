// A mechanism does not know where it is drawn: the same in a rotated and shifted frame with its
// bodies in another order, and planar mechanisms run in space.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/start/assembly.h"
#include "cardan/element/embed.h"
#include "test/verify/spatial_support.h"

namespace cardan {
namespace {

using test::Memory;

struct Motion3 {  // x -> A x + s
  Mat<3, 3> A;
  Vec<3> s;

  Triple point(const Triple& p) const { return triple(A * Vec<3>(p.data()) + s); }

  Triple direction(const Triple& p) const { return triple(A * Vec<3>(p.data())); }

  static Triple triple(const Vec<3>& p) { return {p.x(), p.y(), p.z()}; }
};

Model moved(Model model, const Motion3& m) {
  const Quaternion turn = quaternion_of_matrix(m.A);
  model.gravity = m.direction(model.gravity);
  for (Body& b : model.bodies) {
    b.at = m.point(b.at);
    b.velocity = m.direction(b.velocity);
    const Quaternion e = quaternion_product(turn, Quaternion(b.orientation.data()));
    b.orientation = {e[0], e[1], e[2], e[3]};
  }
  for (auto* list : {&model.joints, &model.drivers, &model.forces, &model.initial})
    for (Element& e : *list)
      for (Side& side : e.sides)
        if (side.body == ground) {
          side.point = m.point(side.point);
          side.axis = m.direction(side.axis);
          side.across = m.direction(side.across);
        }
  return model;
}

Model relabelled(Model model) {  // bodies and joints in the opposite order
  std::reverse(model.bodies.begin(), model.bodies.end());
  std::reverse(model.joints.begin(), model.joints.end());
  const int n = static_cast<int>(model.bodies.size());
  for (auto* list : {&model.joints, &model.drivers, &model.forces, &model.initial, &model.requests})
    for (Element& e : *list)
      for (Side& side : e.sides)
        if (side.body != ground) side.body = n - 1 - side.body;
  return model;
}

class FrameOf : public testing::TestWithParam<const char*> {};

TEST_P(FrameOf, TheDrawingDoesNotMatter) {
  Model model = test::model_file(GetParam());
  test::tighten(model, 1e-13, "dop853");
  test::dynamic(model).until = 0.3;
  test::dynamic(model).output_step = 0.1;
  const Motion3 m{matrix_of_quaternion(quaternion_about({1, -2, 0.5}, 1.1)), {0.3, -0.7, 0.4}};
  Memory here, there;
  ASSERT_EQ(run_model(model, here, {}).summary.status, "complete");
  ASSERT_EQ(run_model(relabelled(moved(model, m)), there, {}).summary.status, "complete");
  ASSERT_EQ(here.rows.size(), there.rows.size());
  for (std::size_t row = 0; row < here.rows.size(); ++row)
    for (const Body& b : model.bodies) {
      const Vec<3> x = test::vector(here, b.name + ".", row),
                   y = test::vector(there, b.name + ".", row);
      EXPECT_LT((m.A * x + m.s - y).norm(), 1e-10) << b.name << " at " << here.times[row];
      const Vec<3> w = test::vector(here, b.name + ".omega_", row),
                   u = test::vector(there, b.name + ".omega_", row);
      EXPECT_LT((m.A * w - u).norm(), 1e-10 * (1 + 10 * w.norm())) << b.name;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Spatial,
    FrameOf,
    testing::Values("spatial-slider-crank", "spatial-four-bar", "universal-train", "bennett"),
    [](const auto& tested) {
      std::string name = tested.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

class InSpace : public testing::TestWithParam<const char*> {};

void expect_same_motion(Model planar) {
  test::tighten(planar, 1e-13, "dop853");
  test::dynamic(planar).until = std::min(test::dynamic(planar).until, 0.5);
  test::dynamic(planar).output_step = 0.1;
  test::dynamic(planar).formulation = "projected";
  const Embedded embedded = embed_in_space(planar);
  ASSERT_TRUE(embedded.faults.empty()) << to_text(embedded.faults.front());
  Memory plane, space;
  const Outcome first = run_model(planar, plane, {}), second = run_model(embedded.model, space, {});
  ASSERT_EQ(first.summary.status, "complete");
  ASSERT_EQ(second.summary.status, "complete");
  EXPECT_EQ(first.summary.dof, second.summary.dof);
  for (std::size_t row = 0; row < plane.rows.size(); ++row)
    for (const Body& b : planar.bodies) {
      for (const char* k : {".x", ".y", ".vx", ".vy"}) {
        const double expected = plane.value(b.name + k, row);
        EXPECT_NEAR(space.value(b.name + k, row), expected, 1e-10 * (1 + std::abs(expected)))
            << b.name << k;
      }
      EXPECT_NEAR(space.value(b.name + ".z", row), 0, 1e-10);
      EXPECT_NEAR(space.value(b.name + ".omega_z", row),
                  plane.value(b.name + ".omega", row),
                  1e-9 * (1 + std::abs(plane.value(b.name + ".omega", row))));
      const Quaternion e = test::quaternion(space, b.name, row);
      const double angle = plane.value(b.name + ".angle", row);
      EXPECT_LT(std::abs(std::sin(std::atan2(e[3], e[0]) - angle / 2)), 1e-10) << b.name;
    }
}

TEST_P(InSpace, APlanarModelMovesAsInThePlane) {
  expect_same_motion(test::model_file(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Spatial,
                         InSpace,
                         testing::Values("pendulum",
                                         "four-bar",
                                         "n-four-bar",
                                         "slider-crank",
                                         "double-pendulum",
                                         "quick-return",
                                         "cam-follower",
                                         "gear-train",
                                         "parallelogram",
                                         "doc000-pendulum"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

const std::string wheel_and_plate = R"(gravity = [1, -9.81]
[[body]]
name = "plate"
mass = 2
inertia = 0.1
[[joint]]
type = "translational"
name = "guide"
between = ["ground", "plate"]
at = [0, 0]
axis = [1, 0.2]
[[body]]
name = "wheel"
at = [0.3, 0.5]
angle = 0.4
mass = 1
inertia = 0.05
velocity = [1, 0]
)";

TEST(InSpace, RackAndPinion) {
  expect_same_motion(test::model_of(wheel_and_plate + R"([[joint]]
type = "revolute"
name = "axle"
between = ["ground", "wheel"]
at = [0.3, 0.5]
[[joint]]
type = "rack-and-pinion"
name = "mesh"
between = ["wheel", "plate"]
at = [[0.3, 0.5], [0, 0]]
axis = [1, 0.2]
radius = 0.25
)"));
}

TEST(InSpace, Rolling) {
  expect_same_motion(test::model_of(wheel_and_plate + R"([[joint]]
type = "rolling"
name = "contact"
between = ["plate", "wheel"]
at = [0, 0]
axis = [1, 0.2]
radius = 0.25
)"));
}

TEST(InSpace, CamsAndCurves) {
  const std::string curves = R"([[curve]]
name = "oval"
type = "ellipse"
half_axes = [0.3, 0.2]
[[curve]]
name = "round"
type = "circle"
radius = 0.2
centre = [0.05, 0]
)";
  const std::string axles = R"([[joint]]
type = "revolute"
name = "axle"
between = ["ground", "wheel"]
at = [0.3, 0.5]
)";
  expect_same_motion(test::model_of(wheel_and_plate + curves + axles + R"([[joint]]
type = "cam-cam"
name = "contact"
between = ["wheel", "plate"]
points = [[0, 0], [0, 0]]
curves = ["oval", "round"]
)"));
  expect_same_motion(test::model_of(wheel_and_plate + curves + R"([[joint]]
type = "point-on-curve"
name = "track"
between = ["plate", "wheel"]
points = [[0.3, 0.3], [0, 0]]
axis = [1, 0]
curve = "oval"
)"));
}

// Three equations of a closed plane loop are redundant in space, and the report says why.
TEST(Spatial, PlaneLoopsSayWhyTheyAreRedundant) {
  Model planar = test::model_of(test::four_bar(2, 2));
  const Embedded embedded = embed_in_space(planar);
  Memory run;
  const Outcome out = run_model(embedded.model, run, {});
  EXPECT_EQ(out.mobility.dof, 1);
  ASSERT_EQ(out.mobility.redundant.size(), 3U);
  for (const auto& r : out.mobility.redundant) {
    EXPECT_TRUE(r.structural);
    EXPECT_NE(r.reason.find("normal (0, 0, 1)"), std::string::npos) << r.reason;
  }
  EXPECT_NE(out.mobility_words.find("a plane mechanism in space"), std::string::npos);
}

// Two chains of three parallel hinges, in planes across each other, lead a platform straight up:
// one equation is redundant, and no plane is the reason.
TEST(Spatial, SarrusLinkageIsNoPlaneMechanism) {
  std::string text = "space = \"spatial\"\ngravity = [0, 0, -9.81]\n";
  const auto body = [&](const std::string& name, double x, double y, double z) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nat = [{}, {}, {}]\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n",
        name,
        x,
        y,
        z);
  };
  const auto hinge = [&](const std::string& between, double r, double z, bool along_y) {
    text += fmt::format(
        "[[joint]]\ntype = \"revolute\"\nbetween = [{}]\nat = [{}, {}, {}]\naxis = {}\n",
        between,
        along_y ? r : 0,
        along_y ? 0 : r,
        z,
        along_y ? "[0, 1, 0]" : "[1, 0, 0]");
  };
  body("platform", 0, 0, 0.8);
  for (const bool along_y : {true, false}) {
    const std::string low = along_y ? "low x" : "low y", high = along_y ? "high x" : "high y";
    body(low, along_y ? 0.65 : 0, along_y ? 0 : 0.65, 0.2);
    body(high, along_y ? 0.65 : 0, along_y ? 0 : 0.65, 0.6);
    hinge("\"ground\", \"" + low + "\"", 0.5, 0, along_y);
    hinge("\"" + low + "\", \"" + high + "\"", 0.8, 0.4, along_y);
    hinge("\"" + high + "\", \"platform\"", 0.5, 0.8, along_y);
  }
  const System system = test::system_of(test::model_of(text));
  const Assembly a = assemble(system, 0, system.given_state());
  ASSERT_TRUE(a.ok);
  EXPECT_EQ(a.mobility.dof, 1);
  ASSERT_EQ(a.mobility.redundant.size(), 1U);
  EXPECT_EQ(a.mobility.redundant[0].reason.find("plane"), std::string::npos)
      << a.mobility.redundant[0].reason;
}

}  // namespace
}  // namespace cardan
