// Exports a run as one table of comma-separated values.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "cardan/io/export.h"
#include "cardan/results/faults.h"

namespace cardan {

namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

// The channels of all analyses, each once, in the order they first appear.
std::vector<Channel> all_channels(const RunReader& run) {
  std::vector<Channel> all =
      run.segments().empty() ? std::vector<Channel>() : run.segments().front().channels;
  for (const auto& segment : run.segments()) {
    if (run_schema::checksum_of(segment.channels) == run_schema::checksum_of(all)) continue;
    for (const auto& channel : segment.channels)
      if (std::none_of(
              all.begin(), all.end(), [&](const auto& c) { return c.name == channel.name; }))
        all.push_back(channel);
  }
  return all;
}

// Where the columns of the table stand in a row of this analysis; -1: nowhere.
std::vector<int> places(const Segment& segment, const std::vector<Channel>& columns) {
  std::vector<int> place;
  for (const auto& column : columns) {
    const auto at = std::find_if(segment.channels.begin(),
                                 segment.channels.end(),
                                 [&](const auto& c) { return c.name == column.name; });
    place.push_back(at == segment.channels.end() ? -1
                                                 : static_cast<int>(at - segment.channels.begin()));
  }
  return place;
}

}  // namespace

Sink::Fault export_csv(const RunReader& run, const ExportOptions& options, std::ostream& out) {
  const std::vector<Channel> known = all_channels(run);
  const auto chosen = select_channels(known, options.channels);
  if (!chosen) return chosen.why().front();
  std::vector<Channel> columns;
  for (const int i : chosen.value()) columns.push_back(known[static_cast<std::size_t>(i)]);

  const bool several = run.segments().size() > 1;
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), "{}t [s]", several ? "analysis," : "");
  for (const auto& c : columns)
    fmt::format_to(fmt::appender(text),
                   ",{}",
                   cell(c.unit.empty() ? c.name : fmt::format("{} [{}]", c.name, c.unit)));
  text.push_back('\n');

  const auto flush = [&] {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
    return out.good();
  };
  for (std::size_t s = 0; s < run.segments().size(); ++s) {
    const std::vector<int> place = places(run.segments()[s], columns);
    const auto fault =
        run.each_row(static_cast<int>(s), [&](double t, std::span<const double> row) {
          if (several) fmt::format_to(fmt::appender(text), "{},", s);
          fmt::format_to(fmt::appender(text), "{}", t);
          for (const int i : place) {
            text.push_back(',');
            if (i >= 0) fmt::format_to(fmt::appender(text), "{}", row[static_cast<std::size_t>(i)]);
          }
          text.push_back('\n');
          return flush();
        });
    if (fault) return fault;
  }
  flush();
  if (!out.flush()) return write_fault("samples", "the output was not taken whole");
  return {};
}

}  // namespace cardan
