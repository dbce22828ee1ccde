#include "cardan/system/schur_assembly.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cardan {

std::vector<double> row_norms(const Equations& equations, const MassMatrix& weights, CView packed) {
  const int n_v = equations.body_size();
  std::vector<double> norms(static_cast<std::size_t>(equations.rows()), 0.0),
      weighted(packed.size());
  for (const auto& block : equations.blocks())
    for (const auto& term : equations.terms(block)) {
      double* w = weighted.data() + term.offset;
      weights.weigh(term.body, block.rows, packed.data() + term.offset, w);
      for (int c = 0; c < n_v; ++c)
        for (int r = 0; r < block.rows; ++r)
          norms[static_cast<std::size_t>(block.first_row + r)] +=
              w[c * block.rows + r] * w[c * block.rows + r];
    }
  for (double& x : norms) x = std::sqrt(x);
  return norms;
}

SchurPlan::SchurPlan(const Equations& equations) {
  std::vector<std::vector<Incidence>> of_body(static_cast<std::size_t>(equations.bodies()));
  std::vector<int> sizes;
  for (const auto& block : equations.blocks()) {
    for (const auto& term : equations.terms(block))
      of_body[static_cast<std::size_t>(term.body)].push_back(
          {static_cast<int>(sizes.size()), term.offset});
    sizes.push_back(block.rows);
  }
  std::vector<std::pair<int, int>> couplings;
  for (const auto& list : of_body)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) couplings.emplace_back(list[i].block, list[j].block);
  blocks_ = std::make_shared<const BlockPlan>(sizes, couplings);
  for (const auto& list : of_body)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) plan_product(list[i], list[j], sizes, i != j);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const auto place = blocks_->place(static_cast<int>(b), static_cast<int>(b));
    for (int r = 0; r < sizes[b]; ++r) diagonal_.push_back(place.offset + r * place.stride + r);
  }
}

void SchurPlan::plan_elimination(const Equations& equations, const std::vector<int>& joint) {
  elimination_ = std::make_shared<const EliminationPlan>(equations, joint);
}

void SchurPlan::plan_product(Incidence i,
                             Incidence j,
                             const std::vector<int>& sizes,
                             bool different) {
  const auto place = blocks_->place(i.block, j.block);
  if (place.transposed) std::swap(i, j);
  const int rows = sizes[static_cast<std::size_t>(i.block)],
            columns = sizes[static_cast<std::size_t>(j.block)];
  products_.push_back({place.offset, i.offset, j.offset, rows, columns});
  if (different && i.block == j.block)  // an element with the same body on two sides
    products_.push_back({place.offset, j.offset, i.offset, columns, rows});
}

SchurMatrix::SchurMatrix(std::shared_ptr<const SchurPlan> plan,
                         const Equations& equations,
                         const MassMatrix& weights)
    : plan_(std::move(plan)),
      equations_(equations),
      weights_(weights),
      cholesky_(plan_->blocks_),
      active_(static_cast<std::size_t>(equations.rows()), 1),
      weighted_(static_cast<std::size_t>(equations.packed_size())) {}

SchurMatrix::SchurMatrix(const Equations& equations, const MassMatrix& weights)
    : SchurMatrix(std::make_shared<const SchurPlan>(equations), equations, weights) {}

namespace {

template <int R, int C, int N>
inline void add_product(double* target, const double* a, const double* b) {
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r)
      for (int k = 0; k < N; ++k) target[c * R + r] += a[k * R + r] * b[k * C + c];
}

void add_product(
    double* target, const double* a, const double* b, int rows, int columns, int inner) {
  if (rows == 2 && columns == 2 && inner == 3) return add_product<2, 2, 3>(target, a, b);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < inner; ++k) target[c * rows + r] += a[k * rows + r] * b[k * columns + c];
}

}  // namespace

BlockCholesky::Pivots SchurMatrix::factor(CView packed, double shift, double tolerance) {
  const int n_v = equations_.body_size();
  for (const auto& block : equations_.blocks())
    for (const auto& term : equations_.terms(block)) {
      double* w = weighted_.data() + term.offset;
      weights_.weigh(term.body, block.rows, packed.data() + term.offset, w);
      for (int r = 0; r < block.rows && !all_active_; ++r)
        if (active_[static_cast<std::size_t>(block.first_row + r)] == 0)
          for (int c = 0; c < n_v; ++c) w[c * block.rows + r] = 0;
    }
  cholesky_.clear();
  double* S = cholesky_.values().data();
  for (const auto& p : plan_->products_)
    add_product(
        S + p.target, weighted_.data() + p.a, weighted_.data() + p.b, p.rows, p.columns, n_v);
  const std::vector<int>& diagonal = plan_->diagonal_;
  for (std::size_t r = 0; r < diagonal.size(); ++r)
    S[diagonal[r]] = active_[r] == 0 ? 1 : S[diagonal[r]] + shift;
  const auto pivots = cholesky_.factor(tolerance);
  any_skipped_ = pivots.skipped > 0;
  return pivots;
}

void SchurMatrix::activate(const std::vector<char>& active) {
  active_ = active;
  all_active_ = std::find(active.begin(), active.end(), 0) == active.end();
}

void SchurMatrix::solve(View x) const {
  for (std::size_t r = 0; r < active_.size() && !all_active_; ++r)
    if (active_[r] == 0) x[r] = 0;
  cholesky_.solve(x);
}

}  // namespace cardan
