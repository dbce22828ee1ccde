#include "cardan/report/report_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "cardan/results/csv_cell.h"
#include "cardan/results/not_unique.h"
#include "cardan/results/stored_statistics.h"
#include "cardan/results/trusted_digits.h"

namespace cardan {
namespace {

struct Cell {
  std::string text;
  bool number = false;
};

using Line = std::vector<Cell>;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::string number_text(double value, double error, const TableOptions& options) {
  const bool csv = options.format == TableFormat::csv;
  if (std::isnan(value)) return csv ? "nan" : "-";
  if (error > 0) return trusted_text(value, error, csv ? 17 : options.digits, csv);
  return csv ? fmt::format("{}", value) : fmt::format("{:.{}g}", value, options.digits);
}

std::size_t letters(const std::string& text) {  // of UTF-8
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string aligned(const std::vector<Line>& lines, bool markdown) {
  std::vector<std::size_t> width(lines.front().size(), markdown ? 3 : 0);
  for (const Line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c)
      width[c] = std::max(width[c], letters(line[c].text));
  std::string out;
  for (std::size_t r = 0; r < lines.size(); ++r) {
    std::string row = markdown ? "|" : "";
    for (std::size_t c = 0; c < lines[r].size(); ++c) {
      const std::string pad(width[c] - letters(lines[r][c].text), ' ');
      const bool right = lines.back()[c].number;
      const std::string cell = right ? pad + lines[r][c].text : lines[r][c].text + pad;
      row += markdown ? " " + cell + " |" : (c > 0 ? "  " : "") + cell;
    }
    out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    std::string rule = markdown ? "|" : "";
    for (std::size_t c = 0; c < width.size(); ++c) {
      const std::string dashes(width[c], '-');
      if (markdown)
        rule += lines.back()[c].number ? " " + dashes.substr(1) + ": |" : " " + dashes + " |";
      else
        rule += (c > 0 ? "  " : "") + dashes;
    }
    out += rule + "\n";
  }
  return out;
}

std::string written(const std::vector<Line>& lines, const TableOptions& options) {
  if (options.format != TableFormat::csv)
    return aligned(lines, options.format == TableFormat::markdown);
  std::string out;
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c)
      out += (c > 0 ? "," : "") + csv_cell(line[c].text, line[c].number);
    out += "\n";
  }
  return out;
}

std::size_t nearest_row(const std::vector<double>& t, double time) {
  const auto after =
      static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), time) - t.begin());
  if (after == t.size()) return t.size() - 1;
  return after > 0 && time - t[after - 1] <= t[after] - time ? after - 1 : after;
}

std::vector<std::size_t> chosen_rows(const std::vector<double>& t, const TableOptions& options) {
  std::vector<std::size_t> rows;
  if (t.empty()) return rows;
  for (const double time : options.times) rows.push_back(nearest_row(t, time));
  const std::size_t n = std::min(t.size(), static_cast<std::size_t>(std::max(0, options.rows)));
  for (std::size_t k = 0; k < n; ++k)
    rows.push_back(n == 1 ? t.size() - 1 : k * (t.size() - 1) / (n - 1));
  return rows;
}

// The channels of one analysis with the errors of their samples, where those are known.
struct Table {
  const std::vector<Channel>& all;
  const std::vector<int>& channels;
  const Columns& columns;
  const std::vector<std::vector<double>>& errors;  // empty: none
  const TableOptions& options;
  const std::set<std::string>& open;  // channels that are not unique
  const std::vector<double>& floors;  // of each channel: what is smaller is round-off, shown as 0

  // Marked for people; programs read the name alone.
  std::string name(std::size_t k) const {
    const std::string& own = channel(k).name;
    return options.format != TableFormat::csv && open.count(own) > 0 ? own + " *" : own;
  }

  std::string note() const {
    if (options.format == TableFormat::csv) return "";
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (open.count(channel(k).name) > 0)
        return "\n* not unique: equations are redundant; this is the split of least size. What all "
               "joints do to a body is unique: BODY.joints.*\n";
    return "";
  }

  double error(std::size_t k, std::size_t row) const {
    return errors.empty() ? no_number : errors[k][row];
  }

  double seen(std::size_t k, double v) const {
    return k < floors.size() && std::abs(v) <= floors[k] ? 0 : v;
  }

  Cell number(double v, double error = no_number) const {
    return {number_text(v, error, options), true};
  }

  const Channel& channel(std::size_t k) const { return all[static_cast<std::size_t>(channels[k])]; }

  DisplayUnits::Shown shown(std::size_t k) const { return options.units.of(channel(k).unit); }

  std::vector<Line> values() const {
    std::vector<Line> lines;
    lines.push_back({{"t [s]", false}});
    for (std::size_t k = 0; k < channels.size(); ++k)
      lines[0].push_back(
          {channel(k).unit.empty() ? name(k) : name(k) + " [" + shown(k).unit + "]", false});
    for (const std::size_t row : chosen_rows(columns.t, options)) {
      lines.push_back({number(columns.t[row])});
      for (std::size_t k = 0; k < channels.size(); ++k) {
        const double factor = shown(k).factor;
        lines.back().push_back(
            number(factor * seen(k, columns.values[k][row]), factor * error(k, row)));
      }
    }
    return lines;
  }

  // statistics: over all steps of the run, where it has them; else ranges are those of the rows.
  std::vector<Line> extremes(const std::vector<ChannelRange>& ranges,
                             const std::vector<ChannelStatistics>& statistics) const {
    std::vector<Line> lines{{}};
    for (const char* head :
         {"channel", "unit", "first", "last", "least", "at [s]", "largest", "at [s]"})
      lines[0].push_back({head, false});
    if (!statistics.empty()) lines[0].insert(lines[0].end(), {{"mean", false}, {"RMS", false}});
    if (!errors.empty()) lines[0].push_back({"error", false});
    const auto& t = columns.t;
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const ChannelRange& r = ranges[k];
      const double factor = shown(k).factor;
      const auto at = [&](double value, double time) {
        const bool there = !t.empty() && std::isfinite(time);
        return number(factor * seen(k, value),
                      there ? factor * error(k, nearest_row(t, time)) : no_number);
      };
      Line line{{name(k), false}, {shown(k).unit, false}};
      if (t.empty())
        line.insert(line.end(), 2, number(no_number));
      else
        line.insert(
            line.end(),
            {number(factor * seen(k, columns.values[k].front()), factor * error(k, 0)),
             number(factor * seen(k, columns.values[k].back()), factor * error(k, t.size() - 1))});
      line.insert(line.end(),
                  {at(r.least, r.t_least),
                   number(r.t_least),
                   at(r.largest, r.t_largest),
                   number(r.t_largest)});
      if (!statistics.empty())
        line.insert(line.end(),
                    {number(factor * seen(k, statistics[k].mean)),
                     number(factor * seen(k, statistics[k].rms))});
      if (!errors.empty()) line.push_back(largest_error(errors[k], factor));
      lines.push_back(std::move(line));
    }
    return lines;
  }

  Cell largest_error(const std::vector<double>& all_errors, double factor) const {
    double largest = no_number;
    for (const double e : all_errors)
      if (e > largest || std::isnan(largest)) largest = e;
    if (std::isnan(largest)) return {options.format == TableFormat::csv ? "nan" : "-", true};
    return {fmt::format("{:.2g}", factor * largest), true};
  }
};

constexpr double round_off = 1e-12;  // of the largest value of its unit

// Text for people shows what is round-off beside other channels of the unit as 0; programs get every bit.
std::vector<double> floors_of(const RunReader& run,
                              int segment,
                              const std::vector<int>& channels,
                              const TableOptions& options) {
  if (options.format == TableFormat::csv) return {};
  const auto& all = run.segments()[static_cast<std::size_t>(segment)].channels;
  std::vector<int> every(all.size());
  std::iota(every.begin(), every.end(), 0);
  std::map<std::string, double> largest;
  for (const ChannelStatistics& c : stored_statistics(run, segment, every).channels) {
    const double size = std::max(std::abs(c.least), std::abs(c.largest));
    if (std::isfinite(size)) largest[c.unit] = std::max(largest[c.unit], size);
  }
  std::vector<double> floors;
  for (const int k : channels) {
    const Channel& c = all[static_cast<std::size_t>(k)];
    const bool judged = c.quantity != "residual" && c.quantity != "step" && !c.unit.empty();
    floors.push_back(judged ? round_off * largest[c.unit] : 0);
  }
  return floors;
}

struct Tabulated {
  std::vector<Line> lines;
  std::string note;
};

Result<Tabulated> tabulate(const RunReader& run,
                           int segment,
                           const std::vector<int>& channels,
                           const TableOptions& options) {
  const auto columns = run.read(segment, channels);
  if (!columns) return columns.why();
  std::vector<std::vector<double>> errors;
  if (options.trusted && run.has_estimate(segment)) {
    auto read = run.estimates(segment, channels);
    if (!read) return read.why();
    errors = std::move(read).value();
  }
  const std::set<std::string> open = not_unique_channels(run, segment);
  const std::vector<double> floors = floors_of(run, segment, channels, options);
  const Table table{run.segments()[static_cast<std::size_t>(segment)].channels,
                    channels,
                    columns.value(),
                    errors,
                    options,
                    open,
                    floors};
  if (!options.times.empty() || options.rows > 0) return Tabulated{table.values(), table.note()};
  const StoredStatistics all = stored_statistics(run, segment, channels);
  std::vector<ChannelRange> ranges;
  for (const ChannelStatistics& c : all.channels)
    ranges.push_back({c.least, c.largest, c.t_least, c.t_largest});
  if (ranges.empty()) {
    auto of_rows = run.ranges(segment, channels);
    if (!of_rows) return of_rows.why();
    ranges = std::move(of_rows).value();
  }
  Tabulated out{table.extremes(ranges, all.channels), table.note()};
  const bool ended_early = all.status == "failed" || all.status == "interrupted";
  if (ended_early && options.format != TableFormat::csv)
    out.note += fmt::format("{}the run was {} at t = {:.6g} s: values up to there\n",
                            options.format == TableFormat::markdown ? "\n" : "",
                            all.status == "failed" ? "ended by a fault" : "interrupted",
                            all.until);
  return out;
}

}  // namespace

Result<std::string> channel_table(const RunReader& run,
                                  int segment,
                                  const std::vector<int>& channels,
                                  const TableOptions& options) {
  const auto made = tabulate(run, segment, channels, options);
  if (!made) return made.why();
  return written(made.value().lines, options) + made.value().note;
}

Result<TableCells> channel_table_cells(const RunReader& run,
                                       int segment,
                                       const std::vector<int>& channels,
                                       const TableOptions& options) {
  const auto made = tabulate(run, segment, channels, options);
  if (!made) return made.why();
  TableCells out;
  for (const Line& line : made.value().lines) {
    out.lines.emplace_back();
    for (const Cell& cell : line) out.lines.back().push_back(cell.text);
  }
  for (const Cell& cell : made.value().lines.back()) out.numbers.push_back(cell.number ? 1 : 0);
  return out;
}

}  // namespace cardan
