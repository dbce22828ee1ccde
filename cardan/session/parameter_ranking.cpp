#include "cardan/session/parameter_ranking.h"

#include "cardan/analysis/sensitivity/ranking.h"
#include "cardan/model/analysis_type.h"

namespace cardan {

namespace {

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

Diagnostic nothing_to_rank(bool no_parameters) {
  Diagnostic d;
  d.id = "usage.bad-option";
  if (no_parameters) {
    d.found = "a model without parameters";
    d.hint = "name the numbers that may vary in [parameters]";
  } else {
    d.found = "no analysis that has sensitivities";
    d.expected = "--analysis kinematic, inverse, dynamic, equilibrium or linearise";
  }
  return d;
}

}  // namespace

Result<Outcome> rank_parameters(const RankingRequest& request, Control control) {
  auto read_in = read(request.model);
  if (!read_in) return read_in.why();
  Model& model = read_in.value();
  const auto known = parametric(request.model, model);
  if (!known) return known.why();
  const std::vector<std::string> by =
      request.by.empty() ? independent(known.value().parameters()) : request.by;
  Analysis* last = nullptr;
  for (Analysis& analysis : model.analyses)
    if (analysis_type(analysis).field("sensitivity") != nullptr) last = &analysis;
  if (by.empty() || last == nullptr) return nothing_to_rank(by.empty());
  analysis_type(*last).field("sensitivity")->set(*last, by, {});
  model.analyses.resize(static_cast<std::size_t>(last - model.analyses.data()) + 1);
  model.output_channels = request.of.empty() ? requests_of(model) : request.of;
  Ranking ranking(known.value().parameters());
  control.watch = false;  // parameters are ranked by rows
  Outcome outcome = run_model(model, ranking, control, {}, &known.value());
  if (!ended_well(outcome.summary)) return outcome;
  outcome.summary.ranking = ranking.effects();
  if (request.of.empty() && model.output_channels.empty())
    std::erase_if(outcome.summary.ranking, [&](const ParameterEffect& e) {
      return ranking.quantity(e.channel) != "position";
    });
  return outcome;
}

}  // namespace cardan
