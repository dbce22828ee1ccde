#include "cardan/ode/runge_kutta/runge_kutta_notes.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double safety = 0.8, most_growth = 5, longest_part = 0.1;  // of the rule above

}  // namespace

NotesRungeKutta::NotesRungeKutta(OdeProblem& problem, const Tableau& tableau, const Traits& traits)
    : RungeKutta(problem, tableau, traits) {}

Eval NotesRungeKutta::start(double t, CView y, const Tolerance& tolerance) {
  tolerance_ = tolerance;
  const std::size_t n = y.size();
  rtol_ =
      tolerance.rtol_each.empty() ? std::vector<double>(n, tolerance.rtol) : tolerance.rtol_each;
  threshold_ =
      tolerance.atol_each.empty() ? std::vector<double>(n, tolerance.atol) : tolerance.atol_each;
  for (std::size_t i = 0; i < n; ++i) {
    rtol_[i] = std::max(rtol_[i], std::numeric_limits<double>::min());
    threshold_[i] /= rtol_[i];
    if (!tolerance.ignored.empty() && tolerance.ignored[i])
      rtol_[i] = std::numeric_limits<double>::infinity();
  }
  failures_ = 0;
  return RungeKutta::start(t, y, tolerance);
}

double NotesRungeKutta::relative(CView e, CView y0, CView y1) const {
  if (tolerance_.norm_control) {
    double error = 0, before = 0, after = 0, least = 0, rtol = 1;
    for (std::size_t i = 0; i < e.size(); ++i) {
      if (std::isinf(rtol_[i])) continue;
      error += e[i] * e[i], before += y0[i] * y0[i], after += y1[i] * y1[i];
      least = std::max(least, threshold_[i]);
      rtol = std::min(rtol, rtol_[i]);
    }
    const double size = std::max({std::sqrt(before), std::sqrt(after), least});
    return std::sqrt(error) / std::max(size, std::numeric_limits<double>::min()) / rtol;
  }
  double worst = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double size = std::max({std::abs(y0[i]), std::abs(y1[i]), threshold_[i]});
    const double reach = tolerance_.reach == nullptr ? 1 : (*tolerance_.reach)[i];
    const double part =
        reach * std::abs(e[i]) / std::max(size, std::numeric_limits<double>::min()) / rtol_[i];
    if (!(part <= worst)) worst = part;  // NaN stays
  }
  return worst;
}

double NotesRungeKutta::measure_error() {
  (void)RungeKutta::measure_error();  // fills error_
  return relative(view(error_), view(y_), view(y_new_));
}

double NotesRungeKutta::initial_step(double t_end) {
  const double span = std::abs(t_end - t_), direction = t_end < t_ ? -1 : 1;
  longest_ = longest_part * span;
  const double rtol = *std::min_element(rtol_.begin(), rtol_.end());
  if (rtol_.empty() || std::isinf(rtol)) return direction * longest_;
  const double rate = relative(view(f_), view(y_), view(y_)) * rtol;
  const double h = safety * elementary::pow(rtol, power()) / rate;
  return direction * std::min(h, longest_);
}

Choice NotesRungeKutta::next(const Attempt& a) {
  double h = h_;
  if (failures_ == 0) h /= std::max(elementary::pow(a.error, power()) / safety, 1 / most_growth);
  failures_ = 0;
  if (longest_ > 0 && std::abs(h) > longest_) h = std::copysign(longest_, h);
  return {h, order()};
}

Choice NotesRungeKutta::retry(const Attempt& a) {
  const double least = tableau_.order == 3 ? 0.5 : 0.1;
  const bool measured = a.kind == Attempt::Kind::ok && std::isfinite(a.error);
  const bool first = failures_++ == 0;
  if (!first || !measured) return {0.5 * h_, order()};
  return {h_ * std::max(least, safety * elementary::pow(a.error, -power())), order()};
}

void NotesRungeKutta::serialize(Archive& a) {
  RungeKutta::serialize(a);
  a.io(longest_);
  a.io(failures_);
}

}  // namespace cardan
