#include "cardan/analysis/dynamic/state_between.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace cardan {

bool state_between(const System& system,
                   double t,
                   double d,
                   const std::function<bool(double, State&)>& recover,
                   State& out) {
  constexpr double weights[] = {0, 4.0 / 5, -2.0 / 5, 4.0 / 35, -1.0 / 70};
  constexpr int points = 4;
  State beside = out, sum = out;
  const auto lists = [](State& s) {
    return std::array{&s.q, &s.v, &s.a, &s.lambda, &s.z};
  };
  for (auto* list : lists(sum)) std::fill(list->begin(), list->end(), 0.0);
  for (int k = -points; k <= points; ++k) {
    if (k == 0) continue;
    if (!recover(t + k * d, beside)) return false;
    const auto from = lists(beside), to = lists(sum);
    for (std::size_t i = 0; i < from.size(); ++i)
      for (std::size_t j = 0; j < to[i]->size(); ++j)
        (*to[i])[j] += weights[std::abs(k)] * (*from[i])[j];
  }
  system.normalise(sum.q);
  sum.t = t;
  out = sum;
  return true;
}

}  // namespace cardan
