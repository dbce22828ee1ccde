// Peaks, means and RMS of channels from looks at a motion, and which looks become rows.
#include "cardan/analysis/record/channel_watch.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cardan/analysis/record/row_thinner.h"

namespace cardan {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Channel> some_channels() {
  return {{"x", "m", "body b", "position"},
          {"force", "N", "joint j", "reaction"},
          {"residual.position", "m", "", "residual"}};
}

TEST(channel_watch, finds_peaks_between_looks) {
  ChannelWatch watch(some_channels(), 1);
  for (int k = 0; k <= 230; ++k) {  // 23 looks in a turn, none of them at a peak
    const double t = k / 23.0, x = 2 * pi * t;
    const double row[] = {3 + std::sin(x + 0.3), 100 * std::cos(2 * x + 0.1), 1e-9 * (k % 2)};
    watch.take(t, row);
  }
  watch.finish();
  const auto all = watch.statistics();
  EXPECT_NEAR(all[0].largest, 4, 1e-3);
  EXPECT_NEAR(all[0].least, 2, 1e-3);
  EXPECT_NEAR(std::fmod(all[0].t_largest, 1), (pi / 2 - 0.3) / (2 * pi), 2e-3);
  EXPECT_NEAR(all[0].mean, 3, 1e-4);
  EXPECT_NEAR(all[0].rms, std::sqrt(9.5), 1e-4);
  EXPECT_NEAR(all[1].largest, 100, 0.5);
  EXPECT_NEAR(all[1].least, -100, 0.5);
  EXPECT_NEAR(all[1].rms, 100 / std::sqrt(2), 0.1);
  EXPECT_EQ(all[2].largest, 1e-9);
}

// Round-off of a derivative by a parameter of size P asks for no looks: what counts of the channel
// itself, over P, is what counts of it. One that moves asks for them.
TEST(channel_watch, leaves_out_round_off_of_derivatives) {
  const double size = 2;
  const ChannelWatch::Derivative derivatives[] = {{0, size}, {1, size}};
  for (const bool moves : {false, true}) {
    ChannelWatch watch({{"b.x", "m", "body b", "position"},
                        {"pin.y", "m", "body b", "position"},
                        {"d(b.x)/d(p)", "m/kg", "body b", "sensitivity"},
                        {"d(pin.y)/d(p)", "m/kg", "body b", "sensitivity"}},
                       1,
                       derivatives);
    for (int k = 0; k <= 40; ++k) {
      const double t = k / 40.0, noise = 1e-13 * (k % 2);
      const double fast = moves ? 1e-3 * std::sin(20 * pi * t) : 0;
      const double row[] = {std::sin(2 * pi * t), noise, noise + fast, noise};
      watch.take(t, row);
    }
    if (moves)
      EXPECT_LT(watch.wanted(), 0.01);
    else
      EXPECT_GT(watch.wanted(), 0.02);
  }
}

// A size has a corner where its vector passes zero, and is never below it.
TEST(channel_watch, finds_the_least_of_a_size) {
  ChannelWatch watch({{"pin.first.force", "N", "joint pin", "reaction size"},
                      {"hook.first.force", "N", "joint hook", "reaction size"},
                      {"hook.first.fx", "N", "joint hook", "reaction"}},
                     1);
  for (int k = 0; k <= 230; ++k) {
    const double x = 2 * pi * k / 23.0 + 0.1;
    const double row[] = {
        5 * std::abs(std::cos(x)), std::hypot(std::cos(x), 0.3 * std::sin(x)), std::cos(x)};
    watch.take(k / 23.0, row);
  }
  watch.finish();
  const auto all = watch.statistics();
  EXPECT_GE(all[0].least, 0);
  EXPECT_LE(all[0].least, 0.1);
  EXPECT_NEAR(all[0].largest, 5, 5e-3);
  EXPECT_NEAR(all[1].least, 0.3, 5e-3);
  EXPECT_NEAR(all[1].largest, 1, 1e-3);
}

TEST(channel_watch, does_not_overshoot_a_jump) {
  ChannelWatch watch(some_channels(), 1);
  for (int k = 0; k <= 100; ++k) {
    const double row[] = {k < 50 ? 0.0 : 1.0, k < 30 ? 1.0 : -1.0, 0};
    watch.take(0.01 * k, row);
  }
  watch.finish();
  const auto all = watch.statistics();
  EXPECT_EQ(all[0].least, 0);
  EXPECT_EQ(all[0].largest, 1);
  EXPECT_EQ(all[1].least, -1);
  EXPECT_EQ(all[1].largest, 1);
}

TEST(channel_watch, takes_both_sides_of_an_event) {
  ChannelWatch watch(some_channels(), 1);
  const auto look = [&](double t, double x) {
    const double row[] = {x, 0, 0};
    watch.take(t, row);
  };
  for (int k = 0; k <= 10; ++k) look(0.1 * k, -0.1 * k);
  watch.jump();
  for (int k = 10; k <= 20; ++k) look(0.1 * k, 1 - 0.1 * (k - 10));
  watch.finish();
  const auto all = watch.statistics();
  EXPECT_NEAR(all[0].least, -1, 1e-14);
  EXPECT_EQ(all[0].largest, 1);
  EXPECT_NEAR(all[0].mean, 0, 1e-14);
}

TEST(channel_watch, asks_for_looks_as_close_as_the_motion_needs) {
  for (const double frequency : {1.0, 7.0, 40.0}) {
    ChannelWatch watch(some_channels(), 1);
    for (int k = 0; k <= 2000; ++k) {
      const double t = k / (50 * frequency);
      const double row[] = {std::sin(2 * pi * frequency * t), 0, 0};
      watch.take(t, row);
    }
    EXPECT_NEAR(watch.needed() / 40, 25, 10) << frequency;  // in a turn
  }
}

// The position of a pinned point and the torque in its pin are round-off; no look is spent on them.
TEST(channel_watch, does_not_follow_round_off) {
  ChannelWatch watch({{"bar.x", "m", "body bar", "position"},
                      {"pin.torque", "N*m", "joint pin", "reaction"},
                      {"pin.fx", "N", "joint pin", "reaction"}},
                     0.5);
  for (int k = 0; k <= 1000; ++k) {
    const double noise = k * 7919 % 13 - 6;
    const double row[] = {1e-17 * noise, 1e-15 * noise, 40 * std::sin(2 * pi * 0.02 * k)};
    watch.take(0.02 * k, row);
  }
  EXPECT_NEAR(watch.needed() / 20, 25, 10);
}

struct Stored {
  std::vector<double> t, x;
};

// Offers n looks at a sine of 20 turns and keeps what is stored.
Stored thin(int n, long most, double& error, int kept_every) {
  ChannelWatch watch(some_channels(), 1);
  Stored out;
  RowThinner thinner(watch, {0, 20, most}, [&](double t, std::span<const double> row) {
    out.t.push_back(t);
    out.x.push_back(row[0]);
    return Sink::Fault();
  });
  for (int k = 0; k <= n; ++k) {
    const double t = 20.0 * k / n;
    const double row[] = {std::sin(2 * pi * t), 5, 1e-12 * (k % 3)};
    watch.take(t, row);
    EXPECT_FALSE(thinner.add(
        t,
        row,
        k % kept_every == 0 || k == n ? RowThinner::Keep::always : RowThinner::Keep::if_needed));
  }
  EXPECT_FALSE(thinner.flush());
  error = thinner.error();
  return out;
}

double worst_line(const Stored& rows) {
  double worst = 0;
  for (std::size_t k = 1; k < rows.t.size(); ++k)
    for (const double s : {0.25, 0.5, 0.75}) {
      const double t = rows.t[k - 1] + s * (rows.t[k] - rows.t[k - 1]);
      const double line = rows.x[k - 1] + s * (rows.x[k] - rows.x[k - 1]);
      worst = std::max(worst, std::abs(line - std::sin(2 * pi * t)) / 2);
    }
  return worst;
}

TEST(row_thinner, keeps_lines_within_a_thousandth_of_the_range) {
  double error = 0;
  const Stored rows = thin(20'000, 100'000, error, 1000);
  EXPECT_LT(rows.t.size(), 2500U);
  EXPECT_GT(rows.t.size(), 800U);
  EXPECT_LE(error, 1e-3);
  EXPECT_LT(worst_line(rows), 1.1e-3);
  EXPECT_EQ(rows.t.front(), 0);
  EXPECT_EQ(rows.t.back(), 20);
}

TEST(row_thinner, keeps_to_a_bound_and_says_the_error) {
  double error = 0;
  const Stored rows = thin(20'000, 300, error, 1000);
  EXPECT_LE(rows.t.size(), 305U);
  EXPECT_GT(error, 1e-3);
  EXPECT_LT(worst_line(rows), 1.05 * error);
}

TEST(row_thinner, stores_nothing_beyond_a_grid_that_shows_the_motion) {
  double error = 0;
  EXPECT_EQ(thin(20'000, 100'000, error, 10).t.size(), 2001U);
}

TEST(row_thinner, goes_on_from_an_archive) {
  double error = 0;
  const Stored whole = thin(5000, 100'000, error, 250);
  ChannelWatch watch(some_channels(), 1);
  Stored out;
  const auto keep = [&](double t, std::span<const double> row) {
    out.t.push_back(t);
    out.x.push_back(row[0]);
    return Sink::Fault();
  };
  std::vector<std::byte> bytes;
  auto thinner = std::make_unique<RowThinner>(watch, RowThinner::Setting{0, 20, 100'000}, keep);
  for (int k = 0; k <= 5000; ++k) {
    if (k % 777 == 500) {
      Archive save;
      watch.serialize(save);
      thinner->serialize(save);
      Archive load(save.bytes());
      watch = ChannelWatch(some_channels(), 1);
      thinner = std::make_unique<RowThinner>(watch, RowThinner::Setting{0, 20, 100'000}, keep);
      watch.serialize(load);
      thinner->serialize(load);
      ASSERT_TRUE(load.good());
    }
    const double t = 20.0 * k / 5000;
    const double row[] = {std::sin(2 * pi * t), 5, 1e-12 * (k % 3)};
    watch.take(t, row);
    ASSERT_FALSE(thinner->add(
        t, row, k % 250 == 0 ? RowThinner::Keep::always : RowThinner::Keep::if_needed));
  }
  ASSERT_FALSE(thinner->flush());
  EXPECT_EQ(out.t, whole.t);
  EXPECT_EQ(out.x, whole.x);
}

}  // namespace
}  // namespace cardan
