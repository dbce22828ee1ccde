#include "cardan/analysis/sensitivity/followed_slopes.h"

#include <cmath>

#include <fmt/format.h>

#include "cardan/analysis/causes.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

constexpr double tight = 1e-7;  // rtol from which order 8 pays

}  // namespace

class FollowedSlopes::Problem final : public OdeProblem {
 public:
  Problem(const System& system, const ParameterSteps& steps, Piece piece)
      : system_(system),
        equations_(system, piece.active, steps),
        piece_(std::move(piece)),
        state_(piece_.start),
        work_(system.workspace()) {}

  SlopeEquations& equations() { return equations_; }

  const Piece& piece() const { return piece_; }

  int size() const override { return static_cast<int>(equations_.size()); }

  std::string component_name(int i) const override {
    return equations_.component_name(static_cast<std::size_t>(i));
  }

  Eval f(double t, CView s, View ds) override {
    if (const Eval e = piece_.at(t, state_); e != Eval::ok) return e;
    return equations_.rates(state_, s, ds);
  }

  void reserve(int shifts) override { equations_.reserve(shifts); }

  Eval setup(double t, CView, CView, std::span<const Shift> shifts, Reuse allowed) override {
    if (allowed == Reuse::nothing) {
      if (const Eval e = piece_.at(t, state_); e != Eval::ok) return e;
      system_.use(state_, work_);
      equations_.linearise(state_, work_);
    }
    return equations_.factor(shifts, allowed);
  }

  Eval solve(int k, View re, View im) override { return equations_.solve(k, re, im); }

  bool projects() const override { return true; }

  Eval project(double t, View s, View) override {
    if (const Eval e = piece_.at(t, state_); e != Eval::ok) return e;
    return equations_.close(state_, s);
  }

 private:
  const System& system_;
  SlopeEquations equations_;
  Piece piece_;
  State state_;
  Workspace work_;
};

FollowedSlopes::FollowedSlopes(const System& system, const ParameterSteps& steps, SlopeStore& store)
    : system_(system), steps_(steps), store_(store) {}

FollowedSlopes::~FollowedSlopes() = default;

Diagnostic FollowedSlopes::trouble(double t) const {
  return problem_->equations().fault().value_or(no_slopes(t));
}

std::optional<Diagnostic> FollowedSlopes::begin(Piece piece) {
  const double t = piece.start.t;
  Tolerance tolerance;
  tolerance.rtol = piece.rtol;
  tolerance.atol = piece.atol;
  const char* const method = piece.implicit ? "radau5" : piece.rtol > tight ? "ode45" : "dop853";
  integrator_.reset();
  problem_ = std::make_unique<Problem>(system_, steps_, std::move(piece));
  tolerance.ignored.resize(problem_->equations().size(), false);
  problem_->equations().mark_ignored(tolerance.ignored, 0);
  auto made = make_method(method, {}, *problem_);
  if (!made) return made.why().front();
  integrator_ = std::make_unique<Integrator>(std::move(made).value(), std::move(tolerance));
  integrator_->on_step = [](const StepRecord&) {
    return Flow::stop;
  };
  if (s_.empty()) {
    s_.resize(problem_->equations().size());
    problem_->equations().give(store_, s_);
  }
  jumped_ = false;
  if (integrator_->start(t, s_) != Eval::ok) return trouble(t);
  return {};
}

std::optional<Diagnostic> FollowedSlopes::start_again() {
  jumped_ = false;
  const double t = integrator_->method().time();
  s_.assign(integrator_->method().state().begin(), integrator_->method().state().end());
  if (integrator_->restart(t, s_, true) != Eval::ok) return trouble(t);
  return {};
}

// One step after the other, so that none reaches beyond what is known of the motion.
std::optional<Diagnostic> FollowedSlopes::advance_to(double t) {
  Method& method = integrator_->method();
  const double end = problem_->piece().reached(), way = end < method.time() ? -1 : 1;
  while (way * (t - method.time()) > 0) {
    if (jumped_)
      if (auto fault = start_again()) return fault;
    const double before = method.time();
    const Stop stop = integrator_->advance(end);
    if (stop.why == Stop::Why::failure) return trouble(stop.t);
    if (method.time() == before) break;  // there, but for round-off
  }
  return {};
}

std::optional<Diagnostic> FollowedSlopes::step() {
  auto fault = advance_to(problem_->piece().reached());
  const CView now = integrator_->method().state();
  s_.assign(now.begin(), now.end());
  return fault;
}

std::optional<Diagnostic> FollowedSlopes::at(const State& motion) {
  if (auto fault = advance_to(motion.t)) return fault;
  Method& method = integrator_->method();
  s_.assign(method.state().begin(), method.state().end());
  const bool inside =
      std::abs(method.time() - motion.t) > 0 && method.previous_time() != method.time();
  if (inside && method.interpolate(motion.t, s_) != Eval::ok) return trouble(motion.t);
  if (problem_->equations().take(motion, s_, store_) != Eval::ok) return trouble(motion.t);
  return {};
}

void FollowedSlopes::serialize(Archive& archive) {
  archive.mark("slopes");
  archive.io(jumped_);
  integrator_->serialize(archive);
}

}  // namespace cardan
