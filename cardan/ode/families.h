#pragma once
// One line per family of methods; each is defined beside its methods.
#include <span>

#include "cardan/ode/registry.h"

namespace cardan {

using MethodFamily = std::span<const MethodEntry> (*)();

// explicit_family.cpp: Runge-Kutta methods with fixed step and with error control
std::span<const MethodEntry> explicit_family();
// second_order_family.cpp: taylor2, euler2, verlet
std::span<const MethodEntry> second_order_family();
// adams_family.cpp: Adams methods with fixed step, and with variable order and step (PECE)
std::span<const MethodEntry> adams_family();
// several_family.cpp: methods whose stages are evaluated side by side
std::span<const MethodEntry> several_family();
// implicit_family.cpp: implicit Runge-Kutta and Rosenbrock methods
std::span<const MethodEntry> implicit_family();
// bdf_family.cpp: backward differentiation
std::span<const MethodEntry> bdf_family();
// newmark_family.cpp: newmark, hht, generalized-alpha
std::span<const MethodEntry> newmark_family();

inline constexpr MethodFamily method_families[] = {
    explicit_family,
    second_order_family,
    adams_family,
    several_family,
    newmark_family,
    implicit_family,
    bdf_family,
};

}  // namespace cardan
