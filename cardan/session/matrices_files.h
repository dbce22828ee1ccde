#pragma once
// Matrices of a mechanism as text and files.
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cardan/analysis/matrices.h"
#include "cardan/results/sink.h"

namespace cardan {

nlohmann::ordered_json to_json(const MechanismMatrices&);
std::string to_matlab(const MechanismMatrices&);  // a script that sets variables of these names
std::string to_csv(const NamedMatrix&);           // with the names of rows and columns
std::string to_table(const NamedMatrix&);         // for people; small ones only
bool is_small(const MechanismMatrices&);          // enough to be read as tables

// matrices.json, matrices.m and one CSV file for each, all digits.
Sink::Fault write_matrices(const MechanismMatrices&, const std::filesystem::path& folder);

}  // namespace cardan
