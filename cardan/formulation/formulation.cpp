#include "cardan/formulation/formulation.h"

#include <algorithm>

#include "cardan/formulation/makers.h"
#include "cardan/formulation/method_settings.h"
#include "cardan/formulation/option_table.h"
#include "cardan/formulation/singular/balanced_multipliers.h"
#include "cardan/ode/archive_lists.h"
#include "cardan/ode/registry.h"

namespace cardan {

const std::vector<FormulationEntry>& formulations() {
  static const std::vector<FormulationEntry> table{
      {.name = "direct",
       .summary = "index-1 accelerations as they are; the constraint error is watched",
       .make = make_direct,
       .second_order = true,
       .rolls = true,
       .passes = false},
      {.name = "baumgarte",
       .summary = "index-1 accelerations with feedback of the constraint error",
       .make = make_baumgarte,
       .second_order = true,
       .rolls = true,
       .passes = false},
      {.name = "partitioned",
       .summary = "independent coordinates integrated, dependent ones solved for",
       .make = make_partitioned},
      {.name = "hybrid",
       .summary = "all coordinates with feedback, corrected when the constraint error needs it",
       .make = make_hybrid},
      {.name = "projected",
       .summary = "index-1 accelerations, projected onto the constraints after every step",
       .make = make_projected,
       .second_order = true,
       .rolls = true},
      {.name = "tangent-svd",
       .summary = "coordinates in a tangent plane found by singular values",
       .make = make_tangent_svd},
      {.name = "tangent-qr",
       .summary = "coordinates in a tangent plane found by QR",
       .make = make_tangent_qr},
      {.name = "null-space",
       .summary = "velocities in a differentiable null space by Gram-Schmidt",
       .make = make_null_space},
      {.name = "reduced",
       .summary = "inputs alone, all bodies found from them group by group in every evaluation",
       .make = make_reduced},
      {.name = "half-explicit",
       .summary = "half-explicit Runge-Kutta method of order 5",
       .make = make_half_explicit,
       .built_in_integrator = true},
      {.name = "rattle",
       .summary = "symplectic method of order 2, 4 or 6 for conservative systems",
       .make = make_rattle,
       .built_in_integrator = true,
       .carries_states = false,
       .passes = false},
      {.name = "state-space",
       .summary = "independent coordinates by implicit formulas, exact Jacobians",
       .make = make_state_space,
       .built_in_integrator = true,
       .passes = false,
       .integrators = {"bdf", "esdirk", "sdirk", "rosenbrock", "newmark", "trapezoidal"}},
      {.name = "index3",
       .summary = "index-3 equations with Newmark's family, implicit",
       .make = make_index3,
       .built_in_integrator = true,
       .rolls = true,
       .passes = false,
       .integrators = {"generalized-alpha", "hht", "newmark"}},
      {.name = "ggl",
       .summary = "stabilised index-2 equations (Gear, Gupta, Leimkuhler), implicit",
       .make = make_ggl,
       .built_in_integrator = true,
       .rolls = true,
       .passes = false,
       .integrators = {"bdf", "radau5"}},
      {.name = "extra-multipliers",
       .summary = "index-1 equations with two further multipliers, implicit",
       .make = make_extra_multipliers,
       .built_in_integrator = true,
       .rolls = true,
       .passes = false,
       .integrators = {"bdf"}},
      {.name = "overdetermined",
       .summary =
           "all constraints without further multipliers, solved along the tangents, implicit",
       .make = make_overdetermined,
       .built_in_integrator = true,
       .rolls = true,
       .passes = false,
       .integrators = {"bdf"}},
      {.name = "haug-yen",
       .summary = "formulas for independent coordinates, one augmented system, implicit",
       .make = make_haug_yen,
       .built_in_integrator = true,
       .passes = false,
       .integrators = {"bdf"}},
      {.name = "coordinate-splitting",
       .summary = "index-2 equations with the multipliers eliminated, implicit",
       .make = make_coordinate_splitting,
       .built_in_integrator = true,
       .rolls = true,
       .passes = false,
       .integrators = {"bdf"}},
  };
  return table;
}

const FormulationEntry* find_formulation(std::string_view name) {
  const auto& table = formulations();
  const auto found = std::find_if(
      table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

namespace {

template <class Wanted> std::string names_of(Wanted wanted) {
  std::string all;
  for (const auto& entry : formulations())
    if (wanted(entry)) all += (all.empty() ? "" : ", ") + std::string(entry.name);
  return all;
}

Diagnostic unknown(const DynamicOptions& options) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.formulation_where.line > 0 ? options.formulation_where : options.where;
  d.found = "formulation \"" + options.formulation + "\"";
  d.expected = "auto, " + names_of([](const auto&) { return true; });
  std::vector<std::string> names{"auto"};
  for (const auto& entry : formulations()) names.emplace_back(entry.name);
  const std::string near = nearest_name(options.formulation, names);
  if (!near.empty()) d.hint = "did you mean \"" + near + "\"?";
  return d;
}

// An integrator in positions and velocities needs a formulation that has them.
std::optional<Diagnostic> mismatch(const FormulationEntry& entry, const DynamicOptions& options) {
  const MethodEntry* method = find_method(options.integrator);
  if (method == nullptr || entry.second_order || entry.built_in_integrator) return {};
  if (!method->traits({}).second_order) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.integrator_where.line > 0 ? options.integrator_where : options.where;
  d.found =
      "integrator \"" + options.integrator + "\" with formulation \"" + options.formulation + "\"";
  d.expected = "an integrator of first-order equations, or one of the formulations " +
               names_of([](const auto& other) { return other.second_order; });
  return d;
}

// A formulation that brings methods of its own names takes no others.
std::optional<Diagnostic> not_among(const FormulationEntry& entry, const DynamicOptions& options) {
  const auto& own = entry.integrators;
  if (own.empty() || std::find(own.begin(), own.end(), options.integrator) != own.end()) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.integrator_where.line > 0 ? options.integrator_where : options.where;
  d.found =
      "integrator \"" + options.integrator + "\" with formulation \"" + options.formulation + "\"";
  for (const auto& name : own) d.expected += (d.expected.empty() ? "" : ", ") + std::string(name);
  return d;
}

// Rolling: the first equation at velocity level, by name.
std::optional<Diagnostic> cannot_roll(const FormulationEntry& entry,
                                      const FormulationSetting& setting) {
  const Equations& equations = setting.system.equations();
  const int joints = setting.system.joint_rows();
  int row = 0;
  while (row < joints && !equations.at_velocity_level(row)) ++row;
  if (entry.rolls || row == joints) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  const DynamicOptions& options = setting.options;
  d.where = options.formulation_where.line > 0 ? options.formulation_where : options.where;
  d.found = "formulation \"" + options.formulation +
            "\" for a mechanism that rolls: " + setting.system.equation_label(row);
  d.expected = names_of([](const auto& other) { return other.rolls; });
  d.hint = "rolling without slip restricts velocities, but not positions";
  return d;
}

// What sticks is an equation of velocities alone, or a force that explicit formulations find in each
// evaluation. Implicit ones in independent coordinates have neither.
bool holds_friction(const FormulationEntry& entry) {
  return entry.rolls || entry.integrators.empty();
}

// Formulations whose forces read no multipliers, as all friction does.
constexpr std::string_view without_friction[] = {"coordinate-splitting", "rattle"};

bool takes_friction(const FormulationEntry& entry) {
  return std::find(std::begin(without_friction), std::end(without_friction), entry.name) ==
         std::end(without_friction);
}

std::optional<Diagnostic> cannot_rub(const FormulationEntry& entry,
                                     const FormulationSetting& setting) {
  const FrictionSet& set = setting.system.friction();
  int k = 0;
  while (k < set.count() && !set.element(k).law.sticks()) ++k;
  const bool sticks = k < set.count();
  const auto serves = [&](const FormulationEntry& other) {
    return takes_friction(other) && (!sticks || holds_friction(other));
  };
  if (set.count() == 0 || serves(entry)) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  const DynamicOptions& options = setting.options;
  d.where = options.formulation_where.line > 0 ? options.formulation_where : options.where;
  d.element = setting.system.friction_label(sticks ? k : 0);
  d.found = "formulation \"" + options.formulation + "\" with friction" +
            (takes_friction(entry) ? " that sticks" : ", which depends on the reactions of joints");
  d.expected = names_of(serves);
  if (takes_friction(entry)) d.hint = "friction_law = \"tanh\" works with it too";
  return d;
}

// What a formulation needs where the equations are formulas. All others take them as they are.
enum class Need { bodies, constant_mass };

struct FormulationNeed {
  std::string_view name;
  Need need;
  std::string_view why;
};

constexpr FormulationNeed formulation_needs[] = {
    {"reduced", Need::bodies, "it follows the joints from body to body"},
    {"null-space", Need::constant_mass, "its basis is orthonormal in a mass matrix that stays"},
    {"rattle", Need::constant_mass, "it is symplectic for inertia that depends on no position"},
};

std::optional<Diagnostic> needs_more(const FormulationSetting& setting) {
  if (setting.system.own() == nullptr) return {};
  const DynamicOptions& options = setting.options;
  for (const FormulationNeed& row : formulation_needs) {
    if (row.name != options.formulation) continue;
    if (row.need == Need::constant_mass && setting.system.constant_mass()) return {};
    Diagnostic d;
    d.id = "model.unknown-option";
    d.where = options.formulation_where.line > 0 ? options.formulation_where : options.where;
    d.found = "formulation \"" + options.formulation + "\" for " +
              (row.need == Need::bodies ? "equations of one's own"
                                        : "equations whose mass matrix follows the positions");
    d.expected = names_of([](const auto& other) {
      return std::none_of(std::begin(formulation_needs),
                          std::end(formulation_needs),
                          [&](const auto& r) { return r.name == other.name; });
    });
    d.hint = row.why;
    return d;
  }
  return {};
}

// Methods of positions and velocities alone integrate quadratures behind the motion, and no other
// first-order state.
std::optional<Diagnostic> cannot_carry(const FormulationEntry& entry,
                                       const FormulationSetting& setting) {
  const DynamicOptions& options = setting.options;
  const MethodEntry* method = find_method(options.integrator);
  const bool second_order =
      !entry.built_in_integrator && method != nullptr && method->traits({}).second_order;
  const StateTable::Entry* state = setting.system.states().first_coupled();
  if (state == nullptr || (entry.carries_states && !second_order)) return {};
  Diagnostic d;
  d.id = "model.unknown-option";
  const SourcePos& where = second_order ? options.integrator_where : options.formulation_where;
  d.where = where.line > 0 ? where : options.where;
  d.element = state->label;
  d.found = (second_order ? "integrator \"" + options.integrator
                          : "formulation \"" + options.formulation) +
            "\", which knows positions and velocities only, for a first-order state";
  d.expected = second_order ? "an integrator of first-order equations, such as ode45 or radau5"
                            : names_of([](const auto& other) { return other.carries_states; });
  if (state->quadrature)
    d.hint =
        "nothing depends on this state: with error_control = false it is integrated after each "
        "step";
  return d;
}

}  // namespace

bool Formulation::is_integral(int i) {
  if (!carries_quadratures()) return false;
  const StateTable& states = motion().system().states();
  return states.is_integral(i - (size() - states.size()));
}

void Formulation::balance(BalancedMultipliers& multipliers, State& state) {
  multipliers.balance(motion(), state);
}

void Formulation::use_modes(const std::vector<int>& mode, const std::vector<double>& slide) {
  Workspace& work = motion().work();
  work.mode = mode;
  work.slide = slide;
}

void Formulation::show_modes(State& state) {
  const Workspace& work = motion().work();
  state.mode = work.mode;
  state.slide = work.slide;
  state.u = work.u;
}

void Formulation::rate_states_at(const State& state, View rates) {
  Workspace& work = motion().work();
  const System& system = motion().system();
  system.rotations(state.q, work);
  system.evaluate_requests(state.t, state.q, state.v, work);
  system.state_rates(state.t, state.q, state.v, state.lambda, work, rates);
}

void Formulation::serialize_factors(Archive& archive) {
  std::vector<double> pivots = motion().pivot_state(), place = motion().factor_place();
  const auto time_and_pose = static_cast<std::size_t>(motion().system().q_size()) + 1;
  io_or_none(archive, pivots, time_and_pose);
  io_or_none(archive, place, time_and_pose);
  if (!archive.loading() || !archive.good()) return;
  motion().restore_pivots(pivots);
  motion().factor_again(place);
}

Result<std::unique_ptr<Formulation>> make_formulation(const FormulationSetting& setting) {
  const FormulationEntry* entry = find_formulation(setting.options.formulation);
  if (entry == nullptr) return unknown(setting.options);
  if (auto refused = foreign_options(setting.options)) return *refused;
  if (auto refused = mismatch(*entry, setting.options)) return *refused;
  if (auto refused = foreign_settings(setting.options)) return *refused;
  if (auto refused = not_among(*entry, setting.options)) return *refused;
  if (auto refused = cannot_roll(*entry, setting)) return *refused;
  if (auto refused = cannot_rub(*entry, setting)) return *refused;
  if (auto refused = cannot_carry(*entry, setting)) return *refused;
  if (auto refused = needs_more(setting)) return *refused;
  if (auto refused = coordinate_tolerance_fault(setting.system, setting.options)) return *refused;
  return entry->make(setting);
}

}  // namespace cardan
