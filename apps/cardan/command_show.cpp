// cardan show RUN: what was run and what came out, on one screen.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/report/report_document.h"
#include "cardan/report/report_table.h"
#include "cardan/results/display_units.h"
#include "cardan/results/summary.h"
#include "command.h"
#include "event_words.h"
#include "run_arguments.h"
#include "run_session.h"

namespace cardan::app {

namespace command_show {

struct Options {
  std::string run, units;
};

// Sizes of reactions, drives with their powers, and what the model asks for.
bool is_answer(const Channel& c) {
  return c.quantity == "request" || c.quantity == "state" || c.quantity == "drive" ||
         c.quantity == "drive power" ||
         (c.quantity == "reaction size" && c.name.find(".first.") != std::string::npos) ||
         (c.quantity == "contact" && (c.name.ends_with(".normal") || c.name.ends_with(".impulse")));
}

int work(const Options& options, const Console& console) {
  const auto run = RunReader::open(options.run);
  if (!run) return console.fail(run.why());
  auto units = DisplayUnits::parse(options.units);
  if (!units) return console.fail(units.why());
  const RunReader& reader = run.value();
  const nlohmann::ordered_json summary = run_summary(reader);
  std::string text = fmt::format("{}: {}\n", run_title(reader), run_status(reader));
  if (const auto manifest = reader.manifest()) {
    const std::string started = manifest.value().value("started", "");
    if (!started.empty()) text += fmt::format("  started {}\n", started);
  }
  if (!summary.empty()) {
    const Summary all = summary_from_json(summary);
    text += summary_words(all) + event_words(reader);
    for (const Diagnostic& d : all.diagnostics)
      if (d.severity != Severity::note) text += "  " + to_text(d) + "\n";
  }
  const int segment = main_segment(reader);
  if (segment >= 0) {
    const auto& channels = reader.segments()[static_cast<std::size_t>(segment)].channels;
    std::vector<int> chosen;
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (is_answer(channels[k])) chosen.push_back(static_cast<int>(k));
    if (!chosen.empty()) {
      TableOptions table;
      table.digits = 5;
      table.units = std::move(units).value();
      const auto lines = channel_table(reader, segment, chosen, table);
      if (!lines) return console.fail(lines.why());
      text += "\n" + lines.value();
    }
  }
  console.print(text);
  nlohmann::ordered_json json{
      {"run", options.run}, {"title", run_title(reader)}, {"status", run_status(reader)}};
  json["summary"] = summary;
  console.print_json("run", json);
  return 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("RUN", options->run, "The run's folder or its run.db").required();
  add_units(line, options->units);
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_show

extern const Command show_command;
const Command show_command{
    "show", "Show what was run and what came out, on one screen", command_show::define};

}  // namespace cardan::app
