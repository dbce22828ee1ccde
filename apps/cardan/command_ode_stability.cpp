// The methods with their properties, and their stability regions.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/method_options.h"
#include "cardan/ode/stability.h"
#include "cardan/report/svg_plot.h"
#include "command_ode.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

std::string limit(double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return "unbounded";
  return fmt::format("{:.9g}", x);
}

Json limit_json(double x) {  // null: unbounded or not known
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::string orders(const Traits& t) {
  return t.order_min == t.order_max ? std::to_string(t.order_max)
                                    : fmt::format("{}-{}", t.order_min, t.order_max);
}

std::string kind(const Traits& t) {
  std::string text = t.implicit ? "implicit" : "explicit";
  text += t.multistep ? " multistep" : " one-step";
  text += t.adaptive ? ", error control" : ", fixed step";
  return t.second_order ? text + ", 2nd order" : text;
}

}  // namespace

int list_integrators(const Console& console) {
  console.print(fmt::format("{:<18}{:>6}  {:<46}{:>12}{:>12}{:>7}{:>8}  {}\n",
                            "name",
                            "order",
                            "kind",
                            "real axis",
                            "imag. axis",
                            "evals",
                            "interp.",
                            "what"));
  Json list = Json::array();
  for (const MethodEntry* entry : list_methods()) {
    const Traits t = entry->traits({});
    const std::string name(entry->name);
    const std::string evaluations =
        std::isnan(t.evaluations) ? "var." : fmt::format("{:g}", t.evaluations);
    const std::string also = entry->alias.empty() ? "" : fmt::format(" (also {})", entry->alias);
    console.print(fmt::format(
        "{:<18}{:>6}  {:<46}{:>12}{:>12}{:>7}{:>8}  {}{}\n",
        name,
        orders(t),
        kind(t),
        std::isfinite(t.real_limit) ? fmt::format("{:.5g}", t.real_limit) : limit(t.real_limit),
        std::isfinite(t.imaginary_limit) ? fmt::format("{:.5g}", t.imaginary_limit)
                                         : limit(t.imaginary_limit),
        evaluations,
        t.interpolant_order,
        entry->summary,
        also));
    list.push_back({{"name", name},
                    {"alias", std::string(entry->alias)},
                    {"summary", std::string(entry->summary)},
                    {"order_min", t.order_min},
                    {"order_max", t.order_max},
                    {"implicit", t.implicit},
                    {"multistep", t.multistep},
                    {"error_control", t.adaptive},
                    {"second_order", t.second_order},
                    {"real_limit", limit_json(t.real_limit)},
                    {"real_unbounded", std::isinf(t.real_limit)},
                    {"imaginary_limit", limit_json(t.imaginary_limit)},
                    {"imaginary_unbounded", std::isinf(t.imaginary_limit)},
                    {"evaluations_per_step", limit_json(t.evaluations)},
                    {"interpolant_order", t.interpolant_order}});
  }
  console.print_json("integrators", {{"integrators", list}});
  return 0;
}

int show_stability(const OdeOptions& o, const Console& console) {
  Diagnostics faults;
  const MethodOptions base = method_options(o, faults);
  std::vector<MethodChoice> methods;
  std::vector<std::string> words = *o.stability;
  if (words.empty()) words = {"euler", "heun", "rk4", "ab:3", "backward-euler", "bdf-fixed:3"};
  std::vector<Growth> growths;
  for (const std::string& word : words) {
    Result<MethodChoice> choice = choose_method(word, base);
    if (!choice) {
      faults.insert(faults.end(), choice.why().begin(), choice.why().end());
      continue;
    }
    if (auto refused = foreign_options(choice.value().entry->name, choice.value().options)) {
      faults.push_back(*refused);
      continue;
    }
    const Growth growth = growth_of(*choice.value().entry, choice.value().options);
    if (!growth) {
      faults.push_back(
          usage_fault("usage.bad-value", fmt::format("'{}'", word), "its stability is not known"));
      continue;
    }
    growths.push_back(growth);
    methods.push_back(std::move(choice).value());
  }
  if (has_error(faults)) return console.fail(faults);

  const Window window = stability_window(growths);
  Plot plot;
  plot.title = "Stability regions";
  plot.subtitle = "steps z = h*lambda for which y' = lambda*y does not grow";
  plot.x = {"Re z", "", false, {{window.left, window.right}}};
  plot.y = {"Im z", "", false, {{window.bottom, window.top}}};
  plot.equal_axes = true;
  plot.height = 640;
  Json list = Json::array();
  console.print(fmt::format(
      "{:<20}{:>16}{:>16}{:>12}\n", "method", "real axis", "imaginary axis", "A(alpha)"));
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const Outline outline = stability_outline(growths[k], window);
    PlotCurve curve;
    curve.name = methods[k].label;
    curve.x = outline.x;
    curve.y = outline.y;
    curve.fill = 0.18;
    plot.curves.push_back(std::move(curve));
    const double real = axis_limit(growths[k], -1), imaginary = axis_limit(growths[k], {0, 1});
    const double angle = stability_angle(growths[k]);
    console.print(fmt::format("{:<20}{:>16}{:>16}{:>12}\n",
                              methods[k].label,
                              limit(real),
                              limit(imaginary),
                              angle > 0 ? fmt::format("{:.4f}", angle) : "-"));
    list.push_back({{"method", methods[k].label},
                    {"real_limit", limit_json(real)},
                    {"real_unbounded", std::isinf(real)},
                    {"imaginary_limit", limit_json(imaginary)},
                    {"imaginary_unbounded", std::isinf(imaginary)},
                    {"angle", angle}});
  }
  const Result<std::string> file = write_svg(svg(plot), "stability", o);
  if (!file) return console.fail(file.why());
  console.print(fmt::format("regions: {}\n", file.value()));
  console.print_json("stability", {{"methods", list}, {"file", file.value()}});
  return 0;
}

}  // namespace cardan::app
