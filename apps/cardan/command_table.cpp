// cardan table RUN CHANNEL...: extremes of channels with their times, or values at chosen times.
#include <map>
#include <memory>

#include "cardan/results/report_table.h"
#include "cardan/results/run_folder.h"
#include "command.h"
#include "run_arguments.h"

namespace cardan::app {

namespace {

struct Options {
  RunArguments run;
  TableOptions table;
  std::string output;
};

int work(const Options& options, const Console& console) {
  const auto chosen = choose(options.run);
  if (!chosen) return console.fail(chosen.why());
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

std::function<int()> define(CLI::App& app, Console& console) {
  auto options = std::make_shared<Options>();
  options->run.add_to(app);
  const std::map<std::string, TableFormat> formats{
      {"text", TableFormat::text}, {"csv", TableFormat::csv}, {"markdown", TableFormat::markdown}};
  app.add_option("--format", options->table.format, "text, csv or markdown")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case));
  auto* at =
      app.add_option("--at", options->table.times, "Values in the rows nearest to these times")
          ->delimiter(',');
  app.add_option("--rows", options->table.rows, "So many rows, evenly spread over the run")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(at);
  app.add_option("--digits", options->table.digits, "Significant digits")
      ->check(CLI::Range(1, 17))
      ->capture_default_str();
  app.add_flag("!--all-digits",
               options->table.trusted,
               "Also digits that the run's error estimate does not confirm");
  app.add_option("-o,--output", options->output, "A file instead of the terminal");
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace

extern const Command table_command;
const Command table_command{
    "table", "Extremes of channels, or their values at chosen times", define};

}  // namespace cardan::app
