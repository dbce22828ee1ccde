// Where coordinates stand, and what formulas read: states, inputs, requests of them and their
// rates.
#include "cardan/system/motion_solver.h"
#include "test/mechanisms.h"

namespace cardan {
namespace {

const std::string rotor =
    "gravity = [0, 0]\n"
    "[[body]]\nname='rotor'\nmass=1\ninertia=0.5\n"
    "[[joint]]\ntype='revolute'\nname='axle'\nbetween=['ground','rotor']\nat=[0,0]\n"
    "[[request]]\nname='phi'\njoint='axle'\n";

double request(const System& system, const Workspace& w, std::string_view name, bool rate) {
  for (std::size_t k = 0; k < system.requests().size(); ++k)
    if (system.requests()[k].name == name) return rate ? w.request_rate[k] : w.request_value[k];
  ADD_FAILURE() << "no request " << name;
  return 0;
}

TEST(Layout, OffsetsOfBodies) {
  Layout planar;
  planar.add_planar();
  planar.add_planar();
  EXPECT_EQ(planar.q_size(), 6);
  EXPECT_EQ(planar.q(1), 3);
  EXPECT_EQ(planar.v_rotation(1), 5);
  EXPECT_EQ(planar.moved_by(4).first, 4);
  EXPECT_EQ(planar.moved_by(4).count, 1);
  EXPECT_TRUE(planar.turns(5));
  EXPECT_FALSE(planar.turns(4));
  Layout spatial;
  spatial.add_spatial();
  spatial.add_spatial();
  EXPECT_EQ(spatial.q_size(), 14);
  EXPECT_EQ(spatial.v_size(), 12);
  EXPECT_EQ(spatial.q(1), 7);
  EXPECT_EQ(spatial.v(1), 6);
  EXPECT_EQ(spatial.q_rotation(1), 10);
  EXPECT_EQ(spatial.moved_by(7).first, 8);
  EXPECT_EQ(spatial.moved_by(10).first, 10);  // any part of omega moves all of the quaternion
  EXPECT_EQ(spatial.moved_by(10).count, 4);
  EXPECT_EQ(spatial.place_of_q(8).body, 1);
  EXPECT_EQ(spatial.place_of_q(8).local, 1);
}

// r = x^2 phi with x' = u - x: r' = 2 x x' phi + x^2 phi'. The order in the file does not matter.
TEST(States, RatesOfRequestsFollowTheChainRule) {
  const System system = test::system_of(
      test::model_of(rotor + "[[request]]\nname='twice'\ntype='expression'\nvalue='2*rate(x) + r'\n"
                             "[[request]]\nname='r'\ntype='expression'\nvalue='x^2*phi'\n"
                             "[[state]]\nname='x'\ninitial=3\nrate='(u - x)/(2 s)'\n"
                             "[[input]]\nname='u'\nvalue=5\n"
                             "[[input]]\nname='w'\nmotion='sin(2*t)'\n"));
  State state = system.given_state();
  ASSERT_EQ(state.z.size(), 4u);
  EXPECT_EQ(state.z[3], 3);
  EXPECT_FALSE(system.set_input(state, "u", 7));
  state.q[2] = 0.4;
  state.v[2] = 1.5;
  Workspace w = system.workspace();
  system.use(state, w);
  system.rotations(state.q, w);
  system.evaluate_forces(0.3, state.q, state.v, w);
  const double x = 3, dx = (7 - x) / 2;
  EXPECT_DOUBLE_EQ(request(system, w, "x", true), dx);
  EXPECT_DOUBLE_EQ(request(system, w, "r", false), x * x * 0.4);
  EXPECT_DOUBLE_EQ(request(system, w, "r", true), 2 * x * dx * 0.4 + x * x * 1.5);
  EXPECT_DOUBLE_EQ(request(system, w, "twice", false), 2 * dx + x * x * 0.4);
  EXPECT_DOUBLE_EQ(request(system, w, "w", false), std::sin(0.6));
  EXPECT_DOUBLE_EQ(request(system, w, "w", true), 2 * std::cos(0.6));
  std::vector<double> z_dot(4), lambda(2);
  system.state_rates(0.3, state.q, state.v, lambda, w, z_dot);
  EXPECT_DOUBLE_EQ(z_dot[3], dx);
}

// Points have further coordinates behind the states and inputs, in the plane and in space.
TEST(States, StandBesideThePointsOfRequests) {
  for (const bool spatial : {false, true}) {
    ReadOptions options;
    options.spatial = spatial;
    auto model = read_model_text(
        rotor +
            "[[request]]\nname='p'\ntype='point'\nbody='rotor'\npoint=[3, 4]\n"
            "[[request]]\nname='q'\ntype='point'\nbody='rotor'\npoint=[5, 6]\n"
            "[[state]]\nname='a'\nunit='m'\ninitial=10\nrate='p.y/(1 s)'\n"
            "[[state]]\nname='b'\nunit='m'\ninitial=20\nrate='u/(1 s)'\n"
            "[[input]]\nname='u'\nunit='m'\nvalue=100\n"
            "[[request]]\nname='sum'\ntype='expression'\nvalue='a + 2*b + 3*u + 4*q.y + 5*p.x'\n",
        "test.toml",
        options);
    ASSERT_TRUE(model);
    const System system = test::system_of(model.value());
    const State state = system.given_state();
    Workspace w = system.workspace();
    system.rotations(state.q, w);
    system.evaluate_forces(0, state.q, state.v, w);
    EXPECT_DOUBLE_EQ(request(system, w, "sum", false), 10 + 40 + 300 + 24 + 15);
    EXPECT_DOUBLE_EQ(request(system, w, "sum", true), 4 + 2 * 100);
  }
}

TEST(States, WhatIsAQuadrature) {
  const System system = test::system_of(
      test::model_of(rotor + "[[state]]\nname='energy'\nunit='J'\nrate='push*rate(phi)'\n"
                             "[[state]]\nname='lag'\nrate='(phi - lag)/(1 s)'\n"
                             "[[state]]\nname='shown'\nrate='phi/(1 s)'\n"
                             "[[state]]\nname='used'\nrate='phi/(1 s)'\n"
                             "[[request]]\nname='push'\ntype='expression'\nvalue='1 N*m*used'\n"
                             "[[request]]\nname='twice'\ntype='expression'\nvalue='2*shown'\n"
                             "[[force]]\ntype='torque'\nbody='rotor'\nvalue='push'\n"));
  const auto& entries = system.states().entries();
  ASSERT_EQ(entries.size(), 7u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(entries[k].quadrature) << entries[k].label;
  EXPECT_FALSE(entries[3].quadrature);  // its rate depends on `used`
  EXPECT_FALSE(entries[4].quadrature);
  EXPECT_TRUE(entries[5].quadrature);
  EXPECT_FALSE(entries[6].quadrature);
  EXPECT_EQ(system.states().first_coupled()->label, "state 'energy'");
}

TEST(Inputs, OnlyKnownOnesCanBeSet) {
  const System system = test::system_of(test::model_of(
      rotor + "[[input]]\nname='lever'\nvalue=1\n[[input]]\nname='ramp'\nmotion='2*t'\n"));
  State state = system.given_state();
  const auto unknown = system.set_input(state, "leaver", 2);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->id, "model.unknown-name");
  EXPECT_EQ(unknown->hint, "did you mean 'lever'?");
  const auto moving = system.set_input(state, "ramp", 2);
  ASSERT_TRUE(moving);
  EXPECT_EQ(moving->id, "model.bad-value");
  EXPECT_FALSE(system.set_input(state, "lever", 2));
  EXPECT_EQ(state.u, (std::vector<double>{2, 0}));
}

}  // namespace
}  // namespace cardan
