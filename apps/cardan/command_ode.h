#pragma once
// cardan ode: what was asked for, from a file and from the command line, and the parts that do it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cardan/ode/formula_system.h"
#include "cardan/ode/integrator.h"
#include "cardan/ode/registry.h"
#include "console.h"

namespace cardan::app {

// As written; formulas of the parameters where a number is meant. Empty: not said.
struct OdeOptions {
  std::vector<std::string> system;  // equations, or one file
  std::vector<std::string> set, start, exact, event,
      show;  // "name=value"; exact may be without a name
  std::string from, until, integrator, formulation, step, rtol, atol, output_step;
  int order = 0;
  std::string alpha, gamma, beta, rho, variant, starter;
  bool csv = false, steps = false, stop_at_event = false, differences = false, list = false,
       force = false;
  std::optional<std::vector<std::string>> stability, study;
  std::string output, watch, tableau, max_step, min_step;
  bool norm_control = false;
  std::vector<int> halvings;
  std::optional<std::vector<std::string>> plot;  // variables over time; empty: all
  std::vector<std::string> phase, with;          // "x, x'"; changed values of a further curve
};

struct OdeFormula {  // a column of its own
  std::string text;
  Expression formula;
};

struct OdeEvent {
  std::string text;  // "x falling"
  Expression formula;
  Crossing direction = Crossing::either;
  std::vector<std::pair<std::size_t, Expression>>
      changes;  // of components, all from the old values
  bool stop = false;
};

// What a run passed through, for plots: points of a step too.
struct OdePath {
  std::string label;  // what was changed; empty: nothing
  std::vector<std::string> names;
  std::vector<double> t;
  std::vector<std::vector<double>> values;  // by name
};

// The same, ready to run.
struct OdeCase {
  std::string title;
  std::unique_ptr<FormulaSystem> system;
  double from = 0, until = 0;
  std::vector<double> y0;
  std::string integrator;
  MethodOptions method;
  Tolerance tolerance;
  double step = 0, output_step = 0;  // 0: not said
  double max_step = std::numeric_limits<double>::infinity(), min_step = 0;
  std::vector<std::optional<Expression>> exact;  // per component
  std::vector<OdeEvent> events;
  std::vector<OdeFormula> shown;

  bool has_exact() const;
  std::optional<double> exact_value(std::size_t component, double t) const;
};

Result<OdeCase> make_ode_case(const OdeOptions&);

// One method of a list: "rk4", or "ab:3" with its order.
struct MethodChoice {
  std::string label;
  const MethodEntry* entry = nullptr;
  MethodOptions options;
};

Result<MethodChoice> choose_method(const std::string& word, const MethodOptions& base);
MethodOptions method_options(const OdeOptions&, Diagnostics&);

// Options that were given and that mean nothing beside the others.
Diagnostics useless_options(const OdeOptions&, bool energies);

// Whether a picture of the solution was asked for; and it, in the file of --output or the terminal.
bool wants_plots(const OdeOptions&);
Diagnostics show_plots(const std::vector<OdePath>&, const OdeOptions&, const Console&);

int list_integrators(const Console&);
int show_stability(const OdeOptions&, const Console&);
int run_ode(const OdeCase&, const OdeOptions&, const Console&);
int show_differences(const OdeCase&, const Console&);
int study_ode(const OdeCase&, const OdeOptions&, const Console&);

// Writes an SVG file: where asked, refusing to replace unless forced; otherwise under the first
// free name "<word>.svg", "<word>-2.svg", ... of this folder. Gives the path.
Result<std::string> write_svg(const std::string& text, const std::string& word, const OdeOptions&);

}  // namespace cardan::app
