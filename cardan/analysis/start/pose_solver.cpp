#include "cardan/analysis/start/pose_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "cardan/base/trace.h"
#include "cardan/math/elementary.h"

namespace cardan {

namespace {

constexpr double pivot_tolerance = 1e-13;  // relative pivot below which an equation is left out
constexpr int max_tries = 60;
constexpr double largest_turn = 0.6;   // rad in one iteration
constexpr double largest_shift = 0.5;  // of the mechanism's size

double squared_norm(CView x) {
  return as_vector(x).squaredNorm();
}

}  // namespace

PoseSolver::PoseSolver(const System& system,
                       std::vector<char> wanted,
                       const AssemblyOptions& options)
    : system_(system),
      equations_(system.assembly_equations()),
      options_(options),
      wanted_(std::move(wanted)),
      S_(system.assembly_plan(), equations_, system.metric()),
      work_(system.workspace()),
      packed_(static_cast<std::size_t>(equations_.packed_size())),
      residual_(static_cast<std::size_t>(equations_.rows())),
      d_(static_cast<std::size_t>(system.v_size())) {
  scaled_ = scale_ = target_ = y_ = Jd_ = residual_;
  S_.activate(wanted_);
  std::fill(target_.begin(), target_.end(), 0.0);
  for (const auto& condition : system.initial_conditions())
    if (condition.has_value) target_[static_cast<std::size_t>(condition.row)] = condition.value;
}

double PoseSolver::evaluate(double t, CView q) {
  system_.rotations(q, work_);
  equations_.phi(system_.config(t, q, work_), residual_);
  for (std::size_t r = 0; r < residual_.size(); ++r) {
    residual_[r] = wanted_[r] != 0 ? residual_[r] - target_[r] : 0.0;
    scaled_[r] = residual_[r] * scale_[r];
  }
  return squared_norm(scaled_);
}

void PoseSolver::linearise(double t, CView q) {
  system_.rotations(q, work_);
  equations_.phi_q(system_.config(t, q, work_), packed_);
  equations_.scale_rows(scale_, packed_);
}

double PoseSolver::largest() const {
  return scaled_.empty() ? 0 : as_vector(CView(scaled_)).cwiseAbs().maxCoeff();
}

double PoseSolver::threshold(CView q) const {
  const double reach = q.empty() ? 0 : as_vector(q).cwiseAbs().maxCoeff();
  return std::max(options_.tolerance * system_.length(),
                  32 * std::numeric_limits<double>::epsilon() * reach);
}

void PoseSolver::step_from(CView y, View d) const {
  std::fill(d.begin(), d.end(), 0.0);
  equations_.add_transposed(packed_, y, -1.0, d);
  system_.metric().solve(d);
}

void PoseSolver::limit(View d) const {
  double excess = 1;
  for (std::size_t k = 0; k < d.size(); ++k) {
    const bool turn = system_.layout().turns(static_cast<int>(k));
    excess =
        std::max(excess, std::abs(d[k]) / (turn ? largest_turn : largest_shift * system_.length()));
  }
  for (double& x : d) x /= excess;
}

// Unit gradients at the start of a descent.
void PoseSolver::choose_scale(double t, CView q) {
  std::fill(scale_.begin(), scale_.end(), 1.0);
  linearise(t, q);
  const std::vector<double> norms = row_norms(equations_, system_.metric(), packed_);
  for (std::size_t r = 0; r < norms.size(); ++r) scale_[r] = norms[r] > 1e-8 ? 1 / norms[r] : 1.0;
}

// The step from q, in trial_; the descent of |r|^2 that the linear model predicts.
double PoseSolver::propose(double t, CView q, double mu) {
  linearise(t, q);
  S_.factor(packed_, mu, pivot_tolerance);
  std::copy(scaled_.begin(), scaled_.end(), y_.begin());
  S_.solve(y_);
  step_from(y_, d_);
  limit(d_);
  equations_.multiply(packed_, d_, Jd_);
  double predicted = squared_norm(scaled_);
  for (std::size_t r = 0; r < Jd_.size(); ++r)
    if (wanted_[r] != 0) predicted -= (scaled_[r] + Jd_[r]) * (scaled_[r] + Jd_[r]);
  system_.advance(q, d_, trial_);
  return predicted;
}

PoseSolver::Run PoseSolver::descend(double t, std::vector<double>& q) {
  choose_scale(t, q);
  trial_ = q;
  double mu = 1e-3, grow = 2;
  double norm = evaluate(t, q);
  for (int it = 0; it < options_.max_iterations; ++it) {
    if (!std::isfinite(norm)) return {false, norm, it};
    trace("  assembly {:>4}: largest gap {:.3e} (scaled), damping {:.1e}", it, largest(), mu);
    if (largest() <= threshold(q)) return {true, norm, it};
    const bool near = largest() < 1e-4 * system_.length();  // Newton's method from here on
    const double predicted = propose(t, q, near ? std::min(mu, 1e-14) : mu);
    const double next = evaluate(t, trial_);
    if (next < norm || largest() <= threshold(trial_)) {
      const double gain = (norm - next) / std::max(predicted, 1e-300);
      const bool stalled = norm - next < 1e-10 * norm && largest() > threshold(trial_);
      mu = std::max(mu * std::max(1.0 / 3, 1 - elementary::pow(2 * gain - 1, 3)), 1e-15);
      grow = 2;
      q = trial_;
      norm = next;
      if (stalled && mu <= 1e-14) return {false, norm, it};
    } else {
      norm = evaluate(t, q);
      if (near && largest() <= 100 * threshold(q))
        return {true, norm, it};  // round-off of the equations
      mu *= grow;
      grow *= 2;
      if (mu > 1e8) return {false, norm, it};
    }
  }
  return {largest() <= threshold(q), norm, options_.max_iterations};
}

void PoseSolver::approach(double t, CView guess, std::vector<double>& q) {
  // Sequential projections of the guess onto the linearised constraints, as long as that brings the
  // pose nearer.
  std::vector<double> toward(d_.size()), next(q.size()), correction(d_.size());
  const auto distance = [&](CView x) {
    system_.difference(guess, x, toward);
    return 2 * system_.metric().energy(toward);
  };
  double now = distance(q), share = 1;
  const double enough = elementary::pow(1e-9 * system_.length(), 2);
  for (int it = 0; it < 25 && share > 1e-2; ++it) {
    evaluate(t, q);
    linearise(t, q);
    S_.factor(packed_, 1e-14, pivot_tolerance);
    distance(q);
    limit(toward);
    equations_.multiply(packed_, toward, y_);
    S_.solve(y_);
    step_from(y_, correction);
    for (std::size_t k = 0; k < d_.size(); ++k) d_[k] = share * (toward[k] + correction[k]);
    const double moved = 2 * system_.metric().energy(d_);
    if (moved <= enough) break;
    system_.advance(q, d_, next);
    const Run back = descend(t, next);
    if (back.converged && distance(next) < now * (1 - 1e-6)) {
      now = distance(next);
      q = next;
      share = std::min(1.0, 2 * share);
    } else {
      share /= 4;
    }
  }
}

// The drawing knows angles up to whole turns only, where drivers and initial conditions count them. What is
// off by whole turns is turned by them at once, and bodies that keep their angle to it with it: otherwise
// the search would turn it on its way, and might close loops in another manner than they are drawn.
std::vector<double> PoseSolver::with_turns_meant(double t, CView drawn) {
  std::vector<double> q(drawn.begin(), drawn.end());
  if (system_.own() != nullptr || system_.space() != Space::planar) return q;
  std::fill(scale_.begin(), scale_.end(), 1.0);
  evaluate(t, q);
  linearise(t, q);
  std::vector<char> settled(static_cast<std::size_t>(system_.body_count()), 0);
  bool again = true;
  while (again) {  // every pass but the last settles a body
    again = false;
    for (const Equations::Block& block : equations_.blocks())
      for (int r = 0; r < block.rows; ++r) {
        if (!turn_by_row(block, r, settled, q)) continue;
        evaluate(t, q);
        again = true;
      }
  }
  return q;
}

// An equation for an angle, or for the difference of two, that is off by whole turns: nothing else has
// these derivatives.
bool PoseSolver::turn_by_row(const Equations::Block& block,
                             int r,
                             std::vector<char>& settled,
                             std::vector<double>& q) {
  constexpr double turn = 2 * std::numbers::pi;
  const double turns = std::round(residual_[static_cast<std::size_t>(block.first_row + r)] / turn);
  if (turns == 0 || !std::isfinite(turns)) return false;
  const auto terms = equations_.terms(block);
  const auto slope = [&](const Equations::Term& term, int k) {
    return packed_[static_cast<std::size_t>(term.offset + k * block.rows + r)];
  };
  const Equations::Term* chosen = nullptr;
  for (const Equations::Term& term : terms) {
    if (slope(term, 0) != 0 || slope(term, 1) != 0 || std::abs(slope(term, 2)) != 1) return false;
    if (settled[static_cast<std::size_t>(term.body)] == 0) chosen = &term;
  }
  if (chosen == nullptr) return false;
  const auto body = static_cast<std::size_t>(chosen->body);
  q[3 * body + 2] -= turns * turn * slope(*chosen, 2);
  settled[body] = 1;
  return true;
}

PoseSolver::Outcome PoseSolver::solve(double t, CView drawn) {
  const std::vector<double> guess = with_turns_meant(t, drawn);
  Outcome best;
  double least = std::numeric_limits<double>::infinity();
  std::mt19937 random(20240607);
  const int tries =
      std::clamp(static_cast<int>(200'000 / std::max<std::size_t>(1, guess.size())), 4, max_tries);
  for (int k = 0; k < tries; ++k) {
    std::vector<double> q(guess.begin(), guess.end());
    if (k > 0) {  // disturb the guess, more with every try
      const double size = std::min(1.0, 0.1 + 0.9 * k / 20.0);
      std::uniform_real_distribution<double> uniform(-size, size);
      for (std::size_t i = 0; i < d_.size(); ++i)
        d_[i] = uniform(random) *
                (system_.layout().turns(static_cast<int>(i)) ? 3.0 : system_.length());
      system_.advance(q, d_, q);
    }
    const Run run = descend(t, q);
    best.iterations += run.iterations;
    best.tries = k + 1;
    if (run.converged || run.norm < least) {
      least = run.norm;
      best.q = q;
    }
    if (run.converged) {
      best.converged = true;
      break;
    }
  }
  if (best.q.empty()) best.q.assign(guess.begin(), guess.end());
  if (best.converged) approach(t, guess, best.q);
  evaluate(t, best.q);
  best.residual = residual_;
  return best;
}

}  // namespace cardan
