#include "cardan/report/report.h"

#include <nlohmann/json.hpp>

#include "cardan/results/json.h"
#include "cardan/results/run_folder.h"

namespace cardan {
namespace {

// JSON inside a script element: "<" would let a text end the element.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string html_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// What stands in for the viewer when there is none: the facts, and what is missing.
std::string plain_page(const std::string& data, const RunReader& run) {
  const std::string summary =
      run_summary(run).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Cardan "
         "run</title>\n"
         "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 "
         "1em}</style></head>\n"
         "<body><h1>Run: " +
         run_status(run) +
         "</h1>\n"
         "<p><strong>Plots and animation are missing from this report:</strong> this cardan was "
         "built without Node.js (nodejs and npm, "
         "version 18 or newer), which builds the viewer. Install them, build again and run "
         "<code>cardan report</code>. "
         "<code>cardan plot</code>, <code>cardan table</code> and <code>cardan export</code> need "
         "neither.</p>\n"
         "<h2>Summary</h2><pre>" +
         html_text(summary) + "</pre>\n" + data + "\n</body></html>\n";
}

}  // namespace

Result<std::string> report_data(const ReportRun& from, const ReportOptions& options) {
  PackOptions pack;
  if (options.full) pack.packed_limit = 0;
  const auto columns = pack_columns(*from.run, from.segment, pack);
  if (!columns) return columns.why();
  const auto document = report_document(from, columns.value());
  if (!document) return document.why();
  return "<script type=\"application/json\" class=\"cardan-run\">" +
         script_safe(to_line(document.value())) + "</script>\n" +
         "<script type=\"text/plain\" class=\"cardan-columns\">" + base64(columns.value().data) +
         "</script>\n";
}

Result<std::string> report_html(const std::vector<const RunReader*>& runs,
                                const ReportOptions& options,
                                std::string_view page) {
  std::string data;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    // One run: all its analyses. Several: the one of each that matters.
    const int count = static_cast<int>(runs[k]->segments().size());
    const int first = runs.size() == 1 && count > 0 ? 0 : main_segment(*runs[k]);
    const int end = runs.size() == 1 && count > 0 ? count : first + 1;
    for (int segment = first; segment < end; ++segment) {
      auto part = report_data({runs[k], segment, std::to_string(k + 1)}, options);
      if (!part) return part.why();
      data += part.value();
    }
  }
  if (page.empty()) return plain_page(data, *runs.front());
  const std::size_t at = page.find(viewer_data_mark);
  std::string out;
  out.reserve(page.size() + data.size());
  out += page.substr(0, at);
  out += data;
  out += page.substr(at + viewer_data_mark.size());
  return out;
}

Sink::Fault write_report(const std::filesystem::path& path, const ReportOptions& options) {
  const auto run = RunReader::open(path);
  if (!run) return run.why().front();
  const auto html = report_html({&run.value()}, options);
  if (!html) return html.why().front();
  return write_file(run.value().path().parent_path() / report_name, html.value());
}

}  // namespace cardan
