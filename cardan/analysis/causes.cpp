#include "cardan/analysis/causes.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cardan/results/manifest.h"

namespace cardan {

namespace {

constexpr double near_singular = 1e-4;  // weakest pivot ratio that counts as the cause of a failure
constexpr double most_outputs = 2e7;    // rows of one run

}  // namespace

Diagnostic fault_at(std::string id, std::string found, double t) {
  Diagnostic d;
  d.id = std::move(id);
  d.found = std::move(found);
  d.t = t;
  return d;
}

Diagnostic name_cause(const MotionSolver& motion, Diagnostic d) {
  const System& system = motion.system();
  if (const int k = motion.friction().paradox(); k >= 0) {
    d.id = "numeric.friction-paradox";
    d.element = system.friction_words(k);
    d.found = "friction so strong that the forces are not determined (" + d.found + ")";
  } else if (motion.weakest_row() >= 0 && motion.weakest_ratio() < near_singular) {
    d.id = "numeric.singular";
    d.element =
        system.constraints()[static_cast<std::size_t>(system.constraint_of(motion.weakest_row()))]
            .words();
    d.found = "the mechanism locks up here, or its motion may branch (" + d.found + ")";
    d.hint =
        "look at this pose in the report: a dead centre, links in one line, or a driver at its "
        "limit";
    d.worst = {{system.equation_words(motion.weakest_row()), motion.weakest_ratio()}};
  }
  return d;
}

std::optional<Diagnostic> too_many_outputs(double from, const DynamicOptions& o) {
  const double count = o.output_step > 0 ? std::abs(o.until - from) / o.output_step : 0;
  if (count <= most_outputs) return {};
  Diagnostic d = fault_at("limit.steps", fmt::format("{:.3g} output points", count));
  d.expected = fmt::format("at most {:.3g}", most_outputs);
  return d;
}

Diagnostic backward_impact(double until) {
  Diagnostic d =
      fault_at("model.backward-impact", fmt::format("an end at {:g} s, before the start", until));
  d.expected = "a later end: what an impact has lost cannot be found again";
  d.hint = "compliant stops and contacts (`stiffness`) can be followed backwards";
  return d;
}

Diagnostic missing_step(const std::string& integrator) {
  Diagnostic d =
      fault_at("model.missing-key", fmt::format("integrator \"{}\" without a step", integrator));
  d.expected = "step = ..., since its step is fixed";
  return d;
}

Diagnostic foreign_checkpoint() {
  return fault_at("corrupt.store",
                  "a checkpoint that does not belong to this model and these settings");
}

Diagnostic other_version(const std::string& program) {
  Diagnostic d =
      fault_at("io.other-version", fmt::format("a checkpoint of Cardan {}", program.substr(0, 20)));
  d.expected = fmt::format("one of Cardan {}", version());
  d.hint = "go on with that version, or run the model anew";
  return d;
}

Diagnostic cannot_project(double t) {
  return fault_at("numeric.singular", "the joints could not be closed", t);
}

Diagnostic stopped_on_request(double t) {
  Diagnostic d =
      fault_at("interrupted.signal", "stopped on request; all results so far are kept", t);
  d.severity = Severity::warning;
  return d;
}

Diagnostic passed_singular_poses(long count, SourcePos where) {
  Diagnostic d;
  d.id = "numeric.singular-passage";
  d.severity = Severity::note;
  d.where = std::move(where);
  d.found =
      fmt::format("{} singular pose{} passed on the smooth branch", count, count == 1 ? "" : "s");
  return d;
}

}  // namespace cardan
