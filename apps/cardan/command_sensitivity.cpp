// cardan sensitivity MODEL: runs it with the derivatives of its results and ranks the parameters by
// their effect.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
#include "cardan/analysis/sensitivity/ranking.h"
#include "cardan/model/analysis_type.h"
#include "cardan/results/summary.h"
#include "command.h"
#include "model_arguments.h"

namespace cardan::app {

namespace command_sensitivity {

struct Options {
  ModelRequest model;
  std::string analysis;
  std::vector<std::string> of, by;
};

// Parameters that follow from no other and leave the number of elements as it is.
std::vector<std::string> independent(const std::vector<ParameterInfo>& all) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : all)
    if (p.uses.empty() && !p.structural) names.push_back(p.name);
  return names;
}

std::vector<std::string> requests_of(const Model& model) {
  std::vector<std::string> names;
  for (const Element& request : model.requests)
    names.push_back(request.type == "point" ? request.name + ".*" : request.name);
  return names;
}

std::string table_of(const std::vector<ParameterEffect>& effects) {
  std::size_t wide = 9, wider = 6;
  for (const auto& e : effects) {
    wide = std::max(wide, e.parameter.size());
    wider = std::max(wider, e.channel.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:>10}  {:>12}  {:>10}\n",
                                 "parameter",
                                 wide,
                                 "result",
                                 wider,
                                 "effect",
                                 "derivative",
                                 "at t / s");
  for (const auto& e : effects)
    text += fmt::format("{:<{}}  {:<{}}  {:>10.4g}  {:>12.5g}  {:>10.5g}\n",
                        e.parameter,
                        wide,
                        e.channel,
                        wider,
                        e.effect,
                        e.largest,
                        e.at);
  return text + "\neffect: largest |p dy/dp|, relative to the range of the result\n";
}

int work(const Options& options, const Console& console) {
  ModelRequest request = options.model;
  request.analysis = options.analysis;
  auto read_in = read(request);
  if (!read_in) return console.fail(read_in.why());
  Model& model = read_in.value();
  const auto known = parametric(request, model);
  if (!known) return console.fail(known.why());
  const std::vector<std::string> by =
      options.by.empty() ? independent(known.value().parameters()) : options.by;
  Analysis* last = nullptr;
  for (Analysis& analysis : model.analyses)
    if (analysis_type(analysis).field("sensitivity") != nullptr) last = &analysis;
  if (by.empty() || last == nullptr) {
    Diagnostic d = usage_fault(
        "usage.bad-option",
        by.empty() ? "a model without parameters" : "no analysis that has sensitivities",
        by.empty() ? "name the numbers that may vary in [parameters]" : "");
    if (!by.empty())
      d.expected = "--analysis kinematic, inverse, dynamic, equilibrium or linearise";
    return console.fail(d);
  }
  analysis_type(*last).field("sensitivity")->set(*last, by, {});
  model.analyses.resize(static_cast<std::size_t>(last - model.analyses.data()) + 1);
  model.output_channels = options.of.empty() ? requests_of(model) : options.of;
  Ranking ranking(known.value().parameters());
  Control control;
  control.watch = false;  // parameters are ranked by rows
  Outcome outcome = run_model(model, ranking, control, {}, &known.value());
  console.report(outcome.summary.diagnostics);
  if (!ended_well(outcome.summary)) return outcome.exit_code();
  outcome.summary.ranking = ranking.effects();
  if (options.of.empty() && model.output_channels.empty())
    std::erase_if(outcome.summary.ranking, [&](const ParameterEffect& e) {
      return ranking.quantity(e.channel) != "position";
    });
  console.print(table_of(outcome.summary.ranking));
  console.print_json("summary", to_json(outcome.summary));
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  add_model(line, options->model);
  line.option("--analysis", options->analysis, "Only this analysis; otherwise those of the model");
  line.option("--of",
              options->of,
              "Results: names of channels, * and ? for any; otherwise the model's requests, or "
              "all positions")
      .comma_separated();
  line.option("--by", options->by, "Parameters; otherwise all that follow from no other")
      .comma_separated();
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_sensitivity

extern const Command sensitivity_command;
const Command sensitivity_command{"sensitivity",
                                  "Rank the parameters of a model by their effect on its results",
                                  command_sensitivity::define};

}  // namespace cardan::app
