#include "cardan/results/report_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cardan {
namespace {

struct Cell {
  std::string text;
  bool number = false;
};

using Line = std::vector<Cell>;

std::string number_text(double value, const TableOptions& options) {
  if (options.format == TableFormat::csv)
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
  if (std::isnan(value)) return "-";
  return fmt::format("{:.{}g}", value, options.digits);
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

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string written(const std::vector<Line>& lines, const TableOptions& options) {
  if (options.format != TableFormat::csv)
    return aligned(lines, options.format == TableFormat::markdown);
  std::string out;
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) out += (c > 0 ? "," : "") + quoted(line[c].text);
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

}  // namespace

Result<std::string> channel_table(const RunReader& run,
                                  int segment,
                                  const std::vector<int>& channels,
                                  const TableOptions& options) {
  const auto columns = run.read(segment, channels);
  if (!columns) return columns.why();
  const auto& all = run.segments()[static_cast<std::size_t>(segment)].channels;
  const auto& [t, values] = columns.value();
  const auto number = [&](double v) {
    return Cell{number_text(v, options), true};
  };
  std::vector<Line> lines;
  if (!options.times.empty() || options.rows > 0) {
    lines.push_back({{"t [s]", false}});
    for (const int c : channels) {
      const Channel& channel = all[static_cast<std::size_t>(c)];
      lines[0].push_back(
          {channel.unit.empty() ? channel.name : channel.name + " [" + channel.unit + "]", false});
    }
    for (const std::size_t row : chosen_rows(t, options)) {
      lines.push_back({number(t[row])});
      for (const auto& column : values) lines.back().push_back(number(column[row]));
    }
    return written(lines, options);
  }
  const auto ranges = run.ranges(segment, channels);
  if (!ranges) return ranges.why();
  lines.push_back({});
  for (const char* head :
       {"channel", "unit", "first", "last", "least", "at [s]", "largest", "at [s]"})
    lines[0].push_back({head, false});
  for (std::size_t k = 0; k < channels.size(); ++k) {
    const Channel& channel = all[static_cast<std::size_t>(channels[k])];
    const Range& r = ranges.value()[k];
    const double none = std::numeric_limits<double>::quiet_NaN();
    lines.push_back({{channel.name, false}, {channel.unit, false}});
    for (const double v : {t.empty() ? none : values[k].front(),
                           t.empty() ? none : values[k].back(),
                           r.least,
                           r.t_least,
                           r.largest,
                           r.t_largest})
      lines.back().push_back(number(v));
  }
  return written(lines, options);
}

}  // namespace cardan
