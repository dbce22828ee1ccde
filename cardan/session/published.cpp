#include "cardan/session/published.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "cardan/analysis/run.h"
#include "cardan/results/sink.h"

namespace cardan {

namespace {

using Json = nlohmann::ordered_json;

const std::string& text_of(const std::string& name) {
  const auto& all = published_files();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const PublishedFile& f) { return f.name == name; });
  return at->text;
}

PublishedFigure figure_of(const Json& json) {
  PublishedFigure out;
  out.bound = json.at("bound");
  if (json.contains("eigenvalue")) {
    out.value = json["eigenvalue"][0];
    out.imaginary = json["eigenvalue"][1];
    return out;
  }
  out.channel = json.at("channel");
  out.value = json.at("value");
  if (json.contains("t")) out.t = json["t"].get<double>();
  return out;
}

PublishedCase case_of(const Json& json) {
  PublishedCase out;
  out.name = json.at("name");
  out.title = json.at("title");
  out.file = json.at("file");
  out.source = json.at("source");
  out.reference = json.at("reference");
  out.for_methods = json.value("methods", false);
  out.request.path = out.file;
  out.request.analysis = json.value("analysis", "");
  out.request.set = json.value("set", std::vector<std::string>());
  const Json options = json.value("options", Json::object());
  for (const auto& [key, value] : options.items()) out.request.give(key, value);
  for (const Json& figure : json.at("figures")) out.figures.push_back(figure_of(figure));
  return out;
}

// The rows at the times that are asked for, and the last one.
class WantedRows : public Sink {
 public:
  explicit WantedRows(const std::vector<PublishedFigure>& figures) : figures_(figures) {
    found_.resize(figures.size());
  }

  Fault open(std::span<const Channel> channels) override {
    columns_.assign(figures_.size(), -1);
    units_.assign(figures_.size(), "");
    for (std::size_t k = 0; k < figures_.size(); ++k)
      for (std::size_t c = 0; c < channels.size(); ++c)
        if (!figures_[k].channel.empty() && channels[c].name == figures_[k].channel) {
          columns_[k] = static_cast<int>(c);
          units_[k] = channels[c].unit;
        }
    return {};
  }

  Fault sample(double t, std::span<const double> row) override {
    constexpr double same_time = 1e-9;  // relative: a row at the time asked for
    for (std::size_t k = 0; k < figures_.size(); ++k)
      if (columns_[k] >= 0 && (!figures_[k].t || std::abs(t - *figures_[k].t) < same_time))
        found_[k] = row[static_cast<std::size_t>(columns_[k])];
    return {};
  }

  std::optional<double> found(std::size_t k) const { return found_[k]; }

  const std::string& unit(std::size_t k) const { return units_[k]; }

 private:
  const std::vector<PublishedFigure>& figures_;
  std::vector<int> columns_;
  std::vector<std::string> units_;
  std::vector<std::optional<double>> found_;
};

// The eigenvalue nearest to the one that is known.
FigureResult nearest(const PublishedFigure& figure, const Summary& summary) {
  FigureResult out;
  out.error = std::numeric_limits<double>::infinity();
  out.unit = "1/s";
  if (!summary.linear) return out;
  for (const ComplexNumber& x : summary.linear->eigenvalues) {
    const double error = std::hypot(x[0] - figure.value, x[1] - figure.imaginary);
    if (error < out.error) {
      out.error = error;
      out.value = x[0];
      out.imaginary = x[1];
    }
  }
  return out;
}

FigureResult result_of(const PublishedFigure& figure,
                       std::size_t k,
                       const WantedRows& rows,
                       const Summary& summary) {
  if (figure.channel.empty()) return nearest(figure, summary);
  FigureResult out;
  out.value = rows.found(k).value_or(std::numeric_limits<double>::quiet_NaN());
  out.error = std::abs(out.value - figure.value);
  out.unit = rows.unit(k);
  return out;
}

}  // namespace

const std::vector<PublishedCase>& published_cases() {
  static const std::vector<PublishedCase> all = [] {
    std::vector<PublishedCase> list;
    for (const Json& json : Json::parse(text_of("models/published.json")))
      list.push_back(case_of(json));
    return list;
  }();
  return all;
}

bool CaseResult::good(const PublishedCase& of) const {
  if (figures.size() != of.figures.size()) return false;
  for (std::size_t k = 0; k < figures.size(); ++k)
    if (!(figures[k].error <= of.figures[k].bound)) return false;
  return true;
}

double CaseResult::worst() const {
  if (figures.empty()) return std::numeric_limits<double>::quiet_NaN();
  double out = 0;
  for (const FigureResult& f : figures) {
    if (std::isnan(f.error)) return f.error;
    out = std::max(out, f.error);
  }
  return out;
}

CaseResult run_case(const PublishedCase& of,
                    const std::vector<std::pair<std::string, std::string>>& options,
                    const Control& control) {
  const auto begin = std::chrono::steady_clock::now();
  CaseResult out;
  ModelRequest request = of.request;
  for (const auto& option : options) {
    std::erase_if(request.options, [&](const auto& given) { return given.first == option.first; });
    request.give(option.first, option.second);
  }
  const auto model = read_stored(request, text_of(of.file));
  if (!model) {
    out.faults = model.why();
    return out;
  }
  WantedRows rows(of.figures);
  const Outcome outcome = run_model(model.value(), rows, control);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (outcome.exit_code() != 0 || outcome.doubtful()) {
    out.faults = outcome.summary.diagnostics;
    out.doubtful = outcome.doubtful();
    return out;
  }
  for (std::size_t k = 0; k < of.figures.size(); ++k)
    out.figures.push_back(result_of(of.figures[k], k, rows, outcome.summary));
  return out;
}

}  // namespace cardan
