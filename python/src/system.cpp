// The equations of a mechanism in numbers, for own integrators and formulations.
#include <mutex>

#include "cardan/analysis/run.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/formulation/mechanism_equations.h"
#include "cardan/session/model_request.h"
#include "cardan/system/motion_solver.h"
#include "convert.h"
#include "function.h"

namespace cardan::python {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

Diagnostic wrong_size(const char* what,
                      std::size_t found,
                      int expected,
                      const char* of = "numbers") {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.found = std::string(what) + " with " + std::to_string(found) + " " + of;
  d.expected = std::to_string(expected);
  return d;
}

Diagnostic no_solution() {
  Diagnostic d;
  d.id = "numeric.singular";
  d.found = "a state whose equations cannot be solved";
  return d;
}

// Values, row numbers and beginnings of columns, as SciPy's csc_array takes them.
nb::tuple as_csc(const Sparse& a) {
  std::vector<double> values(a.valuePtr(), a.valuePtr() + a.nonZeros());
  auto* rows = new std::vector<int>(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros());
  auto* begins = new std::vector<int>(a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1);
  const auto integers = [](std::vector<int>* list) {
    const nb::capsule owner(list,
                            [](void* p) noexcept { delete static_cast<std::vector<int>*>(p); });
    return nb::ndarray<nb::numpy, int>(list->data(), {list->size()}, owner);
  };
  return nb::make_tuple(array(std::move(values)),
                        integers(rows),
                        integers(begins),
                        nb::make_tuple(a.rows(), a.cols()));
}

nb::ndarray<nb::numpy, double> as_rows(const Eigen::MatrixXd& a) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(a.size()));
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index k = 0; k < a.cols(); ++k) values.push_back(a(i, k));
  return array(std::move(values),
               {static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())});
}

class Mechanism {
 private:
  static void check(Eval outcome) {
    if (outcome != Eval::ok) throw Fault{{no_solution()}};
  }

  // One caller at a time, and without the interpreter's lock meanwhile: formulas may call functions of
  // Python, which another thread would wait for.
  template <class Work> auto alone(Work work) {
    try {
      auto out = [&] {
        const nb::gil_scoped_release unlocked;
        const std::lock_guard one(one_at_a_time_);
        return work();
      }();
      rethrow_functions(request_);
      return out;
    } catch (const Fault&) {
      rethrow_functions(request_);
      throw;
    }
  }

 public:
  explicit Mechanism(const ModelRequest& request)
      : request_(request),
        checked_(checked_model(request)),
        motion_(*checked_.system, checked_.assembly.mobility.active),
        equations_(motion_) {
    const State& start = checked_.assembly.state;
    checked_.system->use(start, motion_.work());
    motion_.use_states(start.z);
    motion_.use_inputs(start.u);
  }

  const System& system() const { return *checked_.system; }

  const State& start() const { return checked_.assembly.state; }

  const std::vector<char>& active() const { return motion_.active(); }

  // With everything that belongs to this state evaluated in equations_.
  template <class Work> auto at(double t, const Vector& q, const Vector& v, Work work) {
    check_sizes(q, v);
    return alone([&] {
      const std::vector<double> lambda(static_cast<std::size_t>(equations_.equations()), 0.0);
      check(equations_.evaluate(t, view(q), view(v), lambda, start().z));
      return work(equations_);
    });
  }

  template <class Work> auto in_pose(double t, const Vector& q, Work work) {
    check_size("q", q.size(), equations_.positions());
    return alone([&] {
      equations_.evaluate_constraints(t, view(q));
      return work(equations_);
    });
  }

  // Derivatives at a state whose a and lambda follow from it.
  template <class Work> auto linearised(double t, const Vector& q, const Vector& v, Work work) {
    check_sizes(q, v);
    return alone([&] {
      const auto [a, lambda] = solution(t, view(q), view(v));
      equations_.linearise(t, view(q), view(v), a, lambda, start().z);
      return work(equations_);
    });
  }

  // Of many states, row by row.
  nb::tuple accelerations(const Vector& t, const Rows& q, const Rows& v) {
    check_size("q", q.shape(1), equations_.positions());
    check_size("v", v.shape(1), equations_.velocities());
    const std::size_t count = q.shape(0), n = v.shape(1);
    const auto m = static_cast<std::size_t>(equations_.equations());
    if (v.shape(0) != count)
      throw Fault{{wrong_size("v", v.shape(0), static_cast<int>(count), "states")}};
    if (t.size() != count && t.size() != 1)
      throw Fault{{wrong_size("t", t.size(), static_cast<int>(count))}};
    auto [a, lambda] = alone([&] {
      std::vector<double> rates(count * n), multipliers(count * m);
      for (std::size_t k = 0; k < count; ++k)
        check(equations_.accelerations(t.data()[t.size() == 1 ? 0 : k],
                                       {q.data() + k * q.shape(1), q.shape(1)},
                                       {v.data() + k * n, n},
                                       start().z,
                                       View(rates).subspan(k * n, n),
                                       View(multipliers).subspan(k * m, m)));
      return std::make_pair(std::move(rates), std::move(multipliers));
    });
    return nb::make_tuple(array(std::move(a), {count, n}), array(std::move(lambda), {count, m}));
  }

  std::vector<double> on_positions(double t, const Vector& q) {
    check_size("q", q.size(), equations_.positions());
    return alone([&] {
      std::vector<double> out(view(q).begin(), view(q).end());
      check(equations_.project_positions(t, out));
      return out;
    });
  }

  std::vector<double> on_velocities(double t, const Vector& q, const Vector& v) {
    check_sizes(q, v);
    return alone([&] {
      std::vector<double> out(view(v).begin(), view(v).end());
      check(equations_.factor(t, view(q)));
      check(equations_.project_velocities(t, view(q), out));
      return out;
    });
  }

  std::vector<double> rate(const Vector& q, const Vector& v) const {
    check_sizes(q, v);
    std::vector<double> out(q.size());
    equations_.rate(view(q), view(v), out);
    return out;
  }

  std::vector<double> advance(const Vector& q, const Vector& d) const {
    check_sizes(q, d);
    std::vector<double> out(q.size());
    equations_.advance(view(q), view(d), out);
    return out;
  }

  Eigen::MatrixXd active_rows(double t, const Vector& q) const {
    check_size("q", q.size(), equations_.positions());
    return active_jacobian(system(), active(), t, view(q));
  }

 private:
  static Checked checked_model(const ModelRequest& request) {
    Checked checked = check_model(value_of(read(request)));
    rethrow_functions(request);
    if (checked.system == nullptr || !checked.assembly.ok) throw Fault{checked.diagnostics};
    return checked;
  }

  static void check_size(const char* what, std::size_t found, int expected) {
    if (found != static_cast<std::size_t>(expected))
      throw Fault{{wrong_size(what, found, expected)}};
  }

  void check_sizes(const Vector& q, const Vector& v) const {
    check_size("q", q.size(), equations_.positions());
    check_size("v", v.size(), equations_.velocities());
  }

  std::pair<std::vector<double>, std::vector<double>> solution(double t, CView q, CView v) {
    std::vector<double> a(v.size()), lambda(static_cast<std::size_t>(equations_.equations()));
    if (equations_.accelerations(t, q, v, start().z, a, lambda) != Eval::ok)
      throw Fault{{no_solution()}};
    return {std::move(a), std::move(lambda)};
  }

  ModelRequest request_;
  Checked checked_;
  MotionSolver motion_;
  MechanismEquations equations_;
  std::mutex one_at_a_time_;
};

std::vector<double> copy_of(CView x) {
  return {x.begin(), x.end()};
}

std::string facts(const Mechanism& m) {
  const System& system = m.system();
  Json positions = Json::array(), velocities = Json::array(), equations = Json::array();
  for (int k = 0; k < system.q_size(); ++k) positions.push_back(system.position_label(k));
  for (int k = 0; k < system.v_size(); ++k) velocities.push_back(system.coordinate_label(k));
  for (int k = 0; k < system.equations().rows(); ++k) equations.push_back(system.equation_label(k));
  Json active = Json::array();
  for (const char flag : m.active()) active.push_back(flag != 0);
  return to_line({{"positions", positions},
                  {"velocities", velocities},
                  {"equations", equations},
                  {"active", active},
                  {"states", system.states().size()}});
}

// One vector of the equations at a state.
template <CView (MotionEquations::*Part)() const>
nb::ndarray<nb::numpy, double> vector_at(Mechanism& m, double t, const Vector& q, const Vector& v) {
  return array(m.at(t, q, v, [](MotionEquations& e) { return copy_of((e.*Part)()); }));
}

// One matrix of their derivatives.
template <const Sparse& (MotionEquations::*Part)() const>
nb::tuple matrix_at(Mechanism& m, double t, const Vector& q, const Vector& v) {
  return as_csc(m.linearised(t, q, v, [](MotionEquations& e) { return Sparse((e.*Part)()); }));
}

}  // namespace

void define_system(nb::module_& m) {
  nb::class_<Mechanism>(m, "System", "The equations of a compiled mechanism in numbers.")
      .def(nb::init<const ModelRequest&>())
      .def("facts", &facts)
      .def("t", [](const Mechanism& s) { return s.start().t; })
      .def("q", [](const Mechanism& s) { return array(s.start().q); })
      .def("v", [](const Mechanism& s) { return array(s.start().v); })
      .def("phi",
           [](Mechanism& s, double t, const Vector& q) {
             return array(s.in_pose(t, q, [](MotionEquations& e) { return copy_of(e.phi()); }));
           })
      .def("nu",
           [](Mechanism& s, double t, const Vector& q) {
             return array(s.in_pose(t, q, [](MotionEquations& e) { return copy_of(e.nu()); }));
           })
      .def("phi_q",
           [](Mechanism& s, double t, const Vector& q) {
             return as_csc(
                 s.in_pose(t, q, [](MotionEquations& e) { return e.constraint_jacobian(); }));
           })
      .def("gamma", &vector_at<&MotionEquations::gamma>)
      .def("Q", &vector_at<&MotionEquations::Q>)
      .def("M", &matrix_at<&MotionEquations::M>)
      .def("Q_q", &matrix_at<&MotionEquations::Q_q>)
      .def("Q_v", &matrix_at<&MotionEquations::Q_v>)
      .def("gamma_q", &matrix_at<&MotionEquations::gamma_q>)
      .def("gamma_v", &matrix_at<&MotionEquations::gamma_v>)
      .def("phi_q_a_q", &matrix_at<&MotionEquations::phi_q_a_q>)
      .def("phi_qT_lambda_q", &matrix_at<&MotionEquations::phi_qT_lambda_q>)
      .def("accelerations", &Mechanism::accelerations)
      .def("rate",
           [](const Mechanism& s, const Vector& q, const Vector& v) { return array(s.rate(q, v)); })
      .def("advance",
           [](const Mechanism& s, const Vector& q, const Vector& d) {
             return array(s.advance(q, d));
           })
      .def("project_positions",
           [](Mechanism& s, double t, const Vector& q) { return array(s.on_positions(t, q)); })
      .def("project_velocities",
           [](Mechanism& s, double t, const Vector& q, const Vector& v) {
             return array(s.on_velocities(t, q, v));
           })
      .def("null_space",
           [](const Mechanism& s, double t, const Vector& q) {
             return as_rows(null_space_svd(s.active_rows(t, q)));
           })
      .def("independent", [](const Mechanism& s, double t, const Vector& q) {
        return independent_coordinates(s.active_rows(t, q));
      });
}

}  // namespace cardan::python
