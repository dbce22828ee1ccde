// Models: what is asked for, checks, parameters, runs, rankings of parameters, comparisons of methods.
#include "cardan/model/analysis_type.h"
#include "cardan/session/memory_run.h"
#include "cardan/session/mobility_json.h"
#include "cardan/session/parameter_ranking.h"
#include "cardan/session/session.h"
#include "cardan/session/verify.h"
#include "cardan/study/comparison_report.h"
#include "convert.h"
#include "function.h"
#include "memory_run.h"

namespace cardan::python {

namespace {

Json analyses_json() {
  Json list = Json::array();
  for (const AnalysisType& type : analysis_types()) {
    Json fields = Json::array();
    for (const OptionField& field : type.fields)
      fields.push_back({{"name", field.key.name}, {"doc", field.key.doc}});
    list.push_back({{"name", type.name},
                    {"command", type.command},
                    {"doc", type.doc},
                    {"options", std::move(fields)}});
  }
  return list;
}

// Reads, compiles and assembles.
std::string check_json(const ModelRequest& request) {
  const Model model = value_of(read(request));
  const Checked checked = check_model(model);
  rethrow_functions(request);
  Json out{{"ok", checked.system != nullptr && checked.assembly.ok},
           {"title", model.title},
           {"diagnostics", to_json(checked.diagnostics)}};
  if (checked.system != nullptr && checked.assembly.ok)
    out["mobility"] = to_json(checked.assembly.mobility, mobility_text(checked.assembly.mobility));
  return to_line(out);
}

std::string parameters_json(const ModelRequest& request) {
  const Model model = value_of(read(request));
  const ParametricModel known = value_of(parametric(request, model));
  Json list = Json::array();
  for (const ParameterInfo& p : known.parameters())
    list.push_back({{"name", p.name},
                    {"value", p.value},
                    {"unit", si_unit(p.dimension)},
                    {"text", p.text},
                    {"follows_from", p.uses},
                    {"structural", p.structural}});
  return to_line(list);
}

MemoryRunData run(const ModelRequest& model, bool branches, nb::object progress) {
  Listener listener(std::move(progress));
  RunRequest request{model, {}, listener.control()};
  request.control.branches = branches;
  std::optional<Result<MemoryResult>> done;
  {
    const nb::gil_scoped_release unlocked;
    done.emplace(run_in_memory(request));
  }
  listener.rethrow();
  rethrow_functions(model);
  return {value_of(std::move(*done)), model_file(model.path)};
}

std::string result_json(const RunResult& result) {
  return to_line({{"folder", result.folder.string()},
                  {"was_complete", result.was_complete},
                  {"exit_code", result.outcome.exit_code()},
                  {"summary", to_json(result.outcome.summary)}});
}

std::string run_stored(const ModelRequest& model,
                       const std::string& folder,
                       bool force,
                       bool csv,
                       bool report,
                       bool branches,
                       nb::object progress) {
  Listener listener(std::move(progress));
  RunRequest request{model, {folder, force, csv, report}, listener.control()};
  request.control.branches = branches;
  std::optional<Result<RunResult>> done;
  {
    const nb::gil_scoped_release unlocked;
    done.emplace(run_model_file(request));
  }
  listener.rethrow();
  rethrow_functions(model);
  return result_json(value_of(std::move(*done)));
}

std::string resume(const std::string& folder, bool csv, bool report, nb::object progress) {
  Listener listener(std::move(progress));
  std::optional<Result<RunResult>> done;
  {
    const nb::gil_scoped_release unlocked;
    done.emplace(resume_run(folder, {folder, false, csv, report}, listener.control()));
  }
  listener.rethrow();
  return result_json(value_of(std::move(*done)));
}

std::string rank(const ModelRequest& model,
                 const std::vector<std::string>& of,
                 const std::vector<std::string>& by,
                 nb::object progress) {
  Listener listener(std::move(progress));
  std::optional<Result<Outcome>> done;
  {
    const nb::gil_scoped_release unlocked;
    done.emplace(rank_parameters({model, of, by}, listener.control()));
  }
  listener.rethrow();
  rethrow_functions(model);
  return to_line(to_json(value_of(std::move(*done)).summary));
}

// As JSON, and in words.
std::pair<std::string, std::string> compare(const ModelRequest& request,
                                            const ComparisonOptions& options,
                                            nb::object progress) {
  const Model model = value_of(read(request));
  Listener listener(std::move(progress));
  ComparisonControl control;
  control.cancelled = [&] {
    return listener.stopped();
  };
  control.progress = [&](const std::string& what, std::size_t done, std::size_t all) {
    listener.tell(what, done, all);
  };
  std::optional<Result<Comparison>> found;
  {
    const nb::gil_scoped_release unlocked;
    found.emplace(compare_methods(model, options, control));
  }
  listener.rethrow();
  rethrow_functions(request);
  const Comparison comparison = value_of(std::move(*found));
  return {to_line(comparison_json(comparison)), comparison_text(comparison)};
}

}  // namespace

void define_models(nb::module_& m) {
  nb::class_<ModelRequest>(m, "Request", "Which model, and what is changed in it before it runs.")
      .def(nb::init<>())
      .def_rw("path", &ModelRequest::path)
      .def_rw("text", &ModelRequest::text)
      .def_rw("set", &ModelRequest::set)
      .def_rw("spatial", &ModelRequest::spatial)
      .def_rw("options", &ModelRequest::options)
      .def_rw("analysis", &ModelRequest::analysis)
      .def_rw("files", &ModelRequest::files)
      .def("add_function", [](ModelRequest& request, std::string name, nb::object f) {
        request.functions.emplace_back(std::move(name),
                                       std::make_shared<PythonFunction>(std::move(f)));
      });
  nb::class_<ComparisonOptions>(m, "ComparisonOptions", "What a comparison of methods tries.")
      .def(nb::init<>())
      .def_rw("accuracy", &ComparisonOptions::accuracy)
      .def_rw("formulations", &ComparisonOptions::formulations)
      .def_rw("integrators", &ComparisonOptions::integrators)
      .def_rw("tolerances", &ComparisonOptions::tolerances)
      .def_rw("steps", &ComparisonOptions::steps)
      .def_rw("channels", &ComparisonOptions::channels)
      .def_rw("budget", &ComparisonOptions::budget);
  m.def(
      "rank", &rank, nb::arg("request"), nb::arg("of"), nb::arg("by"), nb::arg("progress").none());
  m.def("compare", &compare, nb::arg("request"), nb::arg("options"), nb::arg("progress").none());
  m.def("analyses", [] { return to_line(analyses_json()); });
  m.def("model_file", &model_file);
  m.def("check", &check_json);
  m.def("parameters", &parameters_json);
  m.def("run", &run, nb::arg("request"), nb::arg("branches"), nb::arg("progress").none());
  m.def("run_stored",
        &run_stored,
        nb::arg("request"),
        nb::arg("folder"),
        nb::arg("force"),
        nb::arg("csv"),
        nb::arg("report"),
        nb::arg("branches"),
        nb::arg("progress").none());
  m.def("resume",
        &resume,
        nb::arg("folder"),
        nb::arg("csv"),
        nb::arg("report"),
        nb::arg("progress").none());
}

}  // namespace cardan::python
