#pragma once
// Step size from error: h_new = h * clamp(safety * e_n^-(alpha) * e_{n-1}^beta, shrink, grow), the
// proportional-integral controller of Gustafsson (Hairer & Wanner II, IV.2). beta = 0 is the
// classical rule.
#include "cardan/ode/archive.h"

namespace cardan {

struct Controller {
  double safety = 0.9, shrink = 0.2, grow = 5;
  double beta = 0.04;     // integral part; 0.75 beta is taken off the exponent
  double exponent = 0.2;  // 1 / (order of the error estimate + 1)

  double after_accept(double h, double error);  // remembers the error
  double after_reject(double h, double error);
  double after_failure(double h);  // no error known
  void reset();
  void serialize(Archive&);

 private:
  double last_error_ = 1e-4;
  bool rejected_ = false;  // no growth right after a rejection
};

}  // namespace cardan
