#pragma once
// [[sweep]] blocks of a model file: what varies, what is measured. Ranges and formulas stay texts here;
// who runs a sweep reads them (study/variation.h, study/measure.h).
#include <string>
#include <vector>

#include "cardan/io/environment.h"

namespace cardan {

struct SweepLine {  // "crank=60:5:90 mm", "peak = max(...)"
  std::string text;
  SourcePos where;
};

struct SweepBlock {
  std::string name;
  SourcePos where;
  std::vector<SweepLine> vary, measures;
  std::vector<std::string> samples;  // channels whose rows are kept
  bool zip = false, sobol = false;
  long sample = 0, seed = 0;
};

// What is wrong is told to the faults of the environment.
SweepBlock read_sweep_block(const TomlNode& table, Environment&);

// All blocks of a model file that has been read without faults.
Result<std::vector<SweepBlock>> sweep_blocks(const std::string& text, const std::string& file);

}  // namespace cardan
