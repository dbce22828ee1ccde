#include "cardan/formulation/singular.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double within_branch =
    0.2;  // share of the distance to the singular pose a state may be moved by
constexpr double deepest =
    0.05;  // the weakest pivot's parabola over time dips below this share of its neighbours
constexpr double energy_slack =
    1e5;  // times rtol: change of energy over a passage that is called a loss

std::string weakest_words(const MotionSolver& motion) {
  const System& system = motion.system();
  return motion.weakest_row() < 0 ? "the constraints"
                                  : system
                                        .constraints()[static_cast<std::size_t>(
                                            system.constraint_of(motion.weakest_row()))]
                                        .words();
}

}  // namespace

bool branch_kept(const MotionSolver& motion, CView guess, CView q) {
  if (motion.weakest_ratio() > near_singular_ratio) return true;
  const System& system = motion.system();
  double moved = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    const bool angle = static_cast<int>(k) % system.body_size() >= system.dimension();
    moved = std::max(moved, std::abs(q[k] - guess[k]) * (angle ? system.length() : 1.0));
  }
  return moved <= within_branch * std::sqrt(motion.weakest_ratio()) * system.length();
}

std::optional<Diagnostic> SingularWatch::step(MotionSolver& motion,
                                              double t,
                                              CView q,
                                              CView v,
                                              CView z,
                                              std::vector<FormulationEvent>& events) {
  if (motion.linearise(t, q) != Eval::ok) return {};
  const System& system = motion.system();
  const double lost = z.size() >= 3 ? z[0] - z[1] - z[2] : 0;
  const double kinetic = system.mass().energy(v);
  const Point now{
      t, motion.weakest_ratio(), kinetic + system.potential(t, q, motion.work()) + lost};
  std::optional<Diagnostic> stop;
  const auto& [a, b] = last_;
  if (known_ == 2 && b.ratio < near_singular_ratio && a.ratio > 0 && now.ratio > b.ratio) {
    // vertex of the parabola through the three
    const double d1 = (b.ratio - a.ratio) / (b.t - a.t), d2 = (now.ratio - b.ratio) / (now.t - b.t);
    const double bend = (d2 - d1) / (now.t - a.t), at = 0.5 * (a.t + b.t) - 0.5 * d1 / bend;
    const double low = a.ratio + d1 * (at - a.t) + bend * (at - a.t) * (at - b.t);
    if (bend > 0 && low < deepest * std::min(a.ratio, now.ratio)) {
      events.push_back(
          {"singular-pose",
           fmt::format("passed a singular pose of {} at t = {:.6g} s on the smooth branch",
                       weakest_words(motion),
                       at)});
      const double change = now.energy - a.energy, scale = kinetic + setting_.options.atol;
      if (z.size() >= 3 &&
          std::abs(change) > std::max(energy_slack * setting_.options.rtol, 1e-9) * scale)
        stop = lost_energy(motion, t, change);
    }
  }
  last_[0] = last_[1];
  last_[1] = now;
  known_ = std::min(2, known_ + 1);
  return stop;
}

Diagnostic SingularWatch::lost_energy(const MotionSolver& motion, double t, double change) const {
  Diagnostic d;
  d.id = "numeric.singular";
  d.t = t;
  d.element = weakest_words(motion);
  d.found = fmt::format("the energy changed by {:.3g} J in passing a singular pose", change);
  d.expected = "a passage on the smooth branch, which keeps it";
  d.hint = "use a tighter tolerance or a smaller step";
  return d;
}

void SingularWatch::serialize(Archive& archive) {
  for (Point& p : last_) {
    archive.io(p.t);
    archive.io(p.ratio);
    archive.io(p.energy);
  }
  archive.io(known_);
}

}  // namespace cardan
