#pragma once
// What was written about a system, in a file and on the command line, each with its place.
#include "command_ode.h"

namespace cardan::app {

struct OdeTexts {
  std::string title;
  std::vector<NamedText> equations, parameters, start, exact, events, shown;
  NamedText from, until, step, rtol, atol, output_step, max_step, min_step;
  std::vector<NamedText> atol_each;
  bool norm_control = false;
  std::string integrator;
};

// The file's words and, over them, those of the command line; the file's order goes into the
// options.
Result<OdeTexts> gather_texts(OdeOptions&);

// "x=1, y=atan2(1, 2)" -> both; a comma in brackets is no end.
std::vector<std::string> split_list(const std::string& text);

// Whether the equations are a kinetic energy "T = ..." with what belongs to it; and their run.
bool has_energies(const OdeTexts&);
int run_energies(const OdeTexts&, const OdeOptions&, const Console&);

}  // namespace cardan::app
