#pragma once
// How the time of a lock-up follows parameters. The poses that close all joints lie on a curve
// (q(s), t(s)) that passes smoothly through the lock-up, where t has its largest value. With w any
// motion that the drivers cannot hinder there,
//   | phi_q  -nu | | q_s |   | 0 |       | phi_q  -nu | | q_p |   | -phi_p |
//   | w^T     0  | | t_s | = | 1 |  and  | w^T     0  | | t_p | = |    0   |
// are regular. At t_s = 0, found by the secant method along the curve, the change of s with p does
// not count, and t_p is the derivative of the time of the lock-up.
#include <optional>
#include <vector>

#include "cardan/analysis/sensitivity/parameter_slopes.h"

namespace cardan {

// near: a state shortly before the lock-up at t_lock; motion: w there. None: it is not found.
std::optional<std::vector<double>> lock_up_time_slopes(const System&,
                                                       const std::vector<char>& active,
                                                       const State& near,
                                                       double t_lock,
                                                       const std::vector<double>& motion,
                                                       ParameterSlopes&);

}  // namespace cardan
