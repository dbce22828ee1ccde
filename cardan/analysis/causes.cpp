#include "cardan/analysis/causes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cardan/analysis/start/conflicts.h"
#include "cardan/analysis/start/rank.h"
#include "cardan/math/dense.h"
#include "cardan/results/manifest.h"

namespace cardan {

namespace {

constexpr double near_singular = 1e-4;  // weakest pivot ratio that counts as the cause of a failure
constexpr double most_outputs = 2e7;    // rows of one run
constexpr double takes_part = 0.2;      // share of the largest: equations that lock the mechanism
constexpr int most_locking = 300;       // equations of which those are looked for

// The joints and drivers whose equations are about to depend on each other: those of the combination of
// rows of phi_q that nearly vanishes.
std::vector<std::string> locking(const System& system, const State& state) {
  if (system.joint_rows() > most_locking || system.own() != nullptr) return {};
  std::vector<char> wanted(static_cast<std::size_t>(system.equations().rows()), 0);
  std::fill_n(wanted.begin(), system.joint_rows(), 1);
  const Eigen::MatrixXd J = scaled_jacobian(system, system.equations(), state.t, state.q, wanted)
                                .topRows(system.joint_rows());
  if (!J.allFinite() || J.rows() == 0 || J.rows() > J.cols()) return {};
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU);
  const Eigen::VectorXd y = svd.matrixU().col(svd.matrixU().cols() - 1).cwiseAbs();
  std::vector<int> rows;
  for (int r = 0; r < system.joint_rows(); ++r)
    if (y[r] > takes_part * y.maxCoeff()) rows.push_back(r);
  return owners_with_lines(system, rows);
}

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
    d.element = system.friction_label(k);
    d.found = "friction so strong that the forces are not determined (" + d.found + ")";
  } else if (motion.min_pivot_row() >= 0 && motion.min_pivot_ratio() < near_singular) {
    d.id = "numeric.singular";
    d.element =
        system.constraints()[static_cast<std::size_t>(system.constraint_of(motion.min_pivot_row()))]
            .words();
    d.found = fmt::format("the mechanism locks at t = {:.6g} s", d.t);
    d.hint = system.driven() ? "a dead centre: look at the last pose in the report. Is a link too "
                               "short, or should the "
                               "driver turn back before?"
                             : "a dead centre or a fork of the motion: look at the last pose in "
                               "the report; links that "
                               "lie in one line, or lengths that allow no other pose";
    d.h = std::numeric_limits<double>::quiet_NaN();
  }
  return d;
}

void name_locking(const System& system, const State& state, Diagnostic& d) {
  if (d.id != "numeric.singular") return;
  const auto parts = locking(system, state);
  if (parts.size() > 1)
    d.found += fmt::format(": in this pose {} hold each other", fmt::join(parts, ", "));
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

Diagnostic first_step_only(const std::string& integrator, const DynamicOptions& o) {
  Diagnostic d = fault_at(
      "numeric.first-step",
      fmt::format("step = {:g} s is only the first step: {} chooses its steps by the tolerance",
                  o.step,
                  integrator));
  d.severity = Severity::warning;
  d.where = o.where;
  d.hint = fmt::format(
      "for steps of this length write integrator = \"rk4\" (or another with fixed steps), or "
      "max_step = {:g} to "
      "bound them",
      o.step);
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
