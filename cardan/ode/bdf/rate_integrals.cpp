#include "cardan/ode/bdf/rate_integrals.h"

#include <algorithm>
#include <cmath>

#include "cardan/ode/archive_lists.h"
#include "cardan/ode/bdf/bdf_fixed.h"

namespace cardan {

namespace {

constexpr double least_time_apart = 0.08;  // of times in a polynomial, as a part of the step

// Gauss-Legendre on [-1, 1]: exact to degree 5.
constexpr std::array<double, 3> points_of_gauss = {-0.77459666924148337704,
                                                   0,
                                                   0.77459666924148337704},
                                weights_of_gauss = {5.0 / 9, 8.0 / 9, 5.0 / 9};

std::size_t place(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

void RateIntegrals::start(OdeProblem& problem, const Tolerance& tolerance, CView f) {
  components_.clear();
  for (std::size_t i = 0; i < tolerance.ignored.size(); ++i)
    if (tolerance.ignored[i] && problem.is_integral(static_cast<int>(i)))
      components_.push_back(static_cast<int>(i));
  const auto n = static_cast<Eigen::Index>(components_.size());
  rates_.setZero(n, most_rates);
  right_.setZero(n);
  rate_.setZero(n);
  take_rates(f);
  rates_.col(0) = rate_;
  known_ = used_ = tried_ = 1;
}

void RateIntegrals::take_rates(CView f) {
  for (std::size_t k = 0; k < components_.size(); ++k)
    rate_[static_cast<Eigen::Index>(k)] = f[place(components_[k])];
}

void RateIntegrals::take_right_side(CView r) {
  for (std::size_t k = 0; k < components_.size(); ++k)
    right_[static_cast<Eigen::Index>(k)] = r[place(components_[k])];
}

void RateIntegrals::correct_rates(CView x, double c) {
  for (std::size_t k = 0; k < components_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    rate_[i] += (x[place(components_[k])] - right_[i]) / c;
  }
}

// Of the rates at the times, for the integral of their polynomial.
RateIntegrals::Weights RateIntegrals::weights(const Weights& times,
                                              int count,
                                              double from,
                                              double to) {
  Weights sum{}, here{};
  const std::span<double> out(here.data(), place(count));
  for (std::size_t g = 0; g < points_of_gauss.size(); ++g) {
    const double x = 0.5 * (from + to) + 0.5 * (to - from) * points_of_gauss[g];
    lagrange_weights({times.data(), place(count)}, x, out);
    for (std::size_t j = 0; j < out.size(); ++j)
      sum[j] += 0.5 * (to - from) * weights_of_gauss[g] * out[j];
  }
  return sum;
}

void RateIntegrals::integrate(double h, const double* psi, CView y, View y_new) {
  if (components_.empty()) return;
  Weights times{0, -h};  // from the end of the step
  tried_ = 2;
  while (tried_ < most_rates && tried_ <= known_) {
    times[place(tried_)] = -h - psi[tried_ - 2];
    if (std::abs(times[place(tried_)] - times[place(tried_ - 1)]) < least_time_apart * std::abs(h))
      break;
    ++tried_;
  }
  const Weights w = weights(times, tried_, -h, 0);
  for (std::size_t k = 0; k < components_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    double sum = w[0] * rate_[i];
    for (int j = 1; j < tried_; ++j) sum += w[place(j)] * rates_(i, j - 1);
    y_new[place(components_[k])] = y[place(components_[k])] + sum;
  }
}

void RateIntegrals::accept() {
  for (int j = most_rates - 1; j > 0; --j) rates_.col(j) = rates_.col(j - 1);
  rates_.col(0) = rate_;
  known_ = std::min(known_ + 1, most_rates);
  used_ = tried_;
}

void RateIntegrals::between(double x, const double* psi, View y) const {
  if (components_.empty()) return;
  Weights times{};
  for (int j = 1; j < used_; ++j) times[place(j)] = -psi[j - 1];
  const Weights w = weights(times, used_, 0, x);
  for (std::size_t k = 0; k < components_.size(); ++k) {
    double sum = 0;
    for (int j = 0; j < used_; ++j) sum += w[place(j)] * rates_(static_cast<Eigen::Index>(k), j);
    y[place(components_[k])] += sum;
  }
}

void RateIntegrals::serialize(Archive& a) {
  a.mark("integrals of rates");
  a.io(rates_);
  io_within(a, known_, 1, most_rates);
  io_within(a, used_, 1, most_rates);
  io_within(a, tried_, 1, most_rates);
}

}  // namespace cardan
