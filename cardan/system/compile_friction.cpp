// Friction of joints: the rule of the joint's type, and where its elements act.
#include "cardan/element/friction_plan.h"
#include "cardan/system/compiler.h"

namespace cardan {

void Compiler::joint_friction(const Element& e, const ElementType& type, const ElementSpec& spec) {
  const auto* rule = std::get_if<FrictionRule>(&type.friction);
  if (rule == nullptr || (!spec.number("friction") && !spec.number("static_friction"))) return;
  auto law = friction_law(spec);
  if (const auto* f = std::get_if<ElementFault>(&law)) return fault(e, *f);
  if (!std::get<0>(law)) return;
  auto plan = (*rule)(spec, friction_element(spec, *std::get<0>(law)));
  if (const auto* f = std::get_if<ElementFault>(&plan)) return fault(e, *f);
  for (auto& friction : std::get<0>(plan))
    place_friction(std::move(friction), system_.constraints_.size() - 1);
}

int Compiler::place_friction(FrictionElement element, std::size_t constraint) {
  friction_of_.push_back(constraint);
  system_.friction_words_.push_back(system_.constraints_[constraint].words());
  return system_.friction_->add(std::move(element));
}

}  // namespace cardan
