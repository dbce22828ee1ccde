// Index-1 accelerations for y = (q, v, z); after every step positions and velocities are put back
// onto the constraints, mass-orthogonally, with the factor of the last evaluation, and the error
// estimate loses its part normal to them. Near a singular pose the states of evaluations are put
// onto the constraints too: there a small violation would make large accelerations. Reference:
// Eich, SIAM J. Numer. Anal. 30 (1993): convergence of multistep methods with projection.
#include <algorithm>

#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/singular.h"

namespace cardan {

namespace {

class Projected final : public Absolute {
 public:
  explicit Projected(const FormulationSetting& setting) : Absolute(setting), watch_(setting) {}

  std::string_view name() const override { return "projected"; }

  bool keeps_constraints() const override { return system_.equations().rows() > 0; }

  Eval f(double t, CView y, View dy) override {
    motion_.use_states(z(y));
    const CView here = pose(y);
    if (const Eval e = accelerate(t, here, v(y), q(dy), v(dy), lambda_); e != Eval::ok) return e;
    rate_states(t, moved_ ? CView(there_.q) : here, moved_ ? CView(there_.v) : v(y), dy);
    return Eval::ok;
  }

  Eval project(double t, View y, View error) override {
    renew_quaternions(y);
    if (!keeps_constraints()) return Eval::ok;
    motion_.use_states(z(y));
    if (const Eval e = put_onto_constraints(t, q(y), v(y)); e != Eval::ok) return e;
    project_error(y, error);
    return Eval::ok;
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    const bool far = lowest_ > watched_ratio;
    lowest_ = 1;
    return watch_.step(motion_, t, q(y), v(y), z(y), events_, far);
  }

  void serialize(Archive& archive) override {
    archive.mark("projected");
    watch_.serialize(archive);
    passage_.serialize(archive);
    archive.io(lowest_);
  }

 protected:
  Eval accelerate(double t, CView q, CView v, View q_dot, View a, View lambda) override {
    const Eval e = Absolute::accelerate(t, q, v, q_dot, a, lambda);
    moved_ = e != Eval::ok || pivot_ratio(motion_) < near_singular_ratio;
    lowest_ = std::min(lowest_, pivot_ratio(motion_));
    return moved_ && projects() ? accelerate_on_constraints(t, q, v, q_dot, a, lambda) : e;
  }

  std::optional<ConstraintFeedback> feedback() const override {
    if (moved_ && projects()) return {};
    return ConstraintFeedback{};
  }

 private:
  SingularWatch watch_;
  double lowest_ = 1;  // weakest pivot since the last accepted step
  bool moved_ = false;
};

}  // namespace

Result<std::unique_ptr<Formulation>> make_projected(const FormulationSetting& setting) {
  return std::unique_ptr<Formulation>(std::make_unique<Projected>(setting));
}

}  // namespace cardan
