#pragma once
// A run as netCDF-4: an HDF5 file that h5py, xarray and MATLAB open. One dimension "time" with its
// coordinate variable, one variable per channel with "units" and "long_name"; runs of several
// analyses have a group each. The layout is that of the netCDF-4 format specification (NetCDF
// Users' Guide, appendix B): dimension scales, tracked creation order, _NCProperties.
#include <filesystem>
#include <string>
#include <vector>

#include "cardan/results/run_reader.h"

namespace cardan {

bool can_export_netcdf();  // built with HDF5?

// Channels by name or pattern; none: all. The file appears whole or not at all.
Sink::Fault export_netcdf(const RunReader&,
                          const std::vector<std::string>& channels,
                          const std::filesystem::path&);

}  // namespace cardan
