#include <fmt/format.h>

#include "command_ode_energy.h"

namespace cardan::app {

Sink::Fault EnergyTable::open(std::span<const Channel> channels) {
  std::vector<std::string> words{"t"};
  for (const std::string& name : wanted_)
    for (std::size_t k = 0; k < channels.size(); ++k)
      if (channels[k].name == name) {
        places_.push_back(k);
        words.push_back(name.ends_with(".rate") ? name.substr(0, name.size() - 5) + "'" : name);
      }
  names_ = words;
  path.names.assign(words.begin() + 1, words.end());
  path.values.resize(path.names.size());
  line(words);
  return {};
}

Sink::Fault EnergyTable::sample(double t, std::span<const double> row) {
  std::vector<std::string> words{text(t)};
  last_ = {t};
  for (const std::size_t k : places_) {
    words.push_back(text(row[k]));
    last_.push_back(row[k]);
  }
  line(words);
  path.t.push_back(t);
  for (std::size_t k = 0; k < places_.size(); ++k) path.values[k].push_back(last_[k + 1]);
  return {};
}

nlohmann::ordered_json EnergyTable::last() const {
  auto values = nlohmann::ordered_json::object();
  for (std::size_t k = 1; k < last_.size(); ++k) values[names_[k]] = last_[k];
  return values;
}

std::string EnergyTable::text(double v) const {
  return csv_ ? fmt::format("{}", v) : fmt::format("{:.10g}", v);
}

void EnergyTable::line(const std::vector<std::string>& words) const {
  std::string out;
  for (const std::string& w : words)
    out += csv_ ? (out.empty() ? "" : ",") + w : fmt::format(" {:>17}", w);
  console_.print(out + "\n");
}

}  // namespace cardan::app
