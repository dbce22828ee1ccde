#pragma once
// Linear equations as files of a run: a MATLAB script and one CSV file for each matrix.
#include <filesystem>
#include <string>

#include "cardan/results/sink.h"
#include "cardan/results/summary.h"

namespace cardan {

std::string to_matlab(const LinearModel&);  // sets A, B, C, D, M, K, eigenvalues and names

// linear.m, linear_A.csv and so on; linear_1.m, linear_2.m ... where a run has several. Nothing
// where it has none.
Sink::Fault write_linear_models(const Summary&, const std::filesystem::path& folder);

}  // namespace cardan
