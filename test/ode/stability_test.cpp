// Stability from characteristic roots: limits on the axes, angles of BDF, outlines; against the
// recomputed tables of documents 002 and 003 and what the methods announce.
#include "cardan/ode/stability.h"

#include <numbers>

#include <gtest/gtest.h>

#include "cardan/ode/second_order/generalized_alpha.h"
#include "test/ode/sources.h"

namespace cardan {
namespace {

using test::number, test::sources;

Growth growth(std::string_view method, int order = 0) {
  MethodOptions options;
  options.order = order;
  return growth_of(*find_method(method), options);
}

double real_limit(const Growth& g) {
  return axis_limit(g, -1);
}

double imaginary_limit(const Growth& g) {
  return axis_limit(g, {0, 1});
}

TEST(Stability, TableTwoOfDocument002) {
  const auto& table = sources()["002"]["table2"]["values"];
  for (int k = 1; k <= 5; ++k) {
    const std::string order = std::to_string(k);
    EXPECT_NEAR(real_limit(growth("ab", k)), number(table["ABP_" + order]), 1e-9);
    EXPECT_NEAR(real_limit(growth("ampc", k)), number(table["AMPC_" + order]), 1e-9);
    EXPECT_NEAR(real_limit(growth("mampc", k)), number(table["MAMPC_" + order]), 1e-9);
    EXPECT_NEAR(real_limit(growth("pece", k)), number(table["MAMPC_" + order]), 1e-9);
  }
}

TEST(Stability, LimitsOfDocument003) {
  const auto& s = sources()["003"]["stability"];
  EXPECT_NEAR(real_limit(growth("euler")), -number(s["euler_real"]), 1e-9);
  EXPECT_NEAR(real_limit(growth("heun")), -number(s["heun_real"]), 1e-9);
  EXPECT_NEAR(real_limit(growth("rk4")), -number(s["rk4_real"]), 1e-9);
  EXPECT_NEAR(imaginary_limit(growth("rk4")), number(s["rk4_imag"]), 1e-9);
  EXPECT_NEAR(
      imaginary_limit(growth("rk4")) / (2 * std::numbers::pi), number(s["rk4_h_over_T0"]), 1e-9);
  EXPECT_EQ(imaginary_limit(growth("euler")), 0);
  EXPECT_EQ(imaginary_limit(growth("heun")), 0);
  EXPECT_NEAR(real_limit(growth("ode23")), -number(sources()["003"]["ode23"]["real_limit"]), 1e-9);
  EXPECT_NEAR(
      imaginary_limit(growth("ode23")), number(sources()["003"]["ode23"]["imag_limit"]), 1e-9);
  EXPECT_NEAR(real_limit(growth("ode45")), -number(sources()["003"]["ode45"]["real_limit"]), 1e-9);
}

// Euler 2 on the damped oscillator: x = w h along the ray of its damping ratio.
TEST(Stability, DampedLimitsOfEulerTwo) {
  for (const auto& [text, limit] : sources()["003"]["euler2"]["damped_limits x=w0 h"].items()) {
    const double beta = std::stod(text);
    if (beta > 1) continue;  // two real roots: no single ray
    const std::complex<double> direction(-beta, std::sqrt(1 - beta * beta));
    EXPECT_NEAR(axis_limit(growth("euler2"), direction), number(limit), 1e-9) << text;
  }
}

TEST(Stability, AnglesOfBdf) {
  const auto& angles = sources()["003"]["bdf_A_alpha(angle_deg,D)"];
  for (int k = 1; k <= 6; ++k) {
    const Growth g = growth("bdf-fixed", k);
    EXPECT_NEAR(stability_angle(g), number(angles[std::to_string(k)][0]), 1e-5) << k;
    EXPECT_TRUE(std::isinf(real_limit(g))) << k;
    EXPECT_EQ(std::isinf(imaginary_limit(g)), k <= 2) << k;
  }
}

TEST(Stability, OfTheImplicitMethods) {
  for (const char* method : {"backward-euler", "trapezoidal", "radau5", "esdirk", "rosenbrock"}) {
    EXPECT_EQ(stability_angle(growth(method)), 90) << method;
    EXPECT_TRUE(std::isinf(imaginary_limit(growth(method)))) << method;
  }
  for (const int k : {2, 3, 4}) EXPECT_EQ(stability_angle(growth("sdirk", k)), 90);
  for (const int k : {2, 4, 6, 8}) EXPECT_EQ(stability_angle(growth("gauss", k)), 90);
  for (const int k : {1, 3, 5}) EXPECT_EQ(stability_angle(growth("radau-fixed", k)), 90);
  for (const char* method : {"newmark", "hht", "generalized-alpha"}) {
    EXPECT_TRUE(std::isinf(imaginary_limit(growth(method)))) << method;
  }
  // Newmark (1/2, 0), the central difference method: x = 2; (1/2, 1/6), linear acceleration: 2 sqrt
  // 3
  const auto newmark = [](double beta) {
    return [=](std::complex<double> z) {
      return amplification({0, 0, 0.5, beta}, z);
    };
  };
  EXPECT_NEAR(imaginary_limit(newmark(0)), 2, 1e-7);
  EXPECT_NEAR(imaginary_limit(newmark(1.0 / 6)), 2 * std::sqrt(3.0), 1e-7);
}

// L-stable: nothing is left of an infinitely stiff component.
TEST(Stability, AtInfinity) {
  for (const char* method : {"backward-euler", "radau5", "esdirk", "rosenbrock", "sdirk", "bdf"}) {
    EXPECT_LT(growth(method)(-1e9), 0.02) << method;  // BDF 5: its fifth root
  }
  EXPECT_NEAR(growth("trapezoidal")(-1e9), 1, 1e-6);
  EXPECT_NEAR(growth("gauss", 4)(-1e9), 1, 1e-6);
}

TEST(Stability, MethodsAnnounceTheirLimits) {
  for (const MethodEntry* entry : list_methods()) {
    if (!entry->amplification) continue;
    const bool variable = entry->name == "adams";  // announces its lowest order
    if (variable) continue;
    for (int order = 0; order <= 6; ++order) {
      MethodOptions options;
      options.order = order;
      const Traits traits = entry->traits(options);
      if (order != 0 && traits.order_max != order) continue;
      const Growth g = growth_of(*entry, options);
      const double real = real_limit(g), imaginary = imaginary_limit(g);
      const auto same = [](double a, double b) {
        return std::isnan(a) || a == b || std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b));
      };
      EXPECT_TRUE(same(traits.real_limit, real))
          << entry->name << " " << order << ": " << traits.real_limit << " against " << real;
      EXPECT_TRUE(same(traits.imaginary_limit, imaginary))
          << entry->name << " " << order << ": " << traits.imaginary_limit << " against "
          << imaginary;
    }
  }
}

// Area by the shoelace formula; the stable side lies to the left, so holes count negative.
double area(const Outline& outline) {
  double sum = 0;
  for (std::size_t k = 0; k + 1 < outline.x.size(); ++k) {
    if (std::isnan(outline.x[k]) || std::isnan(outline.x[k + 1])) continue;
    sum += outline.x[k] * outline.y[k + 1] - outline.x[k + 1] * outline.y[k];
  }
  return 0.5 * sum;
}

TEST(Stability, OutlinesEncloseTheRegions) {
  // Euler: the disc of radius 1 around -1
  const Outline disc = stability_outline(growth("euler"), {-3, 1, -2, 2}, 80);
  EXPECT_NEAR(std::abs(area(disc)), std::numbers::pi, 2e-3);
  for (std::size_t k = 0; k < disc.x.size(); ++k) {
    if (std::isnan(disc.x[k])) continue;
    EXPECT_NEAR(std::hypot(disc.x[k] + 1, disc.y[k]), 1, 1e-4);
  }
  // backward Euler: all of the window but the disc around +1
  const Outline outside = stability_outline(growth("backward-euler"), {-3, 3, -2, 2}, 120);
  EXPECT_NEAR(std::abs(area(outside)), 24 - std::numbers::pi, 5e-3);
}

TEST(Stability, WindowsShowTheRegion) {
  const Window w = stability_window({growth("rk4")});
  EXPECT_LT(w.left, -2.8);
  EXPECT_GT(w.left, -6);  // wider than the region, for equal axes
  EXPECT_GT(w.top, 2.83);
  EXPECT_GT(stability_window({growth("rk4"), growth("bdf-fixed", 3)}).right, 3);
}

}  // namespace
}  // namespace cardan
