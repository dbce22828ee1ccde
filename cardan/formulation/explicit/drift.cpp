#include "cardan/formulation/explicit/drift.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double near_singular = 1e-6;  // weakest pivot ratio from which a pose counts as the cause
constexpr std::size_t named = 3;        // equations told

}  // namespace

DriftWatch::DriftWatch(const FormulationSetting& setting, double share)
    : system_(setting.system),
      bound_(setting.options.max_drift > 0 ? setting.options.max_drift
                                           : share * setting.system.length()) {}

std::optional<Diagnostic> DriftWatch::check(MotionSolver& motion, double t, CView q, double h) {
  last_ = motion.position_violation(t, q);
  if (last_ <= bound_) return {};
  return explain(motion, t, q, h);
}

Diagnostic DriftWatch::explain(MotionSolver& motion, double t, CView q, double h) const {
  Diagnostic d;
  d.id = "numeric.drift";
  d.t = t;
  d.h = h;
  d.found = fmt::format("joints have come apart by {:.3g} m", last_);
  d.expected = fmt::format("at most {:.3g} m (max_drift)", bound_);
  d.hint =
      "use formulation \"projected\" or \"partitioned\", a smaller step, or a tighter tolerance";
  (void)motion.position_violation(t, q);
  for (int row = 0; row < system_.joint_rows(); ++row)
    d.worst.push_back(
        {system_.equation_label(row), motion.work().phi[static_cast<std::size_t>(row)]});
  const auto size = [](const Gap& gap) {
    return std::isfinite(gap.value) ? std::abs(gap.value) : INFINITY;
  };
  std::stable_sort(d.worst.begin(), d.worst.end(), [&](const Gap& a, const Gap& b) {
    return size(a) > size(b);
  });
  d.worst.resize(std::min(d.worst.size(), named));
  if (motion.min_pivot_row() >= 0 && motion.min_pivot_ratio() < near_singular) {
    d.element =
        system_
            .constraints()[static_cast<std::size_t>(system_.constraint_of(motion.min_pivot_row()))]
            .words();
    d.found += ", where the mechanism is close to a dead centre";
  }
  return d;
}

}  // namespace cardan
