#pragma once
// What a measure is made of, once its text is read on the channels of a run: inside of study.
#include <optional>
#include <string>
#include <vector>

#include "cardan/base/units.h"
#include "cardan/math/expression.h"
#include "cardan/study/measure.h"
#include "cardan/study/measure_text.h"

namespace cardan {

struct MeasuredQuantity {
  std::vector<int> columns;
  std::vector<std::string> names;  // of these channels
  bool size = false;               // the length of a vector with these components
  std::string unit;
  Dimension dimension;
};

struct MeasureCall {
  CourseFunction function;
  Expression formula;  // of t, then the quantities
  double argument = 0;
  long number = 1;
};

struct MeasureParts {
  std::vector<MeasureCall> calls;
  Expression outer;
  std::vector<std::string> channels;  // names as they were written
  std::vector<MeasuredQuantity> quantities;
};

// Where a channel of this name is; -1: nowhere.
int column_of(const std::string& name, const std::vector<Channel>&);

// A channel, or the size of a reaction from its components.
std::optional<MeasuredQuantity> find_quantity(const std::string& name, const std::vector<Channel>&);

struct Measures::Parts {
  std::vector<Info> infos;
  std::vector<MeasureParts> taken;
};

}  // namespace cardan
