#pragma once
// Inputs that are better made than kept: they hold what the program's present version writes.
#include <cstdint>
#include <string>
#include <vector>

namespace cardan::fuzz {

// For the harness of this name; none for most of them.
std::vector<std::vector<std::uint8_t>> made_inputs(const std::string& harness);

// The first byte that makes harness `checkpoint` take the k-th method; false: there are no more.
bool resumed_method(std::size_t k, std::string& formulation, std::string& integrator);
const char* resumed_model();

}  // namespace cardan::fuzz
