// Document 001: E. J. Haug, D. Negrut, M. Iancu, implicit integration of the state-space equations
// of constrained mechanisms. IMPL is the formulation state-space with newmark and the exact
// Jacobian, FV the same with the terms of Fisette and Vaneghem (jacobian = "fv").
#include <cmath>

#include <fmt/format.h>

#include "cardan/documents/documents.h"
#include "cardan/documents/experiments.h"
#include "cardan/math/elementary.h"
#include "cardan/study/largest_step.h"

namespace cardan::documents {

namespace {

DocumentItem lost_table(const char* remark) {
  DocumentItem item;
  item.verdict = Verdict::lost;
  item.how = "Not made.";
  item.remark = remark;
  return item;
}

DocumentItem pendulum_data() {
  return lost_table(
      "Only L1 = 1 is left of the table. Values known from later papers on the same mechanism "
      "(L1 = 1 m, m1 = 3 kg, k1 = 400 N m/rad, c1 = 15 N m s/rad, L2 = 1.5 m, m2 = 0.3 kg, k2 = "
      "3e5 "
      "N m/rad, c2 = 5e4 N m s/rad; L are half lengths) have an eigenvalue of -1e5 1/s, with which "
      "the printed explicit step of 0.00012 s is not stable: they cannot be the table's. The model "
      "models/stiff-double-pendulum uses them.");
}

DocumentItem pendulum_start() {
  return lost_table(
      "The row of positions is missing, and the row of velocities (all 0 but an angular velocity "
      "of 10 rad/s) does not fit the constraints as velocities of the mass centres.");
}

DocumentItem slider_data() {
  return lost_table("Stiffness, damping and free length of the spring are not printed.");
}

DocumentItem slider_start() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how =
      "Place of the second mass centre from the angles, with L1 = 0.3 and L2 = 0.6 as half lengths "
      "and the second bar at 11 pi/6.";
  item.remark =
      "The printed angle of body 2, 3 pi/2, contradicts its printed place, which belongs to "
      "11 pi/6.";
  const double angle = 11 * M_PI / 6;
  item.tables.push_back(printed_table(
      "", {"body 2", "value"}, "x 0.5196152\ny 0.3\nangle 4.7123890", [&](int row, int) {
        const double values[] = {
            0.6 * elementary::cos(angle), 0.6 + 0.6 * elementary::sin(angle), angle};
        return values[row];
      }));
  mark(item.tables[0], 2, 0, Verdict::misprint);
  return item;
}

DocumentItem mechanism_figure() {
  DocumentItem item;
  item.verdict = Verdict::lost;
  item.picture = "Drawings of the double pendulum, the slider-crank and the seven bodies.";
  item.how =
      "`cardan run models/stiff-double-pendulum`, `models/andrews-stiff`: the reports draw them "
      "moving.";
  return item;
}

// ---------------------------------------------------------------- largest steps

ModelRun newmark(const std::string& model, const std::string& jacobian) {
  ModelRun run(model);
  DynamicOptions& o = run.options();
  o.formulation = "state-space";
  o.integrator = "newmark";
  o.jacobian = jacobian;
  o.newton_tolerance = 1e-8;
  o.rows = "grid";
  return run;
}

// With the two angles of models/stiff-double-pendulum as independent coordinates.
ModelRun pendulum(const std::string& jacobian) {
  ModelRun run = newmark("stiff-double-pendulum", jacobian);
  run.options().independent = {"upper.angle", "lower.angle"};
  return run;
}

double largest(ModelRun run, const std::string& predictor, int iterations, double grid) {
  run.options().predictor = predictor;
  run.options().newton_iterations = iterations;
  const Checked checked = check_model(run.model());
  StepSearch search;
  search.grid = grid;
  search.solvable = true;
  return find_largest_step(*checked.system,
                           checked.assembly.mobility,
                           checked.assembly.state,
                           run.options(),
                           search)
      .step;
}

DocumentItem step_comparison() {
  DocumentItem item;
  item.verdict = Verdict::not_reproduced;
  item.how =
      "Largest step, counted up from 0.0001 s in steps of 0.0001 s, with which every step of the "
      "run is solved within five iterations from zero accelerations, corrections below 1e-8 "
      "(models/andrews-stiff; models/stiff-double-pendulum with data of later papers and the two "
      "angles as independent coordinates).";
  item.remark =
      "The paper does not say how it stops its iterations. Tried for the seven bodies: tolerances "
      "1e-6 to 1e-10, starts from zero, from the last accelerations and from the paper's "
      "predictor, "
      "caps of 4 to 12 iterations, other independent coordinates, other stiffnesses and dampings. "
      "No setting gives both printed steps: 0.0001 of FV needs a cap of about five, with which "
      "IMPL "
      "reaches 0.0011, and 0.0018 of IMPL one of ten, with which FV reaches 0.0006. The "
      "slider-crank's data are lost. The double pendulum starts with accelerations of 6.5e5 "
      "rad/s^2, which take the independent coordinates that pivoting chooses (an angle and a "
      "height) off the poses that exist after 0.001 s; its two angles go further. Its energy is "
      "not "
      "asked for here: with steps above 0.0038 s it grows.";
  const auto of = [](int row, const char* jacobian) {
    return largest(
        row == 0 ? pendulum(jacobian) : newmark("andrews-stiff", jacobian), "zero", 5, 1e-4);
  };
  PrintedTable table = printed_table("",
                                     {"mechanism", "IMPL", "FV"},
                                     "double-pendulum 0.015 0.0089\nslider-crank 0.0649 "
                                     "0.0086\nseven-bodies 0.0018 0.0001",
                                     [&](int row, int column) {
                                       const char* jacobian = column == 0 ? "exact" : "fv";
                                       if (row == 1) return static_cast<double>(NAN);
                                       return of(row, jacobian);
                                     });
  for (int column = 0; column < 2; ++column) {
    mark(table, 0, column, Verdict::inferred);
    mark(table, 1, column, Verdict::lost);
  }
  mark(table, 2, 0, Verdict::not_reproduced);
  item.tables.push_back(std::move(table));
  return item;
}

// ---------------------------------------------------------------- iterations

// Iterations of Newton's method in every step.
std::vector<double> iterations(ModelRun run, double h) {
  run.options().predictor = "paper";
  run.options().step = h;
  run.options().output_step = h;
  std::vector<double> out;
  run.run([&](std::string_view line) {
    if (line.find("Newton: largest correction of accelerations") != std::string_view::npos) {
      if (out.empty()) out.push_back(0);
      ++out.back();
    } else if (!out.empty() && out.back() > 0) {
      out.push_back(0);
    }
  });
  if (!out.empty() && out.back() == 0) out.pop_back();
  return out;
}

DocumentItem seven_body_iterations() {
  DocumentItem item;
  item.verdict = Verdict::not_reproduced;
  item.picture =
      "Iterations in every step of 0.0001 s, solid for IMPL and dashed for FV; the text says that "
      "IMPL needs half of FV's or less.";
  item.how =
      "models/andrews-stiff with h = 0.0001 s, the paper's predictor, corrections below 1e-8: "
      "iterations of the whole run, and their mean.";
  item.remark =
      "IMPL needs 0.71 of FV's iterations here. Tried: tolerances 1e-6 to 1e-10 with starts from "
      "the paper's predictor, from the last accelerations, from zero and from the best of the "
      "three: 0.71 to 0.94. Half is what the mechanism without its damper needs.";
  std::vector<double> totals, means;
  for (const char* jacobian : {"exact", "fv"}) {
    ModelRun run = newmark("andrews-stiff", jacobian);
    run.options().predictor = "paper";
    run.options().step = 1e-4;
    run.run();
    totals.push_back(static_cast<double>(run.outcome().summary.stats.newton_iterations));
    means.push_back(totals.back() / static_cast<double>(run.outcome().summary.stats.steps));
  }
  item.tables.push_back(printed_table(
      "", {"matrix", "iterations", "a step"}, "IMPL - -\nFV - -", [&](int row, int column) {
        const auto at = static_cast<std::size_t>(row);
        return column == 0 ? totals[at] : means[at];
      }));
  Plot plot = plot_of("Iterations of the seven bodies, h = 0.0001 s",
                      {"step", "", false, {}},
                      {"iterations", "", false, {}});
  for (const auto& [name, jacobian] : {std::pair{"IMPL", "exact"}, {"FV", "fv"}}) {
    const std::vector<double> counts = iterations(newmark("andrews-stiff", jacobian), 1e-4);
    std::vector<double> steps;
    for (std::size_t k = 0; k < counts.size(); ++k) steps.push_back(static_cast<double>(k + 1));
    PlotCurve curve = curve_of(name, steps, counts);
    curve.dashed = plot.curves.size() == 1;
    plot.curves.push_back(std::move(curve));
  }
  item.plots.push_back(std::move(plot));
  return item;
}

DocumentItem lost_iterations() {
  DocumentItem item;
  item.verdict = Verdict::lost;
  item.picture =
      "Iterations in every step for the double pendulum (h = 0.0089 s) and the slider-crank (h = "
      "0.0086 s).";
  item.how = "Not made: the data of both mechanisms are lost.";
  return item;
}

// ---------------------------------------------------------------- the explicit method

DocumentItem explicit_steps() {
  DocumentItem item;
  item.verdict = Verdict::inferred;
  item.how =
      "Largest stable step of Adams-Bashforth-Moulton of order 2 (ampc), 0.1 s of "
      "models/stiff-double-pendulum, by bisection: a run counts when the lower bar turns slower "
      "than 10 rad/s at its end, as it "
      "does in the true motion (4.93 rad/s). IMPL: steps counted up by 0.001 s, solved within 30 "
      "iterations from zero accelerations, with the two angles as independent coordinates.";
  item.remark =
      "With these data, which are not the paper's, the stiff eigenvalue -9.99e4 1/s allows 1.97e-5 "
      "s; 0.00012 s would need c2 = 8.3e3 N m s/rad. For IMPL see the remark of Table 5.";
  const auto stable = [](double h) {
    ModelRun run("stiff-double-pendulum");
    DynamicOptions& o = run.options();
    o.formulation = "partitioned";
    o.integrator = "ampc";
    o.order = 2;
    o.step = h;
    o.output_step = 1e-3;
    o.rows = "grid";
    run.run();
    return run.outcome().summary.status != "failed" && std::abs(run.last("lower.omega")) < 10;
  };
  double good = 1e-5, bad = 4e-5;
  while (bad - good > 1e-7) {
    const double middle = (good + bad) / 2;
    (stable(middle) ? good : bad) = middle;
  }
  PrintedTable table =
      printed_table("", {"method", "largest h"}, "EXPL 0.00012\nIMPL 0.02", [&](int row, int) {
        return row == 0 ? good : largest(pendulum("exact"), "zero", 30, 1e-3);
      });
  mark_all(table, Verdict::inferred);
  item.tables.push_back(std::move(table));
  return item;
}

DocumentItem seven_body_errors() {
  DocumentItem item;
  item.how =
      "Angle of the first body at 0.035 s with the trapezoidal rule (gamma = 1/2, beta = 1/4), "
      "less "
      "the converged 0.28964493459578848: errors fall with h^2, the same for both matrices.";
  item.remark = "The paper prints no errors of this mechanism.";
  const std::vector<double> steps{5e-4, 2.5e-4, 1e-4, 5e-5};
  PrintedTable table = printed_table("",
                                     {"h", "IMPL", "FV"},
                                     "5e-4 - -\n2.5e-4 - -\n1e-4 - -\n5e-5 - -",
                                     [&](int row, int column) {
                                       ModelRun run =
                                           newmark("andrews-stiff", column == 0 ? "exact" : "fv");
                                       run.options().step = steps[static_cast<std::size_t>(row)];
                                       run.options().newton_tolerance = 1e-10;
                                       run.run();
                                       return run.last("K1.angle") - 0.28964493459578848;
                                     });
  item.tables.push_back(std::move(table));
  return item;
}

}  // namespace

const DocumentEntry entries_001[] = {
    {"1", "Data of the double pendulum", pendulum_data},
    {"2", "Initial values of the double pendulum", pendulum_start},
    {"4.1", "Largest steps of the double pendulum", explicit_steps},
    {"3", "Data of the slider-crank", slider_data},
    {"4", "Initial values of the slider-crank", slider_start},
    {"figures 6 to 8", "The three mechanisms", mechanism_figure},
    {"4.3", "Errors of the seven bodies", seven_body_errors},
    {"5", "Largest steps of IMPL and FV", step_comparison},
    {"figures 9 and 10", "Iterations of double pendulum and slider-crank", lost_iterations},
    {"figure 11", "Iterations of the seven bodies", seven_body_iterations},
};

std::span<const DocumentEntry> document_001() {
  return entries_001;
}

}  // namespace cardan::documents
