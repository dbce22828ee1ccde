#include "cardan/ode/study_differences.h"

#include <algorithm>
#include <stdexcept>

#include "cardan/ode/adams/adams_coefficients.h"

namespace cardan {

namespace {

using Differences = std::vector<std::vector<double>>;

// nabla^i of the newest value from those of the one before it, as many as there are and one more.
Differences extended(const std::vector<double>& newest,
                     const Differences& before,
                     std::size_t most) {
  Differences out{newest};
  for (std::size_t i = 0; i < before.size() && out.size() < most; ++i) {
    std::vector<double> next = out.back();
    for (std::size_t c = 0; c < next.size(); ++c) next[c] -= before[i][c];
    out.push_back(std::move(next));
  }
  return out;
}

std::vector<double> scaled(const std::vector<double>& x, double by) {
  std::vector<double> out = x;
  for (double& v : out) v *= by;
  return out;
}

double gamma(std::size_t i) {
  return adams_gamma[i].value();
}

double gamma_star(std::size_t i) {
  return adams_gamma_star[i].value();
}

}  // namespace

std::vector<DifferenceRow> difference_table(
    OdeProblem& problem, const std::vector<std::pair<double, std::vector<double>>>& points, int k) {
  if (k < 1 || k > 12) throw std::invalid_argument("Adams methods have orders 1 to 12");
  const auto n = static_cast<std::size_t>(problem.size());
  const auto most = static_cast<std::size_t>(k) + 1;
  std::vector<DifferenceRow> rows;
  std::vector<double> f(n), predicted(n);
  for (std::size_t m = 0; m < points.size(); ++m) {
    DifferenceRow row;
    row.t = points[m].first;
    row.y = points[m].second;
    if (problem.evaluate(row.t, row.y, f) != Eval::ok) break;
    row.differences = extended(f, rows.empty() ? Differences{} : rows.back().differences, most);
    const std::size_t order = std::min<std::size_t>(static_cast<std::size_t>(k), m + 1);
    row.order = static_cast<int>(order);
    const double h = m + 1 < points.size() ? points[m + 1].first - row.t
                     : m > 0               ? row.t - points[m - 1].first
                                           : 0;
    if (row.differences.size() > order) {
      row.predictor_error = scaled(row.differences[order], h * gamma(order));
    }
    predicted = row.y;
    for (std::size_t i = 0; i < order; ++i) {
      for (std::size_t c = 0; c < n; ++c) predicted[c] += h * gamma(i) * row.differences[i][c];
    }
    if (problem.evaluate(row.t + h, predicted, f) == Eval::ok) {
      const Differences ahead = extended(f, row.differences, most + 1);
      if (ahead.size() > order + 1) {
        row.corrector_error = scaled(ahead[order + 1], h * gamma_star(order + 1));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cardan
