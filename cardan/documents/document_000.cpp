// Document 000: E. J. Haug, Computer-Aided Kinematics and Dynamics of Mechanical Systems, chapter 7.
// The tables of section 7.4 are about e^t: interpolated, and as the solution of x' = x, x(0) = 1.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "cardan/documents/documents.h"
#include "cardan/documents/experiments.h"
#include "cardan/math/elementary.h"
#include "cardan/math/interpolation.h"
#include "cardan/ode/adams/adams_coefficients.h"
#include "cardan/ode/adams/adams_fixed.h"
#include "cardan/ode/integrator.h"

namespace cardan::documents {

namespace {

double percent(double x, double exact) {
  return 100 * std::abs(x - exact) / exact;
}

// ---------------------------------------------------------------- interpolation

DocumentItem taylor_table() {
  DocumentItem item;
  item.how = "T_k(t) is the sum of t^j/j! for j below k; E_k = T_k - e^t.";
  const std::vector<double> derivatives(15, 1.0);
  item.tables.push_back(printed_table("",
                                      {"k", "T(0.5)", "E(0.5)", "T(1)", "E(1)"},
                                      R"(
 1 1.000000000 -0.6487212707 1.000000000 -1.7182818285
 2 1.500000000 -0.1487212707 2.000000000 -0.7182818285
 3 1.625000000 -0.0237212707 2.500000000 -0.2182818285
 4 1.645833333 -0.0028879374 2.666666667 -0.0516151618
 5 1.648437500 -0.0002837707 2.708333333 -0.0099484951
 6 1.648697917 -0.0000233540 2.716666667 -0.0016151618
 7 1.648719618 -0.0000016526 2.718055556 -0.0002262729
 8 1.648721168 -0.0000001025 2.718253968 -0.0000278602
 9 1.648721265 -0.0000000057 2.718278770 -0.0000030586
10 1.648721270 -0.0000000003 2.718281526 -0.0000003029
11 1.648721271  0.0000000000 2.718281801 -0.0000000273
12 1.648721271  0.0000000000 2.718281826 -0.0000000023
13 1.648721271  0.0000000000 2.718281828 -0.0000000002
14 1.648721271  0.000000000  2.718281828  0.0000000000)",
                                      [&](int row, int column) {
                                        const double t = column < 2 ? 0.5 : 1;
                                        const double value =
                                            taylor_polynomial(derivatives, row + 1, t).value;
                                        return column % 2 == 0 ? value : value - elementary::exp(t);
                                      }));
  return item;
}

std::vector<double> differences_at_one() {
  std::vector<double> out;
  for (int i = 0; i < 12; ++i) out.push_back(elementary::exp(1 - 0.1 * i));
  backward_differences(out);
  return out;
}

DocumentItem newton_table() {
  DocumentItem item;
  item.how =
      "P_k goes through e^t at the k points 1, 0.9, ..., 1 - (k-1)/10, in backward differences; "
      "E_k = P_k - e^t.";
  item.tables.push_back(
      printed_table("",
                    {"k", "P(1.1)", "E(1.1)", "P(1.2)", "E(1.2)"},
                    R"(
 1 2.718281828 -0.285884195 2.718281828 -0.601835094
 2 2.976960546 -0.027205478 3.235639263 -0.084477660
 3 3.001577080 -0.002588944 3.309488867 -0.010628056
 4 3.003919653 -0.000246371 3.318859159 -0.001257764
 5 3.004142579 -0.000023445 3.319973785 -0.000143137
 6 3.004163793 -0.000002231 3.320101070 -0.000015852
 7 3.004165812 -0.000000212 3.320115202 -0.000001721
 8 3.004166004 -0.000000020 3.320116739 -0.000000184
 9 3.004166022 -0.000000002 3.320116903 -0.000000019
10 3.004166024  0.000000000 3.320116921 -0.000000002
11 3.004166024  0.000000000 3.320116923  0.000000000)",
                    [&](int row, int column) {
                      const double s = column < 2 ? 1 : 2;
                      const double value = newton_backward(differences_at_one(), row + 1, s).value;
                      return column % 2 == 0 ? value : value - elementary::exp(1 + 0.1 * s);
                    }));
  return item;
}

DocumentItem interpolation_figure() {
  DocumentItem item;
  item.picture =
      "A sketch: a function, and the polynomial through its last k equally spaced points, which "
      "leaves the function behind the last of them.";
  item.how = "The same with e^t and k = 2, 3 and 4 points 1, 0.5, 0, -0.5.";
  Plot plot = plot_of("Interpolation through k points", {"t", "", false, {}}, {"f", "", false, {}});
  std::vector<double> differences;
  for (int i = 0; i < 5; ++i) differences.push_back(elementary::exp(1 - 0.5 * i));
  backward_differences(differences);
  std::vector<double> t, exact;
  for (int i = 0; i <= 60; ++i) {
    t.push_back(-0.5 + 2.5 * i / 60);
    exact.push_back(elementary::exp(t.back()));
  }
  plot.curves.push_back(curve_of("e^t", t, exact));
  for (int k = 2; k <= 4; ++k) {
    std::vector<double> p;
    for (const double x : t) p.push_back(newton_backward(differences, k, (x - 1) / 0.5).value);
    PlotCurve curve = curve_of(fmt::format("P_{}", k), t, p);
    curve.dashed = true;
    plot.curves.push_back(std::move(curve));
  }
  item.plots.push_back(std::move(plot));
  return item;
}

// ---------------------------------------------------------------- Euler and Adams-Bashforth

DocumentItem euler_table() {
  DocumentItem item;
  item.how = "Adams-Bashforth of order 1, which is Euler's method; errors as 100 |x - e^t|/e^t.";
  std::vector<double> coarse{1}, fine{1};
  GrowthRun one("ab", with_order(1), 0.1), ten("ab", with_order(1), 0.01);
  for (int i = 0; i < 10; ++i) {
    coarse.push_back(one.step());
    fine.push_back(ten.after(10));
  }
  item.tables.push_back(printed_table("",
                                      {"i", "e^t", "x, h = 0.1", "%", "x, h = 0.01", "%"},
                                      R"(
 0 1.0000000000 1.0000000000 0.000 1.0000000000 0.000
 1 1.1051709181 1.1000000000 0.468 1.1046221254 0.050
 2 1.2214027582 1.2100000000 0.934 1.2201900399 0.099
 3 1.3498588076 1.3310000000 1.397 1.3478489153 0.149
 4 1.4918246976 1.4641000000 1.858 1.4888637336 0.198
 5 1.6487212707 1.6105100000 2.318 1.6446318218 0.248
 6 1.8221188004 1.7715610000 2.775 1.8166966986 0.298
 7 2.0137527075 1.9487171000 3.230 2.0067633684 0.347
 8 2.2255409285 2.1435888100 3.682 2.2167152172 0.397
 9 2.4596031112 2.3579476910 4.133 2.4486326746 0.446
10 2.7182818285 2.5937424601 4.582 2.7048138294 0.495)",
                                      [&](int row, int column) {
                                        const auto i = static_cast<std::size_t>(row);
                                        const double exact = elementary::exp(0.1 * row);
                                        if (column == 0) return exact;
                                        const double x = column < 3 ? coarse[i] : fine[i];
                                        return column % 2 == 1 ? x : percent(x, exact);
                                      }));
  return item;
}

// One row of fractions.
PrintedTable fraction_table(const char* name,
                            const std::vector<std::string>& printed,
                            std::span<const Rational> ours) {
  PrintedTable table;
  table.head = {""};
  PrintedTable::Row row{name, {}};
  for (std::size_t i = 0; i < printed.size(); ++i) {
    table.head.push_back(fmt::format("i = {}", i));
    PrintedCell cell{printed[i]};
    cell.text = to_text(ours[i]);
    row.cells.push_back(std::move(cell));
  }
  table.rows.push_back(std::move(row));
  return table;
}

DocumentItem gamma_table() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how = "gamma_i follow exactly, as fractions, from their recursion.";
  item.remark = "gamma_5 is 95/288.";
  item.tables.push_back(
      fraction_table("gamma", {"1", "1/2", "5/12", "3/8", "251/720", "95/298"}, adams_gamma));
  mark(item.tables[0], 0, 5, Verdict::misprint);
  return item;
}

DocumentItem gamma_star_table() {
  DocumentItem item;
  item.how = "gamma*_i follow exactly, as fractions, from their recursion.";
  item.remark = "The text announces five coefficients and prints six.";
  item.tables.push_back(fraction_table(
      "gamma*", {"1", "-1/2", "-1/12", "-1/24", "-19/720", "-3/160"}, adams_gamma_star));
  return item;
}

DocumentItem difference_table_item() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how =
      "Backward differences of f along Adams-Bashforth with rising order, h = 0.1 (Example 7.4.4).";
  item.remark =
      "In the column of t4 the second difference is printed ten times too large, and the third and "
      "fourth are hand arithmetic carried on from a rounded one.";
  std::vector<std::vector<double>> columns;
  GrowthRun run("ab", with_order(5), 0.1);
  for (int n = 0; n < 5; ++n) {
    if (n > 0) run.step();
    const auto& adams = dynamic_cast<const AdamsFixed&>(run.method());
    std::vector<double> column(5, NAN);
    for (int i = 0; i < adams.known() && i < 5; ++i)
      column[static_cast<std::size_t>(i)] = adams.differences()(0, i);
    columns.push_back(column);
  }
  item.tables.push_back(printed_table(
      "",
      {"difference", "t0", "t1", "t2", "t3", "t4"},
      R"(
0 1.0 1.1 1.215 1.342875 1.484013
1 -   0.1 0.115 0.127875 0.141138
2 -   -   0.015 0.012875 0.132630
3 -   -   -     -0.002125 0.000385
4 -   -   -     -        0.002510)",
      [&](int row, int column) {
        return columns[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
      }));
  for (const int row : {2, 3, 4}) mark(item.tables[0], row, 4, Verdict::misprint);
  return item;
}

// Values and errors in percent of orders 1 to 5 at ten steps.
struct BashforthRuns {
  std::vector<std::vector<double>> x;  // [k - 1][i]
  double h;

  explicit BashforthRuns(double step) : h(step) {
    for (int k = 1; k <= 5; ++k) {
      GrowthRun run("ab", with_order(k), h);
      std::vector<double> values{1};
      for (int i = 0; i < 10; ++i) values.push_back(run.step());
      x.push_back(values);
    }
  }

  double value(int row, int column) const {
    const double exact = elementary::exp(h * (row + 1));
    if (column == 0) return exact;
    return x[static_cast<std::size_t>(column - 1)][static_cast<std::size_t>(row + 1)];
  }

  double error(int row, int column) const { return percent(value(row, column + 1), value(row, 0)); }
};

const std::vector<std::string> orders_head{"i", "e^t", "k = 1", "k = 2", "k = 3", "k = 4", "k = 5"};
const std::vector<std::string> percent_head{"i", "k = 1", "k = 2", "k = 3", "k = 4", "k = 5"};
constexpr const char* self_starting =
    "Adams-Bashforth of order k on x' = x, self-starting: step n has order min(k, n), one "
    "evaluation a step.";

DocumentItem bashforth_coarse() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how = self_starting;
  item.remark = "i = 9, k = 3: two digits are exchanged; the error printed with it is right.";
  const BashforthRuns runs(0.1);
  item.tables.push_back(printed_table("values",
                                      orders_head,
                                      R"(
 1 1.105171 1.100000 1.100000 1.100000 1.100000 1.100000
 2 1.221403 1.210000 1.215000 1.215000 1.215000 1.215000
 3 1.349859 1.331000 1.342250 1.342875 1.342875 1.342875
 4 1.491825 1.464100 1.482838 1.484093 1.484013 1.484013
 5 1.648721 1.610510 1.638151 1.640119 1.640038 1.640126
 6 1.822119 1.771561 1.809731 1.812549 1.812525 1.812679
 7 2.013753 1.948717 1.999284 2.003109 2.003146 2.003305
 8 2.225541 2.143589 2.208689 2.213703 2.213811 2.213988
 9 2.459603 2.357948 2.440029 2.446348 2.446631 2.446842
10 2.718282 2.593742 2.695599 2.703641 2.703938 2.704177)",
                                      [&](int r, int c) { return runs.value(r, c); }));
  mark(item.tables[0], 8, 3, Verdict::misprint);
  item.tables.push_back(printed_table("errors in percent",
                                      percent_head,
                                      R"(
 1 0.468 0.468 0.468 0.468 0.468
 2 0.934 0.524 0.524 0.524 0.524
 3 1.397 0.564 0.517 0.517 0.517
 4 1.858 0.602 0.518 0.524 0.524
 5 2.318 0.641 0.522 0.527 0.521
 6 2.775 0.680 0.525 0.527 0.518
 7 3.230 0.719 0.529 0.527 0.519
 8 3.682 0.757 0.532 0.527 0.519
 9 4.133 0.796 0.535 0.527 0.519
10 4.582 0.834 0.539 0.528 0.519)",
                                      [&](int r, int c) { return runs.error(r, c); }));
  return item;
}

DocumentItem bashforth_fine() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how = self_starting;
  item.remark =
      "i = 4, k = 4 and 5: one digit is wrong. The column of times has lost its second decimal.";
  const BashforthRuns runs(0.01);
  item.tables.push_back(printed_table("values",
                                      orders_head,
                                      R"(
 1 1.010050 1.010000 1.010000 1.010000 1.010000 1.010000
 2 1.020201 1.020100 1.020150 1.020150 1.020150 1.020150
 3 1.030455 1.030301 1.030402 1.030403 1.030403 1.030403
 4 1.040811 1.040604 1.040758 1.040759 1.040748 1.040748
 5 1.051271 1.051010 1.051217 1.051218 1.051218 1.051218
 6 1.061837 1.061520 1.061781 1.061783 1.061783 1.061783
 7 1.072508 1.072135 1.072452 1.072454 1.072454 1.072454
 8 1.083287 1.082857 1.083230 1.083233 1.083233 1.083233
 9 1.094174 1.093685 1.094116 1.094119 1.094119 1.094119
10 1.105171 1.104622 1.105112 1.105115 1.105115 1.105115)",
                                      [&](int r, int c) { return runs.value(r, c); }));
  for (const int column : {4, 5}) mark(item.tables[0], 3, column, Verdict::misprint);
  item.tables.push_back(printed_table("errors in percent",
                                      percent_head,
                                      R"(
 1 0.005 0.005 0.005 0.005 0.005
 2 0.010 0.005 0.005 0.005 0.005
 3 0.015 0.005 0.005 0.005 0.005
 4 0.020 0.005 0.005 0.005 0.005
 5 0.025 0.005 0.005 0.005 0.005
 6 0.030 0.005 0.005 0.005 0.005
 7 0.035 0.005 0.005 0.005 0.005
 8 0.040 0.005 0.005 0.005 0.005
 9 0.045 0.005 0.005 0.005 0.005
10 0.050 0.005 0.005 0.005 0.005)",
                                      [&](int r, int c) { return runs.error(r, c); }));
  return item;
}

// Values at t = 10 of orders 1 to 5, with their errors.
class AtTen {
 public:
  AtTen(const std::string& method, const std::string& variant, double h) {
    for (int k = 1; k <= 5; ++k)
      x_.push_back(GrowthRun(method, with_order(k, "self", variant), h)
                       .after(static_cast<int>(std::lround(10 / h))));
  }

  double operator()(int row, int column) const {
    const double x = x_[static_cast<std::size_t>(row)], exact = elementary::exp(10);
    return column == 0 ? x : column == 1 ? x - exact : percent(x, exact);
  }

 private:
  std::vector<double> x_;
};

const std::vector<std::string> end_head{"k", "x(10)", "x(10) - e^10"};
const std::vector<std::string> end_percent_head{"k", "error in percent"};

DocumentItem bashforth_end(double h, const std::string& values, const std::string& percents) {
  DocumentItem item;
  item.verdict = Verdict::convention;
  item.how = self_starting;
  item.remark = "Values and errors are cut after three decimals, not rounded.";
  const AtTen ours("ab", "", h);
  PrintedTable table = printed_table("", end_head, values, ours);
  table.rounding = Rounding::truncated;
  mark_all(table, Verdict::convention);
  item.tables.push_back(std::move(table));
  item.tables.push_back(
      printed_table("", end_percent_head, percents, [&](int r, int) { return ours(r, 2); }));
  return item;
}

DocumentItem bashforth_end_coarse() {
  DocumentItem item = bashforth_end(0.1,
                                    R"(
1 13780.612 -8245.853
2 21090.171 -936.294
3 21841.518 -184.947
4 21904.347 -122.118
5 21911.635 -114.830)",
                                    R"(
1 37
2 4
3 0.8
4 0.5
5 0.5)");
  // 0.5544 is 0.6 when it is rounded.
  mark(item.tables[1], 3, 0, Verdict::misprint);
  item.remark += " So is the error of k = 4, 0.554 percent.";
  return item;
}

DocumentItem bashforth_end_fine() {
  return bashforth_end(0.01,
                       R"(
1 20959.155 -1067.310
2 22016.255 -10.209
3 22025.280 -1.185
4 22025.356 -1.108
5 22025.361 -1.104)",
                       R"(
1 5
2 0.05
3 0.005
4 0.005
5 0.005)");
}

DocumentItem bashforth_example() {
  DocumentItem item;
  item.how = "Four steps of Adams-Bashforth, h = 0.1, the order rising with every step.";
  GrowthRun run("ab", with_order(4), 0.1);
  item.tables.push_back(printed_table("",
                                      {"step", "x"},
                                      R"(
1 1.1
2 1.215
3 1.342875
4 1.484013)",
                                      [&](int, int) { return run.step(); }));
  return item;
}

DocumentItem small_start() {
  DocumentItem item;
  item.how =
      "40 steps of 0.01 with the order rising to 5, then 0, 0.1, ..., 0.4 as the past of order 5 "
      "with h = 0.1.";
  item.remark = fmt::format(
      "The chapter describes this start and gives no figures. The error at t = 10 is {:.4f}, a "
      "seventieth of that of Table 7.4.8.",
      GrowthRun("ab", with_order(5, "small-steps"), 0.1).after(100) - elementary::exp(10));
  GrowthRun run("ab", with_order(5, "small-steps"), 0.1);
  item.tables.push_back(printed_table("",
                                      {"t", "x"},
                                      R"(
0.4 -
10 -)",
                                      [&](int row, int) { return run.after(row == 0 ? 4 : 96); }));
  return item;
}

// ---------------------------------------------------------------- predictor and corrector

DocumentItem corrector_example() {
  DocumentItem item;
  item.how = "Predictor of order n, corrector of order n + 1 in step n, h = 0.1.";
  std::vector<std::vector<double>> rows;
  GrowthRun run("pece", with_order(4), 0.1);
  for (int i = 0; i < 3; ++i) {
    const double corrected = run.step();
    rows.push_back({dynamic_cast<const AdamsFixed&>(run.method()).predicted()[0], corrected});
  }
  item.tables.push_back(
      printed_table("",
                    {"step", "predicted", "corrected"},
                    R"(
1 1.1       1.105
2 1.22075   1.2211979
3 1.3495942 1.3496317)",
                    [&](int row, int column) {
                      return rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
                    }));
  return item;
}

DocumentItem corrector_end(double h,
                           const std::string& values,
                           const std::string& errors,
                           const std::string& percents) {
  DocumentItem item;
  item.verdict = Verdict::convention;
  item.how =
      "Print: the corrector sums all its k + 1 terms from the first step, differences that do not "
      "exist yet being 0 (pece with variant = \"print\"). Text: both orders rise together as in "
      "Example 7.4.5 (variant = \"text\", the usual one).";
  item.remark =
      "The tables were not computed as the text says: an error made once in the first step stays, "
      "which is why the printed errors grow with k. The printed errors are those of single "
      "precision.";
  const AtTen print("pece", "print", h), text("pece", "text", h);
  PrintedTable table = printed_table("as printed", {"k", "x(10)"}, values, print);
  table.within = 1e-11;
  table.rule = "their round-off, up to 1e-11 of the value";
  mark_all(table, Verdict::convention);
  item.tables.push_back(std::move(table));
  PrintedTable single = printed_table(
      "errors as printed", {"k", "x(10) - e^10"}, errors, [&](int r, int) { return print(r, 1); });
  single.within = 2e-3 / 338;  // half a unit of single precision at 22026, over the largest error
  single.within = std::max(single.within, 1e-5);
  single.rule = "single precision";
  mark_all(single, Verdict::convention);
  item.tables.push_back(std::move(single));
  PrintedTable shares =
      printed_table("", end_percent_head, percents, [&](int r, int) { return print(r, 2); });
  item.tables.push_back(std::move(shares));
  item.tables.push_back(
      printed_table("as the text says", end_head, "1 - -\n2 - -\n3 - -\n4 - -\n5 - -", text));
  return item;
}

DocumentItem corrector_end_coarse() {
  DocumentItem item = corrector_end(0.1,
                                    R"(
1 21688.414370387
2 21980.499079835
3 21994.743244024
4 21990.708589885
5 21986.702800628)",
                                    R"(
1 -338.051452637
2 -45.966720581
3 -31.722553253
4 -35.757209778
5 -39.763000488)",
                                    R"(
1 2
2 0.2
3 0.2
4 0.2
5 0.2)");
  mark(item.tables[2], 2, 0, Verdict::misprint);
  item.remark += " The share of k = 3 is 0.144 percent, printed as 0.2.";
  return item;
}

DocumentItem corrector_end_fine() {
  return corrector_end(0.01,
                       R"(
1 22022.822441367
2 22026.251549431
3 22026.188149769
4 22026.130130982
5 22026.088790048)",
                       R"(
1 -3.643353462
2 -0.214245379
3 -0.277645051
4 -0.335663855
5 -0.377004802)",
                       R"(
1 0.02
2 0.001
3 0.001
4 0.002
5 0.002)");
}

// ---------------------------------------------------------------- the pendulum of 7.2 and 7.3

DocumentItem pendulum_example() {
  DocumentItem item;
  item.verdict = Verdict::misprint;
  item.how =
      "A uniform bar of 2 m on a pivot (models/doc000-pendulum): (J' + m) phi'' = -m g cos phi "
      "with l = 1, here J' = 1/3 kg m^2, m = 1 kg, g = 9.81 m/s^2. Reference: Jacobi's elliptic "
      "functions.";
  item.remark =
      "The chapter gives no numbers for m, g and J'. Its initial values are exchanged: they must "
      "read phi = 3 pi/2 and phi' = 1 rad/s.";
  ModelRun run("doc000-pendulum");
  run.options().until = 5;
  run.options().output_step = 1;
  run.options().rows = "grid";
  run.options().formulation = "partitioned";
  run.options().integrator = "dop853";
  run.options().rtol = run.options().atol = 1e-12;
  run.run();
  const std::vector<double> angle = run.channel("bar.angle"), rate = run.channel("bar.omega");
  // Turned so that phi is the chapter's angle: 3 pi/2 hanging.
  const double turn = 1.5 * M_PI - angle.front();
  item.tables.push_back(
      printed_table("", {"t", "phi", "phi'"}, "0 - -\n1 - -\n5 - -", [&](int row, int column) {
        const std::size_t at = row == 2 ? 5 : static_cast<std::size_t>(row);
        return column == 0 ? angle[at] + turn : rate[at];
      }));
  return item;
}

DocumentItem reduction_example() {
  DocumentItem item;
  item.how =
      "The same pendulum: accelerations at three angles with Lagrange multipliers, beside the "
      "chapter's reduced equation phi'' = -m g cos phi/(J' + m).";
  item.remark = "Signs and dots of several lines are misprinted; the reduced equation is right.";
  ModelRun run("doc000-pendulum");
  run.options().until = 1;
  run.options().output_step = 0.25;
  run.options().rows = "grid";
  run.options().formulation = "direct";
  run.options().integrator = "dop853";
  run.options().rtol = run.options().atol = 1e-12;
  run.run();
  const std::vector<double> angle = run.channel("bar.angle"), ours = run.channel("bar.alpha");
  const double turn = 1.5 * M_PI - angle.front();
  item.tables.push_back(printed_table(
      "",
      {"t", "phi''", "of the reduced equation"},
      "0 - -\n0.25 - -\n0.5 - -\n1 - -",
      [&](int row, int column) {
        const std::size_t at = row == 3 ? 4 : static_cast<std::size_t>(row);
        return column == 0 ? ours[at] : -9.81 * elementary::cos(angle[at] + turn) / (1.0 / 3 + 1);
      }));
  return item;
}

DocumentItem flow_figure() {
  DocumentItem item;
  item.verdict = Verdict::lost;
  item.picture =
      "Flow charts of a dynamic analysis: data in, assembly, checks, analyses, results out.";
  item.how =
      "Nothing to compute. The same steps are `cardan check`, `cardan run` and the commands that "
      "show results; docs/architecture.md has their parts.";
  return item;
}

DocumentItem driving_figure() {
  DocumentItem item;
  item.picture =
      "A sketch: driving backwards by looking at the road behind. On a straight road one looks far "
      "back and goes fast; at a sharp bend one goes slowly and forgets what lies behind.";
  item.how =
      "Order and step of the method adams on x' = -50 (x - cos t) after t = 5, x' = -x before: the "
      "road bends at t = 5.";
  const auto system = formulas({"x' = if(t < 5, -x, -50*(x - cos(t)))"});
  auto method = make_method("adams", {}, *system);
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = 1e-8;
  Integrator integrator(std::move(method).value(), tolerance);
  std::vector<double> t, step, order;
  integrator.on_step = [&](const StepRecord& record) {
    t.push_back(record.t);
    step.push_back(record.h);
    order.push_back(record.order);
    return Flow::go_on;
  };
  const std::vector<double> one{1};
  if (integrator.start(0, one) != Eval::ok) return item;
  integrator.advance(10);
  Plot steps = plot_of("Step of adams at a bend", {"t", "s", false, {}}, {"h", "s", true, {}});
  steps.curves.push_back(thinned(curve_of("", t, step)));
  Plot orders =
      plot_of("Order of adams at a bend", {"t", "s", false, {}}, {"order", "", false, {}});
  orders.curves.push_back(thinned(curve_of("", t, order)));
  item.plots = {std::move(steps), std::move(orders)};
  return item;
}

}  // namespace

const DocumentEntry entries_000[] = {
    {"figures 7.1.1 to 7.1.3", "Flow of a dynamic analysis", flow_figure},
    {"example 7.2.1", "Reduced equation of the pendulum", reduction_example},
    {"example 7.3.1", "Pendulum from its lowest point at 1 rad/s", pendulum_example},
    {"7.4.1", "Taylor polynomials of e^t", taylor_table},
    {"figure 7.4.1", "Interpolation through k points", interpolation_figure},
    {"7.4.2", "Newton's backward-difference polynomials of e^t", newton_table},
    {"7.4.3", "Euler's method on x' = x", euler_table},
    {"7.4.4", "Coefficients of Adams-Bashforth", gamma_table},
    {"example 7.4.4", "First steps of Adams-Bashforth", bashforth_example},
    {"7.4.5", "Backward differences", difference_table_item},
    {"7.4.6", "Adams-Bashforth, ten steps of 0.1", bashforth_coarse},
    {"7.4.7", "Adams-Bashforth, ten steps of 0.01", bashforth_fine},
    {"7.4.8", "Adams-Bashforth at t = 10, h = 0.1", bashforth_end_coarse},
    {"7.4.9", "Adams-Bashforth at t = 10, h = 0.01", bashforth_end_fine},
    {"7.4.2 end", "A start with small steps", small_start},
    {"7.4.10", "Coefficients of Adams-Moulton", gamma_star_table},
    {"example 7.4.5", "Predicted and corrected values", corrector_example},
    {"7.4.11", "Predictor and corrector at t = 10, h = 0.1", corrector_end_coarse},
    {"7.4.12", "Predictor and corrector at t = 10, h = 0.01", corrector_end_fine},
    {"figure 7.4.2", "Step and order at a bend", driving_figure},
};

std::span<const DocumentEntry> document_000() {
  return entries_000;
}

}  // namespace cardan::documents
