#pragma once
// A run for ParaView: one VTK XML poly-data file per row (bodies as lines through the points where
// something is attached, joints as points) and a .pvd file that names them with their times.
#include <filesystem>

#include "cardan/results/run_reader.h"

namespace cardan {

// So many rows at most, evenly spread; 0: all of them. The folder must be new or empty.
Sink::Fault export_vtk(const RunReader&,
                       int segment,
                       const std::filesystem::path& folder,
                       std::size_t frames);

}  // namespace cardan
