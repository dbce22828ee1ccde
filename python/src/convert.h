#pragma once
// What every file of the module needs: faults as Python exceptions, results as JSON texts, numbers as
// NumPy arrays, interrupts.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "cardan/analysis/control.h"
#include "cardan/base/result.h"
#include "cardan/results/json.h"

namespace nb = nanobind;

namespace cardan::python {

using Json = nlohmann::ordered_json;

struct Fault {  // becomes the exception that Python has for its first diagnostic
  Diagnostics why;
};

template <class T> T value_of(Result<T> result) {
  if (!result) throw Fault{result.why()};
  return std::move(result).value();
}

inline void check(const std::optional<Diagnostic>& fault) {
  if (fault) throw Fault{{*fault}};
}

// Numbers and vectors as Python gives them.
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline std::span<const double> view(const Vector& x) {
  return {x.data(), x.size()};
}

// An array that owns its numbers.
inline nb::ndarray<nb::numpy, double> array(std::vector<double> values,
                                            std::vector<std::size_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {kept->data(), shape.size(), shape.data(), owner};
}

inline nb::ndarray<nb::numpy, double> array(std::vector<double> values) {
  const std::size_t size = values.size();
  return array(std::move(values), {size});
}

// Follows a run that works without the interpreter's lock: Ctrl-C ends it, and Python hears how far
// it is. What Python raised meanwhile is raised again by rethrow(), with the lock.
class Listener {
 public:
  explicit Listener(nb::object progress) : progress_(std::move(progress)) {}

  Control control() {
    Control out;
    out.cancelled = [this] {
      return stopped();
    };
    if (!progress_.is_none())
      out.progress = [this](double t, double from, double until) {
        tell(t, from, until);
      };
    return out;
  }

  bool stopped() {
    if (error_) return true;
    if (!due(asked_, std::chrono::milliseconds(50))) return false;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) error_ = std::make_unique<nb::python_error>();
    return error_ != nullptr;
  }

  template <class... Arguments> void tell(Arguments... arguments) {
    if (error_ || progress_.is_none() || !due(told_, std::chrono::milliseconds(100))) return;
    const nb::gil_scoped_acquire lock;
    try {
      progress_(arguments...);
    } catch (nb::python_error& error) {
      error_ = std::make_unique<nb::python_error>(std::move(error));
    }
  }

  void rethrow() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  using Clock = std::chrono::steady_clock;

  static bool due(Clock::time_point& last, std::chrono::milliseconds interval) {
    const auto now = Clock::now();
    if (now - last < interval) return false;
    last = now;
    return true;
  }

  nb::object progress_;
  Clock::time_point asked_ = Clock::now(), told_ = asked_;
  std::unique_ptr<nb::python_error> error_;
};

void define_models(nb::module_&);
void define_runs(nb::module_&);
void define_system(nb::module_&);
void define_ode(nb::module_&);
void define_sweeps(nb::module_&);

}  // namespace cardan::python
