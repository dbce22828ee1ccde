#pragma once
// Runs a model in memory and keeps what it wrote.
#include <fstream>
#include <map>
#include <sstream>

#include "cardan/analysis/run.h"
#include "test/mechanisms.h"
#include "test/places.h"

namespace cardan {

// For messages of tests.
inline std::string to_text(const Diagnostics& list) {
  std::string text;
  for (const Diagnostic& d : list) text += to_text(d) + "\n";
  return text;
}

}  // namespace cardan

namespace cardan::test {

struct Memory : Sink {
  std::vector<Channel> channels;
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
  std::vector<std::byte> last_checkpoint;
  std::size_t rows_at_checkpoint = 0;
  int checkpoint_every = 0;  // steps; 0: never
  mutable int steps = 0;

  Fault open(std::span<const Channel> c) override {
    channels.assign(c.begin(), c.end());
    return {};
  }

  Fault sample(double t, std::span<const double> row) override {
    times.push_back(t);
    rows.emplace_back(row.begin(), row.end());
    return {};
  }

  Fault checkpoint(double, std::span<const std::byte> bytes) override {
    last_checkpoint.assign(bytes.begin(), bytes.end());
    rows_at_checkpoint = rows.size();
    return {};
  }

  bool checkpoint_due() const override {
    return checkpoint_every > 0 && ++steps % checkpoint_every == 0;
  }

  double value(const std::string& name, std::size_t row) const {
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (channels[k].name == name) return rows[row][k];
    ADD_FAILURE() << "no channel " << name;
    return 0;
  }

  double last(const std::string& name) const { return value(name, rows.size() - 1); }
};

inline DynamicOptions& dynamic(Model& model) {
  for (auto& analysis : model.analyses)
    if (auto* options = std::get_if<DynamicOptions>(&analysis)) return *options;
  model.analyses.emplace_back(DynamicOptions{});
  return std::get<DynamicOptions>(model.analyses.back());
}

inline void tighten(Model& model, double tolerance, const std::string& integrator = "ode45") {
  DynamicOptions& o = dynamic(model);
  o.rtol = o.atol = tolerance;
  o.integrator = integrator;
}

// A table of numbers with a line of names.
inline std::map<std::string, std::vector<double>> read_csv(const std::string& path) {
  std::ifstream file(std::string(test::source_dir) + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::string line;
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream cells(line);
    std::string cell;
    const bool head = names.empty();
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) {
      if (head)
        names.push_back(cell);
      else
        columns[names[k]].push_back(std::stod(cell));
    }
  }
  return columns;
}

}  // namespace cardan::test
