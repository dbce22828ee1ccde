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
  std::string output, watch, tableau;
  std::vector<int> halvings{4, 14};
};

struct OdeFormula {  // an event, or a column of its own
  std::string text;
  Expression formula;
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
  double step = 0, output_step = 0;              // 0: not said
  std::vector<std::optional<Expression>> exact;  // per component
  std::vector<OdeFormula> events, shown;

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

int list_integrators(const Console&);
int show_stability(const OdeOptions&, const Console&);
int run_ode(const OdeCase&, const OdeOptions&, const Console&);
int show_differences(const OdeCase&, const Console&);
int study_ode(const OdeCase&, const OdeOptions&, const Console&);

// Writes an SVG file: where asked, refusing to replace unless forced; otherwise under the first
// free name "<word>.svg", "<word>-2.svg", ... of this folder. Gives the path.
Result<std::string> write_svg(const std::string& text, const std::string& word, const OdeOptions&);

}  // namespace cardan::app
