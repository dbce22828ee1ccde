#pragma once
// Newton's method down to round-off, for equations r(x) = 0 that are solved again and again from good
// guesses: joints of a pose, velocities on their constraints, rotations of a free body.
//
//   s_k = |r(x_k)|,   x_(k+1) = x_k - W^-1 r(x_k)
//
// Solved when s_k <= aim, or where residuals no longer fall (s_k > s_(k-1) / 2) and are of the order of
// their round-off (s_k <= floor). Given up at a residual that is no number, where a correction cannot
// be made, and after so many passes.
#include <cmath>
#include <limits>

#include "cardan/math/types.h"

namespace cardan {

struct NewtonResidual {
  double size;        // s_k
  double aim, floor;  // in the unit of the size
};

// residual(pass) -> NewtonResidual at the present x; correct(pass, s_k, s_(k-1)) -> Eval moves x on, with
// the matrix that it likes. s_(-1) is infinite.
template <class Residual, class Correct>
Eval newton_to_round_off(int most, Residual&& residual, Correct&& correct) {
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < most; ++pass) {
    const NewtonResidual now = residual(pass);
    if (!std::isfinite(now.size)) return Eval::retry;
    if (now.size <= now.aim || (now.size > 0.5 * before && now.size <= now.floor)) return Eval::ok;
    if (const Eval e = correct(pass, now.size, before); e != Eval::ok) return e;
    before = now.size;
  }
  return Eval::retry;
}

}  // namespace cardan
