#pragma once
// The text of a measure taken apart: calls that take a course, the formulas of channels in them, and
// the formula around them.
#include <string>
#include <vector>

#include "cardan/base/result.h"

namespace cardan {

enum class CourseFunction {
  max,
  min,
  time_of_max,
  time_of_min,
  mean,
  rms,
  integral,
  initial,
  final,
  at,
  crossing
};

struct CourseCall {
  CourseFunction function;
  std::string formula;                 // of channel_0, channel_1, ... and t
  std::vector<std::string> arguments;  // the others
  std::string text;                    // as it was written
};

struct MeasureText {
  std::string name;
  std::string outer;                  // of course_0, course_1, ...
  std::vector<CourseCall> calls;      // course_0, ...
  std::vector<std::string> channels;  // channel_0, ...: names as in the quotes
};

Result<MeasureText> take_apart(const std::string& text);

// Words about its formulas, with the calls and channels as they were written.
std::string as_written(std::string words, const MeasureText&);

Diagnostic measure_fault(const std::string& text, std::string expected, std::string hint = "");

}  // namespace cardan
