// Constraint stabilisation: the index-1 equations in all coordinates with feedback of the
// violation,
//   phi'' + 2 alpha phi' + beta^2 phi = 0   instead of   phi'' = 0,
// or one of its relatives (option stabilization, see stabilisation.h). The violation stays bounded,
// it does not vanish; near a singular pose the feedback can make the motion diverge, which is
// recognised by its size, by velocities that jump or by steps that do not get on, and named.
// Reference: Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1-16; Haug (1989), 7.3.4.
#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/explicit/drift.h"
#include "cardan/formulation/explicit/stabilisation.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/singular/branch_watch.h"

namespace cardan {

namespace {

constexpr double tolerated_share = 0.1;  // of the mechanism's size: more is divergence

class Baumgarte final : public Absolute {
 public:
  Baumgarte(const FormulationSetting& setting, std::unique_ptr<Stabilisation> stabilisation)
      : Absolute(setting),
        drift_(setting, tolerated_share),
        watch_(setting),
        stabilisation_(std::move(stabilisation)) {}

  std::string_view name() const override { return "baumgarte"; }

  std::optional<GainPair> gains() const override { return stabilisation_->gains(); }

  void parametrize(const State& state, View y) override {
    Absolute::parametrize(state, y);
    watch_.forget();
  }

  std::optional<Diagnostic> accepted(double t, CView y, double h, long attempts) override {
    if (auto stop = drift_.check(motion_, t, q(y), h)) return stop;
    stabilisation_->accepted(h, drift_.last(), motion_.velocity_violation(t, q(y), v(y)));
    return watch_.step(motion_, t, q(y), v(y), z(y), attempts, events_);
  }

  void serialize(Archive& archive) override {
    archive.mark("baumgarte");
    watch_.serialize(archive);
    stabilisation_->serialize(archive);
  }

 protected:
  Eval accelerate(double t, CView q, CView v, View q_dot, View a, View lambda) override {
    system_.rate(q, v, q_dot);
    const Eval e = stabilisation_->accelerate(motion_, t, q, v, q_dot, a, lambda);
    watch_.evaluated(motion_);
    return e;
  }

  std::optional<ConstraintFeedback> feedback() const override { return stabilisation_->feedback(); }

 private:
  DriftWatch drift_;
  BranchWatch watch_;
  std::unique_ptr<Stabilisation> stabilisation_;
};

Diagnostic refuse_gains(const DynamicOptions& options, std::string found, std::string expected) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.where = options.where;
  d.element = "formulation \"baumgarte\"";
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

}  // namespace

Result<std::unique_ptr<Formulation>> make_baumgarte(const FormulationSetting& setting) {
  const DynamicOptions& options = setting.options;
  const auto gains = choose_gains(options);
  if (!gains) return gains.why();
  const std::string& variant = options.stabilization;
  std::unique_ptr<Stabilisation> stabilisation;
  if (variant == "classic" || variant == "adaptive" || variant == "feedback")
    stabilisation = make_feedback(setting, gains.value());
  if (variant == "gradient") stabilisation = make_gradient(setting, gains.value());
  if (variant == "penalty") {
    if (!setting.system.mass().regular())
      return refuse_gains(options,
                          "stabilization = \"penalty\" with bodies without mass or inertia",
                          "classic, adaptive, gradient or feedback");
    if (setting.system.friction().count() > 0)
      return refuse_gains(
          options,
          "stabilization = \"penalty\" with friction, which depends on exact reactions",
          "classic, adaptive, gradient or feedback");
    stabilisation = make_penalty(setting, gains.value());
  }
  if (stabilisation == nullptr)
    return refuse_gains(options,
                        "stabilization = \"" + variant + "\"",
                        "classic, adaptive, penalty, gradient or feedback");
  const bool moves = stabilisation->moves_positions();
  auto made = std::make_unique<Baumgarte>(setting, std::move(stabilisation));
  if (moves && made->second_order() != nullptr)
    return refuse_gains(
        options,
        "stabilization = \"gradient\" with integrator \"" + options.integrator + "\"",
        "an integrator of first-order equations, since positions do not follow from "
        "velocities alone");
  return std::unique_ptr<Formulation>(std::move(made));
}

}  // namespace cardan
