#pragma once
// A function of one variable written in Python, for formulas of a model.
#include <atomic>

#include "cardan/math/function.h"
#include "cardan/session/model_request.h"
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

  // From here on what it raises is the fault of the point of a sweep that runs: there the function has no
  // value, and other points call it again. An interrupt ends all.
  void only_fails_points() const { only_fails_points_ = true; }

  bool ended() const { return ended_; }  // something was raised that ends all

  long failures() const { return failures_; }  // of points

  const std::string& first_failure() const { return first_failure_; }

  void rethrow() const {  // what Python raised meanwhile; with the interpreter's lock
    ended_ = false;
    if (error_) throw nb::python_error(std::move(*std::exchange(error_, nullptr)));
  }

 private:
  Jet call(double x) const;
  void keep(nb::python_error& error) const;

  nb::object f_;
  mutable std::unique_ptr<nb::python_error> error_;
  mutable std::atomic<bool> ended_ = false;
  mutable std::atomic<long> failures_ = 0;
  mutable std::string first_failure_;
  mutable bool only_fails_points_ = false;
};

// The functions of a request, by name.
std::vector<std::pair<std::string, const PythonFunction*>> python_functions(const ModelRequest&);

void rethrow_functions(const ModelRequest&);  // what they raised

}  // namespace cardan::python
