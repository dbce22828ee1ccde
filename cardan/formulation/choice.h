#pragma once
// formulation = "auto" and integrator = "auto" decided from the mechanism: its size, redundant
// constraints, stiffness where it starts, events, and the tolerance asked for.
#include <complex>

#include "cardan/formulation/formulation.h"

namespace cardan {

// The largest rate 1/s of the motion linearised about a state, by power iteration with differences.
struct DominantRate {
  double rate = 0;
  bool decays = false;  // rather than oscillates or grows
  // The eigenvalue that it belongs to, of the space that the last two directions span; of a pair the
  // one with the larger real part.
  std::complex<double> eigenvalue{};
};

DominantRate fastest_rate(const System&, const std::vector<char>& active, const State&);

// How large the motion is as it begins, m, rad, m/s and rad/s alike: speeds, and what accelerations and
// speeds grow to against the stiffness on their way. 1 where it is not small: it is larger, or nothing
// takes it back. 0 where nothing moves but round-off.
double small_motion(const System&, const std::vector<char>& active, const State&);

struct SelectionCriteria {
  int freedoms = 0, equations = 0, redundant = 0;
  double span = 0, rtol = 0;  // time to be integrated over
  bool events = false;        // elements that switch
  DominantRate fastest;
  bool stiff() const;
};

void choose(const SelectionCriteria&, DynamicOptions&);  // replaces "auto"

// Both for a system; the note tells what was chosen and why. Nothing when all was given.
std::optional<Diagnostic> choose_automatically(const System&,
                                               const std::vector<char>& active,
                                               const State& start,
                                               DynamicOptions&);

// What is left to the program while the motion goes on.
struct Freedom {
  bool formulation = false, integrator = false;
};

// During a run with an explicit method that was chosen, at a state with the step h it takes there:
// whether stability holds the steps down and an implicit method would pay. Then the options become
// those of a stiff motion, and the note says why.
std::optional<Diagnostic> change_over(const System&,
                                      const std::vector<char>& active,
                                      const State&,
                                      double h,
                                      const Traits& explicit_method,
                                      const Freedom&,
                                      DynamicOptions&);

}  // namespace cardan
