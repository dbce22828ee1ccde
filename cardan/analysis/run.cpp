#include "cardan/analysis/run.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "cardan/analysis/dynamics.h"
#include "cardan/analysis/recorder.h"
#include "cardan/analysis/switching.h"
#include "cardan/ode/archive.h"

namespace cardan {

namespace {

void append(Diagnostics& list, const Diagnostics& more) {
  list.insert(list.end(), more.begin(), more.end());
}

void serialize(Archive& archive, State& s) {
  archive.io(s.t);
  for (auto* list : {&s.q, &s.v, &s.a, &s.lambda, &s.z, &s.u}) archive.io(*list);
  archive.io(s.mode);
}

// Of an earlier analysis, as text: whatever a summary holds is there after a resume.
void serialize(Archive& archive, Summary& s) {
  std::string text = archive.loading() ? "" : to_json(s).dump();
  archive.io(text);
  if (!archive.loading() || !archive.good()) return;
  try {
    s = summary_from_json(nlohmann::ordered_json::parse(text));
  } catch (const nlohmann::json::exception&) {
    archive.fail();
  }
}

class RunLoop {
 public:
  RunLoop(const Model& model, const System& system, Sink& sink, const Control& control)
      : model_(model), system_(system), sink_(sink), control_(control) {}

  // Returns false when the run ends here.
  bool analyse(std::size_t k, Assembly& assembly, std::span<const std::byte> resume) {
    if (const auto* options = std::get_if<DynamicOptions>(&model_.analyses[k]))
      return dynamic(k, *options, assembly, resume);
    return assemble_again(k, std::get<AssemblyOptions>(model_.analyses[k]), assembly);
  }

  Outcome outcome;
  std::vector<Summary> done;

 private:
  bool dynamic(std::size_t k,
               const DynamicOptions& options,
               Assembly& assembly,
               std::span<const std::byte> resume) {
    const State start = assembly.state;
    const auto wrap = [&](const std::vector<std::byte>& inner) {
      Archive archive;
      archive.mark("run");
      auto index = static_cast<int>(k), count = static_cast<int>(done.size());
      archive.io(index);
      archive.io(count);
      for (Summary& s : done) serialize(archive, s);
      State from = start;
      serialize(archive, from);
      std::string bytes(reinterpret_cast<const char*>(inner.data()), inner.size());
      archive.io(bytes);
      return archive.bytes();
    };
    finished(run_dynamic({system_,
                          assembly.mobility,
                          options,
                          model_.output_channels,
                          sink_,
                          control_,
                          wrap,
                          resume},
                         assembly.state));
    return ended_well(outcome.summary);
  }

  // The first analysis starts from the model's guess; a later one keeps the state it is given.
  bool assemble_again(std::size_t k, const AssemblyOptions& options, Assembly& assembly) {
    Summary summary;
    summary.analysis = "assembly";
    State guess = assembly.state;
    Assembly again = k == 0 ? assemble(system_, guess.t, guess, options)
                            : assemble_here(system_, guess, assembly.mobility);
    again.state.z = guess.z;
    summary.status = again.ok ? "complete" : "failed";
    summary.t_end = guess.t;
    summary.dof = again.mobility.dof;
    summary.redundant = static_cast<int>(again.mobility.redundant.size());
    summary.stats.newton_iterations = again.iterations;
    summary.constraint.max_position = again.max_position;
    summary.constraint.max_velocity = again.max_velocity;
    if (!again.ok) append(summary.diagnostics, again.notes);
    Recorder recorder(system_, model_.output_channels, !again.mobility.indeterminate.empty());
    std::vector<double> row(recorder.channels().size());
    recorder.record(again.state, {}, row);
    summary.energy.initial = summary.energy.final =
        recorder.energy().kinetic + recorder.energy().potential;
    summary.energy.max_imbalance = 0;
    summary.final = recorder.body_states(again.state);
    auto fault = sink_.open(recorder.channels());
    if (!fault) fault = sink_.sample(guess.t, row);
    if (fault) {
      summary.status = "failed";
      summary.diagnostics.push_back(*fault);
    }
    assembly = std::move(again);
    finished(std::move(summary));
    return outcome.summary.status == "complete";
  }

  void finished(Summary summary) {
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
};

struct Resumed {
  int analysis = 0;
  std::vector<Summary> done;
  State start;
  std::vector<std::byte> inner;
};

bool read_checkpoint(std::span<const std::byte> bytes, Resumed& out) {
  Archive archive(bytes);
  int count = 0;
  archive.mark("run");
  archive.io(out.analysis);
  archive.io(count);
  if (!archive.good() || count < 0 || count > 10'000) return false;
  out.done.resize(static_cast<std::size_t>(count));
  for (Summary& s : out.done) serialize(archive, s);
  serialize(archive, out.start);
  std::string inner;
  archive.io(inner);
  const auto* data = reinterpret_cast<const std::byte*>(inner.data());
  out.inner.assign(data, data + inner.size());
  return archive.good();
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

Checked check_model(const Model& model) {
  Checked out;
  out.diagnostics = model.notes;
  auto compiled = compile(model);
  if (!compiled) {
    append(out.diagnostics, compiled.why());
    return out;
  }
  out.system = std::make_unique<System>(std::move(compiled).value());
  AssemblyOptions options;
  for (const auto& analysis : model.analyses)
    if (const auto* given = std::get_if<AssemblyOptions>(&analysis)) {
      options = *given;
      break;
    }
  out.assembly = assemble(*out.system, 0, out.system->given_state(), options);
  append(out.diagnostics, out.assembly.notes);
  if (const auto fault = Recorder(*out.system, model.output_channels).fault()) {
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
  return out;
}

Outcome run_model(const Model& model,
                  Sink& sink,
                  const Control& control,
                  std::span<const std::byte> resume) {
  Checked checked = check_model(model);
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
  RunLoop loop(model, *checked.system, sink, control);
  loop.outcome.mobility = checked.assembly.mobility;
  loop.outcome.mobility_words = mobility_text(checked.assembly.mobility);
  loop.outcome.summary.diagnostics = checked.diagnostics;
  loop.outcome.summary.analysis = "assembly";
  loop.outcome.summary.dof = checked.assembly.mobility.dof;
  std::size_t first = 0;
  Resumed from;
  if (!resume.empty()) {
    const bool belongs = read_checkpoint(resume, from) && from.analysis >= 0 &&
                         static_cast<std::size_t>(from.analysis) < model.analyses.size() &&
                         from.start.q.size() == checked.assembly.state.q.size() &&
                         from.start.lambda.size() == checked.assembly.state.lambda.size();
    if (!belongs) {
      Diagnostic d;
      d.id = "corrupt.store";
      d.found = "a checkpoint that does not belong to this model";
      loop.outcome.summary.status = "failed";
      loop.outcome.summary.diagnostics.push_back(std::move(d));
      return std::move(loop.outcome);
    }
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
