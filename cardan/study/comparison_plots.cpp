#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/study/comparison_report.h"

namespace cardan {

namespace {

constexpr std::size_t most_curves = 12;            // with colours and a name of their own
constexpr std::size_t few_trials = 8;              // each gets its own curve of drift
constexpr double least_drift = 1e-18;              // exact zeros are drawn here
constexpr std::size_t most_plotted_points = 1500;  // of a curve

constexpr PlotMark marks[] = {PlotMark::dot, PlotMark::ring, PlotMark::square, PlotMark::cross};

void style(PlotCurve& curve, std::size_t n) {
  curve.colour = plot_colour(static_cast<int>(n));
  curve.mark = marks[(n + n / 8) % std::size(marks)];
  curve.dashed = n >= 8;
}

// Peaks of a long curve, so that nothing is lost that can be seen.
void thin(const std::vector<double>& t, const std::vector<double>& y, PlotCurve& curve) {
  const std::size_t n = std::min(t.size(), y.size());
  const std::size_t every = std::max<std::size_t>(1, n / most_plotted_points);
  for (std::size_t k = 0; k < n; k += every) {
    const auto peak =
        std::max_element(y.begin() + static_cast<std::ptrdiff_t>(k),
                         y.begin() + static_cast<std::ptrdiff_t>(std::min(n, k + every)));
    curve.x.push_back(t[static_cast<std::size_t>(peak - y.begin())]);
    curve.y.push_back(std::max(*peak, least_drift));
  }
}

}  // namespace

Plot work_precision_plot(const Comparison& c, const std::string& title) {
  Plot plot;
  plot.title = title;
  plot.subtitle = "cheap and exact is down and left; every point is one run";
  plot.width = 1000, plot.height = 560;
  plot.legend_right = true;
  plot.x = {"processor time", "s", true, {}};
  plot.y = {"largest relative error", "", true, {}};
  std::vector<PlotCurve> faint;
  for (std::size_t n = 0; n < c.ranking.size(); ++n) {
    const Contender& method = c.trials[c.ranking[n]].method;
    std::vector<const Trial*> points;
    for (const Trial& t : c.trials)
      if (t.state == Trial::State::complete && t.method.same_method(method)) points.push_back(&t);
    std::sort(points.begin(), points.end(), [](const Trial* a, const Trial* b) {
      return a->method.setting > b->method.setting;
    });
    PlotCurve curve;
    for (const Trial* t : points)
      curve.x.push_back(t->stats.cpu_seconds),
          curve.y.push_back(std::max(t->error.relative, 1e-16));
    if (n < most_curves) {
      curve.name = method.name();
      style(curve, n);
      plot.curves.push_back(std::move(curve));
    } else {
      curve.colour = "#c3c8d0";
      curve.width = 1;
      if (faint.empty())
        curve.name = fmt::format("{} other methods", c.ranking.size() - most_curves);
      faint.push_back(std::move(curve));
    }
  }
  plot.curves.insert(plot.curves.begin(), faint.begin(), faint.end());
  if (plot.curves.empty()) return plot;
  double low = 1e300, high = 0;
  for (const PlotCurve& curve : plot.curves)
    for (const double x : curve.x) low = std::min(low, x), high = std::max(high, x);
  PlotCurve line;
  line.name = fmt::format("accuracy asked for, {:.2g}", c.options.accuracy);
  line.x = {low, high}, line.y = {c.options.accuracy, c.options.accuracy};
  line.colour = "#223", line.dashed = true, line.width = 1.2;
  plot.curves.push_back(std::move(line));
  if (c.reference.agreement > 0) {
    PlotCurve certain;
    certain.name = fmt::format("reference certain to {:.1g}", c.reference.agreement);
    certain.x = {low, high}, certain.y = {c.reference.agreement, c.reference.agreement};
    certain.colour = "#889", certain.dashed = true, certain.width = 1;
    plot.curves.push_back(std::move(certain));
  }
  return plot;
}

Plot drift_plot(const Comparison& c, const std::string& title) {
  Plot plot;
  plot.title = title;
  plot.width = 1000, plot.height = 560;
  plot.legend_right = true;
  plot.x = {"time", "s", false, {}};
  plot.y = {"largest constraint violation", "m", true, {}};
  std::vector<const Trial*> shown;
  for (const Trial& t : c.trials)
    if (t.drifts.size() > 1 && t.state != Trial::State::skipped) shown.push_back(&t);
  if (shown.size() > few_trials) {
    plot.subtitle = "every formulation with the integrator that serves it best";
    shown.clear();
    std::vector<std::string> seen;  // one integrator a formulation tells the story
    for (const std::size_t k : c.ranking) {
      const Trial& t = c.trials[k];
      if (std::find(seen.begin(), seen.end(), t.method.formulation) != seen.end()) continue;
      seen.push_back(t.method.formulation);
      shown.push_back(&t);
    }
  }
  for (const Trial* t : shown) {
    PlotCurve curve;
    thin(t->times, t->drifts, curve);
    curve.name = t->method.name() + ", " + t->method.settings_text();
    style(curve, plot.curves.size());
    curve.mark = PlotMark::none;
    curve.width = 1.3;
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

}  // namespace cardan
