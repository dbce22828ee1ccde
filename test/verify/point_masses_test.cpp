// Point masses and bars without inertia about their own axis move as those with any inertia do,
// where nothing turns them; a rotation that something sees keeps its lack of inertia.
#include <cmath>

#include <fmt/format.h>

#include "test/verify/support.h"

namespace cardan {
namespace {

Outcome run(const std::string& text, test::Memory& memory) {
  const Model model = test::model_of(text + "[[analysis]]\ntype='dynamic'\nuntil=1\nrtol=1e-9\n");
  return run_model(model, memory, {});
}

// Three masses: held by distances, by a spring, by a damper to the ground.
std::string net(double inertia) {
  std::string text = "gravity=[0,-9.81]\n";
  const double x[] = {1, 1.8, 1.4}, y[] = {0, 0.3, -0.9};
  for (int k = 0; k < 3; ++k)
    text += fmt::format("[[body]]\nname='m{}'\nmass={}\ninertia={}\nat=[{},{}]\n",
                        k,
                        1 + 0.5 * k,
                        inertia,
                        x[k],
                        y[k]);
  return text +
         "[[joint]]\ntype='distance'\nname='a'\nbetween=['ground','m0']\npoints=[[0,0],[0,0]]\n"
         "[[joint]]\ntype='distance'\nname='b'\nbetween=['m0','m1']\npoints=[[0,0],[0,0]]\n"
         "[[force]]\ntype='spring'\nname='s'\nbetween=['m1','m2']\npoints=[[0,0],[0,0]]\n"
         "stiffness=100\nfree_length=1\ndamping=1\n";
}

TEST(PointMasses, HeldByDistancesAndSprings) {
  test::Memory points, bodies;
  const Outcome one = run(net(0), points), other = run(net(0.3), bodies);
  ASSERT_EQ(one.summary.status, "complete") << to_text(one.summary.diagnostics);
  ASSERT_EQ(other.summary.status, "complete");
  for (const char* channel : {"m0.x", "m1.y", "m2.x", "m2.y", "m2.vx", "energy.kinetic"})
    EXPECT_NEAR(points.last(channel), bodies.last(channel), 1e-7) << channel;
  EXPECT_EQ(points.last("m1.angle"), 0);
}

// A rod between two ball joints: no inertia about its axis, and nothing that turns it.
std::string rod(double about_axis) {
  return fmt::format(
      "space='spatial'\ngravity=[0,0,-9.81]\n"
      "[[body]]\nname='rod'\nmass=1\nat=[0.5,0,0]\ninertia=[{},0.1,0.1]\n"
      "[[body]]\nname='bob'\nmass=2\nat=[1,0,0]\ninertia=[0.2,0.2,0.2]\n"
      "[[joint]]\ntype='spherical'\nname='hook'\nbetween=['ground','rod']\nat=[0,0,0]\n"
      "[[joint]]\ntype='spherical'\nname='eye'\nbetween=['rod','bob']\nat=[1,0,0]\n",
      about_axis);
}

TEST(PointMasses, RodWithoutInertiaAboutItsAxis) {
  test::Memory slender, thick;
  const Outcome one = run(rod(0), slender), other = run(rod(0.05), thick);
  ASSERT_EQ(one.summary.status, "complete") << to_text(one.summary.diagnostics);
  ASSERT_EQ(other.summary.status, "complete");
  for (const char* channel : {"bob.x", "bob.z", "rod.vz", "energy.kinetic"})
    EXPECT_NEAR(slender.last(channel), thick.last(channel), 1e-7) << channel;
}

// Held beside its mass centre, a mass without inertia turns as the link pulls: only the pull through
// the centre is possible, and the mass swings as if the link ended there.
TEST(PointMasses, ATurnThatIsSeenKeepsItsLackOfInertia) {
  const std::string held =
      "gravity=[0,-9.81]\n[[body]]\nname='m'\nmass=1\ninertia=0\nat=[0,-1]\n"
      "[[joint]]\ntype='distance'\nname='a'\nbetween=['ground','m']\npoints=[[0.5,0],[0,0.25]]\n";
  const System system = test::system_of(test::model_of(held));
  EXPECT_EQ(system.mass().at(0, 2, 2), 0);
  const System turned = test::system_of(test::model_of(
      "gravity=[0,0]\n[[body]]\nname='m'\nmass=1\ninertia=0\nat=[0,-1]\nrate=3\n"
      "[[joint]]\ntype='distance'\nname='a'\nbetween=['ground','m']\npoints=[[0,0],[0,0]]\n"));
  EXPECT_EQ(turned.mass().at(0, 2, 2), 0);
}

}  // namespace
}  // namespace cardan
