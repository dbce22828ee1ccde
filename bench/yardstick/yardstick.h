#pragma once
// What the yardstick needs, in microseconds of processor time.
#include <array>

namespace yardstick {

enum class Method { range, structured };  // DOP853 with dense Cholesky factors; with structure

struct Solve {
  double error = 0, us = 0;  // of the angles at the end; per solve
};

Solve solve(Method, double tolerance, int samples);

double evaluation_us();  // of the accelerations with dense Cholesky factors

// How far the seven bodies have turned at the end.
std::array<double, 7> reference_turns();

}  // namespace yardstick
