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

struct DynamicOptions {
  SourcePos where;
  SourcePos formulation_where, integrator_where;  // of these two words
  double until = 1;
  double output_step = 0;  // 0: until / 200
  std::string formulation = "auto";
  std::string integrator = "auto";
  int order = 0;    // 0: the method's own
  double step = 0;  // fixed-step methods; 0: not given
  double rtol = 1e-6;
  double atol = 1e-8;
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 100'000'000;
  bool error_estimate = false;  // a second, finer run tells the error of every sample

  // ---- of some formulations; see docs/theory/formulations.md
  double max_drift =
      0;  // direct, baumgarte: violation that ends the run; 0: a share of the mechanism's size
  double constraint_tolerance =
      0;  // hybrid: violation that is corrected; 0: from rtol and the mechanism's size
  static constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
  double alpha = not_given,
         beta = not_given;  // baumgarte, hybrid: phi'' + 2 alpha phi' + beta^2 phi = 0
  double zeta = not_given, omega = not_given;  // the same as alpha = zeta omega, beta = omega
  std::string gains = "stability";        // how they are chosen when not given; or "ostermeyer"
  double safety = 0.5;                    // share of the stability limit that is used
  std::string stabilization = "classic";  // or "adaptive", "penalty", "gradient", "feedback"
};

struct KinematicOptions {
  SourcePos where;
  double until = 1;
  double output_step = 0;  // 0: until / 200
};

struct InverseOptions {
  SourcePos where;
  double until = 1;
  double output_step = 0;  // 0: until / 200
};

struct LineariseOptions {
  SourcePos where;
  std::vector<std::string> inputs;   // names of inputs, drivers and forces
  std::vector<std::string> outputs;  // names of channels
  std::vector<double> frequencies;   // Hz, of the frequency response
};

struct EquilibriumOptions {
  SourcePos where;
  std::string method = "auto";  // or "newton", "energy", "dfp", "settling"
  bool all = false;             // look for further ones from many starts
  double tolerance = 1e-11;     // of forces left, relative to the largest
  int max_iterations = 2000;
};

using Analysis = std::variant<AssemblyOptions,
                              KinematicOptions,
                              InverseOptions,
                              DynamicOptions,
                              LineariseOptions,
                              EquilibriumOptions>;

}  // namespace cardan
