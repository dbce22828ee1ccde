// The coefficients of the explicit Runge-Kutta methods up to order 5 (see tableau.h for the
// notation).
#include <cmath>
#include <stdexcept>

#include "cardan/ode/runge_kutta/tableau.h"

namespace cardan {

namespace {

constexpr Tableau::Row minus(const Tableau::Row& x, const Tableau::Row& y) {
  Tableau::Row out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x[i] - y[i];
  return out;
}

constexpr Tableau make_euler() {
  Tableau m{.name = "euler", .stages = 1, .order = 1};
  m.b = {1};
  return m;
}

constexpr Tableau make_rk3() {  // Kutta's third-order method
  Tableau m{.name = "rk3", .stages = 3, .order = 3};
  m.c = {0, 1. / 2, 1};
  m.a = {{{}, {1. / 2}, {-1, 2}}};
  m.b = {1. / 6, 2. / 3, 1. / 6};
  return m;
}

constexpr Tableau make_rk4() {
  Tableau m{.name = "rk4", .stages = 4, .order = 4};
  m.c = {0, 1. / 2, 1. / 2, 1};
  m.a = {{{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}};
  m.b = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  return m;
}

constexpr Tableau make_ode23() {  // Bogacki-Shampine 3(2)
  Tableau m{
      .name = "ode23", .stages = 4, .order = 3, .error_order = 2, .fsal = true, .end_stage = 2};
  m.c = {0, 1. / 2, 3. / 4, 1};
  m.a = {{{}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}}};
  m.b = {2. / 9, 1. / 3, 4. / 9, 0};
  m.e = minus(m.b, {7. / 24, 1. / 4, 1. / 3, 1. / 8});
  m.d = {{{1, -4. / 3, 5. / 9}, {0, 1, -2. / 3}, {0, 4. / 3, -8. / 9}, {0, -1, 1}}};
  m.dense = true;
  return m;
}

constexpr Tableau make_ode45() {  // Dormand-Prince 5(4)
  Tableau m{
      .name = "ode45", .stages = 7, .order = 5, .error_order = 4, .fsal = true, .end_stage = 5};
  m.c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
  m.a = {{{},
          {1. / 5},
          {3. / 40, 9. / 40},
          {44. / 45, -56. / 15, 32. / 9},
          {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
          {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
          {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}};
  m.b = m.a[6];
  m.e = minus(
      m.b, {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100, 1. / 40});
  m.d = {{{1, -183. / 64, 37. / 12, -145. / 128},
          {},
          {0, 1500. / 371, -1000. / 159, 1000. / 371},
          {0, -125. / 32, 125. / 12, -375. / 64},
          {0, 9477. / 3392, -729. / 106, 25515. / 6784},
          {0, -11. / 7, 11. / 3, -55. / 28},
          {0, 3. / 2, -4, 5. / 2}}};
  m.dense = true;
  m.dense_order = 4;
  return m;
}

constexpr Tableau make_rkf45() {  // Fehlberg 4(5): goes on with the fourth-order result
  Tableau m{.name = "rkf45", .stages = 6, .order = 4, .error_order = 5, .end_stage = 4};
  m.c = {0, 1. / 4, 3. / 8, 12. / 13, 1, 1. / 2};
  m.a = {{{},
          {1. / 4},
          {3. / 32, 9. / 32},
          {1932. / 2197, -7200. / 2197, 7296. / 2197},
          {439. / 216, -8, 3680. / 513, -845. / 4104},
          {-8. / 27, 2, -3544. / 2565, 1859. / 4104, -11. / 40}}};
  m.b = {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0};
  m.e = minus(m.b, {16. / 135, 0, 6656. / 12825, 28561. / 56430, -9. / 50, 2. / 55});
  return m;
}

constexpr Tableau make_two_stage(std::string_view name, double alpha) {
  Tableau m{.name = name, .stages = 2, .order = 2};
  m.c = {0, 1 / (2 * alpha)};
  m.a = {{{}, {1 / (2 * alpha)}}};
  m.b = {1 - alpha, alpha};
  return m;
}

}  // namespace

constexpr Tableau euler_tableau = make_euler();
constexpr Tableau heun_tableau = make_two_stage("heun", 0.5);
constexpr Tableau midpoint_tableau = make_two_stage("midpoint", 1);
constexpr Tableau rk3_tableau = make_rk3();
constexpr Tableau rk4_tableau = make_rk4();
constexpr Tableau ode23_tableau = make_ode23();
constexpr Tableau ode45_tableau = make_ode45();
constexpr Tableau rkf45_tableau = make_rkf45();

Tableau two_stage_tableau(double alpha) {
  if (!std::isfinite(1 / alpha)) throw std::invalid_argument("rk2: alpha must not be 0");
  return make_two_stage("rk2", alpha);
}

}  // namespace cardan
