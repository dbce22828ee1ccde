// Exports a run as one table of comma-separated values.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "cardan/io/export.h"
#include "cardan/results/csv_cell.h"
#include "cardan/results/faults.h"

namespace cardan {

namespace {

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

// [analysis][column][row]; an analysis without estimates has no columns.
Sink::Fault read_errors(const RunReader& run,
                        const ExportOptions& options,
                        const std::vector<Channel>& columns,
                        std::vector<std::vector<std::vector<double>>>& errors,
                        std::vector<char>& has_error) {
  errors.resize(run.segments().size());
  for (std::size_t s = 0; options.errors && s < errors.size(); ++s) {
    if (!run.has_estimate(static_cast<int>(s))) continue;
    std::vector<int> place = places(run.segments()[s], columns);
    for (int& i : place) i = std::max(i, 0);  // a channel that is not there is left out below
    auto read = run.estimates(static_cast<int>(s), place);
    if (!read) return read.why().front();
    errors[s] = std::move(read).value();
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (std::any_of(errors[s][k].begin(), errors[s][k].end(), [](double e) { return e == e; }))
        has_error[k] = 1;
  }
  return {};
}

}  // namespace

Sink::Fault export_csv(const RunReader& run, const ExportOptions& options, std::ostream& out) {
  const std::vector<Channel> known = all_channels(run);
  const auto chosen = select_channels(known, options.channels);
  if (!chosen) return chosen.why().front();
  std::vector<Channel> columns;
  for (const int i : chosen.value()) columns.push_back(known[static_cast<std::size_t>(i)]);

  std::vector<char> has_error(columns.size(), 0);
  std::vector<std::vector<std::vector<double>>> errors;
  if (auto fault = read_errors(run, options, columns, errors, has_error)) return fault;
  const bool several = run.segments().size() > 1;
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), "{}t [s]", several ? "analysis," : "");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Channel& c = columns[k];
    const std::string unit = c.unit.empty() ? "" : fmt::format(" [{}]", c.unit);
    fmt::format_to(fmt::appender(text), ",{}", csv_cell(c.name + unit, options.raw_names));
    if (has_error[k] != 0)
      fmt::format_to(
          fmt::appender(text), ",{}", csv_cell(c.name + " error" + unit, options.raw_names));
  }
  text.push_back('\n');

  const auto flush = [&] {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
    return out.good();
  };
  for (std::size_t s = 0; s < run.segments().size(); ++s) {
    const std::vector<int> place = places(run.segments()[s], columns);
    std::size_t number = 0;
    const auto fault =
        run.each_row(static_cast<int>(s), [&](double t, std::span<const double> row) {
          if (several) fmt::format_to(fmt::appender(text), "{},", s + 1);  // as --analysis counts
          fmt::format_to(fmt::appender(text), "{}", t);
          for (std::size_t k = 0; k < place.size(); ++k) {
            text.push_back(',');
            const auto i = static_cast<std::size_t>(place[k]);
            if (place[k] >= 0) fmt::format_to(fmt::appender(text), "{}", row[i]);
            if (has_error[k] == 0) continue;
            text.push_back(',');
            if (place[k] >= 0 && !errors[s].empty())
              fmt::format_to(fmt::appender(text), "{}", errors[s][k][number]);
          }
          ++number;
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
