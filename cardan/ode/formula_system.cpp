#include "cardan/ode/formula_system.h"

#include <algorithm>

#include "cardan/ode/formula_coupled.h"

namespace cardan {

// Positions and velocities of a system whose equations are all of second order.
class FormulaSystem::Mechanics final : public SecondOrderProblem {
 public:
  explicit Mechanics(FormulaSystem& system) : system_(system) { share_stats(system.stats()); }

  int velocities() const override { return static_cast<int>(system_.equations_.size()); }

  std::string position_name(int i) const override { return system_.component_name(i); }

  std::string velocity_name(int i) const override {
    return system_.component_name(velocities() + i);
  }

  Eval acceleration(double t, CView q, CView v, View a) override {
    if (system_.coupled_) {
      y_.resize(2 * q.size());
      dy_.resize(y_.size());
      std::copy(q.begin(), q.end(), y_.begin());
      std::copy(v.begin(), v.end(), y_.begin() + static_cast<std::ptrdiff_t>(q.size()));
      const Eval e = system_.f(t, y_, dy_);
      std::copy(dy_.begin() + static_cast<std::ptrdiff_t>(q.size()), dy_.end(), a.begin());
      return e;
    }
    std::vector<double>& x = system_.arguments_;
    x[0] = t;
    std::copy(q.begin(), q.end(), x.begin() + 1);
    std::copy(v.begin(), v.end(), x.begin() + 1 + static_cast<std::ptrdiff_t>(q.size()));
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = system_.equations_[k].formula.value(x);
    return Eval::ok;
  }

 private:
  FormulaSystem& system_;
  std::vector<double> y_, dy_;
};

FormulaSystem::FormulaSystem() = default;

FormulaSystem::~FormulaSystem() = default;

void FormulaSystem::prepare() {
  for (const Equation& e : equations_) names_.push_back(e.variable);
  for (const Equation& e : equations_) {
    rate_of_.push_back(e.order == 2 ? static_cast<int>(names_.size()) : -1);
    if (e.order == 2) names_.push_back(e.variable + "'");
  }
  rates_ = rate_of_;
  rates_.resize(names_.size(), -1);
  arguments_.assign(names_.size() + 1, 0);
  gradient_ = arguments_;
  const bool all = std::all_of(
      equations_.begin(), equations_.end(), [](const Equation& e) { return e.order == 2; });
  if (all && !equations_.empty()) mechanics_ = std::make_unique<Mechanics>(*this);
}

int FormulaSystem::component(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

void FormulaSystem::arguments(double t, CView y) const {
  arguments_[0] = t;
  std::copy(y.begin(), y.end(), arguments_.begin() + 1);
}

double FormulaSystem::value(const Expression& e, double t, CView y) const {
  arguments(t, y);
  return e.value(arguments_);
}

std::span<const char> FormulaSystem::algebraic() const {
  return coupled_ ? coupled_->algebraic() : std::span<const char>();
}

Eval FormulaSystem::complete(double t, View y) {
  return coupled_ ? coupled_->complete(t, y) : Eval::ok;
}

std::optional<Diagnostic> FormulaSystem::begin(double t, View y) {
  if (!coupled_) return {};
  auto wrong = coupled_->begin(t, y);
  if (wrong) wrong->t = t;
  return wrong;
}

bool FormulaSystem::has_singular_mass() const {
  return coupled_ && coupled_->singular();
}

Eval FormulaSystem::project(double t, View y, View) {
  return coupled_->project(t, y);
}

Eval FormulaSystem::f(double t, CView y, View dy) {
  if (coupled_) return coupled_->f(t, y, dy);
  arguments(t, y);
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const double value = equations_[k].formula.value(arguments_);
    if (rate_of_[k] < 0) {
      dy[k] = value;
    } else {
      const auto rate = static_cast<std::size_t>(rate_of_[k]);
      dy[k] = y[rate];
      dy[rate] = value;
    }
  }
  return Eval::ok;
}

bool FormulaSystem::jacobian(double t, CView y, View J) {
  if (coupled_) return false;
  arguments(t, y);
  const std::size_t n = names_.size();
  std::fill(J.begin(), J.end(), 0.0);
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    std::size_t row = k;
    if (rate_of_[k] >= 0) {
      row = static_cast<std::size_t>(rate_of_[k]);
      J[row * n + k] = 1;
    }
    (void)equations_[k].formula.gradient(arguments_, gradient_);
    for (std::size_t j = 0; j < n; ++j) J[j * n + row] = gradient_[j + 1];
  }
  return true;
}

Eval FormulaSystem::f_t(double t, CView y, CView dy, double h, View out) {
  if (coupled_) return OdeProblem::f_t(t, y, dy, h, out);
  arguments(t, y);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const std::size_t row = rate_of_[k] < 0 ? k : static_cast<std::size_t>(rate_of_[k]);
    (void)equations_[k].formula.gradient(arguments_, gradient_);
    out[row] = gradient_[0];
  }
  return as_vector(out).allFinite() ? Eval::ok : Eval::retry;
}

SecondOrderProblem* FormulaSystem::second_order() {
  return mechanics_.get();
}

}  // namespace cardan
