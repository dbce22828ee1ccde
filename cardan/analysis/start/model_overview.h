#pragma once
// A model in numbers that show slips of units and sizes: how large and how heavy it is, what its drivers
// do at the start, and how long it runs.
#include <array>
#include <string>
#include <vector>

#include "cardan/analysis/start/assembly.h"
#include "cardan/model/model.h"

namespace cardan {

struct ModelOverview {
  struct DriverStart {
    std::string name;
    bool turns = true;  // rad and rad/s, else m and m/s
    double value = 0, rate = 0;
  };

  struct Span {  // of an analysis
    std::string analysis;
    double from = 0, until = 0;
  };

  std::array<double, 3> size{};  // of the box around bodies and joints in the assembled pose
  bool planar = true;
  double mass = 0;
  int bodies = 0, joints = 0, drivers = 0, forces = 0, contacts = 0, equations = 0;
  std::vector<DriverStart> starts;
  std::vector<Span> spans;
};

ModelOverview overview_of(const Model&, const System&, const Assembly&);
std::string overview_text(const ModelOverview&);

// What is wrong with the analyses of a model that assembles: formulations, integrators and their
// options, drivers that are missing. They are prepared as in a run, and not run.
Diagnostics judge_analyses(const Model&, const System&, const Assembly&);

}  // namespace cardan
