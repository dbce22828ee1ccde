// Document 003: lecture notes on numerical integration of mechanical systems, Delft, chapter 7.
#include <cmath>

#include <fmt/format.h>

#include "cardan/documents/documents.h"
#include "cardan/documents/experiments.h"
#include "cardan/math/elementary.h"
#include "cardan/ode/adams/adams_coefficients.h"
#include "cardan/ode/method_sheet.h"
#include "cardan/ode/runge_kutta/tableau.h"
#include "cardan/ode/stability.h"
#include "cardan/ode/study.h"

namespace cardan::documents {

namespace {

DocumentItem sketches() {
  DocumentItem item;
  item.verdict = Verdict::lost;
  item.picture =
      "Sketches without figures: the mass with spring and damper (7.1, 7.3), Heun's method (7.2), "
      "forward and backward Euler (7.15), interpolation into the future (7.17, 7.18), a race "
      "driven "
      "backwards (7.20).";
  item.how =
      "Nothing to compute; interpolation and the race are in figures 7.4.1 and 7.4.2 of document "
      "000.";
  return item;
}

// ---------------------------------------------------------------- stability

DocumentItem one_step_limits() {
  DocumentItem item;
  item.verdict = Verdict::convention;
  item.how =
      "Largest |h lambda| on the negative real and on the imaginary axis up to which a step does "
      "not make the error grow.";
  item.remark =
      "The notes give 2.8 for Runge-Kutta 4 on both axes; the limits are 2.785 and 2.828, and h "
      "below 0.45 of the period, printed as 0.4.";
  PrintedTable table =
      printed_table("",
                    {"method", "real", "imaginary"},
                    "euler 2 0\nheun 2 0\nrk4 - 2.8",
                    [](int row, int column) {
                      const char* names[] = {"euler", "heun", "rk4"};
                      return stability_limits(names[row])[static_cast<std::size_t>(column)];
                    });
  item.tables.push_back(std::move(table));
  PrintedTable share = printed_table(
      "largest step of rk4 on a vibration", {"", "h / period"}, "rk4 0.4", [](int, int) {
        return stability_limits("rk4")[1] / (2 * M_PI);
      });
  share.rounding = Rounding::truncated;
  mark_all(share, Verdict::convention);
  item.tables.push_back(std::move(share));
  return item;
}

DocumentItem area(const char* words, const std::vector<std::string>& methods) {
  DocumentItem item;
  item.picture = words;
  item.how = "Outline of the points h*lambda where a step does not make the error grow.";
  item.plots.push_back(region_plot("Stability area", methods));
  return item;
}

DocumentItem area_4() {
  return area("A circle of radius 1 about -1; the imaginary axis only touches it.", {"euler"});
}

DocumentItem area_6() {
  return area("A slightly larger, egg-shaped area; the imaginary axis only touches it.", {"heun"});
}

DocumentItem area_7() {
  return area("An area with two lobes that contains a part of the imaginary axis.", {"rk4"});
}

DocumentItem area_16() {
  return area("Everything outside a circle of radius 1 about +1.", {"backward-euler"});
}

DocumentItem area_19() {
  return area("Areas of multistep methods, which shrink as the order grows.",
              {"ab:1", "ab:2", "ab:3", "ab:4", "am:3", "am:4", "am:5"});
}

DocumentItem second_order_limits() {
  DocumentItem item;
  item.picture = "Stability of the method for second-order equations, named Euler 2.";
  item.how =
      "Largest w0 h of euler2 on q'' + 2 b w0 q' + w0^2 q = 0: the step up to which 2000 steps do "
      "not "
      "grow, by bisection, beside 2 (sqrt(1 + b^2) - b), which follows from its two roots.";
  item.remark = "The notes say only that it is stable for pure vibrations.";
  item.tables.push_back(printed_table(
      "",
      {"damping b", "found", "from the roots"},
      "0 - -\n0.1 - -\n1 - -",
      [](int row, int column) {
        const double b = row == 0 ? 0 : row == 1 ? 0.1 : 1;
        if (column == 1) return 2 * (std::sqrt(1 + b * b) - b);
        const auto system = formulas({fmt::format("q'' = -{:.17g}*q' - q", 2 * b)});
        double good = 0.1, bad = 2.5;
        while (bad - good > 1e-4) {
          const double h = (good + bad) / 2;
          const auto rows = fixed_steps(*system, "euler2", {}, {1, 0.3}, h, 2000);
          const bool grows = !(std::abs(rows.back()[0]) + std::abs(rows.back()[1]) < 1e3);
          (grows ? bad : good) = h;
        }
        return good;
      }));
  return item;
}

DocumentItem largest_step() {
  DocumentItem item;
  item.picture = "A vibration followed by Runge-Kutta 4 with the largest step that is stable.";
  item.how = "x'' = -x with h = 2.8 and with h = 2.9, one below and one above 2 sqrt 2.";
  Plot plot = plot_of("rk4 at its limit", {"t", "s", false, {}}, {"x", "", false, {}});
  const auto system = formulas({"x'' = -x"});
  for (const double h : {2.8, 2.9}) {
    const auto rows = fixed_steps(*system, "rk4", {}, {1, 0}, h, 12);
    std::vector<double> t, x;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      t.push_back(h * static_cast<double>(k));
      x.push_back(rows[k][0]);
    }
    PlotCurve curve = curve_of(fmt::format("h = {}", h), t, x);
    curve.mark = PlotMark::dot;
    plot.curves.push_back(std::move(curve));
  }
  item.plots.push_back(std::move(plot));
  return item;
}

DocumentItem euler_pendulum() {
  DocumentItem item;
  item.picture = "A pendulum without friction by Euler's method: its swing grows.";
  item.how = "a'' = -9.81 sin a from 0.5 rad at rest, h = 0.01 s, 20 s (models/ode/pendulum.toml).";
  const auto system = formulas({"a'' = -9.81*sin(a)"});
  const auto rows = fixed_steps(*system, "euler", {}, {0.5, 0}, 0.01, 2000);
  std::vector<double> t, a, rate;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    t.push_back(0.01 * static_cast<double>(k));
    a.push_back(rows[k][0]);
    rate.push_back(rows[k][1]);
  }
  Plot time =
      plot_of("Pendulum by Euler's method", {"t", "s", false, {}}, {"angle", "rad", false, {}});
  time.curves.push_back(thinned(curve_of("", t, a), 700));
  Plot phase = plot_of(
      "The same in the phase plane", {"angle", "rad", false, {}}, {"rate", "rad/s", false, {}});
  phase.curves.push_back(thinned(curve_of("", a, rate), 700));
  item.plots = {std::move(time), std::move(phase)};
  return item;
}

// ---------------------------------------------------------------- truncation and round-off

constexpr double spring_exact = 3.528781031417622;  // x(8 s), in closed form

Halving spring_study(FormulaSystem& system, const std::string& method, int to) {
  StudySetup setup{
      .problem = system, .start = 0, .end = 8, .y0 = {0, 0}, .component = 0, .exact = {}};
  return halving_study(setup, method, {}, 4, to).value();
}

DocumentItem round_off(const std::vector<std::string>& methods, const char* picture) {
  DocumentItem item;
  item.picture = picture;
  item.how =
      "x'' = 9.81 - 4 x - 0.2 x' from rest, x(8 s) with h = 8/2^n: D_n is the change of the result "
      "from n - 1 to n.";
  const auto system = formulas({"x'' = 9.81 - 4*x - 0.2*x'"});
  Plot plot = plot_of("Step halving", {"h", "s", true, {}}, {"D_n", "m", true, {}});
  PrintedTable table;
  table.title = "fitted order";
  table.head = {"method", "order"};
  constexpr int finest = 18;
  for (const std::string& method : methods) {
    const Halving study = spring_study(*system, method, finest);
    std::vector<double> h, difference;
    for (const HalvingPoint& p : study.points)
      if (p.difference > 0) {
        h.push_back(p.h);
        difference.push_back(p.difference);
      }
    PlotCurve curve = curve_of(method, h, difference);
    curve.mark = PlotMark::dot;
    plot.curves.push_back(std::move(curve));
    PrintedCell cell{""};
    cell.text = fmt::format("{:.2f}", study.order);
    table.rows.push_back({method, {cell}});
  }
  item.plots.push_back(std::move(plot));
  item.tables.push_back(std::move(table));
  return item;
}

DocumentItem figures_10_to_13() {
  return round_off(
      {"heun"},
      "Error over step, C1 h^2 + C2/h for Heun's method: on linear axes, and as a V on "
      "logarithmic ones.");
}

DocumentItem figure_14() {
  return round_off({"euler", "heun", "rk4", "euler2"},
                   "The same for several methods: the higher the order, the earlier round-off is "
                   "reached.");
}

DocumentItem step_halving() {
  DocumentItem item;
  item.how =
      "The same mass with spring and damper, n = 10: |y_n - y_(n-1)|/(2^p - 1), and the true "
      "error.";
  const auto system = formulas({"x'' = 9.81 - 4*x - 0.2*x'"});
  item.tables.push_back(
      printed_table("",
                    {"method", "estimate", "error"},
                    "euler - -\nheun - -\nrk4 - -",
                    [&](int row, int column) {
                      const char* names[] = {"euler", "heun", "rk4"};
                      const double orders[] = {1, 2, 4};
                      const HalvingPoint last = spring_study(*system, names[row], 10).points.back();
                      return column == 0 ? last.difference / (elementary::pow(2, orders[row]) - 1)
                                         : std::abs(last.y[0] - spring_exact);
                    }));
  return item;
}

// ---------------------------------------------------------------- formulas

// A row of fractions beside ours.
PrintedTable::Row fractions(const std::string& label,
                            const std::vector<std::string>& printed,
                            const std::vector<std::string>& ours) {
  PrintedTable::Row row{label, {}};
  for (std::size_t i = 0; i < printed.size(); ++i) {
    PrintedCell cell{printed[i]};
    cell.text = ours[i];
    row.cells.push_back(std::move(cell));
  }
  return row;
}

std::vector<std::string> over_common(const std::vector<Rational>& values, long long bottom) {
  std::vector<std::string> out;
  for (const Rational& x : values) out.push_back(to_text(x * Rational(bottom)));
  return out;
}

DocumentItem multistep() {
  DocumentItem item;
  item.how = "Exactly, from the recursions of the coefficients; weights of f from the newest on.";
  PrintedTable table;
  table.head = {"method", "1st", "2nd", "3rd", "4th"};
  const auto add = [&](const char* label,
                       const std::vector<std::string>& printed,
                       const std::vector<Rational>& values,
                       long long bottom) {
    PrintedTable::Row row = fractions(label, printed, over_common(values, bottom));
    row.cells.resize(4);
    for (std::size_t k = printed.size(); k < 4; ++k) row.cells[k].text = "-";
    table.rows.push_back(std::move(row));
  };
  add("AB3, twelfths", {"23", "-16", "5"}, adams_bashforth(3), 12);
  add("AM3, twelfths", {"5", "8", "-1"}, adams_moulton(3), 12);
  add("AM4, 24ths", {"9", "19", "-5", "1"}, adams_moulton(4), 24);
  item.tables.push_back(std::move(table));
  item.remark =
      "BDF of order 2 is printed twice; in the first form the half belongs to y, not to f. BDF "
      "formulas are stable for all negative real h*lambda up to order 6, but A-stable only up to "
      "order 2.";
  PrintedTable angles =
      printed_table("BDF: stable within this angle of the negative real axis",
                    {"order", "degrees"},
                    "1 -\n2 -\n3 -\n4 -\n5 -\n6 -",
                    [](int row, int) {
                      MethodOptions options;
                      options.order = row + 1;
                      return stability_angle(growth_of(*find_method("bdf-fixed"), options));
                    });
  item.tables.push_back(std::move(angles));
  return item;
}

// A Butcher array with the printed fractions, stage by stage.
PrintedTable array_table(const Tableau& t, const std::vector<std::vector<std::string>>& printed) {
  PrintedTable table;
  table.title = "Butcher array; the last row is the result";
  table.head = {"stage", "c"};
  for (int j = 1; j <= t.stages; ++j) table.head.push_back(fmt::format("k{}", j));
  const auto cells = static_cast<std::size_t>(t.stages);
  for (std::size_t i = 0; i <= cells; ++i) {
    std::vector<std::string> ours{i < cells ? as_fraction(t.c[i]) : "-"};
    for (std::size_t j = 0; j < cells; ++j)
      ours.push_back(as_fraction(i < cells ? t.a[i][j] : t.b[j]));
    std::vector<std::string> print = i < printed.size() ? printed[i] : std::vector<std::string>{};
    print.resize(ours.size());
    table.rows.push_back(
        fractions(i < cells ? fmt::format("{}", i + 1) : std::string("b"), print, ours));
  }
  return table;
}

PrintedTable weights_table(const Tableau& t,
                           const std::vector<std::string>& error,
                           const std::vector<std::vector<std::string>>& dense) {
  PrintedTable table;
  table.title = "weights of the error estimate, and of s, s^2, ... of the interpolant";
  const std::size_t powers = dense[0].size();
  table.head = {"stage", "error"};
  for (std::size_t m = 1; m <= powers; ++m) table.head.push_back(fmt::format("s^{}", m));
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.stages); ++i) {
    // The notes subtract the result from the embedded one or the other way round.
    std::vector<std::string> ours{as_fraction(t.e[i])}, print{error[i]};
    for (std::size_t m = 0; m < powers; ++m) {
      ours.push_back(as_fraction(t.d[i][m]));
      print.push_back(dense[i][m]);
    }
    table.rows.push_back(fractions(fmt::format("{}", i + 1), print, ours));
  }
  return table;
}

DocumentItem ode23_item() {
  DocumentItem item;
  item.how =
      "The array that the method ode23 computes with. Order 3, embedded order 2, interpolant of "
      "order 3.";
  item.tables.push_back(array_table(ode23_tableau,
                                    {{"0", "0", "0", "0", "0"},
                                     {"1/2", "1/2", "0", "0", "0"},
                                     {"3/4", "0", "3/4", "0", "0"},
                                     {"1", "2/9", "1/3", "4/9", "0"}}));
  item.tables.push_back(weights_table(
      ode23_tableau,
      {"-5/72", "1/12", "1/9", "-1/8"},
      {{"1", "-4/3", "5/9"}, {"0", "1", "-2/3"}, {"0", "4/3", "-8/9"}, {"0", "-1", "1"}}));
  return item;
}

DocumentItem ode45_item() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how =
      "The array that the method ode45 computes with. Order 5, embedded order 4, interpolant of "
      "order 4.";
  item.remark =
      "One sign of the interpolant is wrong: the weight of s^4 of the third stage is +1000/371. As "
      "printed the interpolant does not even end at the result. Rows of the array have run "
      "together "
      "in print (\"35/3840 9/40\" is 35/384, 0, 9/40 and so on).";
  item.tables.push_back(
      array_table(ode45_tableau,
                  {{"0", "0", "0", "0", "0", "0", "0", "0"},
                   {"1/5", "1/5", "0", "0", "0", "0", "0", "0"},
                   {"3/10", "3/40", "9/40", "0", "0", "0", "0", "0"},
                   {"4/5", "44/45", "-56/15", "32/9", "0", "0", "0", "0"},
                   {"8/9", "19372/6561", "-25360/2187", "64448/6561", "-212/729", "0", "0", "0"},
                   {"1", "9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656", "0", "0"},
                   {"1", "35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84", "0"}}));
  item.tables.push_back(
      weights_table(ode45_tableau,
                    {"71/57600", "0", "-71/16695", "71/1920", "-17253/339200", "22/525", "-1/40"},
                    {{"1", "-183/64", "37/12", "-145/128"},
                     {"0", "0", "0", "0"},
                     {"0", "1500/371", "-1000/159", "-1000/371"},
                     {"0", "-125/32", "125/12", "-375/64"},
                     {"0", "9477/3392", "-729/106", "25515/6784"},
                     {"0", "-11/7", "11/3", "-55/28"},
                     {"0", "3/2", "-4", "5/2"}}));
  mark(item.tables[1], 2, 4, Verdict::misprint);
  return item;
}

}  // namespace

const DocumentEntry entries_003[] = {
    {"sketches", "Figures 7.1 to 7.3, 7.15, 7.17, 7.18, 7.20", sketches},
    {"7.9", "Error from two runs, one with half the step", step_halving},
    {"limits", "Stability limits of Euler, Heun and Runge-Kutta 4", one_step_limits},
    {"figure 7.4", "Stability area of Euler's method", area_4},
    {"figure 7.5", "Pendulum by Euler's method", euler_pendulum},
    {"figure 7.6", "Stability area of Heun's method", area_6},
    {"figure 7.7", "Stability area of Runge-Kutta 4", area_7},
    {"figure 7.8", "Largest step of Runge-Kutta 4", largest_step},
    {"figure 7.9", "Stability of Euler 2", second_order_limits},
    {"figures 7.10 to 7.13", "Truncation and round-off of Heun's method", figures_10_to_13},
    {"figure 7.14", "Truncation and round-off of several methods", figure_14},
    {"figure 7.16", "Stability area of backward Euler", area_16},
    {"multistep", "Adams and BDF formulas", multistep},
    {"figure 7.19", "Stability areas of multistep methods", area_19},
    {"ode23", "Array, error estimate and interpolant of ode23", ode23_item},
    {"ode45", "Array, error estimate and interpolant of ode45", ode45_item},
};

std::span<const DocumentEntry> document_003() {
  return entries_003;
}

}  // namespace cardan::documents
