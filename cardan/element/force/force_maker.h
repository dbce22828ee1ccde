#pragma once
// Inside of the makers of forces: pools by type, what a spec says of a law, and what planar and
// spatial forces have in common.
#include "cardan/element/force/force_frame.h"
#include "cardan/element/force/force_law.h"
#include "cardan/element/force/force_set.h"
#include "cardan/element/maker.h"
#include "cardan/element/type_parts.h"

namespace cardan {

template <class Pool, class... Arguments>
ForcePart ForceSet::place(std::string_view type,
                          typename Pool::Element element,
                          const Arguments&... arguments) {
  for (int k = 0; k < pool_count(); ++k)
    if (pools_[k]->type() == type)
      if (auto* pool = dynamic_cast<Pool*>(pools_[k].get()))
        return {k, pool->add(std::move(element))};
  auto pool = std::make_unique<Pool>(type, arguments...);
  const int added = pool->add(std::move(element));
  pools_.push_back(std::move(pool));
  return {pool_count() - 1, added};
}

inline Expression formula_of(const ElementSpec& spec, std::string_view key) {
  const Expression* found = ElementSpec::find(spec.formulas, key);
  return found != nullptr ? *found : Expression();
}

// Stiffness, damping, curves and the actuator of the formula `actuator`.
ForceLaw spring_law(const ElementSpec&, double free, std::string_view actuator);
void set_actuator(ForceLaw&, const ElementSpec&, std::string_view key, double sign);

// What springs show.
inline constexpr std::string_view spring_outputs[] = {"length", "rate", "force"},
                                  spring_units[] = {"m", "m/s", "N"};
inline constexpr std::string_view torsion_outputs[] = {"angle", "rate", "torque"},
                                  torsion_units[] = {"rad", "rad/s", "N*m"};

// The descriptions, but for space, embedding and maker.
ElementType spring_type();
ElementType torsion_spring_type(std::string_view doc, Geometry);
ElementType bushing_type(std::string_view doc,
                         std::vector<Dimension> stiffness,
                         std::vector<Dimension> damping,
                         std::string_view axes,
                         std::string_view no_damping);
// Formulas of components, named by `parts`, with the choice of axes where there is one.
ElementType formula_force(std::string_view type,
                          std::string_view doc,
                          Geometry,
                          std::vector<KeySpec> keys);
KeySpec component_key(std::vector<Dimension>, std::vector<std::string_view> parts);

inline constexpr WordChoice<ForceFrame> body_frames[] = {{"ground", ForceFrame::global},
                                                         {"body", ForceFrame::second}};
KeySpec frame_key();  // of body_frames

}  // namespace cardan
