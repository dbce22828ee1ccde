#include "cardan/model/analysis_type.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "cardan/model/key_parts.h"

namespace cardan {

namespace {

using key_parts::number_key;
using key_parts::simple_key;

// A field of the option structure that holds the key's value.
template <class Options, class T>
OptionField field(KeySpec key, T Options::*member, SourcePos Options::*place = nullptr) {
  using Stored = std::conditional_t<std::is_same_v<T, int>, long, T>;
  OptionField out{
      std::move(key), std::is_same_v<T, int> ? 1'000'000'000 : 1'000'000'000'000'000, {}, {}};
  out.get = [member](const Analysis& a) -> OptionValue {
    return static_cast<Stored>(std::get<Options>(a).*member);
  };
  out.set = [member, place](Analysis& a, const OptionValue& value, const SourcePos& where) {
    auto& options = std::get<Options>(a);
    options.*member = static_cast<T>(std::get<Stored>(value));
    if (place != nullptr) options.*place = where;
  };
  return out;
}

template <class T> OptionField setting(KeySpec key, T IntegratorSettings::*member) {
  OptionField out{std::move(key), 0, {}, {}};
  out.get = [member](const Analysis& a) -> OptionValue {
    return std::get<DynamicOptions>(a).integrator_settings.*member;
  };
  out.set = [member](Analysis& a, const OptionValue& value, const SourcePos&) {
    std::get<DynamicOptions>(a).integrator_settings.*member = std::get<T>(value);
  };
  return out;
}

template <class Options> Analysis make() {
  return Options{};
}

AnalysisType assembly_type() {
  return {"assembly",
          "Puts the mechanism together.",
          "assemble",
          {field(number_key("tolerance",
                            dimension::none,
                            "1e-12",
                            "on the gaps, relative to the mechanism's size",
                            Range::positive),
                 &AssemblyOptions::tolerance),
           field(KeySpec{.name = "max_iterations",
                         .kind = ValueKind::integer,
                         .otherwise = "200",
                         .doc = "iterations allowed",
                         .range = Range::positive},
                 &AssemblyOptions::max_iterations)},
          make<AssemblyOptions>};
}

KeySpec until_key() {
  return number_key("until", dimension::time, "", "end time", Range::positive);
}

KeySpec output_step_key() {
  return number_key("output_step",
                    dimension::time,
                    "a 200th of `until`",
                    "time between stored rows",
                    Range::positive);
}

KeySpec sensitivity_key() {
  return simple_key("sensitivity",
                    ValueKind::names,
                    "none",
                    "parameters by which every result is derived, names from [parameters]");
}

AnalysisType kinematic_type() {
  return {"kinematic",
          "Follows the motion that the drivers determine.",
          "kinematic",
          {field(until_key(), &KinematicOptions::until),
           field(output_step_key(), &KinematicOptions::output_step),
           field(sensitivity_key(), &KinematicOptions::sensitivity),
           field(simple_key("range",
                            ValueKind::boolean,
                            "false",
                            "instead of following time, sweep each driver both ways to its limits, "
                            "the others standing still"),
                 &KinematicOptions::range)},
          make<KinematicOptions>};
}

AnalysisType inverse_type() {
  return {"inverse",
          "Finds the forces that the driven motion needs.",
          "inverse",
          {field(until_key(), &InverseOptions::until),
           field(output_step_key(), &InverseOptions::output_step),
           field(sensitivity_key(), &InverseOptions::sensitivity)},
          make<InverseOptions>};
}

KeySpec order_key() {
  return {.name = "order",
          .kind = ValueKind::integer,
          .otherwise = "the method's own",
          .doc = "order of the method",
          .range = Range::positive};
}

KeySpec step_key() {
  return number_key(
      "step", dimension::time, "none", "step of a fixed-step method", Range::positive);
}

KeySpec word_key(std::string_view name,
                 std::string_view doc,
                 std::vector<std::string_view> choices) {
  return {.name = name,
          .kind = ValueKind::choice,
          .otherwise = "the method's own",
          .doc = doc,
          .choices = std::move(choices)};
}

std::vector<OptionField> integrator_fields() {
  using S = IntegratorSettings;
  const auto number = [](std::string_view name, std::string_view usual, std::string_view doc) {
    return number_key(name, dimension::none, usual, doc, Range::any);
  };
  return {
      field(order_key(), &DynamicOptions::order),
      field(step_key(), &DynamicOptions::step),
      setting(number("alpha",
                     "3/4; -0.1",
                     "rk2: weight of the second stage, which lies at h/(2 alpha); hht: damping, "
                     "-1/3 to 0"),
              &S::alpha),
      setting(
          number(
              "beta", "(gamma + 1/2)^2 / 4", "newmark: share of the new acceleration in positions"),
          &S::beta),
      setting(number("gamma", "1/2", "newmark: share of the new acceleration in velocities"),
              &S::gamma),
      setting(number("rho_infinity",
                     "0.8",
                     "generalized-alpha: what is left of fast parts in a step, 0 to 1"),
              &S::rho_infinity),
      setting(word_key("start",
                       "ab, am, pece, ampc, mampc, bdf-fixed: how the first steps are found",
                       {"accurate", "self", "small-steps"}),
              &S::start),
      setting(
          word_key("variant",
                   "pece: text or print; mampc: weighted or direct; bdf: bdf or ndf; ode23, ode45: "
                   "own or notes, the step rules of MATLAB's codes",
                   {"text", "print", "weighted", "direct", "bdf", "ndf", "own", "notes"}),
          &S::variant)};
}

KeySpec rows_key() {
  return KeySpec{.name = "rows",
                 .kind = ValueKind::choice,
                 .otherwise = "`grid` where `output_step` is given, else `both`",
                 .doc =
                     "rows that are stored: grid, every `output_step` (200 in all without it); "
                     "steps, where the solver steps; or both",
                 .choices = {"auto", "grid", "steps", "both"}};
}

KeySpec max_rows_key() {
  return KeySpec{.name = "max_rows",
                 .kind = ValueKind::integer,
                 .otherwise = "100000",
                 .doc = "rows beyond the grid are thinned out to keep to it",
                 .range = Range::positive};
}

KeySpec max_steps_key() {
  return KeySpec{.name = "max_steps",
                 .kind = ValueKind::integer,
                 .otherwise = "100000000",
                 .doc = "steps allowed",
                 .range = Range::positive};
}

KeySpec jacobian_key() {
  return KeySpec{.name = "jacobian",
                 .kind = ValueKind::choice,
                 .otherwise = "exact",
                 .doc = "state-space: the matrix of Newton's method, fv with terms neglected",
                 .choices = {"exact", "fv"}};
}

KeySpec predictor_key() {
  return KeySpec{.name = "predictor",
                 .kind = ValueKind::choice,
                 .otherwise = "best",
                 .doc = "state-space with newmark: where Newton's method starts",
                 .choices = {"best", "paper", "previous", "zero"}};
}

KeySpec newton_iterations_key() {
  return KeySpec{.name = "newton_iterations",
                 .kind = ValueKind::integer,
                 .otherwise = "the method's own",
                 .doc = "iterations of Newton's method allowed in a step",
                 .range = Range::positive};
}

AnalysisType dynamic_type() {
  return {
      "dynamic",
      "Simulates the motion.",
      "dynamic",
      {field(until_key(), &DynamicOptions::until),
       field(number_key("output_step",
                        dimension::time,
                        "rows follow the motion",
                        "time between rows of a fixed grid",
                        Range::positive),
             &DynamicOptions::output_step),
       field(rows_key(), &DynamicOptions::rows),
       field(max_rows_key(), &DynamicOptions::max_rows),
       field(simple_key(
                 "formulation", ValueKind::text, "auto", "how the equations of motion are treated"),
             &DynamicOptions::formulation,
             &DynamicOptions::formulation_where),
       field(simple_key("integrator",
                        ValueKind::text,
                        "auto",
                        "integration method, or a table of its options"),
             &DynamicOptions::integrator,
             &DynamicOptions::integrator_where),
       field(order_key(), &DynamicOptions::order),
       field(step_key(), &DynamicOptions::step),
       field(number_key("rtol", dimension::none, "1e-6", "relative tolerance", Range::positive),
             &DynamicOptions::rtol),
       field(number_key("atol",
                        dimension::none,
                        "1e-2 of `rtol`, less where the motion is small",
                        "absolute tolerance",
                        Range::positive),
             &DynamicOptions::atol),
       field(simple_key("atol_each",
                        ValueKind::names,
                        "none",
                        "absolute tolerances of single components instead: \"positions = 1e-9\", "
                        "\"velocities = 1e-6\", \"slider.x = 1 um\", \"slider.omega = 1e-4\""),
             &DynamicOptions::atol_each),
       field(simple_key("norm_control",
                        ValueKind::boolean,
                        "false",
                        "measure errors by the size of the whole motion, not of each component"),
             &DynamicOptions::norm_control),
       field(number_key("max_step",
                        dimension::time,
                        "no limit; a 200th of the run where something may be short",
                        "largest step",
                        Range::positive),
             &DynamicOptions::max_step),
       field(number_key("min_step",
                        dimension::time,
                        "round-off of time",
                        "smallest step; where it would not do, the run ends",
                        Range::positive),
             &DynamicOptions::min_step),
       field(max_steps_key(), &DynamicOptions::max_steps),
       field(simple_key("error_estimate",
                        ValueKind::boolean,
                        "false",
                        "estimate the error of every sample by a second, finer run"),
             &DynamicOptions::error_estimate),
       field(number_key("max_drift",
                        dimension::length,
                        "a share of the mechanism's size",
                        "direct, baumgarte: violation of constraints that ends the run",
                        Range::positive),
             &DynamicOptions::max_drift),
       field(number_key("constraint_tolerance",
                        dimension::length,
                        "from `rtol` and the mechanism's size",
                        "hybrid: violation of constraints that is corrected",
                        Range::positive),
             &DynamicOptions::constraint_tolerance),
       field(number_key("alpha",
                        dimension::rate,
                        "chosen",
                        "baumgarte, hybrid: half the damping of the constraint error",
                        Range::positive),
             &DynamicOptions::alpha),
       field(number_key("beta",
                        dimension::rate,
                        "`alpha`",
                        "baumgarte, hybrid: root of the stiffness of the constraint error",
                        Range::positive),
             &DynamicOptions::beta),
       field(number_key("zeta",
                        dimension::none,
                        "1",
                        "instead of `alpha` and `beta`: damping ratio of the constraint error",
                        Range::positive),
             &DynamicOptions::zeta),
       field(number_key("omega",
                        dimension::rate,
                        "chosen",
                        "instead of `alpha` and `beta`: frequency of the constraint error",
                        Range::positive),
             &DynamicOptions::omega),
       field(simple_key("gains",
                        ValueKind::text,
                        "stability",
                        "how `alpha` is chosen: stability or ostermeyer"),
             &DynamicOptions::gains),
       field(number_key("safety",
                        dimension::none,
                        "0.5",
                        "share of the integrator's stability limit used for `alpha`",
                        Range::positive),
             &DynamicOptions::safety),
       field(simple_key("stabilization",
                        ValueKind::text,
                        "classic",
                        "of baumgarte: classic, adaptive, penalty, gradient or feedback"),
             &DynamicOptions::stabilization),
       field(jacobian_key(), &DynamicOptions::jacobian),
       field(predictor_key(), &DynamicOptions::predictor),
       field(
           number_key("newton_tolerance",
                      dimension::none,
                      "1e-8 with a given step, otherwise from `rtol` and `atol`",
                      "largest last correction of Newton's method, relative to 1 + |acceleration|",
                      Range::positive),
           &DynamicOptions::newton_tolerance),
       field(newton_iterations_key(), &DynamicOptions::newton_iterations),
       field(simple_key("independent",
                        ValueKind::names,
                        "chosen",
                        "partitioned, hybrid, state-space, haug-yen: coordinates that are "
                        "independent at the start, one for each degree of freedom: "
                        "\"crank.angle\""),
             &DynamicOptions::independent),
       field(sensitivity_key(), &DynamicOptions::sensitivity)},
      make<DynamicOptions>,
      integrator_fields()};
}

AnalysisType linearise_type() {
  return {"linearise",
          "Linearises the motion about the state it starts from.",
          "linearise",
          {field(simple_key("inputs",
                            ValueKind::names,
                            "none",
                            "columns of B and D: names of inputs, drivers and forces"),
                 &LineariseOptions::inputs),
           field(simple_key("outputs",
                            ValueKind::names,
                            "none",
                            "rows of C and D: names of channels, * and ? for any"),
                 &LineariseOptions::outputs),
           field(KeySpec{.name = "frequencies",
                         .kind = ValueKind::numbers,
                         .otherwise = "none",
                         .doc = "of the frequency response, in Hz",
                         .range = Range::not_negative},
                 &LineariseOptions::frequencies),
           field(KeySpec{.name = "times",
                         .kind = ValueKind::numbers,
                         .otherwise = "where it starts",
                         .doc = "in s: the motion is followed, and linearised at each of them",
                         .range = Range::not_negative},
                 &LineariseOptions::times),
           field(number_key("rtol",
                            dimension::none,
                            "1e-6",
                            "relative tolerance of that motion",
                            Range::positive),
                 &LineariseOptions::rtol),
           field(number_key("atol",
                            dimension::none,
                            "1e-2 of `rtol`",
                            "absolute tolerance of that motion",
                            Range::positive),
                 &LineariseOptions::atol),
           field(simple_key("locus",
                            ValueKind::text,
                            "none",
                            "\"parameter = from:step:to\": eigenvalues over a parameter of "
                            "[parameters], each followed from value to value"),
                 &LineariseOptions::locus),
           field(sensitivity_key(), &LineariseOptions::sensitivity)},
          make<LineariseOptions>};
}

AnalysisType equilibrium_type() {
  return {"equilibrium",
          "Finds where all forces balance.",
          "equilibrium",
          {field(KeySpec{.name = "method",
                         .kind = ValueKind::choice,
                         .otherwise = "auto",
                         .doc = "how it is searched for",
                         .choices = {"auto", "newton", "energy", "dfp", "settling"}},
                 &EquilibriumOptions::method),
           field(simple_key("all",
                            ValueKind::boolean,
                            "false",
                            "look for further equilibria, unstable ones too, from many starts"),
                 &EquilibriumOptions::all),
           field(number_key("tolerance",
                            dimension::none,
                            "1e-11",
                            "on forces that are left, relative to the largest",
                            Range::positive),
                 &EquilibriumOptions::tolerance),
           field(KeySpec{.name = "max_iterations",
                         .kind = ValueKind::integer,
                         .otherwise = "2000",
                         .doc = "iterations allowed",
                         .range = Range::positive},
                 &EquilibriumOptions::max_iterations),
           field(sensitivity_key(), &EquilibriumOptions::sensitivity),
           field(simple_key("solve_for",
                            ValueKind::text,
                            "none",
                            "\"element.setting\" of a force or driver: the number of it that makes "
                            "the assembled pose the equilibrium"),
                 &EquilibriumOptions::solve_for)},
          make<EquilibriumOptions>};
}

}  // namespace

const OptionField* AnalysisType::field(std::string_view key) const {
  const auto found = std::find_if(
      fields.begin(), fields.end(), [&](const OptionField& f) { return f.key.name == key; });
  return found == fields.end() ? nullptr : &*found;
}

const std::vector<AnalysisType>& analysis_types() {
  static const std::vector<AnalysisType> all{assembly_type(),
                                             kinematic_type(),
                                             inverse_type(),
                                             dynamic_type(),
                                             linearise_type(),
                                             equilibrium_type()};
  return all;
}

const AnalysisType* find_analysis(std::string_view name) {
  const auto& all = analysis_types();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const AnalysisType& t) { return t.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// The types stand in the order of the variant.
const AnalysisType& analysis_type(const Analysis& analysis) {
  return analysis_types().at(analysis.index());
}

SourcePos& where_of(Analysis& analysis) {
  return std::visit([](auto& options) -> SourcePos& { return options.where; }, analysis);
}

const SourcePos& where_of(const Analysis& analysis) {
  return std::visit([](const auto& options) -> const SourcePos& { return options.where; },
                    analysis);
}

std::vector<Analysis> analyses_of_type(const std::vector<Analysis>& given,
                                       const AnalysisType& type) {
  std::vector<Analysis> own;
  for (const Analysis& analysis : given)
    if (&analysis_type(analysis) == &type) own.push_back(analysis);
  if (!own.empty()) return own;
  own.push_back(type.make());
  // The rest from a dynamic analysis, else from another one that has an end.
  auto source = std::find_if(given.begin(), given.end(), [](const Analysis& analysis) {
    return std::holds_alternative<DynamicOptions>(analysis);
  });
  if (source == given.end())
    source = std::find_if(given.begin(), given.end(), [](const Analysis& analysis) {
      return analysis_type(analysis).field("until") != nullptr;
    });
  if (source != given.end()) {
    const Analysis& analysis = *source;
    where_of(own.back()) = where_of(analysis);
    for (const OptionField& field : type.fields)
      if (const OptionField* same = analysis_type(analysis).field(field.key.name))
        field.set(own.back(), same->get(analysis), where_of(analysis));
  }
  return own;
}

std::vector<SectionSpec> analysis_sections() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const AnalysisType& type : analysis_types())
      list.push_back("analysis." + std::string(type.name));
    return list;
  }();
  std::vector<SectionSpec> list;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const AnalysisType& type = analysis_types()[k];
    SectionSpec section{names[k], type.doc, {}};
    section.keys.push_back(simple_key("type", ValueKind::text, "", "which analysis"));
    for (const OptionField& field : type.fields) section.keys.push_back(field.key);
    list.push_back(std::move(section));
  }
  SectionSpec integrator{"integrator",
                         "A table of this kind may stand for the name of an integrator. Each key "
                         "belongs to the methods named with it.",
                         {}};
  integrator.keys.push_back(simple_key("name", ValueKind::text, "", "integration method"));
  for (const OptionField& field : find_analysis("dynamic")->integrator_fields)
    integrator.keys.push_back(field.key);
  list.push_back(std::move(integrator));
  return list;
}

}  // namespace cardan
