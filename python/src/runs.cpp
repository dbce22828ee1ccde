// Results of runs: those in memory as views without a copy, stored ones read column by column.
#include <filesystem>

#include "cardan/report/report.h"
#include "cardan/results/run_reader.h"
#include "convert.h"
#include "memory_run.h"

namespace cardan::python {

namespace {

Json channels_json(std::span<const Channel> channels) {
  Json list = Json::array();
  for (const Channel& c : channels) list.push_back({c.name, c.unit, c.element, c.quantity});
  return list;
}

template <class Events> Json events_json(const Events& events) {
  Json list = Json::array();
  for (const auto& e : events)
    list.push_back({{"t", e.t}, {"kind", e.kind}, {"element", e.element}, {"text", e.text}});
  return list;
}

// Numbers that stay where they are, as long as the run lives.
nb::object seen(const std::vector<double>& values,
                std::vector<std::size_t> shape,
                const nb::object& owner) {
  return nb::cast(
      nb::ndarray<nb::numpy, const double>(values.data(), shape.size(), shape.data(), owner));
}

void define_memory_run(nb::module_& m) {
  using Run = MemoryRunData;
  nb::class_<Run>(m, "MemoryRun", "The results of a run that are in memory.")
      .def("summary", [](const Run& run) { return to_line(to_json(run.result.outcome.summary)); })
      .def("manifest", [](const Run& run) { return to_line(run.result.run->manifest()); })
      .def("exit_code", [](const Run& run) { return run.result.outcome.exit_code(); })
      .def("segments", [](const Run& run) { return run.result.run->segments().size(); })
      .def("channels",
           [](const Run& run, int k) { return to_line(channels_json(run.segment(k).channels)); })
      .def("events",
           [](const Run& run, int k) { return to_line(events_json(run.segment(k).events)); })
      .def("t",
           [](nb::object self, int k) {
             const auto& t = nb::cast<const Run&>(self).segment(k).t;
             return seen(t, {t.size()}, self);
           })
      .def("rows",
           [](nb::object self, int k) {
             const MemorySegment& s = nb::cast<const Run&>(self).segment(k);
             return seen(s.values, {s.t.size(), s.channels.size()}, self);
           })
      .def("estimates",
           [](nb::object self, int k) -> nb::object {
             const MemorySegment& s = nb::cast<const Run&>(self).segment(k);
             if (s.estimates.empty()) return nb::none();
             return seen(
                 s.estimates, {s.estimates.size() / s.channels.size(), s.channels.size()}, self);
           })
      .def(
          "save",
          [](const Run& run, std::string folder, bool force, bool csv, bool report) {
            const nb::gil_scoped_release unlocked;
            return value_of(store_run(*run.result.run,
                                      run.result.outcome.summary,
                                      run.model,
                                      {std::move(folder), force, csv, report}))
                .string();
          },
          nb::arg("folder"),
          nb::arg("force"),
          nb::arg("csv"),
          nb::arg("report"));
}

std::string stored_events(const RunReader& run, int k) {
  const Log log = value_of(run.log());
  std::vector<StoredEvent> events;
  for (const StoredEvent& e : log.events)
    if (e.analysis == k) events.push_back(e);
  return to_line(events_json(events));
}

void define_stored_run(nb::module_& m) {
  nb::class_<RunReader>(m, "StoredRun", "A run that is stored in a folder.")
      .def("summary", [](const RunReader& run) { return to_line(value_of(run.summary())); })
      .def("manifest", [](const RunReader& run) { return to_line(value_of(run.manifest())); })
      .def("segments", [](const RunReader& run) { return run.segments().size(); })
      .def("path", [](const RunReader& run) { return run.path().string(); })
      .def("channels",
           [](const RunReader& run, int k) {
             return to_line(channels_json(run.segments().at(static_cast<std::size_t>(k)).channels));
           })
      .def("events", &stored_events)
      .def("t", [](const RunReader& run, int k) { return array(value_of(run.read(k, {})).t); })
      .def("column",
           [](const RunReader& run, int k, int channel) {
             const std::array<int, 1> wanted{channel};
             return array(std::move(value_of(run.read(k, wanted)).values.front()));
           })
      .def("estimate",
           [](const RunReader& run, int k, int channel) -> nb::object {
             if (!run.has_estimate(k)) return nb::none();
             const std::array<int, 1> wanted{channel};
             return nb::cast(array(std::move(value_of(run.estimates(k, wanted)).front())));
           })
      .def("refresh", [](RunReader& run) { check(run.refresh()); });
  m.def("open_run", [](const std::string& path) { return value_of(RunReader::open(path)); });
}

}  // namespace

void define_runs(nb::module_& m) {
  define_memory_run(m);
  define_stored_run(m);
  m.def(
      "report_html",
      [](const std::string& run, const std::string& other, bool full) {
        const nb::gil_scoped_release unlocked;
        const RunReader first = value_of(RunReader::open(run));
        std::vector<const RunReader*> runs{&first};
        std::optional<RunReader> second;
        if (!other.empty()) runs.push_back(&second.emplace(value_of(RunReader::open(other))));
        return value_of(report_html(runs, {full}));
      },
      nb::arg("run"),
      nb::arg("other"),
      nb::arg("full"),
      "The report of a stored run, or of two beside each other, as one HTML page.");
}

}  // namespace cardan::python
