#include "cardan/study/sweep_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cardan {

namespace {

constexpr std::size_t most_values = 20;  // of a parameter, each with its own mean
constexpr std::size_t groups = 10;

using Numbers = std::vector<double>;

double mean_of(const Numbers& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double quantile(const Numbers& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), sorted.size() - 1);
  const double next = sorted[std::min(k + 1, sorted.size() - 1)];
  return sorted[k] + (at - static_cast<double>(k)) * (next - sorted[k]);
}

double correlation(const Numbers& x, const Numbers& y) {
  const double mx = mean_of(x), my = mean_of(y);
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - mx) * (x[k] - mx);
    xy += (x[k] - mx) * (y[k] - my);
    yy += (y[k] - my) * (y[k] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::pair<double, double>> effect(const Numbers& x, const Numbers& y) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<std::size_t> begins{0};  // of the groups in the order
  for (std::size_t k = 1; k < order.size(); ++k)
    if (x[order[k]] != x[order[k - 1]]) begins.push_back(k);
  if (begins.size() > most_values) {
    begins.clear();
    for (std::size_t g = 0; g < groups; ++g) begins.push_back(g * order.size() / groups);
  }
  std::vector<std::pair<double, double>> out;
  for (std::size_t g = 0; g < begins.size(); ++g) {
    const std::size_t from = begins[g], to = g + 1 < begins.size() ? begins[g + 1] : order.size();
    double sum_x = 0, sum_y = 0;
    for (std::size_t k = from; k < to; ++k) {
      sum_x += x[order[k]];
      sum_y += y[order[k]];
    }
    const auto count = static_cast<double>(to - from);
    const bool one_value = x[order[from]] == x[order[to - 1]];
    out.emplace_back(one_value ? x[order[from]] : sum_x / count, sum_y / count);
  }
  return out;
}

}  // namespace

Result<std::vector<MeasureStatistics>> sweep_statistics(const SweepStore& store) {
  const SweepColumns& names = store.columns();
  const std::size_t count = names.measures.size();
  std::vector<MeasureStatistics> out(count);
  std::vector<Numbers> values(count);
  std::vector<std::vector<Numbers>> parameters(count,
                                               std::vector<Numbers>(names.parameters.size()));
  if (const auto fault = store.each([&](const SweepRow& row) {
        for (std::size_t k = 0; k < count; ++k) {
          const double y = row.result.measures[k];
          if (!std::isfinite(y)) continue;
          MeasureStatistics& m = out[k];
          if (values[k].empty() || y < m.least) m.least = y, m.least_point = row.number;
          if (values[k].empty() || y > m.largest) m.largest = y, m.largest_point = row.number;
          values[k].push_back(y);
          for (std::size_t p = 0; p < row.values.size(); ++p)
            parameters[k][p].push_back(row.values[p]);
        }
        return true;
      }))
    return *fault;
  for (std::size_t k = 0; k < count; ++k) {
    MeasureStatistics& m = out[k];
    m.name = names.measures[k];
    m.unit = names.measure_units[k];
    const Numbers& y = values[k];
    m.count = static_cast<long>(y.size());
    if (y.empty()) continue;
    m.mean = mean_of(y);
    double squares = 0;
    for (const double x : y) squares += (x - m.mean) * (x - m.mean);
    m.deviation = y.size() > 1 ? std::sqrt(squares / static_cast<double>(y.size() - 1)) : 0;
    Numbers sorted = y;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t q = 0; q < sweep_quantiles.size(); ++q)
      m.quantiles[q] = quantile(sorted, sweep_quantiles[q]);
    for (const Numbers& x : parameters[k]) {
      m.correlation.push_back(correlation(x, y));
      m.effects.push_back(effect(x, y));
    }
  }
  return out;
}

nlohmann::ordered_json to_json(const MeasureStatistics& m) {
  using Json = nlohmann::ordered_json;
  const auto known = [](double x) {
    return std::isfinite(x) ? Json(x) : Json();
  };
  Json quantiles = Json::array(), correlation = Json::array();
  for (std::size_t q = 0; q < sweep_quantiles.size(); ++q)
    quantiles.push_back({sweep_quantiles[q], m.quantiles[q]});
  for (const double r : m.correlation) correlation.push_back(known(r));
  return {{"measure", m.name},
          {"unit", m.unit},
          {"points", m.count},
          {"least", m.least},
          {"least_point", m.least_point},
          {"largest", m.largest},
          {"largest_point", m.largest_point},
          {"mean", m.mean},
          {"standard_deviation", m.deviation},
          {"quantiles", quantiles},
          {"correlation", correlation},
          {"main_effects", m.effects}};
}

}  // namespace cardan
