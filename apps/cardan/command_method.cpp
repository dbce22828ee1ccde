// cardan method [NAME]: what an integration method is made of.
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/method_sheet.h"
#include "cardan/ode/runge_kutta/runge_kutta.h"
#include "cardan/ode/stability.h"
#include "cardan/report/svg_plot.h"
#include "cardan/session/read_tableau.h"
#include "command.h"
#include "command_ode.h"

namespace cardan::app {

namespace command_method {

using Json = nlohmann::ordered_json;

std::string table_text(const CoefficientTable& table) {
  std::vector<std::size_t> width(table.head.size());
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  };
  widen(table.head);
  for (const auto& row : table.rows) widen(row);
  std::string out = "\n" + table.title + "\n";
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = " ";
    for (std::size_t k = 0; k < row.size(); ++k)
      text += fmt::format(" {:>{}}", row[k], width[k] + 1);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(table.head);
  for (const auto& row : table.rows) line(row);
  return out;
}

// The stable set with characters; twice as many columns as rows for a length, as letters are.
std::string region_text(const Growth& growth, const Window& window) {
  constexpr int columns = 64, rows = 24;
  std::string out;
  const double dx = (window.right - window.left) / columns,
               dy = (window.top - window.bottom) / rows;
  for (int i = 0; i < rows; ++i) {
    const double y = window.top - (i + 0.5) * dy;
    std::string text = "  ";
    for (int j = 0; j < columns; ++j) {
      const double x = window.left + (j + 0.5) * dx;
      const bool real_axis = std::abs(y) <= dy / 2, imaginary_axis = std::abs(x) <= dx / 2;
      const char empty = imaginary_axis ? '|' : real_axis ? '-' : ' ';
      text += growth({x, y}) <= 1 + 1e-12 ? '#' : empty;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out + fmt::format("  Re z from {:.3g} to {:.3g}, Im z from {:.3g} to {:.3g}\n",
                           window.left,
                           window.right,
                           window.bottom,
                           window.top);
}

Result<std::string> write_region(const std::string& label,
                                 const Growth& growth,
                                 const Window& window,
                                 const OdeOptions& o) {
  Plot plot;
  plot.title = "Stability region of " + label;
  plot.subtitle = "steps z = h*lambda for which y' = lambda*y does not grow";
  plot.x = {"Re z", "", false, {{window.left, window.right}}};
  plot.y = {"Im z", "", false, {{window.bottom, window.top}}};
  plot.equal_axes = true;
  plot.height = 640;
  const Outline outline = stability_outline(growth, window);
  PlotCurve curve;
  curve.name = label;
  curve.x = outline.x;
  curve.y = outline.y;
  curve.fill = 0.18;
  plot.curves.push_back(std::move(curve));
  return write_svg(svg(plot), "stability", o);
}

std::string number(double x) {
  if (std::isnan(x)) return "not known";
  return std::isinf(x) ? "unbounded" : fmt::format("{:.9g}", x);
}

Json limit(double x) {  // null: not known; "unbounded"
  if (std::isnan(x)) return nullptr;
  return std::isinf(x) ? Json("unbounded") : Json(x);
}

Json to_json(const MethodSheet& sheet) {
  Json tables = Json::array();
  for (const CoefficientTable& table : sheet.tables)
    tables.push_back({{"title", table.title}, {"head", table.head}, {"rows", table.rows}});
  return {{"formula", sheet.formula},
          {"reference", sheet.reference},
          {"error_constant",
           std::isnan(sheet.error_constant) ? Json(nullptr) : Json(sheet.error_constant)},
          {"tables", std::move(tables)}};
}

// What is shown of a registered method, and of a Butcher array from a file.
struct Shown {
  std::string label, summary;
  Traits traits;
  MethodSheet sheet;
  Growth growth;
};

Result<Shown> registered(const OdeOptions& o) {
  Diagnostics faults;
  const MethodOptions base = method_options(o, faults);
  Result<MethodChoice> choice = choose_method(o.integrator, base);
  if (!choice) faults.insert(faults.end(), choice.why().begin(), choice.why().end());
  if (has_error(faults)) return faults;
  const auto& [label, entry, options] = choice.value();
  // A method that refuses these options says why.
  const auto system = FormulaSystem::make({{"", "x'' = -x", {}}}, {});
  if (const auto made = make_method(entry->name, options, *system.value()); !made)
    return made.why();
  return Shown{label,
               std::string(entry->summary),
               entry->traits(options),
               method_sheet(*entry, options),
               growth_of(*entry, options)};
}

Shown of_tableau(const NamedTableau& own) {
  const auto r = stability_polynomial(own.tableau);
  Shown out{own.name,
            "explicit Runge-Kutta method of one's own",
            tableau_traits(own.tableau, own.name),
            tableau_sheet(own.tableau),
            [r](std::complex<double> z) {
              return std::abs(evaluate_polynomial(r, z));
            }};
  out.sheet.reference = "the file given";
  return out;
}

int show(const OdeOptions& o, const Console& console) {
  NamedTableau own;
  if (!o.tableau.empty()) {
    if (!o.integrator.empty())
      return console.fail(
          usage_fault("usage.bad-option", "a method beside --tableau", "one of them"));
    Result<NamedTableau> read = read_tableau(o.tableau);
    if (!read) return console.fail(read.why());
    own = std::move(read).value();
  }
  const Result<Shown> found = o.tableau.empty() ? registered(o) : of_tableau(own);
  if (!found) return console.fail(found.why());
  const Shown& method = found.value();
  const Traits& t = method.traits;
  const MethodSheet& sheet = method.sheet;
  console.print(fmt::format("{}: {}\n\n", method.label, method.summary));
  std::string formula = "  " + sheet.formula;
  for (std::size_t at = 0; (at = formula.find('\n', at)) != std::string::npos; at += 3)
    formula.replace(at, 1, "\n  ");
  console.print(formula + "\n");
  for (const CoefficientTable& table : sheet.tables) console.print(table_text(table));
  const std::string orders = t.order_min == t.order_max
                                 ? std::to_string(t.order_max)
                                 : fmt::format("{} to {}", t.order_min, t.order_max);
  console.print(fmt::format("\norder                    {}\n", orders));
  if (!std::isnan(t.evaluations))
    console.print(fmt::format("evaluations a step       {:g}\n", t.evaluations));
  console.print(fmt::format("order of the interpolant {}\n", t.interpolant_order));
  if (!std::isnan(sheet.error_constant))
    console.print(fmt::format("error constant           {}\n", as_fraction(sheet.error_constant)));
  console.print(fmt::format("stable on the real axis  {}\n", number(t.real_limit)));
  console.print(fmt::format("and on the imaginary one {}\n", number(t.imaginary_limit)));
  console.print(fmt::format("reference                {}\n", sheet.reference));
  Json json{{"name", method.label},
            {"summary", method.summary},
            {"order_min", t.order_min},
            {"order_max", t.order_max},
            {"real_limit", limit(t.real_limit)},
            {"imaginary_limit", limit(t.imaginary_limit)}};
  json.update(to_json(sheet));
  if (method.growth) {
    const Window window = stability_window({method.growth}, 64.0 / 48);
    console.print("\nstability region\n" + region_text(method.growth, window));
    if (!o.output.empty()) {
      const Result<std::string> file = write_region(method.label, method.growth, window, o);
      if (!file) return console.fail(file.why());
      console.print(fmt::format("picture: {}\n", file.value()));
      json["picture"] = file.value();
    }
  } else if (!o.output.empty()) {
    return console.fail(usage_fault("usage.bad-value",
                                    fmt::format("'{}' has no known stability region", method.label),
                                    "another method, or no --output"));
  }
  console.print_json("method", json);
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto o = std::make_shared<OdeOptions>();
  line.option("NAME", o->integrator, "A method, as rk4 or ab:3; without it all are listed");
  line.option("--tableau", o->tableau, "File with a Butcher array of one's own");
  line.option("--order", o->order, "Order of the method");
  line.option("--alpha", o->alpha, "Parameter of rk2 and hht");
  line.option("--gamma", o->gamma, "Parameter of newmark");
  line.option("--beta", o->beta, "Parameter of newmark");
  line.option("--rho", o->rho, "Parameter of generalized-alpha: spectral radius at infinity");
  line.option("--variant", o->variant, "Variant of a method: ndf");
  const Described output =
      line.option("-o,--output", o->output, "SVG file for the stability region");
  line.flag("--force", o->force, "Replace that file").needs(output);
  line.json_flag(console);
  return [o, &console] {
    if (!o->integrator.empty() || !o->tableau.empty()) return show(*o, console);
    const std::pair<const char*, bool> of_one[] = {{"--order", o->order != 0},
                                                   {"--alpha", !o->alpha.empty()},
                                                   {"--gamma", !o->gamma.empty()},
                                                   {"--beta", !o->beta.empty()},
                                                   {"--rho", !o->rho.empty()},
                                                   {"--variant", !o->variant.empty()},
                                                   {"--output", !o->output.empty()}};
    for (const auto& [name, given] : of_one)
      if (given)
        return console.fail(usage_fault(
            "usage.bad-option", fmt::format("{} without a method", name), "name one, as rk4"));
    return list_integrators(console);
  };
}

}  // namespace command_method

extern const Command method_command;
const Command method_command{
    "method", "Show what an integration method is made of", command_method::define};

}  // namespace cardan::app
