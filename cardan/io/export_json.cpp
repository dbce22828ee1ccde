// Exports a run, with its manifest and log, as one JSON object.
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/io/export.h"
#include "cardan/results/faults.h"
#include "cardan/results/json.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;

void write_numbers(std::ostream& out, const std::vector<double>& numbers) {
  fmt::memory_buffer text;
  text.push_back('[');
  for (const double x : numbers) {
    if (text.size() > 1) text.push_back(',');
    if (std::isfinite(x))
      fmt::format_to(fmt::appender(text), "{}", x);
    else
      fmt::format_to(fmt::appender(text), "null");
  }
  text.push_back(']');
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

Sink::Fault write_analysis(const RunReader& run,
                           int segment,
                           const ExportOptions& options,
                           std::ostream& out) {
  const auto& channels = run.segments()[static_cast<std::size_t>(segment)].channels;
  const auto chosen = select_channels(channels, options.channels);
  if (!chosen) return chosen.why().front();
  const auto columns = run.read(segment, chosen.value());
  if (!columns) return columns.why().front();

  Json list = Json::array();
  for (const int i : chosen.value()) {
    const Channel& c = channels[static_cast<std::size_t>(i)];
    list.push_back(
        {{"name", c.name}, {"unit", c.unit}, {"element", c.element}, {"quantity", c.quantity}});
  }
  out << "{\"channels\":" << to_line(list) << ",\n\"t\":";
  write_numbers(out, columns.value().t);
  out << ",\n\"values\":[";
  const char* separator = "";
  for (const auto& column : columns.value().values) {
    out << std::exchange(separator, ",\n");
    write_numbers(out, column);
  }
  out << "]}";
  return {};
}

Json to_json(const StoredEvent& e) {
  return {{"analysis", e.analysis},
          {"t", e.t},
          {"kind", e.kind},
          {"element", e.element},
          {"text", e.text}};
}

}  // namespace

Sink::Fault export_json(const RunReader& run, const ExportOptions& options, std::ostream& out) {
  const auto manifest = run.manifest();
  if (!manifest) return manifest.why().front();
  const auto log = run.log();
  if (!log) return log.why().front();
  out << "{\"manifest\":" << to_line(manifest.value()) << ",\n\"analyses\":[";
  for (std::size_t s = 0; s < run.segments().size(); ++s) {
    if (s > 0) out << ",\n";
    if (auto fault = write_analysis(run, static_cast<int>(s), options, out)) return fault;
  }
  Json events = Json::array();
  for (const auto& e : log.value().events) events.push_back(to_json(e));
  out << "],\n\"events\":" << to_line(events)
      << ",\n\"diagnostics\":" << to_line(cardan::to_json(log.value().diagnostics)) << "}\n";
  if (!out.flush()) return write_fault("samples", "the output was not taken whole");
  return {};
}

}  // namespace cardan
