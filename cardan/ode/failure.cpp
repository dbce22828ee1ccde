// The problem is probed at the last good state: f there and a tiny way ahead.
//   escape:        |y_i| is large and doubles within a vanishing time |y_i / f_i|
//   singularity:   |y_i| stays bounded while f_i grows without bound, or f has no value ahead
//   discontinuity: f is bounded and differs by a finite amount over a vanishing distance
//   stiffness:     the method has watched it build up
#include "cardan/ode/failure.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cardan/ode/views.h"

namespace cardan {

namespace {

struct Probe {
  Eigen::VectorXd y, f, f_ahead;
  bool here = false, ahead = false;  // f has a value
  int bad = -1;                      // component without one
};

Probe probe(Method& method, double h) {
  OdeProblem& problem = method.problem();
  const int n = problem.size();
  Probe p{as_vector(method.state()), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  p.here = problem.evaluate(method.time(), view(p.y), view(p.f)) == Eval::ok;
  if (p.here) {
    Eigen::VectorXd there = p.y + h * p.f;
    p.ahead = problem.evaluate(method.time() + h, view(there), view(p.f_ahead)) == Eval::ok;
  }
  if (!p.here || !p.ahead) p.bad = problem.last_bad_value().component;
  return p;
}

// The component that moves fastest against its size: 1 / (the time it takes to change by itself).
int fastest(const Probe& p, double& rate) {
  int worst = -1;
  rate = 0;
  for (int i = 0; i < p.y.size(); ++i) {
    const double r = std::abs(p.f[i]) / std::max(std::abs(p.y[i]), 1e-300);
    if (!(r > rate)) continue;
    rate = r;
    worst = i;
  }
  return worst;
}

// The component whose slope changes most over the tiny step, as a fraction of the slopes
// themselves.
int largest_jump(const Probe& p, double& fraction) {
  int worst = -1;
  fraction = 0;
  const double scale = 1e-6 * (p.f.lpNorm<Eigen::Infinity>() + p.f_ahead.lpNorm<Eigen::Infinity>());
  for (int i = 0; i < p.f.size(); ++i) {
    const double size = std::abs(p.f[i]) + std::abs(p.f_ahead[i]) + scale;
    const double r = size > 0 ? std::abs(p.f_ahead[i] - p.f[i]) / size : 0;
    if (!(r > fraction)) continue;
    fraction = r;
    worst = i;
  }
  return worst;
}

void classify(Failure& out, Method& method, const Attempt& last, const RunSoFar& run) {
  const double span = std::max(std::abs(out.t - run.t_start), std::abs(out.h));
  const double least = 64 * std::numeric_limits<double>::epsilon() * std::abs(out.t);
  const double tiny = std::max(std::min(std::abs(out.h), 1e-10 * span), least);
  const Probe p = probe(method, std::copysign(tiny, out.h));
  double rate = 0, jump = 0;
  const int fast = p.here ? fastest(p, rate) : -1;
  const bool rapid = fast >= 0 && rate * span > 1e5;
  const double size = fast >= 0 ? std::abs(p.y[fast]) : 0;
  const double others = p.y.size() > 0 ? p.y.lpNorm<Eigen::Infinity>() : 0;
  if (rapid && size > 1e4 && size >= 0.5 * run.y_largest[static_cast<std::size_t>(fast)] &&
      size >= 1e-3 * others) {
    out.cause = Cause::escape;
    out.component = fast;
    return;
  }
  const int jumped = p.here && p.ahead ? largest_jump(p, jump) : -1;
  if (last.kind == Attempt::Kind::not_converged) {
    const bool adaptive = method.traits().adaptive;
    out.cause = adaptive ? Cause::no_convergence : Cause::step_not_solved;
    out.component = adaptive ? jumped : method.unsolved();
  } else if (p.here && p.ahead && method.looks_stiff()) {
    out.cause = Cause::stiffness;
  } else if (rapid && size * 1e-6 < run.y_largest[static_cast<std::size_t>(fast)] &&
             std::abs(p.f[fast]) * span > 1e3 * run.y_largest[static_cast<std::size_t>(fast)]) {
    out.cause = Cause::singularity;
    out.component = fast;
  } else if (jump > 1e-3) {
    out.cause = Cause::discontinuity;
    out.component = jumped;
  } else if (p.here && p.ahead && !method.traits().adaptive) {
    out.cause = Cause::step_too_large;
  } else {
    out.cause = Cause::bad_value;
    out.component = p.bad >= 0 ? p.bad : method.problem().last_bad_value().component;
  }
}

std::string_view looks_like(Cause cause) {
  switch (cause) {
    case Cause::stiffness:
      return "some part of the motion decays or vibrates much faster than the rest (the problem is "
             "stiff)";
    case Cause::discontinuity:
      return "something jumps here: a force, or what follows time";
    case Cause::singularity:
      return "the rate of change becomes infinite, though the value does not: a division by zero, "
             "or a "
             "root at zero";
    case Cause::escape:
      return "the value grows beyond all limits in finite time: look for a wrong sign or unit";
    case Cause::no_convergence:
      return "the equations of a step could not be solved, however small the step";
    case Cause::bad_value:
      return "a force or equation has no finite value here, or the tolerance is finer than "
             "round-off";
    case Cause::step_too_large:
      return "the step is too long: the equations have a value at its beginning, but not on its "
             "way";
    case Cause::step_not_solved:
      return "the equations of this step could not be solved";
    case Cause::step_limit:
      return "the limit on the number of steps was reached";
    case Cause::none:
      break;
  }
  return "";
}

std::string_view advice(Cause cause) {
  switch (cause) {
    case Cause::stiffness:
      return "use an implicit method: bdf, radau5, esdirk or rosenbrock";
    case Cause::discontinuity:
      return "write the jump with step(), which passes from one value to the other within a short "
             "time";
    case Cause::singularity:
    case Cause::escape:
      return "end the run before this time, or check the model: forces, signs, units";
    case Cause::no_convergence:
      return "look for a jump in forces or tables; try another method or a smaller max_step";
    case Cause::bad_value:
      return "check the model for divisions by zero and functions outside their range; loosen the "
             "tolerance";
    case Cause::step_too_large:
    case Cause::step_not_solved:
      return "use a smaller step, or a method that chooses its steps";
    case Cause::step_limit:
      return "allow more steps, loosen the tolerance, or use an implicit method";
    case Cause::none:
      return "loosen the tolerance, or allow smaller steps";
  }
  return "";
}

std::string_view id_of(Cause cause, bool out_of_steps) {
  if (out_of_steps) return "limit.steps";
  switch (cause) {
    case Cause::stiffness:
      return "numeric.stiff";
    case Cause::discontinuity:
      return "numeric.discontinuity";
    case Cause::singularity:
      return "numeric.singularity";
    case Cause::escape:
      return "numeric.escape";
    case Cause::no_convergence:
    case Cause::step_not_solved:
      return "numeric.no-convergence";
    case Cause::bad_value:
      return "numeric.not-finite";
    case Cause::step_too_large:
      return "numeric.step-too-large";
    case Cause::step_limit:
    case Cause::none:
      break;
  }
  return "numeric.step-too-small";
}

}  // namespace

Failure diagnose(Method& method, const Attempt& last, double h, const RunSoFar& run) {
  Failure out;
  out.t = method.time();
  out.h = h;
  if (run.out_of_steps) {
    out.out_of_steps = true;
    double jump = 0;
    const Probe p = probe(method, h);
    const int jumped = p.here && p.ahead ? largest_jump(p, jump) : -1;
    out.cause = method.looks_stiff() ? Cause::stiffness : Cause::step_limit;
    if (out.cause == Cause::step_limit && jump > 0.5) {
      out.cause = Cause::discontinuity;
      out.component = jumped;
    }
  } else {
    classify(out, method, last, run);
  }
  const std::string where =
      out.component < 0
          ? std::string()
          : fmt::format(", component {}", method.problem().component_name(out.component));
  out.text = fmt::format("{} cannot go on at t = {:.10g} with step {:.3g}{}: {}",
                         method.traits().name,
                         out.t,
                         h,
                         where,
                         looks_like(out.cause));
  const std::string why =
      last.kind == Attempt::Kind::not_converged ? method.trouble() : std::string();
  if (!why.empty()) out.text += "; " + why;
  return out;
}

Diagnostic to_diagnostic(const Failure& failure) {
  Diagnostic d;
  d.id = id_of(failure.cause, failure.out_of_steps);
  d.found = failure.text;
  d.hint = advice(failure.cause);
  d.t = failure.t;
  d.h = failure.h;
  return d;
}

}  // namespace cardan
