#include "study_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::string halving_cell(double x) {
  return fmt::format("{:>14}", std::isfinite(x) ? fmt::format("{:.4e}", x) : "-");
}

std::string order_words(const Halving& study) {
  return std::isfinite(study.order) ? fmt::format("{:.2f}", study.order) : "not found";
}

double result_of(const HalvingPoint& p, int component) {
  return p.y.empty() ? NAN : p.y[static_cast<std::size_t>(component)];
}

// The line of the fitted order through the last point of the fit.
PlotCurve fitted(const Halving& study, int colour) {
  PlotCurve line;
  line.colour = plot_colour(colour);
  line.dashed = true;
  line.width = 1;
  const HalvingPoint *first = nullptr, *last = nullptr;
  for (const HalvingPoint& p : study.points) {
    if (p.n == study.fit_from) first = &p;
    if (p.n == study.fit_to) last = &p;
  }
  for (const HalvingPoint* p : {first, last}) {
    line.x.push_back(std::abs(p->h));
    line.y.push_back(last->difference * std::pow(p->h / last->h, study.order));
  }
  return line;
}

// Both branches, C_1 h^p + C_2 / h.
PlotCurve branches(const Halving& study, int colour) {
  PlotCurve line;
  line.colour = plot_colour(colour);
  line.dashed = true;
  line.width = 1;
  for (const HalvingPoint& p : study.points) {
    if (p.n < study.fit_from) continue;
    const double h = std::abs(p.h);
    line.x.push_back(h);
    line.y.push_back(study.truncation * std::pow(h, study.order) + study.round_off / h);
  }
  return line;
}

}  // namespace

void print_halving(const Console& console,
                   const std::string& label,
                   const Halving& study,
                   int component) {
  std::string text = fmt::format("{}: order {}", label, order_words(study));
  if (study.round_off_from > 0)
    text += fmt::format(", round-off from n = {}", study.round_off_from);
  if (std::isfinite(study.round_off))
    text += fmt::format("\nD = {:.4g} h^{:.2f} + {:.4g} / h, least at h = {:.4g}",
                        study.truncation,
                        study.order,
                        study.round_off,
                        study.best_step);
  text += fmt::format("\n{:>4}{:>14}{:>24}{:>14}{:>14}{:>14}{:>10}\n",
                      "n",
                      "h",
                      "result",
                      "D_n",
                      "D_n/(2^p-1)",
                      "error",
                      "evals");
  for (const HalvingPoint& p : study.points)
    text += fmt::format("{:>4}{:>14.6g}{:>24.16g}{}{}{}{:>10}\n",
                        p.n,
                        p.h,
                        result_of(p, component),
                        halving_cell(p.difference),
                        halving_cell(p.estimate),
                        halving_cell(p.error),
                        p.evaluations);
  console.print(text);
}

std::string halving_csv(const Halving& study) {
  const auto number = [](double x) {
    return std::isfinite(x) ? fmt::format("{:.17g}", x) : std::string();
  };
  std::string text = "n,h,difference,estimate,error,evaluations\n";
  for (const HalvingPoint& p : study.points)
    text += fmt::format("{},{},{},{},{},{}\n",
                        p.n,
                        number(p.h),
                        number(p.difference),
                        number(p.estimate),
                        number(p.error),
                        p.evaluations);
  return text;
}

Json halving_json(const Halving& study, int component) {
  Json points = Json::array();
  for (const HalvingPoint& p : study.points)
    points.push_back({{"n", p.n},
                      {"h", p.h},
                      {"result", finite_or_null(result_of(p, component))},
                      {"difference", finite_or_null(p.difference)},
                      {"estimate", finite_or_null(p.estimate)},
                      {"error", finite_or_null(p.error)},
                      {"evaluations", p.evaluations}});
  return {{"order", finite_or_null(study.order)},
          {"round_off_from", study.round_off_from},
          {"truncation", finite_or_null(study.truncation)},
          {"round_off", finite_or_null(study.round_off)},
          {"best_step", finite_or_null(study.best_step)},
          {"halving", std::move(points)}};
}

Plot halving_plot(const std::vector<std::pair<std::string, Halving>>& studies) {
  Plot plot;
  plot.title = "Step halving";
  plot.subtitle = "D_n = |y_n - y_(n-1)| at the end, steps h = T/2^n; fitted order in the legend";
  plot.x = {"h", "", true, {}};
  plot.y = {"D_n", "", true, {}};
  int colour = 0;
  for (const auto& [label, study] : studies) {
    const bool known = std::isfinite(study.order);
    PlotCurve curve;
    curve.name = known ? fmt::format("{} (order {})", label, order_words(study)) : label;
    curve.colour = plot_colour(colour);
    curve.mark = PlotMark::dot;
    for (const HalvingPoint& p : study.points) {
      if (!(p.difference > 0)) continue;
      curve.x.push_back(std::abs(p.h));
      curve.y.push_back(p.difference);
    }
    plot.curves.push_back(std::move(curve));
    if (std::isfinite(study.round_off))
      plot.curves.push_back(branches(study, colour));
    else if (known)
      plot.curves.push_back(fitted(study, colour));
    ++colour;
  }
  return plot;
}

}  // namespace cardan::app
