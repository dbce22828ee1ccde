// y' = f(t, y), or q'' = f(t, q, q'), with f written in Python, by every method of the library.
#include <cmath>

#include "cardan/ode/integrator.h"
#include "cardan/ode/method_options.h"
#include "cardan/ode/registry.h"
#include "cardan/ode/second_order/second_order.h"
#include "convert.h"

namespace cardan::python {

namespace {

// Calls of functions that give numbers; what they raise ends the integration.
class PythonCalls {
 public:
  PythonCalls(nb::object f, nb::object jacobian)
      : f_(std::move(f)), jacobian_(std::move(jacobian)) {}

  bool has_jacobian() const { return !jacobian_.is_none(); }

  template <class... Vectors> bool f(double t, View out, Vectors... y) {
    return call(f_, t, out, y...);
  }

  template <class... Vectors> bool jacobian(double t, View out, Vectors... y) {
    return call(jacobian_, t, out, y...);
  }

  void rethrow() {
    if (error_) throw nb::python_error(std::move(*error_));
    if (!wrong_.empty()) throw nb::value_error(wrong_.c_str());
  }

 private:
  template <class... Vectors>
  bool call(const nb::object& function, double t, View out, Vectors... y) {
    if (error_ || !wrong_.empty()) return false;
    if (PyErr_CheckSignals() != 0) {
      error_ = std::make_unique<nb::python_error>();
      return false;
    }
    try {
      const nb::object found = function(t, array({y.begin(), y.end()})...);
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
  nb::object as_doubles_ = nb::module_::import_("numpy").attr("ascontiguousarray");
  std::unique_ptr<nb::python_error> error_;
  std::string wrong_;
};

class PythonProblem final : public OdeProblem {
 public:
  PythonProblem(PythonCalls& calls, int size) : calls_(calls), size_(size) {}

  int size() const override { return size_; }

  Eval f(double t, CView y, View dy) override {
    return calls_.f(t, dy, y) ? Eval::ok : Eval::fatal;
  }

  bool jacobian(double t, CView y, View J) override {
    if (!calls_.has_jacobian()) return false;
    std::vector<double> rows(J.size());
    if (!calls_.jacobian(t, rows, y)) {
      std::fill(J.begin(), J.end(), std::nan(""));
      return true;
    }
    const auto n = static_cast<std::size_t>(size_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) J[k * n + i] = rows[i * n + k];
    return true;
  }

 private:
  PythonCalls& calls_;
  int size_;
};

// q'' = f(t, q, q').
class PythonMotion final : public SecondOrderProblem {
 public:
  PythonMotion(PythonCalls& calls, int size) : calls_(calls), size_(size) {}

  int velocities() const override { return size_; }

  Eval acceleration(double t, CView q, CView v, View a) override {
    return calls_.f(t, a, q, v) ? Eval::ok : Eval::fatal;
  }

 private:
  PythonCalls& calls_;
  int size_;
};

std::string failure_words(const Stop& stop) {
  return stop.why == Stop::Why::end ? "" : to_text(to_diagnostic(stop.failure));
}

struct OdeSetting {
  std::string method;
  MethodOptions options;
  double rtol = 1e-6, atol = 1e-9;
};

Diagnostic no_option(const std::string& name) {
  Diagnostic d;
  d.id = "usage.bad-option";
  d.found = "the unknown option '" + name + "'";
  d.expected = "alpha, beta, gamma, rho_infinity, start or variant";
  return d;
}

// Options of single methods by name.
void give_options(const nb::dict& given, MethodOptions& to) {
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "start")
      to.start = nb::cast<std::string>(value);
    else if (name == "variant")
      to.variant = nb::cast<std::string>(value);
    else if (name == "alpha")
      to.alpha = nb::cast<double>(value);
    else if (name == "beta")
      to.beta = nb::cast<double>(value);
    else if (name == "gamma")
      to.gamma = nb::cast<double>(value);
    else if (name == "rho_infinity")
      to.rho_infinity = nb::cast<double>(value);
    else
      throw Fault{{no_option(name)}};
  }
}

Diagnostic no_step(const std::string& method) {
  Diagnostic d;
  d.id = "usage.bad-option";
  d.found = "no step for '" + method + "'";
  d.expected = "step, since the method has a fixed one";
  return d;
}

nb::dict solve(nb::object f,
               nb::object jacobian,
               double from,
               double until,
               const Vector& y0,
               bool second_order,  // y0: positions and velocities
               const OdeSetting& setting,
               std::optional<std::vector<double>> outputs) {
  PythonCalls calls(std::move(f), std::move(jacobian));
  const int size = static_cast<int>(y0.size());
  PythonProblem plain(calls, size);
  PythonMotion motion(calls, size / 2);
  FirstOrderForm of_motion(motion);
  OdeProblem& problem = second_order ? static_cast<OdeProblem&>(of_motion) : plain;
  if (auto fault = foreign_options(setting.method, setting.options)) throw Fault{{*fault}};
  auto method = value_of(make_method(setting.method, setting.options, problem));
  if (!method->traits().adaptive && !(setting.options.step > 0))
    throw Fault{{no_step(setting.method)}};
  Tolerance tolerance;
  tolerance.rtol = setting.rtol;
  tolerance.atol = setting.atol;
  IntegratorOptions how;
  how.step = setting.options.step;
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
  calls.rethrow();
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
         bool second_order,
         const std::string& method,
         int order,
         double step,
         const nb::dict& options,
         double rtol,
         double atol,
         std::optional<std::vector<double>> outputs) {
        OdeSetting setting{method, {}, rtol, atol};
        setting.options.order = order;
        setting.options.step = step;
        give_options(options, setting.options);
        return solve(std::move(f),
                     std::move(jacobian),
                     from,
                     until,
                     y0,
                     second_order,
                     setting,
                     std::move(outputs));
      },
      nb::arg("f"),
      nb::arg("jacobian").none(),
      nb::arg("from_"),
      nb::arg("until"),
      nb::arg("y0"),
      nb::arg("second_order"),
      nb::arg("method"),
      nb::arg("order"),
      nb::arg("step"),
      nb::arg("options"),
      nb::arg("rtol"),
      nb::arg("atol"),
      nb::arg("outputs").none());
}

}  // namespace cardan::python
