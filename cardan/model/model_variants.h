#pragma once
// A model whose parameters can be given other values without reading it again.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cardan/base/result.h"
#include "cardan/base/units.h"
#include "cardan/model/model.h"

namespace cardan {

struct ParameterInfo {
  std::string name, text;  // as written; empty: a bare number
  double value = 0;        // SI
  // Of a bare number: that of the settings it stands in alone; none where they differ.
  Dimension dimension;
  bool structural = false;        // how many elements there are follows from it
  bool plain = false;             // a bare number, whose unit is that of where it stands
  std::vector<std::string> uses;  // parameters that its own formula names, directly or not
};

using ParameterValue = std::pair<std::string, double>;  // SI

class ModelVariants {
 public:
  virtual ~ModelVariants() = default;

  virtual const std::vector<ParameterInfo>& parameters() const = 0;

  // The model with other values of some parameters; those that follow from them follow. The same
  // bits as reading the changed file. Several threads may ask at once.
  virtual Result<Model> with(std::span<const ParameterValue>) const = 0;
};

}  // namespace cardan
