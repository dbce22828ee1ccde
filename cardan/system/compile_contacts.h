#pragma once
// Stops, contacts and the friction of joints: what the model says of them, with defaults.
#include <limits>
#include <optional>
#include <variant>

#include "cardan/system/system.h"

namespace cardan {

struct ContactPlan {
  System::ContactInfo info;
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;  // of what is measured
  ForceSet::Limit law{};                                                    // of a compliant one
  std::optional<FrictionElement> friction;  // rows, pool and element follow
};

// length: the mechanism's size.
std::variant<ContactPlan, ElementFault> plan_contact(const Element&,
                                                     const ElementSpec&,
                                                     double length);

// Friction of a joint without its rows; nothing when it has none.
std::variant<std::optional<FrictionElement>, ElementFault> plan_friction(const Element&,
                                                                         const ElementSpec&);

}  // namespace cardan
