#include "cardan/analysis/sensitivity/steady_slopes.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/SparseLU>

#include "cardan/analysis/causes.h"

namespace cardan {

namespace {

constexpr double balanced_to = 1e-6;    // forces left and rates that differ, relative
constexpr double last_change = 1e-12;   // of the derivatives, relative to the largest
constexpr double open_response = 1e11;  // to a unit force, in units of the stiffness
constexpr int most_corrections = 8;

std::size_t entry(int k) {
  return static_cast<std::size_t>(k);
}

class SteadySlopes {
 public:
  SteadySlopes(const System& system, const Mobility& mobility, const State& state)
      : system_(system),
        mobility_(mobility),
        state_(state),
        here_(system, mobility, state),
        n_(here_.coordinates()),
        m_(here_.equations()) {
    here_.find_twists(state.q);
  }

  // Whether the state is the steady motion of its drivers.
  bool steady() {
    const std::vector<double> v = here_.velocities(state_.q);
    double off = 0, fastest = 0;
    for (int k = 0; k < n_; ++k) {
      const double size = system_.layout().turns(k) ? system_.length() : 1;
      off = std::max(off, size * std::abs(v[entry(k)] - state_.v[entry(k)]));
      fastest = std::max(fastest, size * std::abs(v[entry(k)]));
    }
    here_.evaluate(state_.q);
    const Eigen::VectorXd left =
        here_.b() + here_.transposed(here_.scaled_multipliers(state_.lambda));
    return here_.moves() && off <= balanced_to * fastest &&
           left.cwiseAbs().maxCoeff() <= balanced_to * here_.largest_force();
  }

  bool factor() {
    here_.linearise(state_.q, here_.scaled_multipliers(state_.lambda));
    std::vector<Eigen::Triplet<double>> entries;
    double stiffness = 0;
    for (int c = 0; c < n_; ++c)
      for (SparseMatrix::InnerIterator i(here_.K(), c); i; ++i) {
        entries.emplace_back(static_cast<int>(i.row()), c, i.value());
        stiffness = std::max(stiffness, std::abs(i.value()));
      }
    scale_ = stiffness > 0 ? stiffness : 1;
    for (int c = 0; c < n_; ++c)
      for (SparseMatrix::InnerIterator i(here_.phi_q(), c); i; ++i) {
        const int r = n_ + static_cast<int>(i.row());
        entries.emplace_back(r, c, scale_ * i.value());
        entries.emplace_back(c, r, scale_ * i.value());
      }
    SparseMatrix A(n_ + m_, n_ + m_);
    A.setFromTriplets(entries.begin(), entries.end());
    lu_.compute(A);
    if (lu_.info() != Eigen::Success) return false;
    const Eigen::VectorXd test = lu_.solve(Eigen::VectorXd::Constant(n_ + m_, scale_));
    return test.cwiseAbs().maxCoeff() < open_response;
  }

  bool derive(const ParameterStep& step, StateSlope& out) {
    std::vector<std::unique_ptr<ForceBalance>> varied;
    for (const auto& system : step.systems)
      varied.push_back(std::make_unique<ForceBalance>(*system, mobility_, state_));
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n_ + m_);  // theta and lambda_p, scaled
    double before = 0;
    for (int pass = 0; pass < most_corrections; ++pass) {
      const Eigen::VectorXd d = lu_.solve(-change_along(step, varied, x));
      if (!d.allFinite()) return false;
      x += d;
      const double change = d.norm();
      if (change <= last_change * x.norm()) break;
      if (pass > 2 && change > before / 2) break;  // round-off
      before = change;
    }
    const std::vector<double> lambda = here_.multipliers(scale_ * x.tail(m_));
    for (int k = 0; k < n_; ++k)
      out.theta[entry(k)] = x[k] / (system_.layout().turns(k) ? system_.length() : 1);
    out.lambda = lambda;
    for (std::size_t k = 0; k < varied.size(); ++k) {
      const std::vector<double> q = here_.moved(state_.q, step.offsets[k] * step.h * x.head(n_));
      varied[k]->find_twists(q);
      const std::vector<double> v = varied[k]->velocities(q), a = varied[k]->accelerations(q);
      for (int i = 0; i < n_; ++i) {
        out.v[entry(i)] += step.weights[k] * v[entry(i)];
        out.a[entry(i)] += step.weights[k] * a[entry(i)];
      }
    }
    return true;
  }

 private:
  // G, with the equations scaled like the stiffness.
  Eigen::VectorXd change_along(const ParameterStep& step,
                               const std::vector<std::unique_ptr<ForceBalance>>& varied,
                               const Eigen::VectorXd& x) const {
    Eigen::VectorXd G = Eigen::VectorXd::Zero(n_ + m_);
    const std::vector<double> lambda_p = here_.multipliers(scale_ * x.tail(m_));
    std::vector<double> lambda = state_.lambda;
    for (std::size_t k = 0; k < varied.size(); ++k) {
      ForceBalance& at = *varied[k];
      const double e = step.offsets[k] * step.h;
      const std::vector<double> q = here_.moved(state_.q, e * x.head(n_));
      for (std::size_t r = 0; r < lambda.size(); ++r)
        lambda[r] = state_.lambda[r] + e * lambda_p[r];
      at.find_twists(q);
      at.evaluate(q);
      G.head(n_) += step.weights[k] * (at.b() + at.transposed(at.scaled_multipliers(lambda)));
      G.tail(m_) += step.weights[k] * scale_ * at.phi();
    }
    return G;
  }

  const System& system_;
  const Mobility& mobility_;
  const State& state_;
  ForceBalance here_;
  int n_, m_;
  double scale_ = 1;
  Eigen::SparseLU<SparseMatrix> lu_;
};

}  // namespace

std::optional<Diagnostic> steady_slopes(const System& system,
                                        const Mobility& mobility,
                                        const ParameterSteps& steps,
                                        const State& state,
                                        std::vector<StateSlope>& out) {
  out.assign(steps.size(), StateSlope(system));
  SteadySlopes here(system, mobility, state);
  if (!here.steady()) {
    Diagnostic d = fault_at("model.not-available", "sensitivities of a motion on its way", state.t);
    d.expected =
        "the start of the model, an equilibrium, or a steady motion that an `equilibrium` analysis "
        "before this one finds";
    return d;
  }
  if (!here.factor()) return not_isolated(state.t);
  ParameterSlopes equations(system, mobility.active, steps);
  if (!equations.evaluate(state, ParameterSlopes::Friction::left_out)) return no_slopes(state.t);
  for (std::size_t p = 0; p < steps.size(); ++p) {
    if (!here.derive(steps[p], out[p])) return not_isolated(state.t);
    if (const int row = equations.violated(static_cast<int>(p), out[p].theta); row >= 0)
      return contradicts(system, steps[p], row, state.t);
  }
  return {};
}

}  // namespace cardan
