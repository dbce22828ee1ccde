// Amplitude and frequency of a sine, wherever it lies between the lines.
#include "cardan/report/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace cardan {
namespace {

constexpr double turn = 2 * std::numbers::pi;

struct Peak {
  double frequency, amplitude;
};

Peak largest(const Spectrum& s) {
  const auto at = std::max_element(s.amplitude.begin() + 3, s.amplitude.end());
  return {s.frequency[static_cast<std::size_t>(at - s.amplitude.begin())], *at};
}

Spectrum of_sine(double frequency, const std::vector<double>& t, std::size_t lines) {
  std::vector<double> v;
  for (const double x : t) v.push_back(2 + 0.1 * x + 0.06 * std::sin(turn * frequency * x + 1));
  return amplitude_spectrum(t, v, lines);
}

TEST(spectrum, of_even_rows_at_any_frequency) {
  for (int k = 0; k < 60; ++k) {
    std::vector<double> t;
    for (int i = 0; i <= 400 + 11 * k; ++i) t.push_back(0.01 * i);
    const double frequency = 3.21 + 0.713 * k;
    const Spectrum s = of_sine(frequency, t, 1U << 20U);
    EXPECT_NEAR(s.frequency.back(), 50, 1e-9);
    EXPECT_NEAR(largest(s).frequency, frequency, 0.01);
    EXPECT_NEAR(largest(s).amplitude, 0.06, 0.0006) << frequency;
  }
}

TEST(spectrum, of_uneven_rows_and_of_few_lines) {
  std::vector<double> t;
  for (int i = 0; i <= 20'000; ++i) t.push_back(0.002 * i + 0.0012 * std::sin(0.4 * i));
  for (const double frequency : {0.7315, 25.07}) {
    EXPECT_NEAR(largest(of_sine(frequency, t, 1024)).frequency, frequency, 0.002);
    EXPECT_NEAR(largest(of_sine(frequency, t, 1024)).amplitude, 0.06, 0.0006);
    EXPECT_LE(of_sine(frequency, t, 1024).frequency.size(), 1024U);
  }
}

TEST(spectrum, of_nothing_is_empty) {
  EXPECT_TRUE(amplitude_spectrum({}, {}, 100).frequency.empty());
  EXPECT_TRUE(amplitude_spectrum({0, 1, 2}, {1, 2, 3}, 100).frequency.empty());
  const std::vector<double> still(20, 1.0);
  EXPECT_TRUE(amplitude_spectrum(still, still, 100).frequency.empty());
}

}  // namespace
}  // namespace cardan
