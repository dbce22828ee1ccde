// The module cardan._core: the session as Python objects. Structured results travel as JSON texts,
// which the package cardan turns into objects of its own.
#include "cardan/io/schema.h"
#include "cardan/results/manifest.h"
#include "cardan/session/method_reference.h"
#include "convert.h"

NB_MODULE(_core, m) {
  using namespace cardan::python;
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Fault& fault) {
      const nb::object made = nb::module_::import_("cardan.errors")
                                  .attr("exception")(cardan::to_line(cardan::to_json(fault.why)));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
    }
  });
  m.def("version", [] { return std::string(cardan::version()); });
  m.def(
      "schema",
      [] { return cardan::model_schema(cardan::method_text()); },
      "JSON schema of model files.");
  m.def("exit_code", [](const std::vector<std::pair<std::string, std::string>>& found) {
    cardan::Diagnostics all;
    for (const auto& [id, severity] : found) {
      cardan::Diagnostic& d = all.emplace_back();
      d.id = id;
      d.severity = severity == "error" ? cardan::Severity::error : cardan::Severity::warning;
    }
    return cardan::exit_code(all);
  });
  define_models(m);
  define_runs(m);
  define_system(m);
  define_ode(m);
  define_sweeps(m);
}
