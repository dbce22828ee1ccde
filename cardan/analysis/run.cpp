#include "cardan/analysis/run.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "cardan/analysis/analysis_table.h"
#include "cardan/analysis/causes.h"
#include "cardan/analysis/dynamic/switching.h"
#include "cardan/analysis/dynamic/time_breaks_of.h"
#include "cardan/analysis/equilibrium/preload.h"
#include "cardan/analysis/formula_fault.h"
#include "cardan/analysis/linear/root_locus.h"
#include "cardan/analysis/sensitivity/slope_channels.h"
#include "cardan/analysis/start/branches.h"
#include "cardan/analysis/start/model_questions.h"
#include "cardan/model/analysis_type.h"
#include "cardan/ode/archive.h"
#include "cardan/results/json.h"
#include "cardan/results/manifest.h"
#include "cardan/system/compile_like.h"

namespace cardan {

namespace {

void append(Diagnostics& list, const Diagnostics& more) {
  list.insert(list.end(), more.begin(), more.end());
}

void serialize(Archive& archive, State& s) {
  archive.io(s.t);
  for (auto* list : {&s.q, &s.v, &s.a, &s.lambda, &s.z, &s.u}) archive.io(*list);
  archive.io(s.mode);
  archive.io(s.slide);
}

// Of an earlier analysis, as text: whatever a summary holds is there after a resume.
void serialize(Archive& archive, Summary& s) {
  std::string text = archive.loading() ? "" : to_json(s).dump();
  archive.io(text);
  if (!archive.loading() || !archive.good()) return;
  const auto json = parse_json(text);
  if (!json) return archive.fail();
  try {
    s = summary_from_json(*json);
  } catch (const nlohmann::json::exception&) {
    archive.fail();
  }
}

// Failures in which a formula without a value may be the cause.
bool may_be_a_formula(const Diagnostic& d) {
  static constexpr std::string_view ids[] = {"numeric.not-finite",
                                             "numeric.step-too-small",
                                             "numeric.step-too-large",
                                             "numeric.no-convergence",
                                             "numeric.singularity",
                                             "numeric.singular",
                                             "numeric.discontinuity"};
  return d.severity == Severity::error &&
         std::find(std::begin(ids), std::end(ids), d.id) != std::end(ids);
}

// Says which formula it was, where one has no value at the state where the analysis stopped.
void name_formula(const Model& model, const System& system, const State& state, Summary& summary) {
  if (summary.status != "failed") return;
  for (Diagnostic& d : summary.diagnostics) {
    if (!may_be_a_formula(d)) continue;
    constexpr double near = 1e-2,
                     very_near = 1e-6;  // of the time so far: how far behind it to look
    const double reach = (d.id == "numeric.not-finite" ? near : very_near) *
                         std::max(std::abs(state.t), std::isfinite(d.h) ? std::abs(d.h) : 0.0);
    const double sign = std::isfinite(d.h) && d.h < 0 ? -1 : 1;
    if (auto cause = formula_without_value(model, system, state, sign * std::max(reach, near)))
      d = std::move(*cause);
  }
}

// Channels beyond the usual ones: those asked for, and the gains of what feeds violations back.
Recorder::Wishes wishes_of(const Model& model, const Analysis& analysis) {
  const auto* dynamic = std::get_if<DynamicOptions>(&analysis);
  return {model.output_multipliers,
          model.output_residuals,
          dynamic != nullptr &&
              (dynamic->formulation == "baumgarte" || dynamic->formulation == "hybrid")};
}

Recorder::Wishes wishes_of(const Model& model) {
  Recorder::Wishes all{model.output_multipliers, model.output_residuals, false};
  for (const Analysis& analysis : model.analyses)
    all.gains = all.gains || wishes_of(model, analysis).gains;
  return all;
}

class RunLoop {
 public:
  RunLoop(const Model& model,
          const System& system,
          Sink& sink,
          const Control& control,
          const ModelVariants* variants)
      : model_(model), system_(system), sink_(sink), control_(control), variants_(variants) {}

  // Returns false when the run ends here.
  bool analyse(std::size_t k, Assembly& assembly, std::span<const std::byte> resume) {
    const State start = assembly.state;
    const AnalysisRunner& runner = analysis_runner(model_.analyses[k]);
    const bool redundant = !assembly.mobility.indeterminate.empty();
    const std::vector<std::string> names = sensitivity_of(model_.analyses[k]);
    ParameterSteps steps;
    std::optional<SlopeChannels> slopes;
    if (!names.empty()) {
      if (!find_steps(k, names, steps)) return false;
      slopes.emplace(system_,
                     steps,
                     SlopeChannels::Setting{
                         model_.output_channels, redundant, runner.extent, runner.integrates});
    }
    Recording recording({system_,
                         model_.output_channels,
                         redundant,
                         runner.extent,
                         sink_,
                         control_,
                         [&](const std::vector<std::byte>& inner) {
                           return checkpoint(static_cast<int>(k), start, inner);
                         },
                         slopes ? &*slopes : nullptr,
                         wishes_of(model_, model_.analyses[k])});
    Summary summary = runner.run({model_,
                                  system_,
                                  assembly,
                                  recording,
                                  k == 0,
                                  branches,
                                  resume,
                                  slopes ? &steps : nullptr,
                                  variants_},
                                 model_.analyses[k]);
    if (ended_well(summary)) add_locus(k, summary);
    name_formula(model_, system_, assembly.state, summary);
    finished(std::move(summary));
    return ended_well(outcome.summary);
  }

  Outcome outcome;
  std::vector<Summary> done;
  const FoundBranches* branches = nullptr;  // asked for
  std::optional<SolvedSetting> solved;      // before the first analysis

 private:
  // The systems that sensitivities need. False: refused, which ends the run.
  bool find_steps(std::size_t k, const std::vector<std::string>& names, ParameterSteps& steps) {
    Diagnostics faults;
    if (variants_ == nullptr) {
      faults.push_back(fault_at("model.not-available",
                                "sensitivities of a model whose parameters are not known"));
    } else if (auto found = parameter_steps(*variants_, system_, names)) {
      steps = std::move(found).value();
      return true;
    } else {
      faults = found.why();
    }
    Summary summary;
    summary.status = "failed";
    summary.analysis = analysis_type(model_.analyses[k]).name;
    for (Diagnostic& d : faults)
      if (d.where.file == nullptr) d.where = where_of(model_.analyses[k]);
    summary.diagnostics = std::move(faults);
    finished(std::move(summary));
    return false;
  }

  // Eigenvalues over a parameter, where the analysis asks for them.
  void add_locus(std::size_t k, Summary& summary) {
    const auto* options = std::get_if<LineariseOptions>(&model_.analyses[k]);
    if (options == nullptr || options->locus.empty() || !summary.linear) return;
    Diagnostics faults;
    if (variants_ == nullptr) {
      faults.push_back(fault_at("model.not-available",
                                "a root locus of a model whose parameters are not known"));
    } else if (auto found = root_locus(model_, *variants_, k, control_)) {
      summary.linear->locus = std::move(found).value();
    } else {
      faults = found.why();
    }
    if (control_.cancelled && control_.cancelled()) {
      summary.status = "interrupted";
      summary.diagnostics.push_back(stopped_on_request(summary.t_end));
    } else if (!faults.empty()) {
      summary.status = "failed";
      for (Diagnostic& d : faults)
        if (d.where.file == nullptr) d.where = options->where;
      append(summary.diagnostics, faults);
    }
  }

  std::vector<std::byte> checkpoint(int index, State start, const std::vector<std::byte>& inner) {
    Archive archive;
    std::string program(version());
    archive.io(program);
    archive.mark("run 2");
    auto count = static_cast<int>(done.size());
    archive.io(index);
    archive.io(count);
    for (Summary& s : done) serialize(archive, s);
    serialize(archive, start);
    std::string bytes(reinterpret_cast<const char*>(inner.data()), inner.size());
    archive.io(bytes);
    return archive.bytes();
  }

  void finished(Summary summary) {
    if (done.empty()) summary.solved = solved;
    Diagnostics all = std::move(outcome.summary.diagnostics);
    append(all, summary.diagnostics);
    done.push_back(summary);
    done.back().diagnostics.clear();
    outcome.summary = std::move(summary);
    outcome.summary.diagnostics = std::move(all);
    outcome.summary.earlier.assign(done.begin(), done.end() - 1);
  }

  const Model& model_;
  const System& system_;
  Sink& sink_;
  const Control& control_;
  const ModelVariants* variants_;
};

struct Resumed {
  int analysis = 0;
  std::vector<Summary> done;
  State start;
  std::vector<std::byte> inner;
};

Result<Resumed> read_checkpoint(std::span<const std::byte> bytes, const State& assembled) {
  const auto foreign = [] {
    return fault_at("corrupt.store", "a checkpoint that does not belong to this model");
  };
  Archive archive(bytes);
  Resumed out;
  out.start = assembled;  // the lists have their sizes
  std::string program;
  archive.io(program);
  if (!archive.good()) return foreign();
  if (program != version()) return other_version(program);
  int count = 0;
  archive.mark("run 2");
  archive.io(out.analysis);
  archive.io(count);
  if (!archive.good() || count < 0 || count > 10'000) return foreign();
  out.done.resize(static_cast<std::size_t>(count));
  for (Summary& s : out.done) serialize(archive, s);
  serialize(archive, out.start);
  std::string inner;
  archive.io(inner);
  const auto* data = reinterpret_cast<const std::byte*>(inner.data());
  out.inner.assign(data, data + inner.size());
  if (!archive.good()) return foreign();
  return out;
}

// The checkpoint of a run of this model, whose system is assembled.
Result<Resumed> resumed_run(std::span<const std::byte> bytes,
                            const Model& model,
                            const State& assembled) {
  auto from = read_checkpoint(bytes, assembled);
  if (!from) return from;
  const Resumed& run = from.value();
  if (run.analysis < 0 || static_cast<std::size_t>(run.analysis) >= model.analyses.size())
    return fault_at("corrupt.store", "a checkpoint that does not belong to this model");
  return from;
}

}  // namespace

bool Outcome::doubtful() const {
  const auto is = [](const Summary& s) {
    return s.status == "doubtful";
  };
  return is(summary) || std::any_of(summary.earlier.begin(), summary.earlier.end(), is);
}

int Outcome::exit_code() const {
  for (const auto& d : summary.diagnostics)
    if (d.severity == Severity::error) return cardan::exit_code(d);
  return summary.status == "interrupted" ? 130 : ended_well(summary) ? 0 : 70;
}

std::vector<std::string> sensitivity_of(const Analysis& analysis) {
  const OptionField* field = analysis_type(analysis).field("sensitivity");
  if (field == nullptr) return {};
  return std::get<std::vector<std::string>>(field->get(analysis));
}

bool wants_variants(const Model& model) {
  return std::any_of(model.analyses.begin(), model.analyses.end(), [](const Analysis& a) {
    const auto* linear = std::get_if<LineariseOptions>(&a);
    return !sensitivity_of(a).empty() || (linear != nullptr && !linear->locus.empty());
  });
}

namespace {

AssemblyOptions assembly_options(const Model& model) {
  for (const auto& analysis : model.analyses)
    if (const auto* given = std::get_if<AssemblyOptions>(&analysis)) return *given;
  return {};
}

// The ways to put it together. Where several motions start in its pose, no choice is needed to list
// them: the first stands for the start.
FoundBranches list_branches(const Model& model, const Control& control, Checked& checked) {
  Model drawn = model;  // the first branch is that of the drawing, whichever the model chooses
  drawn.branch.reset();
  const AssemblyOptions options = assembly_options(model);
  const Assembly first =
      model.branch
          ? assemble(*checked.system, model.start_time, checked.system->given_state(), options)
          : checked.assembly;
  FoundBranches found = find_branches(drawn, *checked.system, first, options, control.cancelled);
  if (!checked.assembly.ok && !checked.assembly.motions.empty() && !found.list.empty()) {
    checked.assembly = found.list.front();
    std::erase_if(checked.diagnostics,
                  [](const Diagnostic& d) { return d.id == "assembly.branch"; });
  }
  return found;
}

// A time before the one that the analysis before it has reached.
Diagnostic runs_backwards(const Analysis& analysis, double from, double to, bool first) {
  Diagnostic d;
  d.id = "numeric.backwards";
  d.severity = Severity::warning;
  d.where = where_of(analysis);
  d.found =
      first ? fmt::format("until = {:g} s, where the motion starts at {:g} s", to, from)
            : fmt::format("until = {:g} s, where the analysis before it ends at {:g} s", to, from);
  d.expected =
      fmt::format("a later time; this one runs backwards in time, from {:g} s to {:g} s", from, to);
  d.hint = "each analysis goes on where the one before it ended; times count from the first start";
  return d;
}

Diagnostic rows_beyond_the_end(const Analysis& analysis, double step, double span) {
  Diagnostic d;
  d.id = "numeric.coarse-rows";
  d.severity = Severity::warning;
  d.where = where_of(analysis);
  d.found = fmt::format(
      "output_step = {:g} s in an analysis of {:g} s: only its start and its end are "
      "stored",
      step,
      span);
  d.expected = "a step shorter than the analysis";
  d.hint = "leave `output_step` out, so that rows follow the motion";
  return d;
}

}  // namespace

namespace {

Result<System> compiled_like(const Model& model, const System* like) {
  if (like == nullptr) return compile(model);
  auto compiled = compile_like(model, *like);
  if (!compiled) return compiled.why();
  return std::move(compiled.value().system);
}

}  // namespace

Checked check_model(const Model& model, const System* like) {
  Checked out;
  out.diagnostics = model.notes;
  auto compiled = compiled_like(model, like);
  if (!compiled) {
    append(out.diagnostics, compiled.why());
    return out;
  }
  out.system = std::make_unique<System>(std::move(compiled).value());
  const AssemblyOptions options = assembly_options(model);
  out.assembly = assemble(*out.system, model.start_time, out.system->given_state(), options);
  Diagnostics refused;
  if (model.branch && (out.assembly.ok || !out.assembly.motions.empty()))
    refused = choose_branch(model, *out.system, options, {}, out.assembly);
  for (Diagnostic& d : out.assembly.notes)
    if (may_be_a_formula(d))
      if (auto cause = formula_without_value(model, *out.system, out.assembly.state, 0))
        d = std::move(*cause);
  append(out.diagnostics, model_questions(model, *out.system));
  append(out.diagnostics, refused.empty() ? out.assembly.notes : refused);
  out.assembly.ok = out.assembly.ok && refused.empty();
  if (const auto fault =
          Recorder(
              *out.system, model.output_channels, false, Recorder::Extent::all, wishes_of(model))
              .fault()) {
    out.diagnostics.push_back(*fault);
    out.system.reset();  // a fault of the model: nothing is stored, and no older run replaced
    return out;
  }
  if (out.assembly.ok && !out.system->limits().empty()) {
    const Diagnostics violated =
        Switching(*out.system, out.assembly.mobility.active).violated(out.assembly.state);
    append(out.diagnostics, violated);
    out.assembly.ok = violated.empty();
  }
  double from = model.start_time;
  for (const auto& analysis : model.analyses)
    if (const OptionField* until = analysis_type(analysis).field("until")) {
      const double to = std::get<double>(until->get(analysis));
      if (to < from)
        out.diagnostics.push_back(
            runs_backwards(analysis, from, to, &analysis == &model.analyses.front()));
      if (const OptionField* rows = analysis_type(analysis).field("output_step"))
        if (const double step = std::get<double>(rows->get(analysis)); step > std::abs(to - from))
          out.diagnostics.push_back(rows_beyond_the_end(analysis, step, to - from));
      if (auto fault = driver_jump(*out.system, from, to)) {
        out.diagnostics.push_back(std::move(*fault));
        out.assembly.ok = false;
        break;
      }
      from = to;
    }
  return out;
}

namespace {

// An equilibrium that solves for a setting changes the model of the whole run.
struct Prepared {
  Model model;
  Checked checked;
  std::optional<SolvedSetting> solved;
};

Prepared prepared_run(const Model& given, const System* like) {
  Prepared out{given, check_model(given, like), {}};
  for (std::size_t k = 0; k < given.analyses.size(); ++k) {
    const auto* options = std::get_if<EquilibriumOptions>(&given.analyses[k]);
    if (options == nullptr || options->solve_for.empty() || !out.checked.assembly.ok) continue;
    if (k > 0) {
      Diagnostic d;
      d.id = "model.bad-value";
      d.where = options->where;
      d.found = "`solve_for` in an analysis that is not the first";
      d.expected = "it in the first one: the pose is that of the assembled model";
      out.checked.diagnostics.push_back(std::move(d));
      out.checked.assembly.ok = false;
      return out;
    }
    auto found = find_preload(given, out.checked.assembly, options->solve_for, options->where);
    if (!found) {
      append(out.checked.diagnostics, found.why());
      out.checked.assembly.ok = false;
      return out;
    }
    out.model = std::move(found.value().model);
    out.solved = found.value().solved;
    out.checked = check_model(out.model, like);
  }
  return out;
}

// Names and ranges of parameters that an analysis is asked for: refused before anything is stored.
Diagnostics refused_parameters(const Model& model, const ModelVariants& variants) {
  Diagnostics all;
  for (const Analysis& analysis : model.analyses) {
    Diagnostics faults = unknown_parameters(variants, sensitivity_of(analysis));
    const auto* linear = std::get_if<LineariseOptions>(&analysis);
    if (linear != nullptr && !linear->locus.empty())
      append(faults, locus_faults(linear->locus, variants));
    for (Diagnostic& d : faults)
      if (d.where.file == nullptr) d.where = where_of(analysis);
    append(all, faults);
  }
  return all;
}

}  // namespace

Outcome run_model(const Model& given,
                  Sink& sink,
                  const Control& control,
                  std::span<const std::byte> resume,
                  const ModelVariants* variants,
                  const System* like) {
  const TraceScope listening(control.trace);
  Prepared ready = prepared_run(given, like);
  const Model& model = ready.model;
  Checked& checked = ready.checked;
  if (variants != nullptr && checked.assembly.ok) {
    const Diagnostics refused = refused_parameters(model, *variants);
    append(checked.diagnostics, refused);
    if (!refused.empty()) checked.system.reset();
  }
  FoundBranches branches;
  if (control.branches && checked.system != nullptr &&
      (checked.assembly.ok || !checked.assembly.motions.empty()))
    branches = list_branches(model, control, checked);
  if (checked.system == nullptr || !checked.assembly.ok) {
    Outcome out;
    out.summary.status = "failed";
    out.summary.analysis = "assembly";
    out.summary.diagnostics = checked.diagnostics;
    if (checked.system != nullptr) {
      State closest = checked.assembly.state;
      closest.a.resize(closest.v.size(), 0.0);
      out.summary.t_end = 0;
      out.summary.constraint.max_position = checked.assembly.max_position;
      out.summary.final = Recorder(*checked.system, {}).body_states(closest);  // the closest pose
    }
    return out;
  }
  RunLoop loop(model, *checked.system, sink, control, variants);
  if (!branches.list.empty()) loop.branches = &branches;
  loop.solved = ready.solved;
  loop.outcome.mobility = checked.assembly.mobility;
  loop.outcome.mobility_words = mobility_text(checked.assembly.mobility);
  loop.outcome.summary.diagnostics = checked.diagnostics;
  loop.outcome.summary.analysis = "assembly";
  loop.outcome.summary.dof = checked.assembly.mobility.dof;
  std::size_t first = 0;
  Resumed from;
  if (!resume.empty()) {
    auto found = resumed_run(resume, model, checked.assembly.state);
    if (!found) {
      loop.outcome.summary.status = "failed";
      loop.outcome.summary.diagnostics.push_back(found.why().front());
      return std::move(loop.outcome);
    }
    from = std::move(found).value();
    first = static_cast<std::size_t>(from.analysis);
    loop.done = from.done;
    checked.assembly.state = from.start;
    if (first > 0)
      checked.assembly.mobility = analyse_mobility(*checked.system, from.start.t, from.start.q);
  }
  for (std::size_t k = first; k < model.analyses.size(); ++k)
    if (!loop.analyse(
            k,
            checked.assembly,
            k == first ? std::span<const std::byte>(from.inner) : std::span<const std::byte>()))
      break;
  return std::move(loop.outcome);
}

}  // namespace cardan
