#pragma once
// A whole run: compile, assemble, then the analyses of the model in order, each from the state the
// last one left.
#include <cstddef>
#include <span>
#include <string>

#include "cardan/analysis/control.h"
#include "cardan/analysis/start/assembly.h"
#include "cardan/model/model.h"
#include "cardan/model/model_variants.h"
#include "cardan/results/sink.h"
#include "cardan/results/summary.h"

namespace cardan {

struct Outcome {
  Summary summary;  // of the last analysis; earlier ones inside. Its diagnostics are those of the
                    // whole run.
  Mobility mobility;
  std::string mobility_words;
  bool doubtful() const;  // some analysis is
  int exit_code() const;
};

// resume: the checkpoint of a run of the same model; empty: from the beginning. variants: the model
// with other values of parameters, which sensitivities and root loci need. like: a system of a model
// that differs in numbers only, whose structure is taken over (system/compile_like.h).
Outcome run_model(const Model&,
                  Sink&,
                  const Control&,
                  std::span<const std::byte> resume = {},
                  const ModelVariants* variants = nullptr,
                  const System* like = nullptr);

// The parameters by which an analysis derives its results.
std::vector<std::string> sensitivity_of(const Analysis&);

// Whether some analysis asks for sensitivities or a root locus.
bool wants_variants(const Model&);

// Compile and assemble only: what `check` and `assemble` need. The closest pose is in it when it
// fails.
struct Checked {
  std::unique_ptr<System> system;  // null: the model has faults
  Assembly assembly;
  Diagnostics diagnostics;  // of reader, compile and assembly
};

Checked check_model(const Model&, const System* like = nullptr);

}  // namespace cardan
