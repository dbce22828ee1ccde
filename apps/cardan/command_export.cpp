// cardan export RUN: the samples of a run for other programs.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cardan/io/export.h"
#include "cardan/io/export_vtk.h"
#include "cardan/report/report_document.h"
#include "cardan/results/faults.h"
#include "cardan/results/output_file.h"
#include "cardan/results/run_folder.h"
#include "command.h"
#include "part.h"

namespace cardan::app {

namespace command_export {

struct Options {
  std::string run, output = "-";
  std::size_t frames = 200;
  bool csv = false, json = false, netcdf = false, mat = false, xlsx = false, force = false;
  std::optional<std::string> vtk;  // folder
  ExportOptions chosen;
};

Sink::Fault write(const RunReader& run, const Options& options, std::ostream& out) {
  if (options.mat) return export_mat(run, options.chosen, out);
  if (options.xlsx) return export_xlsx(run, options.chosen, out);
  return options.json ? export_json(run, options.chosen, out)
                      : export_csv(run, options.chosen, out);
}

// An export that fails leaves nothing behind and replaces nothing; into the folder of a run it takes
// the run's lock.
Sink::Fault write_to_file(const RunReader& run, const Options& options) {
  const std::filesystem::path path = options.output;
  std::error_code error;
  if (!options.force && std::filesystem::exists(path, error)) return already_there(path);
  const auto lock = lock_of_run_beside(std::filesystem::absolute(path));
  if (!lock) return lock.why().front();
  auto file = OutputFile::open(path);
  if (!file) return file.why().front();
  if (auto fault = write(run, options, file.value().stream())) return fault;
  return file.value().keep();
}

// HDF5 is known to a part of its own, which takes the place of this process.
Diagnostic write_netcdf_file(const Options& options) {
  const std::filesystem::path path = options.output == "-" ? "run.nc" : options.output;
  std::error_code error;
  if (!options.force && std::filesystem::exists(path, error)) return already_there(path);
  std::vector<std::string> arguments{options.run, path.string()};
  arguments.insert(arguments.end(), options.chosen.channels.begin(), options.chosen.channels.end());
  return become_part("cardan-netcdf", arguments);
}

// Without an option the name of the file says what is meant. False: the two contradict each other.
bool follow_name(Options& options) {
  const std::string end = std::filesystem::path(options.output).extension().string();
  const bool none =
      !options.csv && !options.json && !options.netcdf && !options.mat && !options.xlsx;
  const std::pair<const char*, bool*> formats[] = {{".mat", &options.mat},
                                                   {".xlsx", &options.xlsx},
                                                   {".json", &options.json},
                                                   {".nc", &options.netcdf},
                                                   {".csv", &options.csv}};
  for (const auto& [name, chosen] : formats) {
    if (end != name) continue;
    if (none) *chosen = true;
    return *chosen;
  }
  // Ends of other formats: a spreadsheet would be handed a text under a false name.
  static constexpr const char* others[] = {
      ".xls", ".ods", ".h5", ".hdf5", ".parquet", ".npz", ".npy", ".vtk", ".pvd", ".pdf", ".html"};
  return std::none_of(
      std::begin(others), std::end(others), [&](const char* other) { return end == other; });
}

int work(Options& options, const Console& console) {
  if (!options.vtk && !follow_name(options))
    return console.fail(
        usage_fault("usage.bad-value",
                    fmt::format("a file '{}' of another format", options.output),
                    "let the end of the name fit: .csv, .json, .nc, .mat or .xlsx"));
  if ((options.mat || options.xlsx) && options.output == "-")
    options.output = options.mat ? "run.mat" : "run.xlsx";
  const auto run = RunReader::open(options.run);
  if (!run) return console.fail(run.why());
  if (options.netcdf || options.vtk) {
    if (run.value().segments().empty())
      return console.fail(not_a_run(options.run, "the run holds no samples"));
    if (options.netcdf) return console.fail(write_netcdf_file(options));
    const auto failed =
        export_vtk(run.value(), main_segment(run.value()), *options.vtk, options.frames);
    return failed ? console.fail(*failed) : 0;
  }
  std::ios::sync_with_stdio(false);
  const auto fault = options.output == "-" ? write(run.value(), options, std::cout)
                                           : write_to_file(run.value(), options);
  return fault ? console.fail(*fault) : 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->run, "The run's folder or its run.db").required();
  const Described csv =
      line.flag("--csv", options->csv, "One table of comma-separated values (the default)");
  const Described json =
      line.flag("--json",
                options->json,
                "Everything as one JSON object: manifest, samples, events, diagnostics");
  const Described netcdf =
      line.flag("--netcdf",
                options->netcdf,
                "netCDF-4 (HDF5), for h5py, xarray and MATLAB; without -o into run.nc");
  const Described vtk =
      line.option("--vtk", options->vtk, "Moving lines for ParaView, as files in this new folder");
  const Described mat = line.flag("--mat", options->mat, "MATLAB file; without -o into run.mat");
  const Described xlsx =
      line.flag("--xlsx", options->xlsx, "Workbook for spreadsheets; without -o into run.xlsx");
  CommandLine::at_most_one({csv, json, netcdf, vtk, mat, xlsx});
  line.option("--frames", options->frames, "VTK: so many frames, evenly spread; 0: every row")
      .shows_default()
      .needs(vtk);
  line.option("-c,--channel",
              options->chosen.channels,
              "Only channels of this name or pattern ('crank.*'); may be repeated")
      .excludes(vtk);
  line.flag("--errors",
            options->chosen.errors,
            "CSV: a column with the estimated error after every channel that has one")
      .excludes(json)
      .excludes(netcdf)
      .excludes(mat)
      .excludes(xlsx)
      .excludes(vtk);
  line.flag("--raw-names",
            options->chosen.raw_names,
            "CSV: names as they are, also those that a spreadsheet would take for a formula")
      .excludes(json)
      .excludes(netcdf)
      .excludes(mat)
      .excludes(xlsx)
      .excludes(vtk);
  line.option("-o,--output", options->output, "The file to write; - is the standard output")
      .shows_default()
      .excludes(vtk);
  line.flag("--force", options->force, "Replace the file if it is there").excludes(vtk);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_export

extern const Command export_command;
const Command export_command{
    "export",
    "Write the samples of a run as CSV, JSON, MATLAB, XLSX, netCDF-4 or VTK",
    command_export::define};

}  // namespace cardan::app
