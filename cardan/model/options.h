#pragma once
// What an analysis can be told: the same structures serve the model file, the command line and
// programs.
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "cardan/base/diagnostic.h"

namespace cardan {

struct AssemblyOptions {
  SourcePos where;
  double tolerance = 1e-12;  // on constraint residuals, relative to the size of the mechanism
  int max_iterations = 200;
};

// A table of options that belong to the integration method; NaN and empty: the method's own.
struct IntegratorSettings {
  static constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
  double alpha = not_given;         // rk2: weight of the second stage; hht: its alpha
  double beta = not_given;          // newmark
  double gamma = not_given;         // newmark
  double rho_infinity = not_given;  // generalized-alpha
  std::string start;                // multistep methods of fixed step: how they start
  std::string variant;              // of the method
};

struct DynamicOptions {
  SourcePos where;
  SourcePos formulation_where, integrator_where;  // of these two words
  double until = 1;
  double output_step = 0;     // 0: until / 200
  std::string rows = "auto";  // "grid": every output_step; "steps": where the solver steps; "both".
                              // auto: grid where output_step is given, else both
  long max_rows = 100'000;    // stored rows beyond the grid are thinned to keep to it
  std::string formulation = "auto";
  std::string integrator = "auto";
  IntegratorSettings integrator_settings;
  int order = 0;    // 0: the method's own
  double step = 0;  // fixed-step methods; 0: not given
  double rtol = 1e-6;
  double atol = 1e-8;
  std::vector<std::string> atol_each;  // "slider.x = 1e-9 m", "velocities = 1e-6": instead of atol
  double atol_each_share = 1;          // what these are multiplied with, in finer and coarser runs
  bool norm_control = false;           // the error of all, not of each component
  double max_step = std::numeric_limits<double>::infinity();
  double min_step = 0;  // where it would not do, the run ends; 0: down to round-off
  long max_steps = 100'000'000;
  bool error_estimate = false;  // a second, finer run tells the error of every sample

  // ---- of some formulations; see docs/theory/formulations.md
  // Of direct and baumgarte: violation that ends the run; 0: a share of the mechanism's size.
  double max_drift = 0;
  // Of hybrid: violation that is corrected; 0: from rtol and the mechanism's size.
  double constraint_tolerance = 0;
  static constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
  double alpha = not_given,
         beta = not_given;  // baumgarte, hybrid: phi'' + 2 alpha phi' + beta^2 phi = 0
  double zeta = not_given, omega = not_given;  // the same as alpha = zeta omega, beta = omega
  std::string gains = "stability";        // how they are chosen when not given; or "ostermeyer"
  double safety = 0.5;                    // share of the stability limit that is used
  std::string stabilization = "classic";  // or "adaptive", "penalty", "gradient", "feedback"

  // ---- of the implicit formulations; see docs/theory/implicit.md
  std::string jacobian = "exact";        // state-space: or "fv", which neglects terms
  std::string predictor = "best";        // state-space: or "paper", "previous", "zero"
  double newton_tolerance = 0;           // of Newton's iteration; 0: from rtol and atol
  int newton_iterations = 0;             // allowed in a step; 0: the method's own
  std::vector<std::string> sensitivity;  // parameters that every channel is derived by

  // Of formulations in independent coordinates: which ones to begin with, "crank.angle"; empty: chosen.
  std::vector<std::string> independent;
};

struct KinematicOptions {
  SourcePos where;
  double until = 1;
  double output_step = 0;                // 0: until / 200
  bool range = false;                    // sweep the driver both ways to its limits
  std::vector<std::string> sensitivity;  // parameters that every channel is derived by
};

struct InverseOptions {
  SourcePos where;
  double until = 1;
  double output_step = 0;                // 0: until / 200
  std::vector<std::string> sensitivity;  // parameters that every channel is derived by
};

struct LineariseOptions {
  SourcePos where;
  std::vector<std::string> inputs;   // names of inputs, drivers and forces
  std::vector<std::string> outputs;  // names of channels
  std::vector<double> frequencies;   // Hz, of the frequency response
  std::vector<double> times;         // s, of a motion along which it is done; none: where it starts
  double rtol = 1e-6, atol = 1e-8;   // of that motion
  std::string locus;  // "parameter = from:step:to" over which eigenvalues are followed; empty: none
  std::vector<std::string> sensitivity;  // parameters that eigenvalues are derived by
};

struct EquilibriumOptions {
  SourcePos where;
  std::string method = "auto";  // or "newton", "energy", "dfp", "settling"
  bool all = false;             // look for further ones from many starts
  double tolerance = 1e-11;     // of forces left, relative to the largest
  int max_iterations = 2000;
  // "element.setting" that makes the drawn pose the equilibrium; empty: none.
  std::string solve_for;
  std::vector<std::string> sensitivity;  // parameters that the equilibrium is derived by
};

using Analysis = std::variant<AssemblyOptions,
                              KinematicOptions,
                              InverseOptions,
                              DynamicOptions,
                              LineariseOptions,
                              EquilibriumOptions>;

}  // namespace cardan
