// Direct integration of the index-1 equations in all coordinates:
//   M a + phi_q^T lambda = Q,  phi_q a = gamma;   q' = v,  v' = a.
// Nothing keeps phi = 0: an error made once grows like a_0 + a_1 t. The violation is watched after
// every step and the run ends when it passes max_drift; so are singular poses, which it may pass or
// not (branch_watch.h). Reference: Haug, Computer Aided Kinematics
// and Dynamics of Mechanical Systems (1989), 7.3.3.
#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/explicit/drift.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/branch_watch.h"

namespace cardan {

namespace {

constexpr double largest_drift = 1e-2;  // of the mechanism's size

class Direct final : public Absolute {
 public:
  explicit Direct(const FormulationSetting& setting)
      : Absolute(setting), drift_(setting, largest_drift), watch_(setting) {}

  std::string_view name() const override { return "direct"; }

  void parametrize(const State& state, View y) override {
    Absolute::parametrize(state, y);
    watch_.forget();
  }

  std::optional<Diagnostic> accepted(double t, CView y, double h, long attempts) override {
    if (auto stop = drift_.check(motion_, t, q(y), h)) return stop;
    return watch_.step(motion_, t, q(y), v(y), z(y), attempts, events_);
  }

  void serialize(Archive& archive) override {
    archive.mark("direct");
    watch_.serialize(archive);
  }

 protected:
  Eval accelerate(double t, CView q, CView v, View q_dot, View a, View lambda) override {
    const Eval e = Absolute::accelerate(t, q, v, q_dot, a, lambda);
    watch_.evaluated(motion_);
    return e;
  }

  std::optional<ConstraintFeedback> feedback() const override { return ConstraintFeedback{}; }

 private:
  DriftWatch drift_;
  BranchWatch watch_;
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_direct(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(std::make_unique<Direct>(setting));
}

}  // namespace cardan
