// Index-1 accelerations for y = (q, v, z); after every step positions and velocities are put back onto the constraints,
// mass-orthogonally, with the factor of the last evaluation, and the error estimate loses its part normal to them.
// Reference: Eich, SIAM J. Numer. Anal. 30 (1993): convergence of multistep methods with projection.
#include <algorithm>

#include "cardan/formulation/projected.h"
#include "cardan/system/energy.h"

namespace cardan {

namespace {

class Projected final : public Formulation {
 public:
  Projected(const System& system, const std::vector<char>& active)
      : system_(system),
        motion_(system, active),
        n_q_(static_cast<std::size_t>(system.q_size())),
        n_v_(static_cast<std::size_t>(system.v_size())),
        lambda_(static_cast<std::size_t>(system.equations().rows())) {}

  std::string_view name() const override { return "projected"; }

  int size() const override { return static_cast<int>(n_q_ + n_v_) + energy_states; }

  Eval f(double t, CView y, View dy) override {
    const CView q = y.first(n_q_), v = y.subspan(n_q_, n_v_);
    const long before = motion_.factorizations();
    const Eval e = motion_.accelerations(t, q, v, dy.subspan(n_q_, n_v_), lambda_);
    stats().factorization += motion_.factorizations() - before;
    if (e != Eval::ok) return e;
    system_.rate(q, v, dy.first(n_q_));
    energy_rates(system_, t, q, v, lambda_, motion_.work(), dy.last(energy_states));
    return Eval::ok;
  }

  std::string component_name(int i) const override {
    const auto n = static_cast<int>(n_q_), m = static_cast<int>(n_v_);
    if (i < n) return system_.coordinate_words(i * m / n);
    if (i < n + m) return "velocity of " + system_.coordinate_words(i - n);
    static constexpr const char* names[] = {"dissipated energy", "work of forces", "work of drivers"};
    return names[i - n - m];
  }

  bool projects() const override { return system_.equations().rows() > 0; }

  Eval project(double t, View y, View error) override {
    const View q = y.first(n_q_), v = y.subspan(n_q_, n_v_);
    if (const Eval e = motion_.project_positions(t, q); e != Eval::ok) return e;
    if (const Eval e = motion_.project_velocities(t, q, v); e != Eval::ok) return e;
    if (!error.empty() && n_q_ == n_v_) {
      motion_.project_increment(error.first(n_v_));
      motion_.project_increment(error.subspan(n_q_, n_v_));
    }
    return Eval::ok;
  }

  void parametrize(const State& state, View y) override {
    std::copy(state.q.begin(), state.q.end(), y.begin());
    std::copy(state.v.begin(), state.v.end(), y.begin() + static_cast<std::ptrdiff_t>(n_q_));
    for (std::size_t k = 0; k < energy_states; ++k) y[n_q_ + n_v_ + k] = k < state.z.size() ? state.z[k] : 0.0;
  }

  Eval recover(double t, CView y, State& full) override {
    full.t = t;
    std::copy_n(y.begin(), n_q_, full.q.begin());
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_q_), n_v_, full.v.begin());
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n_q_ + n_v_), energy_states, full.z.begin());
    if (projects()) {
      if (const Eval e = motion_.project_positions(t, full.q); e != Eval::ok) return e;
      if (const Eval e = motion_.project_velocities(t, full.q, full.v); e != Eval::ok) return e;
    }
    return motion_.accelerations(t, full.q, full.v, full.a, full.lambda);
  }

  Tolerance tolerance(const DynamicOptions& options) const override {
    Tolerance tolerance;
    tolerance.rtol = options.rtol;
    tolerance.atol = options.atol;
    tolerance.norm = Tolerance::Norm::max;
    tolerance.ignored.assign(static_cast<std::size_t>(size()), false);
    std::fill(tolerance.ignored.end() - energy_states, tolerance.ignored.end(), true);
    return tolerance;
  }

  void serialize(Archive& archive) override {
    archive.mark("projected");
    std::vector<double> pivots = motion_.pivot_state();
    archive.io(pivots);
    if (archive.loading()) motion_.restore_pivots(pivots);
  }

  MotionSolver& motion() override { return motion_; }

 private:
  const System& system_;
  MotionSolver motion_;
  std::size_t n_q_, n_v_;
  std::vector<double> lambda_;
};

}  // namespace

std::unique_ptr<Formulation> make_projected(const System& system, const std::vector<char>& active) {
  return std::make_unique<Projected>(system, active);
}

}  // namespace cardan
