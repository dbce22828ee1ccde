// Sweeps: all at once by threads, or points in chunks for workers that Python brings.
#include <algorithm>
#include <cstring>

#include "cardan/session/sweep_page.h"
#include "cardan/session/sweep_session.h"
#include "cardan/study/sweep_statistics.h"
#include "convert.h"
#include "function.h"

namespace cardan::python {

namespace {

SweepRequest request_of(const std::string& about) {
  try {
    return sweep_request(Json::parse(about));
  } catch (const nlohmann::json::exception& error) {
    Diagnostic d;
    d.id = "usage.bad-value";
    d.found = std::string("a sweep that cannot be read: ") + error.what();
    throw Fault{{d}};
  }
}

Json tally_json(const SweepTally& tally) {
  Json causes = Json::object();
  for (const auto& [cause, count] : tally.causes) causes[cause] = count;
  return {{"points", tally.points},
          {"done", tally.done()},
          {"complete", tally.complete},
          {"doubtful", tally.doubtful},
          {"failed", tally.failed},
          {"causes", causes},
          {"seconds", tally.seconds},
          {"interrupted", tally.interrupted}};
}

template <class Work>
std::string run_all(int workers, nb::object progress, const ModelRequest& model, Work work) {
  Listener listener(std::move(progress));
  SweepControl control;
  control.workers = workers;
  const auto functions = python_functions(model);
  for (const auto& [name, function] : functions) function->only_fails_points();
  control.cancelled = [&] {
    return listener.stopped() || std::any_of(functions.begin(), functions.end(), [](const auto& f) {
             return f.second->ended();
           });
  };
  control.progress = [&](const SweepTally& tally) {
    listener.tell(tally.done(), tally.points, tally.failed);
  };
  std::optional<Result<SweepResult>> done;
  {
    const nb::gil_scoped_release unlocked;
    done.emplace(work(control));
  }
  listener.rethrow();
  rethrow_functions(model);
  const SweepResult result = value_of(std::move(*done));
  Json raised = Json::array();
  for (const auto& [name, function] : functions)
    if (function->failures() > 0)
      raised.push_back({name, function->failures(), function->first_failure()});
  return to_line({{"folder", result.folder.string()},
                  {"tally", tally_json(result.tally)},
                  {"raised", raised}});
}

// number, status, cause, diagnostics, values of parameters, measures, derivatives of the measures,
// samples as bytes
using Row = std::tuple<long,
                       std::string,
                       std::string,
                       std::string,
                       std::vector<double>,
                       std::vector<double>,
                       std::vector<double>,
                       nb::bytes>;

nb::bytes to_bytes(const std::vector<double>& samples) {
  return nb::bytes(samples.data(), samples.size() * sizeof(double));
}

Row to_row(long number, const std::vector<double>& values, const PointResult& result) {
  return {number,
          result.status,
          result.cause,
          to_line(to_json(result.why)),
          values,
          result.measures,
          result.slopes,
          to_bytes(result.samples)};
}

SweepRow from_row(const Row& row) {
  SweepRow out;
  out.number = std::get<0>(row);
  out.result.status = std::get<1>(row);
  out.result.cause = std::get<2>(row);
  for (const Json& d : Json::parse(std::get<3>(row)))
    out.result.why.push_back(diagnostic_from_json(d));
  out.values = std::get<4>(row);
  out.result.measures = std::get<5>(row);
  const nb::bytes& samples = std::get<7>(row);
  out.result.samples.resize(samples.size() / sizeof(double));
  if (!out.result.samples.empty())
    std::memcpy(
        out.result.samples.data(), samples.c_str(), out.result.samples.size() * sizeof(double));
  return out;
}

std::vector<Row> run_points_here(const ReadySweep& sweep, const std::vector<long>& numbers) {
  Listener listener{nb::none()};
  std::vector<SweepRow> done;
  {
    const nb::gil_scoped_release unlocked;
    for (const long number : numbers) {
      auto values = sweep.design().point(number);
      PointResult result = sweep.runner().run(values, listener.control());
      if (result.status == "interrupted") break;
      done.push_back({number, std::move(values), std::move(result)});
    }
  }
  listener.rethrow();
  std::vector<Row> rows;
  for (const SweepRow& row : done) rows.push_back(to_row(row.number, row.values, row.result));
  return rows;
}

// At any values of the parameters that vary.
Row run_values(const ReadySweep& sweep, const std::vector<double>& values) {
  if (values.size() != sweep.design().variations().size())
    throw nb::value_error("one value for each parameter is expected");
  Listener listener{nb::none()};
  std::optional<PointResult> result;
  {
    const nb::gil_scoped_release unlocked;
    result.emplace(sweep.runner().run(values, listener.control()));
  }
  listener.rethrow();
  rethrow_functions(sweep.request().model);
  return to_row(-1, values, *result);
}

std::vector<Row> rows_of(const SweepStore& store) {
  std::vector<Row> rows;
  check(store.each([&](const SweepRow& row) {
    rows.push_back(to_row(row.number, row.values, row.result));
    return true;
  }));
  return rows;
}

std::vector<long> missing(const SweepStore& store, const ReadySweep& sweep) {
  const auto done = value_of(store.done(sweep.design().count()));
  std::vector<long> out;
  for (std::size_t k = 0; k < done.size(); ++k)
    if (done[k] == 0) out.push_back(static_cast<long>(k));
  return out;
}

}  // namespace

void define_sweeps(nb::module_& m) {
  nb::class_<SweepRequest>(m, "SweepRequest", "A model, what varies, what is measured.")
      .def(nb::init<>())
      .def_rw("model", &SweepRequest::model)
      .def_rw("vary", &SweepRequest::vary)
      .def_rw("measures", &SweepRequest::measures)
      .def_rw("samples", &SweepRequest::samples)
      .def(
          "design",
          [](SweepRequest& request, const std::string& kind, long count, std::uint64_t seed) {
            request.design.kind = kind == "zip"     ? DesignKind::zip
                                  : kind == "sobol" ? DesignKind::sobol
                                  : kind == "latin" ? DesignKind::latin_hypercube
                                                    : DesignKind::grid;
            request.design.count = count;
            request.design.seed = seed;
          },
          nb::arg("kind"),
          nb::arg("count"),
          nb::arg("seed"))
      .def("with_block", [](const SweepRequest& request, const std::string& name) {
        return value_of(with_block(request, name));
      });
  nb::class_<ReadySweep>(m, "ReadySweep", "A sweep that is checked, whose points can be run.")
      .def_static("of",
                  [](const SweepRequest& request) { return value_of(ReadySweep::make(request)); })
      .def_static(
          "read",
          [](const std::string& about) { return value_of(ReadySweep::make(request_of(about))); })
      .def("about", [](const ReadySweep& sweep) { return to_line(sweep.about()); })
      .def("count", [](const ReadySweep& sweep) { return sweep.design().count(); })
      .def("point",
           [](const ReadySweep& sweep, long number) { return sweep.design().point(number); })
      .def("run", &run_points_here)
      .def("at", &run_values)
      .def("columns", [](const ReadySweep& sweep) {
        const SweepColumns c = sweep.columns();
        return std::make_pair(c.parameter_units, c.measure_units);
      });
  nb::class_<SweepStore>(m, "SweepStore", "The store of a sweep.")
      .def_static(
          "create",
          [](const std::string& folder, const ReadySweep& sweep, bool force) {
            return value_of(SweepStore::create(folder, sweep.about(), sweep.columns(), force));
          })
      .def_static("open", [](const std::string& path) { return value_of(SweepStore::open(path)); })
      .def_static("open_to_write",
                  [](const std::string& path) { return value_of(SweepStore::open_to_write(path)); })
      .def("path", [](const SweepStore& store) { return store.path().string(); })
      .def("about", [](const SweepStore& store) { return to_line(store.about()); })
      .def("columns", [](const SweepStore& store) { return to_line(to_json(store.columns())); })
      .def("samples",
           [](const SweepStore& store, long number) {
             auto rows = value_of(store.samples(number));
             const std::size_t width = 1 + store.columns().samples.size();
             const std::size_t count = rows.size() / width;
             return array(std::move(rows), {count, width});
           })
      .def("statistics",
           [](const SweepStore& store) {
             Json list = Json::array();
             for (const MeasureStatistics& m : value_of(sweep_statistics(store)))
               list.push_back(to_json(m));
             return to_line(list);
           })
      .def("rows", &rows_of)
      .def("missing", &missing)
      .def("table",
           [](const SweepStore& store) {
             Diagnostics faults;
             std::string table = sweep_table(store, faults);
             if (!faults.empty()) throw Fault{faults};
             return table;
           })
      .def("add", [](SweepStore& store, const std::vector<Row>& rows) {
        for (const Row& row : rows) check(store.add(from_row(row)));
        check(store.sync());
      });
  m.def("most_points", [] { return most_points; });
  m.def(
      "run_sweep",
      [](const SweepRequest& request,
         const std::string& folder,
         bool force,
         int workers,
         nb::object progress) {
        return run_all(
            workers, std::move(progress), request.model, [&](const SweepControl& control) {
              return run_sweep(request, {folder, force}, control);
            });
      },
      nb::arg("request"),
      nb::arg("folder"),
      nb::arg("force"),
      nb::arg("workers"),
      nb::arg("progress").none());
  m.def(
      "sweep_page",
      [](const std::string& store,
         const std::string& target,
         const std::optional<std::vector<long>>& points) {
        Listener listener{nb::none()};
        std::optional<Result<std::vector<long>>> shown;
        {
          const nb::gil_scoped_release unlocked;
          shown.emplace(write_sweep_page(store, target, points, true, listener.control()));
        }
        listener.rethrow();
        return value_of(std::move(*shown));
      },
      nb::arg("store"),
      nb::arg("target"),
      nb::arg("points").none());
  m.def(
      "resume_sweep",
      [](const std::string& path, int workers, nb::object progress) {
        return run_all(workers, std::move(progress), {}, [&](const SweepControl& control) {
          return resume_sweep(path, control);
        });
      },
      nb::arg("path"),
      nb::arg("workers"),
      nb::arg("progress").none());
}

}  // namespace cardan::python
