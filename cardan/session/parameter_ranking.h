#pragma once
// Which parameters of a model matter: it is run with the derivatives of its results, and the parameters
// are ranked by their effect (analysis/sensitivity/ranking.h).
#include <string>
#include <vector>

#include "cardan/analysis/control.h"
#include "cardan/analysis/run.h"
#include "cardan/session/model_request.h"

namespace cardan {

struct RankingRequest {
  ModelRequest model;
  // Results: names of channels, * and ? for any; empty: the model's requests, or all positions.
  std::vector<std::string> of{};
  std::vector<std::string> by{};  // parameters; empty: all that follow from no other
};

// Of the last analysis that has sensitivities. Its summary has the ranking where the run ended well.
Result<Outcome> rank_parameters(const RankingRequest&, Control);

}  // namespace cardan
