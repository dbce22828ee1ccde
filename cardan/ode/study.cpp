#include "cardan/ode/study.h"

#include <algorithm>
#include <cmath>

#include "cardan/math/elementary.h"
#include "cardan/ode/integrator.h"

namespace cardan {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double round_off_unit = std::numeric_limits<double>::epsilon();

Result<StudyEnding> integrate(const StudySetup& setup,
                              std::string_view method,
                              const MethodOptions& options,
                              double step,
                              double rtol) {
  Result<std::unique_ptr<Method>> made = make_method(method, options, setup.problem);
  if (!made) return made.why();
  Tolerance tolerance;
  tolerance.rtol = tolerance.atol = rtol;
  IntegratorOptions how;
  how.step = step;
  how.max_steps = setup.most_evaluations;
  Integrator integrator(std::move(made).value(), tolerance, how);
  integrator.on_step = [&](const StepRecord&) {
    return integrator.stats().f > setup.most_evaluations ? Flow::stop : Flow::go_on;
  };
  StudyEnding out;
  if (integrator.start(setup.start, setup.y0) == Eval::ok &&
      integrator.advance(setup.end).why == Stop::Why::end) {
    out.y.assign(integrator.y().begin(), integrator.y().end());
  }
  out.evaluations = integrator.stats().f;
  return out;
}

double distance(const StudyTask& task, const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return unknown;
  if (task.component >= 0) {
    const auto k = static_cast<std::size_t>(task.component);
    return std::abs(a[k] - b[k]);
  }
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

double size_of(const StudyTask& task, const std::vector<double>& y) {
  return distance(task, y, std::vector<double>(y.size(), 0));
}

double slope(const std::vector<HalvingPoint>& points, std::size_t from, std::size_t to) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = from; k <= to; ++k) {
    const double x = points[k].n, y = -elementary::log2(points[k].difference);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// The fit takes the last four points (three at least) that stand clear of round-off.
void fit(const StudyTask& task, Halving& study) {
  study.order = unknown;
  const std::vector<HalvingPoint>& p = study.points;
  std::size_t last = 0, count = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const bool clear = p[k].difference > 2000 * round_off_unit * size_of(task, p[k].y);
    const bool falls = k > 0 && p[k].difference < p[k - 1].difference;
    if (!std::isfinite(p[k].difference) || !clear) {
      if (count >= 3) break;
      count = 0;
      continue;
    }
    count = falls ? count + 1 : 1;
    last = k;
  }
  if (count < 3) return;
  const std::size_t first = last + 1 - std::min<std::size_t>(count, 4);
  study.order = slope(p, first, last);
  study.fit_from = p[first].n;
  study.fit_to = p[last].n;
  for (std::size_t k = last + 1; k < p.size(); ++k) {
    if (p[k].difference > p[k - 1].difference * elementary::exp2(-0.7 * study.order)) {
      study.round_off_from = p[k].n;
      return;
    }
  }
}

// Both branches with the fitted order, by least squares of the relative errors.
void fit_branches(Halving& study) {
  study.truncation = study.round_off = study.best_step = unknown;
  if (!std::isfinite(study.order) || study.round_off_from == 0) return;
  double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
  for (const HalvingPoint& p : study.points) {
    if (p.n < study.fit_from || !(p.difference > 0)) continue;
    const double h = std::abs(p.h);
    const double u = elementary::pow(h, study.order) / p.difference, w = 1 / (h * p.difference);
    aa += u * u, ab += u * w, bb += w * w, a += u, b += w;
  }
  const double det = aa * bb - ab * ab;
  if (!(det > 0)) return;
  const double truncation = (bb * a - ab * b) / det, round_off = (aa * b - ab * a) / det;
  if (!(truncation > 0) || !(round_off > 0)) return;
  study.truncation = truncation;
  study.round_off = round_off;
  study.best_step = elementary::pow(round_off / (study.order * truncation), 1 / (study.order + 1));
}

// The exact end or the best that can be had: an explicit method of high order, or where that takes
// too long, an implicit one.
Result<std::vector<double>> truth_of(const StudySetup& setup) {
  if (setup.exact) return *setup.exact;
  StudySetup quick = setup;
  quick.most_evaluations = std::min(setup.most_evaluations, 1'000'000l);
  Result<StudyEnding> explicit_run = integrate(quick, "dop853", {}, 0, 3e-14);
  if (!explicit_run) return explicit_run.why();
  if (!explicit_run.value().y.empty()) return explicit_run.value().y;
  Result<StudyEnding> implicit_run = integrate(setup, "radau5", {}, 0, 1e-12);
  if (!implicit_run) return implicit_run.why();
  return implicit_run.value().y;
}

}  // namespace

StudyTask study_task(const StudySetup& setup, std::string method, const MethodOptions& options) {
  return {[&setup, method = std::move(method), options](double step, double rtol) {
            return integrate(setup, method, options, step, rtol);
          },
          setup.end - setup.start,
          setup.component,
          setup.exact,
          setup.most_evaluations};
}

Result<Halving> halving_study(const StudyTask& task, int p, int from, int to) {
  Halving study;
  for (int n = from; n <= to; ++n) {
    HalvingPoint point;
    point.n = n;
    point.h = task.span / elementary::exp2(n);
    Result<StudyEnding> ending = task.run(std::abs(point.h), 1e-6);
    if (!ending) return ending.why();
    point.y = ending.value().y;
    point.evaluations = ending.value().evaluations;
    point.difference =
        study.points.empty() ? unknown : distance(task, point.y, study.points.back().y);
    point.estimate = point.difference / (elementary::exp2(p) - 1);
    point.error = task.exact ? distance(task, point.y, *task.exact) : unknown;
    study.points.push_back(std::move(point));
    if (2 * study.points.back().evaluations > task.most_evaluations) break;
  }
  fit(task, study);
  fit_branches(study);
  return study;
}

Result<Halving> halving_study(const StudySetup& setup,
                              std::string_view method,
                              const MethodOptions& options,
                              int from,
                              int to) {
  const MethodEntry* entry = find_method(method);
  const int p = entry != nullptr ? entry->traits(options).order_min : 1;
  return halving_study(study_task(setup, std::string(method), options), p, from, to);
}

Result<std::vector<WorkPoint>> work_precision(
    const StudyTask& task, const std::vector<double>& truth, bool adaptive, int from, int to) {
  std::vector<WorkPoint> points;
  for (int n = adaptive ? 6 : from; n <= (adaptive ? 22 : to); ++n) {
    const double setting =
        adaptive ? elementary::pow(10.0, -0.5 * n) : std::abs(task.span) / elementary::exp2(n);
    Result<StudyEnding> ending = task.run(adaptive ? 0 : setting, adaptive ? setting : 1e-6);
    if (!ending) return ending.why();
    const StudyEnding& e = ending.value();
    if (!e.y.empty()) points.push_back({setting, e.evaluations, distance(task, e.y, truth)});
    if (2 * e.evaluations > task.most_evaluations) break;
  }
  return points;
}

Result<std::vector<WorkPoint>> work_precision(const StudySetup& setup,
                                              std::string_view method,
                                              const MethodOptions& options,
                                              int from,
                                              int to) {
  const Result<std::vector<double>> truth = truth_of(setup);
  if (!truth) return truth.why();
  const MethodEntry* entry = find_method(method);
  const bool adaptive = entry != nullptr && entry->traits(options).adaptive;
  return work_precision(
      study_task(setup, std::string(method), options), truth.value(), adaptive, from, to);
}

}  // namespace cardan
