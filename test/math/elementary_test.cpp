// The elementary functions: how far they are from the truth, what they give at the edges, and that
// their bits are the stored ones. The last is what makes runs equal from machine to machine.
#include "cardan/math/elementary.h"

#include <bit>
#include <cfloat>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace {

namespace el = cardan::elementary;

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Function {
  const char* name;
  double (*ours)(double);
  long double (*truth)(long double);
  double from, to;   // arguments, evenly spread
  double most_ulps;  // the error that is promised
};

// Units in the last place between a result and the truth, which has 11 bits more.
double ulps(double ours, long double truth) {
  const double near = static_cast<double>(truth);
  if (ours == near) {
    if (!std::isfinite(ours) || ours == 0) return 0;
  }
  int k = 0;
  std::frexp(near, &k);
  const double unit = std::ldexp(1.0, std::max(k - 53, -1074));
  return static_cast<double>(std::abs(static_cast<long double>(ours) - truth) / unit);
}

const Function functions[] = {
    {"sin", el::sin, std::sin, -10, 10, 0.8},
    {"sin, large", el::sin, std::sin, -1e6, 1e6, 0.8},
    {"sin, huge", el::sin, std::sin, -1e300, 1e300, 0.8},
    {"cos", el::cos, std::cos, -10, 10, 0.8},
    {"cos, large", el::cos, std::cos, -1e7, 1e7, 0.8},
    {"tan", el::tan, std::tan, -10, 10, 0.9},
    {"asin", el::asin, std::asin, -1, 1, 0.55},
    {"acos", el::acos, std::acos, -1, 1, 0.55},
    {"atan", el::atan, std::atan, -3, 3, 0.55},
    {"atan, large", el::atan, std::atan, -1e4, 1e4, 0.55},
    {"exp", el::exp, std::exp, -3, 3, 0.55},
    {"exp, large", el::exp, std::exp, -700, 700, 0.55},
    {"exp2", el::exp2, std::exp2, -1000, 1000, 0.55},
    {"log", el::log, std::log, 0, 3, 0.55},
    {"log near 1", el::log, std::log, 0.999, 1.001, 0.55},
    {"log, large", el::log, std::log, 0, 1e300, 0.55},
    {"log2", el::log2, std::log2, 0, 100, 0.55},
    {"log10", el::log10, std::log10, 0, 1000, 0.55},
    {"sinh", el::sinh, std::sinh, -2, 2, 0.55},
    {"sinh, large", el::sinh, std::sinh, -700, 700, 0.55},
    {"cosh", el::cosh, std::cosh, -2, 2, 0.55},
    {"cosh, large", el::cosh, std::cosh, -700, 700, 0.55},
    {"tanh", el::tanh, std::tanh, -2, 2, 0.55},
    {"tanh, large", el::tanh, std::tanh, -22, 22, 0.55},
};

TEST(elementary, errors_are_below_those_that_are_promised) {
#if LDBL_MANT_DIG < 64
  GTEST_SKIP() << "long double has no more digits here";
#endif
  std::mt19937_64 random(17);
  const int tries = std::getenv("CARDAN_FULL") != nullptr ? 2'000'000 : 20'000;
  for (const Function& f : functions) {
    std::uniform_real_distribution<double> argument(f.from, f.to);
    double worst = 0, at = 0;
    for (int k = 0; k < tries; ++k) {
      const double x = argument(random), error = ulps(f.ours(x), f.truth(x));
      if (error > worst) {
        worst = error;
        at = x;
      }
    }
    EXPECT_LT(worst, f.most_ulps) << f.name << " of " << at;
    RecordProperty(f.name, std::to_string(worst));
    if (std::getenv("CARDAN_SHOW") != nullptr) std::printf("%-14s %.3f ulp\n", f.name, worst);
  }
}

TEST(elementary, arguments_of_all_sizes) {
#if LDBL_MANT_DIG < 64
  GTEST_SKIP() << "long double has no more digits here";
#endif
  std::mt19937_64 random(18);
  std::uniform_real_distribution<double> size(-1020, 1020), part(1, 2);
  for (int k = 0; k < 20'000; ++k) {
    const double x =
        std::ldexp(part(random), static_cast<int>(size(random))) * (k % 2 == 0 ? 1 : -1);
    const double y =
        std::ldexp(part(random), static_cast<int>(size(random))) * (k % 3 == 0 ? 1 : -1);
    ASSERT_LT(ulps(el::sin(x), std::sin(static_cast<long double>(x))), 0.8) << x;
    ASSERT_LT(ulps(el::cos(x), std::cos(static_cast<long double>(x))), 0.8) << x;
    ASSERT_LT(ulps(el::atan(x), std::atan(static_cast<long double>(x))), 0.55) << x;
    ASSERT_LT(ulps(el::log(std::abs(x)), std::log(std::abs(static_cast<long double>(x)))), 0.55)
        << x;
    ASSERT_LT(ulps(el::tanh(x), std::tanh(static_cast<long double>(x))), 0.55) << x;
    ASSERT_LT(
        ulps(el::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))),
        0.75)
        << y << " " << x;
    const long double root = std::hypot(static_cast<long double>(x), static_cast<long double>(y));
    if (root < 1e308) {
      ASSERT_LT(ulps(el::hypot(x, y), root), 0.55) << y << " " << x;
    }
  }
}

TEST(elementary, powers) {
#if LDBL_MANT_DIG < 64
  GTEST_SKIP() << "long double has no more digits here";
#endif
  std::mt19937_64 random(19);
  std::uniform_real_distribution<double> base(0, 20), exponent(-60, 60);
  for (int k = 0; k < 20'000; ++k) {
    const double x = base(random),
                 y = k % 3 == 0 ? std::round(exponent(random) / 6) : exponent(random);
    const long double truth = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    ASSERT_LT(ulps(el::pow(x, y), truth), 0.55) << x << " " << y;
    ASSERT_EQ(el::pow(-x, 3), -el::pow(x, 3));
  }
  for (int n = 0; n < 20; ++n) EXPECT_EQ(el::pow(10, n), std::stod("1e" + std::to_string(n)));
  for (int n = -1074; n < 1024; ++n) {
    EXPECT_EQ(el::exp2(n), std::ldexp(1.0, n));
    EXPECT_EQ(el::pow(2, n), std::ldexp(1.0, n));
    EXPECT_EQ(el::log2(std::ldexp(1.0, n)), n);
  }
}

// The C library's results where they are exact or said by ISO C.
TEST(elementary, edges) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), tiny = 5e-324;
  const double edges[] = {0.0,
                          -0.0,
                          1,
                          -1,
                          infinite,
                          -infinite,
                          nan,
                          tiny,
                          -tiny,
                          0.5,
                          2,
                          3,
                          -2,
                          -3,
                          1e308,
                          -1e308,
                          1e-300,
                          -1.5};
  const auto alike = [](double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)) ||
           (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= 4e-16 * std::abs(b));
  };
#define ALIKE1(f)              \
  for (const double x : edges) \
  EXPECT_TRUE(alike(el::f(x), std::f(x))) << #f << " of " << x << ": " << el::f(x)
#define ALIKE2(f)                               \
  for (const double x : edges)                  \
    for (const double y : edges)                \
  EXPECT_TRUE(alike(el::f(x, y), std::f(x, y))) \
      << #f << " of " << x << " and " << y << ": " << el::f(x, y)
  ALIKE1(sin);
  ALIKE1(cos);
  ALIKE1(tan);
  ALIKE1(asin);
  ALIKE1(acos);
  ALIKE1(atan);
  ALIKE1(exp);
  ALIKE1(exp2);
  ALIKE1(log);
  ALIKE1(log2);
  ALIKE1(log10);
  ALIKE1(sinh);
  ALIKE1(cosh);
  ALIKE1(tanh);
  ALIKE2(atan2);
  ALIKE2(pow);
  ALIKE2(hypot);
#undef ALIKE1
#undef ALIKE2
}

// One number for the bits of many results. It is the same with every compiler and processor.
TEST(elementary, bits_are_the_stored_ones) {
  std::uint64_t sum = 14695981039346656037ULL;
  const auto add = [&](double x) {
    sum = (sum ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
  };
  for (int k = 1; k < 20'000; ++k) {
    const double x = k * 0.00137, y = (k % 977) * 0.0211 - 9;
    for (const Function& f : functions)
      add(f.ours(std::abs(f.from) <= 1 && f.from < 0 ? y / 12 : x));
    add(el::atan2(y, x));
    add(el::pow(x, y));
    add(el::hypot(x, y));
    add(el::sin(x * 1e8));
  }
  EXPECT_EQ(sum, 5141679091068925835ULL);
}

}  // namespace
