// y' = f(t, y) with f written in Python, by every method of the library.
#include <cmath>

#include "cardan/ode/integrator.h"
#include "cardan/ode/method_options.h"
#include "cardan/ode/registry.h"
#include "convert.h"

namespace cardan::python {

namespace {

class PythonProblem final : public OdeProblem {
 public:
  PythonProblem(nb::object f, nb::object jacobian, int size)
      : f_(std::move(f)), jacobian_(std::move(jacobian)), size_(size) {}

  int size() const override { return size_; }

  Eval f(double t, CView y, View dy) override {
    return call(f_, t, y, dy) ? Eval::ok : Eval::fatal;
  }

  bool jacobian(double t, CView y, View J) override {
    if (jacobian_.is_none()) return false;
    std::vector<double> rows(J.size());
    if (!call(jacobian_, t, y, rows)) {
      std::fill(J.begin(), J.end(), std::nan(""));
      return true;
    }
    const auto n = static_cast<std::size_t>(size_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) J[k * n + i] = rows[i * n + k];
    return true;
  }

  void rethrow() {
    if (error_) throw nb::python_error(std::move(*error_));
    if (!wrong_.empty()) throw nb::value_error(wrong_.c_str());
  }

 private:
  bool call(const nb::object& function, double t, CView y, View out) {
    if (error_ || !wrong_.empty()) return false;
    if (PyErr_CheckSignals() != 0) {
      error_ = std::make_unique<nb::python_error>();
      return false;
    }
    try {
      const nb::object found = function(t, array({y.begin(), y.end()}));
      const auto numbers =
          nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(as_doubles_(found));
      if (numbers.size() != out.size()) {
        wrong_ = "the function gave " + std::to_string(numbers.size()) + " numbers instead of " +
                 std::to_string(out.size());
        return false;
      }
      std::copy_n(numbers.data(), out.size(), out.begin());
    } catch (nb::python_error& error) {
      error_ = std::make_unique<nb::python_error>(std::move(error));
      return false;
    } catch (const nb::cast_error&) {
      wrong_ = "the function gave no list of numbers";
      return false;
    }
    return true;
  }

  nb::object f_, jacobian_;
  int size_;
  nb::object as_doubles_ = nb::module_::import_("numpy").attr("ascontiguousarray");
  std::unique_ptr<nb::python_error> error_;
  std::string wrong_;
};

std::string failure_words(const Stop& stop) {
  return stop.why == Stop::Why::end ? "" : to_text(to_diagnostic(stop.failure));
}

struct OdeSetting {
  std::string method;
  int order = 0;
  double step = 0, rtol = 1e-6, atol = 1e-9;
};

nb::dict solve(nb::object f,
               nb::object jacobian,
               double from,
               double until,
               const Vector& y0,
               const OdeSetting& setting,
               std::optional<std::vector<double>> outputs) {
  PythonProblem problem(std::move(f), std::move(jacobian), static_cast<int>(y0.size()));
  MethodOptions options;
  options.order = setting.order;
  options.step = setting.step;
  auto method = value_of(make_method(setting.method, options, problem));
  Tolerance tolerance;
  tolerance.rtol = setting.rtol;
  tolerance.atol = setting.atol;
  IntegratorOptions how;
  how.step = setting.step;
  how.may_overshoot = false;  // f may not exist behind the end
  Integrator integrator(std::move(method), tolerance, how);
  std::vector<double> t, y;
  const auto keep = [&](double at, CView state) {
    t.push_back(at);
    y.insert(y.end(), state.begin(), state.end());
    return Flow::go_on;
  };
  if (outputs) {
    integrator.on_output = keep;
    integrator.output_at(*outputs);
  } else {
    keep(from, view(y0));
    integrator.on_step = [&](const StepRecord& step) {
      return keep(step.t, step.y);
    };
  }
  std::string message;
  if (integrator.start(from, view(y0)) == Eval::ok)
    message = failure_words(integrator.advance(until));
  else
    message = "f cannot be evaluated at the start";
  problem.rethrow();
  const Stats& s = integrator.stats();
  nb::dict out;
  const std::size_t rows = t.size();
  out["t"] = array(std::move(t));
  out["y"] = array(std::move(y), {rows, y0.size()});
  out["message"] = message;
  out["steps"] = s.steps;
  out["rejected"] = s.rejected;
  out["nfev"] = s.f;
  out["njev"] = s.jacobian;
  out["nlu"] = s.factorization;
  return out;
}

}  // namespace

void define_ode(nb::module_& m) {
  m.def("ode_methods", [] {
    Json list = Json::array();
    for (const MethodEntry* entry : list_methods())
      list.push_back({{"name", entry->name}, {"doc", entry->summary}});
    return to_line(list);
  });
  m.def(
      "ode_solve",
      [](nb::object f,
         nb::object jacobian,
         double from,
         double until,
         const Vector& y0,
         const std::string& method,
         int order,
         double step,
         double rtol,
         double atol,
         std::optional<std::vector<double>> outputs) {
        return solve(std::move(f),
                     std::move(jacobian),
                     from,
                     until,
                     y0,
                     {method, order, step, rtol, atol},
                     std::move(outputs));
      },
      nb::arg("f"),
      nb::arg("jacobian").none(),
      nb::arg("from_"),
      nb::arg("until"),
      nb::arg("y0"),
      nb::arg("method"),
      nb::arg("order"),
      nb::arg("step"),
      nb::arg("rtol"),
      nb::arg("atol"),
      nb::arg("outputs").none());
}

}  // namespace cardan::python
