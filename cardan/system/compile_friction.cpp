// Friction of joints: the rule of the joint's type, and where its elements act.
#include "cardan/element/contact/friction_plan.h"
#include "cardan/element/contact/sticking.h"
#include "cardan/system/compiler.h"

namespace cardan {

namespace {

// Of the mechanism's size a second. Near it the direction of sliding turns no faster than the
// integration can follow.
constexpr double still_speed = 1e-5;

}  // namespace

void Compiler::joint_friction(const Element& e, const ElementType& type, const ElementSpec& spec) {
  const auto* rule = std::get_if<FrictionRule>(&type.friction);
  if (rule == nullptr || (!spec.number("friction") && !spec.number("static_friction"))) return;
  auto law = friction_law(spec);
  if (!law) return fault(e, law.why());
  if (!law.value()) return;
  auto plan = (*rule)(spec, friction_element(spec, *law.value()));
  if (!plan) return fault(e, plan.why());
  for (auto& friction : plan.value())
    place_friction(std::move(friction), system_.constraints_.size() - 1);
}

int Compiler::place_friction(FrictionElement element, std::size_t constraint) {
  friction_of_.push_back(constraint);
  system_.friction_words_.push_back(system_.constraints_[constraint].words());
  return system_.friction_->add(std::move(element));
}

std::vector<Part> Compiler::sticking() {
  auto set = std::make_shared<ConstraintSet>(dimension_);
  std::vector<Part> parts;
  for (int k = 0; k < system_.friction_->count(); ++k) {
    FrictionElement& e = system_.friction_->element(k);
    e.law.still = still_speed * system_.length_;
    if (e.law.sticks()) parts.push_back(add_sticking(*set, e, system_.friction_->ways(k)));
  }
  system_.stick_set_ = std::move(set);
  return parts;
}

void Compiler::name_stick_rows(const std::vector<Part>& parts, int first_pool) {
  std::size_t next = 0;
  for (int k = 0; k < system_.friction_->count(); ++k) {
    FrictionElement& e = system_.friction_->element(k);
    if (!e.law.sticks()) continue;
    const Part& part = parts[next++];
    e.stick_row = system_.equations_.row(first_pool + part.pool, part.element, 0);
    for (int r = e.stick_row; r < e.stick_row + system_.friction_->ways(k); ++r) {
      const auto row = static_cast<std::size_t>(r);
      system_.constraint_of_row_[row] = static_cast<int>(friction_of_[static_cast<std::size_t>(k)]);
      system_.row_words_[row] = "sticking";
    }
  }
}

}  // namespace cardan
