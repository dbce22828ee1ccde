// The equations of friction that sticks, and the direction of friction that slides.
#include "cardan/element/contact/sticking.h"

#include <gtest/gtest.h>

#include "test/element/derivatives.h"

namespace cardan::test {
namespace {

using Slide = FrictionElement::Slide;

FrictionElement rubbing(Slide slide) {
  FrictionElement e;
  e.slide = slide;
  e.body = {0, 1};
  e.point = {Vec<3>(0.3, -0.7, 0.2), Vec<3>(-0.4, 0.2, 0.5)};
  e.axis = {0.6, 0.9, 0.4};
  e.across = {0.5, -0.4, 0.1};
  e.radius = 0.25;
  e.law = {0.3, 0.5, 0, 1e-3, FrictionLaw::Kind::coulomb, 1e-8};
  return e;
}

TEST(Sticking, equations_in_the_plane_have_their_derivatives) {
  ConstraintSet set(2);
  for (const Slide slide : {Slide::turn, Slide::shift, Slide::line, Slide::circle})
    add_sticking(set, rubbing(slide), 1);
  check_constraints(set, 2);
}

TEST(Sticking, equations_in_space_have_their_derivatives) {
  ConstraintSet set(3);
  for (const Slide slide : {Slide::turn,
                            Slide::shift,
                            Slide::line,
                            Slide::circle,
                            Slide::barrel,
                            Slide::twist,
                            Slide::ball})
    add_sticking(set, rubbing(slide), spatial_ways(rubbing(slide)));
  check_constraints(set, 2);
}

// Up to the event that ends the sliding, and beyond it within a step, the force goes on smoothly.
TEST(Sticking, force_keeps_its_direction_beyond_the_stop) {
  std::mt19937 random(5);
  FrictionSet set(3);
  set.add(rubbing(Slide::line));
  RandomState state = random_state(3, 2, random);
  std::vector<double> d(24), s(2), before(12), after(12);
  set.tangents(0, state.motion(), d, s);
  Sliding sliding;
  sliding.u = Vec<3>(s[0], s[1], 0).normalized();
  set.direction(0, state.motion(), sliding, before);
  state.v = -1e-3 * state.v;
  set.direction(0, state.motion(), sliding, after);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(before[k], after[k], 1e-5);
  sliding.mode = Sliding::sticks;
  set.direction(0, state.motion(), sliding, after);
  for (const double x : after) EXPECT_EQ(x, 0);
}

}  // namespace
}  // namespace cardan::test
