// The saddle-point matrix [M phi_q^T; phi_q 0] itself, by KLU: analysed once, refactored while the
// pivots of the last full factorization stay good, factored anew when they do not. A row that is
// not active becomes lambda_i = 0.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <klu.h>

#include "cardan/system/saddle.h"

namespace cardan {

// Places of all entries, what they come from, and KLU's order.
struct KktPlan {
  KktPlan(const Equations&, const MassMatrix&);
  ~KktPlan();
  KktPlan(const KktPlan&) = delete;
  KktPlan& operator=(const KktPlan&) = delete;

  struct Source {
    int to, from;
  };

  int n, m;
  std::vector<int> columns, rows;
  std::vector<double> constant;
  std::vector<Source> sources;
  klu_symbolic* symbolic = nullptr;
};

KktPlan::KktPlan(const Equations& equations, const MassMatrix& mass)
    : n(mass.size()), m(equations.rows()) {
  struct Entry {
    int column, row,
        source;  // source: >= 0 packed index; -1 a constant; -2 - i the diagonal of row i
    double constant;
  };

  const int n_v = equations.body_size();
  std::vector<Entry> entries;
  for (int c = 0; equations.has_mass() && c < n_v; ++c)
    for (int r = 0; r < n_v; ++r)
      entries.push_back({c, r, equations.mass_offset() + c * n_v + r, 0});
  for (int b = 0; !equations.has_mass() && b < equations.bodies(); ++b)
    for (int c = 0; c < n_v; ++c)
      for (int r = 0; r < n_v; ++r)
        if (r == c || mass.at(b, r, c) != 0)
          entries.push_back({b * n_v + c, b * n_v + r, -1, mass.at(b, r, c)});
  for (const auto& block : equations.blocks()) {
    for (const auto& term : equations.terms(block))
      for (int c = 0; c < n_v; ++c)
        for (int r = 0; r < block.rows; ++r) {
          const int source = term.offset + c * block.rows + r;
          entries.push_back({term.body * n_v + c, n + block.first_row + r, source, 0});
          entries.push_back({n + block.first_row + r, term.body * n_v + c, source, 0});
        }
    for (int r = 0; r < block.rows; ++r)
      entries.push_back(
          {n + block.first_row + r, n + block.first_row + r, -2 - (block.first_row + r), 0});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  int last_column = -1;
  columns.assign(static_cast<std::size_t>(n + m + 1), 0);
  for (const Entry& e : entries) {
    const bool same =
        !rows.empty() && last_column == e.column && rows.back() == e.row;  // a body on two sides
    if (!same) {
      rows.push_back(e.row);
      constant.push_back(e.constant);
    }
    last_column = e.column;
    sources.push_back({static_cast<int>(rows.size()) - 1, e.source});
    columns[static_cast<std::size_t>(e.column + 1)] = static_cast<int>(rows.size());
  }
  for (std::size_t c = 1; c < columns.size(); ++c)
    columns[c] = std::max(columns[c], columns[c - 1]);
  klu_common common;
  klu_defaults(&common);
  symbolic = klu_analyze(n + m, columns.data(), rows.data(), &common);
  if (symbolic == nullptr) throw std::runtime_error("analysis of the saddle-point matrix failed");
}

KktPlan::~KktPlan() {
  klu_common common;
  klu_defaults(&common);
  klu_free_symbolic(&symbolic, &common);
}

namespace {

constexpr double growth_limit = 1e-6;  // reciprocal pivot growth below which pivots are chosen anew
constexpr double condition_limit =
    1e-15;  // reciprocal condition below which the matrix counts as singular

class Kkt final : public SaddleSolver {
 public:
  explicit Kkt(std::shared_ptr<const KktPlan> plan)
      : plan_(std::move(plan)),
        n_(plan_->n),
        m_(plan_->m),
        columns_(plan_->columns),
        rows_(plan_->rows),
        symbolic_(plan_->symbolic),
        active_(static_cast<std::size_t>(m_), 1),
        values_(plan_->rows.size()) {
    klu_defaults(&common_);
    x_.resize(static_cast<std::size_t>(n_ + m_));
    b_ = r_ = x_;
  }

  ~Kkt() override { klu_free_numeric(&numeric_, &common_); }

  Kkt(const Kkt&) = delete;
  Kkt& operator=(const Kkt&) = delete;

  Health factor(CView packed) override {
    fill(packed);
    if (!std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); }))
      return {0, -1, 0, false};
    bool good = false;
    if (numeric_ != nullptr) {
      good =
          klu_refactor(
              columns_.data(), rows_.data(), values_.data(), symbolic_, numeric_, &common_) != 0 &&
          klu_rgrowth(
              columns_.data(), rows_.data(), values_.data(), symbolic_, numeric_, &common_) != 0 &&
          common_.rgrowth > growth_limit;
    }
    if (!good) {
      klu_free_numeric(&numeric_, &common_);
      numeric_ = klu_factor(columns_.data(), rows_.data(), values_.data(), symbolic_, &common_);
      if (numeric_ == nullptr) return {1, singular_row(), 0, false};
    }
    klu_rcond(symbolic_, numeric_, &common_);
    const bool ok = common_.rcond > condition_limit;
    return {ok ? 0 : 1, ok ? -1 : singular_row(), common_.rcond, ok, !good};
  }

  void solve(CView f, CView g, View a, View lambda) override {
    std::copy(f.begin(), f.end(), b_.begin());
    for (int i = 0; i < m_; ++i)
      b_[static_cast<std::size_t>(n_ + i)] =
          active_[static_cast<std::size_t>(i)] != 0 ? g[static_cast<std::size_t>(i)] : 0.0;
    std::copy(b_.begin(), b_.end(), x_.begin());
    klu_solve(symbolic_, numeric_, n_ + m_, 1, x_.data(), &common_);
    refine();
    std::copy_n(x_.begin(), n_, a.begin());
    std::copy_n(x_.begin() + n_, m_, lambda.begin());
  }

  double residual() const override { return residual_; }

  void activate(const std::vector<char>& active) override { active_ = active; }

 private:
  bool row_active(int k) const { return k < n_ || active_[static_cast<std::size_t>(k - n_)] != 0; }

  void fill(CView packed) {
    std::copy(plan_->constant.begin(), plan_->constant.end(), values_.begin());
    for (const auto& s : plan_->sources) {
      if (s.from >= 0)
        values_[static_cast<std::size_t>(s.to)] += packed[static_cast<std::size_t>(s.from)];
      if (s.from <= -2 && active_[static_cast<std::size_t>(-2 - s.from)] == 0)
        values_[static_cast<std::size_t>(s.to)] = 1;
    }
    for (int c = 0; c < n_ + m_;
         ++c)  // rows and columns of equations that are not active keep only their diagonal
      for (int k = columns_[static_cast<std::size_t>(c)];
           k < columns_[static_cast<std::size_t>(c + 1)];
           ++k)
        if (rows_[static_cast<std::size_t>(k)] != c &&
            !(row_active(rows_[static_cast<std::size_t>(k)]) && row_active(c)))
          values_[static_cast<std::size_t>(k)] = 0;
  }

  void refine() {
    r_ = b_;
    double scale = 0;
    for (const double x : b_) scale = std::max(scale, std::abs(x));
    residual_into();
    klu_solve(symbolic_, numeric_, n_ + m_, 1, r_.data(), &common_);
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] += r_[k];
    r_ = b_;
    residual_into();
    double worst = 0;
    for (std::size_t k = static_cast<std::size_t>(n_); k < r_.size(); ++k)
      worst = std::max(worst, std::abs(r_[k]));
    residual_ = scale > 0 ? worst / scale : 0;
  }

  void residual_into() {  // r <- r - A x
    for (int c = 0; c < n_ + m_; ++c)
      for (int k = columns_[static_cast<std::size_t>(c)];
           k < columns_[static_cast<std::size_t>(c + 1)];
           ++k)
        r_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])] -=
            values_[static_cast<std::size_t>(k)] * x_[static_cast<std::size_t>(c)];
  }

  // KLU tells n + m where no column was singular, however bad the condition.
  int singular_row() const {
    const int row = common_.singular_col - n_;
    return row >= 0 && row < m_ ? row : -1;
  }

  std::shared_ptr<const KktPlan> plan_;
  int n_, m_;
  // KLU takes pointers to what it does not change.
  std::vector<int> columns_, rows_;
  klu_symbolic* symbolic_;
  std::vector<char> active_;
  std::vector<double> values_, x_, b_, r_;
  klu_common common_{};
  klu_numeric* numeric_ = nullptr;
  double residual_ = 0;
};

}  // namespace

std::shared_ptr<const KktPlan> plan_kkt(const Equations& equations, const MassMatrix& mass) {
  return std::make_shared<const KktPlan>(equations, mass);
}

std::unique_ptr<SaddleSolver> make_kkt(std::shared_ptr<const KktPlan> plan) {
  return std::make_unique<Kkt>(std::move(plan));
}

}  // namespace cardan
