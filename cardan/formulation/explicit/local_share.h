#pragma once
// Which part of the tolerance the local error of a method may take. Where the error that is estimated
// is that of the result itself, a method of order p has steps h in proportion to e^(1/(p+1)) for local
// errors e, and sums them up to errors in proportion to h^p: with e = tolerance the result would be
// off by far more than that. With
//   e = tolerance (tolerance / s)^(1/p)
// it follows the tolerance. Methods that go on with the better one of two formulas need nothing of
// the kind, but for ode23, its implicit kin and Adams, whose many steps are a constant factor.
//
// Two things more make errors of the run larger than those of its steps, as measured on the same
// mechanisms near folded poses. Where nothing takes violations of the constraints back they grow with
// the square of time, and the motion follows (50 times the error of `projected` with the same steps).
// Where one or two freedoms alone are measured, the estimate of a step may be small by chance.
//
// s was measured on random mechanisms (test/verify/gate_test.cpp), where results are to stay within
// 100 times the tolerance times the growth of small changes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/math/elementary.h"
#include "cardan/ode/method.h"

namespace cardan {

inline constexpr double tightest_share = 1e-12;  // rtol: smaller ones are taken as this

// The factor by which local errors count more.
inline double weight_of_second_order(double rtol) {
  constexpr double near_round_off = 1e-3;  // s where s = 1 would ask for less than tightest_share
  if (rtol >= 1) return 1;
  const double given = std::max(rtol, tightest_share),
               least = std::max(1.0, std::sqrt(near_round_off / given));
  return std::max(least, std::min(std::sqrt(1 / given), rtol / tightest_share));
}

// The same for methods that do not count them themselves.
inline double weight_of_local_errors(const Traits& method, double rtol) {
  constexpr int order_of_bdf = 5, order_of_rkf45 = 4, order_of_esdirk = 4, order_of_ode23 = 3;
  constexpr double many_steps = 10;  // of ode23, its kin and Adams: as many times more exact
  constexpr int order_of_ode23s = 2;
  constexpr double many_to = 1e-4;  // s of the implicit kin, whose results are of order 2 alone
  constexpr double twice = 2;       // of diagonally implicit methods
  constexpr double four_times =
      4;  // of those without an explicit stage, which are of order 1 within
  const double most = std::max(1.0, rtol / tightest_share);
  const auto of_order = [&](int p) {
    return std::min(most, elementary::pow(std::min(rtol, 1.0), -1.0 / p));
  };
  if (!method.adaptive || method.weighs_errors || !(rtol > 0)) return 1;
  if (method.implicit && method.multistep) return of_order(order_of_bdf);
  if (method.implicit && method.order_max > order_of_ode23)
    return method.order_max > order_of_esdirk
               ? 1
               : std::min(most, method.name == "sdirk" ? four_times : twice);
  if (method.multistep && !method.implicit) return std::min(most, many_steps);
  if (method.order_max == order_of_rkf45) return of_order(order_of_rkf45);
  if (method.implicit && method.order_max == order_of_ode23s)
    return std::min(most, std::max(many_steps, std::sqrt(many_to / rtol)));
  return method.order_max <= order_of_ode23 ? std::min(most, many_steps) : 1;
}

// Steps of a run from which on errors count more (IntegratorOptions::free_steps), of the implicit kin of
// ode23. A power of the tolerance alone does not know how many steps there will be: they depend on the
// motion too, and with twice as many the result was off by twice as much. Within 100 times the tolerance
// at the worst of five mechanisms with short peaks of force (test/verify/error_shares_test.cpp) by 0.6.
inline double steps_that_add_up(const Traits& method, double rtol) {
  constexpr double steps = 30;  // times the weight that counts anyway
  constexpr int order_of_ode23s = 2;
  const bool kin = method.adaptive && method.implicit && !method.multistep &&
                   !method.weighs_errors && method.order_max == order_of_ode23s;
  return kin ? steps * weight_of_local_errors(method, rtol)
             : std::numeric_limits<double>::infinity();
}

inline constexpr double weight_of_drift = 4;     // nothing keeps the constraints
inline constexpr double weight_of_feedback = 2;  // of hybrid, which puts them back now and then
inline constexpr double weight_of_counted = 2;   // bdf where the problem counts its errors

// Of few components that the error is measured of; dop853 sees to that itself.
inline double weight_of_few(const Traits& method, int components) {
  constexpr int few = 4, order_of_dop853 = 8;
  constexpr double weight = 2;  // times more exact
  const bool sees = !method.multistep && !method.implicit && method.order_max == order_of_dop853;
  return method.adaptive && components <= few && !sees ? weight : 1;
}

}  // namespace cardan
