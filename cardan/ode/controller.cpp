#include "cardan/ode/controller.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double least_error = 1e-4;  // a step that was far too good must not rule the next one

}  // namespace

double Controller::after_accept(double h, double error) {
  const double e = std::max(error, 1e-10);
  const double factor =
      safety * elementary::pow(e, -(exponent - 0.75 * beta)) * elementary::pow(last_error_, beta);
  last_error_ = std::max(error, least_error);
  const double most = rejected_ ? 1.0 : grow;
  rejected_ = false;
  return h * std::clamp(factor, shrink, most);
}

double Controller::after_reject(double h, double error) {
  rejected_ = true;
  if (!std::isfinite(error)) return h * shrink;
  return h * std::clamp(safety * elementary::pow(error, -exponent), shrink, 0.9);
}

double Controller::after_failure(double h) {
  rejected_ = true;
  return h * 0.25;
}

void Controller::reset() {
  last_error_ = least_error;
  rejected_ = false;
}

void Controller::serialize(Archive& a) {
  a.io(last_error_);
  a.io(rejected_);
}

}  // namespace cardan
