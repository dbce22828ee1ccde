#include "cardan/analysis/driven/position_solver.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>

#include "cardan/base/trace.h"
#include "cardan/math/elementary.h"
#include "cardan/ode/archive_lists.h"

namespace cardan {

namespace {

constexpr int most_iterations = 25;
constexpr double newton_tolerance = 1e-14;  // of a step, relative to the mechanism's size
constexpr double phi_round_off = 4e-16;     // of phi, relative to the mechanism's size
constexpr int inverse_iterations = 3;

}  // namespace

// J = R phi_q C: rows of angles divided by nothing, columns of angles by the mechanism's size, so
// that all unknowns are lengths.
struct PositionSolver::Factor {
  struct Source {
    int value, packed;
    double weight;
  };

  Eigen::SparseMatrix<double> J;
  std::vector<Source> sources;
  std::vector<double> column_scale, row_scale;
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> lu;
  Eigen::VectorXd x, u;  // scratch; u: left singular vector
  bool analysed = false;
};

PositionSolver::PositionSolver(const System& system, const std::vector<char>& active)
    : system_(system), work_(system.workspace()), factor_(std::make_unique<Factor>()) {
  const Equations& equations = system.equations();
  std::vector<int> number(active.size(), -1);
  for (std::size_t r = 0; r < active.size(); ++r)
    if (active[r] != 0) {
      number[r] = static_cast<int>(rows_.size());
      rows_.push_back(static_cast<int>(r));
    }
  const int n = system.v_size(), n_v = equations.body_size();
  Factor& f = *factor_;
  for (int k = 0; k < n; ++k)
    f.column_scale.push_back(system.layout().turns(k) ? 1 / system.length() : 1.0);
  for (const int r : rows_)
    f.row_scale.push_back(system.unit_kind(r) == UnitKind::angle ? system.length() : 1.0);

  struct Entry {
    int row, column, packed;
  };

  std::vector<Entry> entries;
  for (const auto& block : equations.blocks())
    for (const auto& term : equations.terms(block))
      for (int c = 0; c < n_v; ++c)
        for (int r = 0; r < block.rows; ++r) {
          const int row = number[static_cast<std::size_t>(block.first_row + r)];
          if (row >= 0)
            entries.push_back(
                {row, system.layout().v(term.body) + c, term.offset + c * block.rows + r});
        }
  std::vector<Eigen::Triplet<double>> places;
  places.reserve(entries.size());
  for (const Entry& e : entries) places.emplace_back(e.row, e.column, 0.0);
  f.J.resize(static_cast<Eigen::Index>(rows_.size()), n);
  f.J.setFromTriplets(places.begin(), places.end());
  f.J.makeCompressed();
  for (const Entry& e : entries) {
    const int* begin = f.J.innerIndexPtr() + f.J.outerIndexPtr()[e.column];
    const int* end = f.J.innerIndexPtr() + f.J.outerIndexPtr()[e.column + 1];
    const auto value = static_cast<int>(std::lower_bound(begin, end, e.row) - f.J.innerIndexPtr());
    f.sources.push_back({value,
                         e.packed,
                         f.row_scale[static_cast<std::size_t>(e.row)] *
                             f.column_scale[static_cast<std::size_t>(e.column)]});
  }
  r_.resize(rows_.size());
  d_.resize(static_cast<std::size_t>(n));
}

PositionSolver::~PositionSolver() = default;

bool PositionSolver::factor(double t, CView q) {
  Factor& f = *factor_;
  followed_ = false;
  if (f.J.rows() != f.J.cols()) return false;
  system_.rotations(q, work_);
  system_.equations().phi_q(system_.config(t, q, work_), work_.packed);
  std::fill_n(f.J.valuePtr(), f.J.nonZeros(), 0.0);
  for (const auto& s : f.sources)
    f.J.valuePtr()[s.value] += s.weight * work_.packed[static_cast<std::size_t>(s.packed)];
  if (!std::all_of(f.J.valuePtr(), f.J.valuePtr() + f.J.nonZeros(), [](double x) {
        return std::isfinite(x);
      }))
    return false;
  if (!f.analysed) f.lu.analyzePattern(f.J);
  f.analysed = true;
  f.lu.factorize(f.J);
  return f.lu.info() == Eigen::Success;
}

void PositionSolver::take_active(CView all, View r) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) r[k] = all[static_cast<std::size_t>(rows_[k])];
}

void PositionSolver::residual(double t, CView q, View r) {
  system_.rotations(q, work_);
  system_.equations().phi(system_.config(t, q, work_), work_.phi);
  take_active(work_.phi, r);
}

double PositionSolver::largest_residual() const {
  double most = 0;
  for (std::size_t k = 0; k < r_.size(); ++k)
    most = std::max(most, std::abs(r_[k]) * factor_->row_scale[k]);
  return most;
}

namespace {

// x = J^-1 r in the coordinates of the mechanism.
template <class Factor> void solve_scaled(Factor& f, CView r, View out) {
  f.x.resize(static_cast<Eigen::Index>(r.size()));
  for (std::size_t k = 0; k < r.size(); ++k)
    f.x[static_cast<Eigen::Index>(k)] = r[k] * f.row_scale[k];
  f.x = f.lu.solve(f.x).eval();
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = f.x[static_cast<Eigen::Index>(k)] * f.column_scale[k];
}

}  // namespace

PositionSolver::Found PositionSolver::solve(double t, View q) {
  Found found;
  double before = 0, size = system_.length();
  for (const double x : q) size = std::max(size, std::abs(x));
  for (; found.iterations < most_iterations; ++found.iterations) {
    if (!factor(t, q)) return found;
    residual(t, q, r_);
    const double open = largest_residual();
    trace("  t = {:.10g} s, Newton {:>2}: largest gap {:.3e} m", t, found.iterations, open);
    if (found.iterations > 0 && (open <= phi_round_off * size || open > before)) {
      found.converged = open <= 100 * phi_round_off * size;  // it gets no better
      return found;
    }
    before = open;
    for (double& x : r_) x = -x;
    solve_scaled(*factor_, r_, d_);
    const double step = system_.largest_move(d_);
    if (!std::isfinite(step) || step > 1e3 * system_.length()) return found;
    system_.advance(q, d_, q);
    found.moved += step;
    if (step <= newton_tolerance * system_.length()) {
      found.converged = true;
      return found;
    }
  }
  return found;
}

void PositionSolver::velocities(double t, CView q, View v) {
  system_.rotations(q, work_);
  system_.equations().nu(system_.config(t, q, work_), work_.nu);
  take_active(work_.nu, r_);
  solve_scaled(*factor_, r_, v);
}

void PositionSolver::accelerations(double t, CView q, CView v, View a) {
  system_.rotations(q, work_);
  system_.equations().gamma(system_.motion(t, q, v, work_), work_.gamma);
  take_active(work_.gamma, r_);
  solve_scaled(*factor_, r_, a);
}

const PositionSolver::Singularity& PositionSolver::singularity() {
  if (followed_) return singularity_;
  Factor& f = *factor_;
  const auto n = static_cast<Eigen::Index>(rows_.size());
  if (f.u.size() != n) {
    f.u.resize(n);
    for (Eigen::Index k = 0; k < n; ++k)
      f.u[k] = 1 + 0.3 * elementary::sin(1.7 * static_cast<double>(k));
    f.u.normalize();
  }
  Eigen::VectorXd w(n);
  double size = 1;
  for (int i = 0; i < inverse_iterations; ++i) {
    w = f.lu.solve(f.u);
    w.normalize();
    f.u = f.lu.transpose().solve(w);
    size = f.u.norm();
    if (!(size > 0) || !std::isfinite(size)) break;
    f.u /= size;
  }
  singularity_.smallest = 1 / size;
  singularity_.sign = f.lu.signDeterminant() > 0 ? 1 : -1;
  singularity_.equations.assign(static_cast<std::size_t>(system_.equations().rows()), 0.0);
  for (std::size_t k = 0; k < rows_.size(); ++k)
    singularity_.equations[static_cast<std::size_t>(rows_[k])] = f.u[static_cast<Eigen::Index>(k)];
  singularity_.motion.resize(d_.size());
  for (std::size_t k = 0; k < d_.size(); ++k)
    singularity_.motion[k] = w[static_cast<Eigen::Index>(k)] * f.column_scale[k];
  followed_ = true;
  return singularity_;
}

void PositionSolver::serialize(Archive& archive) {
  Factor& f = *factor_;
  std::vector<double> u(f.u.data(), f.u.data() + f.u.size());
  io_or_none(archive, u, rows_.size());
  if (!archive.loading() || !archive.good()) return;
  f.u = as_vector(CView(u));
  followed_ = false;
}

}  // namespace cardan
