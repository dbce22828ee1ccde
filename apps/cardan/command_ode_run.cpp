// Integrates and shows the table: a row a step or an output point, errors beside the values where
// the exact solution is known, and what the run cost.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/ode/runge_kutta/runge_kutta.h"
#include "cardan/session/read_tableau.h"
#include "command_ode_text.h"

namespace cardan::app {

namespace {

using Json = nlohmann::ordered_json;

// Where fewer than this part of the run lies between two changes of the state by one event, they
// gather at a time that is never passed.
constexpr double gathering = 1e-9;

class Watch final : public Events {
 public:
  Watch(const OdeCase& c, bool stop) : case_(c), stop_(stop) {}

  std::vector<std::pair<double, int>> seen;
  std::optional<double> gathered;                    // where events without end were met
  std::function<void(double t, CView y)> on_change;  // with the state before it

  int count() const override { return static_cast<int>(case_.events.size()); }

  Crossing direction(int i) const override { return event(i).direction; }

  std::string name(int i) const override { return event(i).text; }

  Eval values(double t, CView y, View g) override {
    for (std::size_t i = 0; i < case_.events.size(); ++i) {
      g[i] = case_.system->value(case_.events[i].formula, t, y);
    }
    return as_vector(g).allFinite() ? Eval::ok : Eval::retry;
  }

  EventAction happened(double t, int i, View y) override {
    const OdeEvent& e = event(i);
    const double span = std::abs(case_.until - case_.from);
    const bool again = std::any_of(seen.begin(), seen.end(), [&](const auto& s) {
      return s.second == i && std::abs(t - s.first) < gathering * span;
    });
    seen.emplace_back(t, i);
    if (stop_ || e.stop) return EventAction::stop;
    if (e.changes.empty()) return EventAction::go_on;
    if (again) {
      gathered = t;
      return EventAction::stop;
    }
    if (on_change) on_change(t, y);
    std::vector<double> values;
    for (const auto& [k, formula] : e.changes) values.push_back(case_.system->value(formula, t, y));
    for (std::size_t j = 0; j < values.size(); ++j) y[e.changes[j].first] = values[j];
    return EventAction::restart;
  }

 private:
  const OdeEvent& event(int i) const { return case_.events[static_cast<std::size_t>(i)]; }

  const OdeCase& case_;
  bool stop_;
};

// The table as text or CSV, and the largest errors seen in it.
class Table {
 public:
  // silent: the rows are not shown.
  Table(const OdeCase& c, const OdeOptions& o, const Console& console, bool silent)
      : case_(c),
        options_(o),
        console_(console),
        silent_(silent),
        steps_(o.steps),
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
    if (silent_) return;
    std::string out;
    for (const std::string& w : words) {
      out += options_.csv ? (out.empty() ? "" : ",") + w : fmt::format(" {:>17}", w);
    }
    console_.print(out + "\n");
  }

  const OdeCase& case_;
  const OdeOptions& options_;
  const Console& console_;
  bool silent_, steps_;
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
  bool complete;
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
    text += fmt::format("{} at t = {:.15g}\n", what.ends_with("ing") ? what : what + " = 0", t);
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
  object["complete"] = out.complete;
  console.print_json("ode", object);
}

// What a run shows while it goes: rows at output points or at steps, the path for plots with points
// within steps, and whether it looked stiff.
struct Course {
  double last = 0;  // time of the last row
  bool stiff = false;
  OdePath path;

  void add(double t, CView y, const OdeCase& c) {
    if (path.names.empty()) {
      path.names = c.system->names();
      for (const OdeFormula& f : c.shown) path.names.push_back(f.text);
      path.values.resize(path.names.size());
    }
    path.t.push_back(t);
    for (std::size_t k = 0; k < y.size(); ++k) path.values[k].push_back(y[k]);
    for (std::size_t k = 0; k < c.shown.size(); ++k)
      path.values[y.size() + k].push_back(c.system->value(c.shown[k].formula, t, y));
  }

  // Points of the method's interpolant up to t, a few within the step and t itself.
  void trace(Method& method, double to, const OdeCase& c) {
    constexpr int parts = 8;
    const double from = method.previous_time();
    between_.resize(c.y0.size());
    for (int k = 1; k < parts && from != method.time(); ++k) {
      const double t = from + (to - from) * k / parts;
      if ((t - path.t.back()) * (c.until - c.from) <= 0) continue;
      if (method.interpolate(t, between_) == Eval::ok) add(t, between_, c);
    }
  }

  void follow(Integrator& integrator, Watch& watch, const OdeCase& c, Table& table) {
    const bool grid = c.output_step > 0;
    last = c.from;
    add(c.from, c.y0, c);
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
    watch.on_change = [this, grid, &integrator, &c, &table](double t, CView y) {
      trace(integrator.method(), t, c);
      add(t, y, c);
      if (!grid) table.row(t, y, nullptr);
    };
    integrator.on_step = [this, grid, &integrator, &c, &table](const StepRecord& step) {
      stiff = stiff || integrator.method().looks_stiff();
      const bool beyond =
          (c.until - c.from) * (step.t - c.until) > 0;  // multistep methods run past
      if (beyond) trace(integrator.method(), c.until, c);
      if (beyond) return Flow::go_on;
      if (integrator.method().time() == step.t) trace(integrator.method(), step.t, c);
      add(step.t, step.y, c);
      if (!grid) {
        table.row(step.t, step.y, &step);
        last = step.t;
      }
      return Flow::go_on;
    };
  }

 private:
  std::vector<double> between_;
};

Diagnostic chatter_fault(double t) {
  Diagnostic d = usage_fault("numeric.chatter",
                             "events follow each other ever faster; the run ends there",
                             "an event that changes less, or --until before that time");
  d.t = t;
  return d;
}

// What a method with fixed steps needs, and options that this run would not use.
Diagnostics step_option_faults(const OdeCase& c, const OdeOptions& o, const Traits& traits) {
  Diagnostics out;
  if (o.stop_at_event && c.events.empty())
    out.push_back(
        usage_fault("usage.bad-option", "--stop-at-event without an event", "--event FORMULA"));
  if (traits.adaptive) return out;
  if (c.step == 0)
    out.push_back(usage_fault("usage.bad-value",
                              fmt::format("no step for {}", traits.name),
                              "a method with fixed step needs --step"));
  const std::pair<const char*, bool> unused[] = {{"--rtol", !o.rtol.empty()},
                                                 {"--atol", !o.atol.empty()},
                                                 {"--norm-control", o.norm_control},
                                                 {"--max-step", !o.max_step.empty()},
                                                 {"--min-step", !o.min_step.empty()}};
  for (const auto& [name, given] : unused)
    if (given)
      out.push_back(usage_fault("usage.bad-option",
                                fmt::format("{} with {}, which keeps its step", name, traits.name),
                                "a method that chooses its steps, or leave it out"));
  return out;
}

Diagnostic stiff_note(const OdeCase& c) {
  Diagnostic d = usage_fault("numeric.stiff",
                             fmt::format("the problem looked stiff to {}", c.integrator),
                             "an implicit integrator: bdf, radau5, rosenbrock or esdirk");
  d.severity = Severity::note;
  return d;
}

}  // namespace

namespace {

struct Ran {
  int code = 0;
  OdePath path;
};

Ran run_once(const OdeCase& c, const OdeOptions& o, const Console& console, bool silent) {
  NamedTableau own;
  if (!o.tableau.empty()) {
    Result<NamedTableau> read = read_tableau(o.tableau);
    if (!read) return {console.fail(read.why()), {}};
    own = std::move(read).value();
  }
  Result<std::unique_ptr<Method>> method =
      o.tableau.empty() ? make_method(c.integrator, c.method, *c.system)
                        : std::unique_ptr<Method>(std::make_unique<RungeKutta>(
                              *c.system, own.tableau, tableau_traits(own.tableau, own.name)));
  if (!method) return {console.fail(method.why()), {}};
  const Traits traits = method.value()->traits();
  if (const Diagnostics faults = step_option_faults(c, o, traits); !faults.empty())
    return {console.fail(faults), {}};
  IntegratorOptions how;
  how.step = c.step;
  how.max_step = c.max_step;
  how.min_step = c.min_step;
  Watch watch(c, o.stop_at_event);
  Integrator integrator(
      std::move(method).value(), c.tolerance, how, c.events.empty() ? nullptr : &watch);
  if (integrator.start(c.from, c.y0) != Eval::ok) {
    Diagnostic d = usage_fault("numeric.not-finite", "a right side has no value at the start", "");
    if (const int k = c.system->last_bad_value().component; k >= 0)
      d.element = fmt::format("rate of {}", c.system->component_name(k));
    d.t = c.from;
    return {console.fail(d), {}};
  }
  Table table(c, o, console, silent);
  Course course;
  course.last = c.from;
  course.follow(integrator, watch, c, table);
  const Stop stop = integrator.advance(c.until);
  if (integrator.t() != course.last) table.row(integrator.t(), integrator.y(), nullptr);
  if (integrator.t() != course.path.t.back()) course.add(integrator.t(), integrator.y(), c);
  Ran ran;
  if (stop.why == Stop::Why::failure) ran.code = console.fail(to_diagnostic(stop.failure));
  if (stop.why != Stop::Why::failure && course.stiff) console.report(stiff_note(c));
  if (watch.gathered) ran.code = console.fail(chatter_fault(*watch.gathered));
  if (!silent)
    tell(c,
         o,
         {stop.why != Stop::Why::failure && !watch.gathered,
          integrator.t(),
          {integrator.y().begin(), integrator.y().end()},
          integrator.stats(),
          watch.seen},
         table,
         console);
  ran.path = std::move(course.path);
  return ran;
}

// The case of --with: "k=4, x=2" changes parameters and start values.
Result<OdeCase> changed_case(const OdeCase& c, const OdeOptions& o, const std::string& changes) {
  OdeOptions other = o;
  for (const std::string& part : split_list(changes)) {
    std::string name = part.substr(0, part.find('='));
    while (!name.empty() && name.back() == ' ') name.pop_back();
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    (c.system->component(name) >= 0 ? other.start : other.set).push_back(part);
  }
  return make_ode_case(other);
}

}  // namespace

int run_ode(const OdeCase& c, const OdeOptions& o, const Console& console) {
  Ran ran = run_once(c, o, console, false);
  if (!wants_plots(o) || ran.path.t.empty()) return ran.code;
  std::vector<OdePath> paths{std::move(ran.path)};
  for (const std::string& changes : o.with) {
    const Result<OdeCase> other = changed_case(c, o, changes);
    if (!other) return console.fail(other.why());
    Ran more = run_once(other.value(), o, console, true);
    if (more.code != 0) ran.code = more.code;
    more.path.label = changes;
    if (!more.path.t.empty()) paths.push_back(std::move(more.path));
  }
  if (const Diagnostics faults = show_plots(paths, o, console); !faults.empty())
    return console.fail(faults);
  return ran.code;
}

}  // namespace cardan::app
