// Drivers whose velocity jumps. A rod (length 1 m, 1 kg) hangs on a cart that a table drives, without
// gravity. Between the corners of the table the rod turns at constant speed; at a corner the pin
// takes on another velocity, and the angular momentum of the rod about the pin stays:
//   omega+ = omega- - 3/2 (u+ - u-) cos(angle).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "test/verify/support.h"

namespace cardan {
namespace {

using test::Memory;

struct Listener : Memory {
  std::vector<Event> events;

  Fault event(const Event& e) override {
    if (e.kind == "impulse") events.push_back(e);
    return {};
  }
};

constexpr double until = 4;

std::string cart(const std::string& motion) {
  return "gravity=[0,0]\n"
         "[[body]]\nname='cart'\nat=[0,0]\nmass=1\ninertia=1\n"
         "[[body]]\nname='rod'\nfrom=[0,0]\nto=[0,-1]\nmass=1\n"
         "[[joint]]\ntype='translational'\nname='rail'\nbetween=['ground','cart']\naxis=[1,0]\n"
         "[[joint]]\ntype='revolute'\nname='pin'\nbetween=['cart','rod']\nat=[0,0]\n"
         "[[driver]]\njoint='rail'\nname='motor'\nmotion='" +
         motion + "'\n" +
         fmt::format("[[analysis]]\ntype='dynamic'\nuntil={}\noutput_step=0.25\n", until);
}

struct Corners {
  std::string motion;
  double omega = 0, turned = 0;  // of the rod at the end
};

Corners random_corners(std::mt19937_64& random, int count) {
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * std::uniform_real_distribution<double>(0, 1)(random);
  };
  Corners out;
  std::vector<double> times{0};
  for (int k = 0; k < count; ++k) times.push_back(uniform(0.05, until - 0.05));
  times.push_back(until + 1);
  std::sort(times.begin(), times.end());
  out.motion = "table(t";
  double x = 0, speed = 0;  // at rest before the first corner
  for (std::size_t k = 0; k < times.size(); ++k) {
    out.motion += fmt::format(",{:.17g},{:.17g}", times[k], x);
    if (k + 1 == times.size()) break;
    const double next = k == 0 ? speed : uniform(-1, 1);
    out.omega -= 1.5 * (next - speed) * std::cos(out.turned);
    speed = next;
    x += speed * (times[k + 1] - times[k]);
    out.turned += out.omega * (std::min(times[k + 1], until) - times[k]);
  }
  out.motion += ")";
  return out;
}

class DriverKink : public testing::TestWithParam<const char*> {};

TEST_P(DriverKink, KicksTheRod) {
  const std::string formulation = GetParam();
  std::mt19937_64 random(3);
  for (int round = 0; round < 6; ++round) {
    const Corners corners = random_corners(random, 1 + round);
    for (const char* integrator : {"ode45", "dop853", "adams", "radau5"}) {
      Model model = test::model_of(cart(corners.motion));
      test::dynamic(model).formulation = formulation;
      test::dynamic(model).integrator = formulation == "half-explicit" ? "auto" : integrator;
      test::dynamic(model).rtol = test::dynamic(model).atol = 1e-9;
      Listener run;
      const Outcome out = run_model(model, run, {});
      ASSERT_EQ(out.summary.status, "complete")
          << corners.motion << to_text(out.summary.diagnostics.back());
      const double turn = run.value("rod.angle", 0);
      EXPECT_NEAR(run.last("rod.omega"), corners.omega, 1e-6) << integrator << corners.motion;
      EXPECT_NEAR(run.last("rod.angle") - turn, corners.turned, 1e-6) << integrator;
      EXPECT_EQ(run.events.size(), static_cast<std::size_t>(1 + round)) << corners.motion;
      EXPECT_LT(std::abs(out.summary.energy.max_imbalance), 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formulations,
                         DriverKink,
                         testing::Values("projected",
                                         "partitioned",
                                         "hybrid",
                                         "tangent-svd",
                                         "tangent-qr",
                                         "null-space",
                                         "half-explicit",
                                         "direct",
                                         "baumgarte"));

// The pin takes on 1 m/s: 1 N*s for the cart, 1/4 N*s for the rod.
TEST(DriverKink, IsToldWithItsImpulse) {
  Model model = test::model_of(cart("table(clamp(t,0,5),0,0,1,0,5,4)"));
  Listener run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete");
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].element, "driver 'motor'");
  EXPECT_NEAR(run.events[0].t, 1, 1e-15);
  EXPECT_EQ(run.events[0].text, "0 m/s -> 1 m/s, impulse 1.25 N*s; the drivers do 0.625 J");
  EXPECT_NEAR(run.last("rod.omega"), -1.5, 1e-6);
  for (std::size_t k = 0; k < run.rows.size(); ++k)  // a row at the corner is one before it
    EXPECT_NEAR(run.value("cart.vx", k), run.times[k] > 1 ? 1 : 0, 1e-12) << run.times[k];
}

// A law whose only corner lies where the run begins: the cart starts at once, and kicks the rod.
TEST(DriverKink, AtTheVeryStartIsAnImpulse) {
  Model model = test::model_of(cart("0.5*abs(sin(0.5*t))"));
  Listener run;
  const Outcome out = run_model(model, run, {});
  ASSERT_EQ(out.summary.status, "complete") << to_text(out.summary.diagnostics.back());
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].t, 0);
  EXPECT_NEAR(run.value("rod.omega", 0), -1.5 * 0.25, 1e-6);
}

// Backwards the same impulses act the other way round.
TEST(DriverKink, IsUndoneBackwards) {
  Model model = test::model_of(cart("table(clamp(t,0,5),0,0,1,0,2,1,5,-2)") +
                               "[[analysis]]\ntype='dynamic'\nuntil=0.5\n");
  for (auto& analysis : model.analyses) {
    auto& options = std::get<DynamicOptions>(analysis);
    options.rtol = options.atol = 1e-10;
  }
  Listener run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  EXPECT_EQ(run.events.size(), 4u);
  EXPECT_NEAR(run.last("rod.omega"), 0, 1e-8);
  EXPECT_NEAR(run.last("rod.angle"), run.value("rod.angle", 0), 1e-8);
}

// A cart driven against a block that rests on it: both have the velocity of the driver behind the
// corner, and the block leaves the cart where the driver brakes.
TEST(DriverKink, IsAnImpactOfWhatIsClosed) {
  Model model = test::model_of(
      "gravity=[0,0]\n"
      "[[body]]\nname='cart'\nat=[0,0]\nmass=1\ninertia=1\n"
      "[[body]]\nname='block'\nat=[1,0]\nmass=2\ninertia=1\n"
      "[[joint]]\ntype='translational'\nname='rail'\nbetween=['ground','cart']\naxis=[1,0]\n"
      "[[joint]]\ntype='translational'\nname='gap'\nbetween=['cart','block']\nat=[0,0]\naxis=[1,0]"
      "\n"
      "[[stop]]\njoint='gap'\nname='bumper'\nlower=0\n"
      "[[driver]]\njoint='rail'\nname='motor'\nmotion='table(t,0,0,1,0,2,1,9,1)'\n"
      "[[analysis]]\ntype='dynamic'\nuntil=3\noutput_step=0.5\n");
  Listener run;
  ASSERT_EQ(run_model(model, run, {}).summary.status, "complete");
  EXPECT_EQ(run.events.size(), 2u);
  EXPECT_NEAR(run.last("block.vx"), 1, 1e-9);
  EXPECT_NEAR(run.last("block.x"), 3, 1e-8);
  EXPECT_NEAR(run.last("cart.x"), 1, 1e-9);
}

// Steps of given length go across a corner, and say so.
TEST(DriverKink, IsDoubtfulWithGivenSteps) {
  Model model = test::model_of(cart("table(clamp(t,0,5),0,0,1.03,0,5,4)"));
  test::dynamic(model).integrator = "rk4";
  test::dynamic(model).step = 0.05;
  Listener run;
  const Outcome out = run_model(model, run, {});
  EXPECT_EQ(out.summary.status, "doubtful");
  bool told = false;
  for (const Diagnostic& d : out.summary.diagnostics)
    if (d.id == "numeric.driver-kink") {
      told = true;
      EXPECT_EQ(d.element, "driver 'motor'");
      EXPECT_EQ(d.t, 1.03);
    }
  EXPECT_TRUE(told);
}

TEST_P(DriverKink, ResumesBitForBit) {
  Model model = test::model_of(cart("table(clamp(t,0,5),0,0,1,0,2,1,5,-2)"));
  test::dynamic(model).formulation = GetParam();
  Memory whole;
  ASSERT_EQ(run_model(model, whole, {}).summary.status, "complete");
  for (int stop = 1; stop < 40; stop += 2) {
    Memory first;
    first.checkpoint_every = 1;
    int left = stop;
    Control control;
    control.cancelled = [&] {
      return --left <= 0;
    };
    if (run_model(model, first, control).summary.status != "interrupted") break;
    Memory rest;
    ASSERT_EQ(run_model(model, rest, {}, first.last_checkpoint).summary.status, "complete");
    ASSERT_EQ(first.rows_at_checkpoint + rest.rows.size(), whole.rows.size());
    for (std::size_t k = 0; k < rest.rows.size(); ++k)
      ASSERT_EQ(std::memcmp(rest.rows[k].data(),
                            whole.rows[first.rows_at_checkpoint + k].data(),
                            rest.rows[k].size() * sizeof(double)),
                0)
          << "stopped after " << stop << " steps, row " << k;
  }
}

}  // namespace
}  // namespace cardan
