#include "cardan/study/distribution.h"

#include <array>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double x) {
  double sum = c[7];
  for (std::size_t k = 7; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

constexpr Coefficients middle_above{3.3871328727963666080,
                                    1.3314166789178437745e+2,
                                    1.9715909503065514427e+3,
                                    1.3731693765509461125e+4,
                                    4.5921953931549871457e+4,
                                    6.7265770927008700853e+4,
                                    3.3430575583588128105e+4,
                                    2.5090809287301226727e+3};
constexpr Coefficients middle_below{1,
                                    4.2313330701600911252e+1,
                                    6.8718700749205790830e+2,
                                    5.3941960214247511077e+3,
                                    2.1213794301586595867e+4,
                                    3.9307895800092710610e+4,
                                    2.8729085735721942674e+4,
                                    5.2264952788528545610e+3};
constexpr Coefficients tail_above{1.42343711074968357734,
                                  4.63033784615654529590,
                                  5.76949722146069140550,
                                  3.64784832476320460504,
                                  1.27045825245236838258,
                                  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2,
                                  7.74545014278341407640e-4};
constexpr Coefficients tail_below{1,
                                  2.05319162663775882187,
                                  1.67638483018380384940,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
constexpr Coefficients far_above{6.65790464350110377720,
                                 5.46378491116411436990,
                                 1.78482653991729133580,
                                 2.96560571828504891230e-1,
                                 2.65321895265761230930e-2,
                                 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5,
                                 2.01033439929228813265e-7};
constexpr Coefficients far_below{1,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};

}  // namespace

double normal_quantile(double u) {
  const double q = u - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_above, r) / polynomial(middle_below, r);
  }
  const double r = std::sqrt(-elementary::log(q < 0 ? u : 1 - u));
  const double x = r <= 5 ? polynomial(tail_above, r - 1.6) / polynomial(tail_below, r - 1.6)
                          : polynomial(far_above, r - 5) / polynomial(far_below, r - 5);
  return q < 0 ? -x : x;
}

const std::vector<DistributionShape>& distribution_shapes() {
  static const std::vector<DistributionShape> all{
      {"normal", "mean, standard deviation", DistributionKind::normal, 2, {false, false}},
      {"uniform", "from, to", DistributionKind::uniform, 2, {false, false}},
      {"triangular", "from, peak, to", DistributionKind::triangular, 3, {false, false, false}},
      {"lognormal",
       "median, deviation of the logarithm",
       DistributionKind::lognormal,
       2,
       {false, true}}};
  return all;
}

double Distribution::quantile(double u) const {
  switch (kind) {
    case DistributionKind::normal:
      return numbers[0] + numbers[1] * normal_quantile(u);
    case DistributionKind::uniform:
      return numbers[0] + (numbers[1] - numbers[0]) * u;
    case DistributionKind::lognormal:
      return numbers[0] * elementary::exp(numbers[1] * normal_quantile(u));
    case DistributionKind::triangular:
      break;
  }
  const double a = numbers[0], c = numbers[1], b = numbers[2];
  if (u * (b - a) < c - a) return a + std::sqrt(u * (b - a) * (c - a));
  return b - std::sqrt((1 - u) * (b - a) * (b - c));
}

}  // namespace cardan
