#include "cardan/analysis/causes.h"

#include <utility>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double near_singular = 1e-4;  // weakest pivot ratio that counts as the cause of a failure

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
    d.found = "a singular pose: this constraint is about to depend on the others (" + d.found + ")";
    d.hint = "the mechanism locks up or may branch here; see `cardan check` in this pose";
    d.worst = {{system.equation_words(motion.weakest_row()), motion.weakest_ratio()}};
  }
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
