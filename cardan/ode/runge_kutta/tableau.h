#pragma once
// Explicit Runge-Kutta methods as data:
//   Y_i = y + h sum_{j<i} a_ij k_j,   k_i = f(t + c_i h, Y_i),   y_new = y + h sum b_i k_i,
// error estimate h sum e_i k_i, and dense output y(t + s h) = y + h sum_i b_i(s) k_i with
// b_i(s) = sum_m d_im s^(m+1). Methods without d use cubic Hermite interpolation.
// References: Hairer, Norsett & Wanner, Solving ODEs I (1993), II.1, II.4-II.6; Bogacki & Shampine
// (1989); Dormand & Prince (1980); Fehlberg (1969).
#include <array>
#include <complex>
#include <string_view>
#include <vector>

namespace cardan {

struct Tableau {
  static constexpr int most = 16;
  using Row = std::array<double, most>;

  std::string_view name;
  int stages = 1;
  int order = 1;        // of y_new
  int error_order = 0;  // of the embedded result; 0: no error estimate
  bool fsal = false;    // the last stage is f(t + h, y_new)
  int end_stage = -1;   // a stage with c = 1 before the last evaluation: shows stiffness; -1: none
  Row c{};
  std::array<Row, most> a{};
  Row b{}, e{};
  int dense_order = 3;  // of the interpolant
  std::array<std::array<double, 4>, most> d{};
  bool dense = false;  // d is given
};

extern const Tableau euler_tableau, heun_tableau, midpoint_tableau, rk3_tableau, rk4_tableau;
extern const Tableau ode23_tableau, ode45_tableau, rkf45_tableau, dop853_tableau;

// Two stages of order 2: k_2 at t + h/(2 alpha), weights 1 - alpha and alpha; any alpha but 0.
// alpha = 1/2: Heun; 1: midpoint; 3/4: smallest error constant (Ralston).
Tableau two_stage_tableau(double alpha);

// DOP853 beyond its twelve stages: 13 is f(t + h, y_new); 14 to 16 serve dense output alone.
struct Dop853Extra {
  std::array<double, 3> c;  // of stages 14..16
  std::array<Tableau::Row, 3> a;
  std::array<Tableau::Row, 4> d;  // the four highest coefficients of the interpolant
  Tableau::Row e3;                // third-order error estimate
};

extern const Dop853Extra dop853_extra;

// R(z) = sum r_k z^k: what one step does to y' = lambda y, z = h lambda.
std::vector<double> stability_polynomial(const Tableau&);
std::complex<double> evaluate_polynomial(const std::vector<double>& r, std::complex<double> z);

// Largest x with |R| <= 1 on all of [-x, 0], and on all of [0, ix]; 0 if there is none.
double real_stability_limit(const std::vector<double>& r);
double imaginary_stability_limit(const std::vector<double>& r);

}  // namespace cardan
