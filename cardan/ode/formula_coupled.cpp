#include "cardan/ode/formula_coupled.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double least_pivot = 1e-13;      // relative: a mass matrix below it is singular
constexpr int most_corrections = 30;       // of the start's algebraic variables
constexpr double last_correction = 1e-14;  // a correction this small, relative, is the last

Diagnostic wrong(std::string found, std::string expected) {
  Diagnostic d;
  d.id = "model.unknown-option";
  d.found = std::move(found);
  d.expected = std::move(expected);
  return d;
}

}  // namespace

void FormulaSystem::Coupled::add_variable(int order) {
  orders_.push_back(order);
}

std::optional<Diagnostic> FormulaSystem::Coupled::finish() {
  const std::size_t n = system_.names_.size();
  flags_.assign(n, 0);
  std::size_t rate = orders_.size();
  for (std::size_t k = 0; k < orders_.size(); ++k) {
    if (orders_[k] == 0) {
      flags_[k] = 1;
      unknowns_.push_back(k);
    } else {
      derivatives_.push_back(orders_[k] == 2 ? rate++ : k);
    }
  }
  unknown_ = unknowns_.size();
  const auto given = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.algebraic; }));
  const std::size_t differential = rows.size() - given, d = derivatives_.size();
  if (differential != d || given != unknown_)
    return wrong(
        fmt::format("{} equations with derivatives and {} equations 0 = ... for {} variables "
                    "with derivatives and {} without",
                    differential,
                    given,
                    d,
                    unknown_),
        "as many of each; a variable without derivative is one that has a start value only");
  x_.assign(1 + n + d, 0);
  gradient_ = x_;
  const auto size = static_cast<Eigen::Index>(d);
  mass_.setZero(size, size);
  right_.setZero(size);
  factors_ = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
  for (const Row& row : rows) {  // linear: the same slope at other derivatives
    if (row.algebraic) continue;
    std::vector<double> at(x_.size(), 0.3), slope = at, other = at;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += 0.1 * static_cast<double>(k);
    (void)row.left_side.gradient(at, slope);
    for (std::size_t k = 1 + n; k < at.size(); ++k) at[k] = 2.7 - 0.4 * static_cast<double>(k - n);
    (void)row.left_side.gradient(at, other);
    for (std::size_t k = 1 + n; k < at.size(); ++k)
      if (std::abs(slope[k] - other[k]) > 1e-12 * (1 + std::abs(slope[k]))) {
        Diagnostic fault = wrong("a left side that is not linear in the derivatives",
                                 "sums of derivatives with factors, as m*x' + n*y'");
        fault.where = row.source.where;
        fault.element = fmt::format("equation \"{}\"", row.source.text);
        return fault;
      }
  }
  return {};
}

void FormulaSystem::Coupled::arguments(double t, CView y) {
  x_[0] = t;
  std::copy(y.begin(), y.end(), x_.begin() + 1);
  std::fill(x_.begin() + 1 + static_cast<std::ptrdiff_t>(y.size()), x_.end(), 0.0);
}

Eval FormulaSystem::Coupled::f(double t, CView y, View dy) {
  arguments(t, y);
  const std::size_t n = y.size();
  const CView no_derivatives(x_.data(), n + 1);
  Eigen::Index line = 0;
  std::size_t unknown = 0;
  for (const Row& row : rows) {
    const double right = row.right_side.value(no_derivatives);
    if (row.algebraic) {
      dy[unknowns_[unknown++]] = right;
      continue;
    }
    right_[line] = right - row.left_side.value(x_);
    (void)row.left_side.gradient(x_, gradient_);
    for (std::size_t k = 0; k < derivatives_.size(); ++k)
      mass_(line, static_cast<Eigen::Index>(k)) = gradient_[1 + n + k];
    ++line;
  }
  if (!mass_.allFinite() || !right_.allFinite()) return Eval::retry;
  if (mass_.rows() > 0) {
    factors_.compute(mass_);
    const auto pivots = factors_.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() > least_pivot * mass_.cwiseAbs().maxCoeff())) return Eval::retry;
    right_ = factors_.solve(right_).eval();
  }
  std::size_t rate = orders_.size();
  for (std::size_t k = 0; k < orders_.size(); ++k)
    if (orders_[k] == 2) dy[k] = y[rate++];
  for (std::size_t k = 0; k < derivatives_.size(); ++k)
    dy[derivatives_[k]] = right_[static_cast<Eigen::Index>(k)];
  return Eval::ok;
}

void FormulaSystem::Coupled::residuals(double t, CView y, Eigen::VectorXd& g) {
  arguments(t, y);
  Eigen::Index k = 0;
  for (const Row& row : rows)
    if (row.algebraic) g[k++] = row.right_side.value(CView(x_.data(), y.size() + 1));
}

Eval FormulaSystem::Coupled::complete(double t, View y) {
  if (unknown_ == 0) return Eval::ok;
  const auto m = static_cast<Eigen::Index>(unknown_);
  Eigen::VectorXd g(m);
  Eigen::MatrixXd slopes(m, m);
  std::vector<double> slope(y.size() + 1);
  for (int iteration = 0; iteration < most_corrections; ++iteration) {
    residuals(t, y, g);
    if (!g.allFinite()) return Eval::retry;
    Eigen::Index line = 0;
    for (const Row& row : rows) {
      if (!row.algebraic) continue;
      (void)row.right_side.gradient(CView(x_.data(), y.size() + 1), slope);
      for (Eigen::Index k = 0; k < m; ++k)
        slopes(line, k) = slope[1 + unknowns_[static_cast<std::size_t>(k)]];
      ++line;
    }
    const Eigen::VectorXd step = slopes.fullPivLu().solve(-g);
    if (!step.allFinite()) return Eval::retry;
    double largest = 0;
    for (Eigen::Index k = 0; k < m; ++k) {
      double& value = y[unknowns_[static_cast<std::size_t>(k)]];
      value += step[k];
      largest = std::max(largest, std::abs(step[k]) / (1 + std::abs(value)));
    }
    if (largest <= last_correction) break;
  }
  residuals(t, y, g);
  return g.allFinite() && g.cwiseAbs().maxCoeff() < 1e-9 ? Eval::ok : Eval::retry;
}

}  // namespace cardan
