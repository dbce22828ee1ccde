// cardan table RUN CHANNEL...: extremes of channels with their times, or values at chosen times.
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>

#include "cardan/report/report_table.h"
#include "cardan/results/faults.h"
#include "cardan/results/run_folder.h"
#include "cardan/session/analysis_options.h"
#include "command.h"
#include "run_arguments.h"

namespace cardan::app {

namespace command_table {

struct Options {
  RunArguments run;
  TableOptions table;
  std::vector<std::string> at;
  std::string output, units;
  int digits = 0;  // 0: not given
  bool force = false;
};

int work(Options& options, const Console& console) {
  for (const std::string& text : options.at) {
    const auto time = option_number("--at", text, dimension::time, Range::any, {});
    if (!time) {
      Diagnostics faults = time.why();
      if (std::isalpha(static_cast<unsigned char>(text[0])) != 0)  // --at takes whatever follows
        faults.front().hint = "channels stand before --at: cardan table RUN ram.x --at 0.1,0.2";
      return console.fail(faults);
    }
    options.table.times.push_back(time.value());
  }
  if (options.digits > 0 && options.table.format == TableFormat::csv)
    return console.fail(usage_fault(
        "usage.bad-option", "--digits with --format csv, which has all digits", "leave it out"));
  if (options.digits > 0) options.table.digits = options.digits;
  const auto chosen = choose(options.run);
  if (!chosen) return console.fail(chosen.why());
  auto units = DisplayUnits::parse(options.units);
  if (!units) return console.fail(units.why());
  options.table.units = std::move(units).value();
  std::error_code error;
  if (!options.output.empty() && !options.force && std::filesystem::exists(options.output, error))
    return console.fail(already_there(options.output));
  const auto text = channel_table(
      chosen.value().reader, chosen.value().segment, chosen.value().channels, options.table);
  if (!text) return console.fail(text.why());
  if (options.output.empty()) {
    console.print(text.value());
    return 0;
  }
  const auto fault = write_file(options.output, text.value());
  return fault ? console.fail(*fault) : 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  options->run.add_to(line);
  static constexpr std::array words{"text", "csv", "markdown"};
  static constexpr std::array formats{TableFormat::text, TableFormat::csv, TableFormat::markdown};
  line.choice(
      "--format",
      words,
      [options](int k) { options->table.format = formats[static_cast<std::size_t>(k)]; },
      "text, csv or markdown");
  const Described at =
      line.option("--at", options->at, "Values in the rows nearest to these times: 0.1,0.2 or 20ms")
          .comma_separated();
  line.option("--rows", options->table.rows, "So many rows, evenly spread over the run")
      .within(1, 1'000'000)
      .excludes(at);
  line.option("--digits", options->digits, "Significant digits (7), of text and markdown")
      .within(1, 17);
  line.flag("!--all-digits",
            options->table.trusted,
            "Also digits that the run's error estimate does not confirm");
  add_units(line, options->units);
  const Described output =
      line.option("-o,--output", options->output, "A file instead of the terminal");
  line.flag("--force", options->force, "Replace the file if it is there").needs(output);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_table

extern const Command table_command;
const Command table_command{
    "table", "Extremes of channels, or their values at chosen times", command_table::define};

}  // namespace cardan::app
