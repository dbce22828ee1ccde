// What a run is integrated with when nothing was asked for. Rules, in their order:
//   events (stops, contacts, dry friction)    one-step methods, which start again at no cost
//   decaying parts far faster than the span   an implicit integrator
//   tolerance                                 order 5 down to rtol 1e-7, order 8 below
// The formulation is "projected". Redundant equations are dropped.
#include "cardan/formulation/choice.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/formulation.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/singular/crossing.h"
#include "cardan/math/elementary.h"
#include "cardan/system/topology.h"

namespace cardan {

namespace {

constexpr double many_decays = 3e4;  // decay rate times span from which explicit steps cost more
constexpr double tight = 1e-7;       // rtol from which order 8 pays
constexpr double held_down = 0.3;    // of the stability limit: steps that it holds down
constexpr double still_pays = 2000;  // explicit steps at that limit that would still be left
constexpr double usual_limit = 3;    // of stability, where a method tells none
constexpr int passes = 12;           // of the power iteration
constexpr double small = 1e-6;       // of the mechanism's size: displacement for differences

// x -> (a_q x_q + a_v x_v) on the tangents at one state, by central differences.
class Linearised {
 public:
  Linearised(const System& system, const std::vector<char>& active, const State& state)
      : motion_(system, active), state_(state), plus_(system), minus_(system) {
    motion_.use_states(state.z);
    motion_.use_inputs(state.u);
    for (int k = 0; k < system.friction().count(); ++k)  // Coulomb's friction decays at no rate
      if (system.friction().element(k).law.sticks())
        motion_.work().mode[system.friction_modes() + static_cast<std::size_t>(k)] = Sliding::open;
    ok_ = motion_.linearise(state.t, state.q) == Eval::ok && motion_.dependent() == 0;
  }

  // (dq, dv) -> (dv, da); scale: largest displacement that is linear enough
  bool apply(Eigen::VectorXd& dq, Eigen::VectorXd& dv, double scale) {
    if (!ok_) return false;
    const Eigen::VectorXd dq_in = dq * scale, dv_in = dv * scale;
    if (!at(1, dq_in, dv_in, plus_) || !at(-1, dq_in, dv_in, minus_)) return false;
    dq = dv;
    dv = (as_vector(CView(plus_.a)) - as_vector(CView(minus_.a))) / (2 * scale);
    return tangent(dq) && tangent(dv);
  }

  bool accelerations(Eigen::VectorXd& a) {
    if (!ok_) return false;
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(a.size());
    if (!at(1, zero, zero, plus_)) return false;
    a = as_vector(CView(plus_.a));
    return a.allFinite();
  }

  bool tangent(Eigen::VectorXd& d) {
    if (motion_.linearise(state_.t, state_.q) != Eval::ok) return false;
    motion_.project_increment({d.data(), static_cast<std::size_t>(d.size())});
    return d.allFinite();
  }

 private:
  bool at(double sign, const Eigen::VectorXd& dq, const Eigen::VectorXd& dv, EvaluatedState& out) {
    Eigen::VectorXd d = sign * dq;
    motion_.system().advance(state_.q, {d.data(), static_cast<std::size_t>(d.size())}, out.q);
    as_vector(View(out.v)) = as_vector(CView(state_.v)) + sign * dv;
    return motion_.accelerations(state_.t, out.q, out.v, out.a, out.lambda) == Eval::ok;
  }

  MotionSolver motion_;
  const State& state_;
  EvaluatedState plus_, minus_;
  bool ok_ = false;
};

std::string reason(const SelectionCriteria& g, bool stiff) {
  std::string text = fmt::format("{} freedom{}, {} equation{}",
                                 g.freedoms,
                                 g.freedoms == 1 ? "" : "s",
                                 g.equations,
                                 g.equations == 1 ? "" : "s");
  if (g.redundant > 0) text += fmt::format(", {} of them redundant", g.redundant);
  if (stiff)
    return text +
           fmt::format("; stiff: decay rate {:.2g} 1/s over {:.3g} s", g.fastest.rate, g.span);
  text += "; not stiff at the start";
  if (g.events) return text + "; events";
  return text + fmt::format("; rtol {:.0e}", g.rtol);
}

// Of A on the space of u and A u, from A A u = a A u + b u with the least error: the roots of
// x^2 = a x + b of largest size, or where u and A u are parallel, their ratio.
std::complex<double> eigenvalue_of(const Eigen::VectorXd& u,
                                   const Eigen::VectorXd& Au,
                                   const Eigen::VectorXd& AAu) {
  const double uu = u.dot(u), uv = u.dot(Au), vv = Au.dot(Au);
  const double parallel = uu * vv - uv * uv;
  if (!(parallel > 1e-12 * uu * vv)) return vv > 0 ? Au.dot(AAu) / vv : 0;
  const double uw = u.dot(AAu), vw = Au.dot(AAu);
  const double a = (uu * vw - uv * uw) / parallel, b = (vv * uw - uv * vw) / parallel;
  const std::complex<double> root = std::sqrt(std::complex<double>(a * a / 4 + b));
  const std::complex<double> one = a / 2 + root, two = a / 2 - root;
  return std::abs(one) >= std::abs(two) ? one : two;
}

}  // namespace

DominantRate fastest_rate(const System& system,
                          const std::vector<char>& active,
                          const State& state) {
  Linearised map(system, active, state);
  const Eigen::Index n = system.v_size();
  Eigen::VectorXd dq = Eigen::VectorXd::Zero(n), dv(n);
  for (Eigen::Index k = 0; k < n; ++k)
    dv[k] = 1 + 0.3 * elementary::sin(1.0 + 2.3 * static_cast<double>(k));
  if (n == 0 || !map.tangent(dv) || !(dv.norm() > 0)) return {};
  DominantRate found;
  double before = 1;
  Eigen::VectorXd earlier;  // the direction before, of length one
  for (int pass = 0; pass < passes; ++pass) {
    const double size = elementary::hypot(dq.norm(), dv.norm());
    if (!(size > 0) || !std::isfinite(size)) return found;
    dq /= size;
    dv /= size;
    const Eigen::VectorXd q0 = dq, v0 = dv;
    if (!map.apply(dq, dv, small * system.length())) return found;
    const double growth = elementary::hypot(dq.norm(), dv.norm());
    found.rate = std::sqrt(growth * before);  // pairs of oscillations grow in twos
    found.decays = q0.dot(dq) + v0.dot(dv) < -0.5 * found.rate;
    Eigen::VectorXd now(2 * n), next(2 * n);
    now << q0, v0;
    next << dq, dv;
    if (pass > 0) found.eigenvalue = eigenvalue_of(earlier, before * now, before * next);
    before = growth;
    earlier = std::move(now);
  }
  return found;
}

// x'' = a against x'' = -w^2 x: x grows to a/w^2 and x' to a/w; a speed v to v/w. w belongs to the
// direction of the acceleration or the speed, as stiff parts that do not move have no part in it.
double small_motion(const System& system, const std::vector<char>& active, const State& state) {
  constexpr double round_off = 1e-12;  // of the mechanism's size: nothing moves
  if (system.own() != nullptr || system.v_size() == 0) return 1;
  Linearised map(system, active, state);
  const auto rate = [&](const Eigen::VectorXd& direction) {
    Eigen::VectorXd dq = direction / direction.norm();
    Eigen::VectorXd dv = Eigen::VectorXd::Zero(dq.size());
    return map.apply(dq, dv, small * system.length()) ? std::sqrt(dv.norm()) : 0;
  };
  Eigen::VectorXd a(state.v.size());
  const Eigen::VectorXd v = as_vector(CView(state.v));
  if (!map.accelerations(a)) return 1;
  double way = 0, size = 0;
  for (const Eigen::VectorXd* x : {&v, &std::as_const(a)}) {
    const double most = x->cwiseAbs().maxCoeff();
    if (!(most > 0)) continue;
    const double w = rate(*x);
    if (!(w > 0)) return 1;
    const double speed = x == &v ? most : most / w;
    way = std::max(way, speed / w);
    size = std::max({size, speed, speed / w});
  }
  return way > round_off * system.length() ? std::min(size, 1.0) : 0;
}

namespace {

// Of a stiff mechanism. The formulation in all coordinates has a sparse exact Jacobian, the one in
// independent coordinates a dense one by differences; at the same tolerance radau5 is far more exact
// than bdf.
void choose_stiff(DynamicOptions& o) {
  if (o.formulation == "auto") o.formulation = "projected";
  if (o.integrator == "auto") o.integrator = "radau5";
}

}  // namespace

void choose(const SelectionCriteria& grounds, DynamicOptions& o) {
  const FormulationEntry* entry = find_formulation(o.formulation);
  if (entry != nullptr && entry->built_in_integrator) {
    if (o.integrator == "auto" && !entry->integrators.empty())
      o.integrator = entry->integrators.front();
    return;
  }
  if (grounds.stiff()) return choose_stiff(o);
  if (o.formulation == "auto") o.formulation = "projected";
  if (o.integrator == "auto") o.integrator = o.rtol > tight ? "ode45" : "dop853";
}

bool SelectionCriteria::stiff() const {
  return fastest.decays && fastest.rate * span > many_decays;
}

namespace {

// Formulations that are methods of their own take no integrator: one that is named is left out, and
// told.
std::optional<Diagnostic> own_method(DynamicOptions& options) {
  const FormulationEntry* entry = find_formulation(options.formulation);
  if (entry == nullptr || !entry->built_in_integrator || !entry->integrators.empty() ||
      options.integrator == options.formulation)
    return {};
  Diagnostic d;
  d.id = "numeric.own-method";
  d.severity = Severity::note;
  d.where = options.integrator_where.line > 0 ? options.integrator_where : options.where;
  d.found = fmt::format("integrator \"{}\" with formulation \"{}\", which is a method of its own",
                        options.integrator,
                        options.formulation);
  d.expected = "integrator = \"auto\": the one named is not used";
  options.integrator = "auto";
  return d;
}

// Only loops can come to a singular pose; a driver on a joint is none.
bool has_loops(const System& system) {
  const Topology& topology = system.topology();
  const auto loop = [](const Topology::Closure& c) {
    return c.path.size() > 1;
  };
  const auto first = topology.closures.begin();
  return std::any_of(first, first + topology.permanent, loop);
}

// What a formulation that is not made for singular poses tells before it starts.
std::optional<Diagnostic> may_stop(const System& system, const DynamicOptions& options) {
  const FormulationEntry* entry = find_formulation(options.formulation);
  if (entry == nullptr || entry->passes || !has_loops(system)) return {};
  Diagnostic d;
  d.id = "numeric.not-for-singular-poses";
  d.severity = Severity::note;
  d.where = options.formulation_where.line > 0 ? options.formulation_where : options.where;
  d.found = fmt::format("formulation \"{}\" for a mechanism with loops", options.formulation);
  d.expected = "no singular pose on the way: this formulation may end there, and says so";
  d.hint = "formulation \"projected\", \"partitioned\" and others pass them";
  return d;
}

}  // namespace

std::optional<Diagnostic> choose_automatically(const System& system,
                                               const std::vector<char>& active,
                                               const State& start,
                                               DynamicOptions& options) {
  if (options.formulation != "auto" && options.integrator != "auto") {
    auto told = own_method(options);
    return told ? told : may_stop(system, options);
  }
  SelectionCriteria g;
  const auto kept =
      static_cast<int>(std::count(active.begin(), active.begin() + system.joint_rows(), 1));
  g.equations = system.joint_rows();
  g.redundant = g.equations - kept;
  g.freedoms = system.v_size() - kept;
  g.span = std::abs(options.until - start.t);
  g.rtol = options.rtol;
  g.events =
      !system.limits().empty() || !system.conditions().empty() || system.friction().any_sticks();
  g.fastest = fastest_rate(system, active, start);
  choose(g, options);
  Diagnostic d;
  d.id = "numeric.auto-choice";
  d.severity = Severity::note;
  d.where = options.where;
  d.found = fmt::format("chosen: {} with {} ({})",
                        options.formulation,
                        options.integrator == "auto" ? "its own method" : options.integrator,
                        reason(g, g.stiff()));
  if (const auto told = may_stop(system, options)) d.hint = told->found + ": " + told->hint;
  return d;
}

std::optional<Diagnostic> change_over(const System& system,
                                      const std::vector<char>& active,
                                      const State& state,
                                      double h,
                                      const Traits& explicit_method,
                                      const Freedom& freedom,
                                      DynamicOptions& options) {
  const DominantRate fastest = fastest_rate(system, active, state);
  const double left = std::abs(options.until - state.t);
  const double limit = explicit_method.real_limit > 0 ? explicit_method.real_limit : usual_limit;
  if (!fastest.decays || fastest.rate * std::abs(h) < held_down * limit ||
      fastest.rate * left < still_pays * limit)
    return {};
  const std::string before = options.integrator;
  if (freedom.formulation) options.formulation = "auto";
  if (freedom.integrator) options.integrator = "auto";
  choose_stiff(options);
  Diagnostic d;
  d.id = "numeric.change-over";
  d.severity = Severity::note;
  d.where = options.where;
  d.t = state.t;
  d.h = h;
  d.found = fmt::format(
      "from here on {} with {}: the motion has become stiff (decay rate {:.2g} 1/s), and {} could "
      "take steps of {:.2g} s only",
      options.formulation,
      options.integrator,
      fastest.rate,
      before,
      std::abs(h));
  return d;
}

}  // namespace cardan
