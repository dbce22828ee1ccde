#pragma once
// Units and dimensions. Angles are radians and carry the dimension "none": "rpm" is 1/s.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cardan {

struct Dimension {
  // exponents of kg, m, s, A
  std::array<signed char, 4> power{0, 0, 0, 0};
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension none{}, mass{{1, 0, 0}}, length{{0, 1, 0}}, time{{0, 0, 1}},
    velocity{{0, 1, -1}}, rate{{0, 0, -1}}, acceleration{{0, 1, -2}}, inertia{{1, 2, 0}},
    force{{1, 1, -2}}, torque{{1, 2, -2}}, stiffness{{1, 0, -2}}, damping{{1, 0, -1}},
    rotational_damping{{1, 2, -1}}, density{{1, -3, 0}}, area_density{{1, -2, 0}}, area{{0, 2, 0}},
    volume{{0, 3, 0}}, angular_acceleration{{0, 0, -2}}, pressure{{1, -1, -2}}, power{{1, 2, -3}},
    current{{0, 0, 0, 1}}, voltage{{1, 2, -3, -1}}, resistance{{1, 2, -3, -2}},
    inductance{{1, 2, -2, -2}}, capacitance{{-1, -2, 4, 2}}, charge{{0, 0, 1, 1}};
}  // namespace dimension

struct Unit {
  double factor = 1;  // to SI
  Dimension dimension;
};

struct NamedUnit {
  std::string_view symbol;
  Unit unit;
};

std::span<const NamedUnit> all_units();

std::optional<Unit> find_unit(std::string_view symbol);  // one symbol: "mm", "kN", "rpm"
std::string to_text(Dimension);                          // "N (force)"; "a plain number" for none
std::string si_unit(Dimension);  // "N", "kg*m*s^-1", as a formula may write it; empty for none
Dimension per_second(Dimension);

}  // namespace cardan
