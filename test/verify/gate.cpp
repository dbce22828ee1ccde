#include "test/verify/gate.h"

#include <cmath>
#include <ctime>

#include "cardan/formulation/formulation.h"
#include "cardan/ode/registry.h"

namespace cardan::test {

namespace {

constexpr double span = 2, shifted = 1e-6, finest = 1e-8, most_condition = 1e4;
constexpr int rows = 40;

}  // namespace

std::unique_ptr<GateRun> gate_run(const std::string& text,
                                  const Contender& method,
                                  double seconds,
                                  double until) {
  auto out = std::make_unique<GateRun>();
  Model model = model_of(text + fmt::format("[[analysis]]\ntype = \"dynamic\"\nuntil = {}\n"
                                            "output_step = {}\nrtol = 1e-6\natol = 1e-6\n",
                                            until,
                                            until / rows));
  dynamic(model) = with_method(dynamic(model), method);
  const std::clock_t start = std::clock();  // of the processor: others may use it too
  Control control;
  control.cancelled = [&] {
    return out->late = static_cast<double>(std::clock() - start) > seconds * CLOCKS_PER_SEC;
  };
  const Outcome outcome = run_model(model, out->memory, control);
  out->status = outcome.summary.status;
  out->steps = outcome.summary.stats.steps;
  for (const Diagnostic& d : outcome.summary.diagnostics)
    if (d.severity == Severity::error || out->status == "doubtful") out->why = to_text(d);
  return out;
}

double gap(const Memory& a, const Memory& b) {
  double worst = a.rows.size() == b.rows.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < a.channels.size(); ++k)
    if (a.channels[k].quantity == "position")
      for (std::size_t r = 0; r < std::min(a.rows.size(), b.rows.size()); ++r) {
        const double off = std::abs(a.rows[r][k] - b.rows[r][k]);
        if (!(off <= worst)) worst = off;
      }
  return worst;
}

namespace {

// A chain of one to four bars on pins, in half of them with springs and dampers to the ground.
RandomMechanism random_planar_tree(std::uint64_t seed) {
  Random random(seed);
  RandomMechanism out;
  out.kind = "tree";
  out.text = "gravity = [0, -9.81]\n";
  std::vector<Eigen::Vector2d> ends{{0, 0}};
  std::vector<std::string> names{"ground"};
  const int bars = 1 + random.below(4);
  for (int k = 0; k < bars; ++k) {
    const auto from = static_cast<std::size_t>(random.below(static_cast<int>(ends.size())));
    const double angle = random.uniform(-3, 3), length = random.uniform(0.5, 1.5);
    const Eigen::Vector2d to =
        ends[from] + length * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    out.text += fmt::format(
        "[[body]]\nname = \"b{}\"\nfrom = [{}, {}]\nto = [{}, {}]\nmass = {}\n"
        "[[joint]]\ntype = \"revolute\"\nname = \"j{}\"\nbetween = [\"{}\", \"b{}\"]\nat = [{}, "
        "{}]\n",
        k,
        ends[from].x(),
        ends[from].y(),
        to.x(),
        to.y(),
        random.uniform(0.2, 5),
        k,
        names[from],
        k,
        ends[from].x(),
        ends[from].y());
    if (random.below(2) == 0)
      out.text += fmt::format(
          "[[force]]\ntype = \"spring\"\nbetween = [\"ground\", \"b{}\"]\nat = [[{}, 2.5], [{}, "
          "{}]]\nstiffness = {}\ndamping = {}\nfree_length = 1\n",
          k,
          random.uniform(-2, 2),
          to.x(),
          to.y(),
          random.uniform(5, 300),
          random.uniform(0, 5));
    ends.push_back(to);
    names.push_back(fmt::format("b{}", k));
  }
  return out;
}

}  // namespace

RandomMechanism gate_model(std::uint64_t seed) {
  switch (seed % 5) {
    case 0:
      return random_spatial_loop(seed);
    case 1:
      return random_planar_tree(seed);
    default:
      return random_planar_loop(seed);
  }
}

namespace {

std::string with_gravity(std::string text, int pattern) {
  const bool spatial = text.find("gravity = [0, 0, -9.81]") != std::string::npos;
  const std::string usual = spatial ? "[0, 0, -9.81]" : "[0, -9.81]";
  static constexpr const char* planar[] = {
      "[9.81e-6, -9.81]", "[-9.81e-6, -9.81]", "[0, -9.81000981]"};
  static constexpr const char* space[] = {
      "[9.81e-6, 0, -9.81]", "[0, 9.81e-6, -9.81]", "[0, 0, -9.81000981]"};
  return text.replace(text.find(usual), usual.size(), spatial ? space[pattern] : planar[pattern]);
}

}  // namespace

Contender at_tolerance(const char* formulation, const char* integrator, double tolerance) {
  return {formulation, integrator, 0, false, tolerance};
}

std::vector<Contender> gate_methods() {
  ComparisonOptions all;
  all.tolerances = {1e-6};
  for (const FormulationEntry& f : formulations()) all.formulations.emplace_back(f.name);
  for (const MethodEntry* m : list_methods())
    if (m->traits({}).adaptive) all.integrators.emplace_back(m->name);
  DynamicOptions given;
  given.until = span;
  std::vector<Contender> out;
  for (const auto& group : contenders(given, all, span / 200))
    for (const Contender& c : group)
      if (!c.fixed) out.push_back(c);
  return out;
}

namespace {

// Of changes of the initial positions and velocities, by the solution that shares no code.
double growth_of_states(const RandomMechanism& mechanism) {
  std::vector<double> times;
  for (int k = 0; k <= rows; ++k) times.push_back(span * k / rows);
  const auto plain = mechanism.reference.solve(times, 1e-9);
  double worst = plain ? 0 : INFINITY;
  for (int pattern = 0; pattern < 3 && plain; ++pattern) {
    const auto changed = mechanism.reference.solve(times, 1e-9, shifted, pattern);
    if (!changed) return INFINITY;
    for (std::size_t r = 0; r < times.size(); ++r)
      worst = std::max(worst, ((*plain)[r] - (*changed)[r]).cwiseAbs().maxCoeff() / shifted);
  }
  return worst;
}

}  // namespace

GateReference gate_reference(const RandomMechanism& mechanism, bool planar_loop) {
  constexpr double fine = finest / 1000, patience = 10;
  GateReference out;
  auto first = gate_run(mechanism.text, at_tolerance("tangent-qr", "dop853", fine), patience);
  const auto second = gate_run(mechanism.text, at_tolerance("direct", "adams", fine), patience);
  if (first->status != "complete" || second->status != "complete") return out;
  out.agreement = gap(first->memory, second->memory);
  for (int pattern = 0; pattern < 3; ++pattern) {
    const auto changed = gate_run(with_gravity(mechanism.text, pattern),
                                  at_tolerance("tangent-qr", "dop853", 1e-10),
                                  patience);
    if (changed->status != "complete") return out;
    out.condition = std::max(out.condition, gap(first->memory, changed->memory) / shifted);
  }
  if (planar_loop) out.condition = std::max(out.condition, growth_of_states(mechanism));
  out.condition = std::max(out.condition, 1.0);
  if (out.condition <= most_condition) out.run = std::move(first);
  return out;
}

}  // namespace cardan::test
