// Forces, measures and constraints in coordinates of one's own, behind the interfaces of pools. All
// belong to one body that has all coordinates.
#include <algorithm>
#include <array>
#include <utility>

#include "cardan/element/formula/coordinate_equations.h"
#include "cardan/element/formula/formula.h"
#include "cardan/element/formula/formula_of_coordinates.h"

namespace cardan {

namespace {

std::size_t nth_entry(int k) {
  return static_cast<std::size_t>(k);
}

double& cell(const Blocks& out, int element, int row, int column) {
  const Slot slot = out.slots[nth_entry(element)];
  return out.values[slot.offset + std::int64_t{column} * slot.stride + row];
}

class EnergyForces final : public ForcePool {
 public:
  explicit EnergyForces(const CoordinateEquations& of) : of_(of) {}

  std::string_view type() const override { return "energies"; }

  int count() const override { return 1; }

  int sides() const override { return 1; }

  int body(int, int) const override { return 0; }

  void add_Q(const Motion& at, const Inputs&, View out) const override {
    of_.add_Q(at.t, at.q, at.v, out);
  }

  void add_Q_q(const Motion& at, const Inputs&, double c, Blocks out) const override {
    of_.add_Q_q(at.t, at.q, at.v, c, out.values, out.slots[0]);
  }

  void add_Q_v(const Motion& at, const Inputs&, double c, Blocks out) const override {
    of_.add_Q_v(at.t, at.q, at.v, c, out.values, out.slots[0]);
  }

  std::span<const int> inputs(int) const override { return {}; }

  void Q_input(const Motion&, const Inputs&, int, int, View, View) const override {}

  Dependence dependence(int, const InputDependence&) const override {
    return {.time = of_.moves_with_time(), .positions = true, .rates = !of_.mass_is_constant()};
  }

  std::vector<const Expression*> formulas(int) const override { return {}; }

  void condition_values(const Motion&, const Inputs&, View) const override {}

  double potential(const Config& at) const override { return of_.potential(at.t, at.q); }

  double power(const Motion& at, const Inputs&) const override {
    return of_.power(at.t, at.q, at.v);
  }

  double dissipation(const Motion&, const Inputs&) const override { return 0; }

  void add_power_slopes(const Motion& at, const Inputs&, const PowerSlopes& out) const override {
    of_.add_power_slopes(at.t, at.q, at.v, out.applied_q, out.applied_v);
  }

  std::span<const std::string_view> outputs() const override { return {}; }

  std::span<const std::string_view> output_units() const override { return {}; }

  void output(const Motion&, const Inputs&, int, View) const override {}

 private:
  const CoordinateEquations& of_;
};

class CoordinateForce final : public ForcePool {
 public:
  CoordinateForce(int k, Expression formula, std::vector<int> inputs, std::string unit)
      : k_(nth_entry(k)),
        formula_(std::move(formula)),
        inputs_(std::move(inputs)),
        unit_(std::move(unit)),
        unit_view_{unit_} {}

  std::string_view type() const override { return "coordinate"; }

  int count() const override { return 1; }

  int sides() const override { return 1; }

  int body(int, int) const override { return 0; }

  void add_Q(const Motion& at, const Inputs& inputs, View out) const override {
    out[k_] += point(at, inputs).value(formula_);
  }

  void add_Q_q(const Motion&, const Inputs&, double, Blocks) const override {}

  void add_Q_v(const Motion&, const Inputs&, double, Blocks) const override {}

  std::span<const int> inputs(int) const override { return inputs_; }

  void Q_input(const Motion& at, const Inputs& inputs, int, int k, View dQ_value, View dQ_rate)
      const override {
    std::fill(dQ_value.begin(), dQ_value.end(), 0.0);
    std::fill(dQ_rate.begin(), dQ_rate.end(), 0.0);
    const auto slope = point(at, inputs).input_slope(formula_, k);
    dQ_value[k_] = slope.measure;
    dQ_rate[k_] = slope.rate;
  }

  Dependence dependence(int, const InputDependence& inputs) const override {
    return dependence_of(formula_, inputs_, inputs);
  }

  std::vector<const Expression*> formulas(int) const override { return {&formula_}; }

  void condition_values(const Motion& at, const Inputs& inputs, View out) const override {
    point(at, inputs).condition_values(formula_, out);
  }

  double potential(const Config&) const override { return 0; }

  double power(const Motion& at, const Inputs& inputs) const override {
    return point(at, inputs).value(formula_) * at.v[k_];
  }

  double dissipation(const Motion&, const Inputs&) const override { return 0; }

  void add_power_slopes(const Motion& at,
                        const Inputs& inputs,
                        const PowerSlopes& out) const override {
    out.applied_v[k_] += point(at, inputs).value(formula_);
  }

  std::span<const std::string_view> outputs() const override {
    static constexpr std::array<std::string_view, 1> names{"force"};
    return names;
  }

  std::span<const std::string_view> output_units() const override { return unit_view_; }

  void output(const Motion& at, const Inputs& inputs, int, View out) const override {
    out[0] = point(at, inputs).value(formula_);
  }

 private:
  FormulaPoint point(const Motion& at, const Inputs& inputs) const {
    return {at.t, 0, 0, inputs_, inputs};
  }

  std::size_t k_;
  Expression formula_;
  std::vector<int> inputs_;
  std::string unit_;
  std::array<std::string_view, 1> unit_view_;
};

class CoordinateMeasures final : public ConstraintPool {
 public:
  CoordinateMeasures(int n, std::vector<int> which) : n_(n), which_(std::move(which)) {}

  std::string_view type() const override { return "coordinate"; }

  int count() const override { return static_cast<int>(which_.size()); }

  int rows() const override { return 1; }

  int sides() const override { return 1; }

  int body(int, int) const override { return 0; }

  EquationLabel equation(int) const override { return in_length("value"); }

  bool at_velocity_level(int) const override { return false; }

  void phi(const Config& at, View out) const override {
    for (std::size_t e = 0; e < which_.size(); ++e) out[e] = at.q[nth_entry(which_[e])];
  }

  void nu(const Config&, View out) const override { std::fill(out.begin(), out.end(), 0.0); }

  void gamma(const Motion&, View out) const override { std::fill(out.begin(), out.end(), 0.0); }

  void phi_q(const Config&, Blocks out) const override {
    for (int e = 0; e < count(); ++e)
      for (int c = 0; c < n_; ++c) cell(out, e, 0, c) = c == which_[nth_entry(e)] ? 1 : 0;
  }

  void add_phi_q_a_q(const Config&, CView, double, Blocks) const override {}

  void add_gamma_q(const Motion&, double, Blocks) const override {}

  void add_gamma_v(const Motion&, double, Blocks) const override {}

  void add_phi_qT_lambda_q(const Config&, CView, double, Blocks) const override {}

  void add_nu_q(const Config&, double, Blocks) const override {}

  bool differenced() const override { return false; }

 private:
  int n_;
  std::vector<int> which_;
};

}  // namespace

std::unique_ptr<ForcePool> make_energy_forces(const CoordinateEquations& of) {
  return std::make_unique<EnergyForces>(of);
}

std::unique_ptr<ForcePool> make_coordinate_force(int k,
                                                 Expression formula,
                                                 std::vector<int> inputs,
                                                 std::string unit) {
  return std::make_unique<CoordinateForce>(
      k, std::move(formula), std::move(inputs), std::move(unit));
}

std::unique_ptr<ConstraintPool> make_coordinate_measures(int coordinates, std::vector<int> which) {
  return std::make_unique<CoordinateMeasures>(coordinates, std::move(which));
}

// ---- constraints

int FormulaConstraints::add(CoordinateFormula formula) {
  formulas_.push_back(std::move(formula));
  return count() - 1;
}

void FormulaConstraints::phi(const Config& at, View out) const {
  for (std::size_t e = 0; e < formulas_.size(); ++e)
    out[e] = velocity_level_ ? 0 : FormulaOfCoordinates(formulas_[e], at.t, at.q).value();
}

void FormulaConstraints::nu(const Config& at, View out) const {
  for (std::size_t e = 0; e < formulas_.size(); ++e) {
    const FormulaOfCoordinates f(formulas_[e], at.t, at.q);
    if (velocity_level_)
      out[e] = -f.value();
    else
      out[e] = formulas_[e].uses_time() ? -f.along(f.time()) : 0;
  }
}

void FormulaConstraints::gamma(const Motion& at, View out) const {
  for (std::size_t e = 0; e < formulas_.size(); ++e) {
    const FormulaOfCoordinates f(formulas_[e], at.t, at.q, at.v);
    const auto w = f.flow(at.v);
    out[e] = -(velocity_level_ ? f.along(w) : f.along(w, w));
  }
}

void FormulaConstraints::phi_q(const Config& at, Blocks out) const {
  for (int e = 0; e < count(); ++e) {
    const FormulaOfCoordinates f(formulas_[nth_entry(e)], at.t, at.q);
    for (int c = 0; c < n_; ++c) cell(out, e, 0, c) = 0;
    for (std::size_t k = 0; k < f.count(); ++k)
      cell(out, e, 0, f.coordinate(k)) =
          f.along(f.unit(velocity_level_ ? f.place_v(k) : f.place_q(k)));
  }
}

void FormulaConstraints::add_phi_q_a_q(const Config& at, CView a, double c, Blocks out) const {
  for (int e = 0; e < count(); ++e) {
    const FormulaOfCoordinates f(formulas_[nth_entry(e)], at.t, at.q);
    const auto w = velocity_level_ ? f.rates(a) : f.positions(a);
    for (std::size_t k = 0; k < f.count(); ++k)
      cell(out, e, 0, f.coordinate(k)) += c * f.along(w, f.unit(f.place_q(k)));
  }
}

void FormulaConstraints::add_nu_q(const Config& at, double c, Blocks out) const {
  for (int e = 0; e < count(); ++e) {
    const FormulaOfCoordinates f(formulas_[nth_entry(e)], at.t, at.q);
    if (!velocity_level_ && !formulas_[nth_entry(e)].uses_time()) continue;
    for (std::size_t k = 0; k < f.count(); ++k) {
      const auto to = f.unit(f.place_q(k));
      cell(out, e, 0, f.coordinate(k)) -=
          c * (velocity_level_ ? f.along(to) : f.along(f.time(), to));
    }
  }
}

void FormulaConstraints::add_gamma_q(const Motion& at, double c, Blocks out) const {
  for (int e = 0; e < count(); ++e) {
    const FormulaOfCoordinates f(formulas_[nth_entry(e)], at.t, at.q, at.v);
    const auto w = f.flow(at.v);
    for (std::size_t k = 0; k < f.count(); ++k) {
      const auto to = f.unit(f.place_q(k));
      cell(out, e, 0, f.coordinate(k)) -=
          c * (velocity_level_ ? f.along(w, to) : f.along(w, w, to));
    }
  }
}

void FormulaConstraints::add_gamma_v(const Motion& at, double c, Blocks out) const {
  for (int e = 0; e < count(); ++e) {
    const FormulaOfCoordinates f(formulas_[nth_entry(e)], at.t, at.q, at.v);
    const auto w = f.flow(at.v);
    for (std::size_t k = 0; k < f.count(); ++k) {
      const auto moved = f.unit(f.place_q(k));
      cell(out, e, 0, f.coordinate(k)) -=
          c * (velocity_level_ ? f.along(w, f.unit(f.place_v(k))) + f.along(moved)
                               : 2 * f.along(w, moved));
    }
  }
}

void FormulaConstraints::add_phi_qT_lambda_q(const Config& at,
                                             CView lambda,
                                             double c,
                                             Blocks out) const {
  for (int e = 0; e < count(); ++e) {
    const double factor = c * lambda[nth_entry(e)];
    if (factor == 0) continue;
    const FormulaOfCoordinates f(formulas_[nth_entry(e)], at.t, at.q);
    for (std::size_t i = 0; i < f.count(); ++i) {
      const auto of = f.unit(velocity_level_ ? f.place_v(i) : f.place_q(i));
      for (std::size_t k = 0; k < f.count(); ++k)
        cell(out, e, f.coordinate(i), f.coordinate(k)) +=
            factor * f.along(of, f.unit(f.place_q(k)));
    }
  }
}

}  // namespace cardan
