// Document 002: modified Adams-Moulton predictor-correctors with Baumgarte's stabilization. AMPC_k is
// the predictor AB of order k with the corrector of the same order, MAMPC_k the one of order k + 1.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/documents/documents.h"
#include "cardan/documents/experiments.h"
#include "cardan/math/elementary.h"
#include "cardan/ode/adams/adams_coefficients.h"

namespace cardan::documents {

namespace {

DocumentItem coefficients() {
  DocumentItem item;
  item.how = "Exactly, as fractions, from their recursions.";
  PrintedTable table;
  table.head = {"k", "0", "1", "2", "3", "4", "5"};
  const auto add = [&](const char* label,
                       const std::vector<std::string>& printed,
                       std::span<const Rational> ours) {
    PrintedTable::Row row{label, {}};
    for (std::size_t i = 0; i < printed.size(); ++i) {
      PrintedCell cell{printed[i]};
      cell.text = to_text(ours[i]);
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  };
  add("Bashforth", {"1", "1/2", "5/12", "3/8", "251/720", "95/288"}, adams_gamma);
  add("Moulton", {"1", "-1/2", "-1/12", "-1/24", "-19/720", "-3/160"}, adams_gamma_star);
  item.tables.push_back(std::move(table));
  return item;
}

DocumentItem weights() {
  DocumentItem item;
  item.how =
      "Weights with which predictor and corrector of order m make the corrector of order m + 1, "
      "exactly, as fractions.";
  item.remark = "The paper prints those of m = 3; the others follow from its theorem.";
  PrintedTable table;
  table.head = {"m", "of the predictor", "of the corrector"};
  for (int m = 2; m <= 5; ++m) {
    const AdamsWeights w = modified_weights(m);
    PrintedCell first{m == 3 ? "1/10" : ""}, second{m == 3 ? "9/10" : ""};
    first.text = to_text(w.bashforth);
    second.text = to_text(w.moulton);
    table.rows.push_back({fmt::format("{}", m), {first, second}});
  }
  item.tables.push_back(std::move(table));
  return item;
}

DocumentItem limits() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how =
      "Largest |h lambda| on the negative real axis up to which all roots of the method's "
      "characteristic polynomial stay within the unit circle.";
  item.remark = "Three of the nine are rounded up in their last digit.";
  item.tables.push_back(printed_table("",
                                      {"method", "k = 3", "k = 4", "k = 5"},
                                      R"(
ABP   0.545 0.300 0.164
AMPC  1.729 1.285 0.947
MAMPC 1.935 1.412 1.040)",
                                      [&](int row, int column) {
                                        const char* names[] = {"ab", "ampc", "mampc"};
                                        return stability_limits(
                                            fmt::format("{}:{}", names[row], column + 3))[0];
                                      }));
  mark(item.tables[0], 0, 2, Verdict::misprint);
  mark(item.tables[0], 2, 1, Verdict::misprint);
  mark(item.tables[0], 2, 2, Verdict::misprint);
  return item;
}

template <int k> DocumentItem regions() {
  DocumentItem item;
  item.picture = fmt::format(
      "Stability regions of the predictor-corrector of order {} and of the modified one, which is "
      "larger.",
      k);
  item.how = "Outline of the points where no root is larger than 1.";
  item.plots.push_back(region_plot(fmt::format("Stability regions, k = {}", k),
                                   {fmt::format("ampc:{}", k), fmt::format("mampc:{}", k)}));
  return item;
}

// ---------------------------------------------------------------- the crank-slider

struct CrankSlider {
  bool complete = false;
  double end = 0;
  std::vector<double> t, norm;  // 2-norm of the three constraints at every step

  double mean() const {
    double sum = 0;
    for (const double x : norm) sum += x;
    return sum / static_cast<double>(norm.size());
  }

  double largest() const { return *std::max_element(norm.begin(), norm.end()); }
};

CrankSlider crank_slider(const std::string& method, double h, double alpha) {
  ModelRun run("equations-crank-slider");
  DynamicOptions& o = run.options();
  o.formulation = "baumgarte";
  o.integrator = method;
  o.order = 3;
  o.step = o.output_step = h;
  o.rows = "grid";
  o.alpha = o.beta = alpha;
  o.max_drift = 1e3;
  run.run();
  CrankSlider out;
  out.complete = run.outcome().summary.status != "failed";
  out.end = run.outcome().summary.t_end;
  out.t = run.times();
  const auto theta = run.channel("theta"), phi = run.channel("phi"), x = run.channel("x"),
             y = run.channel("y");
  for (std::size_t k = 0; k < out.t.size(); ++k)
    out.norm.push_back(
        elementary::hypot(0.3 * elementary::cos(theta[k]) - (x[k] - 0.3 * elementary::cos(phi[k])),
                          0.3 * elementary::sin(theta[k]) - (y[k] - 0.3 * elementary::sin(phi[k])),
                          0.2 * elementary::sin(phi[k]) + y[k]));
  return out;
}

constexpr const char* crank_slider_how =
    "models/equations-crank-slider: the paper's theta, phi, x, y with its mass matrix and "
    "constraints, 10 s, g = 9.81 m/s^2, exact initial values, an exact start; mean over all steps "
    "of "
    "the 2-norm of the three constraints, alpha = beta.";

DocumentItem average_errors() {
  DocumentItem item;
  item.verdict = Verdict::convention;
  item.how = crank_slider_how;
  item.remark =
      "The paper gives neither the length of the run nor g; with 10 s and 9.81 m/s^2 all four come "
      "out within 1.4 percent. Its initial values have four digits, with which h = 0.001 cannot "
      "reach the printed errors.";
  PrintedTable table = printed_table(
      "",
      {"method", "h = 0.01", "h = 0.001"},
      "AMPC_3 4.65e-6 4.14e-9\nMAMPC_3 9.8e-7 9.6e-11",
      [](int row, int column) {
        return crank_slider(row == 0 ? "ampc" : "mampc", column == 0 ? 0.01 : 0.001, 5).mean();
      });
  table.within = 0.014;
  table.rule = "within 1.4 percent";
  mark_all(table, Verdict::convention);
  item.tables.push_back(std::move(table));
  return item;
}

DocumentItem error_history(double h, const char* step_text) {
  DocumentItem item;
  item.picture = fmt::format(
      "2-norm of the constraints over time for both methods, h = {} s, logarithmic: the modified "
      "method lies below.",
      step_text);
  item.how = crank_slider_how;
  Plot plot = plot_of(fmt::format("Constraint errors, h = {} s", step_text),
                      {"time", "s", false, {}},
                      {"2-norm", "m", true, {}});
  for (const char* method : {"ampc", "mampc"}) {
    CrankSlider run = crank_slider(method, h, 5);
    plot.curves.push_back(thinned(curve_of(std::string(method) + ":3", run.t, run.norm), 500));
  }
  item.plots.push_back(std::move(plot));
  return item;
}

DocumentItem figure_5() {
  return error_history(0.01, "0.01");
}

DocumentItem figure_6() {
  return error_history(0.001, "0.001");
}

DocumentItem largest_alpha() {
  DocumentItem item;
  item.picture =
      "2-norm of the constraints for large alpha, h = 0.01 s: the usual method is unstable from "
      "alpha = 168, the modified one not before 188.";
  item.how = crank_slider_how;
  item.remark = "The linear limits, stability limit over h, are 172.9 and 193.5.";
  PrintedTable table;
  table.head = {"method and alpha", "stable"};
  Plot plot = plot_of(
      "Constraint errors for large alpha", {"time", "s", false, {}}, {"2-norm", "m", true, {}});

  struct Case {
    const char *method, *printed;
    double alpha;
  };

  for (const Case& c : {Case{"ampc", "", 167},
                        {"ampc", "no", 168},
                        {"mampc", "yes", 168},
                        {"mampc", "yes", 188},
                        {"mampc", "", 190}}) {
    CrankSlider run = crank_slider(c.method, 0.01, c.alpha);
    PrintedCell cell{c.printed};
    // Bounded: the constraints stay within a hundredth of the crank.
    cell.text = run.complete && run.largest() < 3e-3 ? "yes" : "no";
    const std::string label = fmt::format("{}:3, {:g}", c.method, c.alpha);
    table.rows.push_back({label, {cell}});
    for (double& x : run.norm) x = std::min(x, 1e2);
    plot.curves.push_back(thinned(curve_of(label, run.t, run.norm)));
  }
  item.tables.push_back(std::move(table));
  item.plots.push_back(std::move(plot));
  return item;
}

DocumentItem crank_figure() {
  DocumentItem item;
  item.verdict = Verdict::lost;
  item.picture = "A drawing of the crank-slider.";
  item.how = "`cardan run models/doc002-crank-slider`: the report draws it moving.";
  return item;
}

}  // namespace

const DocumentEntry entries_002[] = {
    {"1", "Coefficients of Adams-Bashforth and Adams-Moulton", coefficients},
    {"theorem 1", "Weights of the modified corrector", weights},
    {"figure 1", "Stability regions of order 3", regions<3>},
    {"figure 2", "Stability regions of order 4", regions<4>},
    {"figure 3", "Stability regions of order 5", regions<5>},
    {"2", "Stability limits", limits},
    {"figure 4", "The crank-slider", crank_figure},
    {"3", "Mean constraint errors of the crank-slider", average_errors},
    {"figure 5", "Constraint errors, h = 0.01 s", figure_5},
    {"figure 6", "Constraint errors, h = 0.001 s", figure_6},
    {"figure 7", "Constraint errors for large alpha", largest_alpha},
};

std::span<const DocumentEntry> document_002() {
  return entries_002;
}

}  // namespace cardan::documents
