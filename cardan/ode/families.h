#pragma once
// One line per family of methods; each is defined beside its methods.
#include <span>

#include "cardan/ode/registry.h"

namespace cardan {

using MethodFamily = std::span<const MethodEntry> (*)();

std::span<const MethodEntry>
explicit_family();  // explicit_family.cpp: fixed-step and error-controlled Runge-Kutta
std::span<const MethodEntry>
second_order_family();  // second_order_family.cpp: taylor2, euler2, verlet

inline constexpr MethodFamily method_families[] = {
    explicit_family,
    second_order_family,
};

}  // namespace cardan
