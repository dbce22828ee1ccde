// Integrates and shows the table: a row a step or an output point, errors beside the values where
// the exact solution is known, and what the run cost.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/runge_kutta/runge_kutta.h"
#include "cardan/session/read_tableau.h"
#include "command_ode.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

class Watch final : public Events {
 public:
  Watch(const OdeCase& c, bool stop) : case_(c), stop_(stop) {}

  std::vector<std::pair<double, int>> seen;

  int count() const override { return static_cast<int>(case_.events.size()); }

  std::string name(int i) const override { return case_.events[static_cast<std::size_t>(i)].text; }

  Eval values(double t, CView y, View g) override {
    for (std::size_t i = 0; i < case_.events.size(); ++i) {
      g[i] = case_.system->value(case_.events[i].formula, t, y);
    }
    return as_vector(g).allFinite() ? Eval::ok : Eval::retry;
  }

  EventAction happened(double t, int i, View) override {
    seen.emplace_back(t, i);
    return stop_ ? EventAction::stop : EventAction::go_on;
  }

 private:
  const OdeCase& case_;
  bool stop_;
};

// The table as text or CSV, and the largest errors seen in it.
class Table {
 public:
  Table(const OdeCase& c, const OdeOptions& o, const Console& console)
      : case_(c),
        options_(o),
        console_(console),
        steps_(o.steps && c.output_step == 0),
        largest_(c.y0.size(), 0) {
    std::vector<std::string> words{"t"};
    for (const std::string& name : c.system->names()) words.push_back(name);
    for (const OdeFormula& f : c.shown) words.push_back(f.text);
    for (std::size_t k = 0; k < c.exact.size(); ++k) {
      if (c.exact[k]) words.push_back("error " + c.system->names()[k]);
    }
    if (steps_) words.insert(words.end(), {"step", "order", "estimate"});
    line(words);
  }

  void row(double t, CView y, const StepRecord* step) {
    std::vector<std::string> words{text(t)};
    for (const double v : y) words.push_back(text(v));
    for (const OdeFormula& f : case_.shown) {
      words.push_back(text(case_.system->value(f.formula, t, y)));
    }
    for (std::size_t k = 0; k < case_.exact.size(); ++k) {
      const std::optional<double> exact = case_.exact_value(k, t);
      if (!exact) continue;
      const double error = y[k] - *exact;
      largest_[k] = std::max(largest_[k], std::abs(error));
      words.push_back(options_.csv ? text(error) : fmt::format("{:.3e}", error));
    }
    if (steps_) {
      words.push_back(step ? text(step->h) : "");
      words.push_back(step ? std::to_string(step->order) : "");
      words.push_back(step ? fmt::format("{:.3g}", step->error) : "");
    }
    line(words);
  }

  double largest(std::size_t k) const { return largest_[k]; }

 private:
  std::string text(double v) const {
    return options_.csv ? fmt::format("{}", v) : fmt::format("{:.10g}", v);
  }

  void line(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& w : words) {
      out += options_.csv ? (out.empty() ? "" : ",") + w : fmt::format(" {:>17}", w);
    }
    console_.print(out + "\n");
  }

  const OdeCase& case_;
  const OdeOptions& options_;
  const Console& console_;
  bool steps_;
  std::vector<double> largest_;
};

Json statistics(const Stats& s) {
  return {{"steps", s.steps},
          {"rejected", s.rejected},
          {"evaluations", s.f},
          {"jacobians", s.jacobian},
          {"factorizations", s.factorization},
          {"solves", s.solve},
          {"newton", s.newton},
          {"not_converged", s.not_converged},
          {"failed_evaluations", s.failed_f},
          {"events", s.events}};
}

struct Outcome {
  Stop stop;
  double t;
  std::vector<double> y;
  Stats stats;
  std::vector<std::pair<double, int>> events;
};

void tell(const OdeCase& c,
          const OdeOptions& o,
          const Outcome& out,
          const Table& table,
          const Console& console) {
  Json final_values, errors, largest, exact;
  std::string text;
  for (std::size_t k = 0; k < out.y.size(); ++k) {
    const std::string& name = c.system->names()[k];
    final_values[name] = out.y[k];
    const std::optional<double> truth = c.exact_value(k, out.t);
    if (!truth) continue;
    exact[name] = *truth;
    errors[name] = out.y[k] - *truth;
    largest[name] = table.largest(k);
    text += fmt::format("error of {} at the end: {:.6e} ({:.3g} %), largest: {:.6e}\n",
                        name,
                        out.y[k] - *truth,
                        100 * std::abs((out.y[k] - *truth) / *truth),
                        table.largest(k));
  }
  Json events = Json::array();
  for (const auto& [t, i] : out.events) {
    const std::string& what = c.events[static_cast<std::size_t>(i)].text;
    events.push_back({{"t", t}, {"event", what}});
    text += fmt::format("{} = 0 at t = {:.15g}\n", what, t);
  }
  const Stats& s = out.stats;
  text += fmt::format("{} steps ({} rejected), {} evaluations", s.steps, s.rejected, s.f);
  if (s.factorization > 0) {
    text += fmt::format(", {} Jacobians, {} factorizations, {} Newton iterations",
                        s.jacobian,
                        s.factorization,
                        s.newton);
  }
  if (!o.csv) console.print(text + "\n");
  Json object{{"integrator", o.tableau.empty() ? c.integrator : o.tableau},
              {"t", out.t},
              {"final", final_values}};
  object["errors"] = errors.is_null() ? Json::object() : errors;
  if (c.has_exact()) object["exact"] = exact, object["largest_errors"] = largest;
  object["statistics"] = statistics(s);
  if (!c.events.empty()) object["events"] = events;
  for (const OdeFormula& f : c.shown) {
    object["shown"][f.text] = c.system->value(f.formula, out.t, out.y);
  }
  object["complete"] = out.stop.why != Stop::Why::failure;
  console.print_json("ode", object);
}

// What a run shows while it goes: rows at output points or at steps, and whether it looked stiff.
struct Course {
  double last;  // time of the last row
  bool stiff = false;

  void follow(Integrator& integrator, const OdeCase& c, Table& table) {
    const bool grid = c.output_step > 0;
    last = c.from;
    if (grid) {
      integrator.output_every(c.output_step);
      integrator.on_output = [this, &table](double t, CView y) {
        table.row(t, y, nullptr);
        last = t;
        return Flow::go_on;
      };
    } else {
      table.row(c.from, c.y0, nullptr);
    }
    integrator.on_step = [this, grid, &integrator, &c, &table](const StepRecord& step) {
      stiff = stiff || integrator.method().looks_stiff();
      const bool beyond =
          (c.until - c.from) * (step.t - c.until) > 0;  // multistep methods run past
      if (!grid && !beyond) {
        table.row(step.t, step.y, &step);
        last = step.t;
      }
      return Flow::go_on;
    };
  }
};

Diagnostic stiff_note(const OdeCase& c) {
  Diagnostic d = usage_fault("numeric.stiff",
                             fmt::format("the problem looked stiff to {}", c.integrator),
                             "an implicit integrator: bdf, radau5, rosenbrock or esdirk");
  d.severity = Severity::note;
  return d;
}

}  // namespace

int run_ode(const OdeCase& c, const OdeOptions& o, const Console& console) {
  NamedTableau own;
  if (!o.tableau.empty()) {
    Result<NamedTableau> read = read_tableau(o.tableau);
    if (!read) return console.fail(read.why());
    own = std::move(read).value();
  }
  Result<std::unique_ptr<Method>> method =
      o.tableau.empty() ? make_method(c.integrator, c.method, *c.system)
                        : std::unique_ptr<Method>(std::make_unique<RungeKutta>(
                              *c.system, own.tableau, tableau_traits(own.tableau, own.name)));
  if (!method) return console.fail(method.why());
  const Traits traits = method.value()->traits();
  if (!traits.adaptive && c.step == 0) {
    return console.fail(usage_fault("usage.bad-value",
                                    fmt::format("no step for {}", traits.name),
                                    "a method with fixed step needs --step"));
  }
  IntegratorOptions how;
  how.step = c.step;
  Watch watch(c, o.stop_at_event);
  Integrator integrator(
      std::move(method).value(), c.tolerance, how, c.events.empty() ? nullptr : &watch);
  if (integrator.start(c.from, c.y0) != Eval::ok) {
    Diagnostic d = usage_fault("numeric.not-finite", "a right side has no value at the start", "");
    d.t = c.from;
    return console.fail(d);
  }
  Table table(c, o, console);
  Course course{c.from};
  course.follow(integrator, c, table);
  const Stop stop = integrator.advance(c.until);
  if (integrator.t() != course.last) table.row(integrator.t(), integrator.y(), nullptr);
  int code = 0;
  if (stop.why == Stop::Why::failure) code = console.fail(to_diagnostic(stop.failure));
  if (stop.why != Stop::Why::failure && course.stiff) console.report(stiff_note(c));
  tell(c,
       o,
       {stop,
        integrator.t(),
        {integrator.y().begin(), integrator.y().end()},
        integrator.stats(),
        watch.seen},
       table,
       console);
  return code;
}

}  // namespace cardan::app
