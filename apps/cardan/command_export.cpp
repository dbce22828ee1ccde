// cardan export RUN: the samples of a run for other programs.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "cardan/io/export.h"
#include "cardan/results/faults.h"
#include "cardan/results/report_document.h"
#include "command.h"
#include "exporters/netcdf.h"
#include "exporters/vtk.h"

namespace cardan::app {

namespace {

struct Options {
  std::string run, output = "-";
  std::string vtk;  // folder
  std::size_t frames = 200;
  bool csv = false, json = false, netcdf = false, force = false;
  ExportOptions chosen;
};

Sink::Fault write(const RunReader& run, const Options& options, std::ostream& out) {
  return options.json ? export_json(run, options.chosen, out)
                      : export_csv(run, options.chosen, out);
}

// Into a file beside the wanted one first: an export that fails leaves nothing behind and replaces
// nothing.
Sink::Fault write_to_file(const RunReader& run, const Options& options) {
  const std::filesystem::path path = options.output;
  std::error_code error;
  if (!options.force && std::filesystem::exists(path, error)) return already_there(path);
  std::filesystem::path part = path;
  part += ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  if (!file) return write_fault(path, std::strerror(errno));
  auto fault = write(run, options, file);
  file.close();
  if (!fault && !file) fault = write_fault(path, "the file was not written whole");
  if (!fault) std::filesystem::rename(part, path, error);
  if (error) fault = write_fault(path, error.message());
  if (fault) std::filesystem::remove(part, error);
  return fault;
}

// Formats that are no text: a file for netCDF, a folder for VTK.
Sink::Fault write_binary(const RunReader& run, const Options& options) {
  if (!options.vtk.empty()) return write_vtk(run, main_segment(run), options.vtk, options.frames);
  const std::filesystem::path path = options.output == "-" ? "run.nc" : options.output;
  std::error_code error;
  if (!options.force && std::filesystem::exists(path, error)) return already_there(path);
  return write_netcdf(run, options.chosen.channels, path);
}

int work(const Options& options, const Console& console) {
  const auto run = RunReader::open(options.run);
  if (!run) return console.fail(run.why());
  if (options.netcdf || !options.vtk.empty()) {
    if (run.value().segments().empty())
      return console.fail(not_a_run(options.run, "the run holds no samples"));
    const auto failed = write_binary(run.value(), options);
    return failed ? console.fail(*failed) : 0;
  }
  std::ios::sync_with_stdio(false);
  const auto fault = options.output == "-" ? write(run.value(), options, std::cout)
                                           : write_to_file(run.value(), options);
  return fault ? console.fail(*fault) : 0;
}

std::function<int()> define(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  app.add_option("RUN", options->run, "The run's folder or its run.db")->required();
  auto* csv =
      app.add_flag("--csv", options->csv, "One table of comma-separated values (the default)");
  app.add_flag("--json",
               options->json,
               "Everything as one JSON object: manifest, samples, events, diagnostics")
      ->excludes(csv);
  app.add_flag("--netcdf",
               options->netcdf,
               "netCDF-4 (HDF5), for h5py, xarray and MATLAB; without -o into run.nc")
      ->excludes(csv);
  app.add_option("--vtk", options->vtk, "Moving lines for ParaView, as files in this new folder")
      ->excludes(csv);
  app.add_option("--frames", options->frames, "VTK: so many frames, evenly spread; 0: every row")
      ->capture_default_str();
  app.add_option("-c,--channel",
                 options->chosen.channels,
                 "Only channels of this name or pattern ('crank.*'); may be repeated");
  app.add_flag("--errors",
               options->chosen.errors,
               "CSV: a column with the estimated error after every channel that has one");
  app.add_option("-o,--output", options->output, "The file to write; - is the standard output")
      ->capture_default_str();
  app.add_flag("--force", options->force, "Replace the file if it is there");
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace

extern const Command export_command;
const Command export_command{
    "export", "Write the samples of a run as CSV, JSON, netCDF-4 or VTK", define};

}  // namespace cardan::app
