// cardan sensitivity MODEL: runs it with the derivatives of its results and ranks the parameters by
// their effect.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/results/summary.h"
#include "cardan/session/parameter_ranking.h"
#include "command.h"
#include "model_arguments.h"

namespace cardan::app {

namespace command_sensitivity {

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

int work(const RankingRequest& request, const Console& console) {
  const auto ranked = rank_parameters(request, {});
  if (!ranked) return console.fail(ranked.why());
  const Outcome& outcome = ranked.value();
  console.report(outcome.summary.diagnostics);
  if (!ended_well(outcome.summary)) return outcome.exit_code();
  console.print(table_of(outcome.summary.ranking));
  console.print_json("summary", to_json(outcome.summary));
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto request = std::make_shared<RankingRequest>();
  add_model(line, request->model);
  line.option(
      "--analysis", request->model.analysis, "Only this analysis; otherwise those of the model");
  line.option("--of",
              request->of,
              "Results: names of channels, * and ? for any; otherwise the model's requests, or "
              "all positions")
      .comma_separated();
  line.option("--by", request->by, "Parameters; otherwise all that follow from no other")
      .comma_separated();
  line.json_flag(console);
  return [request, &console] {
    return work(*request, console);
  };
}

}  // namespace command_sensitivity

extern const Command sensitivity_command;
const Command sensitivity_command{"sensitivity",
                                  "Rank the parameters of a model by their effect on its results",
                                  command_sensitivity::define};

}  // namespace cardan::app
