#include "cardan/report/report_table.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "cardan/report/terminal_plot.h"
#include "test/results/support.h"

namespace cardan::test {
namespace {

RunReader store(const Folder& folder) {
  auto writer = value_of(RunWriter::create(folder / "run.db", {}));
  EXPECT_FALSE(writer->open(three_channels));
  EXPECT_FALSE(write_rows(*writer, 0, 101, 10));
  EXPECT_FALSE(writer->close());
  return value_of(RunReader::open(folder.path()));
}

TEST(ReportTable, ExtremesWithTheirTimes) {
  const Folder folder;
  const auto run = store(folder);
  const std::string text = value_of(channel_table(run, 0, {0}, {}));
  double most = -2, when = 0;
  for (int i = 0; i <= 100; ++i)
    if (row_values(i)[0] > most) most = row_values(i)[0], when = row_time(i);
  EXPECT_NE(text.find(fmt::format("{:.7g}  {:>6.7g}\n", most, when)), std::string::npos) << text;
  EXPECT_EQ(text.rfind("channel", 0), 0u);
}

TEST(ReportTable, CsvReadsBackToTheStoredBits) {
  const Folder folder;
  const auto run = store(folder);
  TableOptions options;
  options.format = TableFormat::csv;
  options.times = {0.0421, 99};
  const std::string text = value_of(channel_table(run, 0, {1}, options));
  std::istringstream lines(text);
  std::string head, first, second;
  std::getline(lines, head), std::getline(lines, first), std::getline(lines, second);
  EXPECT_EQ(head, "t [s],crank.y [m]");
  EXPECT_EQ(std::stod(first.substr(first.find(',') + 1)), row_values(42)[1]);
  EXPECT_EQ(std::stod(second.substr(second.find(',') + 1)), row_values(100)[1]);
}

TEST(ReportTable, MarkdownHasARule) {
  const Folder folder;
  const auto run = store(folder);
  TableOptions options;
  options.format = TableFormat::markdown;
  options.rows = 3;
  const std::string text = value_of(channel_table(run, 0, {0, 2}, options));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("-: |"), std::string::npos);
}

TEST(TerminalPlot, DrawsEveryCurveInsideItsFrame) {
  Plot plot;
  plot.title = "title";
  plot.x = {"time", "s", false, {}};
  PlotCurve line;
  line.name = "ramp";
  for (int i = 0; i <= 50; ++i) line.x.push_back(i), line.y.push_back(i * 1e-6);
  plot.curves.push_back(line);
  const std::string text = terminal_plot(plot, {.columns = 60, .rows = 20, .colour = false});
  EXPECT_NE(text.find("ramp"), std::string::npos);
  EXPECT_NE(text.find("[1e-6]"), std::string::npos) << text;
  EXPECT_NE(text.find("time [s]"), std::string::npos);
  int braille = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) == 0xE2 &&
        static_cast<unsigned char>(text[i + 1]) >= 0xA0)
      ++braille;
  EXPECT_GT(braille, 25);
}

}  // namespace
}  // namespace cardan::test
