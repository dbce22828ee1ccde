#pragma once
// report.html: the viewer with the data of one or several runs inside, a single file that works
// from the disk.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cardan/report/report_document.h"

namespace cardan {

struct ReportOptions {
  bool full = false;  // keep every row, whatever the size
};

// The viewer without data, and the mark in it that data replaces. Empty when the program was built
// without Node.
std::string_view viewer_page();
inline constexpr std::string_view viewer_data_mark = "<!--@CARDAN_DATA@-->";

// The page for the runs given; several are shown beside each other. A run of several analyses brings
// all of them. Without a viewer the page holds the facts and says what is missing.
Result<std::string> report_html(const std::vector<const RunReader*>&,
                                const ReportOptions&,
                                std::string_view page = viewer_page());

// Writes the report of one run into its folder.
Sink::Fault write_report(const std::filesystem::path& run, const ReportOptions& = {});

// The data of one analysis as the two script elements that the viewer looks for.
Result<std::string> report_data(const ReportRun&, const ReportOptions&);

}  // namespace cardan
