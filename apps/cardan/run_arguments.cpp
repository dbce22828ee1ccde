#include "run_arguments.h"

#include <fmt/format.h>

#include "cardan/report/report_document.h"
#include "cardan/results/faults.h"
#include "console.h"

namespace cardan::app {

void RunArguments::add_to(CommandLine& line) {
  line.option("RUN", run, "The run's folder or its run.db").required();
  line.option("CHANNEL",
              channels,
              "Channels by name or pattern ('crank.*'); none: all, of plots requests and drivers");
  line.option("--analysis",
              analysis,
              "Which analysis of the run, counted from 1; otherwise the last with samples");
}

void add_units(CommandLine& line, std::string& units) {
  line.option("--units", units, "Units instead of SI, separated by commas: mm,deg,rpm,kN");
}

Result<ChosenRun> choose(const RunArguments& arguments) {
  auto reader = RunReader::open(arguments.run);
  if (!reader) return reader.why();
  const int count = static_cast<int>(reader.value().segments().size());
  if (count == 0) return not_a_run(arguments.run, "the run holds no samples");
  if (arguments.analysis < 0 || arguments.analysis > count)
    return usage_fault("usage.bad-value",
                       fmt::format("--analysis {}", arguments.analysis),
                       fmt::format("the run has {} analys{}", count, count == 1 ? "is" : "es"));
  ChosenRun chosen{std::move(reader).value(), arguments.analysis - 1, {}};
  if (chosen.segment < 0) chosen.segment = main_segment(chosen.reader);
  auto channels =
      select_channels(chosen.reader.segments()[static_cast<std::size_t>(chosen.segment)].channels,
                      arguments.channels);
  if (!channels) return channels.why();
  chosen.channels = std::move(channels).value();
  return chosen;
}

}  // namespace cardan::app
