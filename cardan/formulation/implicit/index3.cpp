// The index-3 equations of motion as they are, with Newmark's family in one implicit system a step
// (alpha_method.h): newmark (gamma, beta), hht (alpha), generalized-alpha (rho_infinity).
//   M a + phi_q^T lambda = Q,   phi(t, q) = 0
// Fixed steps where one is given, error control otherwise. Multipliers and accelerations of the
// output are those of the state on all its constraints.
#include <cmath>

#include <fmt/format.h>

#include "cardan/formulation/explicit/absolute.h"
#include "cardan/formulation/implicit/alpha_method.h"
#include "cardan/formulation/makers.h"
#include "cardan/formulation/mechanism_equations.h"
#include "cardan/formulation/singular/singular.h"
#include "cardan/ode/registry.h"

namespace cardan {

namespace {

double given_or(double given, double own) {
  return std::isnan(given) ? own : given;
}

AlphaParameters alpha_parameters(const DynamicOptions& options) {
  const IntegratorSettings& s = options.integrator_settings;
  if (options.integrator == "hht") return hht_parameters(given_or(s.alpha, -0.1));
  if (options.integrator == "generalized-alpha")
    return generalized_alpha_parameters(given_or(s.rho_infinity, 0.8));
  const double gamma = given_or(s.gamma, 0.5);
  return {0, 0, gamma, given_or(s.beta, 0.25 * (gamma + 0.5) * (gamma + 0.5))};
}

Traits alpha_traits(const DynamicOptions& options) {
  const AlphaParameters p = alpha_parameters(options);
  Traits t = find_method(options.integrator)->traits({});  // for the name, which stays
  const bool second = std::abs(p.gamma - 0.5 - p.alpha_f + p.alpha_m) < 1e-12;
  t.order_min = t.order_max = second ? 2 : 1;
  t.second_order = false;
  t.weighs_errors = true;
  t.adaptive = options.step == 0;
  return t;
}

class Index3 final : public Absolute {
 public:
  explicit Index3(const FormulationSetting& setting)
      : Absolute(setting), equations_(motion_), watch_(setting) {}

  std::string_view name() const override { return "index3"; }

  Eval project(double t, View y, View) override {
    renew_quaternions(y);
    if (!keeps_constraints()) return Eval::ok;
    // How near a singular pose is, the factor tells; a consistent step has made it.
    if (method_ == nullptr || !method_->consistent())
      if (const Eval e = motion_.linearise(t, q(y)); e != Eval::ok) return e;
    return motion_.project_positions(t, q(y));
  }

  // With the factor of the pose: the last one may be from far away.
  Eval recover(double t, CView y, State& full) override {
    if (const Eval e = motion_.linearise(t, q(y)); e != Eval::ok) return e;
    return Absolute::recover(t, y, full);
  }

  std::optional<Diagnostic> accepted(double t, CView y, double, long) override {
    const bool far = pivot_ratio(motion_) > watched_ratio;
    return watch_.step(motion_, t, q(y), v(y), z(y), events_, far);
  }

  void serialize(Archive& archive) override {
    archive.mark("index3");
    watch_.serialize(archive);
    passage_.serialize(archive);
  }

  std::unique_ptr<Method> own_method(const DynamicOptions& options) override {
    auto made = std::make_unique<AlphaMethod>(
        *this, equations_, alpha_traits(options), alpha_parameters(options));
    method_ = made.get();
    return made;
  }

 protected:
  bool keeps_constraints() const override { return system_.equations().rows() > 0; }

  std::optional<ConstraintFeedback> feedback() const override { return ConstraintFeedback{}; }

 private:
  MechanismEquations equations_;
  SingularWatch watch_;
  const AlphaMethod* method_ = nullptr;  // the one that was made last
};

std::optional<Diagnostic> bad_parameter(const DynamicOptions& options) {
  const IntegratorSettings& s = options.integrator_settings;
  const AlphaParameters p = alpha_parameters(options);
  const auto refuse = [&](const char* key, double found, const char* expected) {
    return bad_option(options.integrator, key, fmt::format("{}", found), expected);
  };
  if (options.integrator == "hht" && !(p.alpha_f >= 0 && p.alpha_f <= 1.0 / 3))
    return refuse("alpha", s.alpha, "-1/3 <= alpha <= 0");
  if (options.integrator == "generalized-alpha" && !std::isnan(s.rho_infinity) &&
      !(s.rho_infinity >= 0 && s.rho_infinity <= 1))
    return refuse("rho_infinity", s.rho_infinity, "0 <= rho <= 1");
  if (!(p.gamma >= 0.5 && p.gamma <= 1.5))
    return refuse("gamma", p.gamma, "0.5 <= gamma <= 1 (damping that is not negative)");
  if (!(p.beta > 0 && p.beta <= 1)) return refuse("beta", p.beta, "0 < beta <= 1");
  const int order = alpha_traits(options).order_max;
  if (options.order != 0 && options.order != order)
    return refuse("order", options.order, order == 2 ? "2" : "1");
  return {};
}

}  // namespace

MadeFormulation make_index3(const FormulationSetting& setting) {
  if (auto refused = bad_parameter(setting.options)) return *refused;
  return std::unique_ptr<Formulation>(std::make_unique<Index3>(setting));
}

}  // namespace cardan
