// States, inputs and blocks as read.
#include <algorithm>
#include <cmath>

#include "test/io/read_text.h"

namespace cardan {
namespace {

TEST(read_states, units_values_and_what_rates_use) {
  const Model m = read_good(two_bodies + R"TOML(
[[request]]
name = "height"
type = "point"
body = "b"
[[state]]
name = "charge"
unit = "V"
initial = "20 mV"
error_control = false
rate = "(supply - charge)/(2 s)"
[[state]]
name = "level"
initial = "3 m"
rate = "rate(height.y) - level/(1 s)"
[[input]]
name = "supply"
value = "12 V"
[[input]]
name = "ramp"
motion = "2*t"
)TOML");
  ASSERT_EQ(m.states.size(), 2u);
  EXPECT_EQ(m.states[0].initial, 0.02);
  EXPECT_EQ(m.states[0].unit, "V");
  EXPECT_FALSE(m.states[0].error_control);
  EXPECT_EQ(m.states[0].inputs, (std::vector<int>{3, 1}));  // request, two states, two inputs
  EXPECT_EQ(m.states[1].unit, "m");
  EXPECT_TRUE(m.states[1].error_control);
  EXPECT_EQ(m.states[1].inputs, (std::vector<int>{5, 2}));
  ASSERT_EQ(m.inputs.size(), 2u);
  EXPECT_EQ(m.inputs[0].value, 12);
  EXPECT_EQ(m.inputs[0].motion, nullptr);
  EXPECT_EQ(m.inputs[1].motion->at(3).f, 6);
}

TEST(read_states, repeated) {
  const Model m = read_good(two_bodies + R"TOML(
[[state]]
name = "stage0"
rate = 1
[[repeat]]
count = 3
first = 1
index = "i"
[[repeat.state]]
name = "stage{i}"
initial = "i"
rate = "(stage{i-1} - stage{i})/(1 s)"
[[repeat.block]]
type = "first-order"
name = "filter{i}"
input = "stage{i}"
time_constant = "i*(1 s)"
)TOML");
  ASSERT_EQ(m.states.size(), 7u);
  EXPECT_EQ(m.states[2].name, "stage2");
  EXPECT_EQ(m.states[2].initial, 2);
  const int requests = static_cast<int>(m.requests.size());
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(m.states[2].inputs, (std::vector<int>{requests + 1, requests + 2}));
  EXPECT_EQ(m.states[6].name, "filter3");
  EXPECT_EQ(m.requests[2].name, "filter3.input");
  // (input - filter3)/(3 s)
  EXPECT_DOUBLE_EQ(m.states[6].rate.value(std::vector<double>{0, 0, 0, 7, 0, 1, 0}), 2);
}

TEST(read_states, blocks_are_states_and_requests) {
  const Model m = read_good(two_bodies + R"TOML(
[[block]]
type = "pid"
name = "c"
error = "1 m - t*(1 m/s)"
unit = "N"
kp = "2 N/m"
ki = "3 N/m/s"
kd = "4 N*s/m"
filter_time = "0.1 s"
upper = "5 N"
)TOML");
  std::vector<std::string> names;
  for (const auto& r : m.requests) names.push_back(r.name);
  EXPECT_EQ(names, (std::vector<std::string>{"c.error", "c.raw", "c"}));
  ASSERT_EQ(m.states.size(), 2u);
  EXPECT_EQ(m.states[0].name, "c.integral");
  EXPECT_EQ(m.states[0].rate.conditions(), 2);
  EXPECT_EQ(m.states[1].name, "c.filter");
  EXPECT_EQ(m.states[1].unit, "kg*m*s^-1");
}

}  // namespace
}  // namespace cardan
