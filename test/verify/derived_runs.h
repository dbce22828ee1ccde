#pragma once
// Runs that derive results by parameters, and their comparison with differences of runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cardan/io/parametric_model.h"
#include "cardan/model/analysis_type.h"
#include "test/verify/support.h"

namespace cardan::test {

using Json = nlohmann::json;

inline std::string case_file(const std::string& name, const std::string& file) {
  return std::string(test::source_dir) + "/test/reference/analyses/" + name + "/" + file;
}

inline Json reference_of(const std::string& name) {
  std::ifstream file(case_file(name, "reference.json"));
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

struct DerivedRun {
  Outcome outcome;
  test::Memory memory;
  std::vector<ParameterInfo> parameters;

  double at(double t, const std::string& channel) const {
    for (std::size_t k = 0; k < memory.times.size(); ++k)
      if (std::abs(memory.times[k] - t) < 1e-9) return memory.value(channel, k);
    ADD_FAILURE() << "no row at " << t;
    return 0;
  }

  double slope(double t, const std::string& channel, const std::string& by) const {
    return at(t, fmt::format("d({})/d({})", channel, by));
  }
};

struct Asked {
  std::vector<std::string> analyses;  // in this order; the last has the sensitivities
  std::vector<std::string> by;
  double until = 0, output_step = 0;
  std::vector<std::pair<std::string, double>> values{};  // other values of parameters
  std::vector<std::string> channels{};
  std::vector<std::pair<std::string, OptionValue>> options{};  // of the last
};

inline std::unique_ptr<DerivedRun> run_derived(const std::string& path, const Asked& asked) {
  auto out = std::make_unique<DerivedRun>();
  ReadOptions set;
  for (const auto& [name, value] : asked.values)
    set.set.emplace_back(name, fmt::format("{}", value));
  const auto read = ParametricModel::read(path, set);
  EXPECT_TRUE(read) << (read ? "" : to_text(read.why()));
  if (!read) return out;
  Model model = read.value().model();
  out->parameters = read.value().parameters();
  std::vector<Analysis> chain;
  for (const std::string& name : asked.analyses) {
    const AnalysisType& type = *find_analysis(name);
    chain.push_back(analyses_of_type(model.analyses, type).front());
    if (asked.until > 0 && type.field("until") != nullptr)
      type.field("until")->set(chain.back(), asked.until, {});
    if (asked.output_step > 0 && type.field("output_step") != nullptr)
      type.field("output_step")->set(chain.back(), asked.output_step, {});
  }
  const AnalysisType& last = analysis_type(chain.back());
  for (const auto& [key, value] : asked.options) last.field(key)->set(chain.back(), value, {});
  last.field("sensitivity")->set(chain.back(), asked.by, {});
  model.analyses = chain;
  if (!asked.channels.empty()) model.output_channels = asked.channels;
  out->outcome = run_model(model, out->memory, {}, {}, &read.value());
  return out;
}

inline void expect_complete(const DerivedRun& run) {
  EXPECT_TRUE(ended_well(run.outcome.summary)) << to_text(run.outcome.summary.diagnostics);
}

inline std::vector<std::string> names_of(const Json& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table.items()) names.push_back(name);
  return names;
}

inline std::string example(const std::string& name) {
  return std::string(test::source_dir) + "/models/" + name + "/model.toml";
}

inline std::string written_model(const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "cardan_sensitivity.toml";
  std::ofstream(path) << text;
  return path.string();
}

// All derivatives of a run in all rows, relative to the largest of the same channel, against
//   (8 (y_1 - y_-1) - (y_2 - y_-2)) / 12 h
// which extrapolates central differences with steps h and 2h. noise: what runs with other values of
// the parameter differ by, relative to the largest value of any channel with its unit.
inline void expect_differences(const std::string& path,
                               Asked asked,
                               double tolerance,
                               double noise) {
  SCOPED_TRACE(path);
  const auto derived = run_derived(path, asked);
  expect_complete(*derived);
  const std::vector<std::string> by = std::exchange(asked.by, {});
  for (const std::string& name : by) {
    const auto& all = derived->parameters;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const ParameterInfo& p) { return p.name == name; });
    ASSERT_NE(found, all.end()) << name;
    const double h = 1e-3 * std::abs(found->value);
    std::array<std::unique_ptr<DerivedRun>, 4> runs;
    for (std::size_t k = 0; k < 4; ++k) {
      static constexpr std::array<double, 4> offsets{-2, -1, 1, 2};
      Asked other = asked;
      other.values.emplace_back(name, found->value + offsets[k] * h);
      runs[k] = run_derived(path, other);
      expect_complete(*runs[k]);
      ASSERT_EQ(runs[k]->memory.rows.size(), derived->memory.rows.size());
    }
    const auto& channels = derived->memory.channels;
    std::map<std::string, double> sizes;  // by unit
    for (const auto& row : runs[0]->memory.rows)
      for (std::size_t c = 0; c < row.size(); ++c) {
        double& size = sizes[channels[c].unit];
        size = std::max(size, std::abs(row[c]));
      }
    for (std::size_t c = 0; c < runs[0]->memory.channels.size(); ++c) {
      const std::string slope = fmt::format("d({})/d({})", channels[c].name, name);
      std::size_t s = 0;
      while (s < channels.size() && channels[s].name != slope) ++s;
      if (s == channels.size()) continue;
      double size = 0, worst = 0;
      for (std::size_t row = 0; row < derived->memory.rows.size(); ++row) {
        const auto y = [&](std::size_t k) {
          return runs[k]->memory.rows[row][c];
        };
        const double difference = (8 * (y(2) - y(1)) - (y(3) - y(0))) / (12 * h);
        size = std::max(size, std::abs(difference));
        worst = std::max(worst, std::abs(difference - derived->memory.rows[row][s]));
      }
      EXPECT_LE(worst, tolerance * size + noise * std::max(1.0, sizes[channels[c].unit]) / h)
          << slope << " of " << size;
    }
  }
}

inline const std::vector<std::pair<std::string, OptionValue>> tight{
    {"rtol", 1e-11}, {"atol", 1e-12}, {"integrator", std::string("dop853")}};

}  // namespace cardan::test
