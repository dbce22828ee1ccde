#include "cardan/ode/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cardan/base/trace.h"
#include "cardan/math/elementary.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/views.h"

namespace cardan {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double stalled = 0.9;     // rate of corrections that no longer shrink
constexpr double first_growth = 4;  // of the corrections, let pass once

}  // namespace

void Linearization::prepare(OdeProblem& problem, int shifts) {
  problem_ = &problem;
  problem.reserve(shifts);
  y_.setZero(problem.size());
  f_.setZero(problem.size());
  shifts_.all.assign(static_cast<std::size_t>(shifts), {});
  shifts_.count = 0;
  jacobian_shifts_ = shifts_;
  forget();
}

Eval Linearization::update(double t, CView y, CView f, std::span<const Shift> shifts, bool fresh) {
  const bool anew = fresh || !has_jacobian_;
  std::copy(shifts.begin(), shifts.end(), shifts_.all.begin());
  shifts_.count = shifts.size();
  if (anew) {
    t_ = t;
    y_ = as_vector(y);
    has_f_ = !f.empty();
    if (has_f_) f_ = as_vector(f);
    jacobian_shifts_ = shifts_;
    has_jacobian_ = false;
  }
  return factor(anew ? Reuse::nothing : Reuse::jacobian);
}

Eval Linearization::factor(Reuse allowed) {
  ready_ = false;
  const Eval e =
      problem_->setup(t_, view(y_), has_f_ ? view(f_) : CView{}, shifts_.used(), allowed);
  if (e != Eval::ok) return e;
  return ready_ = has_jacobian_ = true, e;
}

void Linearization::serialize(Archive& a) {
  a.io(ready_);
  a.io(has_jacobian_);
  a.io(has_f_);
  a.io(t_);
  a.io(y_);
  a.io(f_);
  for (Shifts* list : {&shifts_, &jacobian_shifts_}) {
    io_within(a, list->count, std::size_t{0}, list->all.size());
    for (Shift& s : list->all) {
      a.io(s.re);
      a.io(s.im);
    }
  }
  if (!a.loading() || !a.good()) return;
  if (ready_ && !has_jacobian_) return a.fail();  // factors of nothing
  if (!has_jacobian_) return;
  // Which shifts are real is the method's own, and the same in both lists.
  for (std::size_t k = 0; k < std::min(shifts_.count, jacobian_shifts_.count); ++k)
    if ((shifts_.all[k].im == 0) != (jacobian_shifts_.all[k].im == 0)) return a.fail();
  if (jacobian_shifts_.count == 0 || (ready_ && shifts_.count == 0)) return a.fail();
  const Stats counted = problem_->stats();  // making the matrices again costs the run nothing
  const bool was_ready = ready_;
  std::swap(shifts_, jacobian_shifts_);
  Eval e = factor(Reuse::nothing);
  std::swap(shifts_, jacobian_shifts_);
  if (e == Eval::ok && was_ready) e = factor(Reuse::jacobian);
  ready_ = was_ready && e == Eval::ok;
  problem_->stats() = counted;
}

void CorrectionNorm::by_tolerance(const ErrorNorm& norm) {
  weight_ = as_vector(norm.weights());
  controlled_ = std::max<double>(1, static_cast<double>((weight_.array() > 0).count()));
}

void CorrectionNorm::by_round_off(CView y, CView correction, const ErrorNorm& norm) {
  const auto counts = (as_vector(norm.weights()).array() > 0).cast<double>();
  weight_ = (as_vector(y).cwiseAbs() + as_vector(correction).cwiseAbs()).array() * counts;
  const double most = weight_.size() > 0 ? weight_.maxCoeff() : 0;
  const double least = std::max(1e-3 * most, std::numeric_limits<double>::min() / epsilon);
  weight_ = counts / ((weight_.array() + least) * epsilon);
  controlled_ = std::max<double>(1, counts.sum());
}

int CorrectionNorm::largest(CView d) const {
  Eigen::Index worst = -1;
  if (weight_.size() > 0) (as_vector(d).array() * weight_.array()).abs().maxCoeff(&worst);
  return static_cast<int>(worst);
}

double CorrectionNorm::operator()(CView d) const {
  return std::sqrt((as_vector(d).array() * weight_.array()).square().sum() / controlled_);
}

void Convergence::begin() {
  count_ = 0;
  rate_ = 0;
  eta_ = goal_.trusting ? elementary::pow(std::max(eta_, epsilon), 0.8) : 1;
}

Convergence::Verdict Convergence::judge(double size) {
  ++count_;
  trace("    Newton {:>2}: correction {:.3e} (allowed error: {:.1e})", count_, size, goal_.missing);
  if (!std::isfinite(size)) return Verdict::hopeless;
  if (size == 0) return Verdict::done;
  if (count_ > 1) {
    const double theta = size / last_;
    if (theta > stalled && size <= goal_.floor) return Verdict::done;
    // Far from the solution the first rate tells nothing where iterations are many.
    const bool telling = goal_.trusting || count_ > 2;
    if (theta >= (telling ? 1 : first_growth)) return Verdict::hopeless;
    rate_ = std::max(rate_, theta);
    eta_ = theta < 1 ? theta / (1 - theta) : INFINITY;
    const double at_best = size * elementary::pow(theta, goal_.most - count_) / (1 - theta);
    if (telling && at_best > std::max(goal_.missing, goal_.floor)) return Verdict::hopeless;
  }
  last_ = size;
  if (eta_ * size <= goal_.missing) return Verdict::done;
  if (count_ < goal_.most) return Verdict::go_on;
  return size <= goal_.floor ? Verdict::done : Verdict::hopeless;
}

void Convergence::serialize(Archive& a) {
  a.io(eta_);
  a.io(last_);
  a.io(rate_);
  a.io(count_);
}

}  // namespace cardan
