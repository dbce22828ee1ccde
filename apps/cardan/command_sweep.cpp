// cardan sweep MODEL: runs it for many values of its parameters and measures each run. cardan sweep
// resume STORE goes on with one that was stopped; rerun STORE POINT runs a point alone; show STORE tells
// what the points say together; page STORE writes the page with all of them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cardan/results/output_file.h"
#include "cardan/session/sweep_page.h"
#include "cardan/session/sweep_session.h"
#include "cardan/study/sweep_statistics.h"
#include "command.h"
#include "interrupt.h"
#include "model_arguments.h"
#include "run_session.h"

namespace cardan::app {

namespace command_sweep {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> words;
  SweepRequest request;
  AnalysisArguments analysis;
  SweepOutput output;
  std::string block;        // of the model file
  std::vector<int> points;  // of a page
  bool zip = false, sobol = false;
  int sample = 0, seed = 0, workers = 0;
};

// Points done, their pace and the time that is left, on a terminal or as JSON lines.
class SweepProgress {
 public:
  explicit SweepProgress(const Console& console)
      : console_(console), shown_(!console.json() && isatty(STDERR_FILENO) != 0) {}

  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  ~SweepProgress() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }

  void update(const SweepTally& tally) {
    const double interval = shown_ ? 0.1 : 1;
    if ((!shown_ && !console_.json()) || tally.seconds - last_ < interval) return;
    last_ = tally.seconds;
    const double pace = static_cast<double>(tally.done() - tally.before) / tally.seconds;
    const double left = static_cast<double>(tally.points - tally.done()) / pace;
    if (shown_) {
      fmt::print(stderr,
                 "\r{} of {} points, {:.3g} a second, {} failed, {:.0f} s left\x1b[K",
                 tally.done(),
                 tally.points,
                 pace,
                 tally.failed,
                 left);
      std::fflush(stderr);
      drawn_ = true;
    } else {
      console_.print_json("progress",
                          {{"done", tally.done()},
                           {"points", tally.points},
                           {"points_per_second", pace},
                           {"failed", tally.failed},
                           {"seconds_left", left}});
    }
  }

 private:
  const Console& console_;
  bool shown_, drawn_ = false;
  double last_ = 0;
};

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

// How the points of a store ended, whoever ran them.
struct Endings {
  long complete = 0, doubtful = 0, failed = 0;
  std::map<std::string, long> causes;

  long ended() const { return complete + doubtful; }
};

Result<Endings> endings_of(const SweepStore& store) {
  Endings out;
  if (const auto fault = store.each([&out](const SweepRow& row) {
        const PointResult& point = row.result;
        ++(point.status == "complete"   ? out.complete
           : point.status == "doubtful" ? out.doubtful
                                        : out.failed);
        if (point.status == "failed") ++out.causes[point.cause];
        return true;
      }))
    return *fault;
  return out;
}

std::string ending_words(const Endings& endings) {
  std::string text;
  if (endings.doubtful > 0) text += fmt::format("  {} doubtful\n", endings.doubtful);
  for (const auto& [cause, count] : endings.causes)
    text += fmt::format("  {} failed: {}\n", count, cause);
  return text;
}

// ended: points whose runs reached their end, all of which should have a value.
std::string spread_words(const std::vector<MeasureStatistics>& all, long ended) {
  std::string text;
  for (const MeasureStatistics& m : all) {
    const std::string name = with_unit(m.name, m.unit);
    if (m.count > 0)
      text += fmt::format(
          "  {}: {:.6g} (point {}) to {:.6g} (point {}), mean {:.6g}, standard deviation {:.4g}\n",
          name,
          m.least,
          m.least_point,
          m.largest,
          m.largest_point,
          m.mean,
          m.deviation);
    if (m.count < ended)
      text += fmt::format("  {}: without a value at {} of {} points that ran to their end\n",
                          name,
                          ended - m.count,
                          ended);
  }
  return text;
}

// Quantiles, correlation and main effects of a measure.
std::string effect_words(const MeasureStatistics& m, const SweepColumns& columns) {
  if (m.count == 0) return "";
  std::string text = fmt::format("  {} of {} points\n    quantiles", m.name, m.count);
  for (std::size_t q = 0; q < sweep_quantiles.size(); ++q)
    text += fmt::format(
        "{} {:g} %: {:.6g}", q > 0 ? "," : "", 100 * sweep_quantiles[q], m.quantiles[q]);
  text += '\n';
  for (std::size_t p = 0; p < columns.parameters.size(); ++p) {
    text += "    with " + with_unit(columns.parameters[p], columns.parameter_units[p]);
    if (!std::isnan(m.correlation[p]))
      text += fmt::format(", correlation {:.3f}", m.correlation[p]);
    text += "; mean at";
    for (const auto& [x, y] : m.effects[p]) text += fmt::format(" {:.6g}: {:.6g}", x, y);
    text += '\n';
  }
  return text;
}

std::string tally_words(const SweepTally& tally) {
  std::string text = fmt::format("  {} of {} points", tally.done(), tally.points);
  if (tally.before > 0) text += fmt::format(", {} of them before", tally.before);
  const auto now = static_cast<double>(tally.done() - tally.before);
  if (now > 0)
    text += fmt::format(", {:.3g} s, {:.3g} points a second", tally.seconds, now / tally.seconds);
  return text + '\n';
}

// What all points say together, and table.csv beside the store.
int finish(const Result<SweepResult>& result, const Console& console) {
  if (!result) return console.fail(result.why());
  const auto& [folder, tally] = result.value();
  const auto store = SweepStore::open(folder);
  if (!store) return console.fail(store.why());
  const auto statistics = sweep_statistics(store.value());
  if (!statistics) return console.fail(statistics.why());
  Diagnostics faults;
  const std::string table = sweep_table(store.value(), faults);
  if (!faults.empty()) return console.fail(faults);
  if (const auto fault = write_file(folder / "table.csv", table)) return console.fail(*fault);
  const auto endings = endings_of(store.value());
  if (!endings) return console.fail(endings.why());
  console.print(fmt::format("{}\n{}{}{}",
                            folder.string(),
                            tally_words(tally),
                            ending_words(endings.value()),
                            spread_words(statistics.value(), endings.value().ended())));
  if (tally.interrupted)
    console.print(fmt::format("  to go on: cardan sweep resume {}\n", folder.string()));
  Json causes = Json::object();
  for (const auto& [cause, count] : endings.value().causes) causes[cause] = count;
  console.print_json("sweep",
                     {{"folder", folder.string()},
                      {"points", tally.points},
                      {"done", tally.done()},
                      {"complete", endings.value().complete},
                      {"doubtful", endings.value().doubtful},
                      {"failed", endings.value().failed},
                      {"causes", causes},
                      {"seconds", tally.seconds},
                      {"interrupted", tally.interrupted}});
  return tally.interrupted ? 130 : 0;
}

int run_all(const Options& options,
            const Console& console,
            const std::function<Result<SweepResult>(const SweepControl&)>& run) {
  catch_interrupt();
  SweepControl control;
  control.workers = options.workers;
  control.cancelled = [] {
    return interrupted();
  };
  std::optional<Result<SweepResult>> result;
  {
    SweepProgress progress(console);
    control.progress = [&](const SweepTally& tally) {
      progress.update(tally);
    };
    result.emplace(run(control));
  }
  return finish(*result, console);
}

int rerun(const Options& options, const Console& console) {
  long number = 0;
  const std::string& word = options.words[2];
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size())
    return console.fail(
        usage_fault("usage.bad-value", fmt::format("point '{}'", word), "the number of its row"));
  std::optional<PointAgain> again;
  OutputSetting output;
  output.folder = options.output.folder;
  output.force = options.output.force;
  const int code = run_session(
      [&](const Control& control) -> Result<RunResult> {
        auto done = run_point_again(options.words[1], number, output, control);
        if (!done) return done.why();
        again = std::move(done).value();
        return again->run;
      },
      console,
      false);
  if (!again) return code;
  console.print(again->row.result.status.empty() ? "  the store has no row of this point\n"
                : again->same ? "  its measures are those of the store, to the bit\n"
                              : "  its measures are not those of the store\n");
  console.print_json("point",
                     {{"point", number}, {"same", again->same}, {"measures", again->measures}});
  return code != 0 || again->same || again->row.result.status.empty() ? code : 1;
}

int show(const std::string& path, const Console& console) {
  const auto store = SweepStore::open(path);
  if (!store) return console.fail(store.why());
  const auto statistics = sweep_statistics(store.value());
  if (!statistics) return console.fail(statistics.why());
  const auto endings = endings_of(store.value());
  if (!endings) return console.fail(endings.why());
  std::string text = fmt::format("  {} of {} points\n",
                                 endings.value().ended() + endings.value().failed,
                                 store.value().about().value("points", 0L));
  text += ending_words(endings.value()) + spread_words(statistics.value(), endings.value().ended());
  for (const MeasureStatistics& m : statistics.value()) {
    text += effect_words(m, store.value().columns());
    console.print_json("measure", to_json(m));
  }
  console.print(text);
  return 0;
}

int page(const Options& options, const Console& console) {
  catch_interrupt();
  const std::string& store = options.words[1];
  const std::filesystem::path target = options.output.folder.empty()
                                           ? sweep_file(store).parent_path() / "sweep.html"
                                           : std::filesystem::path(options.output.folder);
  std::optional<std::vector<long>> points;
  if (!options.points.empty()) points.emplace(options.points.begin(), options.points.end());
  Control control;
  control.cancelled = [] {
    return interrupted();
  };
  const auto shown = write_sweep_page(store, target, points, options.output.force, control);
  if (!shown) return console.fail(shown.why());
  console.print(
      fmt::format("{}\n  with the reports of {} points; cardan view {} shows every point\n",
                  target.string(),
                  shown.value().size(),
                  store));
  console.print_json("page", {{"path", target.string()}, {"points", shown.value()}});
  return 0;
}

// A sweep that the model file describes.
int run_block(Options& options, const Console& console) {
  if (!options.request.vary.empty() || !options.request.measures.empty() || options.zip ||
      options.sample > 0)
    return console.fail(
        usage_fault("usage.bad-option",
                    "--measure, --zip, --sample or --sweep without or beside --vary",
                    "--vary and --measure, or a [[sweep]] of the model file"));
  auto request = with_block(options.request, options.block);
  if (!request) return console.fail(request.why());
  return run_all(options, console, [&](const SweepControl& control) {
    return run_sweep(request.value(), options.output, control);
  });
}

// An option that was given and does nothing beside these words; empty: none.
std::string idle_option(const Options& o) {
  const std::string word = o.words.size() > 1 ? o.words[0] : "";
  const bool of_store = !word.empty(), to_file = word == "rerun" || word == "page" || !of_store;
  ModelRequest model = o.request.model;
  o.analysis.give_to(model);
  const std::array<std::pair<const char*, bool>, 13> given{
      {{"--vary", of_store && !o.request.vary.empty()},
       {"--measure", of_store && !o.request.measures.empty()},
       {"--samples", of_store && !o.request.samples.empty()},
       {"--zip", of_store && o.zip},
       {"--sample", of_store && o.sample > 0},
       {"--sweep", of_store && !o.block.empty()},
       {"--set", of_store && !model.set.empty()},
       {"--spatial", of_store && model.spatial},
       {"--analysis", of_store && !model.analysis.empty()},
       {"--points", word != "page" && !o.points.empty()},
       {"--workers", of_store && word != "resume" && o.workers > 0},
       {"--output", !to_file && !o.output.folder.empty()},
       {"--force", !to_file && o.output.force}}};
  for (const auto& [name, there] : given)
    if (there) return name;
  if (!of_store || model.options.empty()) return "";
  std::string key = model.options.front().first;
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

int work(Options& options, const Console& console) {
  const auto& words = options.words;
  if (const std::string idle = idle_option(options); !idle.empty())
    return console.fail(usage_fault(
        "usage.bad-option",
        fmt::format("{} with 'sweep {}'", idle, words.size() > 1 ? words[0] : std::string("MODEL")),
        words.size() > 1 ? "the store knows what was asked for; leave it out" : "of sweep page"));
  if (words[0] == "resume" && words.size() == 2)
    return run_all(options, console, [&](const SweepControl& control) {
      return resume_sweep(words[1], control);
    });
  if (words[0] == "rerun" && words.size() == 3) return rerun(options, console);
  if (words[0] == "show" && words.size() == 2) return show(words[1], console);
  if (words[0] == "page" && words.size() == 2) return page(options, console);
  if (words.size() != 1)
    return console.fail(
        usage_fault("usage.bad-value",
                    fmt::format("'{}' behind '{}'", words[1], words[0]),
                    "MODEL, resume STORE, rerun STORE POINT, show STORE or page STORE"));
  SweepRequest& request = options.request;
  request.model.path = words[0];
  options.analysis.give_to(request.model);
  for (const auto& [key, value] : request.model.options)
    if (key == "sensitivity")
      return console.fail(
          usage_fault("usage.bad-option",
                      "--sensitivity with 'sweep', whose points keep no derivatives",
                      "cardan run, cardan sensitivity or cardan optimise"));
  if (request.vary.empty() || !options.block.empty()) return run_block(options, console);
  request.design.count = options.sample;
  request.design.seed = static_cast<std::uint64_t>(options.seed);
  if (options.zip) request.design.kind = DesignKind::zip;
  if (options.sample > 0)
    request.design.kind = options.sobol ? DesignKind::sobol : DesignKind::latin_hypercube;
  return run_all(options, console, [&](const SweepControl& control) {
    return run_sweep(request, options.output, control);
  });
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  SweepRequest& request = options->request;
  line.option("MODEL",
              options->words,
              "The model file, or a folder with a model.toml; or: resume STORE, rerun STORE POINT, "
              "show "
              "STORE, page STORE")
      .required()
      .values(1, 3);
  add_model_options(line, request.model);
  line.option(
          "--vary",
          request.vary,
          "parameter=start:step:end, parameter=value,value or parameter=normal(mean, deviation); "
          "may be repeated")
      .one_each();
  const Described zip =
      line.flag("--zip", options->zip, "Values side by side instead of all combinations");
  const Described sample =
      line.option("--sample", options->sample, "So many points at random (Latin hypercube)")
          .within(1, static_cast<int>(most_points));
  CommandLine::at_most_one({zip, sample});
  line.flag("--sobol", options->sobol, "Points of a Sobol sequence instead").needs(sample);
  line.option("--seed", options->seed, "Of the random numbers")
      .within(0, 2'000'000'000)
      .needs(sample);
  line.option("--measure",
              request.measures,
              "name = formula, e.g. 'peak = max(abs(\"wrist pin.force\"))'; may be repeated")
      .one_each();
  line.option("--samples",
              request.samples,
              "Channels whose rows are kept of every point, with * and ?; may be repeated")
      .one_each();
  line.option("--points",
              options->points,
              "page: the points whose reports are written; otherwise those of the extremes")
      .values(1, 100);
  line.option("--sweep",
              options->block,
              "The [[sweep]] of the model file with this name; without --vary the only one");
  line.option("--workers", options->workers, "Points at once; otherwise one for each processor")
      .within(1, 1024);
  line.option(
      "--analysis", request.model.analysis, "Only this analysis; otherwise those of the model");
  options->analysis.add_to(line, "dynamic");
  line.option("-o,--output",
              options->output.folder,
              "The sweep's folder; without it sweeps/<model>/<number>. page: the file to write");
  line.flag("--force", options->output.force, "Replace a sweep that is in the folder");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_sweep

extern const Command sweep_command;
const Command sweep_command{"sweep",
                            "Run a model for many values of its parameters and measure each run",
                            command_sweep::define};

}  // namespace cardan::app
