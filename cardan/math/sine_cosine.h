#pragma once
// Sine and cosine of many angles at once: the same operations for all of them, no branches, so that
// a compiler can do several in one instruction. Errors stay below one unit in the last place, and
// the results are the same on every machine.
#include <cstddef>

namespace cardan {

// Of `count` angles, `stride` numbers apart; out: cosine and sine of each.
void cosines_and_sines(const double* angles, std::size_t stride, std::size_t count, double* out);

}  // namespace cardan
