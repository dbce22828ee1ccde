#pragma once
// Which values a parameter takes, as a text says it:
//
//   stiffness = 20:5:40 N/mm               from 20 to 40 in steps of 5; one unit serves all three
//   crank = 60 mm, 80 mm                   a list
//   crank = normal(80 mm, 0.05 mm)         a distribution, for samples (distribution.h)
#include <optional>
#include <string>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/model/model_variants.h"
#include "cardan/study/distribution.h"

namespace cardan {

struct Variation {
  std::string parameter;
  std::string unit;            // SI; empty: none
  std::vector<double> values;  // SI; empty: a distribution
  std::optional<Distribution> distribution;
};

Result<Variation> read_variation(const std::string& text, const std::vector<ParameterInfo>&);

}  // namespace cardan
