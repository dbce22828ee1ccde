// cardan selftest [CASE...]: runs the published cases and compares with what is known of them.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/session/published.h"
#include "command.h"
#include "interrupt.h"

namespace cardan::app {

namespace command_selftest {

constexpr int exit_failed = 1, exit_interrupted = 130;

struct Options {
  std::vector<std::string> cases;
};

std::string number_words(double value, double imaginary) {
  if (imaginary == 0) return fmt::format("{:.13g}", value);
  return fmt::format("{:.9g} {} {:.9g}i", value, imaginary < 0 ? '-' : '+', std::abs(imaginary));
}

std::string figure_words(const PublishedFigure& f) {
  if (f.channel.empty()) return "eigenvalue";
  return f.t ? fmt::format("{}({} s)", f.channel, *f.t) : f.channel;
}

std::string words_of(const PublishedCase& c, const CaseResult& result) {
  std::string text = fmt::format(
      "{} ({:.2f} s): {}\n", c.title, result.seconds, result.good(c) ? "good" : "NOT GOOD");
  for (std::size_t k = 0; k < result.figures.size(); ++k) {
    const PublishedFigure& f = c.figures[k];
    const FigureResult& r = result.figures[k];
    text += fmt::format("  {:<22} {:>24} {:>24} {:>9.1e}{}\n",
                        figure_words(f),
                        number_words(f.value, f.imaginary),
                        number_words(r.value, f.imaginary == 0 ? 0 : r.imaginary),
                        r.error,
                        r.error <= f.bound ? "" : fmt::format("  beyond {:.1e}", f.bound));
  }
  return text;
}

nlohmann::ordered_json json_of(const PublishedCase& c, const CaseResult& result) {
  auto figures = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < result.figures.size(); ++k) {
    const PublishedFigure& f = c.figures[k];
    nlohmann::ordered_json one{{"what", figure_words(f)},
                               {"unit", result.figures[k].unit},
                               {"reference", f.value},
                               {"result", result.figures[k].value},
                               {"error", result.figures[k].error},
                               {"bound", f.bound}};
    if (f.channel.empty()) {
      one["reference_imaginary"] = f.imaginary;
      one["result_imaginary"] = result.figures[k].imaginary;
    }
    figures.push_back(one);
  }
  return {{"case", c.name},
          {"title", c.title},
          {"source", c.source},
          {"good", result.good(c)},
          {"seconds", result.seconds},
          {"figures", figures}};
}

Diagnostic unknown_case(const std::string& name) {
  std::string known;
  for (const PublishedCase& c : published_cases()) known += (known.empty() ? "" : ", ") + c.name;
  return usage_fault("usage.bad-value", "no case '" + name + "'", "the cases are: " + known);
}

int work(const Options& options, const Console& console) {
  const auto& all = published_cases();
  for (const std::string& name : options.cases)
    if (std::none_of(all.begin(), all.end(), [&](const auto& c) { return c.name == name; }))
      return console.fail(unknown_case(name));
  catch_interrupt();
  Control control;
  control.cancelled = [] {
    return interrupted();
  };
  console.print(
      fmt::format("{:<24} {:>24} {:>24} {:>9}\n", "case (time)", "reference", "result", "error"));
  int count = 0, failed = 0;
  double seconds = 0;
  for (const PublishedCase& c : all) {
    if (!options.cases.empty() &&
        std::find(options.cases.begin(), options.cases.end(), c.name) == options.cases.end())
      continue;
    const CaseResult result = run_case(c, {}, control);
    if (interrupted()) return exit_interrupted;
    ++count;
    failed += !result.good(c);
    seconds += result.seconds;
    console.report(result.faults);
    console.print(words_of(c, result));
    console.print_json("selftest", json_of(c, result));
  }
  console.print(fmt::format("{} cases, {} not good, {:.1f} s\n", count, failed, seconds));
  return failed > 0 ? exit_failed : 0;
}

std::function<int()> define(CommandLine& line, Console& console) {
  auto options = std::make_shared<Options>();
  line.option("CASE", options->cases, "Only these");
  line.json_flag(console);
  return [options, &console] {
    return work(*options, console);
  };
}

}  // namespace command_selftest

extern const Command selftest_command;
const Command selftest_command{
    "selftest", "Run cases whose results are published and compare", command_selftest::define};

}  // namespace cardan::app
