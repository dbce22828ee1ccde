#include "cardan/session/model_request.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/io/read_model.h"
#include "cardan/model/analysis_type.h"
#include "cardan/session/analysis_options.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Diagnostic no_function(const std::string& name) {
  Diagnostic d;
  d.id = "io.no-function";
  d.found = fmt::format("a run that calls the function '{}' of a program", name);
  d.expected = "a run whose model says everything";
  return d;
}

std::string without_blanks(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

ReadOptions read_options(const ModelRequest& request, Diagnostics& faults) {
  ReadOptions read;
  for (const auto& item : request.set) {
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string::npos)
      faults.push_back(bad_option_value("--set", item, "name=value"));
    else
      read.set.emplace_back(without_blanks(item.substr(0, equals)),
                            without_blanks(item.substr(equals + 1)));
  }
  read.spatial = request.spatial;
  read.functions = request.functions;
  read.files = request.files;
  for (const auto& [name, function] : request.functions)
    if (function == nullptr) faults.push_back(no_function(name));
  return read;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool is_given(const ModelRequest& request, std::string_view key) {
  return std::any_of(request.options.begin(), request.options.end(), [&](const auto& option) {
    return option.first == key;
  });
}

// Keys without a default that neither the model nor the request says.
Diagnostics missing_options(const ModelRequest& request,
                            const std::vector<Analysis>& analyses,
                            const AnalysisType& type) {
  Diagnostics faults;
  for (const Analysis& analysis : analyses)
    if (&analysis_type(analysis) == &type || std::holds_alternative<DynamicOptions>(analysis))
      return faults;
  if (is_given(request, "range")) return faults;  // a sweep has no end time
  for (const OptionField& field : type.fields) {
    const auto has_it = [&](const Analysis& analysis) {
      return analysis_type(analysis).field(field.key.name) != nullptr;
    };
    if (!field.key.required() || is_given(request, field.key.name) ||
        std::any_of(analyses.begin(), analyses.end(), has_it))
      continue;
    Diagnostic d;
    d.id = "usage.bad-option";
    d.found = fmt::format("no {}, and no [[analysis]] in the model that has it",
                          option_flag(field.key.name));
    d.expected = fmt::format("{} = {}", option_flag(field.key.name), field.key.doc);
    faults.push_back(std::move(d));
  }
  return faults;
}

// A model without analyses is put together.
Diagnostics choose_analyses(const ModelRequest& request, Model& model) {
  if (request.analysis.empty() && !model.analyses.empty()) return {};
  if (request.analysis.empty()) {
    Diagnostic d;
    d.id = "model.unlikely";
    d.severity = Severity::note;
    d.found = "no [[analysis]]: the mechanism is put together, and nothing moves";
    d.hint = "write [[analysis]] with type = \"dynamic\" and until = \"2 s\"";
    model.notes.push_back(std::move(d));
  }
  const std::string name = request.analysis.empty() ? "assembly" : request.analysis;
  const AnalysisType* type = find_analysis(name);
  if (type == nullptr) return {bad_option_value("analysis", name, "the name of an analysis")};
  Diagnostics faults = missing_options(request, model.analyses, *type);
  model.analyses = analyses_of_type(model.analyses, *type);
  return faults;
}

bool is_used(const Model& model, const std::string& parameter) {
  return std::any_of(model.parameter_uses.begin(),
                     model.parameter_uses.end(),
                     [&](const ParameterUse& use) {
                       return std::find(use.parameters.begin(), use.parameters.end(), parameter) !=
                              use.parameters.end();
                     }) ||
         std::any_of(model.results.begin(), model.results.end(), [&](const ResultFormula& result) {
           return std::any_of(result.constants.begin(), result.constants.end(), [&](const auto& c) {
             return c.name == parameter;
           });
         });
}

bool is_named(const ModelRequest& request, const std::string& parameter) {
  return std::any_of(request.options.begin(), request.options.end(), [&](const auto& option) {
    const auto names = names_in(option.second);
    return std::find(names.begin(), names.end(), parameter) != names.end();
  });
}

// Parameters that were given other values, though nothing follows from them.
void warn_of_unused(const ModelRequest& request, Model& model) {
  for (const auto& item : request.set) {
    const std::string name = without_blanks(item.substr(0, item.find('=')));
    if (is_used(model, name) || is_named(request, name) || model.own != nullptr) continue;
    Diagnostic d;
    d.id = "model.unlikely";
    d.severity = Severity::warning;
    d.element = fmt::format("parameter '{}'", name);
    d.found = fmt::format("--set {} changes nothing: no element uses this parameter", item);
    d.hint = "`cardan parameters` lists what follows from each";
    model.notes.push_back(std::move(d));
  }
}

// What the request says and the model does not need; of a model that was read, which knows what follows from
// its parameters, as its variants do not.
Result<Model> and_told(const ModelRequest& request, Result<Model> model) {
  if (model) warn_of_unused(request, model.value());
  return model;
}

// What was read, as the request wants it.
Result<Model> requested(const ModelRequest& request, Result<ParametricModel> read) {
  if (!read) return read.why();
  const std::vector<ParameterInfo> parameters = read.value().parameters();
  return and_told(request, with_request(request, parameters, std::move(read).value().take()));
}

Json value_json(const OptionValue& value) {
  return std::visit([](const auto& x) { return Json(x); }, value);
}

}  // namespace

std::vector<std::string> unused_parameters(const Model& model) {
  std::vector<std::string> unused;
  if (model.own != nullptr) return unused;
  for (const auto& [name, value] : model.parameters)
    if (!is_used(model, name)) unused.push_back(name);
  return unused;
}

std::string model_file(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? (fs::path(path) / "model.toml").string() : path;
}

Result<Model> with_request(const ModelRequest& request,
                           const std::vector<ParameterInfo>& parameters,
                           Result<Model> model) {
  if (!model) return model;
  Diagnostics faults = choose_analyses(request, model.value());
  for (Diagnostic& d : apply_options(request.options, parameters, model.value()))
    faults.push_back(std::move(d));
  if (!faults.empty()) return faults;
  return model;
}

Result<Model> read(const ModelRequest& request) {
  if (request.text) return read_stored(request, *request.text);
  Diagnostics faults;
  const ReadOptions chosen = read_options(request, faults);
  if (!faults.empty()) return faults;
  return requested(request, ParametricModel::read(model_file(request.path), chosen));
}

Result<Model> read_stored(const ModelRequest& request, std::string text) {
  Diagnostics faults;
  ReadOptions chosen = read_options(request, faults);
  if (!faults.empty()) return faults;
  const std::string path = model_file(request.path);
  chosen.folder = folder_of(path);
  return requested(request, ParametricModel::read_text(std::move(text), path, chosen));
}

Result<ParametricModel> parametric(const ModelRequest& request, const Model& model) {
  Diagnostics faults;
  ReadOptions chosen = read_options(request, faults);
  if (!faults.empty()) return faults;
  chosen.folder = folder_of(model_file(request.path));
  return ParametricModel::read_text(model.text, model.path, chosen);
}

Json to_json(const ModelRequest& request) {
  Json json{{"model", fs::absolute(request.path).lexically_normal().string()},
            {"set", request.set}};
  if (request.spatial) json["spatial"] = true;
  for (const auto& [key, value] : request.options) json[key] = value;
  if (!request.analysis.empty()) json["analysis"] = request.analysis;
  for (const auto& [name, function] : request.functions) json["functions"].push_back(name);
  return json;
}

ModelRequest model_request(const Json& json) {
  ModelRequest request;
  for (const auto& [key, value] : json.items()) {
    if (key == "model")
      request.path = value.get<std::string>();
    else if (key == "set")
      request.set = value.get<std::vector<std::string>>();
    else if (key == "spatial")
      request.spatial = value.get<bool>();
    else if (key == "analysis")
      request.analysis = value.get<std::string>();
    else if (key == "functions")
      for (const auto& name : value)
        request.functions.emplace_back(name.get<std::string>(), nullptr);
    else
      request.give(key, value.get<std::string>());
  }
  return request;
}

namespace {

// Numbers that are not finite are options that were not given; empty words likewise.
bool says_something(const Json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  return !(value.is_null() || (value.is_string() && value.get<std::string>().empty()) ||
           (value.is_structured() && value.empty()));
}

Json without_empty(const Json& from) {
  Json out = Json::object();
  for (const auto& [key, value] : from.items()) {
    Json kept = value.is_object() ? without_empty(value) : value;
    if (says_something(kept)) out[key] = std::move(kept);
  }
  return out;
}

void fill_in(const Summary& summary, Json& analysis) {
  const auto put = [&](const char* key, const std::string& used) {
    if (!used.empty() && analysis.contains(key)) analysis[key] = used;
  };
  put("formulation", summary.formulation);
  put("integrator", summary.integrator);
  if (analysis.contains("rows") && analysis["rows"] == "auto")
    analysis["rows"] = std::isnan(summary.rows.error) ? "grid" : "both";
}

}  // namespace

Json settings_used(const Model& model, const Summary& summary) {
  Json settings = settings_of(model);
  Json& analyses = settings["analyses"];
  for (std::size_t k = 0; k < analyses.size() && k <= summary.earlier.size(); ++k) {
    fill_in(k < summary.earlier.size() ? summary.earlier[k] : summary, analyses[k]);
    analyses[k] = without_empty(analyses[k]);
  }
  return settings;
}

Json settings_of(const Model& model) {
  Json parameters = Json::object();
  for (const auto& [name, value] : model.parameters) parameters[name] = value;
  Json analyses = Json::array();
  for (const Analysis& analysis : model.analyses) {
    const AnalysisType& type = analysis_type(analysis);
    Json json{{"type", type.name}};
    for (const OptionField& field : type.fields)
      json[std::string(field.key.name)] = value_json(field.get(analysis));
    for (const OptionField& field : type.integrator_fields)
      if (type.field(field.key.name) == nullptr)
        json["integrator_settings"][std::string(field.key.name)] = value_json(field.get(analysis));
    if (const OptionField* step = type.field("output_step");
        step != nullptr && std::get<double>(step->get(analysis)) == 0)
      json["output_step"] =
          (std::get<double>(type.field("until")->get(analysis)) - model.start_time) / 200;
    analyses.push_back(std::move(json));
  }
  return {{"parameters", parameters}, {"analyses", analyses}};
}

}  // namespace cardan
