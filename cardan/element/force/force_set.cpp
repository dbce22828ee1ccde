// Forces of bodies, and what laws of springs have in common.
#include "cardan/element/force/force_set.h"

#include "cardan/element/force/force_maker.h"
#include "cardan/element/force/gravity_pool.h"
#include "cardan/element/force/gyroscopic_pool.h"

namespace cardan {
namespace {

FunctionPtr function(const ElementSpec& spec, std::string_view key) {
  const FunctionPtr* found = ElementSpec::find(spec.functions, key);
  return found != nullptr ? *found : nullptr;
}

}  // namespace

void set_actuator(ForceLaw& law, const ElementSpec& spec, std::string_view key, double sign) {
  const Expression* found = ElementSpec::find(spec.formulas, key);
  if (found == nullptr) return;
  law.active = true;
  law.actuator = *found;
  law.actuator_sign = sign;
}

ForceLaw spring_law(const ElementSpec& spec, double free, std::string_view actuator) {
  ForceLaw law;
  law.stiffness = spec.number_or("stiffness", 0);
  law.damping = spec.number_or("damping", 0);
  law.free = free;
  law.spring = function(spec, "spring");
  law.damper = function(spec, "damper");
  if (const Expression* f = ElementSpec::find(spec.formulas, "spring")) law.spring_formula = *f;
  if (const Expression* f = ElementSpec::find(spec.formulas, "damper")) law.damper_formula = *f;
  set_actuator(law, spec, actuator, 1);
  law.store_actuator();
  return law;
}

int ForceSet::add_gravity(const Vec<3>& acceleration, CView masses) {
  pools_.push_back(std::make_unique<GravityPool>(dimension_, acceleration, masses));
  return pool_count() - 1;
}

int ForceSet::add_gyroscopic(std::vector<Mat<3, 3>> inertias) {
  pools_.push_back(std::make_unique<GyroscopicPool>(std::move(inertias)));
  return pool_count() - 1;
}

int ForceSet::adopt(std::unique_ptr<ForcePool> pool) {
  pools_.push_back(std::move(pool));
  return pool_count() - 1;
}

}  // namespace cardan
