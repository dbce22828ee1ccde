#pragma once
// A function of one variable written in Python, for formulas of a model.
#include <mutex>

#include "cardan/math/function.h"
#include "convert.h"

namespace cardan::python {

// f(x) gives a value, or value, first and second derivative. Where it gives a value alone, its derivatives
// are central differences:
//   f' = (f(x+h) - f(x-h))/2h,   f'' = (f(x+h) - 2 f(x) + f(x-h))/h^2,   h = 1e-4 max(1, |x|)
class PythonFunction final : public Function {
 public:
  explicit PythonFunction(nb::object f) : f_(std::move(f)) {}

  ~PythonFunction() override {
    const nb::gil_scoped_acquire lock;
    f_.reset();
    error_.reset();
  }

  PythonFunction(const PythonFunction&) = delete;
  PythonFunction& operator=(const PythonFunction&) = delete;

  Jet at(double x) const override;

  bool constant() const override { return false; }

  void rethrow() const {  // what Python raised meanwhile; with the interpreter's lock
    if (error_) throw nb::python_error(std::move(*std::exchange(error_, nullptr)));
  }

 private:
  Jet call(double x) const;

  nb::object f_;
  mutable std::unique_ptr<nb::python_error> error_;
};

}  // namespace cardan::python
