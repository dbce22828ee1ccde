#include "cardan/session/sweep_page.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "cardan/report/report.h"
#include "cardan/results/faults.h"
#include "cardan/results/json.h"
#include "cardan/results/output_file.h"
#include "cardan/results/run_reader.h"
#include "cardan/session/sweep_session.h"
#include "cardan/study/sweep_statistics.h"

namespace cardan {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t most_for_pairs = 6;  // points of which each two have a report: 15 of them
constexpr std::string_view page_data_mark = "@DATA@";

struct PageReports {
  std::vector<long> points;
  std::string folder;  // relative to the page
  bool pairs = false;
  bool live = false;  // every point is run when it is picked
};

// In a script element a text must not end it.
std::string for_a_script(const Json& data) {
  std::string out;
  for (const char c : to_line(data)) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

Json number_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json();
}

Result<std::string> page_with(const SweepStore& store, const PageReports& reports) {
  const SweepColumns& names = store.columns();
  Json units = Json::object(), columns = Json::object();
  Json points = Json::array(), status = Json::array(), causes = Json::array();
  for (std::size_t k = 0; k < names.parameters.size(); ++k)
    units[names.parameters[k]] = names.parameter_units[k];
  for (std::size_t k = 0; k < names.measures.size(); ++k)
    units[names.measures[k]] = names.measure_units[k];
  for (const auto* list : {&names.parameters, &names.measures})
    for (const std::string& name : *list) columns[name] = Json::array();
  if (const auto fault = store.each([&](const SweepRow& row) {
        points.push_back(row.number);
        status.push_back(row.result.status);
        causes.push_back(row.result.cause);
        for (std::size_t k = 0; k < row.values.size(); ++k)
          columns[names.parameters[k]].push_back(number_or_null(row.values[k]));
        for (std::size_t k = 0; k < row.result.measures.size(); ++k)
          columns[names.measures[k]].push_back(number_or_null(row.result.measures[k]));
        return true;
      }))
    return *fault;
  const fs::path model = store.about().at("model").value("path", std::string());
  const std::string name =
      model.filename() == "model.toml" ? model.parent_path().filename() : model.stem();
  const Json data{{"title", "Sweep of " + (name.empty() ? "a model" : name)},
                  {"folder", store.path().parent_path().string()},
                  {"parameters", names.parameters},
                  {"measures", names.measures},
                  {"units", units},
                  {"points", points},
                  {"status", status},
                  {"causes", causes},
                  {"columns", columns},
                  {"reports", reports.points},
                  {"points_folder", reports.folder},
                  {"pairs", reports.pairs},
                  {"live", reports.live}};
  std::string page(sweep_page_text());
  return page.replace(page.find(page_data_mark), page_data_mark.size(), for_a_script(data));
}

Diagnostic no_row(const SweepStore& store, long number) {
  Diagnostic d;
  d.id = "usage.bad-value";
  d.where.file = std::make_shared<const std::string>(store.path().string());
  d.found = fmt::format("point {}", number);
  d.expected = "the number of a point that is done";
  return d;
}

// The points of the page that have something to show.
Result<std::vector<long>> shown_points(const SweepStore& store,
                                       const std::optional<std::vector<long>>& chosen) {
  std::vector<long> all;
  if (chosen) {
    all = *chosen;
  } else {
    const auto statistics = sweep_statistics(store);
    if (!statistics) return statistics.why();
    for (const MeasureStatistics& m : statistics.value())
      if (m.count > 0) all.insert(all.end(), {m.least_point, m.largest_point});
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<long> out;
  for (const long number : all) {
    const auto row = store.row(number);
    if (!row) return row.why();
    if (!row.value()) return no_row(store, number);
    if (row.value()->result.status != "failed") out.push_back(number);
  }
  return out;
}

}  // namespace

SweepPoints::SweepPoints(std::string store) : store_(std::move(store)) {}

SweepPoints::~SweepPoints() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<fs::path> SweepPoints::run_of(long number, const Control& control) {
  if (const auto known = runs_.find(number); known != runs_.end()) return known->second;
  if (folder_.empty()) {
    std::string name = (fs::temp_directory_path() / "cardan-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      return write_fault(name, "no temporary folder could be made");
    folder_ = name;
  }
  OutputSetting output;
  output.folder = (folder_ / std::to_string(number)).string();
  output.report = false;
  const auto again = run_point_again(store_, number, output, control);
  if (!again) return again.why();
  return runs_[number] = again.value().run.folder;
}

Result<std::string> SweepPoints::report(const std::vector<long>& points, const Control& control) {
  std::vector<RunReader> readers;
  for (const long number : points) {
    const auto folder = run_of(number, control);
    if (!folder) return folder.why();
    auto reader = RunReader::open(folder.value());
    if (!reader) return reader.why();
    readers.push_back(std::move(reader).value());
  }
  std::vector<const RunReader*> pointers;
  for (const RunReader& reader : readers) pointers.push_back(&reader);
  return report_html(pointers, {});
}

Result<std::string> SweepPoints::page() const {
  const auto store = SweepStore::open(store_);
  if (!store) return store.why();
  return page_with(store.value(), {.points = {}, .folder = {}, .pairs = true, .live = true});
}

Result<std::vector<long>> write_sweep_page(const std::string& path,
                                           const fs::path& target,
                                           const std::optional<std::vector<long>>& points,
                                           bool force,
                                           const Control& control) {
  const auto store = SweepStore::open(path);
  if (!store) return store.why();
  std::error_code error;
  if (!force && fs::exists(target, error)) return already_there(target);
  auto chosen = shown_points(store.value(), points);
  if (!chosen) return chosen;
  PageReports reports{chosen.value(), "", chosen.value().size() <= most_for_pairs, false};
  SweepPoints runs(path);
  const fs::path folder = target.parent_path() / (target.stem().string() + "-points");
  const auto write = [&](const std::vector<long>& some) -> std::optional<Diagnostic> {
    const auto html = runs.report(some, control);
    if (!html) return html.why().front();
    return write_file(folder / fmt::format("{}.html", fmt::join(some, "-")), html.value());
  };
  if (!reports.points.empty()) {
    fs::create_directories(folder, error);
    reports.folder = folder.filename().string();
  }
  for (std::size_t k = 0; k < reports.points.size(); ++k) {
    if (const auto fault = write({reports.points[k]})) return *fault;
    for (std::size_t j = k + 1; reports.pairs && j < reports.points.size(); ++j)
      if (const auto fault = write({reports.points[k], reports.points[j]})) return *fault;
  }
  const auto page = page_with(store.value(), reports);
  if (!page) return page.why();
  if (const auto fault = write_file(target, page.value())) return *fault;
  return reports.points;
}

}  // namespace cardan
