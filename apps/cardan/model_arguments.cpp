#include "model_arguments.h"

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cardan/formulation/formulation.h"
#include "cardan/formulation/option_table.h"
#include "cardan/io/read_model.h"
#include "cardan/math/expression.h"
#include "console.h"

namespace cardan::app {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

struct Option {
  const char* key;  // in the manifest
  const char* flag;
  const char* help;
  std::string AnalysisArguments::*value;
};

constexpr std::array options{
    Option{"formulation",
           "--formulation",
           "How the constrained equations are turned into an ODE",
           &AnalysisArguments::formulation},
    Option{"integrator", "--integrator", "The integration method", &AnalysisArguments::integrator},
    Option{
        "order", "--order", "Order of the method, where it has several", &AnalysisArguments::order},
    Option{"step", "--step", "Step of a fixed-step method: '1 ms'", &AnalysisArguments::step},
    Option{"rtol",
           "--rtol",
           "Relative tolerance of an error-controlled method",
           &AnalysisArguments::rtol},
    Option{"atol", "--atol", "Absolute tolerance", &AnalysisArguments::atol},
    Option{"until",
           "--until",
           "End time of the last dynamic analysis: '2 s'",
           &AnalysisArguments::until},
    Option{"output_step",
           "--output-step",
           "Time between stored samples: '5 ms'",
           &AnalysisArguments::output_step}};

// Options that the file has for its own formulation are left out with another, and a note says so.
void choose_formulation(const std::string& name, DynamicOptions& dynamic, Diagnostics& notes) {
  dynamic.formulation = name;
  if (find_formulation(name) == nullptr) return;
  const auto dropped = drop_foreign_options(dynamic);
  if (dropped.empty()) return;
  Diagnostic d;
  d.id = "usage.unused-option";
  d.severity = Severity::note;
  d.where = dynamic.where;
  d.found =
      fmt::format("options of another formulation than {}: {}", name, fmt::join(dropped, ", "));
  d.expected = "none of them; they are not used in this run";
  notes.push_back(std::move(d));
}

Diagnostic bad_value(const char* flag, const std::string& text, std::string expected) {
  Diagnostic d = usage_fault("usage.bad-value", fmt::format("{} '{}'", flag, text), "");
  d.expected = std::move(expected);
  return d;
}

// A value as a model file may have it: a number with or without a unit, or a formula without names.
Result<double> parse_value(const char* flag, const std::string& text, Dimension dimension) {
  Scope scope;
  scope.constant = [](std::string_view) {
    return std::optional<Scope::Constant>();
  };
  scope.curve = [](std::string_view) {
    return FunctionPtr();
  };
  scope.names = [] {
    return std::vector<std::string>();
  };
  const auto parsed = Expression::parse(text, scope, {});
  if (!parsed) return bad_value(flag, text, "a number; " + parsed.why().front().found);
  if (!parsed.value().plain() && parsed.value().dimension() != dimension)
    return bad_value(flag, text, to_text(dimension));
  const double value = parsed.value().value({});
  if (!(value > 0 && value < 1e300)) return bad_value(flag, text, "a number above zero");
  return value;
}

void set_positive(const char* flag,
                  const std::string& text,
                  Dimension dimension,
                  double& value,
                  Diagnostics& faults) {
  if (text.empty()) return;
  const auto parsed = parse_value(flag, text, dimension);
  if (parsed)
    value = parsed.value();
  else
    faults.push_back(parsed.why().front());
}

ReadOptions read_options(const ModelArguments& arguments, Diagnostics& faults) {
  ReadOptions read;
  for (const auto& item : arguments.set) {
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string::npos)
      faults.push_back(bad_value("--set", item, "name=value"));
    else
      read.set.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  read.spatial = arguments.spatial;
  return read;
}

Json to_json(const AssemblyOptions& a) {
  return {{"type", "assembly"}, {"tolerance", a.tolerance}, {"max_iterations", a.max_iterations}};
}

Json to_json(const DynamicOptions& d) {
  return {{"type", "dynamic"},
          {"until", d.until},
          {"output_step", d.output_step > 0 ? d.output_step : d.until / 200},
          {"formulation", d.formulation},
          {"integrator", d.integrator},
          {"order", d.order},
          {"step", d.step},
          {"rtol", d.rtol},
          {"atol", d.atol},
          {"max_step", d.max_step},
          {"max_steps", d.max_steps},
          {"error_estimate", d.error_estimate},
          {"max_drift", d.max_drift},
          {"constraint_tolerance", d.constraint_tolerance},
          {"alpha", d.alpha},
          {"beta", d.beta},
          {"zeta", d.zeta},
          {"omega", d.omega},
          {"gains", d.gains},
          {"safety", d.safety},
          {"stabilization", d.stabilization}};
}

}  // namespace

void ModelArguments::add_to(CommandLine& line) {
  line.option("MODEL", path, "The model file, or a folder with a model.toml").required();
  line.option("--set", set, "name=value: another value for a parameter; may be repeated")
      .one_each();
  line.flag("--spatial", spatial, "Run a planar model as a spatial one in the plane z = 0");
}

void AnalysisArguments::add_to(CommandLine& line) {
  for (const auto& option : options) line.option(option.flag, this->*option.value, option.help);
  line.flag("--error-estimate",
            error_estimate,
            "Estimate the error of every sample by a second, finer run");
}

std::string model_file(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? (fs::path(path) / "model.toml").string() : path;
}

Result<Model> read(const ModelArguments& arguments) {
  Diagnostics faults;
  const ReadOptions chosen = read_options(arguments, faults);
  if (!faults.empty()) return faults;
  return read_model(model_file(arguments.path), chosen);
}

Result<Model> read_stored(const ModelArguments& arguments, std::string text) {
  Diagnostics faults;
  ReadOptions chosen = read_options(arguments, faults);
  if (!faults.empty()) return faults;
  chosen.folder = fs::path(model_file(arguments.path)).parent_path();
  return read_model_text(std::move(text), model_file(arguments.path), chosen);
}

Diagnostics apply(const AnalysisArguments& a, Model& model) {
  Diagnostics faults;
  DynamicOptions* last = nullptr;
  for (auto& analysis : model.analyses) {
    auto* dynamic = std::get_if<DynamicOptions>(&analysis);
    if (dynamic == nullptr) continue;
    last = dynamic;
    if (a.error_estimate) dynamic->error_estimate = true;
    faults.clear();  // the same for every analysis
    if (!a.formulation.empty()) choose_formulation(a.formulation, *dynamic, model.notes);
    if (!a.integrator.empty()) dynamic->integrator = a.integrator;
    double order = dynamic->order;
    set_positive("--order", a.order, dimension::none, order, faults);
    dynamic->order = static_cast<int>(order);
    if (dynamic->order != order) faults.push_back(bad_value("--order", a.order, "a whole number"));
    set_positive("--step", a.step, dimension::time, dynamic->step, faults);
    const double ratio = dynamic->atol / dynamic->rtol;
    set_positive("--rtol", a.rtol, dimension::none, dynamic->rtol, faults);
    if (!a.rtol.empty()) dynamic->atol = ratio * dynamic->rtol;  // unless it is given too
    set_positive("--atol", a.atol, dimension::none, dynamic->atol, faults);
    set_positive("--output-step", a.output_step, dimension::time, dynamic->output_step, faults);
  }
  if (last != nullptr) {
    set_positive("--until", a.until, dimension::time, last->until, faults);
    return faults;
  }
  if (a.error_estimate)
    faults.push_back(usage_fault("usage.bad-option",
                                 "--error-estimate: the model has no dynamic analysis",
                                 "only simulated motions have an error to estimate"));
  for (const auto& option : options)
    if (!(a.*option.value).empty())
      faults.push_back(
          usage_fault("usage.bad-option",
                      fmt::format("{}: the model has no dynamic analysis", option.flag),
                      "add an [[analysis]] with type = \"dynamic\" to the model"));
  return faults;
}

void keep_assembly_only(Model& model) {
  AssemblyOptions kept;
  for (const auto& analysis : model.analyses)
    if (const auto* assembly = std::get_if<AssemblyOptions>(&analysis)) kept = *assembly;
  model.analyses = {kept};
}

Json to_json(const ModelArguments& model, const AnalysisArguments& analysis) {
  Json json{{"model", fs::absolute(model.path).lexically_normal().string()}, {"set", model.set}};
  if (model.spatial) json["spatial"] = true;
  for (const auto& option : options)
    if (!(analysis.*option.value).empty()) json[option.key] = analysis.*option.value;
  if (analysis.error_estimate) json["error_estimate"] = true;
  return json;
}

void from_json(const Json& json, ModelArguments& model, AnalysisArguments& analysis) {
  model.path = json.value("model", "");
  model.set = json.value("set", std::vector<std::string>());
  model.spatial = json.value("spatial", false);
  for (const auto& option : options) analysis.*option.value = json.value(option.key, "");
  analysis.error_estimate = json.value("error_estimate", false);
}

Json settings_of(const Model& model) {
  Json parameters = Json::object();
  for (const auto& [name, value] : model.parameters) parameters[name] = value;
  Json analyses = Json::array();
  for (const auto& analysis : model.analyses)
    analyses.push_back(std::visit([](const auto& a) { return to_json(a); }, analysis));
  return {{"parameters", parameters}, {"analyses", analyses}};
}

}  // namespace cardan::app
