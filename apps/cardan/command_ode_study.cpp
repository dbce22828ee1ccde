// Step halving and work-precision of several methods on one system: tables and two plots.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/study.h"
#include "cardan/results/svg_plot.h"
#include "command_ode.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

Json finite(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::string cell(double x) {
  return fmt::format("{:>14}", std::isfinite(x) ? fmt::format("{:.4e}", x) : "-");
}

std::vector<std::string> usual_methods(const OdeCase& c, const OdeOptions& o) {
  if (!o.integrator.empty()) return {o.integrator};
  std::vector<std::string> words{"euler", "heun", "rk4", "backward-euler"};
  if (c.system->second_order() != nullptr) words.emplace_back("euler2");
  return words;
}

// What the errors are taken of: the variable asked for, or the only one with an exact solution, or
// all.
StudySetup setup_of(const OdeCase& c, int watched) {
  StudySetup s{.problem = *c.system, .start = c.from, .end = c.until, .y0 = c.y0, .exact = {}};
  std::vector<double> exact(c.y0.size(), 0);
  std::size_t known = 0, last = 0;
  for (std::size_t k = 0; k < c.y0.size(); ++k) {
    const std::optional<double> value = c.exact_value(k, c.until);
    if (!value) continue;
    exact[k] = *value;
    last = k;
    ++known;
  }
  if (watched >= 0) s.component = watched;
  if (watched < 0 && known == 1) s.component = static_cast<int>(last);
  const bool enough = s.component < 0 ? known == c.y0.size()
                                      : c.exact[static_cast<std::size_t>(s.component)].has_value();
  if (enough) s.exact = exact;
  return s;
}

PlotCurve dots(const std::string& name, int colour) {
  PlotCurve curve;
  curve.name = name;
  curve.colour = plot_colour(colour);
  curve.mark = PlotMark::dot;
  return curve;
}

// One method in the tables and the plots.
class Report {
 public:
  Report(const StudySetup& setup, const OdeOptions& o, const Console& console)
      : setup_(setup), options_(o), console_(console) {
    halving_.title = "Step halving";
    halving_.subtitle =
        "D_n = |y_n - y_(n-1)| at the end, steps h = T/2^n; fitted order in the legend";
    halving_.x = {"h", "", true, {}};
    halving_.y = {"D_n", "", true, {}};
    work_.title = "Work and precision";
    work_.x = {"evaluations of f", "", true, {}};
    work_.y = {"error at the end", "", true, {}};
  }

  Diagnostics add(const MethodChoice& m) {
    Json object{{"method", m.label}};
    if (!m.entry->traits(m.options).adaptive) {
      const Result<Halving> study = halving_study(
          setup_, m.entry->name, m.options, options_.halvings[0], options_.halvings[1]);
      if (!study) return study.why();
      halving(m, study.value(), object);
    }
    const Result<std::vector<WorkPoint>> work = work_precision(
        setup_, m.entry->name, m.options, options_.halvings[0], options_.halvings[1]);
    if (!work) return work.why();
    PlotCurve curve = dots(m.label, count_);
    Json points = Json::array();
    for (const WorkPoint& p : work.value()) {
      curve.x.push_back(static_cast<double>(p.evaluations));
      curve.y.push_back(p.error);
      points.push_back(
          {{"setting", p.setting}, {"evaluations", p.evaluations}, {"error", finite(p.error)}});
    }
    object["work"] = std::move(points);
    work_.curves.push_back(std::move(curve));
    methods_.push_back(std::move(object));
    ++count_;
    return {};
  }

  std::vector<Plot> plots() const {
    if (halving_.curves.empty()) return {work_};
    return {halving_, work_};
  }

  const Json& methods() const { return methods_; }

 private:
  void halving(const MethodChoice& m, const Halving& study, Json& object) {
    const bool known = std::isfinite(study.order);
    const std::string order = known ? fmt::format("{:.2f}", study.order) : "not found";
    console_.print(fmt::format("{}: order {}", m.label, order));
    if (study.round_off_from > 0)
      console_.print(fmt::format(", round-off from n = {}", study.round_off_from));
    console_.print(fmt::format(
        "\n{:>4}{:>14}{:>24}{:>14}{:>14}{:>10}\n", "n", "h", "result", "D_n", "error", "evals"));
    PlotCurve curve = dots(known ? fmt::format("{} (order {})", m.label, order) : m.label, count_);
    Json points = Json::array();
    for (const HalvingPoint& p : study.points) {
      const double y =
          p.y.empty() ? NAN : p.y[static_cast<std::size_t>(std::max(setup_.component, 0))];
      console_.print(fmt::format("{:>4}{:>14.6g}{:>24.16g}{}{}{:>10}\n",
                                 p.n,
                                 p.h,
                                 y,
                                 cell(p.difference),
                                 cell(p.error),
                                 p.evaluations));
      points.push_back({{"n", p.n},
                        {"h", p.h},
                        {"result", finite(y)},
                        {"difference", finite(p.difference)},
                        {"error", finite(p.error)},
                        {"evaluations", p.evaluations}});
      if (!(p.difference > 0)) continue;
      curve.x.push_back(std::abs(p.h));
      curve.y.push_back(p.difference);
    }
    halving_.curves.push_back(std::move(curve));
    if (known) halving_.curves.push_back(fitted(study));
    object["order"] = finite(study.order);
    object["round_off_from"] = study.round_off_from;
    object["halving"] = std::move(points);
  }

  // The line of the fitted order through the last point of the fit.
  PlotCurve fitted(const Halving& study) const {
    PlotCurve line;
    line.colour = plot_colour(count_);
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

  const StudySetup& setup_;
  const OdeOptions& options_;
  const Console& console_;
  Plot halving_, work_;
  Json methods_ = Json::array();
  int count_ = 0;
};

}  // namespace

int study_ode(const OdeCase& c, const OdeOptions& o, const Console& console) {
  if (o.halvings[0] < 0 || o.halvings[1] < o.halvings[0] || o.halvings[1] > 24) {
    return console.fail(usage_fault(
        "usage.bad-value", "--halvings", "two numbers from 0 to 24, the first not the larger"));
  }
  const int watched = o.watch.empty() ? -1 : c.system->component(o.watch);
  if (watched < 0 && !o.watch.empty()) {
    return console.fail(
        usage_fault("usage.bad-value", "--watch " + o.watch, "one of the variables"));
  }
  const StudySetup setup = setup_of(c, watched);
  Report report(setup, o, console);
  for (const std::string& word : o.study->empty() ? usual_methods(c, o) : *o.study) {
    const Result<MethodChoice> choice = choose_method(word, c.method);
    if (!choice) return console.fail(choice.why());
    if (const Diagnostics faults = report.add(choice.value()); has_error(faults))
      return console.fail(faults);
  }
  const Result<std::string> file = write_svg(svg(report.plots()), "study", o);
  if (!file) return console.fail(file.why());
  console.print(fmt::format("plots: {}\n", file.value()));
  console.print_json("study", {{"methods", report.methods()}, {"file", file.value()}});
  return 0;
}

}  // namespace cardan::app
