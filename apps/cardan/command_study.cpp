// cardan study MODEL: step halving, work against precision, the largest step that works, or one
// option varied, of the model's dynamic analysis.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/formulation/choice.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/report/svg_plot.h"
#include "cardan/results/faults.h"
#include "cardan/study/largest_step.h"
#include "cardan/study/mechanism_study.h"
#include "command.h"
#include "model_arguments.h"
#include "study_text.h"

namespace cardan::app {

namespace command_study {

using Json = nlohmann::ordered_json;

struct Options {
  ModelRequest model;
  AnalysisArguments analysis;
  bool halving = false, tolerance = false, largest = false;
  std::string vary, output;
  std::vector<std::string> watch;
  std::vector<int> halvings{4, 12};
  bool force = false;
};

// Tables go to the terminal and, with -o, to study.csv; plots to study.svg.
struct Output {
  std::string csv;
  std::vector<Plot> plots;
  Json json = Json::object();
};

DynamicOptions* dynamic_of(Model& model) {
  for (Analysis& analysis : model.analyses)
    if (auto* options = std::get_if<DynamicOptions>(&analysis)) return options;
  return nullptr;
}

Diagnostic usage(std::string found, std::string expected) {
  return usage_fault("usage.bad-value", std::move(found), std::move(expected));
}

// "alpha=20:20:400" or "alpha=20,50,100".
Result<std::vector<double>> values_of(const std::string& text) {
  const Diagnostic bad =
      usage("--vary " + text, "NAME=FROM:STEP:TO or NAME=VALUE,VALUE,..., numbers in SI units");
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return bad;
  const std::string list = text.substr(equals + 1);
  const char separator = list.find(':') != std::string::npos ? ':' : ',';
  std::vector<double> numbers;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(separator, from), list.size());
    const std::string one = list.substr(from, to - from);
    char* end = nullptr;
    const double x = std::strtod(one.c_str(), &end);
    if (one.empty() || *end != 0 || !std::isfinite(x)) return bad;
    numbers.push_back(x);
    from = to + 1;
  }
  if (separator == ',') return numbers;
  constexpr double most = 10'000;
  if (numbers.size() != 3 || !(numbers[1] > 0) || numbers[2] < numbers[0] ||
      (numbers[2] - numbers[0]) / numbers[1] > most)
    return bad;
  std::vector<double> values;
  const auto count = static_cast<long>((numbers[2] - numbers[0]) / numbers[1] * (1 + 1e-12));
  for (long k = 0; k <= count; ++k)
    values.push_back(numbers[0] + numbers[1] * static_cast<double>(k));
  return values;
}

class Study {
 public:
  Study(const Options& asked, const Model& model, const Checked& checked, DynamicOptions options)
      : asked_(asked), model_(model), checked_(checked), options_(std::move(options)) {}

  Diagnostics halving(const Console& console, Output& out) {
    const auto traits = integrator_traits(options_);
    if (!traits || traits->adaptive)
      return {usage("--step-halving with integrator \"" + options_.integrator + "\"",
                    "an integrator with a given step, such as --integrator rk4")};
    const auto study =
        halving_study(task(), traits->order_min, asked_.halvings[0], asked_.halvings[1]);
    if (!study) return study.why();
    const int shown = most_moved(study.value());
    const std::string name =
        names_.empty() ? label() : label() + ", " + names_[static_cast<std::size_t>(shown)];
    print_halving(console, name, study.value(), shown);
    out.csv += halving_csv(study.value());
    out.plots.push_back(halving_plot({{label(), study.value()}}));
    out.json["halving"] = halving_json(study.value(), shown);
    out.json["channel"] = names_.empty() ? "" : names_[static_cast<std::size_t>(shown)];
    return {};
  }

  Diagnostics tolerance(const Console& console, Output& out) {
    const auto traits = integrator_traits(options_);
    const bool adaptive = !traits || traits->adaptive;
    const auto truth =
        mechanism_truth(*checked_.system, checked_.assembly, options_, {asked_.watch});
    if (!truth) return truth.why();
    const auto work =
        work_precision(task(), truth.value(), adaptive, asked_.halvings[0], asked_.halvings[1]);
    if (!work) return work.why();
    console.print(fmt::format(
        "{}: errors at the end against a run with dop853 at 3e-14\n{:>14}{:>12}{:>14}\n",
        label(),
        adaptive ? "rtol" : "h",
        "evals",
        "error"));
    out.csv += "setting,evaluations,error\n";
    Json points = Json::array();
    Plot plot;
    plot.title = "Work and precision";
    plot.x = {"evaluations", "", true, {}};
    plot.y = {"error at the end", "", true, {}};
    PlotCurve curve;
    curve.name = label();
    curve.mark = PlotMark::dot;
    for (const WorkPoint& p : work.value()) {
      console.print(fmt::format("{:>14.4g}{:>12}{:>14.4e}\n", p.setting, p.evaluations, p.error));
      out.csv += fmt::format("{:.17g},{},{:.17g}\n", p.setting, p.evaluations, p.error);
      points.push_back(
          {{"setting", p.setting}, {"evaluations", p.evaluations}, {"error", p.error}});
      curve.x.push_back(static_cast<double>(p.evaluations));
      curve.y.push_back(p.error);
    }
    plot.curves.push_back(std::move(curve));
    out.plots.push_back(std::move(plot));
    out.json["work"] = std::move(points);
    return {};
  }

  Diagnostics largest(const Console& console, Output& out) {
    const auto traits = integrator_traits(options_);
    if (!traits || traits->adaptive)
      return {usage("--largest-step with integrator \"" + options_.integrator + "\"",
                    "an integrator with a given step, such as --integrator rk4")};
    StepSearch search;
    search.first = options_.step;
    search.width = 0.002;
    search.sound = true;
    const LargestStep found = find_largest_step(
        *checked_.system, checked_.assembly.mobility, checked_.assembly.state, options_, search);
    console.print(
        fmt::format("{}: largest step {:.6g} s{}, in {} runs\n"
                    "A step works where the run reaches its end and does not doubt itself: every "
                    "step is solved, and "
                    "the energy balance holds within 3 % of the energy moved.\n",
                    label(),
                    found.step,
                    found.failed > 0 ? fmt::format(" ({:.6g} s does not work)", found.failed)
                                     : std::string(", the longest tried"),
                    found.runs));
    out.csv += fmt::format(
        "largest,failed,runs\n{:.17g},{:.17g},{}\n", found.step, found.failed, found.runs);
    out.json["largest_step"] = {
        {"step", found.step}, {"failed", found.failed}, {"runs", found.runs}};
    return {};
  }

  Diagnostics vary(const Console& console, Output& out) {
    const auto values = values_of(asked_.vary);
    if (!values) return values.why();
    const std::string name = asked_.vary.substr(0, asked_.vary.find('='));
    const auto points = vary_option(model_, name, values.value());
    if (!points) return points.why();
    console.print(fmt::format("{:>12}{:>12}{:>14}{:>14}{:>14}{:>14}{:>10}\n",
                              name,
                              "status",
                              "mean norm",
                              "largest norm",
                              "velocity",
                              "energy",
                              "evals"));
    out.csv +=
        name + ",status,mean_norm,largest_norm,largest_velocity_norm,imbalance,evaluations\n";
    Json list = Json::array();
    Plot plot;
    plot.title = "Violation of the constraints against " + name;
    plot.subtitle = "2-norm of all equations at the output points";
    plot.x = {name, "", false, {}};
    plot.y = {"violation", "m", true, {}};
    PlotCurve mean, largest;
    mean.name = "mean";
    largest.name = "largest";
    mean.mark = largest.mark = PlotMark::dot;
    for (const VariedPoint& p : points.value()) {
      const ViolationMeasure &x = p.violation.rows_position, &v = p.violation.rows_velocity;
      console.print(fmt::format("{:>12.5g}{:>12}{:>14.4e}{:>14.4e}{:>14.4e}{:>14.4e}{:>10}\n",
                                p.value,
                                p.status,
                                x.mean_norm,
                                x.largest_norm,
                                v.largest_norm,
                                p.imbalance,
                                p.evaluations));
      out.csv += fmt::format("{:.17g},{},{:.17g},{:.17g},{:.17g},{:.17g},{}\n",
                             p.value,
                             p.status,
                             x.mean_norm,
                             x.largest_norm,
                             v.largest_norm,
                             p.imbalance,
                             p.evaluations);
      list.push_back({{name, p.value},
                      {"status", p.status},
                      {"mean_norm", x.mean_norm},
                      {"largest_norm", x.largest_norm},
                      {"largest_velocity_norm", v.largest_norm},
                      {"imbalance", p.imbalance},
                      {"evaluations", p.evaluations}});
      mean.x.push_back(p.value);
      mean.y.push_back(x.mean_norm);
      largest.x.push_back(p.value);
      largest.y.push_back(x.largest_norm);
    }
    plot.curves = {std::move(mean), std::move(largest)};
    out.plots.push_back(std::move(plot));
    out.json["varied"] = std::move(list);
    return {};
  }

 private:
  // The channel whose result depends most on the step, for the table.
  static int most_moved(const Halving& study) {
    std::size_t most = 0;
    double largest = -1;
    const std::vector<HalvingPoint>& p = study.points;
    for (std::size_t n = 1; n < p.size() && largest < 0; ++n)
      for (std::size_t k = 0; k < p[n].y.size() && k < p[n - 1].y.size(); ++k)
        if (const double change = std::abs(p[n].y[k] - p[n - 1].y[k]); change > largest) {
          largest = change;
          most = k;
        }
    return static_cast<int>(most);
  }

  StudyTask task() {
    return mechanism_task(*checked_.system, checked_.assembly, options_, {asked_.watch}, names_);
  }

  std::string label() const { return options_.formulation + " + " + options_.integrator; }

  const Options& asked_;
  const Model& model_;
  const Checked& checked_;
  DynamicOptions options_;
  std::vector<std::string> names_;
};

std::optional<Diagnostic> write(const Options& o, const Output& out) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(o.output, error);
  const auto put = [&](const char* name, const std::string& text) -> std::optional<Diagnostic> {
    std::ofstream file(fs::path(o.output) / name, std::ios::binary);
    file << text;
    file.close();
    if (!file)
      return write_fault((fs::path(o.output) / name).string(), "the file cannot be written");
    return {};
  };
  if (auto fault = put("study.csv", out.csv)) return fault;
  if (out.plots.empty()) return {};
  return put("study.svg", svg(out.plots));
}

int work(const Options& o, const Console& console) {
  namespace fs = std::filesystem;
  if (o.halvings.size() != 2 || o.halvings[0] < 0 || o.halvings[1] < o.halvings[0] ||
      o.halvings[1] > 24)
    return console.fail(usage("--halvings", "two numbers from 0 to 24, the first not the larger"));
  std::error_code error;
  if (!o.output.empty() && !o.force && fs::exists(fs::path(o.output) / "study.csv", error))
    return console.fail(already_there(o.output));
  auto model = read(o.model);
  if (!model) return console.fail(model.why());
  DynamicOptions* dynamic = dynamic_of(model.value());
  if (dynamic == nullptr)
    return console.fail(
        usage("a model without a dynamic analysis", "[[analysis]] type = \"dynamic\""));
  const Checked checked = check_model(model.value());
  console.report(checked.diagnostics);
  if (checked.system == nullptr || !checked.assembly.ok) return exit_code(checked.diagnostics);
  DynamicOptions options = *dynamic;
  if (const auto told = choose_automatically(
          *checked.system, checked.assembly.mobility.active, checked.assembly.state, options))
    console.report({*told});
  if (options.step == 0) options.step = std::abs(options.until - checked.assembly.state.t) / 1000;
  Study study(o, model.value(), checked, options);
  Output out;
  Diagnostics faults;
  if (o.largest) faults = study.largest(console, out);
  if (o.tolerance) faults = study.tolerance(console, out);
  if (!o.vary.empty()) faults = study.vary(console, out);
  if (o.halving) faults = study.halving(console, out);
  if (has_error(faults)) return console.fail(faults);
  if (!o.output.empty()) {
    if (const auto fault = write(o, out)) return console.fail(*fault);
    console.print(fmt::format("written to {}\n", o.output));
  }
  console.print_json("study", out.json);
  return 0;
}

// An option of the analysis that the study replaces, or whose results it does not look at.
std::string useless(const Options& o) {
  std::string idle = o.analysis.given({"error_estimate", "sensitivity", "rows", "max_rows"});
  if (idle.empty() && o.vary.empty()) idle = o.analysis.given({"output_step", "step"});
  if (idle.empty() && o.tolerance) idle = o.analysis.given({"rtol", "atol"});
  return idle;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  add_model(line, options->model);
  options->analysis.add_to(line, "dynamic");
  const Described one = line.flag(
                      "--step-halving",
                      options->halving,
                      "Results at the end with the steps T/2^n: differences, order, round-off"),
                  two = line.flag(
                      "--tolerance",
                      options->tolerance,
                      "Error at the end against work, for rtol 1e-3 to 1e-11 or steps T/2^n"),
                  three = line.flag("--largest-step",
                                    options->largest,
                                    "The largest step that works, by bisection"),
                  four = line.option(
                      "--vary",
                      options->vary,
                      "Run with values of an option: alpha=20:20:400 or step=0.01,0.02");
  CommandLine::at_most_one({one, two, three, four});
  line.option("--watch", options->watch, "Channels that are compared; without it all positions")
      .comma_separated()
      .excludes(three)
      .excludes(four);
  line.option("--halvings", options->halvings, "First and last n of the steps T/2^n (4 12)")
      .values(2, 2)
      .excludes(three)
      .excludes(four);
  const Described output =
      line.option("-o,--output", options->output, "A folder for study.csv and study.svg");
  line.flag("--force", options->force, "Replace files that are in the folder").needs(output);
  line.json_flag(console);
  return [options, &console] {
    options->analysis.give_to(options->model);
    const bool any =
        options->halving || options->tolerance || options->largest || !options->vary.empty();
    if (!any)
      return console.fail(usage("nothing to study",
                                "--step-halving, --tolerance, --largest-step or --vary NAME=..."));
    if (const std::string idle = useless(*options); !idle.empty())
      return console.fail(usage_fault(
          "usage.bad-option", idle + " in a study that does not use it", "leave it out"));
    return work(*options, console);
  };
}

}  // namespace command_study

extern const Command study_command;
const Command study_command{
    "study",
    "Step halving, work against precision, largest step, or an option varied, of a model",
    command_study::define};

}  // namespace cardan::app
