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
    error_ = std::make_unique<nb::python_error>(std::move(error));
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
    error_ = std::make_unique<nb::python_error>();
  }
  return {not_known, not_known, not_known};
}

}  // namespace cardan::python
