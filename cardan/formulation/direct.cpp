// Direct integration of the index-1 equations in all coordinates:
//   M a + phi_q^T lambda = Q,  phi_q a = gamma;   q' = v,  v' = a.
// Nothing keeps phi = 0: an error made once grows like a_0 + a_1 t. The violation is watched after
// every step and the run ends when it passes max_drift. Reference: Haug, Computer Aided Kinematics
// and Dynamics of Mechanical Systems (1989), 7.3.3.
#include "cardan/formulation/absolute.h"
#include "cardan/formulation/drift.h"
#include "cardan/formulation/makers.h"

namespace cardan {

namespace {

constexpr double tolerated_share = 1e-2;  // of the mechanism's size

class Direct final : public Absolute {
 public:
  explicit Direct(const FormulationSetting& setting)
      : Absolute(setting), drift_(setting, tolerated_share) {}

  std::string_view name() const override { return "direct"; }

  std::optional<Diagnostic> accepted(double t, CView y, double h, long) override {
    return drift_.check(motion_, t, q(y), h);
  }

 private:
  DriftWatch drift_;
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_direct(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(std::make_unique<Direct>(setting));
}

}  // namespace cardan
