#pragma once
// Random numbers of the normal distribution, by Marsaglia's polar method: of a point (x, y) that lies
// evenly in the unit disc, x f and y f with f = sqrt(-2 log(r^2) / r^2) are two of them. That of the
// standard library takes the logarithm of the C library, whose last bit is the processor's.
#include <cmath>
#include <random>

#include "cardan/math/elementary.h"

namespace cardan {

class NormalNumbers {
 public:
  template <class Random> double operator()(Random& random) {
    if (kept_) {
      kept_ = false;
      return next_;
    }
    std::uniform_real_distribution<double> unit(-1, 1);
    double x = 0, y = 0, r2 = 0;
    do {
      x = unit(random);
      y = unit(random);
      r2 = x * x + y * y;
    } while (r2 > 1 || r2 == 0);
    const double f = std::sqrt(-2 * elementary::log(r2) / r2);
    next_ = x * f;
    kept_ = true;
    return y * f;
  }

 private:
  double next_ = 0;
  bool kept_ = false;
};

}  // namespace cardan
