// The table of backward differences of f along a run with equal steps, a row a step, and the errors
// that they estimate for the next step of an Adams predictor and its corrector.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/study_differences.h"
#include "command_ode.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

std::string cell(const std::vector<double>& values, std::size_t k) {
  return values.empty() ? fmt::format("{:>15}", "") : fmt::format("{:>15.6e}", values[k]);
}

void print_table(const std::vector<DifferenceRow>& rows,
                 const std::string& name,
                 std::size_t k,
                 int order,
                 const Console& console) {
  std::string head = fmt::format("{:>4}{:>12}{:>16}", "k", "t", name);
  for (int i = 0; i <= order; ++i) head += fmt::format("{:>15}", fmt::format("nabla^{} f", i));
  console.print(head + fmt::format("{:>15}{:>15}\n", "predictor", "corrector"));
  for (const DifferenceRow& row : rows) {
    std::string line = fmt::format("{:>4}{:>12.6g}{:>16.9g}", row.order, row.t, row.y[k]);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(order); ++i) {
      line += i < row.differences.size() ? fmt::format("{:>15.8g}", row.differences[i][k])
                                         : fmt::format("{:>15}", "");
    }
    console.print(line + cell(row.predictor_error, k) + cell(row.corrector_error, k) + "\n");
  }
  console.print("\n");
}

Json to_json(const std::vector<DifferenceRow>& rows, const std::string& name, std::size_t k) {
  Json list = Json::array();
  for (const DifferenceRow& row : rows) {
    Json differences = Json::array();
    for (const std::vector<double>& d : row.differences) differences.push_back(d[k]);
    Json object{{"variable", name},
                {"t", row.t},
                {"value", row.y[k]},
                {"order", row.order},
                {"differences", differences}};
    if (!row.predictor_error.empty()) object["predictor_error"] = row.predictor_error[k];
    if (!row.corrector_error.empty()) object["corrector_error"] = row.corrector_error[k];
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

int show_differences(const OdeCase& c, const Console& console) {
  Result<std::unique_ptr<Method>> method = make_method(c.integrator, c.method, *c.system);
  if (!method) return console.fail(method.why());
  const Traits traits = method.value()->traits();
  if (traits.adaptive || c.step == 0) {
    return console.fail(usage_fault("usage.bad-value",
                                    fmt::format("differences with {}", traits.name),
                                    "equal steps: a method with fixed step, and --step"));
  }
  IntegratorOptions how;
  how.step = c.step;
  Integrator integrator(std::move(method).value(), c.tolerance, how);
  std::vector<std::pair<double, std::vector<double>>> points{{c.from, c.y0}};
  integrator.on_step = [&](const StepRecord& step) {
    points.push_back({step.t, {step.y.begin(), step.y.end()}});
    return Flow::go_on;
  };
  if (integrator.start(c.from, c.y0) != Eval::ok) {
    return console.fail(
        usage_fault("numeric.not-finite", "a right side has no value at the start", ""));
  }
  const Stop stop = integrator.advance(c.until);
  const int order = std::min(12, traits.order_max);
  const std::vector<DifferenceRow> rows = difference_table(*c.system, points, order);
  Json list = Json::array();
  for (std::size_t k = 0; k < c.y0.size(); ++k) {
    print_table(rows, c.system->names()[k], k, order, console);
    for (Json& row : to_json(rows, c.system->names()[k], k)) list.push_back(std::move(row));
  }
  console.print(
      "predictor, corrector: the errors h gamma_k nabla^k f_n and h gamma*_(k+1) nabla^(k+1) "
      "f_(n+1) "
      "estimated for the next step\n");
  const int code = stop.why == Stop::Why::failure ? console.fail(to_diagnostic(stop.failure)) : 0;
  console.print_json("differences",
                     {{"integrator", c.integrator}, {"step", c.step}, {"rows", list}});
  return code;
}

}  // namespace cardan::app
