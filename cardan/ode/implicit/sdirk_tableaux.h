#pragma once
// Diagonally implicit Runge-Kutta methods, all stiffly accurate (the last stage is the result) with
// the same gamma in every implicit stage.
//   backward Euler, trapezoidal rule (explicit first stage)
//   SDIRK 2, 3 of Alexander (1977), SDIRK 4 of Hairer & Wanner II, table IV.6.5: L-stable
//   ode23t: the trapezoidal rule with error control, ode23tb: TR-BDF2 of Bank et al. (1985) with the
//     error estimate of Hosea & Shampine, Appl. Numer. Math. 20 (1996)
//   ESDIRK 4(3): Kennedy & Carpenter's implicit part of ARK4(3)6L[2]SA (2003), stage order 2
// Interpolation: y(theta) = y_n + h sum_i (sum_m dense[i][m] theta^(m+1)) k_i where a tableau has
// it, otherwise Hermite's cubic with the first and last slopes.
#include <string_view>

namespace cardan {

struct DiagonalTableau {
  static constexpr int most = 6;
  std::string_view name;
  int order = 1;
  int error_order = 0;  // of the embedded method, 0: none
  int stages = 1;
  bool explicit_first = false;
  double gamma = 1;
  double c[most] = {};
  double a[most][most] = {};  // without the diagonal
  double e[most] = {};        // b minus the embedded weights
  bool past_slope = false;    // error of the trapezoidal rule by the slope a step before instead
  bool filtered = false;      // the error is multiplied by (I - h gamma f_y)^-1
  int dense_degree = 0;       // 0: Hermite
  double dense[most][4] = {};
};

extern const DiagonalTableau backward_euler_tableau, trapezoidal_tableau, sdirk2_tableau,
    sdirk3_tableau, sdirk4_tableau, esdirk4_tableau, ode23t_tableau, ode23tb_tableau;

}  // namespace cardan
