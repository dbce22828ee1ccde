#pragma once
// Requests whose formulas read results of the run: reactions, drives, energies, any channel by its name,
//   value = "hypot(main.first.fx, main.first.fy)"
// They are evaluated when a row is recorded, in the order in which they use each other.
#include <optional>
#include <vector>

#include "cardan/base/diagnostic.h"
#include "cardan/math/expression.h"
#include "cardan/results/sink.h"

namespace cardan {

class System;

class ResultFormulas {
 public:
  // Finds the channels that the formulas name, and gives their own ones the units that follow. A fault: a
  // formula that cannot be read.
  std::optional<Diagnostic> prepare(const System&, std::vector<Channel>&);

  // Fills the formulas' places of a whole row of channels.
  void put(double t, View row);

  bool reads_forces(int channel) const;  // what an analysis of the motion alone does not know

 private:
  struct Entry {
    std::size_t channel;
    Expression formula;
    bool forces = false;
  };

  std::vector<Entry> entries_;
  std::vector<double> arguments_;  // t, then all channels
};

}  // namespace cardan
