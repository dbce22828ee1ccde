#include "cardan/system/loop_condition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace cardan {

namespace {

constexpr double least_size = 0.1;  // of the mechanism's: a joint's lever, for rotations as lengths
constexpr double own_rows_weak = 0.1;    // condition from which a joint's own rows count
constexpr double skipped_pivot = 1e-14;  // relative: a direction without equation
constexpr int most_rows = 12;            // of one joint
// Brings conditions to the size of pivots of S relative to their rows, in rows of four-bars.
constexpr double pivot_scale = 4;

std::size_t nth(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

// ---- structure

LoopPlan::LoopPlan(const Equations& equations, const Topology& topology) {
  on_loop_.assign(topology.branches.size(), 0);
  first_row_.push_back(0);
  first_share_.push_back(0);
  std::vector<int> sizes;
  std::vector<std::vector<int>> of_body(topology.branches.size());
  for (int c = 0; c < static_cast<int>(topology.closures.size()); ++c) {
    const auto& closure = topology.closures[nth(c)];
    for (const int b : topology.edges[nth(closure.edge)].blocks)
      for (int r = 0; r < equations.blocks()[nth(b)].rows; ++r)
        equation_.push_back(equations.blocks()[nth(b)].first_row + r);
    const int rows = static_cast<int>(equation_.size()) - first_row_.back();
    if (rows > most_rows) throw std::length_error("a joint of more equations than there can be");
    sizes.push_back(rows);
    first_row_.push_back(first_row_.back() + rows);
    for (const int body : closure.path) {
      on_loop_[nth(body)] = 1;
      of_body[nth(body)].push_back(static_cast<int>(entries_.size()));
      entries_.push_back({c, body, size_});
      size_ += rows * equations.body_size();
    }
    plan_shares(equations, topology, c);
    first_share_.push_back(static_cast<int>(shares_.size()));
  }
  std::vector<std::pair<int, int>> couplings;
  for (const auto& list : of_body)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        couplings.emplace_back(entries_[nth(list[i])].closure, entries_[nth(list[j])].closure);
  blocks_ = std::make_shared<const BlockPlan>(sizes, couplings);
  for (const auto& list : of_body)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const Entry *a = &entries_[nth(list[i])], *b = &entries_[nth(list[j])];
        const auto place = blocks_->place(a->closure, b->closure);
        if (place.transposed) std::swap(a, b);
        products_.push_back({place.offset,
                             a->offset,
                             b->offset,
                             sizes[nth(a->closure)],
                             sizes[nth(b->closure)],
                             a->body});
      }
  for (int c = 0; c < static_cast<int>(sizes.size()); ++c)
    diagonal_.push_back(blocks_->place(c, c).offset);
}

// Every body of an element moves with all branches of the path that it hangs on.
void LoopPlan::plan_shares(const Equations& equations, const Topology& topology, int closure) {
  const int last = static_cast<int>(entries_.size());
  int first = last, row = 0;
  while (first > 0 && entries_[nth(first - 1)].closure == closure) --first;
  for (const int b : topology.edges[nth(topology.closures[nth(closure)].edge)].blocks) {
    const auto& block = equations.blocks()[nth(b)];
    for (const auto& term : equations.terms(block))
      for (int body = term.body; body != Topology::ground;
           body = topology.branches[nth(body)].parent) {
        const auto found = std::find_if(entries_.begin() + first,
                                        entries_.begin() + last,
                                        [&](const Entry& e) { return e.body == body; });
        if (found == entries_.begin() + last) break;
        shares_.push_back(
            {static_cast<int>(found - entries_.begin()), term.body, term.offset, row, block.rows});
      }
    row += block.rows;
  }
}

// ---- numbers

template <int D> struct LoopCondition::Row {
  static constexpr int turns = D == 2 ? 1 : 3;
  Vec<D> u;      // on the velocity of the body's centre
  Vec<turns> c;  // on its angular velocity
};

LoopCondition::LoopCondition(const System& system)
    : system_(system),
      topology_(system.topology()),
      plan_(system.loop_plan()),
      active_(nth(system.equations().rows()), 1),
      cholesky_(plan_->blocks_),
      twist_(nth(system.body_count() * system.body_size() * system.body_size())),
      columns_(nth(system.body_count())),
      J_(nth(plan_->size_)),
      bound_(nth(plan_->first_row_.back())) {}

void LoopCondition::activate(const std::vector<char>& active) {
  active_ = active;
  open_ = std::all_of(plan_->equation_.begin(), plan_->equation_.end(), [&](int row) {
    return active[nth(row)] == 0;
  });
}

template <int D>
LoopCondition::Row<D> LoopCondition::row_of(
    const double* block, int rows, int r, int body, const Workspace& work) {
  Row<D> row;
  for (int k = 0; k < D; ++k) row.u[k] = block[k * rows + r];
  for (int k = 0; k < Row<D>::turns; ++k) row.c[k] = block[(D + k) * rows + r];
  if constexpr (D == 3)  // angular velocities are in body axes
    row.c = Eigen::Map<const Mat<3, 3>>(work.rotation.data() + 9 * body) * row.c;
  return row;
}

namespace {

// omega x d
template <int D, class Omega> Vec<D> carried(const Omega& omega, const Vec<D>& d) {
  if constexpr (D == 2)
    return Vec<2>(-omega[0] * d[1], omega[0] * d[0]);
  else
    return omega.cross(d);
}

// Orthonormal basis of the null space of k rows in n dimensions, by reflections of the rows;
// returns k / trace (A A^T)^-1 with the rows scaled to length one.
class SmallNullSpace {
 public:
  double find(std::array<std::array<double, 6>, 6>& A, int k, int n) {
    k_ = k;
    n_ = n;
    for (int i = 0; i < k; ++i) {
      double norm = 0;
      for (int c = 0; c < n; ++c) norm += A[nth(i)][nth(c)] * A[nth(i)][nth(c)];
      if (!(norm > 0)) return 0;
      norm = 1 / std::sqrt(norm);
      for (int c = 0; c < n; ++c) A[nth(i)][nth(c)] *= norm;
    }
    for (int i = 0; i < k; ++i) {
      auto& v = reflections_[nth(i)];
      double norm = 0;
      for (int c = i; c < n; ++c) norm += A[nth(i)][nth(c)] * A[nth(i)][nth(c)];
      norm = std::sqrt(norm);
      const double lead = A[nth(i)][nth(i)] > 0 ? -norm : norm;
      v = A[nth(i)];
      v[nth(i)] -= lead;
      double square = 0;
      for (int c = i; c < n; ++c) square += v[nth(c)] * v[nth(c)];
      scale_[nth(i)] = square > 0 ? 2 / square : 0;
      L_[nth(i)] = A[nth(i)];
      L_[nth(i)][nth(i)] = lead;
      for (int r = i + 1; r < k; ++r) reflect(i, A[nth(r)]);
    }
    double trace = 0;  // of (L L^T)^-1: squares of the columns of L^-1
    for (int c = 0; c < k; ++c) {
      std::array<double, 6> x{};
      for (int r = c; r < k; ++r) {
        double sum = r == c ? 1 : 0;
        for (int j = c; j < r; ++j) sum -= L_[nth(r)][nth(j)] * x[nth(j)];
        x[nth(r)] = sum / L_[nth(r)][nth(r)];
        trace += x[nth(r)] * x[nth(r)];
      }
    }
    return k > 0 ? k / trace : 1;
  }

  std::array<double, 6> vector(int j) const {  // j = 0 .. n - k - 1
    std::array<double, 6> x{};
    x[nth(k_ + j)] = 1;
    for (int i = k_ - 1; i >= 0; --i) reflect(i, x);
    return x;
  }

 private:
  void reflect(int i, std::array<double, 6>& x) const {
    const auto& v = reflections_[nth(i)];
    double dot = 0;
    for (int c = i; c < n_; ++c) dot += v[nth(c)] * x[nth(c)];
    dot *= scale_[nth(i)];
    for (int c = i; c < n_; ++c) x[nth(c)] -= dot * v[nth(c)];
  }

  std::array<std::array<double, 6>, 6> reflections_, L_;
  std::array<double, 6> scale_;
  int k_ = 0, n_ = 3;
};

// The same for two rows in the plane: with rows of length one and their cosine g, 2 / trace (A A^T)^-1 =
// 1 - g^2, and the null space is along their vector product. The last column is in lengths; out has the
// motion with its angle.
double free_turn(const std::array<double, 6>& a,
                 const std::array<double, 6>& b,
                 double size,
                 double* out) {
  const double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
               bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
               z = a[0] * b[1] - a[1] * b[0], square = x * x + y * y + z * z;
  if (!(square > 0)) return 0;
  const double scale = 1 / std::sqrt(square);
  out[0] = x * scale * size;
  out[1] = y * scale * size;
  out[2] = z * scale;
  return square / (aa * bb);
}

}  // namespace

// How the body can move while the one it hangs on stands still; rotations count as lengths with the
// lever of the joint.
template <int D> double LoopCondition::free_motions(int body, const Workspace& work) {
  constexpr int turns = Row<D>::turns, n = D + turns;
  std::array<std::array<double, 6>, 6> A;
  int k = 0;
  double lengths = 0, levers = 0;
  const auto take = [&](const Equations::Block& block, const Equations::Term& term) {
    for (int r = 0; r < block.rows && k < n; ++r) {
      if (active_[nth(block.first_row + r)] == 0) continue;
      const auto row = row_of<D>(work.packed.data() + term.offset, block.rows, r, body, work);
      for (int c = 0; c < D; ++c) A[nth(k)][nth(c)] = row.u[c];
      for (int c = 0; c < turns; ++c) A[nth(k)][nth(D + c)] = row.c[c];
      if (row.u.squaredNorm() > 0) {
        lengths += row.u.squaredNorm();
        levers += row.c.squaredNorm();
      }
      ++k;
    }
  };
  const Equations& equations = system_.equations();
  const int edge = topology_.branches[nth(body)].edge;
  if (edge >= 0)
    for (const int b : topology_.edges[nth(edge)].blocks)
      for (const auto& term : equations.terms(equations.blocks()[nth(b)]))
        if (term.body == body) take(equations.blocks()[nth(b)], term);
  if (D == 2 && k == 2 && plan_->on_loop_[nth(body)] == 0) {  // two lengths across each other
    const double across = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    const double most =
        (A[0][0] * A[0][0] + A[0][1] * A[0][1]) * (A[1][0] * A[1][0] + A[1][1] * A[1][1]);
    if (2 * across * across > most) return 1;
  }
  double size = lengths > 0 ? std::sqrt(levers / lengths) : system_.length();
  size = std::max(size, least_size * system_.length());
  for (int r = 0; r < k; ++r)
    for (int c = D; c < n; ++c) A[nth(r)][nth(c)] /= size;
  columns_[nth(body)] = n - k;
  double* out = twist_.data() + nth(body * n * n);
  if (D == 2 && k == 2) return free_turn(A[0], A[1], size, out);
  SmallNullSpace space;
  const double condition = space.find(A, k, n);
  if (plan_->on_loop_[nth(body)] == 0 || condition == 0) return condition;
  for (int j = 0; j < n - k; ++j) {
    const auto x = space.vector(j);
    for (int c = 0; c < D; ++c) out[j * n + c] = x[nth(c)] * size;
    for (int c = D; c < n; ++c) out[j * n + c] = x[nth(c)];
  }
  return condition;
}

template <int D> void LoopCondition::add_closure(int closure, CView q, const Workspace& work) {
  constexpr int turns = Row<D>::turns, n = D + turns;
  const int first = plan_->first_row_[nth(closure)];
  const int size = plan_->first_row_[nth(closure + 1)] - first;
  const auto centre = [&](int body) {
    return Eigen::Map<const Vec<D>>(q.data() + system_.layout().q(body));
  };
  for (int s = plan_->first_share_[nth(closure)]; s < plan_->first_share_[nth(closure + 1)]; ++s) {
    const auto& share = plan_->shares_[nth(s)];
    const auto& entry = plan_->entries_[nth(share.entry)];
    const Vec<D> way = centre(share.body) - centre(entry.body);
    const double* block_values = work.packed.data() + share.term;
    const int rows = share.rows;
    std::array<Row<D>, most_rows> row;
    double lever = 0;  // squared; the same for all rows with lengths: axes may turn
    for (int r = 0; r < rows; ++r) {
      row[nth(r)] = row_of<D>(block_values, rows, r, share.body, work);
      if (row[nth(r)].u.squaredNorm() > 0) lever = std::max(lever, row[nth(r)].c.squaredNorm());
    }
    for (int j = 0; j < columns_[nth(entry.body)]; ++j) {
      const double* twist = twist_.data() + nth(entry.body * n * n + j * n);
      const Vec<turns> omega = Eigen::Map<const Vec<turns>>(twist + D);
      const Vec<D> v = Eigen::Map<const Vec<D>>(twist) + carried<D>(omega, way);
      const double speed = v.squaredNorm(), turning = omega.squaredNorm();
      for (int r = 0; r < rows; ++r) {
        const int place = share.row + r;
        if (active_[nth(plan_->equation_[nth(first + place)])] == 0) continue;
        const auto& [u, c] = row[nth(r)];
        J_[nth(entry.offset + j * size + place)] += u.dot(v) + c.dot(omega);
        const double length = u.squaredNorm();
        bound_[nth(first + place)] +=
            length * speed + (length > 0 ? lever : c.squaredNorm()) * turning;
      }
    }
  }
}

void LoopCondition::scale_and_factor() {
  const int n = system_.body_size();
  for (double& b : bound_) b = b > 0 ? 1 / std::sqrt(b) : 0;
  for (const auto& entry : plan_->entries_) {
    const int first = plan_->first_row_[nth(entry.closure)],
              rows = plan_->first_row_[nth(entry.closure + 1)] - first;
    for (int k = 0; k < n * rows; ++k) J_[nth(entry.offset + k)] *= bound_[nth(first + k % rows)];
  }
  cholesky_.clear();
  double* C = cholesky_.values().data();
  for (const auto& p : plan_->products_)
    for (int k = 0; k < columns_[nth(p.body)]; ++k)
      for (int c = 0; c < p.columns; ++c)
        for (int r = 0; r < p.rows; ++r)
          C[p.target + c * p.rows + r] +=
              J_[nth(p.a + k * p.rows + r)] * J_[nth(p.b + k * p.columns + c)];
  for (std::size_t k = 0; k < topology_.closures.size(); ++k) {
    const int first = plan_->first_row_[k], rows = plan_->first_row_[k + 1] - first;
    for (int r = 0; r < rows; ++r)
      if (active_[nth(plan_->equation_[nth(first + r)])] == 0)
        C[plan_->diagonal_[k] + r * rows + r] = 1;
  }
  (void)cholesky_.factor(skipped_pivot);
}

// m / trace (L L^T)^-1 over the rows that hold; the row in which the trace is largest.
void LoopCondition::look_at(int closure, Weakest& weakest) const {
  const double* L = cholesky_.values().data() + plan_->diagonal_[nth(closure)];
  const int* equation = plan_->equation_.data() + plan_->first_row_[nth(closure)];
  const int m = plan_->first_row_[nth(closure + 1)] - plan_->first_row_[nth(closure)];
  double trace = 0, largest = -1;
  int held = 0, row = -1;
  for (int c = 0; c < m; ++c) {
    if (active_[nth(equation[c])] == 0) continue;
    ++held;
    std::array<double, most_rows> x{};
    double square = 0;
    for (int r = c; r < m; ++r) {
      double sum = r == c ? 1 : 0;
      for (int j = c; j < r; ++j) sum -= L[j * m + r] * x[nth(j)];
      x[nth(r)] = sum / L[r * m + r];  // infinite where a row was skipped
      square += x[nth(r)] * x[nth(r)];
    }
    trace += square;
    if (!(square <= largest)) {
      largest = square;
      row = equation[c];
    }
  }
  if (held == 0) return;
  const double condition = std::isfinite(trace) ? pivot_scale * held / trace : 0;
  if (condition < weakest.condition) weakest = {condition, row};
}

template <int D> LoopCondition::Weakest LoopCondition::measured(CView q, const Workspace& work) {
  Weakest weakest;
  for (const int body : topology_.order) {
    const double own = free_motions<D>(body, work);
    if (own >= own_rows_weak || own >= weakest.condition) continue;
    const auto& edge = topology_.edges[nth(topology_.branches[nth(body)].edge)];
    weakest = {own, system_.equations().blocks()[nth(edge.blocks.front())].first_row};
  }
  if (open_ || weakest.condition == 0) return weakest;
  std::fill(J_.begin(), J_.end(), 0.0);
  std::fill(bound_.begin(), bound_.end(), 0.0);
  for (int c = 0; c < static_cast<int>(topology_.closures.size()); ++c) add_closure<D>(c, q, work);
  scale_and_factor();
  for (int c = 0; c < static_cast<int>(topology_.closures.size()); ++c) look_at(c, weakest);
  return weakest;
}

LoopCondition::Weakest LoopCondition::measure(CView q, const Workspace& work) {
  return system_.space() == Space::planar ? measured<2>(q, work) : measured<3>(q, work);
}

}  // namespace cardan
