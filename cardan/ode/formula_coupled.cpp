#include "cardan/ode/formula_coupled.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cardan {

namespace {

constexpr double least_pivot = 1e-13;      // of rows of size 1: a mass matrix below it is singular
constexpr int most_corrections = 30;       // of the start's algebraic variables
constexpr double last_correction = 1e-14;  // a correction this small, relative, is the last
constexpr double least_slope = 1e-10;      // relative: equations below it are dependent

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

bool FormulaSystem::Coupled::rows_at(double t, CView y) {
  arguments(t, y);
  const CView no_derivatives(x_.data(), y.size() + 1);
  Eigen::Index line = 0;
  for (const Row& row : rows) {
    if (row.algebraic) continue;
    right_[line] = row.right_side.value(no_derivatives) - row.left_side.value(x_);
    (void)row.left_side.gradient(x_, gradient_);
    for (std::size_t k = 0; k < derivatives_.size(); ++k)
      mass_(line, static_cast<Eigen::Index>(k)) = gradient_[1 + y.size() + k];
    ++line;
  }
  return mass_.allFinite() && right_.allFinite();
}

Eval FormulaSystem::Coupled::f(double t, CView y, View dy) {
  if (singular()) return reduced_f(t, y, dy);
  if (!rows_at(t, y)) return Eval::retry;
  std::size_t unknown = 0;
  for (const Row& row : rows)
    if (row.algebraic)
      dy[unknowns_[unknown++]] = row.right_side.value(CView(x_.data(), y.size() + 1));
  if (mass_.rows() > 0) {
    for (Eigen::Index line = 0; line < mass_.rows(); ++line) {  // rows of one size
      const double size = mass_.row(line).cwiseAbs().maxCoeff();
      if (!(size > 0)) return Eval::retry;
      mass_.row(line) /= size;
      right_[line] /= size;
    }
    factors_.compute(mass_);
    if (!(factors_.matrixLU().diagonal().cwiseAbs().minCoeff() > least_pivot)) return Eval::retry;
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

Eval FormulaSystem::Coupled::solve_for_unknowns(double t, View y) {
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

// Variables that equations without derivatives leave open, where these or their slopes by them are dependent.
std::optional<Diagnostic> FormulaSystem::Coupled::undetermined(
    const Eigen::MatrixXd& slopes, const std::vector<std::size_t>& components) const {
  Eigen::MatrixXd scaled = slopes;
  for (Eigen::Index line = 0; line < scaled.rows(); ++line)
    scaled.row(line) /= std::max(scaled.row(line).cwiseAbs().maxCoeff(), 1e-300);
  Eigen::FullPivLU<Eigen::MatrixXd> lu(scaled);
  lu.setThreshold(least_slope);
  if (lu.isInvertible()) return {};
  Eigen::Index open = 0;
  lu.kernel().col(0).cwiseAbs().maxCoeff(&open);
  Diagnostic d;
  d.id = "numeric.singular";
  d.element =
      fmt::format("variable '{}'", system_.names_[components[static_cast<std::size_t>(open)]]);
  d.found = "equations without derivatives that leave it open at the start (index above 1)";
  d.expected = "equations that can be solved for the variables whose derivatives are not given";
  d.hint =
      "differentiate the equation once or twice, or write a mechanism with its energies: "
      "\"T = ...\", \"V = ...\", \"0 = ...\"";
  return d;
}

std::optional<Diagnostic> FormulaSystem::Coupled::begin(double t, View y) {
  begun_ = true;
  if (!rows_at(t, y)) return {};  // the first evaluation tells
  if (auto wrong = split_rows(t, y)) return wrong;
  const Eval solved = complete(t, y);
  const auto slopes_by = [&](const std::vector<std::size_t>& components) {
    Eigen::MatrixXd slopes(static_cast<Eigen::Index>(unknown_),
                           static_cast<Eigen::Index>(unknown_));
    std::vector<double> slope(y.size() + 1);
    arguments(t, y);
    Eigen::Index line = 0;
    for (const Row& row : rows) {
      if (!row.algebraic) continue;
      (void)row.right_side.gradient(CView(x_.data(), y.size() + 1), slope);
      for (std::size_t k = 0; k < components.size(); ++k)
        slopes(line, static_cast<Eigen::Index>(k)) = slope[1 + components[k]];
      ++line;
    }
    return slopes;
  };
  std::optional<Diagnostic> open;
  if (singular() && linearise(t, y)) open = undetermined(reduced_, moving_);
  if (!singular() && unknown_ > 0) open = undetermined(slopes_by(unknowns_), unknowns_);
  if (open) return open;
  if (solved == Eval::ok) return {};
  Diagnostic d;
  d.id = "numeric.no-convergence";
  d.found = "no values at the start that satisfy the equations without derivatives";
  d.expected = "start values near such ones";
  return d;
}

Eval FormulaSystem::Coupled::complete(double t, View y) {
  if (!begun_)
    if (begin(t, y)) return Eval::retry;
  if (singular()) return correct(t, y);
  return unknown_ == 0 ? Eval::ok : solve_for_unknowns(t, y);
}

}  // namespace cardan
