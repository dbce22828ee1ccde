// Document 004: E. Bertolazzi, slides on differential-algebraic equations and Baumgarte's
// stabilization, with a pendulum in x and y. Phi = x^2 + y^2 - 1, from (1, 0) at rest.
#include <cmath>

#include <fmt/format.h>

#include "cardan/documents/documents.h"
#include "cardan/documents/experiments.h"
#include "cardan/math/elementary.h"

namespace cardan::documents {

namespace {

struct Settings {
  const char* label;
  const char* method;  // taylor2 or euler
  double omega;        // 0: not stabilised
  double h, g, until;
};

struct Violation {
  std::vector<double> t, x, y, phi;

  double at(double time) const {
    for (std::size_t k = 0; k < t.size(); ++k)
      if (std::abs(t[k] - time) < 1e-6) return phi[k];
    return NAN;
  }
};

Violation pendulum(const Settings& s) {
  ModelRun run("equations-pendulum", {fmt::format("g={} m/s^2", s.g)});
  DynamicOptions& o = run.options();
  o.formulation = s.omega > 0 ? "baumgarte" : "direct";
  o.integrator = s.method;
  o.step = s.h;
  o.until = s.until;
  o.output_step = 0.01;
  o.rows = "grid";
  o.max_drift = 1e30;
  if (s.omega > 0) {
    o.omega = s.omega;
    o.zeta = 0.1;
  }
  run.run();
  Violation out;
  out.t = run.times();
  out.x = run.channel("x");
  out.y = run.channel("y");
  for (std::size_t k = 0; k < out.t.size(); ++k)
    out.phi.push_back(out.x[k] * out.x[k] + out.y[k] * out.y[k] - 1);
  return out;
}

Plot violation_plot(const char* title, const std::vector<Settings>& runs) {
  Plot plot = plot_of(title, {"time", "s", false, {}}, {"x^2 + y^2 - 1", "m^2", false, {}});
  for (const Settings& s : runs) {
    Violation v = pendulum(s);
    plot.curves.push_back(thinned(curve_of(s.label, v.t, v.phi)));
  }
  return plot;
}

Plot orbit_plot(const char* title, const Settings& s) {
  Plot plot = plot_of(title, {"x", "m", false, {}}, {"y", "m", false, {}});
  plot.equal_axes = true;
  Violation v = pendulum(s);
  plot.curves.push_back(thinned(curve_of("", v.x, v.y), 600));
  return plot;
}

PrintedTable value_table(const std::vector<Settings>& runs, const std::vector<double>& times) {
  PrintedTable table;
  table.title = "x^2 + y^2 - 1";
  table.head = {"run"};
  for (const double t : times) table.head.push_back(fmt::format("t = {:g} s", t));
  for (const Settings& s : runs) {
    const Violation v = pendulum(s);
    PrintedTable::Row row{s.label, {}};
    for (const double t : times) row.cells.push_back({"", v.at(t)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr const char* not_printed =
    "The slides do not give g, and the plots are not in the text; g = 9.81 m/s^2 unless said.";

DocumentItem drift(double until, const char* picture) {
  DocumentItem item;
  item.picture = picture;
  item.how =
      "models/equations-pendulum: formulation direct, the Taylor scheme of the slides (taylor2), h "
      "= "
      "0.01 s.";
  item.verdict = Verdict::inferred;
  item.remark = not_printed;
  const Settings s{"Taylor", "taylor2", 0, 0.01, 9.81, until};
  item.tables.push_back(
      value_table({s}, until > 5 ? std::vector<double>{5, 10, 25} : std::vector<double>{1, 2, 5}));
  item.plots.push_back(orbit_plot("Path without stabilization", s));
  item.plots.push_back(violation_plot("Violation without stabilization", {s}));
  return item;
}

DocumentItem drift_short() {
  return drift(5, "Path and coordinates over 5 s without stabilization: the circle widens.");
}

DocumentItem drift_long() {
  return drift(25, "The same over 25 s: the path leaves the circle altogether.");
}

DocumentItem decays(bool by_omega) {
  DocumentItem item;
  item.how =
      "z'' + 2 zeta omega z' + omega^2 z = 0 from z = 1, z' = 0, in closed form; rk4 with 400 "
      "steps "
      "agrees to the figure below.";
  item.picture = by_omega ? "z(t) for zeta = 1 and zeta = 0.5 and several omega."
                          : "z(t) for omega = 2 and omega = 1 and several zeta.";
  item.verdict = Verdict::misprint;
  item.remark =
      "Two formulas of the slides are misprinted: the general one needs z'(0) + zeta omega z(0), "
      "the critical one is (z(0) + t (z'(0) + omega z(0))) e^(-omega t).";
  double worst = 0;
  for (const double fixed : by_omega ? std::vector<double>{1, 0.5} : std::vector<double>{2, 1}) {
    Plot plot = plot_of(fmt::format("z(t), {} = {:g}", by_omega ? "zeta" : "omega", fixed),
                        {"t", "s", false, {}},
                        {"z", "", false, {}});
    for (const double other :
         by_omega ? std::vector<double>{1, 2, 5} : std::vector<double>{0.1, 0.5, 1, 2}) {
      const double zeta = by_omega ? fixed : other, omega = by_omega ? other : fixed;
      std::vector<double> t, z;
      for (int k = 0; k <= 200; ++k) {
        t.push_back(0.05 * k);
        const double x = t.back() * omega;
        const double decay = elementary::exp(-zeta * x);
        if (zeta < 1) {
          const double e = std::sqrt(1 - zeta * zeta);
          z.push_back(decay * (elementary::cos(e * x) + zeta / e * elementary::sin(e * x)));
        } else if (zeta > 1) {
          const double e = std::sqrt(zeta * zeta - 1);
          z.push_back(decay * (elementary::cosh(e * x) + zeta / e * elementary::sinh(e * x)));
        } else {
          z.push_back(decay * (1 + x));
        }
      }
      const auto system =
          formulas({fmt::format("z'' = -{:.17g}*z' - {:.17g}*z", 2 * zeta * omega, omega * omega)});
      const auto rows = fixed_steps(*system, "rk4", {}, {1, 0}, 0.025, 400);
      for (std::size_t k = 0; k < z.size(); ++k)
        worst = std::max(worst, std::abs(rows[2 * k][0] - z[k]));
      plot.curves.push_back(
          curve_of(fmt::format("{} = {:g}", by_omega ? "omega" : "zeta", other), t, z));
    }
    item.plots.push_back(std::move(plot));
  }
  PrintedTable table;
  table.head = {"", "largest difference"};
  table.rows.push_back({"closed form and rk4", {{"", worst}}});
  item.tables.push_back(std::move(table));
  return item;
}

DocumentItem decays_by_omega() {
  return decays(true);
}

DocumentItem decays_by_zeta() {
  return decays(false);
}

DocumentItem stabilised_short() {
  DocumentItem item;
  item.picture = "Path and coordinates with omega = 1, zeta = 0.1: the path stays near the circle.";
  item.how =
      "models/equations-pendulum: formulation baumgarte, explicit Euler, h = 0.01 s, zeta = 0.1.";
  item.verdict = Verdict::inferred;
  item.remark = not_printed;
  const Settings s{"Euler, omega = 1", "euler", 1, 0.01, 9.81, 5};
  item.tables.push_back(value_table({s}, {1, 2, 5}));
  item.plots.push_back(orbit_plot("Path with omega = 1, zeta = 0.1", s));
  return item;
}

DocumentItem stabilised_long() {
  DocumentItem item;
  item.picture = "The same over a long time, bounded as it seems.";
  item.how = "As before, 25 s.";
  item.verdict = Verdict::inferred;
  item.remark =
      "With g = 9.81 m/s^2 and h = 0.01 s explicit Euler itself gains energy until the run "
      "explodes "
      "(t = 19.65 s for omega = 1); with g = 1 m/s^2 or h = 0.001 s it does not. If the slide "
      "shows a "
      "bounded motion, one of them was smaller.";
  item.tables.push_back(value_table({{"g = 1", "euler", 1, 0.01, 1, 25},
                                     {"h = 0.001", "euler", 1, 0.001, 9.81, 25},
                                     {"Taylor", "taylor2", 1, 0.01, 9.81, 25}},
                                    {5, 10, 25}));
  item.plots.push_back(
      orbit_plot("Path with omega = 1, zeta = 0.1, g = 1 m/s^2", {"", "euler", 1, 0.01, 1, 25}));
  return item;
}

DocumentItem violations() {
  DocumentItem item;
  item.picture = "Violation of the constraint over time for omega = 1 and omega = 10.";
  item.how = "As before; h = 0.01 s and g = 1 m/s^2, 25 s.";
  item.verdict = Verdict::inferred;
  item.remark = not_printed;
  const std::vector<Settings> runs{{"omega = 1", "euler", 1, 0.01, 1, 25},
                                   {"omega = 10", "euler", 10, 0.01, 1, 25}};
  item.tables.push_back(value_table(runs, {1, 2, 5, 10, 25}));
  item.tables.push_back(value_table({{"omega = 1, g = 9.81", "euler", 1, 0.01, 9.81, 10},
                                     {"omega = 10, g = 9.81", "euler", 10, 0.01, 9.81, 5}},
                                    {1, 2, 5}));
  item.plots.push_back(violation_plot("Violation with stabilization", runs));
  return item;
}

DocumentItem accelerations() {
  DocumentItem item;
  item.how =
      "lambda = -m (g y - s)/(2 r) with r = x^2 + y^2, s = x'^2 + y'^2, beside circle.lambda of "
      "models/equations-pendulum at rtol 1e-13.";
  item.remark = "The stabilised lambda of the slides lacks the factor m, and is right for m = 1.";
  ModelRun run("equations-pendulum");
  run.options().until = 5;
  run.options().output_step = 1;
  run.options().rows = "grid";
  run.run();
  const auto x = run.channel("x"), y = run.channel("y"), u = run.channel("x.rate"),
             v = run.channel("y.rate"), lambda = run.channel("circle.lambda");
  item.tables.push_back(printed_table(
      "", {"t", "lambda of the slides", "ours"}, "1 - -\n2 - -\n5 - -", [&](int row, int column) {
        const std::size_t k = row == 2 ? 5 : static_cast<std::size_t>(row + 1);
        if (column == 1) return lambda[k];
        const double r = x[k] * x[k] + y[k] * y[k];
        const double s = u[k] * u[k] + v[k] * v[k];
        return -(9.81 * y[k] - s) / (2 * r);
      }));
  return item;
}

}  // namespace

const DocumentEntry entries_004[] = {
    {"pendulum 3", "Multiplier of the pendulum", accelerations},
    {"pendulum 5", "Pendulum without stabilization, 5 s", drift_short},
    {"pendulum 6", "Pendulum without stabilization, 25 s", drift_long},
    {"baumgarte 3", "Decay for several omega", decays_by_omega},
    {"baumgarte 4", "Decay for several zeta", decays_by_zeta},
    {"stabilised 3", "Stabilised pendulum", stabilised_short},
    {"stabilised 4", "Stabilised pendulum, long", stabilised_long},
    {"stabilised 5", "Violation for omega = 1 and 10", violations},
};

std::span<const DocumentEntry> document_004() {
  return entries_004;
}

}  // namespace cardan::documents
