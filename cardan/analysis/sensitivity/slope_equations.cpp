#include "cardan/analysis/sensitivity/slope_equations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double in_pose = 1e-8;  // weakest pivot: what grows like 1/s has no value any more

}  // namespace

SlopeEquations::SlopeEquations(const System& system,
                               const std::vector<char>& active,
                               const ParameterSteps& steps)
    : system_(system),
      active_(active),
      steps_(steps),
      slopes_(system, active, steps),
      crossing_(system, slopes_),
      n_v_(static_cast<std::size_t>(system_.v_size())),
      n_z_(static_cast<std::size_t>(system_.states().size())),
      part_(2 * n_v_ + n_z_),
      here_(steps.size(), StateSlope(system)) {
  for (const ParameterStep& step : steps) sizes_.push_back(size_of(step));
}

void SlopeEquations::read(CView from, double size, StateSlope& s) const {
  for (std::size_t k = 0; k < n_v_; ++k) {
    s.theta[k] = from[k] / size;
    s.v[k] = from[n_v_ + k] / size;
  }
  for (std::size_t k = 0; k < n_z_; ++k) s.z[k] = from[2 * n_v_ + k] / size;
}

void SlopeEquations::write(const StateSlope& s, double size, View to) const {
  for (std::size_t k = 0; k < n_v_; ++k) {
    to[k] = s.theta[k] * size;
    to[n_v_ + k] = s.v[k] * size;
  }
  for (std::size_t k = 0; k < n_z_; ++k) to[2 * n_v_ + k] = s.z[k] * size;
}

std::string SlopeEquations::component_name(std::size_t i) const {
  const std::size_t p = i / part_, local = i % part_;
  std::string of;
  if (local < 2 * n_v_)
    of = (local < n_v_ ? "" : "velocity of ") +
         system_.coordinate_label(static_cast<int>(local % n_v_));
  else
    of = system_.states().label(static_cast<int>(local - 2 * n_v_));
  return fmt::format("derivative by '{}' of {}", steps_[p].parameter.name, of);
}

void SlopeEquations::mark_ignored(std::vector<bool>& all, std::size_t first) const {
  std::vector<bool> states(part_, false);
  if (n_z_ > 0) system_.states().mark_ignored(states);
  for (std::size_t p = 0; p < sizes_.size(); ++p)
    for (std::size_t k = 0; k < part_; ++k) all[first + p * part_ + k] = states[k];
}

// theta, v_p and, where asked, a_p and lambda_p of s into here_. A motion may also come near a singular
// pose and turn back: what grows on the way has its value there.
Eval SlopeEquations::solve_at(const State& motion, CView s, bool closes, bool accelerates) {
  if (!slopes_.evaluate(motion)) return Eval::retry;
  for (std::size_t p = 0; p < sizes_.size(); ++p) read(part(s, p), sizes_[p], here_[p]);
  if (crossing_.beside()) {
    if (crossing_.across(motion, here_)) return Eval::ok;
    if (crossing_.without() >= 0 && pivot_ratio(slopes_.motion()) < in_pose) {
      fault_ = no_slopes_across(steps_[static_cast<std::size_t>(crossing_.without())], motion.t);
      return Eval::fatal;
    }
    for (std::size_t p = 0; p < sizes_.size(); ++p) read(part(s, p), sizes_[p], here_[p]);
  }
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    StateSlope& one = here_[p];
    const int k = static_cast<int>(p);
    if (closes) {
      slopes_.close_positions(k, one.theta);
      slopes_.close_velocities(k, one.theta, one.v);
    }
    if (accelerates && !slopes_.accelerate(k, one)) return Eval::retry;
  }
  return Eval::ok;
}

Eval SlopeEquations::rates(const State& motion, CView s, View ds) {
  if (const Eval e = solve_at(motion, s, false, true); e != Eval::ok) return e;
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    const StateSlope& one = here_[p];
    const View out = part(ds, p);
    slopes_.rate_states(static_cast<int>(p), one, out.last(n_z_));
    for (double& x : out.last(n_z_)) x *= sizes_[p];
    for (std::size_t k = 0; k < n_v_; ++k) {
      out[k] = one.v[k] * sizes_[p];
      out[n_v_ + k] = one.a[k] * sizes_[p];
    }
    if (system_.space() == Space::planar) continue;
    const Layout& layout = system_.layout();
    for (int b = 0; b < system_.body_count(); ++b)
      layout.rotation(View(out), b) +=
          sizes_[p] *
          layout.rotation(CView(one.theta), b).cross(layout.rotation(CView(motion.v), b));
  }
  return Eval::ok;
}

Eval SlopeEquations::close(const State& motion, View s) {
  if (const Eval e = solve_at(motion, s, true, false); e != Eval::ok) return e;
  for (std::size_t p = 0; p < sizes_.size(); ++p) write(here_[p], sizes_[p], part(s, p));
  return Eval::ok;
}

Eval SlopeEquations::take(const State& motion, CView s, SlopeStore& store) {
  if (const Eval e = solve_at(motion, s, true, true); e != Eval::ok) return e;
  std::copy(here_.begin(), here_.end(), store.begin());
  return Eval::ok;
}

void SlopeEquations::give(const SlopeStore& store, View s) const {
  for (std::size_t p = 0; p < sizes_.size(); ++p) write(store[p], sizes_[p], part(s, p));
}

void SlopeEquations::reserve(int shifts) {
  if (matrix_ == nullptr) matrix_ = std::make_unique<ShiftedMatrix>(system_, active_);
  matrix_->reserve(shifts);
  both_.resize(part_);
}

void SlopeEquations::linearise(const State& motion, const Workspace& work) {
  shifts_.clear();
  matrix_->linearise(motion.t, motion.q, motion.v, motion.a, motion.lambda, work);
}

Eval SlopeEquations::factor(std::span<const Shift> shifts, Reuse allowed) {
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const bool same =
        k < shifts_.size() && shifts[k].re == shifts_[k].re && shifts[k].im == shifts_[k].im;
    if (allowed == Reuse::factors && same) continue;
    if (!matrix_->factor(static_cast<int>(k), {shifts[k].re, shifts[k].im})) {
      shifts_.clear();
      return Eval::retry;
    }
  }
  shifts_.assign(shifts.begin(), shifts.end());
  return Eval::ok;
}

void SlopeEquations::solve_part(int k, std::complex<double> c, View re, View im) {
  if (c.imag() == 0) {
    for (const View x : {re, im})
      if (!x.empty()) matrix_->solve(k, x.data(), x.data() + n_v_, x.data() + 2 * n_v_);
    return;
  }
  for (std::size_t i = 0; i < part_; ++i) both_[i] = {re[i], im[i]};
  matrix_->solve(k, both_.data(), both_.data() + n_v_, both_.data() + 2 * n_v_);
  for (std::size_t i = 0; i < part_; ++i) {
    re[i] = both_[i].real();
    im[i] = both_[i].imag();
  }
}

Eval SlopeEquations::solve(int k, View re, View im) {
  const View none;
  for (std::size_t p = 0; p < sizes_.size(); ++p)
    solve_part(k, matrix_->shift(k), part(re, p), im.empty() ? none : part(im, p));
  return as_vector(CView(re)).allFinite() ? Eval::ok : Eval::retry;
}

}  // namespace cardan
