// Generalized coordinate partitioning: p are independent coordinates themselves, chosen by
// Gauss-Jordan elimination of the constraint Jacobian with full pivoting. Errors are controlled of
// p and p' alone; dependent coordinates are integrated without control as a prediction, then solved
// for by Newton's method, dependent velocities by linear equations. The partition is chosen anew
// when a dependent coordinate moves many times faster than the independent ones, when Newton's
// method needs many iterations or a step many attempts, and only if another partition comes out.
// Reference: Wehage & Haug, J. Mech. Des. 104 (1982) 247-255; Haug (1989), 7.3.2.
#include <algorithm>

#include "cardan/formulation/explicit/local.h"
#include "cardan/formulation/explicit/partition.h"
#include "cardan/formulation/explicit/wanted_coordinates.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/method_settings.h"

namespace cardan {

namespace {

// A given step cannot be made smaller where a partition comes to its end: it is changed early.
bool steps_are_given(const DynamicOptions& options) {
  const auto traits = integrator_traits(options);
  return traits && !traits->adaptive;
}

class Partitioned final : public Local {
 public:
  Partitioned(const FormulationSetting& setting, std::vector<int> wanted)
      : Local(setting),
        widest_(steps_are_given(setting.options) ? 1.2 : 8),
        wanted_(std::move(wanted)) {}

  std::string_view name() const override { return "partitioned"; }

  std::vector<int> independent() const override { return chart_.selected(); }

 protected:
  void choose(double t, CView q, Chart& chart) override {
    const Eigen::MatrixXd phi_q = active_jacobian(system_, motion_.active(), t, q);
    chart.select(wanted_first(wanted_, phi_q) ? wanted_ : independent_coordinates(phi_q), q);
    wanted_.clear();  // later choices follow the pose
  }

  bool better(double t, CView q) override {
    return independent_coordinates(active_jacobian(system_, motion_.active(), t, q)) !=
           chart_.selected();
  }

  std::string coordinate_name(int j) const override {
    return system_.coordinate_label(chart_.selected()[static_cast<std::size_t>(j)]);
  }

  double widest_stretch() const override { return widest_; }

  double near_stretch() const override { return std::min(2.0, widest_); }

 private:
  double widest_;
  std::vector<int> wanted_;  // to begin with; empty: chosen
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_partitioned(const FormulationSetting& setting) {
  auto wanted = wanted_coordinates(setting);
  if (!wanted) return wanted.why();
  return std::unique_ptr<Formulation>(
      std::make_unique<Partitioned>(setting, std::move(wanted).value()));
}

}  // namespace cardan
