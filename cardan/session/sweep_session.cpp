#include "cardan/session/sweep_session.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cardan/io/sweep_blocks.h"
#include "cardan/results/csv_cell.h"
#include "cardan/results/faults.h"
#include "cardan/results/hash.h"
#include "cardan/results/manifest.h"
#include "cardan/results/run_folder.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The model with other values of its parameters, and the analyses as the request wants them.
class RequestedVariants final : public ModelVariants {
 public:
  RequestedVariants(ModelRequest request, ParametricModel model)
      : request_(std::move(request)), model_(std::move(model)) {}

  const std::vector<ParameterInfo>& parameters() const override { return model_.parameters(); }

  Result<Model> with(std::span<const ParameterValue> values) const override {
    return with_request(request_, parameters(), model_.with(values));
  }

  auto files() const { return model_.files(); }

 private:
  ModelRequest request_;
  ParametricModel model_;
};

namespace {

constexpr std::array<std::pair<DesignKind, const char*>, 4> design_names{
    {{DesignKind::grid, "grid"},
     {DesignKind::zip, "zip"},
     {DesignKind::latin_hypercube, "latin-hypercube"},
     {DesignKind::sobol, "sobol"}}};

const char* design_name(DesignKind kind) {
  for (const auto& [known, name] : design_names)
    if (known == kind) return name;
  return "";
}

// Tables have columns of these names.
bool is_taken(const std::string& name, const std::vector<Variation>& variations) {
  return name == "point" || name == "status" || name == "cause" ||
         std::any_of(variations.begin(), variations.end(), [&](const Variation& v) {
           return v.parameter == name;
         });
}

Diagnostic taken_name(const std::string& name) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = fmt::format("a measure '{}', which is the name of another column", name);
  d.expected = "a name that neither a parameter that varies nor point, status or cause has";
  return d;
}

Diagnostic sweep_of_other_version(const fs::path& store, const std::string& found) {
  Diagnostic d;
  d.id = "io.other-version";
  d.where.file = std::make_shared<const std::string>(store.string());
  d.found = fmt::format("a sweep that version {} began", found);
  d.expected = fmt::format("version {}, which this program is", version());
  return d;
}

SweepRow stored_row(long number, const std::vector<double>& values, const PointResult& result) {
  return {number, values, result};
}

Result<SweepTally> run_into_store(const ReadySweep& sweep,
                                  SweepStore& store,
                                  const SweepControl& control) {
  const auto done = store.done(sweep.design().count());
  if (!done) return done.why();
  auto tally = run_points(
      sweep.design(),
      sweep.runner(),
      done.value(),
      [&](long number, const std::vector<double>& values, const PointResult& result) {
        return store.add(stored_row(number, values, result));
      },
      control);
  if (auto fault = store.sync()) return *fault;
  return tally;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k]) &&
        !(std::isnan(a[k]) && std::isnan(b[k])))
      return false;
  return true;
}

Diagnostic no_such_point(const fs::path& store, long number, long count) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.where.file = std::make_shared<const std::string>(store.string());
  d.found = fmt::format("point {}", number);
  d.expected = fmt::format("one of 0 to {}", count - 1);
  return d;
}

Result<SweepRequest> request_of(const SweepStore& store) {
  try {
    const std::string made_by = store.about().at("version");
    if (made_by != version()) return sweep_of_other_version(store.path(), made_by);
    return sweep_request(store.about());
  } catch (const nlohmann::json::exception& error) {
    return corrupt_store(store.path(), error.what());
  }
}

}  // namespace

struct ReadySweep::Parts {
  SweepRequest request;
  std::string text, path;  // of the model
  std::unique_ptr<RequestedVariants> variants;
  Design design;
  PointRunner runner;
};

ReadySweep::ReadySweep(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ReadySweep::ReadySweep(ReadySweep&&) noexcept = default;
ReadySweep& ReadySweep::operator=(ReadySweep&&) noexcept = default;
ReadySweep::~ReadySweep() = default;

Result<ReadySweep> ReadySweep::make(const SweepRequest& request) {
  const auto model = read(request.model);
  if (!model) return model.why();
  auto known = parametric(request.model, model.value());
  if (!known) return known.why();
  auto variants = std::make_unique<RequestedVariants>(request.model, std::move(known).value());
  Diagnostics faults;
  std::vector<Variation> variations;
  std::vector<std::string> names;
  for (const std::string& text : request.vary) {
    auto variation = read_variation(text, variants->parameters());
    if (!variation) {
      const auto k = static_cast<std::size_t>(&text - request.vary.data());
      for (Diagnostic d : variation.why()) {
        if (k < request.vary_where.size()) d.where = request.vary_where[k];
        faults.push_back(std::move(d));
      }
      continue;
    }
    names.push_back(variation.value().parameter);
    variations.push_back(std::move(variation).value());
  }
  auto runner = PointRunner::make(
      *variants, model.value(), std::move(names), {request.measures, request.samples});
  if (!runner) faults.insert(faults.end(), runner.why().begin(), runner.why().end());
  if (runner)
    for (const Measures::Info& m : runner.value().measures().list())
      if (is_taken(m.name, variations)) faults.push_back(taken_name(m.name));
  if (!faults.empty()) return faults;
  auto design = Design::make(std::move(variations), request.design);
  if (!design) return design.why();
  return ReadySweep(std::make_unique<Parts>(Parts{request,
                                                  model.value().text,
                                                  model.value().path,
                                                  std::move(variants),
                                                  std::move(design).value(),
                                                  std::move(runner).value()}));
}

const SweepRequest& ReadySweep::request() const {
  return parts_->request;
}

const Design& ReadySweep::design() const {
  return parts_->design;
}

const PointRunner& ReadySweep::runner() const {
  return parts_->runner;
}

SweepColumns ReadySweep::columns() const {
  SweepColumns out;
  for (const Variation& v : parts_->design.variations()) {
    out.parameters.push_back(v.parameter);
    out.parameter_units.push_back(v.unit);
  }
  for (const Measures::Info& m : parts_->runner.measures().list()) {
    out.measures.push_back(m.name);
    out.measure_units.push_back(m.unit);
  }
  out.samples = parts_->runner.samples();
  return out;
}

Json ReadySweep::about() const {
  const SweepRequest& r = parts_->request;
  Json included = Json::array();
  for (const auto& [name, text] : parts_->variants->files())
    included.push_back({{"name", name}, {"sha256", sha256(text)}, {"text", text}});
  return {
      {"version", version()},
      {"model",
       {{"path", parts_->path},
        {"text", parts_->text},
        {"sha256", sha256(parts_->text)},
        {"included", std::move(included)}}},
      {"arguments", to_json(r.model)},
      {"vary", r.vary},
      {"measures", r.measures},
      {"samples", r.samples},
      {"design",
       {{"kind", design_name(r.design.kind)}, {"count", r.design.count}, {"seed", r.design.seed}}},
      {"points", parts_->design.count()}};
}

namespace {

Diagnostic no_block(const Model& model,
                    const std::string& name,
                    const std::vector<SweepBlock>& blocks) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.where.file = std::make_shared<const std::string>(model.path);
  std::vector<std::string> names;
  for (const SweepBlock& block : blocks) names.push_back(block.name);
  if (blocks.empty()) {
    d.found = "a model without [[sweep]], and no parameter that varies";
    d.expected = "a [[sweep]] block, or --vary 'parameter=values'";
  } else {
    d.found = name.empty() ? fmt::format("{} sweeps in the model", blocks.size())
                           : fmt::format("sweep '{}'", name);
    d.expected = fmt::format("the name of one of them: {}", fmt::join(names, ", "));
    if (const std::string near = nearest_name(name, names); !near.empty() && !name.empty())
      d.hint = fmt::format("did you mean '{}'?", near);
  }
  return d;
}

}  // namespace

Result<SweepRequest> with_block(SweepRequest request, const std::string& name) {
  const auto model = read(request.model);
  if (!model) return model.why();
  const auto blocks = sweep_blocks(model.value().text, model.value().path);
  if (!blocks) return blocks.why();
  const SweepBlock* chosen = nullptr;
  for (const SweepBlock& block : blocks.value())
    if (name.empty() ? blocks.value().size() == 1 : block.name == name) chosen = &block;
  if (chosen == nullptr) return no_block(model.value(), name, blocks.value());
  for (const SweepLine& line : chosen->vary) {
    request.vary.push_back(line.text);
    request.vary_where.push_back(line.where);
  }
  for (const SweepLine& line : chosen->measures) {
    request.measures.push_back(line.text);
    request.measures_where.push_back(line.where);
  }
  request.samples = chosen->samples;
  request.design.count = chosen->sample;
  request.design.seed = static_cast<std::uint64_t>(chosen->seed);
  request.design.kind = chosen->sample > 0
                            ? (chosen->sobol ? DesignKind::sobol : DesignKind::latin_hypercube)
                        : chosen->zip ? DesignKind::zip
                                      : DesignKind::grid;
  return request;
}

SweepRequest sweep_request(const Json& about) {
  SweepRequest out;
  out.model = model_request(about.at("arguments"));
  const Json& model = about.at("model");
  out.model.text = model.at("text").get<std::string>();
  for (const Json& file : model.value("included", Json::array()))
    out.model.files.emplace_back(file.at("name"), file.at("text"));
  out.vary = about.at("vary").get<std::vector<std::string>>();
  out.measures = about.at("measures").get<std::vector<std::string>>();
  out.samples = about.value("samples", std::vector<std::string>());
  const Json& design = about.at("design");
  for (const auto& [kind, name] : design_names)
    if (design.at("kind") == name) out.design.kind = kind;
  out.design.count = design.at("count");
  out.design.seed = design.at("seed");
  return out;
}

Result<SweepResult> run_sweep(const SweepRequest& request,
                              const SweepOutput& output,
                              const SweepControl& control) {
  const auto sweep = ReadySweep::make(request);
  if (!sweep) return sweep.why();
  fs::path folder = output.folder;
  if (folder.empty()) {
    const auto numbered = new_run_folder("sweeps", run_name(model_file(request.model.path)));
    if (!numbered) return numbered.why();
    folder = numbered.value();
  }
  auto store =
      SweepStore::create(folder, sweep.value().about(), sweep.value().columns(), output.force);
  if (!store) return store.why();
  auto tally = run_into_store(sweep.value(), store.value(), control);
  if (!tally) return tally.why();
  return SweepResult{folder, std::move(tally).value()};
}

Result<SweepResult> resume_sweep(const std::string& path, const SweepControl& control) {
  auto store = SweepStore::open_to_write(path);
  if (!store) return store.why();
  const auto request = request_of(store.value());
  if (!request) return request.why();
  const auto sweep = ReadySweep::make(request.value());
  if (!sweep) return sweep.why();
  auto tally = run_into_store(sweep.value(), store.value(), control);
  if (!tally) return tally.why();
  return SweepResult{store.value().path().parent_path(), std::move(tally).value()};
}

Result<PointAgain> run_point_again(const std::string& path,
                                   long number,
                                   const OutputSetting& output,
                                   const Control& control) {
  const auto store = SweepStore::open(path);
  if (!store) return store.why();
  const auto request = request_of(store.value());
  if (!request) return request.why();
  const auto sweep = ReadySweep::make(request.value());
  if (!sweep) return sweep.why();
  const Design& design = sweep.value().design();
  if (number < 0 || number >= design.count())
    return no_such_point(store.value().path(), number, design.count());
  auto row = store.value().row(number);
  if (!row) return row.why();
  RunRequest alone{request.value().model, output, control};
  const std::vector<double> values = design.point(number);
  for (std::size_t k = 0; k < values.size(); ++k)
    alone.model.set.push_back(fmt::format("{}={}", design.variations()[k].parameter, values[k]));
  auto run = run_model_file(alone);
  if (!run) return run.why();
  PointAgain out;
  out.run = std::move(run).value();
  if (row.value()) out.row = std::move(*row.value());
  out.measures = sweep.value().runner().run(values, control).measures;
  out.same = row.value().has_value() && same_bits(out.measures, out.row.result.measures);
  return out;
}

std::string sweep_table(const SweepStore& store, Diagnostics& faults) {
  const SweepColumns& columns = store.columns();
  const auto headed = [](const std::string& name, const std::string& unit) {
    return csv_cell(unit.empty() ? name : fmt::format("{} [{}]", name, unit));
  };
  std::string text = "point,status,cause";
  for (std::size_t k = 0; k < columns.parameters.size(); ++k)
    text += "," + headed(columns.parameters[k], columns.parameter_units[k]);
  for (std::size_t k = 0; k < columns.measures.size(); ++k)
    text += "," + headed(columns.measures[k], columns.measure_units[k]);
  text += '\n';
  const auto number = [](double x) {
    return std::isnan(x) ? std::string() : fmt::format("{}", x);
  };
  if (const auto fault = store.each([&](const SweepRow& row) {
        text += fmt::format("{},{},{}", row.number, row.result.status, row.result.cause);
        for (const double x : row.values) text += "," + number(x);
        for (const double x : row.result.measures) text += "," + number(x);
        text += '\n';
        return true;
      }))
    faults.push_back(*fault);
  return text;
}

}  // namespace cardan
