#include "function.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cardan::python {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Jet PythonFunction::call(double x) const {
  const nb::object found = f_(x);
  if (nb::isinstance<nb::tuple>(found) || nb::isinstance<nb::list>(found)) {
    if (nb::len(found) != 3)
      throw nb::value_error(
          "a function of a model gives a number, or value, first and second derivative");
    return {nb::cast<double>(nb::float_(found[0])),
            nb::cast<double>(nb::float_(found[1])),
            nb::cast<double>(nb::float_(found[2]))};
  }
  return {nb::cast<double>(nb::float_(found)), not_known, not_known};
}

Jet PythonFunction::at(double x) const {
  const nb::gil_scoped_acquire lock;
  if (error_) return {not_known, not_known, not_known};
  try {
    Jet out = call(x);
    if (std::isnan(out.d) && !std::isnan(out.f)) {
      const double h = 1e-4 * std::max(1.0, std::abs(x));
      const double above = call(x + h).f, below = call(x - h).f;
      out.d = (above - below) / (2 * h);
      out.dd = (above - 2 * out.f + below) / (h * h);
    }
    return out;
  } catch (nb::python_error& error) {
    keep(error);
  } catch (const std::exception& fault) {
    PyErr_SetString(PyExc_TypeError, fault.what());
    nb::python_error error;
    keep(error);
  }
  return {not_known, not_known, not_known};
}

void PythonFunction::keep(nb::python_error& error) const {
  if (only_fails_points_ && error.matches(PyExc_Exception)) {
    if (failures_++ == 0)
      first_failure_ = std::string(nb::str(error.type().attr("__name__")).c_str()) + ": " +
                       nb::str(error.value()).c_str();
    return;
  }
  error_ = std::make_unique<nb::python_error>(std::move(error));
  ended_ = true;
}

std::vector<std::pair<std::string, const PythonFunction*>> python_functions(
    const ModelRequest& request) {
  std::vector<std::pair<std::string, const PythonFunction*>> out;
  for (const auto& [name, function] : request.functions)
    if (const auto* own = dynamic_cast<const PythonFunction*>(function.get()))
      out.emplace_back(name, own);
  return out;
}

void rethrow_functions(const ModelRequest& request) {
  for (const auto& [name, function] : python_functions(request)) function->rethrow();
}

}  // namespace cardan::python
