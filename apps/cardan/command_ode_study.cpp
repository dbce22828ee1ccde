// Step halving and work-precision of several methods on one system: tables and two plots.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/study.h"
#include "cardan/report/svg_plot.h"
#include "command_ode.h"
#include "study_text.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

Json finite(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::vector<std::string> usual_methods(const OdeCase& c, const OdeOptions& o) {
  if (!o.integrator.empty()) return {o.integrator};
  std::vector<std::string> words{"euler", "heun", "rk4", "backward-euler"};
  if (c.system->second_order() != nullptr) words.emplace_back("euler2");
  return words;
}

std::vector<int> halvings_of(const OdeOptions& o) {
  return o.halvings.empty() ? std::vector<int>{4, 14} : o.halvings;
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
    work_.title = "Work and precision";
    work_.x = {"evaluations of f", "", true, {}};
    work_.y = {"error at the end", "", true, {}};
  }

  Diagnostics add(const MethodChoice& m) {
    Json object{{"method", m.label}};
    if (!m.entry->traits(m.options).adaptive) {
      const Result<Halving> study = halving_study(
          setup_, m.entry->name, m.options, halvings_of(options_)[0], halvings_of(options_)[1]);
      if (!study) return study.why();
      const int shown = std::max(setup_.component, 0);
      print_halving(console_, m.label, study.value(), shown);
      object.update(halving_json(study.value(), shown));
      halvings_.emplace_back(m.label, study.value());
    }
    const Result<std::vector<WorkPoint>> work = work_precision(
        setup_, m.entry->name, m.options, halvings_of(options_)[0], halvings_of(options_)[1]);
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
    if (halvings_.empty()) return {work_};
    return {halving_plot(halvings_), work_};
  }

  const Json& methods() const { return methods_; }

 private:
  const StudySetup& setup_;
  const OdeOptions& options_;
  const Console& console_;
  std::vector<std::pair<std::string, Halving>> halvings_;
  Plot work_;
  Json methods_ = Json::array();
  int count_ = 0;
};

}  // namespace

int study_ode(const OdeCase& c, const OdeOptions& o, const Console& console) {
  const std::vector<int> n = halvings_of(o);
  if (n[0] < 0 || n[1] < n[0] || n[1] > 24) {
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
