// What the drawing is told about a model.
#include "cardan/io/scene.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/io/read_text.h"

namespace cardan {
namespace {

using Json = nlohmann::ordered_json;

const std::string mechanism = R"(
title = "Scene"
gravity = [0, "-9.81 m/s^2"]
[ground]
shape = { hatch = [[0, 0], [1, 0]] }
[[body]]
name = "bar"
from = [1, 1]
to   = [1, 3]
mass = 3
[[body]]
name  = "wheel"
at    = [2, 0]
mass  = 1
shape = { disc = "0.5 m", colour = "#aa3300" }
[[joint]]
type = "revolute"
name = "pin"
between = ["ground", "bar"]
at = [1, 1]
[[force]]
type = "spring"
name = "coil"
between = ["bar", "wheel"]
at = [[1, 3], [2, 0]]
stiffness = "2 N/mm"
damping = "5 N*s/m"
free_length = "1 m"
[[force]]
type = "force"
name = "push"
body = "wheel"
at = [2, 0]
value = [1, 0]
[[request]]
type = "point"
name = "tip"
body = "bar"
at = [1, 3]
)";

Json scene_of_text(const std::string& text) {
  return scene_of(read_good(text));
}

std::vector<double> numbers(const Json& list) {
  return list.get<std::vector<double>>();
}

TEST(Scene, SaysWhereEverythingIs) {
  const Json scene = scene_of_text(mechanism);
  EXPECT_EQ(scene["title"], "Scene");
  EXPECT_EQ(scene["space"], "planar");
  EXPECT_EQ(numbers(scene["gravity"])[1], -9.81);
  ASSERT_EQ(scene["bodies"].size(), 2u);
  const Json& bar = scene["bodies"][0];
  EXPECT_EQ(bar["name"], "bar");
  EXPECT_EQ(bar["pose"], (Json{"bar.x", "bar.y", "bar.angle"}));
  EXPECT_EQ(bar["line"], 6);
  const auto start = numbers(bar["start"]);
  EXPECT_EQ(start[0], 1.0);
  EXPECT_EQ(start[1], 1.0);
  EXPECT_NEAR(start[2], std::acos(-1.0) / 2, 1e-15);
}

TEST(Scene, BarsAreDrawnBetweenTheirEndsAndShapesKeepTheirColour) {
  const Json scene = scene_of_text(mechanism);
  const Json& bar = scene["bodies"][0]["shapes"];
  ASSERT_EQ(bar.size(), 1u);
  EXPECT_EQ(bar[0]["kind"], "bar");
  EXPECT_NEAR(numbers(bar[0]["points"][1])[0], 2.0, 1e-15);  // in the bar's own frame
  EXPECT_NEAR(numbers(scene["bodies"][0]["centre"])[0], 1.0, 1e-15);
  const Json& disc = scene["bodies"][1]["shapes"][0];
  EXPECT_EQ(disc["kind"], "disc");
  EXPECT_EQ(numbers(disc["sizes"])[0], 0.5);
  EXPECT_EQ(disc["colour"], "#aa3300");
  EXPECT_EQ(scene["ground"][0]["kind"], "hatch");
}

TEST(Scene, JointsSpringsAndForcesStandAtTheirPoints) {
  const Json scene = scene_of_text(mechanism);
  ASSERT_EQ(scene["joints"].size(), 1u);
  const Json& pin = scene["joints"][0];
  EXPECT_EQ(pin["type"], "revolute");
  EXPECT_EQ(pin["sides"][0]["body"], "ground");
  EXPECT_EQ(numbers(pin["sides"][0]["point"])[1], 1.0);
  EXPECT_EQ(pin["sides"][1]["body"], "bar");
  EXPECT_NEAR(numbers(pin["sides"][1]["point"])[0], 0.0, 1e-15);
  ASSERT_EQ(scene["springs"].size(), 1u);
  EXPECT_EQ(numbers(scene["springs"][0]["sizes"]), (std::vector<double>{2000, 5}));
  EXPECT_NEAR(numbers(scene["springs"][0]["sides"][0]["point"])[0], 2.0, 1e-15);
  ASSERT_EQ(scene["forces"].size(), 1u);
  EXPECT_EQ(scene["forces"][0]["name"], "push");
}

TEST(Scene, PathsThatWereAskedForHaveTheirPoint) {
  const Json points = scene_of_text(mechanism)["points"];
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0]["name"], "tip");
  EXPECT_EQ(points[0]["body"], "bar");
  EXPECT_NEAR(numbers(points[0]["point"])[0], 2.0, 1e-15);
}

TEST(Scene, CamsAreClosedLinesAndGearsHaveRadii) {
  const Json scene = scene_of_text(two_bodies + R"(
[[curve]]
name = "round"
type = "circle"
radius = 2
centre = [1, 0]
[[joint]]
type = "cam-flat"
name = "cam"
between = ["b", "a"]
curve = "round"
at = [1, 1]
axis = [1, 0]
[[joint]]
type = "gear"
name = "mesh"
between = ["a", "b"]
at = [[1, 1], [2, 0]]
radii = [0.5, 0.25]
)");
  const Json& cam = scene["joints"][0];
  ASSERT_EQ(cam["curves"].size(), 1u);
  EXPECT_GE(cam["curves"][0].size(), 100u);
  for (const Json& p : cam["curves"][0])
    EXPECT_NEAR(std::hypot(numbers(p)[0] - 1, numbers(p)[1]), 2, 1e-12);
  EXPECT_NE(cam["curves"][0].front(), cam["curves"][0].back());  // not the first point again
  EXPECT_EQ(numbers(scene["joints"][1]["sizes"]), (std::vector<double>{0.5, 0.25}));
}

TEST(Scene, SpatialShapesKeepWhatTheyAre) {
  const Json scene = scene_of_text(R"(
title = "Solids"
space = "spatial"
[[body]]
name = "ring"
mass = 1
inertia = [1, 1, 1]
shape = [{ tube = ["105 mm", "95 mm"], length = "10 mm", axis = [1, 0, 0] },
         { cone = "0.25 m", ends = [[0, 1.2, 0], [0, 0, 0]] },
         { box = [4, 2, 1], orientation = { axis = [0, 0, 1], angle = "90 deg" } }]
)");
  const Json& shapes = scene["bodies"][0]["shapes"];
  EXPECT_EQ(scene["space"], "spatial");
  EXPECT_EQ(scene["bodies"][0]["pose"].back(), "ring.qz");
  EXPECT_EQ(shapes[0]["kind"], "tube");
  EXPECT_EQ(numbers(shapes[0]["sizes"]), (std::vector<double>{0.105, 0.095}));
  EXPECT_EQ(shapes[1]["kind"], "cone");
  EXPECT_EQ(numbers(shapes[1]["points"][1]), (std::vector<double>{0, 0, 0}));  // the tip
  EXPECT_NEAR(numbers(shapes[2]["orientation"])[3], std::sqrt(0.5), 1e-15);
  EXPECT_FALSE(shapes[0].contains("orientation"));
}

}  // namespace
}  // namespace cardan
